package result

import (
	"math/rand/v2"
	"slices"

	"krdlab/experiments/run/estimate"
)

// Bootstrap sets the interval of q, whose median and N are set, to the central 95 % of the values
// of statistic over so many resamples, which statistic draws itself. Nothing is done below
// [estimate.MinSample] or where the median is not known.
func Bootstrap(q *Quantity, seed uint64, resamples int, statistic func(*rand.Rand) float64) {
	if q.N < estimate.MinSample || !q.Median.Known() || q.Reason == Deterministic {
		return
	}
	rng := estimate.Draws(seed, q.N)
	values := make([]float64, resamples)
	for i := range values {
		values[i] = statistic(rng)
	}
	setInterval(q, values)
}

// BootstrapRatio does as [Bootstrap] for the ratio of two independent statistics. Each draws a
// resample of its own.
func BootstrapRatio(q *Quantity, seed uint64, resamples int, over, under func(*rand.Rand) float64) {
	Bootstrap(q, seed, resamples, func(rng *rand.Rand) float64 {
		top := over(rng)
		return top / under(rng)
	})
}

// RatioOfMedians returns the ratio of the medians of two samples, which are independent, with the
// central 95 % of resamples of both as its interval. The same samples and seed give the same
// interval on every computer. Cost: a sort of each for each resample.
func RatioOfMedians(over, under Sample, seed uint64, resamples int) Quantity {
	if len(over.Values) == 0 || len(under.Values) == 0 {
		return Quantity{}
	}
	q := Ratio(over, under, estimate.Median(over.Values)/estimate.Median(under.Values))
	median := func(s Sample) func(*rand.Rand) float64 {
		from, drawn := slices.Sorted(slices.Values(s.Values)), make([]float64, len(s.Values))
		return func(rng *rand.Rand) float64 {
			estimate.Draw(rng, drawn, from)
			return estimate.Median(drawn)
		}
	}
	BootstrapRatio(&q, seed, resamples, median(over), median(under))
	return q
}

// setInterval takes the central 95 % of the resampled values, which it sorts.
func setInterval(q *Quantity, values []float64) {
	if !q.Median.Known() {
		return
	}
	low, high := estimate.Central(values)
	q.Low, q.High, q.Confidence, q.Reason = Some(low), Some(high), Some(estimate.Confidence), ""
}
