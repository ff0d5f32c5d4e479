package tiles

import (
	"fmt"
	"maps"

	"krdlab/kernels/blocked"
	"krdlab/kernels/kernel"
	"krdlab/kernels/matmul/dense"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Params returns the parameters of a kernel on square matrices: that of its size, block and isa.
// help is that of block.
func Params(size kernel.Param, block int, help string) []kernel.Param {
	return []kernel.Param{size, kernel.Int("block", block, 1, 1024, help),
		kernel.ISA("the products")}
}

// Plan returns the plan of an instance with count matrices of order n in tiles, without executions
// and arguments.
func Plan(p kernel.Params, n, count int) (kernel.Plan, error) {
	set, err := p.ISA()
	if err != nil {
		return kernel.Plan{}, err
	}
	out := kernel.Plan{Resolved: maps.Clone(p)}
	out.Resolved["isa"] = set.String()
	across := uint64(Across(n, p.Int("block")))
	row := uint64(min(p.Int("block"), n)+15) / 16 * 16
	out.Blocks = uint64(count) * across * across
	out.Bytes = out.Blocks*row*uint64(min(p.Int("block"), n))*4 + 64*uint64(n)
	return out, nil
}

// Across returns how many tiles of order block a row of n elements has.
func Across(n, block int) int { return (n + block - 1) / block }

// A Square is a square matrix A in T x T tiles, object 0 of its space, and its factorisation.
type Square struct {
	blocked.Space
	Ops
	Factor
	A *dense.Matrix
	T int
	// X are vectors of signs and AX their products with A, for the check. A dry run has none.
	X, AX Vectors
}

// New returns a square matrix of order n; it is 0, and in a dry run its memory is not touched.
func New(p kernel.Params, n int, env kernel.Env) (*Square, error) {
	ops, err := NewOps(p)
	if err != nil {
		return nil, err
	}
	b := p.Int("block")
	a, err := dense.New(n, n, b, b, dense.Tiled)
	if err != nil {
		return nil, fmt.Errorf("a square matrix: %w", err)
	}
	s := &Square{Space: blocked.Space{Env: env}, Ops: ops, A: a, T: a.Down()}
	s.Factor = Factor{N: s.T, TileBytes: uint64(a.BlockBytes(0, 0))}
	s.Add("A", a)
	return s, nil
}

// Start sets the steps of the factorisation, and makes A and what the check needs.
func (s *Square) Start(steps Steps) {
	s.Steps = steps
	s.Reset(false)
	if !s.Env.Dry {
		s.X, s.AX = Signs(s.A.Rows, s.Env.Seed), NewVectors(s.A.Rows)
		s.Times(All, s.AX, s.X)
	}
}

// Reset implements [kernel.Instance].
func (s *Square) Reset(hints bool) {
	if !s.Env.Dry {
		s.Steps.Fill()
	}
	s.Last.Reset(hints, s.A.Blocks())
}

// Product returns the products of two factors, as A has them, with X: lower is [Lower] or
// [UnitLower], the other one Upper.
func (s *Square) Product(lower Part) Vectors {
	up, y := NewVectors(s.A.Rows), NewVectors(s.A.Rows)
	s.Times(Upper, up, s.X)
	s.Times(lower, y, up)
	return y
}

// Gemm executes kernel id: tile i, j minus the product of tiles i, k and k, j.
func (s *Square) Gemm(w *runtimes.Worker, id loi.KernelID, i, j, k int) {
	start := w.Begin(id)
	if w.Computes() {
		s.Minus(s.At(i, j), s.At(i, k), s.At(k, j))
	}
	w.End(id, start, s.Block(i, k), s.Block(k, j), s.Block(i, j))
}

// At returns the tile in row i and column j of tiles.
func (s *Square) At(i, j int) Tile { return At(s.A, i, j) }

// Block returns its number.
func (s *Square) Block(i, j int) uint32 { return s.A.BlockIndex(i, j) }

// Sides returns the rows and columns of the tile with number b.
func (s *Square) Sides(b uint32) (rows, cols uint64) {
	r, c := s.A.BlockSize(int(b)/s.T, int(b)%s.T)
	return uint64(r), uint64(c)
}

// Times adds the products of a part of the matrix with x to y.
func (s *Square) Times(p Part, y, x Vectors) {
	for i := range s.T {
		for j := range s.T {
			part := p
			if i != j {
				part = All
			}
			if p == All || i == j || (i < j) == (p == Upper) {
				s.At(i, j).Apply(part, y, i*s.A.TileRows, x, j*s.A.TileCols)
			}
		}
	}
}

// Close implements [kernel.Instance].
func (s *Square) Close() error { return s.A.Free() }

// Args returns parameters of the modes, each a block of object 0.
func Args(modes ...loi.Mode) []loi.Param {
	var ps []loi.Param
	for _, m := range modes {
		ps = append(ps, loi.Param{Object: 0, Mode: m})
	}
	return ps
}

// NewOps returns the operations in the instruction set that the parameters name.
func NewOps(p kernel.Params) (Ops, error) {
	set, err := p.ISA()
	return Ops{Set: set}, err
}
