//go:build !amd64

package laplace

func hasISA(ISA) bool { return false }

type (
	oneFunc    = func(ci, cj *Centre, mj, li *float32)
	mutualFunc = func(ci, cj *Centre, mi, mj, li, lj *float32)
)

func simdM2L(*Kernel) (m2l oneFunc, mutual mutualFunc) { return nil, nil }

func p2pSIMD(ISA, *Bodies, int, int, int, int) { panic("laplace: no SIMD kernel on this architecture") }

func mutualSIMD(ISA, *Bodies, int, int, int, int) {
	panic("laplace: no SIMD kernel on this architecture")
}
