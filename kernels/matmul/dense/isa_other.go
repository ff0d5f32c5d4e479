//go:build !amd64

package dense

func hasISA(ISA) bool { return false }

func (ISA) microTile() (rows, cols int) { return 1, 1 }

func leafSIMD(ISA, int, int, int, *float32, int, *float32, int, *float32, int, int, int) {
	panic("dense: no SIMD kernel on this architecture")
}
