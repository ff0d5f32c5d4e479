package correlate

import (
	"math"
	"slices"

	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
)

// picked returns the probability that chance alone, which gives outcomes to the observations of a
// stratum in any order, makes Spearman's coefficient of the best of all points as large as it is,
// and the least that this probability can be. A p of the best point by itself would not know that
// it was picked (Westfall and Young, Resampling-Based Multiple Testing, 1993: the largest statistic
// of each permutation). Exact for one stratum of up to exactLimit observations; otherwise from
// estimate.Resamples permutations, the one that was found counted in. Cost: permutations x points x
// n.
func (b *boot) picked() (p, smallest result.Number) {
	var x [][]float64
	for i, r := range b.ranked {
		if !slices.ContainsFunc(b.ranked[:i], func(o []float64) bool { return slices.Equal(o, r) }) {
			x = append(x, b.unit(r))
		}
	}
	y := b.unit(b.y.rank)
	best := func(y []float64) float64 {
		top := 0.0
		for _, v := range x {
			var sum float64
			for i := range v {
				sum += float64(v[i] * y[i])
			}
			top = max(top, math.Abs(sum))
		}
		return top
	}
	limit := best(y) - equal
	hits, all := 0, 0
	count := func() {
		all++
		if best(y) >= limit {
			hits++
		}
	}
	strata := b.s.units
	if !b.s.centred {
		strata = [][2]int{{0, len(y)}}
	}
	orders := 1.0
	for _, u := range strata {
		orders /= smallestP(u[1]-u[0]) / 2
	}
	if len(strata) == 1 && len(y) <= exactLimit {
		permutations(y, count)
	} else {
		count()
		rng := estimate.Draws(seed, len(y))
		for range estimate.Resamples {
			for _, u := range strata {
				part := y[u[0]:u[1]]
				rng.Shuffle(len(part), func(i, j int) { part[i], part[j] = part[j], part[i] })
			}
			count()
		}
	}
	// an order and its reverse are equally strong
	return result.Some(float64(hits) / float64(all)), result.Some(min(1, 2/orders))
}

// unit returns ranks less their mean, which in a centred sample is 0, with a sum of squares of 1.
func (b *boot) unit(ranks []float64) []float64 {
	v := slices.Clone(ranks)
	var squares float64
	for i := range v {
		if !b.s.centred {
			v[i] -= float64(len(v)+1) / 2
		}
		squares += float64(v[i] * v[i])
	}
	for i := range v {
		v[i] /= math.Sqrt(squares)
	}
	return v
}
