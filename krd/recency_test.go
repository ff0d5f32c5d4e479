package krd

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRecency compares with a list of lines, over several resets of different lengths.
func TestRecency(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var r recency
	for round := range 30 {
		r.reset()
		var list []uint64 // the last first
		last := map[uint64]uint64{}
		lines := 1 + rng.IntN(1<<(1+round%12))
		for i := range 3000 {
			line := uint64(rng.IntN(lines)) << (round % 7 * 8)
			if i%3 == 0 {
				line = uint64(i%lines) << (round % 7 * 8)
			}
			at := slices.Index(list, line)
			between, when, first := r.access(line, uint64(i))
			switch {
			case !first && when != last[line]:
				t.Fatalf("round %d, access %d: the last was at %d, expected %d", round, i, when, last[line])
			case first != (at < 0):
				t.Fatalf("round %d, access %d: first is %v", round, i, first)
			case first && between != len(list) || !first && between != at:
				t.Fatalf("round %d, access %d: %d between, expected %d of %d", round, i, between, at,
					len(list))
			}
			if at >= 0 {
				list = slices.Delete(list, at, at+1)
			}
			list, last[line] = slices.Insert(list, 0, line), uint64(i)
		}
	}
}

func BenchmarkRecency(b *testing.B) {
	for _, lines := range []int{4, 1 << 10, 1 << 16} {
		b.Run(map[int]string{4: "lines=4", 1 << 10: "lines=1024", 1 << 16: "lines=65536"}[lines],
			func(b *testing.B) {
				var r recency
				r.reset()
				for i := range b.N {
					r.access(uint64(i%lines), uint64(i))
				}
			})
	}
}
