package estimate

import (
	"math"
	"slices"
	"sort"

	"golang.org/x/perf/benchmath"
	"gonum.org/v1/gonum/stat/distuv"

	"krdlab/krd/doc"
)

const (
	// Alpha is the p below which a difference is said to be there.
	Alpha = 0.05
	// MinTested is the least sample of either side that is tested: with 4 and 4 the smallest
	// two-sided p is 0.029, with 3 and 3 it is 0.1.
	MinTested = 4
)

// A Sample is the values of repetitions. If it is fixed, no run of its input gives another.
type Sample struct {
	Values []float64
	Fixed  bool
}

// Exact reports that s has one value: it is fixed, or all are the same, and enough for an interval. An
// interval or a test would take them for as many independent ones.
func (s Sample) Exact() bool {
	return len(s.Values) > 0 && (s.Fixed || len(s.Values) >= MinSample && !Varies(s.Values))
}

// Varies reports whether there are values that differ.
func Varies(values []float64) bool { return varies(values, nil) }

// Exactly returns the quantity of a value of n inputs, where all repetitions of an input give the
// same; it is unknown where v is not finite.
func Exactly(v float64, n int) doc.Quantity {
	if !doc.Some(v).Known() {
		return doc.Quantity{}
	}
	return doc.Quantity{Median: doc.Some(v), N: n, Reason: doc.Deterministic}
}

// Quantity returns the median and the narrowest interval of order statistics that holds the median of
// what the values were drawn from with at least 95 % confidence, without assuming any distribution
// (as benchstat does). An exact sample has none, nor has one that is too small. Cost: a sort.
func (s Sample) Quantity() doc.Quantity {
	n := len(s.Values)
	switch {
	case n == 0:
		return doc.Quantity{}
	case s.Exact():
		return Exactly(Median(s.Values), n)
	case n < MinSample:
		return doc.Quantity{Median: doc.Some(Median(s.Values)), N: n, Reason: doc.TooFew}
	}
	x := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(s.Values),
		&benchmath.DefaultThresholds), Confidence)
	return doc.Quantity{Median: doc.Some(Median(s.Values)), N: n, Low: doc.Some(x.Lo), High: doc.Some(x.Hi),
		Confidence: doc.Some(x.Confidence)}
}

// Same reports that all values of two samples are the same, one value or as many.
func Same(a, b Sample) bool {
	if len(a.Values) == 0 || len(b.Values) == 0 {
		return false
	}
	x, y := slices.Sorted(slices.Values(a.Values)), slices.Sorted(slices.Values(b.Values))
	one := !Varies(x) && !Varies(y) && min(len(x), len(y)) >= MinTested
	return slices.Equal(x, y) || (one || a.Exact() && b.Exact()) && Median(x) == Median(y)
}

// P returns the two-sided p of Mann-Whitney's U; where one sample is exact, of the sign test of the
// other against its value; where both are, 0; where they are the same, 1. NaN: there are too few.
func P(a, b Sample) float64 {
	x, y := a.Exact(), b.Exact()
	switch {
	case len(a.Values) == 0 || len(b.Values) == 0:
		return math.NaN()
	case Same(a, b):
		return 1
	case x && y:
		return 0
	case x && len(b.Values) >= MinSample:
		return signTest(b.Values, Median(a.Values))
	case y && len(a.Values) >= MinSample:
		return signTest(a.Values, Median(b.Values))
	case min(len(a.Values), len(b.Values)) < MinTested:
		return math.NaN()
	}
	t := &benchmath.DefaultThresholds
	r := benchmath.AssumeNothing.Compare(benchmath.NewSample(slices.Clone(a.Values), t),
		benchmath.NewSample(slices.Clone(b.Values), t))
	return min(1, r.P) // twice a tail can be more than 1
}

// signTest returns the two-sided p of the hypothesis that v is the median of what values are drawn
// from: how improbable it is that so few of them lie on one side of it. Values that equal v count
// for neither side. Source: Conover, Practical Nonparametric Statistics, 3rd ed., 3.4.
func signTest(values []float64, v float64) float64 {
	below, above := 0, 0
	for _, x := range values {
		if x < v {
			below++
		} else if x > v {
			above++
		}
	}
	half := distuv.Binomial{N: float64(below + above), P: 0.5}
	return min(1, 2*half.CDF(float64(min(below, above))))
}

// Seen returns the least part by which b would have had to exceed a for their p to be below a limit,
// with the spreads that both have: 0.03 for 3 %. NaN: none would do, there are too few values, or a
// median is 0.
func Seen(a, b Sample, limit float64) float64 {
	of := [2][]float64{slices.Clone(a.Values), slices.Clone(b.Values)}
	for _, v := range of {
		if len(v) == 0 {
			return math.NaN()
		}
		m := Median(v)
		if m == 0 {
			return math.NaN()
		}
		for j := range v { // of their medians
			v[j] /= m
		}
	}
	below := func(by float64) bool { // b is 1 + by times a
		longer := slices.Clone(of[1])
		for i := range longer {
			longer[i] *= 1 + by
		}
		return P(Sample{of[0], a.Fixed}, Sample{longer, b.Fixed}) < limit
	}
	const just = 1e-9 // beyond where two values are the same
	steps := []float64{just}
	for _, x := range slices.Concat(of[0], []float64{1}) {
		for _, y := range slices.Concat(of[1], []float64{1}) {
			if by := x/y - 1; by > 0 {
				steps = append(steps, by+just)
			}
		}
	}
	slices.Sort(steps)
	if i := sort.Search(len(steps), func(i int) bool { return below(steps[i]) }); i < len(steps) {
		return max(0, steps[i]-just)
	}
	return math.NaN()
}

// Needed returns how many values of each of two samples can have a p below a limit: all of one below
// all of the other, or, if one is exact, below its value.
func Needed(limit float64, exact bool) int {
	p := 2.0
	for n := 1; ; n++ {
		least := MinTested
		if p *= float64(n) / float64(2*(2*n-1)); exact { // 2 of C(2n, n)
			p, least = math.Ldexp(2, -n), MinSample
		}
		if n >= least && p < limit {
			return n
		}
	}
}
