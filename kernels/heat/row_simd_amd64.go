package heat

import "krdlab/kernels/isa"

// rowSIMD works like rowPortable, by pointer, for n elements, a multiple of step(s) and not 0.
func rowSIMD(s isa.Set, n int, to, up, mid, down *float64) {
	if s == isa.AVX512 {
		rowAVX512(n, to, up, mid, down)
	} else {
		rowAVX2(n, to, up, mid, down)
	}
}
