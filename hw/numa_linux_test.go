package hw

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

func TestInterleave(t *testing.T) {
	top, err := Host()
	if err != nil || len(top.NUMA) == 0 {
		t.Skipf("no NUMA nodes are known: %v", err)
	}
	var with []int
	for _, n := range top.NUMA {
		if n.Bytes > 0 {
			with = append(with, n.ID)
		}
	}
	b, err := Map(1<<20 + 1)
	if err != nil {
		t.Fatal(err)
	}
	defer Unmap(b)
	err = Interleave(b, with)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		t.Skip(err)
	}
	if err != nil {
		t.Error(err)
	}
	for i := range b {
		b[i] = byte(i)
	}
	if err := Interleave(b, []int{1023}); !errors.Is(err, unix.EINVAL) {
		t.Errorf("NUMA node 1023: %v, want EINVAL", err)
	}
	for _, bad := range [][]int{nil, {-1}, {1024}} {
		if Interleave(b, bad) == nil {
			t.Errorf("no error for NUMA nodes %v", bad)
		}
	}
	if err := Interleave(nil, with); err != nil {
		t.Errorf("nothing to interleave: %v", err)
	}
}
