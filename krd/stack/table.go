package stack

import (
	"fmt"
	"math/bits"
)

// table finds the last access of each key: open addressing with linear probing, 16 bytes an entry, four to a cache line.
//
// The place of a key is its hash scaled to the length, not masked, so that the length need not be a power of two and a table that
// grows is copied in order, sequentially on both sides. Probing goes by groups: first the hashes, and a prefetch of the line of
// each, so that their cache misses overlap; then, while the lines of the next group are on their way, the comparisons, whose branches
// are not predictable and would end the overlap.
type table struct {
	mem   *arena
	array array[entry]
	used  int
	big   map[uint64]uint64 // sizes of keys whose size does not fit
	touch uint32            // keeps the loads of placesPortable from being optimised away
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
	hi, lo := bits.Mul64(key^0xa0761d6478bd642f, 0xe7037ed1a0b428db) // the assembly has them too (gen/passes.go)
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
	t.reserve(len(keys))
	sizes, prev = sizes[:len(keys)], prev[:len(keys)]
	var places [2][probeGroup]uint32 // of this group and of the next, whose lines are on their way meanwhile
	t.places(keys[:min(probeGroup, len(keys))], &places[0])
	for done := 0; done < len(keys); done += probeGroup {
		end := min(done+probeGroup, len(keys))
		turn := done / probeGroup & 1
		t.places(keys[end:min(end+probeGroup, len(keys))], &places[turn^1])
		if err := t.group(keys[done:end], sizes[done:end], at+uint32(done), prev[done:end], &places[turn]); err != nil {
			err.Index += done
			return err
		}
	}
	return nil
}

// placesPortable finds where the search for keys begins, and touches the entries.
func (t *table) placesPortable(keys []uint64, places *[probeGroup]uint32) {
	entries := t.array.s
	touch := t.touch
	for i, key := range keys {
		place, _ := bits.Mul64(hash(key), uint64(len(entries)))
		places[i&(probeGroup-1)] = uint32(place)
		touch ^= entries[place].last
	}
	t.touch = touch
}

func (t *table) group(keys, sizes []uint64, at uint32, prev []uint32, places *[probeGroup]uint32) *SizeError {
	entries := t.array.s
	sizes, prev = sizes[:len(keys)], prev[:len(keys)]
	for i, key := range keys {
		size := sizes[i]
		place := places[i&(probeGroup-1)]
		e := &entries[place]
		if e.key != key || e.last == 0 {
			e = t.find(key, int(place))
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
