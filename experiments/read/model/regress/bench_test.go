package regress

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// random makes a table of n rows and p predictors; a few of them and two products make y.
func random(n, p int) *Frame {
	rng := rand.New(rand.NewPCG(1, 1))
	f := &Frame{N: n}
	y := make([]float64, n)
	for j := range p {
		c := Column{Name: fmt.Sprintf("x%d", j), Numbers: make([]float64, n)}
		for i := range c.Numbers {
			c.Numbers[i] = rng.NormFloat64() + float64(j)
		}
		f.Columns = append(f.Columns, c)
	}
	for i := range y {
		x := func(j int) float64 { return f.Columns[j].Numbers[i] }
		y[i] = 100 + x(0) + x(1)*x(2) - x(2) + 0.5*x(3)*x(0) + rng.NormFloat64()
	}
	f.Columns = append(f.Columns, Column{Name: "y", Numbers: y})
	return f
}

// BenchmarkFit fits 5000 rows and 30 predictors with all their products: 465 terms.
func BenchmarkFit(b *testing.B) {
	f := random(5000, 30)
	for b.Loop() {
		fit(b, f, "y ~ .^2")
	}
}

// BenchmarkSearch searches stepwise from 465 terms.
func BenchmarkSearch(b *testing.B) {
	d := fit(b, random(5000, 30), "y ~ .^2").Design
	for b.Loop() {
		terms, way, err := d.Search(BIC, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(way)), "steps")
		b.ReportMetric(float64(len(terms)), "terms")
	}
}
