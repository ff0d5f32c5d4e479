package regress

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// BIC returns R's BIC(): -2 log likelihood + log(n) (p + 1), where sigma is a parameter too. A
// perfect fit has -Inf.
func (f *Fit) BIC() float64 { return BIC.of(len(f.Design.Y), f.P, f.RSS) }

// Equation5 returns the paper's criterion, (n + p (ln n - 1)) / (n (n - p)) SSE: an estimate of the
// error of prediction in the units of y squared, and no BIC. NaN without degrees of freedom.
func (f *Fit) Equation5() float64 { return Equation5.of(len(f.Design.Y), f.P, f.RSS) }

// A Criterion is a quantity that a stepwise search minimises.
type Criterion string

// The criteria.
const (
	BIC       Criterion = "bic" // R's
	Equation5 Criterion = "eq5" // the paper's
)

// of returns the criterion of a model with n rows, p parameters and a sum of squares.
func (c Criterion) of(n, p int, rss float64) float64 {
	rows, log := float64(n), math.Log(float64(n))
	if c == Equation5 {
		if n == p {
			return math.NaN()
		}
		return (rows + float64(p)*(log-1)) / (rows * float64(n-p)) * rss
	}
	return rows*(math.Log(2*math.Pi)+math.Log(rss/rows)+1) + float64(p+1)*log
}

// A Nested is the F-test of a model against one with more terms: whether these are worth it.
type Nested struct {
	F        float64
	DF1, DF2 int
	P        float64
}

// Test compares a reduced model with a larger one of the same rows, whose space has it: the paper's
// equation 7, with the two models as they must be. NaN where they have the same parameters.
func Test(reduced, larger *Fit) Nested {
	t := Nested{DF1: larger.P - reduced.P, DF2: larger.DF}
	t.F = (reduced.RSS - larger.RSS) / float64(t.DF1) / (larger.RSS / float64(t.DF2))
	t.P = math.NaN()
	if t.DF1 > 0 && t.DF2 > 0 && !math.IsNaN(t.F) {
		a, b := float64(t.DF1), float64(t.DF2)
		t.P = mathext.RegIncBeta(b/2, a/2, b/(b+a*max(0, t.F)))
	} else {
		t.F = math.NaN()
	}
	return t
}
