package fmm

import (
	"time"

	"krdlab/kernels/fmm/laplace"
)

// upward makes the multipoles of all cells: P2M in leaves, M2M above.
func (in *instance) upward() {
	root := in.cells[0].radius
	in.exp.Centre(0).Scale = laplace.ScaleOf(root, root)
	for i := range in.cells {
		c, e := &in.cells[i], in.exp.Centre(i)
		e.X, e.Y, e.Z = c.x, c.y, c.z
		for k := c.child; k < c.child+c.children; k++ {
			// A cell of one body has no radius; a unit that is much smaller than its surroundings
			// would make numbers that single precision holds badly.
			in.exp.Centre(int(k)).Scale = laplace.ScaleOf(max(in.cells[k].radius, c.radius/16), root)
		}
	}
	top, subtrees := in.cut()
	in.each(subtrees, func(i int32, s *scratch) { in.collectAll(i, s) })
	var s scratch
	for k := len(top) - 1; k >= 0; k-- {
		in.collect(top[k], &s)
	}
}

func (in *instance) collectAll(i int32, s *scratch) {
	c := &in.cells[i]
	for k := c.child; k < c.child+c.children; k++ {
		in.collectAll(k, s)
	}
	in.collect(i, s)
}

// collect makes the multipoles of cell i from its bodies or from its children's.
func (in *instance) collect(i int32, s *scratch) {
	c := &in.cells[i]
	for k := c.child; k < c.child+c.children; k++ {
		in.ops.M2M(in.exp, int(k), int(i))
	}
	switch {
	case c.leaf < 0:
	case in.isFine(i):
		exp, b, n := s.load(in, i)
		in.ops.P2M(exp, 0, b, 0, n)
	default:
		in.ops.P2M(in.exp, int(i), in.soa, int(c.lo), int(c.hi))
	}
}

// downward adds the locals of all cells to the fields of the bodies: L2L, and L2P in leaves. It is
// done once after each run.
func (in *instance) downward() {
	if in.down {
		return
	}
	start := time.Now()
	top, subtrees := in.cut()
	for _, i := range top {
		in.pass(i, nil)
	}
	in.each(subtrees, func(i int32, s *scratch) { in.passAll(i, s) })
	in.down = true
	in.time("downward", start)
}

func (in *instance) passAll(i int32, s *scratch) {
	in.pass(i, s)
	c := &in.cells[i]
	for k := c.child; k < c.child+c.children; k++ {
		in.passAll(k, s)
	}
}

// pass hands the locals of cell i on to its children or its bodies, and whom it has met. s may be
// nil for a cell that is no leaf.
func (in *instance) pass(i int32, s *scratch) {
	c := &in.cells[i]
	for k := c.child; k < c.child+c.children; k++ {
		in.ops.L2L(in.exp, int(i), int(k))
		in.met[k] += in.met[i]
	}
	switch {
	case c.leaf < 0:
	case in.isFine(i):
		exp, b, n := s.load(in, i)
		in.ops.L2P(exp, 0, b, 0, n)
		for j, to := 0, int(c.lo); j < n; j, to = j+1, to+1 {
			in.soa.P[to] += b.P[j]
			in.soa.AX[to] += b.AX[j]
			in.soa.AY[to] += b.AY[j]
			in.soa.AZ[to] += b.AZ[j]
		}
	default:
		in.ops.L2P(in.exp, int(i), in.soa, int(c.lo), int(c.hi))
	}
}

// isFine reports whether single precision does not separate the bodies of cell i.
func (in *instance) isFine(i int32) bool { return in.fine != nil && in.fine[i] }

// scratch holds the bodies of one leaf with positions relative to its centre, which keeps the
// digits that positions relative to the middle of everything lack.
type scratch struct {
	bodies *laplace.Bodies
	centre laplace.Centre
}

// load fills s with the bodies of leaf i and fields of zero, and returns the leaf as the only cell,
// about the origin, the bodies and their number.
func (s *scratch) load(in *instance, i int32) (*laplace.Cells, *laplace.Bodies, int) {
	c := &in.cells[i]
	n := c.bodies()
	if s.bodies == nil || len(s.bodies.X) < n {
		s.bodies = laplace.NewBodies(max(n, in.ncrit))
	}
	b := s.bodies
	for j := range n {
		from := &in.bodies[int(c.lo)+j]
		b.X[j], b.Y[j], b.Z[j], b.Q[j] = float32(from.x-c.x), float32(from.y-c.y),
			float32(from.z-c.z), float32(from.q)
		b.P[j], b.AX[j], b.AY[j], b.AZ[j] = 0, 0, 0, 0
	}
	s.centre = laplace.Centre{Scale: in.exp.Centre(int(i)).Scale}
	return in.exp.About(int(i), &s.centre), b, n
}

// cut divides the tree into a top, parents before children, and the subtrees below it, each of at
// most a 64th of the bodies.
func (in *instance) cut() (top, subtrees []int32) {
	limit := len(in.bodies) / 64
	var walk func(i int32)
	walk = func(i int32) {
		c := &in.cells[i]
		if c.children == 0 || c.bodies() <= limit {
			subtrees = append(subtrees, i)
			return
		}
		top = append(top, i)
		for k := c.child; k < c.child+c.children; k++ {
			walk(k)
		}
	}
	walk(0)
	return top, subtrees
}

// each calls f for all subtrees, from in.workers goroutines.
func (in *instance) each(subtrees []int32, f func(i int32, s *scratch)) {
	share(len(subtrees), 1, in.workers, func(lo, hi int) {
		var s scratch
		for _, i := range subtrees[lo:hi] {
			f(i, &s)
		}
	})
}
