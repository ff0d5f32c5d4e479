package dense

import (
	"fmt"
	"math"
)

// Matrix is a matrix of float32 cut into blocks of tileRows x tileCols, those at the lower and
// right edge shorter.
//
// Concurrent calls may read anything and write different elements.
type Matrix struct {
	Rows, Cols         int
	TileRows, TileCols int
	Layout             Layout
	// Data is the storage, with padding: page-aligned, in large pages where the system grants them.
	// Padding is 0 and stays 0 unless the caller writes to it.
	Data []float32

	blockRows, blockCols int
	// floats from one row to the next, inside a block (Tiled) or in all (Row)
	stride      int
	blockFloats int      // Tiled: floats per block
	slot        []uint32 // Tiled: where each block lies, in blocks
	free        func() error
}

const (
	lineFloats = 16 // floats in a cache line of 64 bytes
	// slackFloats follow the last element so that a vector load which starts at an element may run
	// past its row.
	slackFloats = 64
)

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// New returns a zero matrix of rows x cols in blocks of tileRows x tileCols (clamped to the
// matrix). The memory is mapped but not touched: the first to write a page decides on which NUMA
// node it lies. Free it with [Matrix.Free].
func New(rows, cols, tileRows, tileCols int, layout Layout) (*Matrix, error) {
	if rows < 1 || cols < 1 || tileRows < 1 || tileCols < 1 {
		return nil, fmt.Errorf("matrix %dx%d in blocks of %dx%d: expected sizes of at least 1",
			rows, cols, tileRows, tileCols)
	}
	m := &Matrix{Rows: rows, Cols: cols, TileRows: min(tileRows, rows), TileCols: min(tileCols,
		cols), Layout: layout}
	m.blockRows = (rows + m.TileRows - 1) / m.TileRows
	m.blockCols = (cols + m.TileCols - 1) / m.TileCols
	floats := 0.0 // in floating point, so that an absurd size is refused and not wrapped
	switch layout {
	case Row:
		m.stride = roundUp(cols, lineFloats)
		if m.stride/lineFloats%2 == 0 {
			m.stride += lineFloats
		}
		floats = float64(m.stride) * float64(rows)
	case Tiled:
		m.stride = roundUp(m.TileCols, lineFloats)
		floats = float64(m.stride) * float64(m.TileRows) * float64(m.blockRows) * float64(
			m.blockCols)
	default:
		return nil, fmt.Errorf("matrix %dx%d: unknown layout %d", rows, cols, int(layout))
	}
	if blocks := float64(m.blockRows) * float64(m.blockCols); blocks > math.MaxUint32 {
		return nil,
			fmt.Errorf("matrix %dx%d in blocks of %dx%d: %.0f blocks, expected at most 2^32-1",
				rows, cols, tileRows, tileCols, blocks)
	}
	if floats > 1<<44 {
		return nil, fmt.Errorf("matrix %dx%d: %.0f floats do not fit an address space", rows, cols,
			floats)
	}
	var err error
	if m.Data, m.free, err = allocate(int(floats) + slackFloats); err != nil {
		return nil, fmt.Errorf("matrix %dx%d: %d bytes: %w", rows, cols,
			4*(int(floats)+slackFloats), err)
	}
	if layout == Tiled {
		m.blockFloats = m.stride * m.TileRows
		m.slot = halvingOrder(m)
	}
	return m, nil
}

// Free gives the memory back; a nil matrix has none. The matrix and every [Multiplier] of it must
// not be used afterwards.
func (m *Matrix) Free() error {
	if m == nil {
		return nil
	}
	free := m.free
	m.Data, m.free = nil, nil
	if free == nil {
		return nil
	}
	return free()
}

// At returns element (i, j).
func (m *Matrix) At(i, j int) float32 { return m.Data[m.index(i, j)] }

// Set sets element (i, j).
func (m *Matrix) Set(i, j int, v float32) { m.Data[m.index(i, j)] = v }

func (m *Matrix) index(i, j int) int {
	if uint(i) >= uint(m.Rows) || uint(j) >= uint(m.Cols) {
		panic(fmt.Sprintf("dense: element (%d, %d) of a %dx%d matrix", i, j, m.Rows, m.Cols))
	}
	bi, bj := i/m.TileRows, j/m.TileCols
	return m.base(bi, bj) + (i-bi*m.TileRows)*m.stride + (j - bj*m.TileCols)
}

// base returns the index in Data of the first element of block (bi, bj).
func (m *Matrix) base(bi, bj int) int {
	if m.Layout == Row {
		return bi*m.TileRows*m.stride + bj*m.TileCols
	}
	return int(m.slot[bi*m.blockCols+bj]) * m.blockFloats
}

// Tile returns where the first element of block (bi, bj) lies, and how far apart its rows are, in
// floats from the beginning.
func (m *Matrix) Tile(bi, bj int) (at, stride int) { return m.base(bi, bj), m.stride }

// Down returns the number of blocks from top to bottom.
func (m *Matrix) Down() int { return m.blockRows }

// Across returns the number of blocks from left to right.
func (m *Matrix) Across() int { return m.blockCols }

// Blocks returns the number of blocks.
func (m *Matrix) Blocks() int { return m.blockRows * m.blockCols }

// BlockIndex returns the number of block (bi, bj), row by row from 0 whatever the layout: its
// virtual identity.
func (m *Matrix) BlockIndex(bi, bj int) uint32 { return uint32(bi*m.blockCols + bj) }

// BlockSize returns the rows and columns of block (bi, bj), which are short at the lower and right
// edge.
func (m *Matrix) BlockSize(bi, bj int) (rows, cols int) {
	return min(m.TileRows, m.Rows-bi*m.TileRows), min(m.TileCols, m.Cols-bj*m.TileCols)
}

// BlockBytes returns the size of the elements of block (bi, bj), without padding.
func (m *Matrix) BlockBytes(bi, bj int) int {
	r, c := m.BlockSize(bi, bj)
	return 4 * r * c
}

// Zero sets every element to 0.
func (m *Matrix) Zero() { m.ZeroBlocks(0, m.Blocks()) }

// ZeroBlocks sets the elements of the blocks numbered lo <= number < hi (see BlockIndex) to 0.
func (m *Matrix) ZeroBlocks(lo, hi int) {
	m.eachSegment(lo, hi, func(_, _ int, s []float32) { clear(s) })
}

// eachSegment calls f for pieces of rows that make up the blocks lo..hi, with the row and column of
// their first element. A piece lies within a block, or is a whole row if the layout is Row and all
// blocks of that row are asked for.
func (m *Matrix) eachSegment(lo, hi int, f func(i, j int, s []float32)) {
	for b := lo; b < hi; b++ {
		bi, bj := b/m.blockCols, b%m.blockCols
		rows, cols := m.BlockSize(bi, bj)
		if m.Layout == Row && bj == 0 && b+m.blockCols <= hi {
			cols = m.Cols
			b += m.blockCols - 1
		}
		at := m.base(bi, bj)
		for i := bi * m.TileRows; i < bi*m.TileRows+rows; i++ {
			f(i, bj*m.TileCols, m.Data[at:at+cols:at+cols])
			at += m.stride
		}
	}
}
