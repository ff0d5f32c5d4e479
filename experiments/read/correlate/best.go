package correlate

import (
	"math"
	"slices"

	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/result"
)

// Best records which KRD share goes with an outcome most strongly, whatever the sign, and how sure
// that is.
type Best struct {
	// Points have the coefficient of the largest size; several where it is the same.
	Points []string      `json:"points"`
	Value  result.Number `json:"value"`
	P      result.Number `json:"p"` // of that coefficient by itself, not of being the best
	// PickedP is the probability that chance alone makes the best of all points as good, and
	// PickedSmallest the least that it can be; by permutations, of Spearman's coefficient only.
	PickedP        result.Number `json:"p_picked"`
	PickedSmallest result.Number `json:"p_picked_smallest"`
	// Share is that of the resamples in which they are best, ties divided; unknown where there are
	// too few units.
	Share result.Number `json:"share_of_resamples"`
	// Rivals are the other points, by their share of resamples.
	Rivals []Rival `json:"rivals"`
}

// A Rival is a point that is not the best.
type Rival struct {
	Point string        `json:"point"`
	Value result.Number `json:"value"`
	Share result.Number `json:"share_of_resamples"`
	// Behind is the 95 % interval of by how much the size of its coefficient falls short of the
	// best one's, over the same resamples.
	BehindLow  result.Number `json:"behind_low"`
	BehindHigh result.Number `json:"behind_high"`
}

// Distinguishable reports whether the rival is worse than the best with 95 % confidence.
func (r *Rival) Distinguishable() bool { return r.BehindLow.Known() && r.BehindLow.Float() > 0 }

// equal are coefficients that differ by rounding only.
const equal = 1e-12

// best ranks the points by one of their coefficients.
func (b *boot) best(list []Coefficients, of func(*Coefficients) *Coefficient,
	resampled [][]float64) *Best {
	top := math.NaN()
	first := -1
	for i := range list {
		if v := of(&list[i]).Value; v.Known() && !(math.Abs(v.Float()) <= top+equal) {
			top, first = math.Abs(v.Float()), i
		}
	}
	if first < 0 {
		return nil
	}
	best := &Best{Points: []string{}, Value: of(&list[first]).Value, P: of(&list[first]).P,
		Rivals: []Rival{}}
	shares := wins(resampled)
	sum := 0.0
	for i := range list {
		v := of(&list[i]).Value
		switch {
		case !v.Known():
		case math.Abs(math.Abs(v.Float())-top) <= equal:
			best.Points = append(best.Points, list[i].Point)
			if shares != nil {
				sum += shares[i]
			}
		default:
			r := Rival{Point: list[i].Point, Value: v}
			if shares != nil {
				r.Share = result.Some(shares[i])
				r.BehindLow, r.BehindHigh = behind(resampled[first], resampled[i])
			}
			best.Rivals = append(best.Rivals, r)
		}
	}
	if shares != nil {
		best.Share = result.Some(sum)
	}
	slices.SortStableFunc(best.Rivals, func(a, b Rival) int {
		if x, y := a.Share.Float(), b.Share.Float(); x != y && a.Share.Known() {
			if x > y {
				return -1
			}
			return 1
		}
		switch x, y := math.Abs(a.Value.Float()), math.Abs(b.Value.Float()); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return best
}

// wins returns for each point the share of the resamples in which its coefficient is the largest in
// size; points that tie divide a resample among them. nil without resamples.
func wins(resampled [][]float64) []float64 {
	n := 0
	for _, r := range resampled {
		n = max(n, len(r))
	}
	if n == 0 {
		return nil
	}
	won := make([]float64, len(resampled))
	all := 0.0
	for i := range n {
		top, ties := -1.0, 0
		at := func(p int) float64 {
			if resampled[p] == nil || math.IsNaN(resampled[p][i]) {
				return -2
			}
			return math.Abs(resampled[p][i])
		}
		for p := range resampled {
			top = max(top, at(p))
		}
		if top < 0 {
			continue
		}
		for p := range resampled {
			if at(p) >= top-equal {
				ties++
			}
		}
		for p := range resampled {
			if at(p) >= top-equal {
				won[p] += 1 / float64(ties)
			}
		}
		all++
	}
	if all == 0 {
		return nil
	}
	for p := range won {
		won[p] /= all
	}
	return won
}

// behind returns the interval of |best| - |other|.
func behind(best, other []float64) (low, high result.Number) {
	d := make([]float64, len(best))
	for i := range d {
		d[i] = math.NaN()
		if other != nil {
			d[i] = math.Abs(best[i]) - math.Abs(other[i])
		}
	}
	if l, h, ok := estimate.Defined(d); ok {
		low, high = result.Some(l), result.Some(h)
	}
	return low, high
}
