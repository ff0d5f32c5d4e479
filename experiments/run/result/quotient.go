package result

import (
	"math"
	"slices"
)

// Ranged returns the quantity of a median, with its interval if that is sure. Values that are not
// finite are not known.
func Ranged(median, low, high float64, sure bool, n int) Quantity {
	q := Quantity{Median: Some(median), Low: Some(low),
		High: Some(high), N: n}
	switch {
	case !q.Median.Known():
		return Quantity{}
	case !sure || !q.Low.Known() || !q.High.Known():
		q.Low, q.High = Number{}, Number{}
	}
	return q
}

// Combined returns f of the medians, and an interval where both have one, which ends returns.
func Combined(a, b Quantity, f func(a, b float64) float64,
	ends func(aLow, aHigh, bLow, bHigh float64) (low, high float64)) Quantity {
	aLow, aHigh, sure := a.Bounds()
	bLow, bHigh, ok := b.Bounds()
	low, high := ends(aLow, aHigh, bLow, bHigh)
	q := Ranged(f(a.Median.Float(), b.Median.Float()), low, high, sure && ok, min(a.N, b.N))
	if a.Reason == Deterministic && b.Reason == a.Reason && q.N > 0 {
		return Sample{Values: []float64{q.Median.Float()}, Fixed: true}.Quantity()
	}
	return q
}

// Quotient returns a/b, as far apart as the intervals allow: wider than 95 %. It is unknown where b
// is 0, and has no interval where b may be 0.
func Quotient(a, b Quantity) Quantity {
	return Combined(a, b, func(a, b float64) float64 { return a / b },
		func(aLow, aHigh, bLow, bHigh float64) (low, high float64) {
			if bLow <= 0 {
				return math.NaN(), math.NaN()
			}
			ends := []float64{aLow / bLow, aLow / bHigh, aHigh / bLow, aHigh / bHigh}
			return slices.Min(ends), slices.Max(ends)
		})
}
