//go:build !amd64

package laplace

import "krdlab/kernels/isa"

type (
	oneFunc    = func(ci, cj *float64, mj, li *float32)
	mutualFunc = func(ci, cj *float64, mi, mj, li, lj *float32)
)

func simdM2L(*Kernel) (m2l oneFunc, mutual mutualFunc) { return nil, nil }

type passFuncs struct {
	p2m, l2p func(c *float64, coeff *float32, b *[8][]float32, lo, hi int)
}

func simdPasses(*Kernel) passFuncs { return passFuncs{} }

func p2pSIMD(isa.Set, *Bodies, int, int, int, int) {
	panic("laplace: no SIMD kernel on this architecture")
}

func mutualSIMD(isa.Set, *Bodies, int, int, int, int) {
	panic("laplace: no SIMD kernel on this architecture")
}
