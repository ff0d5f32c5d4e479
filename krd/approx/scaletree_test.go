package approx

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"krdlab/krd/stack"
)

// compare runs a stream through the tree and the exact engine, and checks every distance.
func compare(t *testing.T, accuracy float64, keys []uint64,
	size func(uint64) uint64) (tree *ScaleTree, inexact int, bytes uint64) {
	t.Helper()
	tree, err := NewScaleTree(accuracy)
	if err != nil {
		t.Fatal(err)
	}
	o := stack.NewOnline()
	for i, k := range keys {
		want, got := o.Access(uint32(k), size(k)), tree.Access(uint32(k), size(k))
		diff := max(want, got) - min(want, got)
		if want == stack.Cold && got != stack.Cold || float64(diff) > (1-accuracy)*float64(want) {
			t.Fatalf("access %d to block %d: distance %d, expected %d within %.4g of it", i, k, got,
				want, 1-accuracy)
		}
		if diff > 0 {
			inexact++
		}
	}
	return tree, inexact, o.Bytes()
}

func TestScaleTreeKeepsItsAccuracy(t *testing.T) {
	withZeros := func(key uint64) uint64 { return key % 4 * 1000 }
	one := func(uint64) uint64 { return 1 }
	vast := func(key uint64) uint64 { return key%3<<40 + key }
	for name, keys := range map[string][]uint64{
		"zipf":    zipf(60000, 6000, 1),
		"uniform": uniform(60000, 6000, 1),
		"scans":   scans(60000, 6000, 1),
		"loop":    loop(30000, 6000),
		"matmul":  matmul(32),
		"few":     uniform(20000, 5, 1),
	} {
		for sizes, size := range map[string]func(uint64) uint64{"one": one, "mixed": mixed,
			"zeros": withZeros, "vast": vast} {
			for _, a := range []float64{0.25, 0.9, 0.99, 0.999, 1} {
				tree, inexact, _ := compare(t, a, keys, size)
				if a == 1 && inexact > 0 {
					t.Errorf("%s, %s: %d distances differ at accuracy 1", name, sizes, inexact)
				}
				if name == "uniform" && a == 0.9 && (inexact < len(keys)/2 || tree.mergedAt == 0) {
					t.Errorf("%s, %s: only %d distances differ at accuracy 0.9: nothing is merged",
						name, sizes, inexact)
				}
			}
		}
	}
}

// The bound on the nodes. Right after a merge, of two neighbours a and b with the weight L after b,
// the two together weigh more than 2 floor((1-a) L), with unit weights at least 2 (1-a) L - 2: once
// L > 2/(1-a), every second node lets L grow by a factor of 1 + (1-a); before, a node weighs 1 at
// least. Between merges there are at most 4 times as many, or minNodes.
func TestScaleTreeIsSmall(t *testing.T) {
	for _, m := range []int{20000, 80000} {
		keys := append(loop(m, m), uniform(2*m, m, 1)...)
		for _, a := range []float64{0.5, 0.9, 0.99, 0.999} {
			tree, _, bytes := compare(t, a, keys, func(uint64) uint64 { return 1 })
			e := 1 - a
			bound := 4 * (2/e + 2 + 2*math.Log(max(float64(bytes)*e/2, 1))/math.Log1p(e))
			t.Logf("%d blocks, accuracy %v: %d nodes, bound %.0f", m, a, tree.Nodes(), bound)
			if n := float64(tree.Nodes()); n > max(bound, minNodes) {
				t.Errorf("%d blocks, accuracy %v: %v nodes, expected at most %.0f", m, a, n,
					max(bound, minNodes))
			}
			if n := len(tree.nodes); n > m && a < 0.999 {
				t.Errorf("%d blocks, accuracy %v: room for %d nodes", m, a, n)
			}
		}
	}
}

func TestScaleTreeErrors(t *testing.T) {
	for _, a := range []float64{0, -1, 1.001, 99.9, math.NaN()} {
		if _, err := NewScaleTree(a); !errors.Is(err, ErrOption) {
			t.Errorf("accuracy %v: %v, expected an error that wraps ErrOption", a, err)
		}
	}
}

// FuzzScaleTree takes bytes for accesses to up to 256 blocks; each is repeated among traffic that
// makes the tree merge.
func FuzzScaleTree(f *testing.F) {
	f.Add([]byte("abcabcddcba"), uint8(10))
	f.Add([]byte{0, 1, 255, 0, 255, 1}, uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, parts uint8) {
		if len(data) > 200 || parts == 0 {
			return
		}
		r := rand.New(rand.NewPCG(uint64(len(data)), uint64(parts)))
		var keys []uint64
		for _, b := range data {
			keys = append(keys, uint64(b))
			for range r.IntN(60) {
				keys = append(keys, 256+r.Uint64N(2000))
			}
		}
		compare(t, 1-1/float64(parts)/2, keys, func(k uint64) uint64 { return k * 37 % 1000 })
	})
}
