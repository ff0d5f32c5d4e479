package estimate

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// By hand: 0.01 x 4, 0.02 x 3, 0.03 x 2, and 0.04 not below the one before.
func TestHolm(t *testing.T) {
	got := Holm([]float64{0.03, 0.01, 0.04, 0.02})
	for i, want := range []float64{0.06, 0.04, 0.06, 0.06} {
		if math.Abs(got[i]-want) > 1e-15 {
			t.Errorf("adjusted %v, expected %v", got[i], want)
		}
	}
	if got := Holm([]float64{0.9, 0.9}); got[0] != 1 || got[1] != 1 {
		t.Errorf("more than 1: %v", got)
	}
	if len(Holm(nil)) != 0 {
		t.Error("adjusted nothing to something")
	}
}

// An adjusted p is not below p nor above Bonferroni's, and keeps the order.
func TestHolmOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 20).Draw(t, "p")
		a := Holm(p)
		for i := range p {
			if a[i] < p[i] || a[i] > min(1, p[i]*float64(len(p)))+1e-15 {
				t.Fatalf("p %v became %v of %d", p[i], a[i], len(p))
			}
			for j := range p {
				if p[i] < p[j] && a[i] > a[j] {
					t.Fatalf("%v < %v, but %v > %v", p[i], p[j], a[i], a[j])
				}
			}
		}
	})
}
