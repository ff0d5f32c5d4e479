package sor

import (
	"testing"

	"krdlab/kernels/kernel"
)

// BenchmarkTile is a tile in the caches, in bytes of its elements: the sequential order of rows, and
// a colour.
func BenchmarkTile(b *testing.B) {
	x, err := newInstance(Kernel.With(kernel.Params{"n": 130}), kernel.Env{Seed: 3})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	in := x.(*instance)
	b.Run("order=sweep", func(b *testing.B) {
		b.SetBytes(8 * 64 * 128)
		for b.Loop() {
			in.rows(1, 65, 1, 129)
		}
	})
	b.Run("order=redblack", func(b *testing.B) {
		b.SetBytes(8 * 64 * 128 / 2)
		for b.Loop() {
			in.colour(0, 1, 65, 1, 129)
		}
	})
}
