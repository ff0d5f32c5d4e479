//go:build !amd64

package dense

func hasISA(ISA) bool { return false }

func leafSIMD(ISA, int, int, int, *float32, int, *float32, int, *float32, int) {
	panic("dense: no SIMD kernel on this architecture")
}
