package regress

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// columns makes a table of pairs: a name, and numbers or texts.
func columns(pairs ...any) *Frame {
	f := &Frame{}
	for i := 0; i < len(pairs); i += 2 {
		c := Column{Name: pairs[i].(string)}
		switch v := pairs[i+1].(type) {
		case []float64:
			c.Numbers, f.N = v, len(v)
		case string: // a category of one letter for each row, "-" where there is none
			for _, l := range v {
				c.Texts = append(c.Texts, strings.Trim(string(l), "-"))
			}
			f.N = len(c.Texts)
		}
		f.Columns = append(f.Columns, c)
	}
	return f
}

// attempt fits a formula.
func attempt(f *Frame, formula string) (*Fit, error) {
	p, err := Parse(formula, f.Names())
	if err != nil {
		return nil, err
	}
	d, err := NewDesign(f, p)
	if err != nil {
		return nil, err
	}
	return d.Fit()
}

var (
	nan, inf = math.NaN(), math.Inf(1)
	y6       = []float64{1, 3, 2, 5, 4, 6}
	x6       = []float64{2, 1, 4, 3, 6, 9}
)

func same(v float64, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = v
	}
	return x
}

// wide is a table of y and so many other columns, which share their numbers.
func wide(n, rows int) *Frame {
	pairs := []any{"y", same(1, rows)}
	for i := range n {
		pairs = append(pairs, fmt.Sprintf("x%d", i), pairs[1])
	}
	return columns(pairs...)
}

// TestBadTables has tables without a fit: the error names place, found and expected.
func TestBadTables(t *testing.T) {
	for _, c := range []struct {
		name, formula string
		frame         *Frame
		want          string
	}{
		{"nothing but NaN", "y ~ x", columns("y", y6, "x", same(nan, 6)), "column x: no row of 6"},
		{"infinite", "y ~ x", columns("y", y6, "x", []float64{1, 2, inf, 4, 5, 6}),
			"row 3: x is +Inf; expected a finite number"},
		{"infinite response", "y ~ x", columns("y", []float64{1, 2, 3, -inf, 5, 6}, "x", x6),
			"row 4: y is -Inf"},
		{"log of 0", "y ~ log(x)", columns("y", y6, "x", []float64{1, 0, 1, 1, 1, 1}),
			"row 2: log(x) is -Inf"},
		{"log of negative", "log(y) ~ x", columns("y", []float64{1, 2, -3, 4, 5, 6}, "x", x6),
			"row 3: log(y) is NaN"},
		{"0/0", "y ~ I(x/x)", columns("y", y6, "x", same(0, 6)), "row 1: I(x/x) is NaN"},
		{"few rows", "y ~ (a + b)^2", columns("y", y6[:3], "a", x6[:3], "b", y6[:3]),
			"3 rows with all values for 4 coefficients"},
		{"many terms", "y ~ (.)^9", wide(40, 6), "formula: more than 4096 terms"},
		{"many products", "y ~ (.):(.)", wide(200, 6), "formula: more than 4096 terms"},
		{"many values", "y ~ (.)^2", wide(85, 1<<14), "16384 rows of 3655 coefficients"},
		{"long formula", "y ~ " + strings.Repeat("(", 1<<17), wide(2, 6), "formula: it has 131076 bytes"},
		{"one row", "y ~ x", columns("y", y6[:1], "x", x6[:1]), "1 rows with all values"},
		{"no rows", "y ~ x", columns("y", []float64{}, "x", []float64{}), "table: it has no rows"},
		{"text response", "k ~ x", columns("k", "abcabc", "x", x6), "the response is text: row 1"},
		{"text in log", "y ~ log(k)", columns("y", y6, "k", "abcabc"), "log(k) of text: row 1"},
		{"log of text", "log(k) ~ y", columns("y", y6, "k", "abcabc"), "log(k) of text"},
		{"text in I", "y ~ I(k + y)", columns("y", y6, "k", "abcabc"), "of text: row 1"},
		{"factor response", "factor(y) ~ x", columns("y", y6, "x", x6), "response"},
		{"each text once", "y ~ k", columns("y", y6, "k", "abcdef"), "6 different texts in 6 rows"},
		{"each group once", "y ~ x | k", columns("y", y6, "x", x6, "k", "abcdef"),
			"6 rows with all values for 6 intercepts"},
		{"no group", "y ~ x | g", columns("y", y6, "x", x6), "no column g to absorb"},
		{"response of 1e300", "y ~ x", columns("y", []float64{1, 1e300, 2, 3, 4, 5}, "x", x6),
			"row 2: y is 1e+300; expected numbers between 1e-140 and 1e140"},
		{"response of 1e-300", "y ~ x", columns("y", []float64{0, 1e-300, 0, 0, 0, 0}, "x", x6),
			"row 2: y is 1e-300"},
		{"overflow", "y ~ a:b", columns("y", y6, "a", same(1e200, 6), "b",
			[]float64{1e200, 1, 1, 1, 1, 1}), "row 1: a:b is +Inf; expected a finite number"},
	} {
		_, err := attempt(c.frame, c.formula)
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// TestOddTables has tables that are odd, and have a fit.
func TestOddTables(t *testing.T) {
	line := func(x []float64, a, b float64) []float64 {
		y := make([]float64, len(x))
		for i := range x {
			y[i] = a + b*x[i]
		}
		return y
	}
	for _, c := range []struct {
		name, formula string
		frame         *Frame
		coef          []float64
		p             int
		r2            float64
	}{
		{"constant", "y ~ x + c", columns("y", y6, "x", x6, "c", same(7, 6)),
			[]float64{0.4319066147859922, nan}, 2, 0.4565869927737631},
		{"constant 0.1", "y ~ c", columns("y", y6, "c", same(0.1, 6)), []float64{nan}, 1, 0},
		{"constant, no 1", "y ~ 0 + c", columns("y", y6, "c", same(7, 6)), []float64{0.5}, 1,
			0.8076923076923077},
		{"all 0, no 1", "y ~ 0 + c", columns("y", y6, "c", same(0, 6)), []float64{nan}, 0, 0},
		{"one level", "y ~ x + k", columns("y", y6, "x", x6, "k", "aaaaaa"),
			[]float64{0.4319066147859922}, 2, 0.4565869927737631},
		{"twice", "y ~ x + I(2 * x)", columns("y", y6, "x", x6),
			[]float64{0.4319066147859922, nan}, 2, 0.4565869927737631},
		{"constant response", "y ~ x", columns("y", same(5, 6), "x", x6), []float64{0}, 2, nan},
		{"response 0.1", "y ~ x", columns("y", same(0.1, 6), "x", x6), []float64{0}, 2, nan},
		{"perfect", "y ~ x", columns("y", line(x6, 3, 2), "x", x6), []float64{2}, 2, 1},
		{"1e300", "y ~ x", columns("y", y6, "x", line(x6, 0, 1e300)),
			[]float64{0.4319066147859922e-300}, 2, 0.4565869927737631},
		{"1e-300", "y ~ x", columns("y", y6, "x", line(x6, 0, 1e-300)),
			[]float64{0.4319066147859922e300}, 2, 0.4565869927737631},
		{"constant in groups", "y ~ x + z | g", columns("y", y6, "x", x6, "z",
			[]float64{1, 1, 1, 4, 4, 4}, "g", "aaabbb"), []float64{2 / (22 + 2./3), nan}, 3, 0},
		{"one group", "y ~ x | g", columns("y", y6, "x", x6, "g", "aaaaaa"),
			[]float64{0.4319066147859922}, 2, 0.4565869927737631},
	} {
		f, err := attempt(c.frame, c.formula)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for j, want := range c.coef {
			if got := f.Coef[j]; math.IsNaN(want) != math.IsNaN(got) || digits(got, want) < 12 {
				t.Errorf("%s: coefficient %s is %v, want %v", c.name, f.Design.Names[j], got, want)
			}
		}
		if r2 := f.R2(); c.name != "constant in groups" &&
			(math.IsNaN(c.r2) != math.IsNaN(r2) || math.Abs(r2-c.r2) > 1e-12) {
			t.Errorf("%s: R2 %v, want %v", c.name, r2, c.r2)
		}
		if f.P != c.p || f.DF != 6-c.p {
			t.Errorf("%s: %d parameters, %d degrees of freedom; want %d", c.name, f.P, f.DF, c.p)
		}
		if _, _, err := f.Design.Search(BIC, nil); err != nil {
			t.Errorf("%s: search: %v", c.name, err)
		}
		f.Coefficients(true)
		z, err := f.Design.Standardized().Fit()
		if err != nil || z.P != f.P {
			t.Errorf("%s: standardised: %v", c.name, err)
		}
	}
}

// TestMany fits a million rows, and a hundred thousand groups.
func TestMany(t *testing.T) {
	f := random(1_000_000, 5)
	if m := fit(t, f, "y ~ ."); len(m.Aliased) > 0 || m.DF != 999_994 || m.R2() < 0.3 {
		t.Errorf("aliased %v, %d degrees of freedom, R2 %v", m.Aliased, m.DF, m.R2())
	}
	g := Column{Name: "g"}
	for i := range f.N {
		g.Numbers = append(g.Numbers, float64(i/10))
	}
	f.Columns = append(f.Columns, g)
	if m := fit(t, f, "y ~ x0 + x1 | g"); m.P != 100_002 || math.IsNaN(m.PRESS()) {
		t.Errorf("%d parameters, PRESS %v", m.P, m.PRESS())
	}
}

// TestValidateOdd leaves rows out whose rest has no fit, or not their level.
func TestValidateOdd(t *testing.T) {
	d := fit(t, columns("y", y6, "x", x6, "k", "ababcc"), "y ~ x + k").Design
	list, err := d.Validate([]int{0, 0, 0, 0, 0, 1}, "", nil)
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), "without fold 1") {
		t.Errorf("a fold whose rest has too few rows: %v, %v", list, err)
	}
	if list, err = d.Validate([]int{0, 1, 0, 1, 2, 2}, "", nil); err != nil ||
		d.Assess(list).N > 0 {
		t.Errorf("levels in one fold each, the first too: %v, %v", list, err)
	}
	g := fit(t, columns("y", y6, "x", x6, "z", []float64{1, 1, 1, 4, 4, 4}, "g", "aaabbb"),
		"y ~ x + z | g").Design
	if list, err = g.Validate([]int{0, 1, 2, 0, 1, 2}, "", nil); err != nil ||
		g.Assess(list).N < 6 {
		t.Errorf("a predictor that is constant in groups: %v, %v", list, err)
	}
	list, err = d.Validate([]int{0, 1, 1, 0, 2, 2}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range list {
		if math.IsNaN(p.Value) != (i > 3) {
			t.Errorf("row %d, its level in the rest: %t, is predicted %v", i, i < 4, p.Value)
		}
	}
	if a := d.Assess(list); a.N != 4 || a.NoValue != 2 {
		t.Errorf("%d predicted, %d not", a.N, a.NoValue)
	}
	if a := d.Assess(list[4:]); a.N != 0 || !math.IsNaN(a.Error) || !math.IsNaN(a.RMSE) {
		t.Errorf("none predicted: %+v", a)
	}
}

// TestMarginality searches, and in each step each term has its parts that the formula has.
func TestMarginality(t *testing.T) {
	for _, formula := range []string{"y ~ (a + b + k)^3", "y ~ a:b + k", "y ~ a:b:k + a + k",
		"y ~ a*b*k - a", "y ~ (a + k + m)^3", "y ~ 0 + (a + k)^2"} {
		for seed := range uint64(8) {
			d := fit(t, mixed(seed, 60, false), formula).Design
			in := map[string]bool{}
			for _, term := range d.Formula.Terms {
				in[d.Formula.Name(term)] = true
			}
			check := func() {
				for _, u := range d.Formula.Terms {
					for _, v := range d.Formula.Terms {
						if u.within(v) && in[d.Formula.Name(v)] && !in[d.Formula.Name(u)] {
							t.Errorf("%s: %s without %s", formula, d.Formula.Name(v),
								d.Formula.Name(u))
						}
					}
				}
			}
			terms, way, err := d.Search(BIC, func(s Step) { in[s.Term] = s.Added; check() })
			if err != nil {
				t.Fatal(err)
			}
			last, err := d.Terms(terms).Fit()
			if err != nil {
				t.Fatal(err)
			}
			near(t, fmt.Sprint(formula, " ", seed), way[len(way)-1].Value, last.BIC(), 9)
		}
	}
}

// TestDrop has rows that depend on others before them, and so have no length of their own.
func TestDrop(t *testing.T) {
	rows := [][]float64{{1, 0, 0}, {2, 0, 0}, {1, 2, 0}}
	near(t, "drop", drop(rows, []float64{3, 6, 5}), 10, 12) // 3^2 + ((5 - 3)/2)^2
}

// TestSaturated has as many coefficients as rows: nothing is left to judge it by.
func TestSaturated(t *testing.T) {
	f := fit(t, mixed(1, 12, false), "y ~ (a + b + c)^2 + p + I(p^2) + I(p^3) + I(p^4) + I(p^5)")
	if f.DF != 0 || f.RSS != 0 || !math.IsInf(f.BIC(), -1) {
		t.Errorf("%d degrees of freedom, RSS %v, BIC %v", f.DF, f.RSS, f.BIC())
	}
	for i, v := range []float64{f.Sigma(), f.R2Adjusted(), f.PRESS(), f.Equation5(),
		f.Coefficients(false)[1].StdError, f.Coefficients(false)[1].P} {
		if !math.IsNaN(v) {
			t.Errorf("value %d is %v, want NaN", i, v)
		}
	}
}
