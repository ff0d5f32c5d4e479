package fmm

import "math/bits"

// cell is a box of the octree with the bodies in it. It fills a cache line.
//
// Cells stand in an array: cell 0 is the root, the children of a cell are adjacent and come after
// it. A cell without children is a leaf. Each other one has at least two, since a box with all
// bodies in one octant is left out.
type cell struct {
	x, y, z  float64 // the centre of the expansions
	reach    float64 // radius/theta of the cell: the R_crit of the acceptance criterion
	radius   float64 // distance of the farthest body from the centre
	lo, hi   int32   // its bodies in the order of the tree
	child    int32   // the first of the children
	children int32   // how many there are
	leaf     int32   // number of the leaf in the order of bodies; -1 if it is none
}

func (c *cell) bodies() int { return int(c.hi - c.lo) }

// tree is an octree over bodies in Morton order.
type tree struct {
	frame
	bodies []body   // normalised, in the order of the tree
	origin []uint32 // where each body stands in the input
	cells  []cell
	leaves []int32 // the cell of each leaf
	// by cell: single precision does not tell its bodies apart; nil if there is none of those
	fine []bool
}

// build sorts bodies into a tree with at most ncrit of them in a leaf, unless they are in one
// point. Cost: about 100 ns a body.
func build(bodies []body, ncrit int) *tree {
	t := &tree{frame: newFrame(bodies)}
	if len(bodies) == 0 {
		t.cells = []cell{{leaf: -1}}
		return t
	}
	b := builder{
		ncrit: ncrit, at: make([]body, len(bodies)),
		keys: make([]key, len(bodies)), spare: make([]key, len(bodies)),
	}
	for i := range bodies {
		b.at[i] = t.normal(bodies[i])
		b.keys[i].body = uint32(i)
	}
	b.encode(b.keys)
	b.keys, b.spare = sorted(b.keys, b.spare)
	b.split()
	t.cells, t.leaves, t.fine = b.cells, b.leaves, b.fine
	t.bodies, t.origin = make([]body, len(bodies)), make([]uint32, len(bodies))
	for i, k := range b.keys {
		t.bodies[i], t.origin[i] = b.at[k.body], k.body
	}
	return t
}

// builder makes cells.
type builder struct {
	ncrit       int
	at          []body // normalised, in the caller's order
	keys, spare []key
	cells       []cell
	leaves      []int32
	fine        []bool
	todo        []int32 // cells to look at, the next one last
}

// sorted works like sortKeys, and returns which array is which.
func sorted(keys, spare []key) (in, other []key) {
	s := sortKeys(keys, spare)
	if &s[0] == &keys[0] {
		return keys, spare
	}
	return spare, keys
}

// encode sets the codes of keys in the smallest cube that has their bodies, and reports whether it
// has an extent.
func (b *builder) encode(keys []key) bool {
	lo := b.at[keys[0].body]
	hi := lo
	for _, k := range keys {
		p := &b.at[k.body]
		lo.x, lo.y, lo.z = min(lo.x, p.x), min(lo.y, p.y), min(lo.z, p.z)
		hi.x, hi.y, hi.z = max(hi.x, p.x), max(hi.y, p.y), max(hi.z, p.z)
	}
	side := max(hi.x-lo.x, hi.y-lo.y, hi.z-lo.z)
	if side == 0 {
		return false
	}
	grid := func(v float64) uint64 { return min(uint64(v/side*codeCells), codeCells-1) }
	for i := range keys {
		p := &b.at[keys[i].body]
		keys[i].code = morton(grid(p.x-lo.x), grid(p.y-lo.y), grid(p.z-lo.z))
	}
	return true
}

// split makes the cells, depth first, so that leaves are met in the order of bodies.
func (b *builder) split() {
	b.cells = append(make([]cell, 0, 1+len(b.keys)/(b.ncrit/4+1)), cell{hi: int32(len(b.keys)),
		leaf: -1})
	b.todo = append(b.todo, 0)
	for len(b.todo) > 0 {
		i := b.todo[len(b.todo)-1]
		b.todo = b.todo[:len(b.todo)-1]
		if b.isLeaf(i) {
			b.cells[i].leaf = int32(len(b.leaves))
			b.leaves = append(b.leaves, i)
			continue
		}
		b.divide(i)
		for c := b.cells[i].children - 1; c >= 0; c-- {
			b.todo = append(b.todo, b.cells[i].child+c)
		}
	}
}

// isLeaf reports whether cell i stays whole. If it has too many bodies for that and the codes do
// not tell them apart, they get new codes, in a cube of their own.
func (b *builder) isLeaf(i int32) bool {
	c := &b.cells[i]
	if c.bodies() <= b.ncrit {
		return true
	}
	keys := b.keys[c.lo:c.hi]
	if keys[0].code != keys[len(keys)-1].code {
		return false
	}
	if !b.encode(keys) {
		return true
	}
	if s := sortKeys(keys, b.spare[c.lo:c.hi]); &s[0] != &keys[0] {
		copy(keys, s)
	}
	return false
}

// divide gives cell i its children: at the highest level at which the codes of its bodies differ,
// the octants that have any.
func (b *builder) divide(i int32) {
	lo, hi := b.cells[i].lo, b.cells[i].hi
	different := b.keys[lo].code ^ b.keys[hi-1].code
	shift := (63 - bits.LeadingZeros64(different)) / 3 * 3
	b.cells[i].child = int32(len(b.cells))
	for at := lo; at < hi; b.cells[i].children++ {
		octant := b.keys[at].code >> shift
		end := b.endOf(at, hi, shift, octant)
		b.cells = append(b.cells, cell{lo: at, hi: end, leaf: -1})
		at = end
	}
}

// endOf returns the first of the keys at to hi-1 that is beyond the octant, by bisection.
func (b *builder) endOf(at, hi int32, shift int, octant uint64) int32 {
	for at < hi {
		mid := at + (hi-at)/2
		if b.keys[mid].code>>shift == octant {
			at = mid + 1
		} else {
			hi = mid
		}
	}
	return at
}
