package matmul

import (
	"krdlab/kernels/kernel"
	"krdlab/kernels/matmul/dense"
	"krdlab/loi"
)

// Work returns the operations of a leaf: a multiplication and an addition for each of its M x N x K
// products.
func (in *instance) Work(_ loi.KernelID, blocks []uint32) uint64 {
	if in.work != 0 {
		return in.work
	}
	aCols, bCols := uint32(in.a.BlockCols()), uint32(in.b.BlockCols())
	m, k := in.a.BlockSize(int(blocks[0]/aCols), int(blocks[0]%aCols))
	_, n := in.b.BlockSize(0, int(blocks[1]%bCols))
	return 2 * uint64(m) * uint64(n) * uint64(k)
}

// A placed matrix is a [blocked.Shape]. Row-major matrices have no padding here, other than the real
// ones: rows of 4096 floats are 16 KiB apart, as the paper's are.
type placed struct{ *dense.Matrix }

func (m placed) Extent(block int) kernel.Extent {
	i, j := block/m.BlockCols(), block%m.BlockCols()
	rows, cols := m.BlockSize(i, j)
	if m.Layout == dense.Row {
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

func (m placed) Bytes() uint64 {
	if m.Layout == dense.Row {
		return 4 * uint64(m.Rows) * uint64(m.Cols)
	}
	_, stride := m.Tile(0, 0)
	return 4 * uint64(stride) * uint64(m.TileRows) * uint64(m.Blocks())
}
