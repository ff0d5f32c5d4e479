package heat

import (
	"fmt"
	"slices"
	"testing"

	"krdlab/kernels/isa"
)

// Every instruction set gives the bits of the portable loop, for each length, and writes no more
// than the row.
func TestRow(t *testing.T) {
	const room = 100
	plate := make([]float64, 3*(room+2))
	for i := range plate {
		plate[i] = 1 / float64(i+3)
	}
	up, mid, down := plate[:room], plate[room:2*room+2], plate[2*room+2:]
	for _, s := range isa.Supported() {
		for n := 1; n <= room; n++ {
			got, want := make([]float64, n+1), make([]float64, n+1)
			rowPortable(want[:n], up[:n], mid[:n+2], down[:n])
			row(s, got[:n], up, mid, down)
			if !slices.Equal(got, want) {
				t.Errorf("%v, %d elements: %g, want %g", s, n, got, want)
			}
		}
	}
}

// BenchmarkRow is a row of 256 elements in the first-level cache.
func BenchmarkRow(b *testing.B) {
	const n = 256
	to, from := make([]float64, n), make([]float64, 3*n+2)
	for _, s := range isa.Supported() {
		b.Run(fmt.Sprintf("isa=%v", s), func(b *testing.B) {
			b.SetBytes(8 * n)
			for b.Loop() {
				row(s, to, from[:n], from[n:2*n+2], from[2*n+2:])
			}
		})
	}
}
