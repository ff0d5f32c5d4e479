package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"krdlab/experiments/run/result"
)

// With nothing to be found, one test in twenty is below 0.05 at most, and one family in twenty has
// a test that holds.
func TestErrorRates(t *testing.T) {
	const trials, tests, n = 400, 10, 8
	rng := rand.New(rand.NewPCG(5, 5))
	below, families := 0, 0
	for range trials {
		r := &Report{Pairs: []Pair{{}}}
		for range tests {
			a, b := make([]float64, n), make([]float64, n)
			for i := range n {
				a[i], b[i] = rng.NormFloat64(), rng.NormFloat64()
			}
			c := Comparison{Quantity: "time_ns", less: true, A: result.QuantityOf(a),
				B: result.QuantityOf(b)}
			c.test(a, b)
			r.Pairs[0].Quantities = append(r.Pairs[0].Quantities, c)
		}
		r.correct()
		below += r.Below
		if r.Hold > 0 {
			families++
		}
	}
	// U of 8 and 8 rejects 0.0499 at most
	if share := float64(below) / (trials * tests); share < 0.03 || share > 0.06 {
		t.Errorf("%.4f of the tests are below 0.05", share)
	}
	if share := float64(families) / trials; share > 0.08 {
		t.Errorf("in %.3f of the families something holds", share)
	}
}

// Four against four without overlap: 2 of 70. Values that are the same are no test.
func TestMannWhitney(t *testing.T) {
	for _, c := range []struct {
		a, b    []float64
		p       float64
		verdict Verdict
	}{
		{[]float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, 2.0 / 70, Worse},
		{[]float64{1, 2, 3, 5}, []float64{4, 6, 7, 8}, 4.0 / 70, NotShown},
		{[]float64{2, 1, 4, 3}, []float64{1, 2, 3, 4}, 0, Same},
		{[]float64{7, 7, 7, 7}, []float64{7, 7, 7, 7, 7}, 0, Same},
		{[]float64{7, 7, 7, 7}, []float64{8, 8, 8, 8}, 2.0 / 70, Worse},
		{[]float64{1, 2, 3}, []float64{4, 5, 6, 7, 8, 9}, 0, TooFew},
		{nil, []float64{1, 2, 3, 4}, 0, Unmeasured},
	} {
		x := Comparison{less: true, A: result.QuantityOf(c.a), B: result.QuantityOf(c.b)}
		x.test(c.a, c.b)
		r := &Report{Pairs: []Pair{{Quantities: []Comparison{x}}}}
		r.correct()
		x = r.Pairs[0].Quantities[0]
		if x.Verdict != c.verdict || x.P.Known() != (c.p > 0) || x.P.Known() &&
			math.Abs(x.P.Float()-c.p) > 1e-12 {
			t.Errorf("%v and %v: %+v, expected %s with p %v", c.a, c.b, x, c.verdict, c.p)
		}
	}
}
