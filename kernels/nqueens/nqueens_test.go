package nqueens

import (
	"math/bits"
	"testing"

	"krdlab/kernels/kernel"
)

// The known counts come out at every cut-off, and there are as many boards as Expand makes.
func TestKnownAnswers(t *testing.T) {
	for n := 1; n <= 11; n++ {
		for cutoff := 0; cutoff <= 5; cutoff++ {
			p := problem(Kernel.With(kernel.Params{"n": n, "cutoff": cutoff}))
			var found int64
			var visits, made uint64
			var walk func(b board, depth int)
			walk = func(b board, depth int) {
				if depth == p.Depth {
					m, v := p.Search(b)
					found, visits = found+m, visits+v
				}
				made++
				p.Expand(b, func(c board) {
					if c.column&(c.column-1) == 0 && depth > 0 || bits.OnesCount32(c.column) !=
						depth+1 {
						t.Fatalf("%d queens in %d rows", bits.OnesCount32(c.column), depth+1)
					}
					walk(c, depth+1)
				})
			}
			walk(p.Root, 0)
			if found != solutions[n-1] || cutoff == 0 && visits != made {
				t.Errorf("n %d, cut-off %d: %d solutions of %d boards, want %d of %d", n, cutoff,
					found, visits, solutions[n-1], made)
			}
		}
	}
}

// BOTS' size: 365 596 solutions.
func TestFourteen(t *testing.T) {
	if n, _ := count(1<<14-1, board{}); n != 365596 {
		t.Errorf("%d solutions, want 365596", n)
	}
}

func BenchmarkSearch(b *testing.B) {
	var visits uint64
	for b.Loop() {
		_, v := count(1<<12-1, board{})
		visits += v
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(visits), "ns/visit")
}
