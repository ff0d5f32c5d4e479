package result

import (
	"math/rand/v2"
	"slices"
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

// Draws returns the source of the draws of a bootstrap of n units: the same seed and n give the
// same draws on every computer.
func Draws(seed uint64, n int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(n))) }

// Draw fills to with elements of from, drawn with replacement.
func Draw[T any](rng *rand.Rand, to, from []T) {
	for i := range to {
		to[i] = from[rng.IntN(len(from))]
	}
}

// Bootstrap gives q, of which median and N are set, the central 95 % of what statistic is of so
// many resamples, which it draws itself. Nothing is done below MinSample or where the median is not
// known.
func Bootstrap(q *Quantity, seed uint64, resamples int, statistic func(*rand.Rand) float64) {
	if q.N < MinSample || !q.Median.Known() || q.Reason == Deterministic {
		return
	}
	rng := Draws(seed, q.N)
	values := make([]float64, resamples)
	for i := range values {
		values[i] = statistic(rng)
	}
	setInterval(q, values)
}

// BootstrapRatio is [Bootstrap] of the ratio of two independent statistics. Each draws a resample of
// its own.
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
	q := Ratio(over, under, Median(over.Values)/Median(under.Values))
	median := func(s Sample) func(*rand.Rand) float64 {
		from, drawn := slices.Sorted(slices.Values(s.Values)), make([]float64, len(s.Values))
		return func(rng *rand.Rand) float64 {
			Draw(rng, drawn, from)
			return Median(drawn)
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
	low, high := Central(values)
	q.Low, q.High, q.Confidence, q.Reason = Some(low), Some(high), Some(Confidence), ""
}

// Central returns the bounds of the central 95 % of values, which it sorts. There is at least one.
func Central(values []float64) (low, high float64) {
	slices.Sort(values)
	tail := int(float64(float64(len(values))*(1-Confidence)) / 2)
	return values[tail], values[len(values)-1-tail]
}

// Defined is [Central] of values without NaN; ok is false where too few are left.
func Defined(values []float64) (low, high float64, ok bool) {
	v := make([]float64, 0, len(values))
	for _, r := range values {
		if r == r {
			v = append(v, r)
		}
	}
	if float64(len(v)) < float64(definedShare*float64(len(values))) || len(v) == 0 {
		return 0, 0, false
	}
	low, high = Central(v)
	return low, high, true
}
