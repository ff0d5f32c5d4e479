// Package fft computes the discrete Fourier transform of n = R C complex numbers, n a power of two,
// by transforms of R and C points with R = C or R = 2 C:
//
//	M. Frigo, C. E. Leiserson, H. Prokop, S. Ramachandran: Cache-Oblivious Algorithms. IEEE Symposium
//	on Foundations of Computer Science (FOCS) 1999.
//
// Of the input as R rows, columns are transformed and turned by the n-th roots of one, then rows of
// what came out, and their results are the output's columns. Those transforms fit into a core's
// caches, and n up to 2^26 needs no second level of the recursion. Each phase halves its range of
// panels until one is left: 8 or more columns, or rows, are one kernel execution. BOTS (bsc-pm/bots,
// omp-tasks/fft, commit 2607a69), after Cilk's, splits off one radix after the other, each a pass over
// the memory, as do its twiddles.
//
// The input is not overwritten, and there are two more arrays: the values between the phases, in
// tiles that are a column panel wide and a row panel high, and the output.
package fft

//go:generate go run ./gen

import (
	"math/bits"
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
	Name:    "fft",
	Summary: "Fourier transform of complex numbers in double precision: columns, then rows",
	Work:    true,
	Placed:  true,
	Size:    "n",
	Params: []kernel.Param{
		kernel.Int("n", 1<<21, 64, 1<<26, "points, a power of two"),
		kernel.ISA("the leaf"),
	},
	Plan:  plan,
	New:   newInstance,
	Small: []kernel.Params{{"n": 64}, {"n": 128, "isa": "portable"}, {"n": 8192}},
	Classes: []kernel.Class{
		{Name: "small", Params: kernel.Params{"n": 1 << 18}},
		{Name: "large", Params: kernel.Params{"n": 1 << 24}},
		{Name: "bots", Params: kernel.Params{"n": 1 << 25}},
	},
}

// lanes is how many columns, or rows, are transformed side by side.
const lanes = 8

// maxPanels is how many column panels and row panels there are at most: tiles that an execution
// names.
const maxPanels = 128

// sizes records how n points are cut: rows and columns, and how many of each are a panel.
type sizes struct{ rows, cols, high, wide int }

func cut(n int) sizes {
	s := sizes{rows: 1 << (bits.Len(uint(n)) / 2), cols: 1 << ((bits.Len(uint(n)) - 1) / 2)}
	s.high, s.wide = max(lanes, s.rows/maxPanels), max(lanes, s.cols/maxPanels)
	return s
}

// panels returns the numbers of column and row panels.
func (s sizes) panels() (columns, rows int) { return s.cols / s.wide, s.rows / s.high }

func read(p kernel.Params) (sizes, isa.Set, error) {
	n := p.Int("n")
	if n&(n-1) != 0 {
		return sizes{}, 0, p.Errorf("n", "it must be a power of two, like %d",
			1<<bits.Len(uint(n)))
	}
	set, err := p.ISA()
	return cut(n), set, err
}

func plan(p kernel.Params) (kernel.Plan, error) {
	s, set, err := read(p)
	if err != nil {
		return kernel.Plan{}, err
	}
	columns, rows := s.panels()
	return kernel.Plan{Resolved: kernel.Params{"n": p["n"], "isa": set.String()},
		Bytes: 48 * uint64(p.Int("n")), Blocks: uint64(columns*rows + columns + rows),
		Executions: uint64(columns + rows), Args: 1 + max(columns, rows)}, nil
}

// instance is a transform with its data. It is [blocked.Phases], one by columns and one by rows.
type instance struct {
	blocked.Space
	last blocked.Touched // column panels
	sizes
	in, out blocked.Array[complex128]
	tiles   blocked.Array[vector] // see leaf.go
	leaf    *leaves
}

// The phases, their kernels and regions.
const (
	byColumns = iota
	byRows
)

func newInstance(p kernel.Params, env kernel.Env) (kernel.Instance, error) {
	s, set, err := read(p)
	if err != nil {
		return nil, err
	}
	in := &instance{Space: blocked.Space{Env: env}, sizes: s}
	in.in = blocked.NewArray[complex128](&in.Space, "in", blocked.Matrix{Rows: s.rows,
		Cols: s.cols, TileRows: s.rows, TileCols: s.wide, Elem: 16})
	in.tiles = blocked.NewArray[vector](&in.Space, "tiles", blocked.Matrix{Rows: s.rows,
		Cols: s.cols, TileRows: s.high, TileCols: s.wide, Elem: 16, Tiled: true})
	in.out = blocked.NewArray[complex128](&in.Space, "out", blocked.Matrix{Rows: s.cols,
		Cols: s.rows, TileRows: s.cols, TileCols: s.high, Elem: 16})
	if err := in.Err(); err != nil {
		return nil, err
	}
	if !env.Dry {
		in.leaf = newLeaves(s, set)
		in.fill()
	}
	in.Reset(false)
	return in, nil
}

func (in *instance) Registry() loi.Registry {
	columns, rows := in.panels()
	r := loi.Registry{Objects: in.Objects(), Kernels: []loi.Kernel{
		{Name: "columns", Params: append([]loi.Param{in.in.In()},
			slices.Repeat([]loi.Param{in.tiles.Out()}, rows)...)},
		{Name: "rows", Params: append([]loi.Param{in.out.Out()},
			slices.Repeat([]loi.Param{in.tiles.In()}, columns)...)}}}
	for _, k := range r.Kernels {
		r.Regions = append(r.Regions, loi.Region{Name: k.Name, Kind: loi.Loop,
			Parent: loi.NoRegion})
	}
	return r
}

func (in *instance) Reset(hints bool) {
	clear(in.out.Data)
	in.last.Reset(hints, in.Size(byColumns))
}

// Work implements [kernel.Modelled]: 5 N log2 N operations for a transform of N points, as FFTW
// counts them, and 6 for each root of one.
func (in *instance) Work(k loi.KernelID, _ []uint32) ops.Count {
	count, points, turn := in.wide, in.rows, 8
	if k == byRows {
		count, points, turn = in.high, in.cols, 0
	}
	all := uint64(count * points)
	levels := uint64(bits.Len(uint(points)) - 1)
	return ops.Count{ops.Double: all * (17*(levels/2) + 4*(levels%2)) / 2,
		ops.Scalar: all * uint64(turn), ops.Integer: 4 * all}
}

// Uniform implements [kernel.Uniform].
func (in *instance) Uniform(loi.KernelID) bool { return true }

// Root implements [runtimes.Program].
func (in *instance) Root(w *runtimes.Worker) *runtimes.Frame { return blocked.Run(w, in) }

// Size implements [blocked.Phases].
func (in *instance) Size(phase int) int {
	columns, rows := in.panels()
	return [...]int{columns, rows, 0}[phase]
}

// Regions implements [blocked.Phases].
func (in *instance) Regions(phase int) (whole, half loi.RegionID) {
	return loi.RegionID(phase), loi.RegionID(phase)
}

// Hint returns how many panels there are, in operations, and what they touch; near is the worker
// that ran the first of them in the run's other phase, or none.
func (in *instance) Hint(phase, from, to int) runtimes.Hint {
	if !in.last.Noting() {
		return runtimes.Hint{}
	}
	columns, rows := in.panels()
	bytes, near := uint64(32*in.rows*in.wide), 0
	if phase == byRows {
		bytes = uint64(32 * in.cols * in.high)
		near = in.last.Near(uint32(from * columns / rows))
	}
	n := uint64(to - from)
	return runtimes.Hint{Work: n, Bytes: n * bytes, Near: near}
}

// Execute implements [blocked.Phases]: a panel, which is a kernel execution.
func (in *instance) Execute(w *runtimes.Worker, phase, i int) {
	columns, rows := in.panels()
	var room [1 + maxPanels]uint32
	args, compute := append(room[:0], uint32(i)), in.byRows
	if phase == byColumns {
		if in.last.Noting() {
			in.last.By(w.ID(), uint32(i))
		}
		compute = in.byColumns
		for r := range rows {
			args = append(args, uint32(r*columns+i))
		}
	} else {
		for c := range columns {
			args = append(args, uint32(i*columns+c))
		}
	}
	k := loi.KernelID(phase)
	start := w.Begin(k)
	if w.Computes() {
		compute(i)
	}
	w.End(k, start, args...)
}
