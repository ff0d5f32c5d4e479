package regress

import (
	"math"
	"slices"

	"krdlab/experiments/run/estimate"
)

// Strength returns how strongly a predictor is related to the response alone, in ranks: the R^2 of
// rank(y) on rank(x) (Linear: Spearman's coefficient squared), and on rank(x) and its square
// (Quadratic), which sees relations that turn (F. Harrell, "Regression modeling strategies", 2001,
// 7.3; regression paper, figure 2). NaN where one of them is constant.
func Strength(x, y []float64) (linear, quadratic float64) {
	r := estimate.Ranks(x)
	square := times(r, r)
	d := &Design{Formula: &Formula{Intercept: true, Terms: []Term{{0}}}, Y: estimate.Ranks(y),
		Names: []string{"x"}, Columns: [][]float64{r}, Rows: make([]int, len(y))}
	if constant(r) || constant(d.Y) || len(y) < 3 {
		return math.NaN(), math.NaN()
	}
	f, err := d.Fit()
	if err != nil {
		return math.NaN(), math.NaN()
	}
	linear = f.R2()
	d.Names, d.Columns = []string{"x", "x2"}, [][]float64{r, square}
	if f, err = d.Fit(); err != nil {
		return linear, math.NaN()
	}
	return linear, f.R2()
}

func constant(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return v != x[0] })
}

// Spearman2 returns Spearman's coefficient squared, from ranks; NaN where one is constant.
func Spearman2(a, b []float64) float64 {
	r := estimate.Correlation(a, b, nil)
	return r * r
}
