package atoms

import (
	"fmt"

	"krdlab/loi"
)

// A Cutter collects the shapes of all accesses, in any order, and cuts them into atoms. The zero
// value is empty. It is used by one goroutine.
type Cutter struct {
	// Ordered: no shape has bytes of another atom between those of one, in ascending order. An
	// access that touches its bytes in this order touches atom after atom, in the order of
	// [Map.Append]. See the package.
	Ordered bool

	shapes table
	rows   uint64 // of the distinct shapes
}

// maxRows bounds the rows of all distinct shapes, so that atoms (at most two a row) have 32-bit
// numbers.
const maxRows = loi.MaxRows

// Add takes note of a shape of an object, whose number is at least 0. A shape that no access can
// have is a *[ShapeError]; more than 2^31-1 rows of distinct shapes wrap [ErrTooMany]. Cost: one
// hash probe.
func (c *Cutter) Add(object int, s Shape) error {
	if err := s.Check(object); err != nil {
		return err
	}
	s = s.canonical()
	if c.rows+uint64(s.Rows) > maxRows {
		if _, known := c.shapes.find(uint32(object), s); known {
			return nil
		}
		return fmt.Errorf("atoms: object %d: %d rows of distinct shapes and %d more, at most %d "+
			"expected: %w", object, c.rows, s.Rows, maxRows, ErrTooMany)
	}
	if c.shapes.add(uint32(object), s) {
		c.rows += uint64(s.Rows)
	}
	return nil
}

// Atoms cuts the shapes and leaves the cutter empty. An error wraps [ErrTooMany]: sets of
// overlapping shapes beyond 2^31 nodes, which take some 50 GB. For the cost see the package.
func (c *Cutter) Atoms() (*Map, error) {
	m := &Map{shapes: c.shapes}
	ordered := c.Ordered
	*c = Cutter{Ordered: ordered}
	if err := cut(m, ordered); err != nil {
		return nil, err
	}
	return m, nil
}

// table numbers distinct canonical shapes of objects from 0: open addressing with linear probing,
// at most 3/4 full.
type table struct {
	entries []entry
	slots   []uint64 // number of the entry plus 1, and the high half of its hash above it; 0: free
}

type entry struct {
	offset, bytes, stride uint64
	rows, object          uint32
}

func (e *entry) is(object uint32, s Shape) bool {
	return e.offset == s.Offset && e.bytes == s.Bytes && e.stride == s.Stride && e.rows == s.Rows &&
		e.object == object
}

// hash mixes all of a shape; the multiplier and the finisher are those of splitmix64 (Steele, Lea
// and Flood, OOPSLA 2014).
func hash(object uint32, s Shape) uint64 {
	const odd = 0x9e3779b97f4a7c15
	h := s.Offset*odd ^ uint64(object)
	h = (h ^ h>>32) * odd
	h ^= s.Bytes ^ uint64(s.Rows)<<40
	h = (h ^ h>>29) * odd
	h ^= s.Stride
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// find returns the number of a shape.
func (t *table) find(object uint32, s Shape) (int, bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	h := hash(object, s)
	_, i := t.probe(h, object, s)
	return i, i >= 0
}

// probe returns the slot of a shape and its number, or the free slot where it belongs and -1.
func (t *table) probe(h uint64, object uint32, s Shape) (slot, number int) {
	mask := len(t.slots) - 1
	tag := h &^ (1<<32 - 1)
	for i := int(h) & mask; ; i = (i + 1) & mask {
		v := t.slots[i]
		if v == 0 {
			return i, -1
		}
		if v&^(1<<32-1) == tag {
			if n := int(uint32(v)) - 1; t.entries[n].is(object, s) {
				return i, n
			}
		}
	}
}

// add makes sure that a shape is there and reports whether it is new.
func (t *table) add(object uint32, s Shape) bool {
	if 4*len(t.entries) >= 3*len(t.slots) {
		t.grow()
	}
	h := hash(object, s)
	slot, n := t.probe(h, object, s)
	if n >= 0 {
		return false
	}
	t.entries = append(t.entries, entry{offset: s.Offset, bytes: s.Bytes, stride: s.Stride,
		rows: s.Rows, object: object})
	t.slots[slot] = h&^(1<<32-1) | uint64(len(t.entries))
	return true
}

func (t *table) grow() {
	t.slots = make([]uint64, max(64, 2*len(t.slots)))
	mask := len(t.slots) - 1
	for n := range t.entries {
		e := &t.entries[n]
		h := hash(e.object, Shape{Offset: e.offset, Bytes: e.bytes, Stride: e.stride, Rows: e.rows})
		i := int(h) & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = h&^(1<<32-1) | uint64(n+1)
	}
}
