package atoms

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// sweep goes over the addresses of the objects, one after the other, from row boundary to row
// boundary.
//
// A shape is under way from its first byte to its last; a cluster is the time until none is. Sets
// with a shape that has ended cannot come again, and are forgotten.
type sweep struct {
	m     *Map
	order []start // the shapes in the order in which they begin
	next  int     // the first of them that has not begun
	base  int     // the first of the cluster: sets hold numbers from there

	heap    []boundary
	cursors []cursor // of shapes under way
	free    []uint32 // cursors that are not

	sets sets
	here set // the shapes that cover the place
	// by number in the cluster: the atom that this shape alone covers, plus 1; or over
	alone []uint32

	ordered bool
	// if ordered, by number in the cluster: the atom of the last bytes of the shape so far, plus 1
	last    []uint32
	members []uint32 // of a set
}

// over marks a shape that has ended: sets with it cannot come again.
const over = math.MaxUint32

type start struct {
	offset         uint64
	object, number uint32
}

// A boundary is the next beginning or end of a row of a shape under way: twice its address, plus 1
// if it is a beginning, so that rows end before others begin, and sets stay small.
type boundary struct {
	key    uint64
	cursor uint32
}

// A cursor is a shape under way.
type cursor struct {
	order uint32 // its place in sweep.order
	left  uint32 // rows that have not ended
	from  uint32 // number of atoms when the present row began
	runs  []span // of atoms so far
}

// cut fills in the atoms of the shapes of m.
func cut(m *Map, ordered bool) error {
	w := newSweep(m)
	w.ordered = ordered
	for w.next < len(w.order) {
		if err := w.cluster(); err != nil {
			return err
		}
	}
	m.bytes = slices.Clip(m.bytes)
	m.runs = slices.Clip(m.runs)
	return nil
}

func newSweep(m *Map) *sweep {
	w := &sweep{m: m, order: make([]start, len(m.shapes.entries))}
	for n := range m.shapes.entries {
		e := &m.shapes.entries[n]
		w.order[n] = start{e.offset, e.object, uint32(n)}
	}
	slices.SortFunc(w.order, func(a, b start) int {
		if c := cmp.Compare(a.object, b.object); c != 0 {
			return c
		}
		if c := cmp.Compare(a.offset, b.offset); c != 0 {
			return c
		}
		return cmp.Compare(a.number, b.number)
	})
	m.spans = make([]span, len(w.order))
	w.sets.most = maxNodes
	return w
}

// cluster sweeps from the beginning of the next shape to where none is under way.
func (w *sweep) cluster() error {
	w.base = w.next
	w.sets.reset()
	w.alone, w.last = w.alone[:0], w.last[:0]
	object, place := w.order[w.next].object, w.order[w.next].offset
	if k := len(w.m.starts); k == 0 || w.m.starts[k-1].object != object {
		w.m.starts = append(w.m.starts, objectStart{object: object, first: uint32(len(w.m.bytes))})
	}
	for {
		for len(w.heap) > 0 && w.heap[0].key>>1 == place && !w.sets.full() {
			w.boundary()
		}
		if len(w.heap) == 0 && w.next > w.base {
			return nil
		}
		for w.next < len(w.order) && w.order[w.next].offset == place &&
			w.order[w.next].object == object && !w.sets.full() {
			w.begin()
		}
		if w.sets.crowded() {
			w.here = w.sets.collect(w.here, func(n uint32) bool { return w.alone[n] == over })
		}
		if w.sets.full() {
			return fmt.Errorf("atoms: object %d: the sets of shapes that overlap at offset %d "+
				"and before have more than %d nodes: %w", object, place, w.sets.most, ErrTooMany)
		}
		to := w.heap[0].key >> 1
		if w.next < len(w.order) && w.order[w.next].object == object {
			to = min(to, w.order[w.next].offset)
		}
		if w.here != 0 {
			w.interval(to - place)
		}
		place = to
	}
}

// begin starts the next shape, with its first row.
func (w *sweep) begin() {
	e := &w.m.shapes.entries[w.order[w.next].number]
	var c uint32
	if n := len(w.free); n > 0 {
		c, w.free = w.free[n-1], w.free[:n-1]
	} else {
		c = uint32(len(w.cursors))
		w.cursors = append(w.cursors, cursor{})
	}
	at := &w.cursors[c]
	at.order, at.left, at.from, at.runs = uint32(w.next), e.rows, uint32(len(w.m.bytes)),
		at.runs[:0]
	w.here = w.sets.toggle(w.here, uint32(w.next-w.base))
	w.alone = append(w.alone, 0)
	if w.ordered {
		w.last = append(w.last, 0)
	}
	w.push(boundary{key: (e.offset + e.bytes) << 1, cursor: c})
	w.next++
}

// boundary handles the beginning or the end of a row at the top of the heap.
func (w *sweep) boundary() {
	top := w.heap[0]
	at := &w.cursors[top.cursor]
	n := w.order[at.order].number
	e := &w.m.shapes.entries[n]
	w.here = w.sets.toggle(w.here, at.order-uint32(w.base))
	atoms := uint32(len(w.m.bytes))
	if top.key&1 != 0 {
		at.from = atoms
		w.replace(boundary{key: top.key - 1 + e.bytes<<1, cursor: top.cursor})
		return
	}
	if atoms > at.from {
		if k := len(at.runs) - 1; k >= 0 && at.runs[k].first+at.runs[k].n == at.from {
			at.runs[k].n += atoms - at.from
		} else {
			at.runs = append(at.runs, span{at.from, atoms - at.from})
		}
	}
	if at.left--; at.left > 0 {
		w.replace(boundary{key: top.key + (e.stride-e.bytes)<<1 + 1, cursor: top.cursor})
		return
	}
	if len(at.runs) == 1 {
		w.m.spans[n] = at.runs[0]
	} else {
		w.m.spans[n] = span{first: uint32(len(w.m.runs))}
		w.m.runs = append(w.m.runs, span{first: uint32(len(at.runs))})
		w.m.runs = append(w.m.runs, at.runs...)
	}
	w.alone[at.order-uint32(w.base)] = over
	w.free = append(w.free, top.cursor)
	last := len(w.heap) - 1
	moved := w.heap[last]
	if w.heap = w.heap[:last]; last > 0 {
		w.replace(moved)
	}
}

// interval counts so many bytes to the atom of the shapes that cover the place. If atoms are
// ordered, it is a new one where any of these shapes has had bytes of others since.
func (w *sweep) interval(bytes uint64) {
	i := w.here >> 1
	m := w.m
	var known *uint32
	if w.here&1 != 0 {
		known = &w.alone[i]
	} else {
		known = &w.sets.nodes[i].atom
	}
	if w.ordered {
		w.members = w.sets.append(w.members[:0], w.here)
		if slices.ContainsFunc(w.members, func(n uint32) bool { return w.last[n] != *known }) {
			*known = 0
		}
	}
	if *known == 0 {
		m.bytes = append(m.bytes, 0)
		*known = uint32(len(m.bytes))
	}
	if w.ordered {
		for _, n := range w.members {
			w.last[n] = *known
		}
	}
	m.bytes[*known-1] += bytes
	if m.total += bytes; m.total < bytes {
		m.total = math.MaxUint64
	}
}

// push adds a boundary to the heap.
func (w *sweep) push(b boundary) {
	w.heap = append(w.heap, b)
	i := len(w.heap) - 1
	for i > 0 && w.heap[(i-1)/2].key > b.key {
		w.heap[i] = w.heap[(i-1)/2]
		i = (i - 1) / 2
	}
	w.heap[i] = b
}

// replace puts a boundary in the place of the top of the heap.
func (w *sweep) replace(b boundary) {
	h := w.heap
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].key < h[child].key {
			child++
		}
		if h[child].key >= b.key {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = b
}
