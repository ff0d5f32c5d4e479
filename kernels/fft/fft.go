// Package fft is the discrete Fourier transform of n = R C complex numbers, n a power of two, by
// transforms of R and C points with R = C or R = 2 C:
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
// The input is not overwritten, and there are two more arrays: what is between the phases, in tiles
// that are a column panel wide and a row panel high, and the output.
package fft

//go:generate go run ./gen

import (
	"fmt"
	"math/bits"

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
		{Name: "n", Kind: kernel.IntParam, Default: 1 << 21, Min: 64, Max: 1 << 26,
			Help: "points, a power of two"},
		{Name: "isa", Kind: kernel.WordParam, Default: "auto", Choices: isa.Names(),
			Help: "instruction set of the leaf; auto takes the best that this CPU has"},
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

// sizes says how n points are cut: rows and columns, and how many of each are a panel.
type sizes struct{ rows, cols, high, wide int }

func cut(n int) sizes {
	s := sizes{rows: 1 << (bits.Len(uint(n)) / 2), cols: 1 << ((bits.Len(uint(n)) - 1) / 2)}
	s.high, s.wide = max(lanes, s.rows/maxPanels), max(lanes, s.cols/maxPanels)
	return s
}

// panels are the numbers of column and row panels.
func (s sizes) panels() (columns, rows int) { return s.cols / s.wide, s.rows / s.high }

func read(p kernel.Params) (sizes, isa.Set, error) {
	n := p.Int("n")
	if n&(n-1) != 0 {
		return sizes{}, 0, &kernel.ParamError{Name: "n", Got: fmt.Sprint(n),
			Want: fmt.Sprintf("it must be a power of two, like %d", 1<<bits.Len(uint(n)))}
	}
	set, err := isa.Parse(p.Word("isa"))
	if err == nil {
		set, err = set.Resolve()
	}
	if err != nil {
		return sizes{}, 0, &kernel.ParamError{Name: "isa", Got: p.Word("isa"), Want: err.Error()}
	}
	return cut(n), set, nil
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

// instance is a transform with its data.
type instance struct {
	blocked.Space
	blocked.Memory
	last blocked.Touched // column panels, then row panels
	sizes
	in, out []complex128
	tiles   []vector // see leaf.go
	leaf    *leaves
	seed    uint64
}

// The objects and kernels of the registry.
const (
	objIn loi.ObjectID = iota
	objTiles
	objOut
)

const (
	kColumns loi.KernelID = iota
	kRows
)

func newInstance(p kernel.Params, env kernel.Env) (kernel.Instance, error) {
	s, set, err := read(p)
	if err != nil {
		return nil, err
	}
	n := p.Int("n")
	in := &instance{sizes: s, seed: env.Seed}
	in.Add("in", blocked.Matrix{Rows: s.rows, Cols: s.cols, TileRows: s.rows, TileCols: s.wide,
		Elem: 16})
	in.Add("tiles", blocked.Matrix{Rows: s.rows, Cols: s.cols, TileRows: s.high, TileCols: s.wide,
		Elem: 16, Tiled: true})
	in.Add("out", blocked.Matrix{Rows: s.cols, Cols: s.rows, TileRows: s.cols, TileCols: s.high,
		Elem: 16})
	if in.in, err = blocked.Alloc[complex128](&in.Memory, env, n); err == nil {
		if in.out, err = blocked.Alloc[complex128](&in.Memory, env, n); err == nil {
			in.tiles, err = blocked.Alloc[vector](&in.Memory, env, n/lanes)
		}
	}
	if err != nil {
		in.Close()
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
	first := []loi.Param{{Object: objIn, Mode: loi.In}}
	for range rows {
		first = append(first, loi.Param{Object: objTiles, Mode: loi.Out})
	}
	second := []loi.Param{{Object: objOut, Mode: loi.Out}}
	for range columns {
		second = append(second, loi.Param{Object: objTiles, Mode: loi.In})
	}
	return loi.Registry{Objects: in.Objects(),
		Kernels: []loi.Kernel{{Name: "columns", Params: first}, {Name: "rows", Params: second}},
		Regions: []loi.Region{{Name: "columns", Kind: loi.Loop, Parent: loi.NoRegion},
			{Name: "rows", Kind: loi.Loop, Parent: loi.NoRegion}}}
}

func (in *instance) Reset(hints bool) {
	clear(in.out)
	columns, rows := in.panels()
	in.last.Reset(hints, columns+rows)
}

// Work implements [kernel.Modelled]: 5 N log2 N operations for a transform of N points, as FFTW
// counts them, and 6 for each root of one.
func (in *instance) Work(k loi.KernelID, _ []uint32) uint64 {
	count, points, roots := in.wide, in.rows, 6
	if k == kRows {
		count, points, roots = in.high, in.cols, 0
	}
	return uint64(count * points * (5*(bits.Len(uint(points))-1) + roots))
}

// phases is the task of the whole; its phases are one half of panels each.
type phases struct {
	runtimes.Frame
	in    *instance
	phase loi.KernelID
}

// Root implements [runtimes.Program].
func (in *instance) Root(w *runtimes.Worker) *runtimes.Frame {
	t := runtimes.New[phases](w, 0)
	t.in = in
	return t.Fork(1)
}

func (t *phases) Run(w *runtimes.Worker, _ int) *runtimes.Frame {
	columns, rows := t.in.panels()
	if t.phase == kColumns {
		return t.in.part(w, kColumns, 0, columns)
	}
	return t.in.part(w, kRows, 0, rows)
}

func (t *phases) Next(_ *runtimes.Worker, phase int) int {
	t.phase = kRows
	return 1 - phase
}

// Region implements [runtimes.Regioned].
func (t *phases) Region(phase int) loi.RegionID { return loi.RegionID(phase) }

// half is the task of some panels of a phase, more than one.
type half struct {
	runtimes.Frame
	in       *instance
	phase    loi.KernelID
	from, to int
}

func (in *instance) part(w *runtimes.Worker, phase loi.KernelID, from, to int) *runtimes.Frame {
	if to-from == 1 {
		in.panel(w, phase, from)
		return nil
	}
	t := runtimes.New[half](w, 1)
	t.in, t.phase, t.from, t.to = in, phase, from, to
	return t.Fork(2)
}

func (t *half) child(i int) (from, to int) {
	mid := (t.from + t.to) / 2
	if i == 0 {
		return t.from, mid
	}
	return mid, t.to
}

func (t *half) Run(w *runtimes.Worker, i int) *runtimes.Frame {
	from, to := t.child(i)
	return t.in.part(w, t.phase, from, to)
}

func (t *half) Next(*runtimes.Worker, int) int { return 0 }

// Region implements [runtimes.Regioned].
func (t *half) Region(int) loi.RegionID { return loi.RegionID(t.phase) }

// Hint says how many panels child i is, in operations, and what they touch; near is who ran the
// first of them in the run's other phase, or nobody.
func (t *half) Hint(_ *runtimes.Worker, i int) runtimes.Hint {
	in := t.in
	if !in.last.Noting() {
		return runtimes.Hint{}
	}
	from, to := t.child(i)
	columns, rows := in.panels()
	bytes, near := uint64(32*in.rows*in.wide), 0
	if t.phase == kRows {
		bytes = uint64(32 * in.cols * in.high)
		near = in.last.Near(uint32(from * columns / rows))
	}
	return runtimes.Hint{Work: uint64(to-from) * in.Work(t.phase, nil),
		Bytes: uint64(to-from) * bytes, Near: near}
}

// panel is a kernel execution.
func (in *instance) panel(w *runtimes.Worker, phase loi.KernelID, i int) {
	columns, rows := in.panels()
	if in.last.Noting() && phase == kColumns {
		in.last.By(w.ID(), uint32(i))
	}
	var room [1 + maxPanels]uint32
	args := append(room[:0], uint32(i))
	if phase == kColumns {
		for r := range rows {
			args = append(args, uint32(r*columns+i))
		}
	} else {
		for c := range columns {
			args = append(args, uint32(i*columns+c))
		}
	}
	start := w.Begin(phase)
	if w.Computes() {
		if phase == kColumns {
			in.columns(i)
		} else {
			in.rowsOf(i)
		}
	}
	w.End(phase, start, args...)
}
