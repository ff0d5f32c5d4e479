package stack

import (
	"fmt"
	"math/bits"
)

// table finds the last access of each key: open addressing with linear probing, 16 bytes an entry, four to a cache line.
//
// The place of a key is its hash scaled to the length, not masked, so that the length need not be a power of two and a table that
// grows is copied in order, sequentially on both sides. Probing goes by groups: first the hashes, and a load from the line of each,
// which do not depend on each other and so overlap their cache misses; then the comparisons, in cache, whose branches are not
// predictable and would end the overlap.
type table struct {
	mem   *arena
	array array[entry]
	used  int
	big   map[uint64]uint64 // sizes of keys whose size does not fit
	touch uint32            // keeps the first loads from being optimised away
}

type entry struct {
	key  uint64
	last uint32 // position of the last access, 0: no key
	size uint32 // in bytes; bigSize: in the map
}

const (
	bigSize    = 1<<32 - 1
	probeGroup = 32
	minTable   = 1 << 10
)

// hash mixes a key, after the multiply and fold of Wang Yi's wyhash (2019).
func hash(key uint64) uint64 {
	hi, lo := bits.Mul64(key^0xa0761d6478bd642f, 0xe7037ed1a0b428db)
	return hi ^ lo
}

// A SizeError says that a key came with another size than before.
type SizeError struct {
	Index     int // of the access in the batch
	Key       uint64
	Size, Was uint64 // bytes now and before
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("access %d of the batch to key %#x: size %d bytes, %d bytes before: a key keeps its size", e.Index, e.Key, e.Size, e.Was)
}

// probe finds the previous positions of accesses, 0 for new keys, and moves the keys to positions at, at+1, ...
func (t *table) probe(keys, sizes []uint64, at uint32, prev []uint32) *SizeError {
	sizes, prev = sizes[:len(keys)], prev[:len(keys)]
	for done := 0; done < len(keys); done += probeGroup {
		n := min(probeGroup, len(keys)-done)
		t.reserve(n)
		if err := t.group(keys[done:done+n], sizes[done:done+n], at+uint32(done), prev[done:done+n]); err != nil {
			err.Index += done
			return err
		}
	}
	return nil
}

func (t *table) group(keys, sizes []uint64, at uint32, prev []uint32) *SizeError {
	var places [probeGroup]int
	entries := t.array.s
	touch := t.touch
	for i, key := range keys {
		place, _ := bits.Mul64(hash(key), uint64(len(entries)))
		places[i&(probeGroup-1)] = int(place)
		touch ^= entries[place].last
	}
	t.touch = touch
	sizes, prev = sizes[:len(keys)], prev[:len(keys)]
	for i, key := range keys {
		size := sizes[i]
		e := &entries[places[i&(probeGroup-1)]]
		if e.key != key || e.last == 0 {
			e = t.find(key, places[i&(probeGroup-1)])
			if e.last == 0 {
				*e = entry{key: key, size: uint32(min(size, bigSize))}
				t.used++
				if size >= bigSize {
					if t.big == nil {
						t.big = map[uint64]uint64{}
					}
					t.big[key] = size
				}
			}
		}
		if uint64(e.size) != size {
			if was := t.size(e); was != size {
				return &SizeError{Index: i, Key: key, Size: size, Was: was}
			}
		}
		prev[i] = e.last
		e.last = at + uint32(i)
	}
	return nil
}

// find returns the entry of the key or the empty one where it belongs.
func (t *table) find(key uint64, place int) *entry {
	entries := t.array.s
	for {
		e := &entries[place]
		if e.last == 0 || e.key == key {
			return e
		}
		if place++; place == len(entries) {
			place = 0
		}
	}
}

func (t *table) size(e *entry) uint64 {
	if e.size == bigSize {
		return t.big[e.key]
	}
	return uint64(e.size)
}

// reserve makes room for n more keys, so that no more than four fifths of the entries are in use.
func (t *table) reserve(n int) {
	need := t.used + n
	if need <= len(t.array.s)/5*4 {
		return
	}
	entries := t.array.s
	t.array.s = nil
	old := t.array.room(t.mem, max(minTable, need*2))
	t.array.s = t.array.s[:cap(t.array.s)] // fresh, so all zero
	for i := range entries {
		if e := &entries[i]; e.last != 0 {
			place, _ := bits.Mul64(hash(e.key), uint64(len(t.array.s)))
			*t.find(e.key, int(place)) = *e
		}
	}
	t.mem.release(old)
}

// move translates the positions of all entries.
func (t *table) move(p *positions) {
	live, before := p.live.s, p.before.s
	if len(live) == 0 {
		return
	}
	before = before[:len(live)]
	entries := t.array.s
	for i := range entries { // rank among the live
		e := &entries[i]
		w := e.last >> 6
		e.last = before[w] + uint32(bits.OnesCount64(live[w]<<(^e.last&63)))
	}
}
