package stack

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime"
)

// KeyedOptions of [NewKeyed]. The zero value is the default.
type KeyedOptions struct {
	Cores int // threads that count; 0: GOMAXPROCS, 1: all in the caller
}

// Keyed computes the distances of accesses to blocks that are named by any 64-bit keys and come with their sizes.
//
// It is [Dense]'s reduction to weighted inversions, made for keys. Entering a chunk finds the previous position of each access
// in a hash table (table.go) and deals the accesses by the top digit of it (positions.go); counting finishes the buckets, each by
// itself (count.go). With several cores the next chunk is entered beside the counting of the last one, and whoever is free takes
// the next bucket.
//
// Positions are renumbered before each chunk by rank among the live ones, from a bitmap that fits in cache: a pass over the table
// in order, where writing the new positions through a list of the live blocks would be a random access for each.
//
// Memory: about 25 bytes for each key, and 24 for each position of a chunk, whose length is chosen as twice the live keys (16 Ki to 8 Mi
// accesses), those twice with several cores: bounded by the live set, not by the trace. What cannot be allocated is an error.
//
// Cost: O(1) expected probes and O(log) / 8 steps an access; see docs/performance.md for rates.
type Keyed struct {
	mem    arena
	cores  int
	table  table
	pos    positions
	chunks [2]chunk
	turn   int    // of chunks: the last one entered
	or     uint64 // of all sizes
	common []uint64
	prev   [pushGroup]uint32
	work   []*scratch // by thread, 0 the caller
	tags   array[uint16]
	tagged bool
	failed error
}

const (
	minChunkKeyed = 1 << 16
	maxChunkKeyed = 1 << 23
)

// NewKeyed returns an engine that has seen nothing.
func NewKeyed(opt KeyedOptions) *Keyed {
	k := &Keyed{cores: opt.Cores}
	if k.cores <= 0 {
		k.cores = runtime.GOMAXPROCS(0)
	}
	k.table.mem = &k.mem
	for range k.cores {
		k.work = append(k.work, &scratch{tally: newTally()})
	}
	return k
}

// chunkLen is the number of accesses entered at a time.
func (k *Keyed) chunkLen() int {
	return min(max(2*k.table.used, minChunkKeyed), maxChunkKeyed)
}

// BatchLen is the length of batch that suits the engine now. It changes with the number of live keys.
// Any other length gives the same distances, more slowly.
func (k *Keyed) BatchLen() int {
	if k.cores > 1 {
		return 4 * k.chunkLen()
	}
	return k.chunkLen()
}

// Distances consumes the next accesses of the stream. sizes are in bytes, one for each key, or a single one that all keys have;
// up to 1<<40 each, and less than 1<<63 for all keys together. dist[i] becomes the sum of the sizes of the distinct other keys
// accessed since the last access to keys[i], or [Cold] if there was none; it is at least as long as keys. No slice is retained.
//
// A key that comes with another size than before is a [*SizeError]; what is in dist is then undefined, and the engine answers
// every later call with the same error.
func (k *Keyed) Distances(keys, sizes, dist []uint64) error {
	defer runtime.KeepAlive(k)
	if k.failed != nil {
		return k.failed
	}
	if err := k.distances(keys, sizes, dist); err != nil {
		k.failed = err
		return err
	}
	return nil
}

var errTooMany = errors.New("stack distances: more than 2^32 positions")

func (k *Keyed) distances(keys, sizes, dist []uint64) error {
	if len(sizes) != 1 && len(sizes) < len(keys) {
		return fmt.Errorf("stack distances: %d sizes for %d keys: want as many, or one", len(sizes), len(keys))
	}
	crew := newCrew(k.work)
	defer crew.end()
	for done := 0; done < len(keys); {
		n := min(k.chunkLen(), len(keys)-done)
		chunkSizes := sizes
		if len(sizes) != 1 {
			chunkSizes = sizes[done : done+n]
		}
		c, err := k.enter(keys[done:done+n], chunkSizes, dist[done:done+n])
		if err != nil {
			var size *SizeError
			if errors.As(err, &size) {
				size.Index += done
			}
			return err
		}
		if err := crew.count(c); err != nil {
			return err
		}
		done += n
	}
	return crew.finish()
}

// enter makes a chunk of accesses, ready to be counted.
func (k *Keyed) enter(keys, sizes, dist []uint64) (*chunk, error) {
	from := &k.chunks[k.turn]
	if k.cores > 1 {
		k.turn ^= 1
	}
	c := &k.chunks[k.turn]
	if k.table.used+len(keys) >= 1<<32-64 {
		return nil, errTooMany
	}
	old, err := k.pos.renumber(&k.mem, from, c, len(keys))
	if err != nil {
		return nil, err
	}
	k.mem.release(old)
	k.table.move(k.table.array.s, k.pos.words.s)
	if err := k.pos.reset(&k.mem, c.live+len(keys)); err != nil {
		return nil, err
	}
	if len(sizes) == 1 {
		k.or |= sizes[0]
	} else {
		for _, s := range sizes {
			k.or |= s
		}
	}
	c.shift = 0
	if k.or != 0 {
		c.shift = uint(bits.TrailingZeros64(k.or))
	}
	c.dist = dist
	for i := 0; i < len(keys); i += pushGroup {
		group := keys[i:min(i+pushGroup, len(keys))]
		prev := k.prev[:len(group)]
		groupSizes := k.sizes(sizes, i, len(group))
		if err := k.table.probe(group, groupSizes, uint32(c.n+1), prev); err != nil {
			var size *SizeError
			if errors.As(err, &size) {
				size.Index += i
			}
			return nil, err
		}
		c.push(k.pos.words.s, i, prev, groupSizes)
	}
	return c, nil
}

// sizes returns the sizes of n accesses from i on.
func (k *Keyed) sizes(sizes []uint64, i, n int) []uint64 {
	if len(sizes) != 1 {
		return sizes[i : i+n]
	}
	if len(k.common) < pushGroup {
		k.common = make([]uint64, pushGroup)
	}
	if k.common[0] != sizes[0] || k.common[pushGroup-1] != sizes[0] {
		for j := range k.common {
			k.common[j] = sizes[0]
		}
	}
	return k.common[:n]
}
