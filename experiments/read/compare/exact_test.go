package compare

import (
	"math"
	"testing"

	"krdlab/experiments/run/result"
)

// Deterministic values are compared as they are; beside a sample, one is tested by signs.
func TestDeterministicSides(t *testing.T) {
	exact := func(v float64) result.Sample {
		return result.Sample{Values: []float64{v}, Fixed: true}
	}
	drawn := func(v ...float64) result.Sample { return result.Sample{Values: v} }
	for _, test := range []struct {
		name string
		a, b result.Sample
		want Verdict
		p    float64 // 0: not tested
	}{
		{"equal", exact(2), exact(2), Same, 0},
		{"less", exact(2), exact(1.9), Better, 0},
		{"more", exact(2), exact(2.1), Worse, 0},
		{"all of 6 above", exact(1), drawn(2, 3, 4, 5, 6, 7), "", 2.0 / 64},
		{"1 of 6 below, from the other side", drawn(2, 3, 4, 5, 6, 7), exact(2.5), "", 14.0 / 64},
		{"one tie", exact(2), drawn(2, 3, 4, 5, 6, 7), "", 2.0 / 32},
		{"six equal ones are one", drawn(2, 2, 2, 2, 2, 2), exact(2), Same, 0},
		{"six and ten equal ones", drawn(2, 2, 2, 2, 2, 2), drawn(3, 3, 3, 3, 3, 3, 3, 3, 3, 3),
			Worse, 0},
		{"six equal ones, all of 6 above", drawn(1, 1, 1, 1, 1, 1), drawn(2, 3, 4, 5, 6, 7), "",
			2.0 / 64},
		{"five", exact(1), drawn(2, 3, 4, 5, 6), TooFew, 0},
	} {
		c := Comparison{A: test.a.Quantity(), B: test.b.Quantity(), less: true}
		c.test(test.a.Values, test.b.Values)
		if c.Verdict != test.want || c.P.Known() != (test.p != 0) ||
			test.p != 0 && math.Abs(c.P.Float()-test.p) > 1e-12 {
			t.Errorf("%s: %s, p %v, want %s, %v", test.name, c.Verdict, c.P, test.want, test.p)
		}
	}
}
