package atoms

import (
	"cmp"
	"slices"
)

// A Map holds the atoms of the shapes that a [Cutter] was given. It does not change, and may be
// read by many goroutines.
type Map struct {
	shapes table
	spans  []span   // by number of the shape
	runs   []span   // of shapes with several runs: their number (in first), then they
	bytes  []uint64 // by atom
	total  uint64
	starts []objectStart // in ascending order
}

// An objectStart is an object with its first atom; the atoms up to the first of the next are its
// too.
type objectStart struct{ object, first uint32 }

// A span is n atoms with consecutive numbers. In Map.spans, n = 0 means that the runs are at first
// in Map.runs.
type span struct{ first, n uint32 }

// Len returns the number of atoms. They are numbered from 0, those of an object one after the
// other.
func (m *Map) Len() int { return len(m.bytes) }

// Shapes returns the number of distinct shapes.
func (m *Map) Shapes() int { return len(m.shapes.entries) }

// Bytes returns the size of an atom, at least 1.
func (m *Map) Bytes(atom uint32) uint64 { return m.bytes[atom] }

// Object returns the object of an atom. Cost: logarithmic in the number of objects.
func (m *Map) Object(atom uint32) int {
	i, found := slices.BinarySearchFunc(m.starts, atom,
		func(s objectStart, a uint32) int { return cmp.Compare(s.first, a) })
	if !found {
		i--
	}
	return int(m.starts[i].object)
}

// Total returns the sum of the sizes of all atoms: the bytes that any access covers, each counted
// once. It is 2^64-1 if it is not below that. Stack distances need it to be below 2^63.
func (m *Map) Total() uint64 { return m.total }

// Append appends to dst the atoms of an access, each once, in ascending order. Their sizes add up
// to s.Size(). A shape that the cutter was not given has no atoms. Cost: one hash probe, and the
// atoms.
func (m *Map) Append(dst []uint32, object int, s Shape) []uint32 {
	if s.Check(object) != nil {
		return dst
	}
	n, ok := m.shapes.find(uint32(object), s.canonical())
	if !ok {
		return dst
	}
	at := m.spans[n]
	if at.n != 0 {
		return at.append(dst)
	}
	for _, run := range m.runs[at.first+1:][:m.runs[at.first].first] {
		dst = run.append(dst)
	}
	return dst
}

func (r span) append(dst []uint32) []uint32 {
	for a := r.first; a < r.first+r.n; a++ {
		dst = append(dst, a)
	}
	return dst
}
