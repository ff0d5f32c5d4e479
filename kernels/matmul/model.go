package matmul

import (
	"krdlab/hw/ops"
	"krdlab/loi"
)

// Work returns the operations of a leaf: a multiplication and an addition for each of its M x N x K
// products.
func (in *instance) Work(_ loi.KernelID, blocks []uint32) ops.Count {
	if in.work != 0 {
		return ops.Count{ops.Fused: in.work}
	}
	aCols, bCols := uint32(in.a.Across()), uint32(in.b.Across())
	m, k := in.a.BlockSize(int(blocks[0]/aCols), int(blocks[0]%aCols))
	_, n := in.b.BlockSize(0, int(blocks[1]%bCols))
	return ops.Count{ops.Fused: 2 * uint64(m) * uint64(n) * uint64(k)}
}

// Uniform implements [kernel.Uniform].
func (in *instance) Uniform(loi.KernelID) bool { return in.work != 0 }
