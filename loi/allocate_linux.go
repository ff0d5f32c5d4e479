package loi

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocate gives f real space for n bytes at off, which lie past all that has been written; they
// read as zeros.
func allocate(f *os.File, off, n int64) error {
	for {
		err := unix.Fallocate(int(f.Fd()), 0, off, n)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS),
			errors.Is(err, unix.ENODEV):
			return writeZeros(f, off, n)
		}
		return &os.PathError{Op: "fallocate", Path: f.Name(), Err: err}
	}
}

// fill brings freshly allocated space into the page cache. Writing zeros does that in large folios
// (ext4, XFS and Btrfs have them), after which the pages of a mapping are made writable several at
// a time: on ext4, Linux 6.18, 0.5 to 1.3 us for each page of 4 KiB where faulting page by page
// takes 4. tmpfs has its pages already. Errors are of no consequence: the space is there.
func fill(f *os.File, off, n int64) {
	var st unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &st) == nil && st.Type != unix.TMPFS_MAGIC {
		writeZeros(f, off, n)
	}
}

// prefault makes the pages of a fresh mapping writable without a fault. Populating them all at once
// is quicker than a fault for each, where there is that (Linux 5.14); but on some virtual machines
// the first store to each faults nevertheless, so that each is written to.
func prefault(b []byte) {
	_ = unix.Madvise(b, unix.MADV_POPULATE_WRITE)
	touch(b)
}
