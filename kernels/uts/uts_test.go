package uts

import (
	"fmt"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/kernels/kernel"
)

// The tree walked for a model is the tree that is counted, and its nodes have the children of their
// hashes.
func TestShapeIsTheTree(t *testing.T) {
	for _, x := range []tree{{1, 1, 0, 0}, {1, 2, 0.49, 3}, {7, 3, 0.3, 1}, {40, 4, 0.2, 9},
		{3, 100, 0.005, 5}} {
		first, found := x.walk(true)
		var nodes int
		var walk func(h hash, number uint32, n int)
		walk = func(h hash, number uint32, n int) {
			nodes++
			if n == 0 != (first[number] == 0) {
				t.Fatalf("%+v: node %d has %d children, the shape says from %d", x, number, n,
					first[number])
			}
			for i := range uint32(n) {
				c := h.child(i, 1)
				walk(c, first[number]+i, x.children(&c))
			}
		}
		walk(x.origin(), 0, x.root)
		_, counted := x.walk(false)
		if nodes != len(first) || found != uint64(nodes) || counted != found {
			t.Errorf("%+v: %d nodes, the shape has %d, found %d, counted %d", x, nodes, len(first),
				found, counted)
		}
	}
}

// BOTS' trees have the numbers of nodes that it publishes: test 4 112 897, tiny 30 399 117.
func TestKnownTrees(t *testing.T) {
	trees := []tree{{2000, 8, 0.124875, 42}, {2000, 3, 0.333332, 8}}
	for _, x := range trees[:long.Or(1, len(trees))] {
		if _, n := x.walk(false); n != known[x] {
			t.Errorf("%+v: %d nodes, want %d", x, n, known[x])
		}
	}
}

func TestTreesWithoutEndAreRefused(t *testing.T) {
	for _, p := range []kernel.Params{{"m": 2, "q": "0.5"}, {"m": 8, "q": "0.13"}} {
		if _, err := Kernel.Plan(Kernel.With(p)); err == nil {
			t.Errorf("%v is taken", p)
		}
	}
	if _, err := Kernel.Plan(Kernel.With(kernel.Params{"m": 3, "q": "0.333344", "tree": 23})); err !=
		nil {
		t.Error(fmt.Errorf("BOTS' medium tree: %w", err))
	}
}

func BenchmarkHash(b *testing.B) {
	h := tree{}.origin()
	for b.Loop() {
		h = h.child(1, 1)
	}
}

// BenchmarkSmallTree walks BOTS' tree small, of 111 345 631 nodes.
func BenchmarkSmallTree(b *testing.B) {
	x := tree{2000, 5, 0.200014, 7}
	for b.Loop() {
		if _, n := x.walk(false); n != known[x] {
			b.Fatalf("%d nodes, want %d", n, known[x])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(known[x]), "ns/node")
}
