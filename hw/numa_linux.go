package hw

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// adviseHuge ignores errors: without huge pages all still works.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }

// Interleave spreads the pages of b, none of them touched yet, over NUMA nodes in turn (mbind,
// MPOL_INTERLEAVE). nodes are the kernel's numbers; see [Topology.NUMA]. b is memory that [Map]
// returned. Errors: no nodes, or the kernel's (EINVAL for a node without memory or outside the
// cpuset's mems; EPERM, ENOSYS in some containers).
func Interleave(b []byte, nodes []int) error {
	const (
		mpolInterleave = 3 // include/uapi/linux/mempolicy.h
		maxNode        = 1024
	)
	if len(b) == 0 {
		return nil
	}
	var mask [maxNode / 64]uint64
	for _, n := range nodes {
		if n < 0 || n >= maxNode {
			return fmt.Errorf("interleave %d bytes: NUMA node %d: want 0 to %d", len(b), n,
				maxNode-1)
		}
		mask[n/64] |= 1 << (n % 64)
	}
	if len(nodes) == 0 {
		return fmt.Errorf("interleave %d bytes: no NUMA nodes given", len(b))
	}
	// the kernel takes one bit less than maxnode
	_, _, errno := unix.Syscall6(unix.SYS_MBIND, uintptr(unsafe.Pointer(unsafe.SliceData(b))),
		pageUp(len(b)), mpolInterleave,
		uintptr(unsafe.Pointer(&mask)), maxNode+1, 0)
	if errno != 0 {
		return fmt.Errorf("interleave %d bytes over NUMA nodes %s: %w", len(b),
			FormatCPUList(nodes), errno)
	}
	return nil
}
