package correlate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"krdlab/experiments/run/result"
)

// pearson returns the product-moment coefficient of x and y with weights w (nil: all 1), NaN where
// x or y is constant. Two passes, with every product rounded by itself, so that the result is the
// same on every computer; gonum's stat.Correlation is fused on some and summed in another order on
// others, and serves as the oracle of the tests.
func pearson(x, y []float64, w []int) float64 {
	var n, sx, sy float64
	for i := range x {
		c := weight(w, i)
		n += c
		sx += float64(c * x[i])
		sy += float64(c * y[i])
	}
	mx, my := sx/n, sy/n
	var xx, yy, xy float64
	var firstX, firstY float64
	variesX, variesY, seen := false, false, false
	for i := range x {
		c := weight(w, i)
		if c == 0 {
			continue
		}
		if !seen {
			firstX, firstY, seen = x[i], y[i], true
		}
		variesX, variesY = variesX || x[i] != firstX, variesY || y[i] != firstY
		dx, dy := x[i]-mx, y[i]-my
		xx += float64(c * float64(dx*dx))
		yy += float64(c * float64(dy*dy))
		xy += float64(c * float64(dx*dy))
	}
	if !variesX || !variesY {
		return math.NaN()
	}
	return quotient(xy, xx, yy)
}

func weight(w []int, i int) float64 {
	if w == nil {
		return 1
	}
	return float64(w[i])
}

// quotient returns xy / sqrt(xx yy), NaN where a sum of squares is 0. What differs from -1 or 1 by
// rounding only is that.
func quotient(xy, xx, yy float64) float64 {
	if xx == 0 || yy == 0 {
		return math.NaN()
	}
	r := xy / math.Sqrt(float64(xx*yy))
	if math.Abs(r) > 1-1e-13 {
		return math.Copysign(1, r)
	}
	return r
}

// An order is the indices of a series by value, cut into groups of equal values: what ranks are
// made of, however often each is drawn.
type order struct {
	index []int
	ends  []int // of each group in index
}

func orderOf(x []float64) order {
	o := order{index: make([]int, len(x))}
	for i := range x {
		o.index[i] = i
	}
	slices.SortStableFunc(o.index, func(a, b int) int {
		switch {
		case x[a] < x[b]:
			return -1
		case x[a] > x[b]:
			return 1
		}
		return 0
	})
	for i := range x {
		if i+1 == len(x) || x[o.index[i]] != x[o.index[i+1]] {
			o.ends = append(o.ends, i+1)
		}
	}
	return o
}

// ranks sets to to twice the ranks, from 1, of a sample in which value i comes w[i] times (nil:
// once). Ties have the mean of their ranks, so that twice that is a whole number.
func (o *order) ranks(to []int64, w []int) {
	var before int64
	from := 0
	for _, end := range o.ends {
		var count int64
		for _, i := range o.index[from:end] {
			count += int64(weight(w, i))
		}
		for _, i := range o.index[from:end] {
			to[i] = 2*before + count + 1
		}
		before, from = before+count, end
	}
}

// rankCorrelation returns Pearson's coefficient of two series of doubled ranks with weights w:
// Spearman's. NaN where one is constant. All sums are whole numbers.
func rankCorrelation(x, y []int64, w []int) float64 {
	var n int64
	for i := range x {
		n += int64(weight(w, i))
	}
	var xx, yy, xy int64
	for i := range x { // the mean of doubled ranks is n + 1
		c := int64(weight(w, i))
		dx, dy := x[i]-n-1, y[i]-n-1
		xx += c * dx * dx
		yy += c * dy * dy
		xy += c * dx * dy
	}
	if xx == 0 || yy == 0 {
		return math.NaN()
	}
	return quotient(float64(xy), float64(xx), float64(yy))
}

func ranksOf(x []float64) []int64 {
	o, r := orderOf(x), make([]int64, len(x))
	o.ranks(r, nil)
	return r
}

// fisher returns the 95 % interval of a correlation r with df degrees of freedom (n - 2 for n
// independent pairs) by Fisher's transformation: tanh(atanh r +- z / sqrt(df - 1)). ok is false
// where there is none: df < 2, or all points on a line.
func fisher(r float64, df int) (low, high float64, ok bool) {
	if df < 2 || math.IsNaN(r) || math.Abs(r) == 1 {
		return 0, 0, false
	}
	half := distuv.UnitNormal.Quantile(0.5+result.Confidence/2) / math.Sqrt(float64(df-1))
	z := math.Atanh(r)
	return math.Tanh(z - half), math.Tanh(z + half), true
}

// studentP returns the two-sided p of a correlation r with df degrees of freedom, from t = r
// sqrt(df / (1 - r^2)).
func studentP(r float64, df int) float64 {
	if math.Abs(r) == 1 {
		return 0
	}
	t := math.Abs(r) * math.Sqrt(float64(df)/(1-float64(r*r)))
	return min(1, 2*distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(df)}.Survival(t))
}

// exactLimit is the largest n of which all n! permutations are tried: 40 320.
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
