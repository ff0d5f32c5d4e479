package dense

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

const hugePage = 2 << 20

// allocate maps n zero floats outside the Go heap, aligned to a large page where they fill one, and
// asks for large pages. The advice is a wish: without it the product is right and slower.
func allocate(n int) ([]float32, func() error, error) {
	bytes := 4 * n
	if bytes >= hugePage {
		bytes += hugePage
	}
	mem, err := unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, nil, fmt.Errorf("mmap: %w", err)
	}
	skip := 0
	if 4*n >= hugePage {
		skip = int(-uintptr(unsafe.Pointer(unsafe.SliceData(mem))) % hugePage)
		_ = unix.Madvise(mem, unix.MADV_HUGEPAGE)
	}
	data := unsafe.Slice((*float32)(unsafe.Pointer(&mem[skip])), n)
	return data, func() error { return unix.Munmap(mem) }, nil
}
