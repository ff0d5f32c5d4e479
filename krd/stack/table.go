package stack

import (
	"fmt"
	"math/bits"
	"unsafe"

	"krdlab/hw/failure"
)

// table finds the last access of each key: open addressing, four keys with their states to a cache
// line, so that all of a line are compared at once and the branch on the outcome is nearly always
// the same; a full line overflows into the next.
//
// The place of a key is its hash scaled to the length, not masked, so that the length need not be a
// power of two and a table that grows is copied in order, sequentially on both sides. Probing goes
// by groups: first the hashes, and a prefetch of the line of each, so that their cache misses
// overlap; then, while the lines of the next group are on their way, the comparisons.
//
// No key is ever removed. So a search ends at a line that is not full, and the states of a line
// fill from the first on.
//
// Rejected: linear probing over single entries, whose length cannot be predicted (2.5 times the
// time in cache).
type table struct {
	mem   *arena
	array array[line]
	used  int
	big   map[uint64]uint64 // sizes of keys whose size does not fit
	touch uint32            // keeps the loads of placesPortable from being optimised away
}

// line is a cache line of the table.
type line struct {
	keys   [4]uint64
	states [4]blockState
}

// Layout of line in the assembly (gen/probe.go).
var (
	_ [0]byte  = [unsafe.Offsetof(line{}.keys)]byte{}
	_ [32]byte = [unsafe.Offsetof(line{}.states)]byte{}
	_ [64]byte = [unsafe.Sizeof(line{})]byte{}
	_ [0]byte  = [unsafe.Offsetof(blockState{}.last)]byte{}
	_ [4]byte  = [unsafe.Offsetof(blockState{}.size)]byte{}
	_ [8]byte  = [unsafe.Sizeof(blockState{})]byte{}
)

const (
	bigSize    = 1<<32 - 1 // as a blockState's: it does not fit
	probeGroup = 32
	minLines   = 1 << 8
)

// hash mixes a key, after the multiply and fold of Wang Yi's wyhash (2019).
func hash(key uint64) uint64 {
	// the assembly has them too (gen/passes.go)
	hi, lo := bits.Mul64(key^0xa0761d6478bd642f, 0xe7037ed1a0b428db)
	return hi ^ lo
}

// A SizeError reports that a key came with another size than before.
type SizeError struct {
	Index     int // of the access in the batch
	Key       uint64
	Size, Was uint64 // bytes now and before
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("access %d of the batch to key %#x: size %d bytes, %d bytes before: a key "+
		"keeps its size", e.Index, e.Key, e.Size, e.Was)
}

// Class implements [failure.Classed].
func (*SizeError) Class() failure.Class { return failure.Data }

// probe finds the previous positions of accesses, 0 for new keys, and moves the keys to positions
// at, at+1, ...
func (t *table) probe(keys, sizes []uint64, at uint32, prev []uint32) *SizeError {
	t.reserve(len(keys))
	sizes, prev = sizes[:len(keys)], prev[:len(keys)]
	// of this group and of the next, whose lines are on their way meanwhile
	var places [2][probeGroup]uint32
	t.places(keys[:min(probeGroup, len(keys))], &places[0])
	for done := 0; done < len(keys); done += probeGroup {
		end := min(done+probeGroup, len(keys))
		turn := done / probeGroup & 1
		t.places(keys[end:min(end+probeGroup, len(keys))], &places[turn^1])
		for i := done; i < end; {
			i += t.hits(keys[i:end], sizes[i:end], places[turn][i-done:], at+uint32(i), prev[i:end])
			if i == end {
				break
			}
			st := t.find(keys[i], places[turn][i-done], sizes[i])
			if uint64(st.size) != sizes[i] || st.size == bigSize {
				if was := t.size(keys[i], st); was != sizes[i] {
					return &SizeError{Index: i, Key: keys[i], Size: sizes[i], Was: was}
				}
			}
			prev[i] = st.last
			st.last = at + uint32(i)
			i++
		}
	}
	return nil
}

// placesPortable finds the lines where the search for keys begins, and touches them.
func (t *table) placesPortable(keys []uint64, places *[probeGroup]uint32) {
	lines := t.array.s
	touch := t.touch
	for i, key := range keys {
		place, _ := bits.Mul64(hash(key), uint64(len(lines)))
		places[i&(probeGroup-1)] = uint32(place)
		touch ^= lines[place].states[0].last
	}
	t.touch = touch
}

// hitsPortable works like probe as long as keys are found in the first line and their sizes are as
// before; it returns how many were.
func (t *table) hitsPortable(keys, sizes []uint64, places []uint32, at uint32, prev []uint32) int {
	for i, key := range keys {
		l := &t.array.s[places[i]]
		j := 0
		for j < 3 && l.keys[j] != key {
			j++
		}
		st := &l.states[j]
		if l.keys[j] != key || st.last == 0 || uint64(st.size) != sizes[i] {
			return i
		}
		prev[i] = st.last
		st.last = at + uint32(i)
	}
	return len(keys)
}

// find returns the state of a key, made with the size given if it is new.
func (t *table) find(key uint64, place uint32, size uint64) *blockState {
	lines := t.array.s
	for {
		l := &lines[place]
		for j := range l.states {
			st := &l.states[j]
			if st.last == 0 {
				l.keys[j] = key
				st.size = uint32(min(size, bigSize))
				t.used++
				if size >= bigSize {
					if t.big == nil {
						t.big = map[uint64]uint64{}
					}
					t.big[key] = size
				}
				return st
			}
			if l.keys[j] == key {
				return st
			}
		}
		if place++; int(place) == len(lines) {
			place = 0
		}
	}
}

func (t *table) size(key uint64, st *blockState) uint64 {
	if st.size == bigSize {
		return t.big[key]
	}
	return uint64(st.size)
}

// reserve makes room for n more keys, so that no more than three quarters of the entries are in
// use.
func (t *table) reserve(n int) {
	need := t.used + n
	if need <= 3*len(t.array.s) {
		return
	}
	lines := t.array.s
	length := max(minLines, need/2)
	old := t.array.exactly(t.mem, length, length)
	for i := range lines {
		l := &lines[i]
		for j := range l.states {
			if st := &l.states[j]; st.last != 0 {
				t.move(l.keys[j], *st)
			}
		}
	}
	t.mem.release(old)
}

// move puts a key with its state into a table that does not have it.
func (t *table) move(key uint64, st blockState) {
	lines := t.array.s
	place, _ := bits.Mul64(hash(key), uint64(len(lines)))
	for {
		l := &lines[place]
		for j := range l.states {
			if l.states[j].last == 0 {
				l.keys[j], l.states[j] = key, st
				return
			}
		}
		if place++; int(place) == len(lines) {
			place = 0
		}
	}
}

// renumber translates the positions of all keys, which a filter may hold.
func (t *table) renumber(p *positions, h *held, live uint32) {
	if len(p.live.s) == 0 {
		return
	}
	for i := range t.array.s {
		states := t.array.s[i].states[:]
		if h != nil {
			h.translate(p, states, live)
		} else {
			p.translate(states)
		}
	}
}
