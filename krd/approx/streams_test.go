package approx

import (
	"math/bits"
	"math/rand/v2"
	"sort"

	"krdlab/krd/stack"
)

// Streams of n accesses to keys 0..m-1.

func uniform(n, m int, seed uint64) []uint64 {
	r := rand.New(rand.NewPCG(seed, 1))
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = r.Uint64N(uint64(m))
	}
	return keys
}

// zipf draws with probability in proportion to 1/(rank+1).
func zipf(n, m int, seed uint64) []uint64 {
	r := rand.New(rand.NewPCG(seed, 2))
	cum := make([]float64, m)
	s := 0.0
	for i := range cum {
		s += 1 / float64(i+1)
		cum[i] = s
	}
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = uint64(min(sort.SearchFloat64s(cum, r.Float64()*s), m-1))
	}
	return keys
}

// loop goes round all keys in order.
func loop(n, m int) []uint64 {
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = uint64(i % m)
	}
	return keys
}

// scans is zipf traffic among the first half of the keys, broken now and then by a pass over the
// second half.
func scans(n, m int, seed uint64) []uint64 {
	keys := zipf(n, m/2, seed)
	for at := 0; at < n; at += 5 * m / 2 {
		for i := range m / 2 {
			if at+i < n {
				keys[at+i] = uint64(m/2 + i)
			}
		}
	}
	return keys
}

// matmul is the block trace of a divide-and-conquer product of n x n tiles.
func matmul(n int) []uint64 {
	var keys []uint64
	var rec func(i, j, k, m int)
	rec = func(i, j, k, m int) {
		if m == 1 {
			keys = append(keys, uint64(i*n+k), uint64(n*n+k*n+j), uint64(2*n*n+i*n+j))
			return
		}
		h := m / 2
		for x := range 8 {
			rec(i+(x>>2&1)*h, j+(x>>1&1)*h, k+(x&1)*h, h)
		}
	}
	rec(0, 0, 0, n)
	return keys
}

// exact holds the results of an exact engine for a stream whose keys are dense.
type exact struct {
	dist []uint64
	cold uint64
	bins [65]uint64
}

func exactly(keys []uint64, size func(key uint64) uint64) *exact {
	e, o := &exact{}, stack.NewOnline()
	for _, k := range keys {
		d := o.Access(uint32(k), size(k))
		e.dist = append(e.dist, d)
		if d == stack.Cold {
			e.cold++
		} else {
			e.bins[bits.Len64(d)]++
		}
	}
	return e
}

func (e *exact) misses(keys []uint64, size func(uint64) uint64, cache uint64) (n float64) {
	for i, d := range e.dist {
		if d == stack.Cold || d+size(keys[i]) > cache {
			n++
		}
	}
	return n
}

func sizesOf(keys []uint64, size func(uint64) uint64) []uint64 {
	s := make([]uint64, len(keys))
	for i, k := range keys {
		s[i] = size(k)
	}
	return s
}

// mixed sizes, the same for a key in all streams.
func mixed(key uint64) uint64 { return []uint64{64, 4096, 512, 8192, 100}[key*7%5] }

func even(uint64) uint64 { return 4096 }
