package report

import (
	"math/rand/v2"
	"slices"

	"golang.org/x/perf/benchmath"

	"krdlab/experiments"
)

const (
	confidence = 0.95
	// minSample is the least sample whose median has an interval of 95 % without assuming a distribution: docs/measures.md.
	minSample = 6
	resamples = 4000
)

// medianOf returns the median of a sample and the interval of order statistics around it, as the results of runs have for times.
func medianOf(values []float64) experiments.Quantity {
	if len(values) == 0 {
		return experiments.Quantity{}
	}
	q := experiments.Quantity{Median: experiments.Some(middle(slices.Sorted(slices.Values(values)))), N: len(values)}
	if len(values) < minSample {
		return q
	}
	s := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds), confidence)
	q.Low, q.High, q.Confidence = experiments.Some(s.Lo), experiments.Some(s.Hi), experiments.Some(s.Confidence)
	return q
}

// middle returns the median of sorted values.
func middle(sorted []float64) float64 {
	h := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[h]
	}
	return (sorted[h-1] + sorted[h]) / 2
}

// ratioOf returns the ratio of the medians of two samples, which are independent, with the central 95 % of bootstrap resamples of both
// as its interval. The same samples give the same interval on every computer. Cost: 4000 sorts of each.
func ratioOf(over, under []float64) experiments.Quantity {
	n := min(len(over), len(under))
	if n == 0 {
		return experiments.Quantity{}
	}
	a, b := slices.Sorted(slices.Values(over)), slices.Sorted(slices.Values(under))
	q := experiments.Quantity{Median: experiments.Some(middle(a) / middle(b)), N: n}
	if n < minSample {
		return q
	}
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	draw := func(from []float64) float64 {
		to := make([]float64, len(from))
		for i := range to {
			to[i] = from[rng.IntN(len(from))]
		}
		slices.Sort(to)
		return middle(to)
	}
	ratios := make([]float64, resamples)
	for i := range ratios {
		top := draw(a)
		ratios[i] = top / draw(b)
	}
	slices.Sort(ratios)
	tail := resamples / 40
	q.Low, q.High, q.Confidence = experiments.Some(ratios[tail]), experiments.Some(ratios[resamples-1-tail]), experiments.Some(confidence)
	return q
}
