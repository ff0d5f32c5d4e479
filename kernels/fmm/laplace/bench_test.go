package laplace

import (
	"fmt"
	"testing"
)

// BenchmarkP2P: pairs of leaves of some number of bodies. A pair is a distance seen from one target: a mutual evaluation of
// n and m bodies counts 2 n m.
func BenchmarkP2P(b *testing.B) {
	for _, n := range []int{4, 8, 12, 16, 20, 32} {
		for _, isa := range Supported() {
			for _, mode := range []string{"one", "mutual", "self"} {
				b.Run(fmt.Sprintf("bodies=%d/isa=%v/mode=%s", n, isa, mode), func(b *testing.B) {
					k, err := New(Options{Order: 5, ISA: isa})
					if err != nil {
						b.Fatal(err)
					}
					const leaves = 16
					bodies := NewBodies(leaves * n)
					bodies.ball(newRand(1), 0, leaves*n, vec{}, 1, false)
					pairs := n * n
					i := 0
					for b.Loop() {
						i = (i + 1) % leaves
						j := (i + 5) % leaves
						switch mode {
						case "one":
							k.P2P(bodies, i*n, i*n+n, j*n, j*n+n)
						case "mutual":
							k.P2PMutual(bodies, i*n, i*n+n, j*n, j*n+n)
							pairs = 2 * n * n
						case "self":
							k.P2PSelf(bodies, i*n, i*n+n)
							pairs = n * (n - 1)
						}
					}
					b.ReportMetric(float64(pairs)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "Gpairs/s")
				})
			}
		}
	}
}
