// Package sor relaxes a matrix by successive over-relaxation, in place and in double precision, as
// SciMark's SOR does (R. Pozo and B. Miller, "SciMark 2.0", NIST, 2000): each element but those of
// the border becomes
//
//	omega/4 (above + below + left + right) + (1 - omega) itself
//
// In the order redblack a sweep is two: the elements of a chequerboard's one colour, then of the
// other. A tile of one colour is one kernel execution.
//
// In the order sweep, which is SciMark's, an element sees above and to the left the values of the
// present sweep, below and to the right those of the one before. Tile (i, j) of sweep s can
// therefore run in step i + j + 2 s, together with the others of that step, which do not adjoin: a
// wavefront, or rather one for each sweep that is under way. Every element sees the same values as
// in the sequential loop, so that the result is the same bit for bit.
package sor

import (
	"fmt"
	"slices"

	"krdlab/hw/ops"
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
		kernel.Int("n", 4000, 5, 1<<17,
			"rows and columns of the matrix, with its border, which stays as it is"),
		kernel.Word("order", redblack, []string{redblack, sequential},
			"order of the elements of a sweep: redblack (one colour of a chequerboard, "+
				"then the other) or sweep (row by row, as SciMark, run as a wavefront of tiles)"),
		kernel.Int("rows", 64, 3, 1<<16, "least rows of a tile"),
		kernel.Int("cols", 128, 3, 1<<16, "least columns of a tile"),
		kernel.Int("sweeps", 20, 1, 1<<20, "how often each element is computed"),
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

func shape(p kernel.Params) blocked.Grid { return blocked.Square(p.Int("n")-2, p) }

// colours returns how many parts of the elements a sweep computes one after the other.
func colours(p kernel.Params) int {
	if p.Word("order") == redblack {
		return 2
	}
	return 1
}

func plan(p kernel.Params) (kernel.Plan, error) {
	g := shape(p)
	return kernel.Plan{Resolved: p, Bytes: 2 * g.Bytes(), Blocks: uint64(g.Blocks()),
		Executions: uint64(g.Tiles() * p.Int("sweeps") * colours(p)), Args: blocked.Stencil}, nil
}

type instance struct {
	blocked.Space
	blocked.Sweeps
	grid    blocked.Grid
	colours int
	sweeps  int
	x       blocked.Array[float64]
	want    []float64 // what the sequential loop gives, once it was asked for
}

func newInstance(p kernel.Params, env kernel.Env) (kernel.Instance, error) {
	in := &instance{Space: blocked.Space{Env: env}, grid: shape(p), colours: colours(p),
		sweeps: p.Int("sweeps")}
	in.Sweeps = blocked.Sweeps{Count: 2 * in.sweeps, Blocks: in.grid.Tiles(),
		Bytes: in.grid.Bytes(), Visit: in.visit}
	if in.colours == 1 { // steps, and pairs of tiles that adjoin
		in.Count += in.grid.Down() + in.grid.Across() - 3
		in.Blocks = in.grid.Down() * in.pairs()
	}
	in.x = blocked.NewArray[float64](&in.Space, "x", in.grid)
	if err := in.Err(); err != nil {
		return nil, err
	}
	in.Reset(false)
	return in, nil
}

// Registry returns a kernel for each colour.
func (in *instance) Registry() loi.Registry {
	r := loi.Registry{Objects: in.Objects(), Regions: blocked.Regions}
	for _, name := range [][]string{1: {"sor"}, 2: {"red", "black"}}[in.colours] {
		r.Kernels = append(r.Kernels, loi.Kernel{Name: name, Params: slices.Concat(
			slices.Repeat([]loi.Param{in.x.InOut()}, blocked.Own),
			slices.Repeat([]loi.Param{in.x.In()}, blocked.Stencil-blocked.Own))})
	}
	return r
}

// Work implements [kernel.Modelled]: SciMark's six operations for each element of a colour. In the
// sequential order three of them wait for the element before; four rows do so side by side.
func (in *instance) Work(_ loi.KernelID, blocks []uint32) ops.Count {
	n := in.grid.Elements(blocks[0]) / uint64(in.colours)
	if in.colours == 1 {
		return ops.Count{ops.Scalar: 6 * n, ops.Chain: 3 * n / 4}
	}
	return ops.Count{ops.Scalar: 6 * n, ops.Integer: 2 * n}
}

func (in *instance) Reset(hints bool) {
	blocked.Draw(in.x.Data, in.Env.Seed)
	in.Begin(hints)
}

// Check compares with the sequential loop over the whole matrix, bit for bit. It is done once.
func (in *instance) Check() kernel.Check {
	if in.want == nil {
		in.want = make([]float64, in.grid.Len())
		blocked.Draw(in.want, in.Env.Seed)
		in.sequential(in.want)
	}
	return in.Verdict(fmt.Sprintf("%d sweeps of the sequential loop", in.sweeps), len(in.want),
		func(i int) (got, want float64) { return in.x.Data[i], in.want[i] })
}

// sequential computes a sweep by the definition.
func (in *instance) sequential(x []float64) {
	n := in.grid.Stride()
	for i := range in.sweeps * in.colours {
		for r := 1; r <= in.grid.Rows; r++ {
			for c := 1; c <= in.grid.Cols; c++ {
				if at := r*n + c; (r+c-i)%in.colours == 0 {
					sum := x[at-n] + x[at+n] + x[at-1] + x[at+1]
					x[at] = float64(omega/4*sum) + float64((1-omega)*x[at])
				}
			}
		}
	}
}

// pairs returns how many pairs of tiles there are in a row of tiles; the last may have one tile
// only.
func (in *instance) pairs() int { return (in.grid.Across() + 1) / 2 }

// visit runs a tile of a colour; or, of a pair of tiles, the one whose turn it is in that step, if
// it has one.
func (in *instance) visit(w *runtimes.Worker, step, block int) {
	if in.colours == 2 {
		in.grid.Run(w, loi.KernelID(step%2), block, func(r0, r1, c0, c1 int) {
			in.colour(step%2, r0, r1, c0, c1)
		})
		return
	}
	i, j := block/in.pairs(), block%in.pairs()*2
	j += (step + i) % 2
	if s := step - i - j; j < in.grid.Across() && s >= 0 && s/2 < in.sweeps {
		in.grid.Run(w, 0, i*in.grid.Across()+j, in.rows)
	}
}
