package krdplot

import (
	"math"
	"math/bits"

	"gonum.org/v1/plot"

	"krdlab/krd"
)

// An axis lays distances out: x is log2 of the distance in bytes between first and last, with a column for distance 0 on the
// left where one occurs, and the column of cold accesses on the right.
type axis struct {
	first, last int  // log2 of the lower edge of the first bin shown and of the upper edge of the last
	zero        bool // some access has distance 0
}

const columnGap = 0.5 // between the scale and a column beside it; columns are 1 wide, as bins are

func (f *Figure) axis() (axis, error) {
	a := axis{first: math.MaxInt, last: math.MinInt}
	var accesses uint64
	for _, s := range f.Series {
		accesses += s.Histogram.Accesses
		for k, b := range s.Histogram.Bins {
			switch {
			case b.Count == 0:
			case k == 0:
				a.zero = true
			default:
				a.first = min(a.first, k-1)
				a.last = max(a.last, k)
			}
		}
	}
	if accesses == 0 {
		return a, ErrEmpty
	}
	for _, cache := range []*uint64{f.L2Bytes, f.LLCBytes} {
		if cache != nil && *cache > 0 { // the lines of the caches are always within the scale
			a.first = min(a.first, bits.Len64(*cache)-1)
			a.last = max(a.last, bits.Len64(*cache-1))
		}
	}
	if a.first > a.last { // neither a finite distance nor a cache
		a.first, a.last = 0, 1
	}
	return a, nil
}

func (a axis) min() float64 {
	if a.zero {
		return float64(a.first) - columnGap - 1
	}
	return float64(a.first)
}

func (a axis) max() float64 { return float64(a.last) + columnGap + 1 }

// center returns the middle of the column of bin k of a histogram, 0 being the bin of distance 0.
func (a axis) center(k int) float64 {
	if k == 0 {
		return a.min() + 0.5
	}
	return float64(k) - 0.5
}

func (a axis) infinity() float64 { return a.max() - 0.5 }

// Ticks labels every power of two, or as many of them as fit, and the columns. It is a plot.Ticker.
func (a axis) Ticks(_, _ float64) []plot.Tick {
	const room = 10 // labels of 7 characters
	step := (a.last-a.first)/room + 1
	phase := min(step-1, 1) // where bins are narrow, the last power of two leaves its room to INF
	var ticks []plot.Tick
	for k := a.first; k <= a.last; k++ {
		t := plot.Tick{Value: float64(k)}
		if (a.last-phase-k)%step == 0 {
			t.Label = krd.FormatBytes(1 << k)
		}
		ticks = append(ticks, t)
	}
	if a.zero {
		ticks = append(ticks, plot.Tick{Value: a.center(0), Label: "0"})
	}
	return append(ticks, plot.Tick{Value: a.infinity(), Label: "INF"})
}
