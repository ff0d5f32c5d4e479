package regress

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"pgregory.net/rapid"
)

// marginal formulas have the parts of each of their terms.
var marginal = []string{"y ~ a + b + c", "y ~ (a + b + c)^2", "y ~ a*b*c + k", "y ~ (a + k + m)^2",
	"y ~ (a + b + sum)^2", "y ~ k*m", "y ~ sqrt(p)*a + log(p)"}

// drawn draws a table and the fit of a formula to it.
func drawn(t *rapid.T, formulas []string) (*Frame, string, *Fit) {
	f := mixed(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(25, 60).Draw(t, "rows"),
		rapid.Bool().Draw(t, "missing"))
	formula := rapid.SampledFrom(formulas).Draw(t, "formula")
	m, err := attempt(f, formula)
	if err != nil {
		t.Fatal(err)
	}
	return f, formula, m
}

// close fails where got is not want within a part of size. Of aliased columns both are NaN.
func close(t *rapid.T, what string, got, want, size float64) {
	if !(math.Abs(got-want) <= 1e-9*size || math.IsNaN(got) && math.IsNaN(want)) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
}

// TestOrthogonal: residuals are orthogonal to all columns, aliased ones too.
func TestOrthogonal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, _, m := drawn(t, append([]string{"y ~ 0 + a + b", "y ~ a*b | k"}, marginal...))
		columns, y, _, _, _ := m.Design.centred()
		for j, x := range columns {
			close(t, m.Design.Names[j], blas64.Dot(vector(x), vector(m.Residuals)), 0,
				blas64.Nrm2(vector(y)))
		}
		sum := 0.0
		for _, h := range m.Leverage {
			sum += h
		}
		close(t, "trace of the hat matrix", sum, float64(m.P), float64(m.P))
	})
}

// TestInvariant: R^2 and PRESS remain where predictors are scaled, shifted or standardised.
func TestInvariant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, formula, m := drawn(t, marginal[:6])
		g := &Frame{N: f.N, Columns: slices.Clone(f.Columns)}
		scale := math.Pow(10, rapid.Float64Range(-6, 6).Draw(t, "scale"))
		shift := rapid.Float64Range(-10, 10).Draw(t, "shift")
		for j, c := range g.Columns {
			if c.Texts == nil && c.Name != "y" && c.Name != "p" {
				g.Columns[j].Numbers = slices.Clone(c.Numbers)
				for i, v := range c.Numbers {
					g.Columns[j].Numbers[i] = (v + shift) * scale
				}
			}
		}
		if formula == "y ~ (a + b + sum)^2" { // sum is that of a and b no more
			g = f
		}
		moved, err := attempt(g, formula)
		if err != nil {
			t.Fatal(err)
		}
		z, err := m.Design.Standardized().Fit()
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []*Fit{moved, z} {
			close(t, "R2", o.R2(), m.R2(), 1)
			if slices.Max(m.Leverage) < 0.999 { // otherwise a row has a coefficient of its own
				close(t, "PRESS", o.PRESS(), m.PRESS(), 100*m.PRESS())
			}
			if o.P != m.P {
				t.Fatalf("%d parameters, want %d", o.P, m.P)
			}
		}
	})
}

// TestLeaveOneOut: the squares of what each row is off from a fit to the others are PRESS.
func TestLeaveOneOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, _, m := drawn(t, append([]string{"y ~ 0 + a + k"}, marginal...))
		press := m.PRESS()
		if math.IsNaN(press) || slices.Max(m.Leverage) > 0.999 {
			t.Skip("a row has a coefficient of its own")
		}
		rows := make([]int, len(m.Design.Y))
		for i := range rows {
			rows[i] = i
		}
		list, err := m.Design.Validate(rows, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, p := range list {
			e := m.Design.Y[p.Row] - p.Value
			sum += e * e
		}
		close(t, "leave-one-out", sum, press, 100*press)
	})
}

// TestAbsorbed: absorbed groups are the fit with the groups as a category.
func TestAbsorbed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := mixed(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(25, 60).Draw(t, "rows"), false)
		n := rapid.IntRange(1, 12).Draw(t, "groups")
		g := Column{Name: "g"}
		for i := range f.N {
			g.Numbers = append(g.Numbers, float64(i*i%n))
		}
		f.Columns = append(f.Columns, g)
		right := rapid.SampledFrom([]string{"a", "a*b", "a + k", "a*k + c"}).Draw(t, "terms")
		absorbed, err := attempt(f, fmt.Sprintf("y ~ %s | g", right))
		if err != nil {
			t.Fatal(err)
		}
		whole, err := attempt(f, fmt.Sprintf("y ~ factor(g) + %s", right))
		if err != nil {
			t.Fatal(err)
		}
		if absorbed.P != whole.P || absorbed.DF != whole.DF {
			t.Fatalf("%d parameters, want %d", absorbed.P, whole.P)
		}
		close(t, "RSS", absorbed.RSS, whole.RSS, whole.RSS)
		for _, hc3 := range []bool{false, true} {
			want := map[string]Coefficient{}
			for _, c := range whole.Coefficients(hc3) {
				want[c.Name] = c
			}
			for _, c := range absorbed.Coefficients(hc3) {
				w := want[c.Name]
				if hc3 && slices.Max(whole.Leverage) > 0.999 {
					continue
				}
				close(t, c.Name, c.Estimate, w.Estimate, 100*w.StdError)
				close(t, c.Name+" error", c.StdError, w.StdError, 100*w.StdError)
			}
		}
	})
}
