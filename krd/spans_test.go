package krd

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"krdlab/krd/smith"
	"krdlab/loi"
)

// traceOf returns a trace of address space 0 and keyed object 1, in which each access is an
// execution of its own.
func traceOf(t *testing.T, nodes int, workers []int, list []loi.Access) *loi.Trace {
	t.Helper()
	h := loi.Header{Substrate: loi.Native, L2Bytes: 24, LLCBytes: 40, Nodes: nodes}
	for w := range nodes {
		h.Workers = append(h.Workers, loi.Worker{Node: w})
	}
	h.Registry.Objects = []loi.Object{{Name: "space", Kind: loi.Span},
		{Name: "keys", Kind: loi.Keyed}}
	if !slices.ContainsFunc(list, func(a loi.Access) bool { return a.Object == 0 }) {
		h.Registry.Objects[0].Kind = loi.Keyed // so that nothing is cut into atoms
	}
	h.Registry.Kernels = []loi.Kernel{{Name: "k"}}
	path := filepath.Join(t.TempDir(), "t")
	w, err := loi.Create(path, h, loi.Options{NoBackground: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range list {
		w.Recorder(workers[i]).Accesses(0, 0, uint64(i), uint64(i), []loi.Access{a})
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	trace, err := loi.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// TestTilesCutByAnotherNode: cuts by another node's reads, or invalidations before the data are
// there, change nothing about tiles that are touched whole, with coherence and without, and the
// predicted misses agree with far.
func TestTilesCutByAnotherNode(t *testing.T) {
	tile := func(i uint64) loi.Access { return loi.Access{Block: 8 * i, Bytes: 8, Mode: loi.In} }
	var workers []int
	var list []loi.Access
	for at := range uint64(8) { // the atoms of the tiles are 4 bytes and less
		workers, list = append(workers, 1), append(list, loi.Access{Block: 5 * at, Bytes: 5,
			Mode: loi.InOut})
	}
	// Distances INF, INF, 0, 8, INF, 16, INF, 16, 24; and INF, but of the first half 16.
	for _, i := range []uint64{0, 1, 1, 0, 2, 1, 3, 2, 0} {
		workers, list = append(workers, 0), append(list, tile(i))
	}
	workers, list = append(workers, 0), append(list, loi.Access{Block: 24, Bytes: 16, Mode: loi.In})
	// Two tiles that were last touched apart, at distances 32, over the other of them too, and 24:
	// they need 40.
	workers, list = append(workers, 0), append(list, loi.Access{Block: 8, Bytes: 16, Mode: loi.In})
	for _, c := range []struct {
		opt  Options
		want string
	}{
		{Options{}, "11 5 [1 0 0 0 1 3 1]; close 4 near 2 far 0"},
		{Options{Distance: Inclusive}, "11 5 [0 0 0 0 1 3 2]; close 4 near 2 far 0"},
		{Options{Weight: WeightBytes}, "104 40 [8 0 0 0 8 40 8]; close 40 near 24 far 0"},
	} {
		for _, coherent := range []bool{false, true} {
			c.opt.Coherence = coherent
			c.opt.Caches = []smith.Cache{{Bytes: 40, LineBytes: 8}}
			r, err := Analyze(traceOf(t, 2, workers, list), c.opt)
			if err != nil {
				t.Fatal(err)
			}
			n := r.Nodes[0]
			var bins []uint64
			for _, b := range n.Bins {
				bins = append(bins, b.Count)
			}
			got := fmt.Sprintf("%d %d %v; close %d near %d far %d", n.Accesses, n.Cold, bins,
				*n.Close, *n.Near, *n.Far)
			if got != c.want {
				t.Errorf("%+v:\ngot  %s\nwant %s", c.opt, got, c.want)
			}
			if m := r.Misses[0].Nodes[0].Misses; m != 0 {
				t.Errorf("%+v: %v reuses miss a cache of the LLC's 40 bytes, want 0, as far", c.opt,
					m)
			}
		}
	}
}

func TestTooManyBytes(t *testing.T) {
	key := func(n, bytes uint64) loi.Access {
		return loi.Access{Object: 1, Block: n, Bytes: bytes,
			Mode: loi.In}
	}
	half := []loi.Access{key(0, 1<<61), key(1, 1<<61)}
	var again []loi.Access
	for range 8 {
		again = append(again, key(0, 1<<61))
	}
	for name, c := range map[string]struct {
		list []loi.Access
		opt  []Options
	}{
		"distinct": {half, []Options{{}, {Coherence: true},
			{Engine: Engine{Name: EngineScaleTree, Accuracy: 0.9}}}},
		"weight": {again, []Options{{Weight: WeightBytes},
			{Weight: WeightBytes, Coherence: true}}},
	} {
		for _, opt := range c.opt {
			if _, err := Analyze(traceOf(t, 1, make([]int, len(c.list)), c.list),
				opt); !errors.Is(err, ErrTooLarge) {
				t.Errorf("%s, %+v: error %v, want ErrTooLarge", name, opt, err)
			}
		}
	}
	if r, err := Analyze(traceOf(t, 1, make([]int, 7), again[:7]),
		Options{Weight: WeightBytes}); err != nil || r.Accesses != 7<<61 {
		t.Errorf("7 x 2^61 bytes: %v, want %d", err, uint64(7)<<61)
	}
}
