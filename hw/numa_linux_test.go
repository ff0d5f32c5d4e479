package hw

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMapLeavesNothing: the trimmed ends of aligned mappings are given back.
func TestMapLeavesNothing(t *testing.T) {
	pages := func() int {
		text, _ := readText(os.DirFS("/"), "proc/self/statm")
		size, _, _ := strings.Cut(text, " ")
		n, err := strconv.Atoi(size)
		if err != nil {
			t.Skip(err)
		}
		return n
	}
	const rounds = 1000
	before := pages()
	for range rounds {
		b, err := Map(2 << 20)
		if err != nil {
			t.Fatal(err)
		}
		if err := Unmap(b); err != nil {
			t.Fatal(err)
		}
	}
	if grown := (pages() - before) * unix.Getpagesize(); grown > rounds<<20 {
		t.Errorf("%d mappings of 2 MiB, all given back, left %d MiB of address space", rounds,
			grown>>20)
	}
}

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
