package laplace

import (
	"fmt"
	"math"
	"testing"
)

// TestClosedForms: the reference's derivatives against formulas written out by hand, to degree 3.
func TestClosedForms(t *testing.T) {
	for _, r := range []vec{{1, 2, -3}, {0.3, -0.1, 0.2}, {0, 0, 2}, {-1, 0, 0}} {
		x, d := r, r.norm()
		r3, r5, r7 := d*d*d, math.Pow(d, 5), math.Pow(d, 7)
		want := map[index]float64{{}: 1 / d}
		axes := [3]index{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
		delta := func(a, b int) float64 {
			if a == b {
				return 1
			}
			return 0
		}
		for a, ea := range axes {
			want[ea] = -x[a] / r3
			for b, eb := range axes {
				want[ea.plus(eb)] = 3*x[a]*x[b]/r5 - delta(a, b)/r3
				for c, ec := range axes {
					want[ea.plus(eb).plus(ec)] = -15*x[a]*x[b]*x[c]/r7 +
						3*(x[a]*delta(b, c)+x[b]*delta(a, c)+x[c]*delta(a, b))/r5
				}
			}
		}
		if len(want) != 20 {
			t.Fatalf("%d indices to degree 3, want 20", len(want))
		}
		for n, w := range want {
			near(t, fmt.Sprintf("D%v at %v", n, r), refDeriv(n, r), w,
				1e-13*math.Pow(d, -float64(n.degree()+1))*15)
		}
	}
}

// TestDifferences: each derivative is the limit of a central difference of the one below.
func TestDifferences(t *testing.T) {
	r, h := vec{0.8, -1.1, 0.6}, 1e-4
	for _, n := range indices(MaxOrder-1, MaxOrder) {
		for a, e := range [3]index{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}} {
			up, down := r, r
			up[a] += h
			down[a] -= h
			want := (refDeriv(n, up) - refDeriv(n, down)) / (2 * h)
			size := math.Gamma(float64(n.degree()+2)) / math.Pow(r.norm(), float64(n.degree()+2))
			near(t, fmt.Sprintf("D%v", n.plus(e)), refDeriv(n.plus(e), r), want, 1e-5*size)
		}
	}
}

// TestHarmonic: equation (6), up to order 10.
func TestHarmonic(t *testing.T) {
	r := vec{0.5, 0.7, -0.4}
	for _, n := range indices(MaxOrder-2, MaxOrder) {
		x, y, z := refDeriv(n.plus(index{2, 0, 0}), r), refDeriv(n.plus(index{0, 2, 0}), r),
			refDeriv(n.plus(index{0, 0, 2}), r)
		near(t, fmt.Sprintf("trace above %v", n), x+y+z, 0,
			1e-10*(math.Abs(x)+math.Abs(y)+math.Abs(z)))
	}
}

// TestRecurrence: the portable tensor (7) against the reference (8), and its parity.
func TestRecurrence(t *testing.T) {
	tab := tablesOf[MaxOrder]()
	for _, r := range directions {
		var d, back derivs
		s := r.norm()
		u := [4]float32{float32(r[0] / s), float32(r[1] / s), float32(r[2] / s), 1}
		tab.derivatives(&u, &d)
		u = [4]float32{-u[0], -u[1], -u[2], 1}
		tab.derivatives(&u, &back)
		for i, n := range indices(MaxOrder, 2) {
			m := n.degree()
			size := math.Gamma(float64(m + 1))
			near(t, fmt.Sprintf("T%v towards %v", n, r), float64(d[i]),
				refDeriv(n, vec{r[0] / s, r[1] / s, r[2] / s}), 2e-6*size)
			if want := d[i] * sign(uint8(m)); back[i] != want {
				t.Errorf("T%v towards minus %v: %g, want %g", n, r, back[i], want)
			}
		}
	}
}
