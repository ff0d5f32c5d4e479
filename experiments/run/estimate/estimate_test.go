package estimate

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s: %.9g, expected %.9g", what, got, want)
	}
}

// Published and hand-computed values.
func TestCoefficients(t *testing.T) {
	// Anscombe, Graphs in Statistical Analysis, 1973: the first set.
	x := []float64{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5}
	y := []float64{8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68}
	near(t, "Anscombe", Correlation(x, y, nil), 0.81642, 5e-6)
	near(t, "t of Anscombe", CorrelationP(Correlation(x, y, nil), 9), 0.00217, 5e-6)

	// n = 10 without ties: the squared differences of ranks add up to 194, so rho = 1 - 6 x 194 /
	// 990 = -29/165.
	a := []float64{86, 97, 99, 100, 101, 103, 106, 110, 112, 113}
	b := []float64{2, 20, 28, 27, 50, 29, 7, 17, 6, 12}
	near(t, "rho", spearman(a, b), -29.0/165, 1e-15)
	near(t, "p of rho", CorrelationP(spearman(a, b), 8), 0.627188, 1e-6)

	// Ties: ranks 1, 2.5, 2.5, 4 and 1, 2, 3.5, 3.5; from the mean (2.5): -1.5, 0, 0, 1.5 and -1.5,
	// -0.5, 1, 1; rho = 3.75 / 4.5.
	near(t, "ties", spearman([]float64{1, 5, 5, 9}, []float64{0, 2, 7, 7}), 3.75/4.5, 1e-15)

	for _, constant := range [][]float64{{3, 3, 3, 3}, {0.1, 0.1, 0.1, 0.1}} {
		if r := Correlation(constant, []float64{1, 2, 3, 5}, nil); !math.IsNaN(r) {
			t.Errorf("Pearson of a constant: %v", r)
		}
		if r := spearman([]float64{1, 2, 3, 5}, constant); !math.IsNaN(r) {
			t.Errorf("Spearman of a constant: %v", r)
		}
	}
}

// series draws a series of n values, some of them equal.
func series(t *rapid.T, n int, label string) []float64 {
	v := rapid.SliceOfN(rapid.IntRange(-20, 20), n, n).Draw(t, label)
	f := make([]float64, n)
	for i := range v {
		f[i] = float64(v[i])
	}
	return f
}

// Without ties, 1 - 6 sum d^2 / (n^3 - n).
func TestSpearmanOfPermutations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "n")
		up := make([]float64, n)
		for i := range up {
			up[i] = float64(i)
		}
		y := rapid.Permutation(up).Draw(t, "y")
		d := 0.0
		for i := range y {
			d += (y[i] - up[i]) * (y[i] - up[i])
		}
		if got, want := spearman(up, y), 1-6*d/float64(n*n*n-n); math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v, expected %v", got, want)
		}
	})
}

// A value drawn w times counts as if it were there w times, and increasing transforms leave
// Spearman's coefficient as it is.
func TestWeightsAndTransforms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 15).Draw(t, "n")
		x, y := series(t, n, "x"), series(t, n, "y")
		w := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 3), func(n int) float64 {
			return float64(n)
		}), n, n).Draw(t, "w")
		var ex, ey, cubed []float64
		for i := range x {
			for range int(w[i]) {
				ex, ey = append(ex, x[i]), append(ey, y[i])
			}
			cubed = append(cubed, x[i]*x[i]*x[i]+1e6)
		}
		ox, oy := OrderOf(x), OrderOf(y)
		rx, ry := make([]float64, n), make([]float64, n)
		ox.Ranks(rx, w)
		oy.Ranks(ry, w)
		same := func(what string, got, want float64) {
			if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-12 {
				t.Fatalf("%s: %v, expected %v", what, got, want)
			}
		}
		if len(ex) > 0 {
			same("Spearman, drawn", Correlation(rx, ry, w), spearman(ex, ey))
			same("Pearson, drawn", Correlation(x, y, w), Correlation(ex, ey, nil))
		}
		if got, want := spearman(cubed, y), spearman(x, y); got != want && !math.IsNaN(want) {
			t.Fatalf("after a monotone transform %v, before %v", got, want)
		}
	})
}

// spearman returns the rank coefficient of x and y, NaN where one is constant.
func spearman(x, y []float64) float64 { return Correlation(Ranks(x), Ranks(y), nil) }
