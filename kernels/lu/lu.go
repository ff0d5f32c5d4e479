// Package lu factors a dense matrix, P A = L U in single precision with partial pivoting, in
// panels: the right-looking algorithm of LAPACK's sgetrf, on tiles.
//
// In each step the panel, a column of tiles from the diagonal down, is factored by one execution,
// recursively in halves of its columns (S. Toledo, "Locality of reference in LU decomposition with
// partial pivoting", SIAM J. Matrix Anal. Appl. 18, 1997). Then, in parallel, each other column of
// tiles has its rows swapped, and those right of the panel the triangle solved (swap and solve).
// Then the tiles behind are updated, divided and conquered (gemm).
//
// Which tiles a column's swaps touch depends on the pivots, but not how many executions there are:
// those of a kind that name m blocks are a kernel of their own, "swap/m". A dry run draws pivots
// from the seed, each among the rows that are left.
package lu

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"krdlab/hw/ops"
	"krdlab/kernels/kernel"
	"krdlab/kernels/matmul/dense"
	"krdlab/kernels/tiles"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Kernel is the line of the table.
var Kernel = kernel.Kernel{
	Name:    "lu",
	Summary: "blocked LU factorisation of a dense matrix with partial pivoting, single precision",
	Work:    true,
	Size:    "n",
	Params: tiles.Params(kernel.Int("n", 2048, 1, 1<<16,
		"rows and columns of the matrix; any size up to 250 blocks"), 128,
		"rows and columns of a tile; columns of a panel"),
	Plan:  plan,
	New:   newInstance,
	Small: []kernel.Params{{"n": 1}, {"n": 100, "block": 48}, {"n": 130, "block": 20}},
	Classes: []kernel.Class{{Name: "small", Params: kernel.Params{"n": 1024, "block": 64}},
		{Name: "large", Params: kernel.Params{"n": 8192, "block": 256}}},
}

// gemm is the first kernel; panel, swap and solve of 1 to T tiles follow.
const gemm loi.KernelID = 0

var kinds = [...]string{"panel", "swap", "solve"}

const (
	panel = iota
	swap
	solve
)

// maxTiles is the most tiles in a column: an execution may name all of these and one more.
const maxTiles = 250

func plan(p kernel.Params) (kernel.Plan, error) {
	out, err := tiles.Plan(p, p.Int("n"), 1)
	across := tiles.Across(p.Int("n"), p.Int("block"))
	if across > maxTiles && err == nil {
		err = p.Errorf("block", "n = %d is at most %d blocks, of at least %d", p.Int("n"),
			maxTiles, tiles.Across(p.Int("n"), maxTiles))
	}
	t := uint64(across)
	// in each step a panel, the other columns, and the square of the tiles that are left
	out.Executions, out.Args = t*t+(t-1)*t*(2*t-1)/6, across+1
	return out, err
}

type instance struct {
	*tiles.Square
	pivots []int // of row i: the row that it was swapped with, i or more
}

func newInstance(p kernel.Params, env kernel.Env) (kernel.Instance, error) {
	if _, err := plan(p); err != nil {
		return nil, err
	}
	s, err := tiles.New(p, p.Int("n"), env)
	if err != nil {
		return nil, err
	}
	n := s.A.Rows
	in := &instance{s, make([]int, n)}
	if env.Dry {
		r := rand.New(rand.NewPCG(env.Seed, 'p'))
		for i := range in.pivots {
			in.pivots[i] = i + r.IntN(n-i)
		}
	}
	in.Start(in)
	return in, nil
}

// Fill implements [tiles.Steps].
func (in *instance) Fill() { in.A.Fill(in.Env.Seed, dense.Uniform) }

func (in *instance) Registry() loi.Registry {
	r := loi.Registry{Objects: in.Objects(), Regions: tiles.Regions,
		Kernels: []loi.Kernel{{Name: "gemm", Params: tiles.Args(loi.In, loi.In, loi.InOut)}}}
	for kind, name := range kinds {
		for m := range in.T {
			ps := slices.Repeat(tiles.Args(loi.InOut), m+1)
			if kind == solve {
				ps = append(tiles.Args(loi.In), ps...)
			}
			r.Kernels = append(r.Kernels, loi.Kernel{Name: fmt.Sprintf("%s/%d", name, m+1),
				Params: ps})
		}
	}
	return r
}

// id returns the kernel of a kind on m tiles.
func (in *instance) id(kind, m int) loi.KernelID { return loi.KernelID(kind*in.T + m) }

func (in *instance) Check() kernel.Check {
	want := tiles.Vectors{V: slices.Clone(in.AX.V)}
	for i, p := range in.pivots {
		want.V[i], want.V[p] = want.V[p], want.V[i]
	}
	return tiles.Compare(in.Product(tiles.UnitLower), want, "L U, against P A,")
}

// Size implements [tiles.Steps]: edges are the columns of tiles but the panel's.
func (in *instance) Size(k int) (edges, rows, cols int, lower bool) {
	rest := in.T - k - 1
	return in.T - 1, rest, rest, false
}

func (in *instance) Diagonal(w *runtimes.Worker, k int) {
	var room [maxTiles]uint32
	blocks := room[:0]
	for i := k; i < in.T; i++ {
		blocks = append(blocks, in.Block(i, k))
	}
	id := in.id(panel, len(blocks))
	start := w.Begin(id)
	if w.Computes() {
		_, cols := in.A.BlockSize(k, k)
		in.panel(k, 0, cols)
	}
	w.End(id, start, blocks...)
}

func (in *instance) Edge(w *runtimes.Worker, k, e int) {
	j, kind := e, swap
	var room [maxTiles + 1]uint32
	blocks := room[:0]
	if e >= k {
		j, kind = e+1, solve
		blocks = append(blocks, in.Block(k, k))
	}
	blocks, m := append(blocks, in.Block(k, j)), 1
	var seen [maxTiles]bool
	for _, p := range in.step(k) {
		if i := p / in.A.TileRows; i > k && !seen[i] {
			seen[i] = true
			blocks, m = append(blocks, in.Block(i, j)), m+1
		}
	}
	id := in.id(kind, m)
	start := w.Begin(id)
	if w.Computes() {
		_, cols := in.A.BlockSize(k, j)
		in.swap(k, in.step(k), 0, j, 0, cols)
		if kind == solve {
			in.SolveLower(in.At(k, k), in.At(k, j))
		}
	}
	w.End(id, start, blocks...)
}

// step returns the pivots of step k.
func (in *instance) step(k int) []int {
	side := in.A.TileRows
	return in.pivots[k*side : min((k+1)*side, len(in.pivots))]
}

func (in *instance) Update(w *runtimes.Worker, k, i, j int) { in.Gemm(w, gemm, k+1+i, k+1+j, k) }

// Target implements [tiles.Steps].
func (in *instance) Target(k, i, j int, edge bool) uint32 {
	switch {
	case !edge:
		return in.Block(k+1+i, k+1+j)
	case i >= k:
		i++
	}
	return in.Block(k, i)
}

// Work returns the operations of the textbook's algorithms; of a swap, the elements that it moves.
func (in *instance) Work(k loi.KernelID, blocks []uint32) ops.Count {
	n, cols := in.Sides(blocks[0])
	if k == gemm {
		_, c := in.Sides(blocks[1])
		return tiles.ProductOps(n, c, cols)
	}
	switch (int(k) - 1) / in.T {
	case swap:
		return swapOps(n, cols)
	case solve:
		_, c := in.Sides(blocks[1])
		return tiles.Sum(swapOps(n, c), in.SolveLowerOps(n, c))
	}
	rows := uint64(0)
	for _, b := range blocks {
		r, _ := in.Sides(b)
		rows += r
	}
	return panelOps(rows, cols)
}
