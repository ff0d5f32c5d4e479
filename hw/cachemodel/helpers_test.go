package cachemodel

// Core returns the counts of one core, kernels together.
func (m *Model) Core(core int) (sum Counters) {
	for k := range m.kernels {
		sum.Add(&m.counters[core*m.kernels+k])
	}
	return sum
}

// A Matrix describes how a matrix that is cut into tiles lies in memory. Tiles at the right and
// lower edges are smaller where the tile's size does not divide the matrix's.
type Matrix struct {
	Rows, Cols, ElementBytes uint64
	TileRows, TileCols       uint64
	// tiles one after the other, each contiguous; otherwise rows of the whole matrix
	Tiled bool
	// not tiled: bytes from a row to the next; 0 means Cols * ElementBytes
	RowBytes uint64
}

// AddMatrix appends the tiles of a matrix, tiles of the same rows one after the other, and returns
// the number of the first. The matrix begins at a multiple of align, a power of two; 0 means 64.
func (l *Layout) AddMatrix(m Matrix, align uint64) uint32 {
	first := uint32(len(l.Blocks))
	pitch := m.RowBytes
	if pitch == 0 {
		pitch = m.Cols * m.ElementBytes
	}
	size := pitch * m.Rows
	if m.Tiled {
		size = m.Rows * m.Cols * m.ElementBytes
	}
	base := l.reserve(size, align)
	next := base
	for r := uint64(0); r < m.Rows; r += m.TileRows {
		rows := min(m.TileRows, m.Rows-r)
		for c := uint64(0); c < m.Cols; c += m.TileCols {
			width := min(m.TileCols, m.Cols-c) * m.ElementBytes
			b := Block{Base: next, RowBytes: width, Stride: width, Rows: uint32(rows)}
			if m.Tiled {
				next += rows * width
			} else {
				b.Base, b.Stride = base+r*pitch+c*m.ElementBytes, pitch
			}
			l.Blocks = append(l.Blocks, b)
		}
	}
	return first
}
