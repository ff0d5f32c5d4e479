package stack

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime"
)

// KeyedOptions of [NewKeyed]. The zero value is the default.
type KeyedOptions struct {
	Cores    int  // threads at work; 0: GOMAXPROCS, 1: the caller's alone
	Filtered bool // accesses come through a [Filter]
}

// Keyed computes the distances of accesses to blocks that are named by any 64-bit keys and come
// with their sizes.
//
// Entering a chunk finds the previous position of each access in a hash table (table.go) and deals
// the accesses by the top digit of it (positions.go); counting finishes the buckets, each by itself
// (count.go). With several cores the next chunk is entered beside the dealing and counting of the
// last one, and whoever is free takes the next bucket (crew.go).
//
// Positions are renumbered before each chunk by rank among the live ones, from a bitmap that fits
// in cache: a pass over the table in order, where writing the new positions through a list of the
// live blocks would be a random access for each.
//
// Memory: 22 to 32 bytes for each key and 24 for each position of a chunk; with several cores there
// are two chunks, with 16 bytes more for each access. Positions are the live keys and the accesses
// of the chunk, two or three times as many (64 Ki to 8 Mi). So it is bounded by the live set, not
// by the trace.
type Keyed struct {
	*machine
	table  table
	common []uint64      // a size that all keys have
	tags   array[uint32] // by position, from the first call that has tags
	tagged bool
	held   *held // what a filter holds; nil: there is none
	failed error
}

// NewKeyed returns an engine that has seen nothing.
func NewKeyed(opt KeyedOptions) *Keyed {
	cores := opt.Cores
	if cores <= 0 {
		cores = runtime.GOMAXPROCS(0)
	}
	k := &Keyed{machine: newMachine(cores)}
	k.table.mem = k.mem
	if opt.Filtered {
		k.held = &held{}
	}
	runtime.AddCleanup(k, (*machine).free, k.machine)
	return k
}

// Live returns the number of keys seen.
func (k *Keyed) Live() int { return k.table.used }

// BatchLen returns the length of batch that suits the engine now. It changes with the number of
// live keys. Any other length gives the same distances; much shorter ones more slowly, at a cost of
// a pass over the live keys each.
func (k *Keyed) BatchLen() int { return k.batchLen(k.table.used) }

// Distances consumes the next accesses of the stream. sizes are in bytes, one for each key, or a
// single one that all keys have; up to 1<<40 each, and less than 1<<63 for all keys together.
// dist[i] becomes the sum of the sizes of the distinct other keys accessed since the last access to
// keys[i], or [Cold] if there was none; it is at least as long as keys. No slice is retained.
//
// A key that comes with another size than before is a [*SizeError]; the contents of dist are then
// undefined, and the engine answers every later call with the same error.
func (k *Keyed) Distances(keys, sizes, dist []uint64) error {
	return k.DistancesTagged(keys, sizes, nil, dist, nil)
}

// DistancesFiltered works like [Keyed.Distances], for accesses that a [Filter] did not answer:
// slots has for each the slot whose datum it replaced there. All accesses of the stream come
// through the same filter.
//
// tags, if not nil, are those of the last accesses to the data replaced, and become the tags of the
// last accesses to keys[i], 0 for cold ones and those before there were tags: the same whether the
// filter had answered them or not.
func (k *Keyed) DistancesFiltered(keys, sizes []uint64, slots []uint8, tags []uint32,
	dist []uint64) error {
	if k.held == nil || len(slots) < len(keys) {
		return fmt.Errorf("stack distances: %d keys with %d slots of a filter, want as many, and "+
			"an engine that is behind one", len(keys), len(slots))
	}
	return k.distances(entrance{keys: keys, sizes: sizes, dist: dist, slots: slots,
		tags: tags, prev: tags})
}

// DistancesTagged works like [Keyed.Distances], for accesses that carry a tag, such as the number
// of their worker: prev[i] becomes the tag of the previous access to keys[i], 0 if there was none.
// Accesses entered by Distances have the tag 0. Tags cost four bytes a position and a probe an
// access, from the first call that has them. prev may be tags.
func (k *Keyed) DistancesTagged(keys, sizes []uint64, tags []uint32, dist []uint64,
	prev []uint32) error {
	if k.held != nil {
		return errors.New("stack distances: the engine is behind a filter, want slots")
	}
	return k.distances(entrance{keys: keys, sizes: sizes, dist: dist, tags: tags, prev: prev})
}

func (k *Keyed) distances(all entrance) error {
	if k.failed != nil {
		return k.failed
	}
	n := len(all.keys)
	if (len(all.sizes) != 1 && len(all.sizes) < n) || len(all.dist) < n ||
		(all.tags != nil && (len(all.tags) < n || len(all.prev) < n)) {
		return fmt.Errorf("stack distances: %d keys with %d sizes, %d distances, %d tags, %d "+
			"previous tags: want as many, or one size",
			n, len(all.sizes), len(all.dist), len(all.tags), len(all.prev))
	}
	crew := newCrew(k.work)
	defer runtime.KeepAlive(k) // last: its memory is freed when it is unreachable
	defer crew.end()
	for done := 0; done < n; {
		to := done + k.next(k.table.used, n-done)
		c, err := k.enter(all.part(done, to))
		if err != nil {
			var size *SizeError
			if errors.As(err, &size) {
				size.Index += done
			}
			k.failed = err
			return err
		}
		crew.count(c)
		done = to
	}
	return nil
}

// entrance is the accesses that enter in one chunk.
type entrance struct {
	keys, sizes, dist []uint64
	tags, prev        []uint32 // nil: no tags
	slots             []uint8  // nil: no filter
}

// part returns the accesses from..to-1 of those that enter.
func (e entrance) part(from, to int) entrance {
	p := entrance{keys: e.keys[from:to], sizes: e.sizes, dist: e.dist[from:to]}
	if len(e.sizes) != 1 {
		p.sizes = e.sizes[from:to]
	}
	if e.tags != nil {
		p.tags, p.prev = e.tags[from:to], e.prev[from:to]
	}
	if e.slots != nil {
		p.slots = e.slots[from:to]
	}
	return p
}

// enter makes a chunk of accesses, ready to be counted.
func (k *Keyed) enter(e entrance) (*chunk, error) {
	n := len(e.keys)
	if k.table.used+n+FilterSlots > maxPositions {
		return nil, fmt.Errorf("stack distances: %d live keys: want at most %d", k.table.used,
			maxPositions-n-FilterSlots)
	}
	held := 0
	if k.held != nil {
		held = FilterSlots
		k.held.settle()
	}
	c := k.begin(n, held)
	k.table.renumber(&k.pos, k.held, uint32(c.live))
	if k.tagged || e.tags != nil {
		k.moveTags(c.live, held+n)
	}
	k.start(c, e.sizes, e.dist)
	if k.held != nil {
		k.held.begin(k.mem, &k.pos, c, n)
	}
	for i := 0; i < n; i += pushGroup {
		to := min(i+pushGroup, n)
		prev := k.prev[:to-i]
		var sizes []uint64
		if len(e.sizes) == 1 {
			sizes = k.same(e.sizes[0], to-i)
		} else {
			sizes = e.sizes[i:to]
		}
		at := c.n + 1
		if err := k.table.probe(e.keys[i:to], sizes, uint32(at), prev); err != nil {
			err.Index += i
			return nil, err
		}
		if k.held != nil { // turns prev into where data lay
			k.held.enter(uint32(at), prev, sizes, e.slots[i:to], k.left[:len(prev)], &k.pos)
		}
		if k.tagged {
			tags := k.tags.s
			for j, p := range prev {
				var tag uint32
				if e.tags != nil {
					tag = e.tags[i+j]
					e.prev[i+j] = tags[p]
				}
				tags[at+j] = tag
			}
		}
		c.push(k.pos.live.s, i, prev, sizes)
		if k.held != nil {
			c.weigh(at, sizes, k.left[:len(prev)])
		}
	}
	return c, nil
}

// maxPositions is how many positions have numbers, those of the last word of the bitmap being
// rounded up.
const maxPositions = 1<<32 - 1<<tallyBits

// moveTags gives the tags of the live positions their new numbers, before start.
func (k *Keyed) moveTags(live, n int) {
	from := k.tags.s
	old := k.tags.room(k.mem, live+n+1)
	to := k.tags.s
	if k.tagged {
		next := 1
		for i, word := range k.pos.live.s {
			for ; word != 0; word &= word - 1 {
				to[next] = from[i<<6+bits.TrailingZeros64(word)]
				next++
			}
		}
	}
	to[0] = 0
	k.tagged = true
	k.mem.release(old)
}

// same returns n times the same size.
func (k *Keyed) same(size uint64, n int) []uint64 {
	if k.common == nil || k.common[0] != size {
		k.common = make([]uint64, pushGroup)
		for i := range k.common {
			k.common[i] = size
		}
	}
	return k.common[:n]
}
