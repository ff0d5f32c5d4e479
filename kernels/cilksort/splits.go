package cilksort

import (
	"math"
	"math/rand/v2"
	"sort"
)

// The values of --dist.
const (
	uniform  = "uniform"
	skewed   = "skewed"
	runs     = "runs"
	sorted   = "sorted"
	reversed = "reversed"
)

var dists = []string{uniform, skewed, runs, sorted, reversed}

// splits holds for each merge, by the leaves of its output, how many keys before each of them, and
// in all, are from the left run.
type splits map[span][]int32

// draw draws the splits of all merges. Uniform: each leaf of output has as many keys from the left
// as a random permutation would have, which is hypergeometric, here by its normal approximation.
// Skewed: the same for an urn in which keys of one run weigh up to 16 times as much.
func draw(leaves int32, leaf int, dist string, seed uint64) splits {
	r := rand.New(rand.NewPCG(seed, 1))
	all := splits{}
	merges(span{0, leaves}, func(a, b span) {
		weight := 1.0
		if dist == skewed {
			weight = math.Exp2(8*r.Float64() - 4)
		}
		na, nb := leaf*int(a.n()), leaf*int(b.n()) // that are left
		left := []int32{0}
		for range a.n() + b.n() {
			lo, hi := max(0, leaf-nb), min(leaf, na)
			c := lo
			switch dist {
			case sorted:
				c = hi
			case reversed:
			case runs:
				if r.IntN(na+nb) < na {
					c = hi
				}
			default:
				wa, total := weight*float64(na), float64(na+nb)
				p := wa / (wa + float64(nb))
				sigma := math.Sqrt(float64(leaf) * p * (1 - p) * (total - float64(leaf)) / total)
				c = int(math.Round(float64(leaf)*p + sigma*r.NormFloat64()))
				c = max(lo, min(c, hi))
			}
			na, nb = na-c, nb-(leaf-c)
			left = append(left, left[len(left)-1]+int32(c))
		}
		all[span{a.lo, b.hi}] = left
	})
	return all
}

// key returns key number i of n in order.
func key(i, n int) int32 { return int32(uint32(uint64(i)<<32/uint64(n)) ^ 1<<31) }

// fill makes the input: from the sorted sequence every merge is undone, as its splits say, and keys
// of a leaf are shuffled. Cost: a random number for each key of each merge.
func (in *instance) fill(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 2))
	keys, other := in.input, in.keys[0]
	for i := range keys {
		keys[i] = key(i, len(keys))
	}
	merges(span{0, in.leaves}, func(a, b span) {
		left := in.splits[span{a.lo, b.hi}]
		out := keys[int(a.lo)*in.leaf : int(b.hi)*in.leaf]
		i, j := 0, in.leaf*int(a.n())
		for k := range left[1:] {
			some := int(left[k+1] - left[k]) // that are still to go left
			for at := range in.leaf {
				x := out[k*in.leaf+at]
				if int(uint64(r.Uint32())*uint64(in.leaf-at)>>32) < some {
					other[int(a.lo)*in.leaf+i] = x
					i++
					some--
				} else {
					other[int(a.lo)*in.leaf+j] = x
					j++
				}
			}
		}
		copy(out, other[int(a.lo)*in.leaf:])
	})
	for leaf := range int(in.leaves) {
		x := keys[leaf*in.leaf : (leaf+1)*in.leaf]
		r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
	}
}

// runs returns the two runs of m.
func (m *merge) runs() (a, b []int32) {
	from, leaf := m.in.keys[1-m.to], m.in.leaf
	return from[leaf*int(m.a.lo) : leaf*int(m.a.hi)], from[leaf*int(m.b.lo) : leaf*int(m.b.hi)]
}

// fromLeft returns how many keys before a leaf of the output are from the left run. Cost: a binary
// search.
func (m *merge) fromLeft(leaf int32) int {
	if m.left != nil {
		return int(m.left[leaf-m.a.lo])
	}
	a, b := m.runs()
	before := m.in.leaf * int(leaf-m.a.lo)
	lo := max(0, before-len(b))
	return lo + sort.Search(min(before, len(a))-lo, func(i int) bool {
		i += lo
		return a[i] > b[before-i-1]
	})
}

// divide returns the leaf of the output before which a merge of the leaves out is divided: where the
// middle key of the longer run's part goes, but no part is empty.
func (m *merge) divide(out span) int32 {
	leaf := m.in.leaf
	i0, i1 := m.fromLeft(out.lo), m.fromLeft(out.hi)
	j0, j1 := leaf*int(out.lo-m.a.lo)-i0, leaf*int(out.hi-m.a.lo)-i1
	longer, mid := true, (i0+i1)/2 // the left run
	if j1-j0 > i1-i0 {
		longer, mid = false, (j0+j1)/2
	}
	// the last leaf before which no more than mid keys of that run are
	at := out.lo - 1 + int32(sort.Search(int(out.n()), func(x int) bool {
		before := m.fromLeft(out.lo + int32(x))
		if !longer {
			before = leaf*(int(out.lo-m.a.lo)+x) - before
		}
		return before > mid
	}))
	return max(out.lo+1, min(at, out.hi-1))
}
