package kernelreuse

import (
	"fmt"
	"math"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/run/result"
	"krdlab/krd/doc"
)

// ratio returns a/b, as far apart as the intervals allow.
func ratio(a, b result.Quantity) result.Quantity { return result.Quotient(a, b) }

// minus returns a - b, likewise.
func minus(a, b result.Quantity) result.Quantity {
	return result.Combined(a, b, func(a, b float64) float64 { return a - b },
		func(aLow, aHigh, bLow, bHigh float64) (low, high float64) { return aLow - bHigh, aHigh - bLow })
}

// gap returns by how much a - base is below b - base, likewise.
func gap(a, b result.Quantity, base float64) result.Quantity {
	of := func(a, b float64) float64 { return claims.Gap(a-base, b-base) }
	return result.Combined(a, b, of, func(aLow, aHigh, bLow, bHigh float64) (low, high float64) {
		return of(aHigh, bLow), of(aLow, bHigh)
	})
}

// larger returns the greater of two.
func larger(a, b result.Quantity) result.Quantity {
	return result.Combined(a, b, func(a, b float64) float64 { return max(a, b) },
		func(aLow, aHigh, bLow, bHigh float64) (low, high float64) {
			return max(aLow, bLow), max(aHigh, bHigh)
		})
}

// distance returns how far q is from 0.
func distance(q result.Quantity) result.Quantity {
	low, high, sure := q.Bounds()
	return result.Ranged(math.Abs(q.Median.Float()), max(low, -high, 0), max(math.Abs(low), math.Abs(high)),
		sure, q.N)
}

// mapped returns q with a rising function of all of its values.
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
