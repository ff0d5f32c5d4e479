//go:build unix

package hw

import (
	"fmt"
	"math"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size of a huge page on amd64 and the usual one on arm64.
const hugePage = 2 << 20

// Map returns n bytes of zeroed memory of their own pages, outside Go's heap: no garbage collector
// looks at it, and the pages are allocated when they are first touched, on the NUMA node of the
// thread that touches them (unless [Interleave] spreads them). From 2 MiB on it begins at a
// multiple of 2 MiB and huge pages are asked for, which the kernel may refuse silently. Give it
// back with [Unmap].
func Map(n int) ([]byte, error) {
	switch {
	case n < 0:
		return nil, fmt.Errorf("map %d bytes: negative", n)
	case n == 0:
		return nil, nil
	}
	size, extra := pageUp(n), uintptr(0)
	if n >= hugePage {
		extra = hugePage // to have room for the alignment; trimmed below
	}
	at, err := unix.MmapPtr(-1, 0, nil, size+extra, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("map %d bytes: %w", n, err)
	}
	if extra > 0 {
		head := -uintptr(at) & (hugePage - 1)
		start := unsafe.Add(at, head)
		if head > 0 {
			err = unix.MunmapPtr(at, head)
		}
		if tail := extra - head; tail > 0 && err == nil {
			err = unix.MunmapPtr(unsafe.Add(start, size), tail)
		}
		if err != nil {
			return nil, fmt.Errorf("map %d bytes: align to %d: %w", n, hugePage, err)
		}
		at = start
		adviseHuge(unsafe.Slice((*byte)(at), size))
	}
	return unsafe.Slice((*byte)(at), n), nil
}

// Unmap gives back what [Map] returned: the whole slice, once. Any later access through it is a
// fault.
func Unmap(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if err := unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(b)), pageUp(len(b))); err != nil {
		return fmt.Errorf("unmap %d bytes: %w", len(b), err)
	}
	return nil
}

// TryMap returns the error that allocating n bytes at once would meet, such as a limit of the
// address space. Later allocations by [Map] and Go's heap may still fail: the heap takes more than
// it is asked for, and others take memory too.
func TryMap(n uint64) error {
	if n == 0 {
		return nil
	}
	if n > math.MaxInt {
		return fmt.Errorf("map %d bytes: more than an address space holds", n)
	}
	at, err := unix.MmapPtr(-1, 0, nil, uintptr(n), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE)
	if err == nil {
		err = unix.MunmapPtr(at, uintptr(n))
	}
	if err != nil {
		return fmt.Errorf("map %d bytes: %w", n, err)
	}
	return nil
}

func pageUp(n int) uintptr {
	page := uintptr(unix.Getpagesize())
	return (uintptr(n) + page - 1) &^ (page - 1)
}
