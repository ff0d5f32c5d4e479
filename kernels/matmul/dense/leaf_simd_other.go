//go:build !amd64

package dense

import "krdlab/kernels/isa"

func microTile(isa.Set) (rows, cols int) { return 1, 1 }

func leafSIMD(isa.Set, bool, int, int, int, *float32, int, *float32, int, *float32, int, int, int) {
	panic("dense: no SIMD kernel on this architecture")
}
