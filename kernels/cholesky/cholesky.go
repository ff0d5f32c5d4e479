// Package cholesky factors a symmetric positive definite matrix, A = L L^T in single precision,
// tile by tile (A. Buttari, J. Langou, J. Kurzak, J. Dongarra, "A class of parallel tiled linear
// algebra algorithms for multicore architectures", Parallel Computing 35, 2009), right-looking: in
// each step the tile on the diagonal (potrf), in parallel the tiles below it (trsm), then, divided
// and conquered, the tiles of the lower triangle behind them (syrk on the diagonal, gemm
// elsewhere).
//
// A step is fork-join, so there is no task of two steps at once, which a graph of data dependences
// would allow. The elements on and below the diagonal are read and become L; the tiles above
// receive the transposes of those below, so that each update is a product of rows, as the leaf of
// matmul has it. A syrk computes both halves of its tile.
package cholesky

import (
	"math"

	"krdlab/hw/ops"
	"krdlab/kernels/kernel"
	"krdlab/kernels/matmul/dense"
	"krdlab/kernels/tiles"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Kernel is the line of the table.
var Kernel = kernel.Kernel{
	Name:    "cholesky",
	Summary: "tiled Cholesky factorisation of a dense matrix in single precision",
	Work:    true,
	Size:    "n",
	Params: tiles.Params(kernel.Int("n", 2048, 1, 1<<16,
		"rows and columns of the matrix; any size"), 128, "rows and columns of a tile"),
	Plan:  plan,
	New:   newInstance,
	Small: []kernel.Params{{"n": 1}, {"n": 100, "block": 48}, {"n": 130, "block": 16}},
	Classes: []kernel.Class{{Name: "small", Params: kernel.Params{"n": 1024, "block": 64}},
		{Name: "large", Params: kernel.Params{"n": 8192, "block": 256}}},
}

// The kernels of the registry.
const (
	potrf loi.KernelID = iota
	trsm
	syrk
	gemm
)

func plan(p kernel.Params) (kernel.Plan, error) {
	out, err := tiles.Plan(p, p.Int("n"), 1)
	t := uint64(tiles.Across(p.Int("n"), p.Int("block")))
	// a tile on or below the diagonal in column j is updated j times, and then factored or solved
	out.Executions, out.Args = t*(t+1)*(t+2)/6, 3
	return out, err
}

type instance struct{ *tiles.Square }

func newInstance(p kernel.Params, env kernel.Env) (kernel.Instance, error) {
	s, err := tiles.New(p, p.Int("n"), env)
	if err != nil {
		return nil, err
	}
	in := &instance{s}
	in.Start(in)
	return in, nil
}

// Fill makes A: elements in [-1, 1), as the seed has them, and 2 sqrt(n) + 2 more on the diagonal.
// The largest eigenvalue of the former in magnitude is about 1.16 sqrt(n) (Wigner's semicircle), so
// A is definite, and not by so much that the elements beside the diagonal would not count.
func (in *instance) Fill() {
	for i := range in.T {
		in.A.FillBlocks(i*in.T, i*in.T+i+1, in.Env.Seed, dense.Uniform)
		t := in.At(i, i)
		for r := range t.Rows {
			t.Row(r)[r] += float32(2*math.Sqrt(float64(in.A.Rows)) + 2)
		}
		for j := range i + 1 {
			tiles.Transpose(in.At(i, j), in.At(j, i))
		}
	}
}

func (in *instance) Registry() loi.Registry {
	return loi.Registry{Objects: in.Objects(), Regions: tiles.Regions, Kernels: []loi.Kernel{
		potrf: {Name: "potrf", Params: tiles.Args(loi.InOut)},
		trsm:  {Name: "trsm", Params: tiles.Args(loi.In, loi.InOut, loi.Out)},
		syrk:  {Name: "syrk", Params: tiles.Args(loi.In, loi.In, loi.InOut)},
		gemm:  {Name: "gemm", Params: tiles.Args(loi.In, loi.In, loi.InOut)},
	}}
}

func (in *instance) Check() kernel.Check {
	return tiles.Compare(in.Product(tiles.Lower), in.AX, "L L^T")
}

// Size implements [tiles.Steps].
func (in *instance) Size(k int) (edges, rows, cols int, lower bool) {
	rest := in.T - k - 1
	return rest, rest, rest, true
}

func (in *instance) Diagonal(w *runtimes.Worker, k int) {
	start := w.Begin(potrf)
	if w.Computes() {
		in.Cholesky(in.At(k, k))
	}
	w.End(potrf, start, in.Block(k, k))
}

func (in *instance) Edge(w *runtimes.Worker, k, e int) {
	i := k + 1 + e
	start := w.Begin(trsm)
	if w.Computes() {
		l := in.At(i, k)
		in.SolveUpper(in.At(k, k), l)
		tiles.Transpose(l, in.At(k, i))
	}
	w.End(trsm, start, in.Block(k, k), in.Block(i, k), in.Block(k, i))
}

func (in *instance) Update(w *runtimes.Worker, k, i, j int) {
	i, j = k+1+i, k+1+j
	id := gemm
	if i == j {
		id = syrk
	}
	in.Gemm(w, id, i, j, k)
}

// Target implements [tiles.Steps].
func (in *instance) Target(k, i, j int, edge bool) uint32 {
	if edge {
		return in.Block(k+1+i, k)
	}
	return in.Block(k+1+i, k+1+j)
}

// Work implements [kernel.Modelled].
func (in *instance) Work(k loi.KernelID, blocks []uint32) ops.Count {
	n, inner := in.Sides(blocks[0])
	switch k {
	case potrf:
		return in.CholeskyOps(n)
	case trsm:
		m, _ := in.Sides(blocks[1])
		return tiles.Sum(in.SolveUpperOps(m, n), tiles.TransposeOps(m, n))
	}
	_, cols := in.Sides(blocks[1])
	return tiles.ProductOps(n, cols, inner)
}
