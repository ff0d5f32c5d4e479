package uts

import (
	"fmt"
	"testing"

	"krdlab/kernels/kernel"
)

// What is walked for a model is the tree that is counted, and its nodes have the children that their
// hashes say.
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

// BOTS' test tree has 4 112 897 nodes.
func TestKnownTree(t *testing.T) {
	if testing.Short() {
		t.Skip("some tenths of a second")
	}
	x := tree{2000, 8, 0.124875, 42}
	if _, n := x.walk(false); n != known[x] {
		t.Errorf("%d nodes, want %d", n, known[x])
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
