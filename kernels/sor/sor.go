// Package sor relaxes a matrix by successive over-relaxation, in place and in double precision, as
// SciMark's SOR does (R. Pozo and B. Miller, "SciMark 2.0", NIST, 2000): each element but those of
// the border becomes
//
//	omega/4 (above + below + left + right) + (1 - omega) itself
//
// In the order redblack a sweep is two: the elements of a chequerboard's one colour, then of the
// other. A tile of one colour is one kernel execution.
//
// In the order sweep, which is SciMark's, an element sees above and to the left what the present
// sweep made, below and to the right what the one before did. Tile (i, j) of sweep s can therefore
// run in step i + j + 2 s, together with the others of that step, none of which adjoin: a
// wavefront, or rather one for each sweep that is under way. Every element sees what it sees in the
// sequential loop, so that the result is the same bit for bit.
package sor

import (
	"fmt"
	"math/rand/v2"

	"krdlab/kernels/blocked"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Kernel is the line of the table. SciMark's sizes are 100 and 1000.
var Kernel = kernel.Kernel{
	Name:    "sor",
	Summary: "successive over-relaxation in place, red-black or in the sequential order",
	Work:    true,
	Placed:  true,
	Size:    "n",
	Params: []kernel.Param{
		{Name: "n", Kind: kernel.IntParam, Default: 4000, Min: 5, Max: 1 << 17,
			Help: "rows and columns of the matrix, with its border, which stays as it is"},
		{Name: "order", Kind: kernel.WordParam, Default: redblack,
			Choices: []string{redblack, sequential},
			Help: "order of the elements of a sweep: redblack (one colour of a chequerboard, " +
				"then the other) or sweep (row by row, as SciMark, run as a wavefront of tiles)"},
		{Name: "rows", Kind: kernel.IntParam, Default: 64, Min: 3, Max: 1 << 16,
			Help: "least rows of a tile"},
		{Name: "cols", Kind: kernel.IntParam, Default: 128, Min: 3, Max: 1 << 16,
			Help: "least columns of a tile"},
		{Name: "sweeps", Kind: kernel.IntParam, Default: 20, Min: 1, Max: 1 << 20,
			Help: "how often each element is computed"},
	},
	Plan: plan,
	New:  newInstance,
	Small: []kernel.Params{
		{"n": 5, "sweeps": 2}, {"n": 60, "rows": 7, "cols": 9, "sweeps": 2},
		{"n": 5, "order": sequential, "sweeps": 2},
		{"n": 63, "rows": 9, "cols": 11, "sweeps": 4, "order": sequential},
	},
	Classes: []kernel.Class{
		{Name: "small", Params: kernel.Params{"n": 1000}},
		{Name: "large", Params: kernel.Params{"n": 16000}},
		{Name: "bots", Params: kernel.Params{"n": 1000, "order": sequential, "sweeps": 100}},
	},
}

const (
	redblack   = "redblack"
	sequential = "sweep"
)

// omega is SciMark's.
const omega = 1.25

func shape(p kernel.Params) blocked.Grid {
	n := p.Int("n") - 2
	return blocked.Grid{Rows: n, Cols: n, TileRows: min(n, p.Int("rows")),
		TileCols: min(n, p.Int("cols"))}
}

func plan(p kernel.Params) (kernel.Plan, error) {
	g, sweeps := shape(p), uint64(p.Int("sweeps"))
	out := kernel.Plan{Resolved: p, Bytes: 2 * g.Bytes(), Blocks: uint64(g.Blocks()),
		Executions: uint64(g.Tiles()) * sweeps, Args: blocked.Stencil}
	if p.Word("order") == redblack {
		out.Executions *= 2
	}
	return out, nil
}

type instance struct {
	blocked.Space
	blocked.Memory
	blocked.Sweeps
	grid   blocked.Grid
	red    bool // the order is redblack
	sweeps int
	x      []float64
	want   []float64 // what the sequential loop gives, once it was asked for
	seed   uint64
}

func newInstance(p kernel.Params, env kernel.Env) (_ kernel.Instance, err error) {
	in := &instance{grid: shape(p), red: p.Word("order") == redblack, sweeps: p.Int("sweeps"),
		seed: env.Seed}
	in.Sweeps = blocked.Sweeps{Count: 2 * in.sweeps, Blocks: in.grid.Tiles(), Of: in}
	if !in.red { // steps, and pairs of tiles that adjoin
		in.Count += in.grid.Down() + in.grid.Across() - 3
		in.Blocks = in.grid.Down() * in.pairs()
	}
	in.Add("x", in.grid)
	if in.x, err = blocked.Alloc[float64](&in.Memory, env, in.grid.Len()); err != nil {
		return nil, err
	}
	in.Reset(false)
	return in, nil
}

// fill draws elements in [0, 1) from the seed.
func (in *instance) fill(x []float64) {
	r := rand.NewPCG(in.seed, 0)
	for i := range x {
		x[i] = float64(r.Uint64()>>11) / (1 << 53)
	}
}

// The kernels of the registry.
const (
	red loi.KernelID = iota
	black

	sweep loi.KernelID = 0
)

func (in *instance) Registry() loi.Registry {
	var params []loi.Param
	for i := range blocked.Stencil {
		params = append(params, loi.Param{Mode: loi.In})
		if i < blocked.Own {
			params[i].Mode = loi.InOut
		}
	}
	kernels := []loi.Kernel{{Name: "sor", Params: params}}
	if in.red {
		kernels = []loi.Kernel{red: {Name: "red", Params: params},
			black: {Name: "black", Params: params}}
	}
	return loi.Registry{Objects: in.Objects(), Kernels: kernels, Regions: blocked.Regions}
}

// Work implements [kernel.Modelled]: SciMark's six operations for each element, half of them in
// each colour.
func (in *instance) Work(_ loi.KernelID, blocks []uint32) uint64 {
	r0, r1, c0, c1 := in.grid.Tile(int(blocks[0]) / blocked.Own)
	n := 6 * uint64(r1-r0) * uint64(c1-c0)
	if in.red {
		return n / 2
	}
	return n
}

func (in *instance) Reset(hints bool) {
	in.fill(in.x)
	in.Begin(hints)
}

// Check compares with the sequential loop over the whole matrix, bit for bit. It is done once.
func (in *instance) Check() kernel.Check {
	if in.want == nil {
		in.want = make([]float64, len(in.x))
		in.fill(in.want)
		in.sequential(in.want)
	}
	return in.Verdict(fmt.Sprintf("%d sweeps of the sequential loop", in.sweeps), len(in.x),
		func(i int) (got, want float64) { return in.x[i], in.want[i] })
}

// sequential is the definition.
func (in *instance) sequential(x []float64) {
	n := in.grid.Stride()
	relax := func(r, c int) {
		at := r*n + c
		sum := x[at-n] + x[at+n] + x[at-1] + x[at+1]
		x[at] = float64(omega/4*sum) + float64((1-omega)*x[at])
	}
	colours := []int{0, 1}
	if !in.red {
		colours = []int{-1}
	}
	for range in.sweeps {
		for _, colour := range colours {
			for r := 1; r <= in.grid.Rows; r++ {
				for c := 1; c <= in.grid.Cols; c++ {
					if colour < 0 || (r+c)%2 == colour {
						relax(r, c)
					}
				}
			}
		}
	}
}

// pairs is how many pairs of tiles there are in a row of tiles, of which the last may have one tile
// only.
func (in *instance) pairs() int { return (in.grid.Across() + 1) / 2 }

// Visit implements [blocked.Swept]: a tile of a colour; or, of a pair of tiles, the one whose turn
// it is in that step, if it has one.
func (in *instance) Visit(w *runtimes.Worker, step, block int) {
	if in.red {
		in.relax(w, loi.KernelID(step%2), block, in.colour)
		return
	}
	i, j := block/in.pairs(), block%in.pairs()*2
	j += (step + i) % 2
	if s := step - i - j; j < in.grid.Across() && s >= 0 && s/2 < in.sweeps {
		in.relax(w, sweep, i*in.grid.Across()+j, in.rows)
	}
}

func (in *instance) relax(w *runtimes.Worker, k loi.KernelID, tile int,
	compute func(k loi.KernelID, r0, r1, c0, c1 int)) {
	around := in.grid.Around(tile)
	start := w.Begin(k)
	if w.Computes() {
		r0, r1, c0, c1 := in.grid.Tile(tile)
		compute(k, r0, r1, c0, c1)
	}
	w.End(k, start, around[:]...)
}

// Cost implements [blocked.Swept].
func (in *instance) Cost(from, to int) (work, bytes uint64) {
	n := uint64(to - from)
	return n, n * in.grid.Bytes() / uint64(in.Blocks)
}
