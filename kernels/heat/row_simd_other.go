//go:build !amd64

package heat

import "krdlab/kernels/isa"

func rowSIMD(isa.Set, int, *float64, *float64, *float64, *float64) {
	panic("heat: no SIMD row on this architecture")
}
