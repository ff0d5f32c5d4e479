package heat

import (
	"fmt"

	"krdlab/hw/ops"
	"krdlab/kernels/blocked"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// side is one dimension of space of a zoid: at its bottom lo to hi-1, and in each step from there
// on the ends move by their slopes, each -1, 0 or 1. The slopes point inward, and are 0 at the
// border of the plate (it shrinks: upright), or are -1 and 1 (it grows: inverted).
type side struct{ lo, hi, dlo, dhi int }

// at returns the side after so many steps.
func (s side) at(t int) (lo, hi int) { return s.lo + t*s.dlo, s.hi + t*s.dhi }

// bottom returns its width at its bottom, top that at its top, after dt steps.
func (s side) bottom() int      { return s.hi - s.lo }
func (s side) top(dt int) int   { return s.bottom() + dt*(s.dhi-s.dlo) }
func (s side) width(dt int) int { return max(s.bottom(), s.top(dt)) }

// cut returns what a side of at least 4 dt elements consists of, by phase: upright two halves, with
// what grows between them afterwards; inverted what shrinks in its middle, and then the two beside
// that.
func (s side) cut(dt int) [2][]side {
	mid := s.lo + s.bottom()/2
	if s.top(dt) <= s.bottom() {
		return [2][]side{{{s.lo, mid, s.dlo, -1}, {mid, s.hi, 1, s.dhi}}, {{mid, mid, -1, 1}}}
	}
	return [2][]side{{{mid - dt, mid + dt, 1, -1}},
		{{s.lo, mid - dt, s.dlo, 1}, {mid + dt, s.hi, -1, s.dhi}}}
}

// zoid is steps t to t+dt-1 of the elements within both its sides.
type zoid struct {
	t, dt      int
	rows, cols side
}

// empty reports that no step has an element.
func (z *zoid) empty() bool {
	for t := range z.dt {
		r0, r1 := z.rows.at(t)
		c0, c1 := z.cols.at(t)
		if r0 < r1 && c0 < c1 {
			return false
		}
	}
	return true
}

// parts are the pieces of a zoid: a phase and one after it, each of up to two that do not depend on
// each other.
type parts struct {
	zoids [2][2]zoid
	n     [2]int
}

func (p *parts) add(phase int, z zoid) {
	if !z.empty() {
		p.zoids[phase][p.n[phase]] = z
		p.n[phase]++
	}
}

// zoids is a plate in trapezoids.
type zoids struct {
	instance
	tileRows, tileCols, span int
	tiles                    blocked.Matrix
	last                     blocked.Touched // tiles
	flops                    uint64          // of a leaf, on average
}

func newZoids(p kernel.Params) *zoids {
	n := p.Int("n")
	z := &zoids{tileRows: p.Int("rows"), tileCols: p.Int("cols"), span: p.Int("span")}
	z.instance = instance{grid: blocked.Square(n, p), steps: p.Int("steps")}
	z.tiles = blocked.Matrix{Rows: n + 2, Cols: n + 2, TileRows: z.tileRows,
		TileCols: z.tileCols, Elem: 8}
	z.flops = 4 * uint64(n) * uint64(n) * uint64(z.steps) / z.leaves(z.whole())
	return z
}

// whole returns the zoid of all steps.
func (in *zoids) whole() zoid {
	n := in.grid.Rows
	return zoid{0, in.steps, side{1, n + 1, 0, 0}, side{1, n + 1, 0, 0}}
}

// cut cuts the wider side, by its tile, if it is wide enough for its steps and wider than its tile;
// or the other; or time, in half. It returns false for a zoid within a tile and the span.
func (in *zoids) cut(z *zoid) (p parts, ok bool) {
	rows, cols := z.rows.width(z.dt), z.cols.width(z.dt)
	if rows <= in.tileRows && cols <= in.tileCols && z.dt <= in.span {
		return p, false
	}
	inRows := rows > in.tileRows && rows >= 4*z.dt
	inCols := cols > in.tileCols && cols >= 4*z.dt
	switch {
	case inRows && (!inCols || rows*in.tileCols >= cols*in.tileRows):
		for phase, sides := range z.rows.cut(z.dt) {
			for _, s := range sides {
				p.add(phase, zoid{z.t, z.dt, s, z.cols})
			}
		}
	case inCols:
		for phase, sides := range z.cols.cut(z.dt) {
			for _, s := range sides {
				p.add(phase, zoid{z.t, z.dt, z.rows, s})
			}
		}
	default:
		h := z.dt / 2
		up := zoid{z.t + h, z.dt - h, z.rows, z.cols}
		up.rows.lo, up.rows.hi = z.rows.at(h)
		up.cols.lo, up.cols.hi = z.cols.at(h)
		p.add(0, zoid{z.t, h, z.rows, z.cols})
		p.add(1, up)
	}
	if p.n[0] == 0 { // what comes first is empty
		p.zoids[0], p.n[0], p.n[1] = p.zoids[1], p.n[1], 0
	}
	return p, true
}

// leaves returns how many zoids are not cut. It depends on widths, slopes and steps, which are few,
// and not on the place.
func (in *zoids) leaves(z zoid) uint64 {
	type form struct{ dt, rows, rlo, rhi, cols, clo, chi int }
	known := map[form]uint64{}
	var count func(z zoid) uint64
	count = func(z zoid) uint64 {
		f := form{z.dt, z.rows.bottom(), z.rows.dlo, z.rows.dhi, z.cols.bottom(), z.cols.dlo,
			z.cols.dhi}
		n, ok := known[f]
		if ok {
			return n
		}
		p, cut := in.cut(&z)
		if !cut {
			n = 1
		}
		for phase, zs := range p.zoids {
			for _, part := range zs[:p.n[phase]] {
				n += count(part)
			}
		}
		known[f] = n
		return n
	}
	return count(z)
}

// maxAcross is how many tiles in a row of tiles, or in a column, a leaf may touch: it is no wider
// than a tile, and reads an element more at either end.
const maxAcross = 3

// Registry returns a kernel for each number of tiles that a leaf touches, down x across, in both
// buffers; those that it only touches in part count as whole.
func (in *zoids) Registry() loi.Registry {
	var kernels []loi.Kernel
	for down := range maxAcross {
		for across := range maxAcross {
			k := loi.Kernel{Name: fmt.Sprintf("tiles%dx%d", down+1, across+1)}
			for b := range (down + 1) * (across + 1) {
				k.Params = append(k.Params, in.u[0].InOut(), in.u[1].InOut())
				k.Of = append(k.Of, uint8(b), uint8(b))
			}
			kernels = append(kernels, k)
		}
	}
	return loi.Registry{Objects: in.Objects(), Kernels: kernels, Regions: []loi.Region{
		{Name: "trapezoids", Kind: loi.Function, Parent: loi.NoRegion}}}
}

// Work implements [kernel.Modelled]: the operations of a leaf on average, as its blocks do not say
// how large it is.
func (in *zoids) Work(loi.KernelID, []uint32) ops.Count {
	return sweptOps(in.flops/4, in.flops/4/uint64(in.tileCols))
}

// Uniform implements [kernel.Uniform].
func (in *zoids) Uniform(loi.KernelID) bool { return true }

func (in *zoids) Reset(hints bool) {
	in.reset()
	in.last.Reset(hints, in.tiles.Blocks())
}

func (in *zoids) Check() kernel.Check { return in.check() }

// reach returns the span of a side in dt steps, reads included.
func (s side) reach(dt int) (lo, hi int) {
	l, h := s.at(dt - 1)
	return min(s.lo, l) - 1, max(s.hi, h) + 1
}

// leaf runs a zoid step by step.
func (in *zoids) leaf(w *runtimes.Worker, z *zoid) {
	r0, r1 := z.rows.reach(z.dt)
	c0, c1 := z.cols.reach(z.dt)
	var blocks [maxAcross * maxAcross]uint32
	n, i0, i1 := 0, r0/in.tileRows, (r1-1)/in.tileRows
	j0, j1 := c0/in.tileCols, (c1-1)/in.tileCols
	for i := i0; i <= i1; i++ {
		for j := j0; j <= j1; j++ {
			blocks[n] = in.tiles.Block(i, j)
			n++
		}
	}
	if in.last.Noting() {
		in.last.By(w.ID(), in.middle(z))
	}
	k := loi.KernelID((i1-i0)*maxAcross + j1 - j0)
	start := w.Begin(k)
	if w.Computes() {
		for t := range z.dt {
			r0, r1 := z.rows.at(t)
			c0, c1 := z.cols.at(t)
			if c0 < c1 {
				in.compute(z.t+t, r0, r1, c0, c1)
			}
		}
	}
	w.End(k, start, blocks[:n]...)
}

// middle returns the tile in the middle of a zoid's bottom.
func (in *zoids) middle(z *zoid) uint32 {
	return in.tiles.Block((z.rows.lo+z.rows.hi)/2/in.tileRows, (z.cols.lo+z.cols.hi)/2/in.tileCols)
}

// pieces is the task of a zoid that is cut.
type pieces struct {
	runtimes.Frame
	in *zoids
	parts
	phase int
}

func (in *zoids) Root(w *runtimes.Worker) *runtimes.Frame {
	z := in.whole()
	return in.part(w, &z)
}

// part runs a leaf in place, and makes a task of anything larger.
func (in *zoids) part(w *runtimes.Worker, z *zoid) *runtimes.Frame {
	p, ok := in.cut(z)
	if !ok {
		in.leaf(w, z)
		return nil
	}
	t := runtimes.New[pieces](w, 0)
	t.in, t.parts = in, p
	return t.Fork(p.n[0])
}

func (t *pieces) Run(w *runtimes.Worker, i int) *runtimes.Frame {
	return t.in.part(w, &t.zoids[t.phase][i])
}

func (t *pieces) Next(*runtimes.Worker, int) int {
	if t.phase++; t.phase < 2 {
		return t.n[t.phase]
	}
	return 0
}

// Region implements [runtimes.Regioned].
func (*pieces) Region(int) loi.RegionID { return 0 }

// Hint returns that a child is near to the worker that last ran a leaf in its middle, its number of
// elements, times four, and the bytes of both buffers within its reach.
func (t *pieces) Hint(_ *runtimes.Worker, i int) runtimes.Hint {
	in := t.in
	if !in.last.Noting() {
		return runtimes.Hint{}
	}
	z := &t.zoids[t.phase][i]
	rows, cols := z.rows.bottom()+z.rows.top(z.dt), z.cols.bottom()+z.cols.top(z.dt)
	return runtimes.Hint{
		Work:  uint64(z.dt) * uint64(rows) * uint64(cols),
		Bytes: 2 * 8 * uint64(z.rows.width(z.dt)) * uint64(z.cols.width(z.dt)),
		Near:  in.last.Near(in.middle(z)),
	}
}
