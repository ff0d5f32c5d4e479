package loi

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocate gives f real space for n bytes at off, which lie past all that has been written; they read as zeros.
func allocate(f *os.File, off, n int64) error {
	for {
		err := unix.Fallocate(int(f.Fd()), 0, off, n)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENODEV):
			return writeZeros(f, off, n)
		}
		return &os.PathError{Op: "fallocate", Path: f.Name(), Err: err}
	}
}

// prefault makes the pages of a fresh mapping writable without a fault.
func prefault(b []byte) {
	if unix.Madvise(b, unix.MADV_POPULATE_WRITE) != nil { // Linux before 5.14, or a file system without it
		touch(b)
	}
}
