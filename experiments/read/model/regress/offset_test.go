package regress

import (
	"math"
	"slices"
	"testing"
)

// numbers makes a frame of columns of numbers.
func numbers(names []string, columns ...[]float64) *Frame {
	f := &Frame{N: len(columns[0])}
	for i, x := range columns {
		f.Columns = append(f.Columns, Column{Name: names[i], Numbers: x})
	}
	return f
}

// TestOffset has small residuals beside a large mean: R2 is that of exact rational arithmetic, as
// without the mean.
func TestOffset(t *testing.T) {
	var a, y, small []float64
	for i := range 20 {
		v := float64(i * i % 400)
		a = append(a, v)
		small = append(small, float64(i))
		y = append(y, 1e15+float64(i))
	}
	want := fit(t, numbers([]string{"a", "y"}, a, small), "y ~ a")
	got := fit(t, numbers([]string{"a", "y"}, a, y), "y ~ a")
	near(t, "R2", got.R2(), want.R2(), 14)
	near(t, "R2 by rational arithmetic", got.R2(), 0.931853, 6)
	near(t, "RSS", got.RSS, want.RSS, 14)
	near(t, "the coefficient", got.Coef[0], want.Coef[0], 14)
	group := make([]float64, len(a))
	for i := range group {
		group[i] = float64(i % 2)
	}
	names := []string{"a", "y", "g"}
	want = fit(t, numbers(names, a, small, group), "y ~ a | g")
	got = fit(t, numbers(names, a, y, group), "y ~ a | g")
	near(t, "RSS in groups", got.RSS, want.RSS, 14)
	if same := fit(t, numbers([]string{"a", "y"}, a, slices.Repeat([]float64{0.1}, 20)),
		"y ~ a"); same.TSS != 0 || same.RSS != 0 {
		t.Errorf("a constant has squares %v and %v", same.TSS, same.RSS)
	}
}

// TestOneLevel names a categorical predictor that is the same in all rows.
func TestOneLevel(t *testing.T) {
	f := numbers([]string{"y", "x"}, []float64{1.5, 2, 2.9, 4.2, 5, 6.1}, []float64{1, 2, 3, 4, 5, 6})
	f.Columns = append(f.Columns, Column{Name: "g", Numbers: slices.Repeat([]float64{math.NaN()}, 6),
		Texts: slices.Repeat([]string{"a"}, 6)})
	m := fit(t, f, "y ~ x + g")
	if len(m.Aliased) != 1 || m.Aliased[0].Column != "g" || len(m.Aliased[0].Names) > 0 {
		t.Errorf("dropped %+v, expected g, constant", m.Aliased)
	}
	if some := m.Design.Terms(m.Design.Formula.Terms[:1]); len(some.Constant) > 0 {
		t.Errorf("without g, %q are constant", some.Constant)
	}
}

// TestStandardizedWithoutIntercept has coefficients times the standard deviation of their
// predictors, with errors that are so, too.
func TestStandardizedWithoutIntercept(t *testing.T) {
	f := numbers([]string{"y", "a", "b"},
		[]float64{10.1, 20.3, 29.8, 40.4, 50.2, 60.3, 70.1, 80.4}, []float64{10, 20, 30, 40, 50, 60, 70, 80},
		[]float64{1, 3, 2, 4, 3, 5, 2, 6})
	m := fit(t, f, "y ~ 0 + a + b")
	z, err := m.Design.Standardized().Fit()
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range m.Design.Codings() {
		near(t, "standardized "+c.Name, z.Coef[i], m.Coef[i]*c.SD, 12)
	}
	near(t, "RSS", z.RSS, m.RSS, 10)
}
