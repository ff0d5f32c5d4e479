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

// TestWampler has the certified values of NIST's Wampler 2 to 5 (polynomials of degree 5 at 0 to 20,
// exact and with residuals that are orthogonal to them) and NoInt 1 and 2.
func TestWampler(t *testing.T) {
	const polynomial = "y ~ x + I(x^2) + I(x^3) + I(x^4) + I(x^5)"
	var x []float64
	for i := range 21 {
		x = append(x, float64(i))
	}
	values := func(residual, ratio float64) (y []float64) {
		off := []float64{759, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 1838, -2048, 2048}
		off = append(off, -2048, 1838, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 759)
		for i, x := range x {
			sum := 0.0
			for k := range 6 {
				sum += math.Pow(ratio*x, float64(k))
			}
			y = append(y, sum+residual*off[i])
		}
		return y
	}
	for _, c := range []struct {
		name            string
		residual, ratio float64
		sigma, least    float64 // digits of the coefficients
	}{{"Wampler 2", 0, 0.1, 0, 11}, {"Wampler 3", 1, 1, 2360.14502379268, 8.5},
		{"Wampler 4", 100, 1, 236014.502379268, 7.5}, {"Wampler 5", 1e4, 1, 23601450.2379268, 5.5}} {
		f := fit(t, numbers([]string{"x", "y"}, x, values(c.residual, c.ratio)), polynomial)
		near(t, c.name+", b0", f.Intercept, 1, c.least)
		for i, b := range f.Coef {
			near(t, c.name+", "+f.Design.Names[i], b, math.Pow(c.ratio, float64(i+1)), c.least)
		}
		if c.sigma == 0 {
			if f.Sigma() > 1e-12 {
				t.Errorf("%s: sigma %v, expected 0", c.name, f.Sigma())
			}
			continue
		}
		near(t, c.name+", sigma", f.Sigma(), c.sigma, 11)
	}
	var u, v []float64
	for i := range 11 {
		u, v = append(u, float64(60+i)), append(v, float64(130+i))
	}
	one := fit(t, numbers([]string{"x", "y"}, u, v), "y ~ 0 + x")
	near(t, "NoInt 1", one.Coef[0], 2.07438016528926, 13)
	near(t, "NoInt 1, sigma", one.Sigma(), 3.56753034006338, 13)
	two := fit(t, numbers([]string{"x", "y"}, []float64{4, 5, 6}, []float64{3, 4, 4}), "y ~ 0 + x")
	near(t, "NoInt 2", two.Coef[0], 0.727272727272727, 13)
	near(t, "NoInt 2, sigma", two.Sigma(), 0.369274472937998, 13)
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
