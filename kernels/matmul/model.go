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

// Place returns where a block lies: matrices follow each other, each from a multiple of 2 MiB.
// Row-major matrices have no padding here, other than the real ones: rows of 4096 floats are 16 KiB
// apart, as the paper's are.
func (in *instance) Place(o loi.ObjectID, block uint32) kernel.Extent {
	const align = 2 << 20
	matrices := []*dense.Matrix{in.a, in.b, in.c}
	var base uint64
	for _, m := range matrices[:o] {
		base += (in.bytes(m) + align - 1) / align * align
	}
	m := matrices[o]
	i, j := int(block)/m.BlockCols(), int(block)%m.BlockCols()
	rows, cols := m.BlockSize(i, j)
	if m.Layout == dense.Row {
		stride := 4 * uint64(m.Cols)
		return kernel.Extent{
			Base:  base + uint64(i*m.TileRows)*stride + 4*uint64(j*m.TileCols),
			Bytes: 4 * uint64(cols), Stride: stride, Rows: uint32(rows),
		}
	}
	at, stride := m.Tile(i, j)
	return kernel.Extent{Base: base + 4*uint64(at), Bytes: 4 * uint64(cols),
		Stride: 4 * uint64(stride), Rows: uint32(rows)}
}

// bytes is the room of a matrix at its place.
func (in *instance) bytes(m *dense.Matrix) uint64 {
	if m.Layout == dense.Row {
		return 4 * uint64(m.Rows) * uint64(m.Cols)
	}
	_, stride := m.Tile(0, 0)
	return 4 * uint64(stride) * uint64(m.TileRows) * uint64(m.Blocks())
}
