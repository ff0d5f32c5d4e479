//go:build !amd64

package laplace

func hasISA(ISA) bool { return false }

func simdM2L(*Kernel) (m2l, mutual func(*Kernel, *Cells, int, int)) { return nil, nil }

func p2pSIMD(ISA, *Bodies, int, int, int, int) { panic("laplace: no SIMD kernel on this architecture") }

func mutualSIMD(ISA, *Bodies, int, int, int, int) {
	panic("laplace: no SIMD kernel on this architecture")
}
