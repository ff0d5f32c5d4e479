package cilksort

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"krdlab/kernels/kernel"
)

func TestLeaves(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []int32 {
		x := make([]int32, n)
		for i := range x {
			x[i] = int32(r.Uint32()) >> r.IntN(31)
		}
		return x
	}
	for n := range 200 {
		x := random(n)
		want := slices.Clone(x)
		slices.Sort(want)
		radix(x, make([]int32, n))
		if !slices.Equal(x, want) {
			t.Fatalf("radix: %v, want %v", x, want)
		}
		for cut := 0; cut <= n; cut += 1 + n/7 {
			a, b, out := slices.Clone(x[:cut]), slices.Clone(x[cut:]), make([]int32, n)
			if r.IntN(2) == 0 { // the runs overlap
				a, b = random(cut), random(n-cut)
				slices.Sort(a)
				slices.Sort(b)
			}
			want := slices.Concat(a, b)
			slices.Sort(want)
			mergeRuns(a, b, out)
			if !slices.Equal(out, want) {
				t.Fatalf("merge of %v and %v: %v", a, b, out)
			}
		}
	}
}

// A search in the keys finds the splits of the seed for every merge, and divides it alike.
func TestSplitsAreThoseOfKeys(t *testing.T) {
	for _, dist := range dists {
		for _, leaves := range []int{1, 2, 3, 5, 16, 27, 64} {
			made, err := Kernel.New(Kernel.With(kernel.Params{"n": 32 * leaves, "leaf": 32,
				"dist": dist}), kernel.Env{Seed: uint64(leaves)})
			if err != nil {
				t.Fatal(err)
			}
			in := made.(*instance)
			merges(span{0, in.leaves}, func(a, b span) {
				keys := in.keys[1]
				copy(keys, in.input)
				slices.Sort(keys[32*a.lo : 32*a.hi])
				slices.Sort(keys[32*b.lo : 32*b.hi])
				seek := merge{in: in, a: a, b: b}
				look := seek
				look.left = in.splits[span{a.lo, b.hi}]
				for leaf := a.lo; leaf <= b.hi; leaf++ {
					if got, want := seek.fromLeft(leaf), look.fromLeft(leaf); got != want {
						t.Fatalf("%s: merge of %v and %v: %d keys before leaf %d are from the "+
							"left, want %d", dist, a, b, got, leaf, want)
					}
				}
				for lo := a.lo; lo < b.hi; lo++ {
					for hi := lo + 2; hi <= b.hi; hi++ {
						if x, y := seek.divide(span{lo, hi}), look.divide(span{lo, hi}); x != y ||
							x <= lo || x >= hi {
							t.Fatalf("%s: leaves %d to %d are divided at %d and %d", dist, lo, hi,
								x, y)
						}
					}
				}
			})
			keys := slices.Sorted(slices.Values(in.input))
			for i, k := range keys {
				if k != key(i, len(keys)) {
					t.Fatalf("%s: key %d is %d, want %d", dist, i, k, key(i, len(keys)))
				}
			}
			in.Close()
		}
	}
}

func TestSizesThatDoNotFit(t *testing.T) {
	for _, p := range []kernel.Params{{"n": 100, "leaf": 16}, {"n": 90, "leaf": 18}} {
		if _, err := Kernel.Plan(Kernel.With(p)); err == nil {
			t.Errorf("%v is taken", p)
		}
	}
}

func BenchmarkLeaf(b *testing.B) {
	const n = 4096
	r := rand.New(rand.NewPCG(1, 2))
	input, keys, other := make([]int32, n), make([]int32, n), make([]int32, n)
	for i := range input {
		input[i] = int32(r.Uint32())
	}
	rate := func(b *testing.B) {
		b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N*n), "ns/key")
	}
	b.Run("radix", func(b *testing.B) {
		for b.Loop() {
			copy(keys, input)
			radix(keys, other)
		}
		rate(b)
	})
	for _, part := range []int{2, 5} {
		b.Run(fmt.Sprintf("merge=1:%d", part-1), func(b *testing.B) {
			copy(keys, input)
			slices.Sort(keys[:n/part])
			slices.Sort(keys[n/part:])
			for b.Loop() {
				mergeRuns(keys[:n/part], keys[n/part:], other)
			}
			rate(b)
		})
	}
}
