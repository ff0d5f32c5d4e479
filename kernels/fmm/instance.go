package fmm

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"krdlab/kernels/fmm/laplace"
	"krdlab/kernels/kernel"
	"krdlab/loi"
)

// The objects of the registry: expansions have a block for each cell, bodies and forces one for
// each leaf.
const (
	objMultipoles loi.ObjectID = iota
	objLocals
	objBodies
	objForces
)

// The kernels of the registry.
const (
	kernM2L loi.KernelID = iota
	kernP2P
	kernSelf
)

// instance is a set of bodies with its tree and expansions.
type instance struct {
	settings
	*tree
	input   []body
	ops     *laplace.Kernel
	exp     *laplace.Cells
	soa     *laplace.Bodies
	workers int // goroutines outside runs

	// ids are random numbers, one for each cell: the sum of those of its bodies. met adds up whom a
	// cell has met, so that on the way from the root to a leaf the sum is that of all bodies if
	// each was met once. Written by whoever writes the cell's locals.
	ids, met []uint64

	// last is the worker that last ran a task with the cell as a target, or -1; nil if the
	// scheduler does not ask.
	last []atomic.Int32

	phases    []kernel.Phase
	down      bool // the downward pass of the latest run is done
	count     func() counts
	reference *reference
}

// newInstanceWith builds the tree and the multipoles of bodies, which it keeps, with so many
// goroutines outside runs. A dry instance has the tree, and neither expansions nor bodies for
// kernels: those of dry runs read none.
func newInstanceWith(s settings, bodies []body, seed uint64, workers int, dry bool) (*instance,
	error) {
	in := &instance{settings: s, input: bodies, workers: workers}
	start := time.Now()
	in.tree = build(bodies, s.ncrit)
	in.measure(acceptance{s.order, s.theta}, in.workers)
	oneSign := true
	for i := range in.bodies {
		oneSign = oneSign && (in.bodies[i].q >= 0) == (in.bodies[0].q >= 0)
	}
	var err error
	if in.ops, err = laplace.New(laplace.Options{Order: s.order, ISA: s.isa,
		Dipoles: !oneSign, Packed: s.packed}); err != nil {
		return nil, err
	}
	if dry {
		in.exp, in.soa = in.ops.NewCells(0), laplace.NewBodies(0)
		in.time("tree", start)
	} else {
		in.soa = laplace.NewBodies(len(bodies))
		for i, b := range in.bodies {
			in.soa.X[i], in.soa.Y[i], in.soa.Z[i], in.soa.Q[i] = float32(b.x), float32(b.y),
				float32(b.z), float32(b.q)
		}
		in.time("tree", start)
		start = time.Now()
		in.exp = in.ops.NewCells(len(in.cells))
		in.upward()
		in.time("upward", start)
	}

	in.ids, in.met = make([]uint64, len(in.cells)), make([]uint64, len(in.cells))
	for i := len(in.cells) - 1; i >= 0; i-- {
		c := &in.cells[i]
		for j := c.lo; c.leaf >= 0 && j < c.hi; j++ {
			in.ids[i] += mix(uint64(j))
		}
		for k := c.child; k < c.child+c.children; k++ {
			in.ids[i] += in.ids[k]
		}
	}
	in.count = sync.OnceValue(in.traceCounts)
	in.reference = newReference(in, seed)
	return in, nil
}

// time notes down how long a part took that began at start.
func (in *instance) time(name string, start time.Time) {
	p := kernel.Phase{Name: name, NS: time.Since(start).Nanoseconds()}
	for i := range in.phases {
		if in.phases[i].Name == name {
			in.phases[i] = p
			return
		}
	}
	in.phases = append(in.phases, p)
}

// Phases returns the wall times of the tree, of the upward pass and, once a run has been checked,
// of the downward pass, on all CPUs that Go may use.
func (in *instance) Phases() []kernel.Phase { return append([]kernel.Phase(nil), in.phases...) }

func (in *instance) Registry() loi.Registry {
	r := loi.Registry{Kernels: []loi.Kernel{{Name: "m2l"}, {Name: "p2p"}, {Name: "p2p-self"}},
		Regions: regions[:regionPairs]}
	if in.exafmm {
		r.Regions = regions
	}
	if len(in.bodies) == 0 {
		return r // nothing to touch, and nothing is run
	}
	cells := uint32(len(in.cells))
	var leaves []loi.SizeRun
	for _, i := range in.leaves {
		bytes := uint64(in.cells[i].bodies()) * 16
		if n := len(leaves); n > 0 && leaves[n-1].Bytes == bytes {
			leaves[n-1].Count++
		} else {
			leaves = append(leaves, loi.SizeRun{Count: 1, Bytes: bytes})
		}
	}
	r.Objects = []loi.Object{
		objMultipoles: {Name: "multipoles",
			Blocks: []loi.SizeRun{{Count: cells, Bytes: in.multipoleBytes()}}},
		objLocals: {Name: "locals",
			Blocks: []loi.SizeRun{{Count: cells, Bytes: in.localBytes()}}},
		objBodies: {Name: "bodies", Blocks: leaves},
		objForces: {Name: "forces", Blocks: leaves},
	}
	m2l, p2p, self := &r.Kernels[kernM2L], &r.Kernels[kernP2P], &r.Kernels[kernSelf]
	self.Params = []loi.Param{{Object: objBodies, Mode: loi.In},
		{Object: objForces, Mode: loi.InOut}}
	self.Of = []uint8{0, 0}
	if in.mutual {
		m2l.Params = []loi.Param{
			{Object: objMultipoles, Mode: loi.In}, {Object: objMultipoles, Mode: loi.In},
			{Object: objLocals, Mode: loi.InOut}, {Object: objLocals, Mode: loi.InOut},
		}
		p2p.Params = []loi.Param{
			{Object: objBodies, Mode: loi.In}, {Object: objBodies, Mode: loi.In},
			{Object: objForces, Mode: loi.InOut}, {Object: objForces, Mode: loi.InOut},
		}
		m2l.Of, p2p.Of = []uint8{0, 1, 0, 1}, []uint8{0, 1, 0, 1}
	} else {
		m2l.Params = []loi.Param{{Object: objMultipoles, Mode: loi.In},
			{Object: objLocals, Mode: loi.InOut}}
		m2l.Of = []uint8{1, 0}
		p2p.Params = []loi.Param{{Object: objBodies, Mode: loi.In},
			{Object: objBodies, Mode: loi.In}, {Object: objForces, Mode: loi.InOut}}
		p2p.Of = []uint8{0, 1, 0}
	}
	return r
}

// AlongCurve reports whether the blocks of an object are in the order of the curve of Morton, as all
// are: leaves, and cells family by family.
func (in *instance) AlongCurve(loi.ObjectID) bool { return true }

// multipoleBytes returns the size of a block of multipoles, localBytes that of a block of locals:
// with the padding to cache lines by arrays, without it where the header of the cell, or its other
// block, is on the same line.
func (in *instance) multipoleBytes() uint64 {
	if in.packed {
		return 4 * uint64(in.ops.Multipoles)
	}
	return 4 * uint64(in.ops.MultipoleStride)
}

func (in *instance) localBytes() uint64 {
	if in.packed {
		return 4 * uint64(in.ops.Locals)
	}
	return 4 * uint64(in.ops.LocalStride)
}

func (in *instance) Reset(hints bool) {
	in.exp.ClearLocals()
	clear(in.met)
	for _, f := range [][]float32{in.soa.P, in.soa.AX, in.soa.AY, in.soa.AZ} {
		clear(f)
	}
	in.down = false
	in.last = nil
	if hints {
		in.last = make([]atomic.Int32, len(in.cells))
	}
	for i := range in.last {
		in.last[i].Store(-1)
	}
}

func (in *instance) Close() error { return nil }

// result returns the field at body i of the tree's order, in the units of the computation.
func (in *instance) result(i int) field {
	return field{float64(in.soa.P[i]), float64(in.soa.AX[i]), float64(in.soa.AY[i]),
		float64(in.soa.AZ[i])}
}

// directly adds what the bodies of two different leaves make for each other in double precision, or
// with both = false, the values that those of the second make at the first.
func (in *instance) directly(i, j *cell, both bool) {
	for t := i.lo; t < i.hi; t++ {
		a := &in.bodies[t]
		var sum field
		for s := j.lo; s < j.hi; s++ {
			b := &in.bodies[s]
			x, y, z := b.x-a.x, b.y-a.y, b.z-a.z
			r2 := x*x + y*y + z*z
			if r2 == 0 {
				continue
			}
			r := 1 / math.Sqrt(r2)
			f := r * r * r
			sum.p += b.q * r
			sum.x, sum.y, sum.z = sum.x+b.q*f*x, sum.y+b.q*f*y, sum.z+b.q*f*z
		}
		in.soa.P[t] += float32(sum.p)
		in.soa.AX[t] += float32(sum.x)
		in.soa.AY[t] += float32(sum.y)
		in.soa.AZ[t] += float32(sum.z)
	}
	if both {
		in.directly(j, i, false)
	}
}
