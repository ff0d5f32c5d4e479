// Package sparselu factors a sparse matrix of dense blocks, A = L U in single precision without
// pivoting: the benchmark SparseLU of the Barcelona OpenMP Tasks Suite (A. Duran and others,
// "Barcelona OpenMP Tasks Suite: a set of benchmarks targeting the exploitation of task parallelism
// in OpenMP", ICPP 2009), after its public sources (github.com/bsc-pm/bots, omp-tasks/sparselu,
// commit 2607a69).
//
// In each step the block on the diagonal is factored (lu0); then come, in parallel, the blocks
// right of it (fwd) and below it (bdiv); then those behind them of whose row and column both are
// there (bmod). The blocks at the beginning, their contents and the phases are those of BOTS; a
// block that a bmod makes is there, as zeros, from the beginning. BOTS spawns the tasks of a phase
// in a loop: here the list of rows and that of columns are divided and conquered.
package sparselu

import (
	"krdlab/hw/ops"
	"krdlab/kernels/kernel"
	"krdlab/kernels/tiles"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Kernel is the line of the table.
var Kernel = kernel.Kernel{
	Name:    "sparselu",
	Summary: "LU factorisation of a sparse matrix of dense blocks, as in BOTS",
	Work:    true,
	Size:    "n",
	Params: tiles.Params(kernel.Int("n", 50, 1, 500, "blocks in a row of the matrix"), 100,
		"rows and columns of a block"),
	Plan:  plan,
	New:   newInstance,
	Small: []kernel.Params{{"n": 1, "block": 5}, {"n": 10, "block": 12}},
	Classes: []kernel.Class{{Name: "small", Params: kernel.Params{"n": 32, "block": 50}},
		{Name: "large", Params: kernel.Params{"n": 100}},
		{Name: "bots", Params: kernel.Params{"n": 50, "block": 100}}},
}

// The kernels of the registry.
const (
	lu0 loi.KernelID = iota
	fwd
	bdiv
	bmod
)

// full reports whether BOTS has a block in row i and column j at the beginning.
func full(i, j int) bool {
	switch {
	case i-j >= -1 && i-j <= 1:
		return true
	case i%2 == 1 || j%2 == 1:
		return false
	}
	return min(i, j)%3 == 0
}

// fill are the blocks behind the diagonal, by step, that are there when the step comes.
type fill struct{ rows, cols [][]int }

// structure returns them, and which blocks there are at the end.
func structure(n int) (f fill, there [][]bool) {
	there = make([][]bool, n)
	for i := range there {
		there[i] = make([]bool, n)
		for j := range n {
			there[i][j] = full(i, j)
		}
	}
	for k := range n {
		var rows, cols []int
		for i := k + 1; i < n; i++ {
			if there[i][k] {
				rows = append(rows, i)
			}
			if there[k][i] {
				cols = append(cols, i)
			}
		}
		for _, i := range rows {
			for _, j := range cols {
				there[i][j] = true
			}
		}
		f.rows, f.cols = append(f.rows, rows), append(f.cols, cols)
	}
	return f, there
}

func plan(p kernel.Params) (kernel.Plan, error) {
	n := p.Int("n")
	out, err := tiles.Plan(p, n*p.Int("block"), 1)
	f, _ := structure(n)
	for k := range n {
		rows, cols := uint64(len(f.rows[k])), uint64(len(f.cols[k]))
		out.Executions += 1 + rows + cols + rows*cols
	}
	out.Args = 3
	return out, err
}

type instance struct {
	*tiles.Square
	fill
	there [][]bool
}

func newInstance(p kernel.Params, env kernel.Env) (kernel.Instance, error) {
	n := p.Int("n")
	s, err := tiles.New(p, n*p.Int("block"), env)
	if err != nil {
		return nil, err
	}
	s.Unpivoted = true
	in := &instance{Square: s}
	in.fill, in.there = structure(n)
	in.Start(in)
	return in, nil
}

func (in *instance) Registry() loi.Registry {
	return loi.Registry{Objects: in.Objects(), Regions: tiles.Regions, Kernels: []loi.Kernel{
		lu0:  {Name: "lu0", Params: tiles.Args(loi.InOut)},
		fwd:  {Name: "fwd", Params: tiles.Args(loi.In, loi.InOut)},
		bdiv: {Name: "bdiv", Params: tiles.Args(loi.In, loi.InOut)},
		bmod: {Name: "bmod", Params: tiles.Args(loi.In, loi.In, loi.InOut)},
	}}
}

// Fill makes the matrix that BOTS generates, whatever the seed: block by block in rows, numbers of
// one linear congruential generator, from -2 to 2.
func (in *instance) Fill() {
	state := 1325
	for i := range in.T {
		for j := range in.T {
			if !in.there[i][j] {
				continue
			}
			t, drawn := in.At(i, j), full(i, j)
			for r := range t.Rows {
				row := t.Row(r)
				clear(row)
				for c := range row {
					if drawn {
						state = 3125 * state % 65536
						row[c] = float32(state-32768) / 16384
					}
				}
			}
		}
	}
}

func (in *instance) Check() kernel.Check {
	return tiles.Compare(in.Product(tiles.UnitLower), in.AX, "L U")
}

// Size implements [tiles.Steps]: edges are the columns, then the rows.
func (in *instance) Size(k int) (edges, rows, cols int, lower bool) {
	rows, cols = len(in.rows[k]), len(in.cols[k])
	return rows + cols, rows, cols, false
}

func (in *instance) Diagonal(w *runtimes.Worker, k int) {
	start := w.Begin(lu0)
	if w.Computes() {
		in.LU(in.At(k, k))
	}
	w.End(lu0, start, in.Block(k, k))
}

func (in *instance) Edge(w *runtimes.Worker, k, e int) {
	id, solve := fwd, in.SolveLower
	if e >= len(in.cols[k]) {
		id, solve = bdiv, in.SolveUpper
	}
	start := w.Begin(id)
	to := in.Target(k, e, 0, true)
	if w.Computes() {
		solve(in.At(k, k), in.At(int(to)/in.T, int(to)%in.T))
	}
	w.End(id, start, in.Block(k, k), to)
}

func (in *instance) Update(w *runtimes.Worker, k, i, j int) {
	in.Gemm(w, bmod, in.rows[k][i], in.cols[k][j], k)
}

// Target implements [tiles.Steps].
func (in *instance) Target(k, i, j int, edge bool) uint32 {
	if !edge {
		return in.Block(in.rows[k][i], in.cols[k][j])
	}
	if cols := in.cols[k]; i < len(cols) {
		return in.Block(k, cols[i])
	}
	return in.Block(in.rows[k][i-len(in.cols[k])], k)
}

// Work implements [kernel.Modelled].
func (in *instance) Work(k loi.KernelID, blocks []uint32) ops.Count {
	n, _ := in.Sides(blocks[0])
	switch k {
	case lu0:
		return in.LUOps(n)
	case fwd:
		return in.SolveLowerOps(n, n)
	case bdiv:
		return in.SolveUpperOps(n, n)
	}
	return tiles.ProductOps(n, n, n)
}
