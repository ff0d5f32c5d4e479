// Package estimate has the statistics of numbers that tables, comparisons and models share:
// medians and quantiles, ranks, correlations, Student's t, resamples.
package estimate

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// Confidence is that of every interval, at least.
	Confidence = 0.95
	// MinSample is the least sample whose median has a non-parametric interval of 95 %: with n
	// values, the whole range misses the median with probability 2/2^n. Bootstraps keep to it too.
	MinSample = 6
	// Resamples is the number of bootstrap samples. The 2.5 % tails hold 100 of them.
	Resamples = 4000
	// definedShare of the resamples must have a value, or there is no interval.
	definedShare = 0.95
)

// Median returns the middle value, the mean of the middle two for an even number. values is left as
// it is. There is at least one value.
func Median(values []float64) float64 {
	var few [32]float64 // on the stack: bootstraps ask for thousands of medians
	v := append(few[:0], values...)
	slices.Sort(v)
	h := len(v) / 2
	if len(v)%2 == 1 {
		return v[h]
	}
	return (v[h-1] + v[h]) / 2
}

// Quantile returns that of sorted values, linear between them (R's type 7; gonum has type 4), NaN
// without values.
func Quantile(x []float64, p float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	at := p * float64(len(x)-1)
	i := int(at)
	if i+1 >= len(x) {
		return x[len(x)-1]
	}
	return x[i] + float64((at-float64(i))*(x[i+1]-x[i]))
}

// An Order is the indices of a series by value, cut into groups of equal values: what ranks are
// made of, however often each is drawn.
type Order struct {
	index []int
	ends  []int // of each group in index
}

// OrderOf returns the order of x. Cost: a sort.
func OrderOf(x []float64) Order {
	o := Order{index: make([]int, len(x))}
	for i := range x {
		o.index[i] = i
	}
	slices.SortFunc(o.index, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	for i := range x {
		if i+1 == len(x) || x[o.index[i]] != x[o.index[i+1]] {
			o.ends = append(o.ends, i+1)
		}
	}
	return o
}

// Ranks sets to to the ranks, from 1, of a sample in which value i comes w[i] times (nil: once).
// Ties have the mean of their ranks.
func (o *Order) Ranks(to, w []float64) {
	before, from := 0.0, 0
	for _, end := range o.ends {
		count := float64(end - from)
		if w != nil {
			count = 0
			for _, i := range o.index[from:end] {
				count += w[i]
			}
		}
		for _, i := range o.index[from:end] {
			to[i] = before + (count+1)/2
		}
		before, from = before+count, end
	}
}

// Ranks returns the ranks of x from 1, the mean rank of equal values.
func Ranks(x []float64) []float64 {
	o, r := OrderOf(x), make([]float64, len(x))
	o.Ranks(r, nil)
	return r
}

// Correlation returns Pearson's coefficient of x and y with weights w (nil: all 1), of ranks
// Spearman's; NaN where x or y is constant. Values that differ from -1 or 1 by rounding alone are
// set to these.
func Correlation(x, y, w []float64) float64 {
	if !varies(x, w) || !varies(y, w) {
		return math.NaN()
	}
	r := stat.Correlation(x, y, w)
	if math.Abs(r) > 1-1e-13 {
		return math.Copysign(1, r)
	}
	return r
}

// varies reports whether values with a weight differ.
func varies(x, w []float64) bool {
	first := -1
	for i, v := range x {
		switch {
		case w != nil && w[i] == 0:
		case first < 0:
			first = i
		case v != x[first]:
			return true
		}
	}
	return false
}

// CorrelationP returns the two-sided p of a correlation r with df degrees of freedom.
func CorrelationP(r float64, df int) float64 {
	return TwoSided(r*math.Sqrt(float64(df)/(1-float64(r*r))), df)
}

// TwoSided returns the probability of a t that is as far from 0, of df degrees of freedom.
func TwoSided(t float64, df int) float64 {
	if math.IsNaN(t) || df <= 0 {
		return math.NaN()
	}
	return min(1, 2*student(df).Survival(math.Abs(t)))
}

// T returns the quantile of Student's t for a two-sided interval of 95 %.
func T(df int) float64 {
	if df <= 0 {
		return math.NaN()
	}
	return student(df).Quantile((1 + Confidence) / 2)
}

func student(df int) distuv.StudentsT { return distuv.StudentsT{Sigma: 1, Nu: float64(df)} }

// Draws returns the source of the draws of a bootstrap of n units: the same seed and n give the
// same draws on every computer.
func Draws(seed uint64, n int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(n))) }

// Draw fills to with elements of from, drawn with replacement.
func Draw[T any](rng *rand.Rand, to, from []T) {
	for i := range to {
		to[i] = from[rng.IntN(len(from))]
	}
}

// Central returns the bounds of the central 95 % of values, which it sorts. There is at least one.
func Central(values []float64) (low, high float64) {
	slices.Sort(values)
	tail := int(float64(float64(len(values))*(1-Confidence)) / 2)
	return values[tail], values[len(values)-1-tail]
}

// Defined returns [Central] of values without NaN; ok is false where too few are left.
func Defined(values []float64) (low, high float64, ok bool) {
	v := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if float64(len(v)) < float64(definedShare*float64(len(values))) || len(v) == 0 {
		return 0, 0, false
	}
	low, high = Central(v)
	return low, high, true
}
