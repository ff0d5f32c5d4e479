package heat

import "krdlab/kernels/isa"

//go:generate go run ./gen

// row computes a row of len(to) elements from the one above it, its own with a neighbour at either
// end, and the one below. All instruction sets give the same bits.
func row(s isa.Set, to, up, mid, down []float64) {
	n := len(to)
	up, mid, down = up[:n], mid[:n+2], down[:n]
	if whole := n &^ (step(s) - 1); s != isa.Portable && whole > 0 {
		rowSIMD(s, whole, &to[0], &up[0], &mid[0], &down[0])
		to, up, mid, down = to[whole:], up[whole:], mid[whole:], down[whole:]
	}
	rowPortable(to, up, mid, down)
}

// step returns the number of elements that a row of an instruction set is a multiple of: two
// vectors.
func step(s isa.Set) int {
	if s == isa.AVX512 {
		return 16
	}
	return 8
}

func rowPortable(to, up, mid, down []float64) {
	for len(to) >= 4 && len(up) >= 4 && len(mid) >= 6 && len(down) >= 4 {
		to[0] = 0.25 * ((mid[0] + mid[2]) + (up[0] + down[0]))
		to[1] = 0.25 * ((mid[1] + mid[3]) + (up[1] + down[1]))
		to[2] = 0.25 * ((mid[2] + mid[4]) + (up[2] + down[2]))
		to[3] = 0.25 * ((mid[3] + mid[5]) + (up[3] + down[3]))
		to, up, mid, down = to[4:], up[4:], mid[4:], down[4:]
	}
	for i := range to {
		to[i] = 0.25 * ((mid[i] + mid[i+2]) + (up[i] + down[i]))
	}
}
