package correlate

import (
	"math"

	"krdlab/experiments/run/estimate"

	"gonum.org/v1/gonum/stat/distuv"
)

// fisher returns the 95 % interval of a correlation r with df degrees of freedom (n - 2 for n
// independent pairs) by Fisher's transformation: tanh(atanh r +- z / sqrt(df - 1)). ok is false
// where there is none: df < 2, or all points on a line.
func fisher(r float64, df int) (low, high float64, ok bool) {
	if df < 2 || math.IsNaN(r) || math.Abs(r) == 1 {
		return 0, 0, false
	}
	half := distuv.UnitNormal.Quantile(0.5+estimate.Confidence/2) / math.Sqrt(float64(df-1))
	z := math.Atanh(r)
	return math.Tanh(z - half), math.Tanh(z + half), true
}

// exactLimit is the largest n whose n! permutations are all tried: 40 320.
const exactLimit = 8

// permutationP returns the two-sided p of a correlation of x and y: the share of all permutations
// of y that correlate at least as strongly, either way. Exact, if the pairs are exchangeable. Cost:
// n! n.
func permutationP(x, y []float64) float64 {
	n := float64(len(x))
	var mx, my float64
	for i := range x {
		mx += x[i] / n
		my += y[i] / n
	}
	dx, perm := make([]float64, len(x)), make([]float64, len(y))
	var scale float64
	for i := range x {
		dx[i], perm[i] = x[i]-mx, y[i]-my
		scale += math.Abs(float64(dx[i] * perm[i]))
	}
	sum := func() float64 {
		var s float64
		for i := range dx {
			s += float64(dx[i] * perm[i])
		}
		return math.Abs(s)
	}
	limit := sum() - float64(1e-12*scale) // equal sums may differ by rounding
	var hits, all int
	permutations(perm, func() {
		all++
		if sum() >= limit {
			hits++
		}
	})
	return float64(hits) / float64(all)
}

// permutations calls f with v in each of its orders (Heap, 1963); v ends up in some order.
func permutations(v []float64, f func()) {
	f()
	count := make([]int, len(v))
	for i := 1; i < len(v); {
		if count[i] == i {
			count[i] = 0
			i++
			continue
		}
		j := 0
		if i%2 == 1 {
			j = count[i]
		}
		v[i], v[j] = v[j], v[i]
		f()
		count[i]++
		i = 1
	}
}

// smallestP returns the smallest two-sided p that n pairs without ties can have: all in order, or
// all in reverse.
func smallestP(n int) float64 {
	p := 2.0
	for i := 2; i <= n; i++ {
		p /= float64(i)
	}
	return min(1, p)
}
