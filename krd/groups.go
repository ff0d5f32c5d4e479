package krd

import (
	"fmt"
	"iter"
	"math/bits"

	"krdlab/krd/stack"
)

// A GroupHistogram is the distances of the accesses that a [Stream] counted under one group.
// Accesses = Cold + the sum of the bins.
type GroupHistogram struct {
	Group    uint32 `json:"group"`
	Accesses uint64 `json:"accesses"`
	Cold     uint64 `json:"cold"`  // first accesses: distance INF
	Bytes    uint64 `json:"bytes"` // of all accesses
	Bins     []Bin  `json:"bins"`  // those of [Histogram] that are not empty, ascending
}

// groupTable counts accesses by group and bin. Most groups touch few bins: a group has counters for
// those alone, in a row of a pool, by its mask. Memory: 24 bytes a group, and for each up to four
// times the 8 bytes of its bins.
type groupTable struct {
	list []groupCounts
	pool []uint64
}

type groupCounts struct {
	mask  uint64 // bit k: bin k has a counter
	bytes uint64
	at    uint32 // of its counters in the pool
	room  uint8
}

const (
	coldBin   = 63 // finite distances are less than maxTotal, and their bins less than this
	maxGroups = 1 << 26
)

// groupBin returns the bin of a distance.
func groupBin(d uint64) uint {
	if d == stack.Cold {
		return coldBin
	}
	return uint(bits.Len64(d))
}

// groupBin returns the bin of a distance of an access to size bytes.
func (t *tally) groupBin(d, size uint64) uint {
	if t.inclusive {
		d = needs(d, size)
	}
	return groupBin(d)
}

// merge adds the counts of other.
func (t *groupTable) merge(other *groupTable) {
	for n := range other.list {
		g := &other.list[n]
		row := other.pool[g.at:]
		for mask := g.mask; mask != 0; mask &= mask - 1 {
			t.add(uint32(n), uint(bits.TrailingZeros64(mask)), 0, row[0])
			row = row[1:]
		}
		t.list[n].bytes += g.bytes
	}
}

// add counts n accesses to size bytes.
func (t *groupTable) add(group uint32, bin uint, size, n uint64) {
	g := &t.list[group]
	bit := uint64(1) << (bin & 63)
	if g.mask&bit == 0 {
		t.grow(g, bit)
	}
	g.bytes += n * size
	t.pool[int(g.at)+bits.OnesCount64(g.mask&(bit-1))] += n
}

// grow gives a group a counter for one more bin.
func (t *groupTable) grow(g *groupCounts, bit uint64) {
	used, before := bits.OnesCount64(g.mask), bits.OnesCount64(g.mask&(bit-1))
	if used == int(g.room) {
		old := t.pool[g.at:][:used]
		g.at, g.room = uint32(len(t.pool)), max(2, 2*g.room)
		t.pool = append(append(t.pool, old...), make([]uint64, int(g.room)-used)...)
	}
	row := t.pool[g.at:][:used+1]
	copy(row[before+1:], row[before:])
	row[before] = 0
	g.mask |= bit
}

// reserve makes room for the groups.
func (t *groupTable) reserve(groups []uint32) error {
	var most uint32
	for _, g := range groups {
		most = max(most, g)
	}
	if len(groups) == 0 || int(most) < len(t.list) {
		return nil
	}
	if most >= maxGroups {
		return fmt.Errorf("krd: %w: group %d, expected less than %d", ErrOption, most, maxGroups)
	}
	t.list = append(t.list, make([]groupCounts, int(most)+1-len(t.list))...)
	return nil
}

// all lists the groups that were seen, ascending.
func (t *groupTable) all() iter.Seq[GroupHistogram] {
	return func(yield func(GroupHistogram) bool) {
		for n := range t.list {
			g := &t.list[n]
			if g.mask == 0 {
				continue
			}
			h := GroupHistogram{Group: uint32(n), Bytes: g.bytes}
			row := t.pool[g.at:]
			for mask := g.mask; mask != 0; mask &= mask - 1 {
				k, count := bits.TrailingZeros64(mask), row[0]
				row = row[1:]
				h.Accesses += count
				if k == coldBin {
					h.Cold = count
				} else {
					h.Bins = append(h.Bins, binOf(k, count))
				}
			}
			if !yield(h) {
				return
			}
		}
	}
}
