package dense

import (
	"krdlab/hw"

	"golang.org/x/sys/cpu"
)

// hasISA says whether the CPU has s and the operating system saves its registers.
func hasISA(s ISA) bool {
	f := hw.Features()
	switch s {
	case AVX512:
		return f.AVX512F && cpu.X86.HasBMI2 // BZHI makes the lane masks
	case AVX2:
		return f.AVX2 && f.FMA
	}
	return false
}

// microTile returns the rows and columns of C that the kernel holds in registers.
func (s ISA) microTile() (rows, cols int) {
	if s == AVX512 {
		return 8, 32
	}
	return 6, 16
}

// leafSIMD is leafPortable by pointer; bAhead and bStep are explained at the kernels. The kernels may read up to 31 floats
// (AVX-512) or 15 (AVX2) past the end of a row of b, which slackFloats keeps within the storage; lanes beyond cols are
// dropped.
func leafSIMD(isa ISA, rows, cols, inner int, a *float32, aStride int, b *float32, bStride int, c *float32, cStride int, bAhead, bStep int) {
	if isa == AVX512 {
		leafAVX512(rows, cols, inner, a, aStride, b, bStride, c, cStride, bAhead, bStep)
	} else {
		leafAVX2(rows, cols, inner, a, aStride, b, bStride, c, cStride, bAhead, bStep)
	}
}
