package dense

import "krdlab/kernels/kernel"

// Extent implements, with Bytes, [blocked.Shape]. Row-major matrices have no padding here, other
// than the real ones: rows of 4096 floats are 16 KiB apart, as the paper's are.
func (m *Matrix) Extent(block int) kernel.Extent {
	i, j := block/m.blockCols, block%m.blockCols
	rows, cols := m.BlockSize(i, j)
	if m.Layout == Row {
		stride := 4 * uint64(m.Cols)
		return kernel.Extent{
			Base:  uint64(i*m.TileRows)*stride + 4*uint64(j*m.TileCols),
			Bytes: 4 * uint64(cols), Stride: stride, Rows: uint32(rows),
		}
	}
	at, stride := m.Tile(i, j)
	return kernel.Extent{Base: 4 * uint64(at), Bytes: 4 * uint64(cols), Stride: 4 * uint64(stride),
		Rows: uint32(rows)}
}

// Bytes returns the size of the matrix, without the padding of the layout Row.
func (m *Matrix) Bytes() uint64 {
	if m.Layout == Row {
		return 4 * uint64(m.Rows) * uint64(m.Cols)
	}
	_, stride := m.Tile(0, 0)
	return 4 * uint64(stride) * uint64(m.TileRows) * uint64(m.Blocks())
}
