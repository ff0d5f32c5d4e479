package dense

import "krdlab/kernels/isa"

// microTile returns the rows and columns of C that the kernel holds in registers.
func microTile(s isa.Set) (rows, cols int) {
	if s == isa.AVX512 {
		return 8, 32
	}
	return 6, 16
}

// leafSIMD works like leafPortable, by pointer, minus for the sign; bAhead and bStep are explained
// at the kernels. The kernels may read up to 31 floats (AVX-512) or 15 (AVX2) past the end of a row
// of b, which slackFloats keeps within the storage; lanes beyond cols are dropped.
func leafSIMD(s isa.Set, minus bool, rows, cols, inner int, a *float32, aStride int, b *float32,
	bStride int, c *float32, cStride int, bAhead, bStep int) {
	switch {
	case s == isa.AVX512 && minus:
		leafAVX512Sub(rows, cols, inner, a, aStride, b, bStride, c, cStride, bAhead, bStep)
	case s == isa.AVX512:
		leafAVX512(rows, cols, inner, a, aStride, b, bStride, c, cStride, bAhead, bStep)
	case minus:
		leafAVX2Sub(rows, cols, inner, a, aStride, b, bStride, c, cStride, bAhead, bStep)
	default:
		leafAVX2(rows, cols, inner, a, aStride, b, bStride, c, cStride, bAhead, bStep)
	}
}
