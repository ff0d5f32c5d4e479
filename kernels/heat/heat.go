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
	"math/rand/v2"

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
		{Name: "n", Kind: kernel.IntParam, Default: 4096, Min: 3, Max: 1 << 17,
			Help: "rows and columns that are computed, within a border that stays as it is"},
		{Name: "order", Kind: kernel.WordParam, Default: sweeps,
			Choices: []string{sweeps, trapezoids},
			Help: "sweeps (all tiles of a step, then the next step) or trapezoids (space and " +
				"time cut recursively, cache-oblivious)"},
		{Name: "steps", Kind: kernel.IntParam, Default: 32, Min: 1, Max: 1 << 20,
			Help: "time steps"},
		{Name: "rows", Kind: kernel.IntParam, Default: 32, Min: 8, Max: 1 << 16,
			Help: "rows of a tile: at least in sweeps, at most in trapezoids"},
		{Name: "cols", Kind: kernel.IntParam, Default: 256, Min: 8, Max: 1 << 16,
			Help: "columns of a tile, likewise"},
		{Name: "span", Kind: kernel.IntParam, Default: 8, Min: 1, Max: 1 << 16,
			Help: "most time steps of a trapezoid that is not cut"},
		{Name: "isa", Kind: kernel.WordParam, Default: "auto", Choices: isa.Names(),
			Help: "instruction set of a row; auto takes the best that this CPU has"},
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

func shape(p kernel.Params) blocked.Grid {
	n := p.Int("n")
	return blocked.Grid{Rows: n, Cols: n, TileRows: min(n, p.Int("rows")),
		TileCols: min(n, p.Int("cols"))}
}

func instructions(p kernel.Params) (isa.Set, error) {
	s, err := isa.Parse(p.Word("isa"))
	if err == nil {
		s, err = s.Resolve()
	}
	if err != nil {
		return s, &kernel.ParamError{Name: "isa", Got: p.Word("isa"), Want: err.Error()}
	}
	return s, nil
}

func plan(p kernel.Params) (kernel.Plan, error) {
	set, err := instructions(p)
	if err != nil {
		return kernel.Plan{}, err
	}
	g := shape(p)
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
	blocked.Memory
	grid  blocked.Grid
	steps int
	isa   isa.Set
	u     [2][]float64 // step t reads u[t%2]
	want  []float64    // what the plain loop gives, once it was asked for
	seed  uint64
}

func newInstance(p kernel.Params, env kernel.Env) (kernel.Instance, error) {
	set, err := instructions(p)
	if err != nil {
		return nil, err
	}
	in := instance{grid: shape(p), steps: p.Int("steps"), isa: set, seed: env.Seed}
	for i := range in.u {
		if in.u[i], err = blocked.Alloc[float64](&in.Memory, env, in.grid.Len()); err != nil {
			in.Close()
			return nil, err
		}
	}
	var out kernel.Instance
	if p.Word("order") == trapezoids {
		z := newZoids(p)
		z.instance = in
		z.Add("even", z.tiles)
		z.Add("odd", z.tiles)
		out = z
	} else {
		s := &swept{instance: in}
		s.Sweeps = blocked.Sweeps{Count: in.steps, Blocks: in.grid.Tiles(), Of: s}
		s.Add("even", in.grid)
		s.Add("odd", in.grid)
		out = s
	}
	out.Reset(false)
	return out, nil
}

// The objects of the registry: the buffers that even and odd steps read.
const (
	objEven loi.ObjectID = iota
	objOdd
)

// fill draws elements in [0, 1) from the seed, the border included.
func (in *instance) fill(u []float64) {
	r := rand.NewPCG(in.seed, 0)
	for i := range u {
		u[i] = float64(r.Uint64()>>11) / (1 << 53)
	}
}

// reset draws the plate; the other buffer has the border, and otherwise what is no result.
func (in *instance) reset() {
	if in.u[0] == nil {
		return
	}
	in.fill(in.u[0])
	n := in.grid.Stride()
	copy(in.u[1], in.u[0])
	for r := 1; r <= in.grid.Rows; r++ {
		row := in.u[1][r*n+1 : (r+1)*n-1]
		for i := range row {
			row[i] = -1
		}
	}
}

// check compares with the plain loop over the whole plate, bit for bit. It is done once.
func (in *instance) check() kernel.Check {
	if in.want == nil {
		in.want = make([]float64, in.grid.Len())
		in.fill(in.want)
		next := make([]float64, len(in.want))
		copy(next, in.want)
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
	got := in.u[in.steps%2]
	return blocked.Exact(fmt.Sprintf("%d steps of the plain loop", in.steps), len(got),
		func(i int) (float64, float64) { return got[i], in.want[i] })
}

// compute makes step t of rows r0 to r1-1, columns c0 to c1-1.
func (in *instance) compute(t, r0, r1, c0, c1 int) {
	from, to, n := in.u[t%2], in.u[(t+1)%2], in.grid.Stride()
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

// Registry has a kernel for steps that read either buffer: it reads the blocks of a tile and the
// edges around it, and writes the tile's blocks of the other buffer.
func (s *swept) Registry() loi.Registry {
	var kernels []loi.Kernel
	for i, name := range []string{"even", "odd"} {
		k := loi.Kernel{Name: name}
		for b := range blocked.Stencil {
			k.Params = append(k.Params, loi.Param{Object: objEven + loi.ObjectID(i), Mode: loi.In})
			k.Of = append(k.Of, uint8(b))
		}
		for b := range blocked.Own {
			k.Params = append(k.Params, loi.Param{Object: objOdd - loi.ObjectID(i), Mode: loi.Out})
			k.Of = append(k.Of, uint8(b))
		}
		kernels = append(kernels, k)
	}
	return loi.Registry{Objects: s.Objects(), Kernels: kernels, Regions: blocked.Regions}
}

// Work implements [kernel.Modelled]: three additions and a multiplication for each element.
func (s *swept) Work(_ loi.KernelID, blocks []uint32) uint64 {
	r0, r1, c0, c1 := s.grid.Tile(int(blocks[0]) / blocked.Own)
	return 4 * uint64(r1-r0) * uint64(c1-c0)
}

func (s *swept) Reset(hints bool) {
	s.reset()
	s.Begin(hints)
}

func (s *swept) Check() kernel.Check {
	c := s.check()
	if d := s.Once(); d != "" && c.Passed {
		c.Passed, c.Error, c.Detail = false, 1, d
	}
	return c
}

// Visit implements [blocked.Swept].
func (s *swept) Visit(w *runtimes.Worker, t, tile int) {
	around, k := s.grid.Around(tile), loi.KernelID(t%2)
	start := w.Begin(k)
	if w.Computes() {
		r0, r1, c0, c1 := s.grid.Tile(tile)
		s.compute(t, r0, r1, c0, c1)
	}
	w.End(k, start, around[:]...)
}

// Cost implements [blocked.Swept].
func (s *swept) Cost(from, to int) (work, bytes uint64) {
	n := uint64(to - from)
	return n, n * 2 * s.grid.Bytes() / uint64(s.Blocks)
}
