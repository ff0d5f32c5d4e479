// Package heat spreads heat over a plate: Jacobi's iteration for five points in double precision,
// of two buffers in turn. In a step each element but those of the border becomes a quarter of
//
//	(left + right) + (above + below)
//
// In the order sweeps a step is a sweep over tiles, each one kernel execution.
//
// In the order trapezoids space and time are cut as Frigo and Strumpen do ("Cache oblivious stencil
// computations", ICS 2005; in parallel "The cache complexity of multithreaded cache oblivious
// algorithms", SPAA 2006), with cuts in three of Tang, Chowdhury, Kuszmaul, Luk and Leiserson ("The
// Pochoir stencil compiler", SPAA 2011): see trapezoids.go.
package heat

import (
	"fmt"
	"maps"
	"slices"

	"krdlab/hw/ops"
	"krdlab/kernels/blocked"
	"krdlab/kernels/isa"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Kernel is the line of the table.
var Kernel = kernel.Kernel{
	Name:    "heat",
	Summary: "2-D Jacobi stencil in double precision, in sweeps or cache-oblivious trapezoids",
	Work:    true,
	Placed:  true,
	Size:    "n",
	Params: []kernel.Param{
		kernel.Int("n", 4096, 3, 1<<17,
			"rows and columns that are computed, within a border that stays as it is"),
		kernel.Word("order", sweeps, []string{sweeps, trapezoids}, "sweeps (all tiles of a step, "+
			"then the next step) or trapezoids (space and time cut recursively, cache-oblivious)"),
		kernel.Int("steps", 32, 1, 1<<20, "time steps"),
		kernel.Int("rows", 32, 8, 1<<16,
			"rows of a tile: at least in sweeps, at most in trapezoids"),
		kernel.Int("cols", 256, 8, 1<<16, "columns of a tile, likewise"),
		kernel.Int("span", 8, 1, 1<<16, "most time steps of a trapezoid that is not cut"),
		kernel.ISA("a row"),
	},
	Plan: plan,
	New:  newInstance,
	Small: []kernel.Params{
		{"n": 3, "steps": 3}, {"n": 50, "rows": 8, "cols": 16, "steps": 3},
		{"n": 9, "order": trapezoids, "steps": 3},
		{"n": 60, "rows": 10, "cols": 14, "steps": 7, "span": 2, "order": trapezoids},
	},
	Classes: []kernel.Class{
		{Name: "small", Params: kernel.Params{"n": 1024}},
		{Name: "large", Params: kernel.Params{"n": 16384}},
	},
}

const (
	sweeps     = "sweeps"
	trapezoids = "trapezoids"
)

func plan(p kernel.Params) (kernel.Plan, error) {
	set, err := p.ISA()
	if err != nil {
		return kernel.Plan{}, err
	}
	g := blocked.Square(p.Int("n"), p)
	out := kernel.Plan{Resolved: maps.Clone(p), Bytes: 4 * g.Bytes(), Args: blocked.Stencil}
	out.Resolved["isa"] = set.String()
	if p.Word("order") == trapezoids {
		z := newZoids(p)
		out.Blocks, out.Args = 2*uint64(z.tiles.Blocks()), maxAcross*maxAcross
		out.Executions = z.leaves(z.whole())
		return out, nil
	}
	out.Blocks = 2 * uint64(g.Blocks())
	out.Executions = uint64(g.Tiles()) * uint64(p.Int("steps"))
	return out, nil
}

// instance is a plate, and what both orders have of it.
type instance struct {
	blocked.Space
	grid  blocked.Grid
	steps int
	isa   isa.Set
	u     [2]blocked.Array[float64] // step t reads u[t%2]
	want  []float64                 // what the plain loop gives, once it was asked for
}

func newInstance(p kernel.Params, env kernel.Env) (kernel.Instance, error) {
	set, err := p.ISA()
	if err != nil {
		return nil, err
	}
	in := instance{Space: blocked.Space{Env: env}, grid: blocked.Square(p.Int("n"), p),
		steps: p.Int("steps"), isa: set}
	var z *zoids
	var shape blocked.Shape = in.grid
	if p.Word("order") == trapezoids {
		z = newZoids(p)
		shape = z.tiles
	}
	for i, name := range []string{"even", "odd"} {
		in.u[i] = blocked.NewArray[float64](&in.Space, name, shape)
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	if z != nil {
		z.instance = in
		z.Reset(false)
		return z, nil
	}
	s := &swept{instance: in}
	s.Sweeps = blocked.Sweeps{Count: in.steps, Blocks: in.grid.Tiles(), Visit: s.visit,
		Bytes: 2 * in.grid.Bytes()}
	s.Reset(false)
	return s, nil
}

// reset draws the plate; the other buffer has the border, and no results otherwise.
func (in *instance) reset() {
	blocked.Draw(in.u[0].Data, in.Env.Seed)
	copy(in.u[1].Data, in.u[0].Data)
	n := in.grid.Stride()
	for r := 1; r <= in.grid.Rows && !in.Env.Dry; r++ {
		row := in.u[1].Data[r*n+1 : (r+1)*n-1]
		for i := range row {
			row[i] = -1
		}
	}
}

// check compares with the plain loop over the whole plate, bit for bit. It is done once.
func (in *instance) check() kernel.Check {
	if in.want == nil {
		in.want = make([]float64, in.grid.Len())
		blocked.Draw(in.want, in.Env.Seed)
		next := slices.Clone(in.want)
		n := in.grid.Stride()
		for range in.steps {
			for r := 1; r <= in.grid.Rows; r++ {
				for at := r*n + 1; at < (r+1)*n-1; at++ {
					next[at] = 0.25 * ((in.want[at-1] + in.want[at+1]) +
						(in.want[at-n] + in.want[at+n]))
				}
			}
			in.want, next = next, in.want
		}
	}
	got := in.u[in.steps%2].Data
	return blocked.Exact(fmt.Sprintf("%d steps of the plain loop", in.steps), len(got),
		func(i int) (float64, float64) { return got[i], in.want[i] })
}

// compute makes step t of rows r0 to r1-1, columns c0 to c1-1.
func (in *instance) compute(t, r0, r1, c0, c1 int) {
	from, to, n := in.u[t%2].Data, in.u[(t+1)%2].Data, in.grid.Stride()
	for r := r0; r < r1; r++ {
		at, end := r*n+c0, r*n+c1
		row(in.isa, to[at:end], from[at-n:end-n], from[at-1:end+1], from[at+n:end+n])
	}
}

// swept is a plate in sweeps.
type swept struct {
	instance
	blocked.Sweeps
}

// Registry returns a kernel for steps that read either buffer: it reads the blocks of a tile and
// the edges around it, and writes the tile's blocks of the other buffer.
func (s *swept) Registry() loi.Registry {
	r := loi.Registry{Objects: s.Objects(), Regions: blocked.Regions}
	for i, name := range []string{"even", "odd"} {
		k := loi.Kernel{Name: name, Params: slices.Concat(
			slices.Repeat([]loi.Param{s.u[i].In()}, blocked.Stencil),
			slices.Repeat([]loi.Param{s.u[1-i].Out()}, blocked.Own))}
		for b := range k.Params {
			k.Of = append(k.Of, uint8(b%blocked.Stencil))
		}
		r.Kernels = append(r.Kernels, k)
	}
	return r
}

// sweptOps returns three additions and a multiplication for each element, and about the operations
// of a call of row beside them.
func sweptOps(elements, rows uint64) ops.Count {
	const aroundRow = 80
	return ops.Count{ops.Double: 4 * elements, ops.Integer: aroundRow * rows}
}

// Work implements [kernel.Modelled].
func (s *swept) Work(_ loi.KernelID, blocks []uint32) ops.Count {
	return sweptOps(s.grid.Elements(blocks[0]), s.grid.Height(blocks[0]))
}

func (s *swept) Reset(hints bool) {
	s.reset()
	s.Begin(hints)
}

func (s *swept) Check() kernel.Check { return s.Seen(s.check()) }

func (s *swept) visit(w *runtimes.Worker, t, tile int) {
	s.grid.Run(w, loi.KernelID(t%2), tile, func(r0, r1, c0, c1 int) {
		s.compute(t, r0, r1, c0, c1)
	})
}
