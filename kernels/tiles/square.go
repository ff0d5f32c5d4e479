package tiles

import (
	"fmt"

	"krdlab/kernels/blocked"
	"krdlab/kernels/isa"
	"krdlab/kernels/kernel"
	"krdlab/kernels/matmul/dense"
	"krdlab/loi"
)

// Params returns the parameters of a kernel on square matrices: that of its size, block and isa.
// help is that of block.
func Params(size kernel.Param, block int, help string) []kernel.Param {
	return []kernel.Param{size,
		{Name: "block", Kind: kernel.IntParam, Default: block, Min: 1, Max: 1024, Help: help},
		{Name: "isa", Kind: kernel.WordParam, Default: "auto", Choices: isa.Names(),
			Help: "instruction set of the products; auto takes the best that this CPU has"}}
}

// Plan returns the plan of an instance with count matrices of order n in tiles, without executions
// and arguments.
func Plan(p kernel.Params, n, count int) (kernel.Plan, error) {
	set, err := resolve(p)
	if err != nil {
		return kernel.Plan{}, err
	}
	out := kernel.Plan{Resolved: kernel.Params{}}
	for name, v := range p {
		out.Resolved[name] = v
	}
	out.Resolved["isa"] = set.String()
	across := uint64(Across(n, p.Int("block")))
	row := uint64(min(p.Int("block"), n)+15) / 16 * 16
	out.Blocks = uint64(count) * across * across
	out.Bytes = out.Blocks*row*uint64(min(p.Int("block"), n))*4 + 64*uint64(n)
	return out, nil
}

// Across returns how many tiles of order block a row of n elements has.
func Across(n, block int) int { return (n + block - 1) / block }

func resolve(p kernel.Params) (isa.Set, error) {
	set, err := isa.Parse(p.Word("isa"))
	if err == nil {
		set, err = set.Resolve()
	}
	if err != nil {
		return 0, &kernel.ParamError{Name: "isa", Got: p.Word("isa"), Want: err.Error()}
	}
	return set, nil
}

// A Square is a square matrix A in T x T tiles, object 0 of its space.
type Square struct {
	blocked.Space
	Ops
	A   *dense.Matrix
	T   int
	Env kernel.Env
}

// New returns a square matrix of order n; it is 0, and in a dry run nobody touches its memory.
func New(p kernel.Params, n int, env kernel.Env) (*Square, error) {
	set, err := resolve(p)
	if err != nil {
		return nil, err
	}
	b := p.Int("block")
	a, err := dense.New(n, n, b, b, dense.Tiled)
	if err != nil {
		return nil, fmt.Errorf("a square matrix: %w", err)
	}
	s := &Square{Ops: Ops{set, group}, A: a, T: a.BlockRows(), Env: env}
	s.Add("A", a)
	return s, nil
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

// Times adds a part of the matrix of tiles to y: a product with x. part says of each tile which
// part of it counts.
func (s *Square) Times(part func(i, j int) (Part, bool), y, x Vector) {
	for i := range s.T {
		for j := range s.T {
			if p, ok := part(i, j); ok {
				s.At(i, j).Apply(p, y, i*s.A.TileRows, x, j*s.A.TileCols)
			}
		}
	}
}

// Triangle returns, for Times, which tiles are part p of a matrix.
func Triangle(p Part) func(i, j int) (Part, bool) {
	return func(i, j int) (Part, bool) {
		switch {
		case p == All || i == j:
			return p, true
		case p == Upper:
			return All, i < j
		}
		return All, i > j
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
	set, err := resolve(p)
	return Ops{set, group}, err
}
