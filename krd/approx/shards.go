package approx

import (
	"container/heap"
	"fmt"
	"math"

	"krdlab/hw/failure"
	"krdlab/krd/stack"
)

var (
	// ErrOption is wrapped by the error of options that make no sense.
	ErrOption = failure.New(failure.Request, "invalid option")
	// ErrSize is wrapped by [SizeError].
	ErrSize = failure.New(failure.Data, "block changed its size")
)

// A SizeError is a sampled block that came back with another size. Blocks that are not sampled are
// not looked at.
type SizeError struct {
	Access   uint64 // number of the access, from 0
	Key      uint64
	Was, Now uint64 // bytes
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("approx: access %d: %v: key %#x had %d bytes, now %d", e.Access, ErrSize,
		e.Key, e.Was, e.Now)
}

// Class implements [failure.Classed].
func (*SizeError) Class() failure.Class { return failure.Data }

// Unwrap returns ErrSize.
func (e *SizeError) Unwrap() error { return ErrSize }

// Options of [NewShards].
type Options struct {
	// Rate is the share of the blocks that are followed, above 0 and at most 1. With MaxKeys it is
	// the rate to begin with, and 0 is 1.
	Rate float64
	// MaxKeys bounds the number of blocks followed at a time; the rate falls as more are seen. 0:
	// no bound, the rate is fixed.
	MaxKeys int
	// Seed chooses which blocks are sampled. The same seed on the same stream gives the same result
	// on every computer.
	Seed uint64
	// Caches are the sizes in bytes of fully associative LRU caches whose misses are estimated,
	// each access compared with each size and not taken from bins.
	Caches []uint64
	// Each, if not nil, is given every sampled access: its estimated distance in bytes or
	// [stack.Cold], the size of its block, and for how many accesses it stands. The weights add up
	// to about the number of accesses; see [Estimate.Adjusted].
	Each func(distance, bytes uint64, weight float64)
}

// Shards estimates a histogram of byte-weighted reuse distances from a sample of the blocks, chosen
// by a hash of their name, so that each access to a chosen block is seen and every other one costs
// a hash (Waldspurger, Park, Garthwaite and Ahmad, Efficient MRC construction with SHARDS, FAST
// 2015).
//
// A block is followed if its 64-bit hash is at most a threshold; the rate R is the share of the
// hashes that are. With the distance D_s among the followed blocks, D_s/R estimates the distance,
// without bias over the seeds: each other block is counted with probability R and weighs 1/R. An
// access stands for 1/R accesses at the rate of its moment. With a bound on the number of blocks, a
// new one that exceeds it drives out the one with the largest hash, and the threshold falls below
// that; earlier counts keep their weight, which equals the paper's rescaling of its histogram. The
// access itself is taken at the new rate, so that at all times the sample is that of the k smallest
// hashes.
//
// Departures from the paper: 64-bit thresholds instead of 24 bits; sizes are bytes, an access hits
// a cache of C bytes if D_s/R + its own size, which is known and not scaled, is at most C.
//
// Memory: in proportion to the blocks followed, about 100 bytes each; none for others. One
// goroutine at a time.
type Shards struct {
	opt    Options
	mix    mixer
	limit  uint64  // hashes up to it are followed
	weight float64 // 1/R at this limit

	engine *stack.Online
	units  *table
	bytes  []uint64 // by unit
	top    byHash   // with MaxKeys: the units followed, largest hash first
	free   []uint32 // units that nobody has
	hashes []uint64 // by unit

	at    []uint32 // of the batch: what the filter let pass
	tally tally
}

const batch = 1 << 11 // accesses filtered at a time: their numbers stay in the first-level cache

// NewShards returns a sampler that has seen nothing. Errors wrap [ErrOption].
func NewShards(opt Options) (*Shards, error) {
	if opt.Rate == 0 && opt.MaxKeys > 0 {
		opt.Rate = 1
	}
	if !(opt.Rate > 0 && opt.Rate <= 1) {
		return nil, fmt.Errorf("approx: %w: sampling rate %v, expected above 0 and at most 1",
			ErrOption, opt.Rate)
	}
	if opt.MaxKeys < 0 || opt.MaxKeys >= math.MaxInt32 {
		return nil, fmt.Errorf("approx: %w: bound of %d keys, expected 1 to 2^31-2, or 0 for none",
			ErrOption, opt.MaxKeys)
	}
	s := &Shards{opt: opt, mix: newMixer(opt.Seed), engine: stack.NewOnline(), units: newTable(),
		at: make([]uint32, batch)}
	s.setLimit(math.MaxUint64)
	if opt.Rate < 1 {
		s.setLimit(uint64(max(opt.Rate*(1<<64), 1)) - 1)
	}
	s.tally.misses = make([]float64, len(opt.Caches))
	return s, nil
}

func (s *Shards) setLimit(limit uint64) {
	s.limit = limit
	s.weight = 1 / s.rate()
}

func (s *Shards) rate() float64 { return (float64(s.limit) + 1) / (1 << 64) }

// Keys takes the next accesses of the stream, to blocks with any 64-bit names. sizes holds the size
// in bytes of each access's block, or one size for all. A block keeps its size: the error is a
// *[SizeError], and what came before it is counted. The slices are not retained. len(sizes) must be
// len(keys) or 1.
//
// Cost: about 1 ns an access and 50 to 100 ns a sampled one.
func (s *Shards) Keys(keys, sizes []uint64) error {
	if len(sizes) != 1 && len(sizes) != len(keys) {
		panic(fmt.Sprintf("approx: %d sizes for %d accesses, expected as many or 1", len(sizes),
			len(keys)))
	}
	for len(keys) > 0 {
		n := min(len(keys), batch)
		chosen := s.at[:filter(keys[:n], s.mix, s.limit, s.at[:n])]
		for _, i := range chosen {
			size := sizes[0]
			if len(sizes) > 1 {
				size = sizes[i]
			}
			if err := s.sampled(keys[i], size); err != nil {
				err.Access += s.tally.accesses + uint64(i)
				s.tally.accesses += uint64(i)
				return err
			}
		}
		s.tally.accesses += uint64(n)
		keys = keys[n:]
		if len(sizes) > 1 {
			sizes = sizes[n:]
		}
	}
	return nil
}

// sampled counts an access that the filter let pass.
func (s *Shards) sampled(key, bytes uint64) *SizeError {
	hash := s.mix.hash(key)
	if hash > s.limit {
		return nil // the threshold fell since the batch was filtered
	}
	e := s.units.slot(hash)
	if e.unit == 0 {
		if s.admit(e, hash, bytes) {
			s.count(stack.Cold, bytes)
		}
		return nil
	}
	unit := e.unit - 1
	if was := s.bytes[unit]; was != bytes {
		return &SizeError{Key: key, Was: was, Now: bytes}
	}
	s.count(s.scale(s.engine.Access(unit, bytes)), bytes)
	return nil
}

// scale turns a distance among the followed blocks into an estimate of the distance.
func (s *Shards) scale(distance uint64) uint64 {
	if s.limit == math.MaxUint64 {
		return distance
	}
	d := math.Round(float64(distance) * s.weight)
	if d >= 1<<63 {
		return 1 << 63
	}
	return uint64(d)
}

// admit makes room for a new block, at e of the table, if it is to be followed.
func (s *Shards) admit(e *entry, hash, bytes uint64) bool {
	if s.opt.MaxKeys > 0 && s.units.n == s.opt.MaxKeys {
		if s.hashes[s.top.units[0]] < hash {
			s.setLimit(hash - 1)
			return false
		}
		out := heap.Pop(&s.top).(uint32)
		s.setLimit(s.hashes[out] - 1)
		s.engine.Forget(out)
		s.units.remove(s.hashes[out])
		s.free = append(s.free, out)
		e = s.units.slot(hash) // removing moves entries
	}
	unit := uint32(len(s.bytes))
	if n := len(s.free); n > 0 {
		unit, s.free = s.free[n-1], s.free[:n-1]
		s.bytes[unit], s.hashes[unit] = bytes, hash
	} else {
		s.bytes, s.hashes = append(s.bytes, bytes), append(s.hashes, hash)
	}
	s.units.put(e, hash, unit)
	s.engine.Access(unit, bytes)
	if s.opt.MaxKeys > 0 {
		s.top.hashes = s.hashes
		heap.Push(&s.top, unit)
	}
	return true
}

func (s *Shards) count(distance, bytes uint64) {
	s.tally.count(distance, bytes, s.weight, s.opt.Caches)
	if s.opt.Each != nil {
		s.opt.Each(distance, bytes, s.weight)
	}
}

// byHash is a heap of units, the one with the largest hash first.
type byHash struct {
	units  []uint32
	hashes []uint64 // by unit
}

func (h *byHash) Len() int           { return len(h.units) }
func (h *byHash) Less(i, j int) bool { return h.hashes[h.units[i]] > h.hashes[h.units[j]] }
func (h *byHash) Swap(i, j int)      { h.units[i], h.units[j] = h.units[j], h.units[i] }
func (h *byHash) Push(x any)         { h.units = append(h.units, x.(uint32)) }
func (h *byHash) Pop() any {
	last := h.units[len(h.units)-1]
	h.units = h.units[:len(h.units)-1]
	return last
}
