package atoms

import "krdlab/krd/stack"

// Distances is the reference: the reuse distances of accesses to shapes, one access at a time. The
// bytes of one access are simultaneous.
//
// The distance of an atom is the number of distinct bytes that were touched strictly between its
// last access and this one. Its own are not among them; others of this access are, if an access in
// between touched them.
type Distances struct {
	m      *Map
	online stack.Online

	// Of the access at hand, by position.
	units       []uint32
	bytes, dist []uint64
}

// An Access is the result of Distances for one access as a whole. A cache serves it whole only if
// it has all its atoms.
type Access struct {
	Bytes     uint64 // its size
	ColdBytes uint64 // of the atoms accessed for the first time
	// the largest distance of its atoms; stack.Cold if one of them is accessed for the first time
	Farthest uint64
	// Needs is the size of the smallest fully associative LRU cache that has all of it: the
	// distinct bytes touched since its farthest atom, including all of its own; stack.Cold if
	// Farthest is. It is at most Farthest + Bytes, and less where atoms of this access are among
	// the bytes that Farthest counts.
	Needs uint64
}

// Cold reports whether a byte of the access is accessed for the first time.
func (a Access) Cold() bool { return a.ColdBytes > 0 }

// NewDistances returns distances for a stream of accesses before its first access. m.Total() must
// be below 2^63.
func NewDistances(m *Map) *Distances { return &Distances{m: m} }

// Access computes the distances of one access. It has no bytes if the cutter of the map was not
// given the shape. Cost: for each atom that of stack.Online.
func (d *Distances) Access(object int, s Shape) Access {
	d.units = d.m.Append(d.units[:0], object, s)
	d.bytes, d.dist = d.bytes[:0], append(d.dist[:0], make([]uint64, len(d.units))...)
	for _, u := range d.units {
		d.bytes = append(d.bytes, d.m.bytes[u])
	}
	d.online.AccessAll(d.units, d.bytes, d.dist)
	var a Access
	var near uint64 // bytes of the atoms at distance Farthest
	for i, dist := range d.dist {
		b := d.bytes[i]
		a.Bytes += b
		if dist == stack.Cold {
			a.ColdBytes += b
		}
		if dist > a.Farthest {
			a.Farthest, near = dist, 0
		}
		if dist == a.Farthest {
			near += b
		}
	}
	// Atoms last accessed later than the farthest are among the bytes above it in the stack. Those
	// last accessed together with it are not, and they are the ones at the same distance.
	a.Needs = a.Farthest
	if !a.Cold() {
		a.Needs += near
	}
	return a
}

// Atoms returns the atoms of the last access with the size and the distance of each: stack.Cold at
// its first access. The slices are overwritten by the next.
func (d *Distances) Atoms() (atoms []uint32, bytes, dist []uint64) {
	return d.units, d.bytes,
		d.dist
}

// Shapes returns the number of distinct shapes so far.
func (c *Cutter) Shapes() int { return len(c.shapes.entries) }
