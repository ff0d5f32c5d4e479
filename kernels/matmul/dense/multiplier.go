package dense

import (
	"fmt"

	"krdlab/kernels/isa"
)

// A Multiplier computes C += A B leaf by leaf. It holds no state of a computation: any number of
// goroutines may call Leaf at once as long as they write different blocks of C.
type Multiplier struct {
	a, b, c *Matrix
	isa     isa.Set
	// Prefetching of the kernels: the block stored after that of B, evenly spread over the leaf, in
	// bytes.
	bAhead, bStep int
}

// NewMultiplier returns the multiplier for C += A B, where A is m x k in blocks of lm x lk, B is k
// x n in blocks of lk x ln and C is m x n in blocks of lm x ln. The matrices must not be freed
// while it is used.
func NewMultiplier(a, b, c *Matrix, set isa.Set) (*Multiplier, error) {
	set, err := set.Resolve()
	if err != nil {
		return nil, err
	}
	if a.Cols != b.Rows || a.Rows != c.Rows || b.Cols != c.Cols {
		return nil, fmt.Errorf("product of %dx%d and %dx%d into %dx%d: the sizes do not match",
			a.Rows, a.Cols, b.Rows, b.Cols, c.Rows, c.Cols)
	}
	if a.TileCols != b.TileRows || a.TileRows != c.TileRows || b.TileCols != c.TileCols {
		return nil, fmt.Errorf("product of blocks of %dx%d and %dx%d into %dx%d: the sizes do "+
			"not match", a.TileRows, a.TileCols, b.TileRows, b.TileCols, c.TileRows, c.TileCols)
	}
	m := &Multiplier{a: a, b: b, c: c, isa: set}
	if b.Layout == Tiled && set != isa.Portable {
		rows, cols := microTile(set)
		tiles := (c.TileRows + rows - 1) / rows * ((c.TileCols + cols - 1) / cols)
		turns := tiles * max(1, b.TileRows/4)
		m.bAhead = 4 * b.blockFloats
		m.bStep = min(128, (m.bAhead+turns-1)/turns)
	}
	return m, nil
}

// Leaf adds block (bi, bk) of A times block (bk, bj) of B to block (bi, bj) of C. It allocates
// nothing and takes no lock.
func (m *Multiplier) Leaf(bi, bj, bk int) {
	a, b, c := m.a, m.b, m.c
	rows, cols := c.BlockSize(bi, bj)
	_, inner := a.BlockSize(bi, bk)
	if m.isa != isa.Portable {
		leafSIMD(m.isa, false, rows, cols, inner, &a.Data[a.base(bi, bk)], a.stride,
			&b.Data[b.base(bk, bj)], b.stride, &c.Data[c.base(bi, bj)], c.stride, m.bAhead, m.bStep)
		return
	}
	leafPortable(1, rows, cols, inner, a.Data[a.base(bi, bk):], a.stride, b.Data[b.base(bk, bj):],
		b.stride, c.Data[c.base(bi, bj):], c.stride)
}

// SlackFloats are how many floats [Update] may read past the last element of b.
const SlackFloats = slackFloats

// Update adds to c, or subtracts with minus, the product of a, rows x inner, and b, inner x cols,
// by the instruction set, which is not Auto. Strides are in floats. c overlaps neither.
func Update(set isa.Set, minus bool, rows, cols, inner int, a []float32, aStride int, b []float32,
	bStride int, c []float32, cStride int) {
	switch {
	case rows == 0 || cols == 0 || inner == 0:
	case set != isa.Portable:
		leafSIMD(set, minus, rows, cols, inner, &a[0], aStride, &b[0], bStride, &c[0], cStride,
			0, 0)
	default:
		sign := float32(1)
		if minus {
			sign = -1
		}
		leafPortable(sign, rows, cols, inner, a, aStride, b, bStride, c, cStride)
	}
}
