package kernelreuse

import (
	"fmt"
	"math"
	"slices"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/run/result"
	"krdlab/krd/doc"
)

// ranged returns the quantity of a median, with its interval if that is sure. What is not finite is
// not known.
func ranged(median, low, high float64, sure bool, n int) result.Quantity {
	q := result.Quantity{Median: result.Some(median), Low: result.Some(low),
		High: result.Some(high), N: n}
	switch {
	case !q.Median.Known():
		return result.Quantity{}
	case !sure || !q.Low.Known() || !q.High.Known():
		q.Low, q.High = result.Number{}, result.Number{}
	}
	return q
}

// combined returns f of the medians, and an interval where both have one, which ends returns.
func combined(a, b result.Quantity, f func(a, b float64) float64,
	ends func(aLow, aHigh, bLow, bHigh float64) (low, high float64)) result.Quantity {
	aLow, aHigh, sure := a.Bounds()
	bLow, bHigh, ok := b.Bounds()
	low, high := ends(aLow, aHigh, bLow, bHigh)
	q := ranged(f(a.Median.Float(), b.Median.Float()), low, high, sure && ok, min(a.N, b.N))
	if a.Reason == result.Deterministic && b.Reason == a.Reason && q.N > 0 {
		return claims.Exactly(q.Median.Float())
	}
	return q
}

// ratio is a/b, as far apart as the intervals allow: wider than 95 %. It is unknown where b is 0,
// and has no interval where b may be 0.
func ratio(a, b result.Quantity) result.Quantity {
	return combined(a, b, func(a, b float64) float64 { return a / b },
		func(aLow, aHigh, bLow, bHigh float64) (low, high float64) {
			if bLow <= 0 {
				return math.NaN(), math.NaN()
			}
			ends := []float64{aLow / bLow, aLow / bHigh, aHigh / bLow, aHigh / bHigh}
			return slices.Min(ends), slices.Max(ends)
		})
}

// minus is a - b, likewise.
func minus(a, b result.Quantity) result.Quantity {
	return combined(a, b, func(a, b float64) float64 { return a - b },
		func(aLow, aHigh, bLow, bHigh float64) (low, high float64) { return aLow - bHigh, aHigh - bLow })
}

// gap is by how much a - base is below b - base, likewise.
func gap(a, b result.Quantity, base float64) result.Quantity {
	of := func(a, b float64) float64 { return claims.Gap(a-base, b-base) }
	return combined(a, b, of, func(aLow, aHigh, bLow, bHigh float64) (low, high float64) {
		return of(aHigh, bLow), of(aLow, bHigh)
	})
}

// less is the verdict on a below b by their intervals alone: of what is no claim of the paper.
func less(a, b result.Quantity) claims.Verdict { return claims.Sign().Of(minus(b, a)) }

// larger is the greater of two.
func larger(a, b result.Quantity) result.Quantity {
	return combined(a, b, func(a, b float64) float64 { return max(a, b) },
		func(aLow, aHigh, bLow, bHigh float64) (low, high float64) {
			return max(aLow, bLow), max(aHigh, bHigh)
		})
}

// distance is how far q is from 0.
func distance(q result.Quantity) result.Quantity {
	low, high, sure := q.Bounds()
	return ranged(math.Abs(q.Median.Float()), max(low, -high, 0), max(math.Abs(low), math.Abs(high)),
		sure, q.N)
}

// mapped is q with a rising function of all of its values.
func mapped(q result.Quantity, f func(float64) float64) result.Quantity {
	for _, n := range []*result.Number{&q.Median, &q.Low, &q.High} {
		*n = result.Some(f(n.Float()))
	}
	if !q.Median.Known() {
		return result.Quantity{}
	}
	return q
}

// times multiplies with a positive constant.
func times(q result.Quantity, c float64) result.Quantity {
	return mapped(q, func(v float64) float64 { return v * c })
}

// show prints q with a number of decimals, as 21.99 (21.90 to 22.05).
func show(q result.Quantity, decimals int) string {
	low, high, sure := q.Bounds()
	switch {
	case !q.Median.Known():
		return doc.NotAvailable
	case !sure, math.Abs(high-low) < math.Pow(10, -float64(decimals))/2:
		return fmt.Sprintf("%.*f", decimals, q.Median.Float())
	}
	return fmt.Sprintf("%.*f (%.*f to %.*f)", decimals, q.Median.Float(), decimals, low,
		decimals, high)
}
