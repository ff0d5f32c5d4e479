package laplace

import (
	"fmt"
	"testing"

	"krdlab/kernels/isa"
)

// isas calls f for each instruction set, at an order that does not matter.
func isas(t *testing.T, f func(t *testing.T, k *Kernel)) {
	for _, set := range isa.Supported() {
		k, err := New(Options{Order: 5, ISA: set})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(set.String(), func(t *testing.T) { f(t, k) })
	}
}

// guarded fails where a body outside the ranges has a result.
func guarded(t *testing.T, b *Bodies, ranges ...int) {
	t.Helper()
	for i := range b.X {
		in := false
		for r := 0; r < len(ranges); r += 2 {
			in = in || ranges[r] <= i && i < ranges[r+1]
		}
		if !in && b.field(i) != [4]float64{} {
			t.Fatalf("body %d outside %v has the field %v", i, ranges, b.field(i))
		}
	}
}

// TestP2P: all lengths of both ranges that take different ways through the assembly, each body to
// 1e-6 of the sums without signs, and nothing written beside them.
func TestP2P(t *testing.T) {
	isas(t, func(t *testing.T, k *Kernel) {
		b := NewBodies(110)
		b.ball(newRand(5), 0, 110, vec{1, 2, 3}, 1, false)
		for nt := range 36 {
			for _, ns := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 17, 31, 33} {
				for _, mode := range []string{"one", "mutual", "self"} {
					b.clearResults()
					tlo, slo := 3, 50
					thi, shi := tlo+nt, slo+ns
					switch mode {
					case "one":
						k.P2P(b, tlo, thi, slo, shi)
						guarded(t, b, tlo, thi)
					case "mutual":
						k.P2PMutual(b, tlo, thi, slo, shi)
						guarded(t, b, tlo, thi, slo, shi)
						compare(t, fmt.Sprintf("%d x %d %s, sources", nt, ns, mode), b, slo, shi,
							tlo, thi)
					case "self":
						slo, shi = tlo, thi
						k.P2PSelf(b, tlo, thi)
						guarded(t, b, tlo, thi)
					}
					compare(t, fmt.Sprintf("%d x %d %s", nt, ns, mode), b, tlo, thi, slo, shi)
				}
				if t.Failed() {
					return
				}
			}
		}
	})
}

// compare checks the bodies tlo to thi-1 against the reference, sources slo to shi-1. Charges are
// positive, so that the potential is the sum of magnitudes; that of the accelerations is taken
// apart.
func compare(t *testing.T, what string, b *Bodies, tlo, thi, slo, shi int) {
	t.Helper()
	for i := tlo; i < thi; i++ {
		want, got := refDirect(b, i, slo, shi), b.field(i)
		size := 0.0
		for j := slo; j < shi; j++ {
			if r := b.at(j).sub(b.at(i)).norm(); r > 0 {
				size += float64(b.Q[j]) / (r * r)
			}
		}
		near(t, fmt.Sprintf("%s: potential of %d", what, i-tlo), got[0], want[0], 1e-6*want[0])
		for e := 1; e < 4; e++ {
			near(t, fmt.Sprintf("%s: gradient %d of %d", what, e, i-tlo), got[e], want[e],
				2e-6*size)
		}
	}
}

// TestP2PAdds: results are added to the present values.
func TestP2PAdds(t *testing.T) {
	isas(t, func(t *testing.T, k *Kernel) {
		b := NewBodies(20)
		b.ball(newRand(6), 0, 20, vec{}, 1, false)
		k.P2P(b, 0, 20, 0, 7)
		k.P2P(b, 0, 20, 7, 20)
		compare(t, "two parts", b, 0, 20, 0, 20)
	})
}

// TestCoincident: bodies in one point give each other nothing, and others what they should.
func TestCoincident(t *testing.T) {
	isas(t, func(t *testing.T, k *Kernel) {
		b := NewBodies(40)
		b.ball(newRand(7), 0, 40, vec{}, 1, false)
		for i := 5; i < 30; i++ {
			b.X[i], b.Y[i], b.Z[i] = 0.25, 0, 0
		}
		k.P2PSelf(b, 5, 30)
		guarded(t, b)
		k.P2PSelf(b, 0, 40)
		compare(t, "self", b, 0, 40, 0, 40)
		b.clearResults()
		k.P2PMutual(b, 0, 16, 16, 40)
		compare(t, "mutual", b, 0, 16, 16, 40)
		compare(t, "mutual", b, 16, 40, 0, 16)
		for i := range b.X {
			b.X[i], b.Y[i], b.Z[i] = 0, 0, 0 // where the empty lanes are as well
		}
		b.clearResults()
		k.P2PSelf(b, 0, 39)
		guarded(t, b)
	})
}

// TestLongRange: the sum over very many sources keeps its digits.
func TestLongRange(t *testing.T) {
	isas(t, func(t *testing.T, k *Kernel) {
		const n = 100_000
		b := NewBodies(n + 3)
		b.ball(newRand(8), 0, n, vec{10, 0, 0}, 0.5, false)
		b.ball(newRand(9), n, n+3, vec{0, 0, 0}, 1, false)
		k.P2PMutual(b, n, n+3, 0, n)
		compare(t, "few targets", b, n, n+3, 0, n)
	})
}

// TestRanges: ranges that are none of the bodies, and cells that are none, panic rather than write
// elsewhere.
func TestRanges(t *testing.T) {
	isas(t, func(t *testing.T, k *Kernel) {
		b, c := NewBodies(8), k.NewCells(2)
		for name, call := range map[string]func(){
			"targets past the end":  func() { k.P2P(b, 0, 9, 0, 4) },
			"sources past the end":  func() { k.P2P(b, 0, 4, 0, 9) },
			"a negative target":     func() { k.P2P(b, -1, 4, 0, 4) },
			"mutual past the end":   func() { k.P2PMutual(b, 0, 4, 4, 9) },
			"self past the end":     func() { k.P2PSelf(b, 5, 9) },
			"P2M past the end":      func() { k.P2M(c, 0, b, 0, 9) },
			"L2P past the end":      func() { k.L2P(c, 0, b, 0, 9) },
			"P2M of no cell":        func() { k.P2M(c, 2, b, 0, 8) },
			"L2P of no cell":        func() { k.L2P(c, 2, b, 0, 8) },
			"M2L of no target":      func() { k.M2L(c, 2, 0) },
			"M2L of no source":      func() { k.M2L(c, 0, 2) },
			"M2L of a negative one": func() { k.M2L(c, -1, 0) },
			"mutual of no cell":     func() { k.M2LMutual(c, 0, 2) },
			"M2M of no parent":      func() { k.M2M(c, 0, 2) },
			"L2L of no child":       func() { k.L2L(c, 0, 2) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s: no panic", name)
					}
				}()
				call()
			}()
		}
	})
}
