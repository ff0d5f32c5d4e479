package laplace

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"krdlab/kernels/isa"
)

// timed runs call(0), call(1) ... in batches and reports the time of a call in the best batch and
// in the median one. ns/op is a batch's. On a machine that others use as well the best shows the
// code's speed; a preempted batch shows nothing.
func timed(b *testing.B, call func(i int)) (best float64) {
	const batch = 256
	var ns []float64
	for n := 0; b.Loop(); n++ {
		start := time.Now()
		for i := range batch {
			call(n*batch + i)
		}
		ns = append(ns, float64(time.Since(start).Nanoseconds())/batch)
	}
	slices.Sort(ns)
	b.ReportMetric(ns[0], "best-ns/call")
	b.ReportMetric(ns[len(ns)/2], "median-ns/call")
	return ns[0]
}

// BenchmarkP2P: pairs of leaves of some number of bodies. A pair is a distance seen from one
// target: a mutual evaluation of n and m bodies counts 2 n m.
func BenchmarkP2P(b *testing.B) {
	for _, n := range []int{4, 8, 12, 16, 20, 32} {
		for _, set := range isa.Supported() {
			for mode, pairs := range map[string]int{"one": n * n, "mutual": 2 * n * n,
				"self": n * (n - 1)} {
				b.Run(fmt.Sprintf("bodies=%d/isa=%v/mode=%s", n, set, mode), func(b *testing.B) {
					k, err := New(Options{Order: 5, ISA: set})
					if err != nil {
						b.Fatal(err)
					}
					const leaves = 16
					bodies := NewBodies(leaves * n)
					bodies.ball(newRand(1), 0, leaves*n, vec{}, 1, false)
					best := timed(b, func(i int) {
						i, j := i%leaves*n, (i+5)%leaves*n
						switch mode {
						case "one":
							k.P2P(bodies, i, i+n, j, j+n)
						case "mutual":
							k.P2PMutual(bodies, i, i+n, j, j+n)
						case "self":
							k.P2PSelf(bodies, i, i+n)
						}
					})
					b.ReportMetric(float64(pairs)/best, "Gpairs/s")
				})
			}
		}
	}
}

// BenchmarkM2L: pairs of cells that stay in the first-level cache.
func BenchmarkM2L(b *testing.B) {
	for order := MinOrder; order <= MaxOrder; order++ {
		for _, set := range isa.Supported() {
			for _, dipoles := range []bool{false, true} {
				for _, mutual := range []bool{false, true} {
					b.Run(fmt.Sprintf("order=%d/isa=%v/dipoles=%v/mutual=%v", order, set, dipoles,
						mutual), func(b *testing.B) {
						k, err := New(Options{Order: order, ISA: set, Dipoles: dipoles})
						if err != nil {
							b.Fatal(err)
						}
						const cells, per = 16, 10
						bodies := NewBodies(cells * per)
						c := k.NewCells(cells)
						rng := newRand(1)
						for i := range cells {
							bodies.ball(rng, i*per, i*per+per, vec{float64(i % 4), float64(i / 4),
								0}, 0.25, dipoles)
							c.centre(i, bodies, i*per, i*per+per)
							k.P2M(c, i, bodies, i*per, i*per+per)
						}
						timed(b, func(n int) {
							i, j := n%cells, (n+5)%cells
							if mutual {
								k.M2LMutual(c, i, j)
							} else {
								k.M2L(c, i, j)
							}
						})
					})
				}
			}
		}
	}
}

// BenchmarkPasses: the operators of the passes up and down, leaves of 12 bodies; the first two per
// body.
func BenchmarkPasses(b *testing.B) {
	for _, order := range []int{5, 10} {
		for _, set := range isa.Supported() {
			for _, op := range []string{"P2M", "L2P", "M2M", "L2L"} {
				b.Run(fmt.Sprintf("order=%d/isa=%v/op=%s", order, set, op), func(b *testing.B) {
					k, err := New(Options{Order: order, ISA: set})
					if err != nil {
						b.Fatal(err)
					}
					const n = 12
					bodies, c := NewBodies(2*n), k.NewCells(2)
					bodies.ball(newRand(1), 0, 2*n, vec{}, 1, false)
					c.centre(0, bodies, 0, 2*n)
					c.centre(1, bodies, n, 2*n)
					best := timed(b, func(int) {
						switch op {
						case "P2M":
							k.P2M(c, 1, bodies, n, 2*n)
						case "L2P":
							k.L2P(c, 1, bodies, n, 2*n)
						case "M2M":
							k.M2M(c, 1, 0)
						case "L2L":
							k.L2L(c, 0, 1)
						}
					})
					if op == "P2M" || op == "L2P" {
						b.ReportMetric(best/n, "ns/body")
					}
				})
			}
		}
	}
}
