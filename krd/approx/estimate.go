package approx

import (
	"math"
	"math/bits"

	"krdlab/krd/stack"
)

// A Bin counts the accesses that are estimated to have FromBytes <= distance < ToBytes.
type Bin struct {
	FromBytes uint64  `json:"from_bytes"`
	ToBytes   uint64  `json:"to_bytes"`
	Count     float64 `json:"count"`
}

// A CacheEstimate holds the estimated misses of a fully associative LRU cache.
type CacheEstimate struct {
	Bytes     uint64   `json:"bytes"`
	Misses    float64  `json:"misses"`     // accesses, cold ones included
	MissRatio *float64 `json:"miss_ratio"` // of all accesses, at most 1; nil if there are none
}

// An Estimate is the result of [Shards] from its sample. All counts of accesses but Accesses and
// Sampled are estimates.
type Estimate struct {
	Method string `json:"method"` // "shards fixed-rate" or "shards fixed-size"
	// share of the blocks that are followed; at the end, where it fell
	Rate     float64 `json:"rate"`
	MaxKeys  int     `json:"max_keys"` // bound on the blocks followed; 0: none
	Seed     uint64  `json:"seed"`
	Accesses uint64  `json:"accesses"` // of the stream
	Sampled  uint64  `json:"sampled"`  // of these, those counted
	Keys     int     `json:"keys"`     // blocks followed at the end

	// Adjusted is the number of accesses that the sample lacks (or, negative, has too many) against
	// those of the stream. It is taken to consist of accesses to few hot blocks, which hit in any
	// cache, and is contained in Hidden: the correction called SHARDS-adj in the paper. 0 where
	// every block was followed.
	Adjusted float64 `json:"adjusted"`

	Cold float64 `json:"cold"` // first accesses

	// Bins at powers of two from HiddenBelowBytes on. Below, the sample is too thin to tell one bin
	// from another: a sampled block of distance stands for 1/Rate blocks. Accesses there are only
	// counted together, as Hidden. HiddenBelowBytes is 0 and Hidden is 0 if all bins are shown,
	// which is where every block was followed.
	HiddenBelowBytes uint64  `json:"hidden_below_bytes"`
	Hidden           float64 `json:"hidden"`
	Bins             []Bin   `json:"bins"`

	Caches []CacheEstimate `json:"caches"` // in the order of [Options.Caches]
}

// tally counts what was sampled, weighted.
type tally struct {
	accesses uint64 // all
	sampled  uint64
	weights  float64 // of the sampled
	cold     float64
	bins     [65]float64 // by the number of bits of the distance
	misses   []float64   // by cache
}

func (t *tally) count(distance, bytes uint64, weight float64, caches []uint64) {
	t.sampled++
	t.weights += weight
	if distance == stack.Cold {
		t.cold += weight
	} else {
		t.bins[bits.Len64(distance)] += weight
	}
	for i, c := range caches {
		if distance > c || bytes > c-distance {
			t.misses[i] += weight
		}
	}
}

// Estimate returns what the accesses so far amount to. It may be called at any time and changes
// nothing.
func (s *Shards) Estimate() Estimate {
	t := &s.tally
	e := Estimate{
		Method: "shards fixed-rate", Rate: s.rate(), MaxKeys: s.opt.MaxKeys, Seed: s.opt.Seed,
		Accesses: t.accesses, Sampled: t.sampled, Keys: s.units.n,
		Adjusted: float64(t.accesses) - t.weights, Cold: t.cold,
	}
	if e.MaxKeys > 0 {
		e.Method = "shards fixed-size"
	}
	hidden := 0 // bins of fewer bits are not shown
	if s.limit != math.MaxUint64 {
		mean := 1.0
		if e.Keys > 0 {
			mean = max(float64(s.engine.Bytes())/float64(e.Keys), 1)
		}
		hidden = 1 + int(math.Ceil(math.Log2(mean/e.Rate)))
		hidden = min(hidden, 64)
		e.HiddenBelowBytes = 1 << (hidden - 1)
		e.Hidden = e.Adjusted
	}
	last := 0
	for n, count := range t.bins {
		if n < hidden {
			e.Hidden += count
		} else if count > 0 {
			last = n
		}
	}
	for n := hidden; n <= last; n++ {
		b := Bin{ToBytes: math.MaxUint64, Count: t.bins[n]}
		if n > 0 {
			b.FromBytes = 1 << (n - 1)
		}
		if n < 64 {
			b.ToBytes = 1 << n
		}
		e.Bins = append(e.Bins, b)
	}
	for i, bytes := range s.opt.Caches {
		c := CacheEstimate{Bytes: bytes, Misses: t.misses[i]}
		if t.accesses > 0 {
			ratio := min(t.misses[i]/float64(t.accesses), 1)
			c.MissRatio = &ratio
		}
		e.Caches = append(e.Caches, c)
	}
	return e
}
