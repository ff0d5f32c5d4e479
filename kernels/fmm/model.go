package fmm

import (
	"krdlab/hw/ops"
	"krdlab/kernels/fmm/laplace"
	"krdlab/kernels/kernel"
	"krdlab/loi"
)

// opsOfPair are the operations of one distance seen from one target: 20 where an inverse square
// root counts as 4 (L. Nyland, M. Harris, J. Prins, "Fast N-body simulation with CUDA", GPU Gems 3,
// 2007, ch. 31, with the potential in place of softening), and half as many again for its Newton
// step, the masks of the last lanes and sums over lanes. aroundPair are the instructions of a call
// beside them. Both follow from the time of pairs of leaves on a Zen 4, by its rates, and are not
// counted.
const (
	opsOfPair  = 30
	aroundPair = 100
)

// quarterLanes are the quarters of a lane that an operation of an M2L takes: its rows of a few
// coefficients fill less than a third of the lanes. Not counted either.
const quarterLanes = 13

// Work returns the operations of an M2L (laplace.Kernel.Flops), of two leaves or of a leaf with
// itself.
func (in *instance) Work(k loi.KernelID, blocks []uint32) ops.Count {
	directions := uint64(1)
	if in.mutual {
		directions = 2
	}
	if k == kernM2L {
		return ops.Count{ops.Single: in.ops.Flops(in.mutual) * quarterLanes / 4}
	}
	a := uint64(in.cells[in.leaves[blocks[0]]].bodies())
	pairs := a * (a - 1)
	if k != kernSelf {
		pairs = directions * a * uint64(in.cells[in.leaves[blocks[1]]].bodies())
	}
	return ops.Count{ops.Single: opsOfPair * pairs, ops.Integer: aroundPair}
}

// Place returns where a block lies: objects follow each other, each from a multiple of 2 MiB. An
// expansion is one row; packed, those of a cell stand behind its header, as in memory here. Bodies
// and forces are four arrays of their own (x, y, z, q; potential and acceleration), each from a
// cache line; a leaf has a stretch of each.
func (in *instance) Place(o loi.ObjectID, block uint32) kernel.Extent {
	const align, line = 2 << 20, 64
	cells := uint64(len(in.cells))
	multipole, local := in.multipoleBytes(), in.localBytes()
	first, second := cells*multipole, cells*local // what lies before the bodies
	if in.packed {
		first, second = cells*uint64(in.ops.CellBytes()), 0
		if o <= objLocals {
			at := uint64(block)*uint64(in.ops.CellBytes()) + laplace.HeaderBytes
			if o == objMultipoles {
				return kernel.Extent{Base: at, Bytes: multipole, Stride: multipole, Rows: 1}
			}
			return kernel.Extent{Base: at + multipole, Bytes: local, Stride: local, Rows: 1}
		}
	}
	array := (4*uint64(len(in.bodies)) + line - 1) / line * line
	var base uint64
	for _, bytes := range []uint64{objMultipoles: first, objLocals: second,
		objBodies: 4 * array}[:o] {
		base += (bytes + align - 1) / align * align
	}
	switch o {
	case objMultipoles:
		return kernel.Extent{Base: base + uint64(block)*multipole, Bytes: multipole,
			Stride: multipole, Rows: 1}
	case objLocals:
		return kernel.Extent{Base: base + uint64(block)*local, Bytes: local, Stride: local, Rows: 1}
	}
	c := &in.cells[in.leaves[block]]
	return kernel.Extent{Base: base + 4*uint64(c.lo), Bytes: 4 * uint64(c.bodies()), Stride: array,
		Rows: 4}
}
