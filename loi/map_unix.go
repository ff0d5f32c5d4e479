//go:build linux || darwin

package loi

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// mapShared maps n bytes of f at off for reading and writing; off is a multiple of the page size.
// The bytes must have been allocated, or a store into them may be a SIGBUS.
func mapShared(f *os.File, off int64, n int) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), off, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// mapPrivate maps the first n bytes of f for reading.
func mapPrivate(f *os.File, n int) ([]byte, error) {
	return unix.Mmap(int(f.Fd()), 0, n, unix.PROT_READ, unix.MAP_PRIVATE)
}

// giveBack unmaps the pages of what mapPrivate mapped until they are read again.
func giveBack(b []byte) { _ = unix.Madvise(b, unix.MADV_DONTNEED) }

// freeBytes returns how many bytes may still be written to the file system of dir, if that is
// known.
func freeBytes(dir string) (n uint64, known bool) {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return 0, false
	}
	return st.Bavail * uint64(st.Bsize), true
}

func unmap(b []byte) error { return unix.Munmap(b) }

// isNoSpace reports whether a file cannot grow for lack of room.
func isNoSpace(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) ||
		errors.Is(err, unix.EFBIG) || errors.Is(err, errLimit)
}
