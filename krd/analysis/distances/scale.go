package distances

import (
	"math"
	"math/bits"

	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/plot"
)

// A Scale lays distances out: x is log2 of the distance in bytes between First and Last, with a
// column for distance 0 on the left where one occurs, and the column of cold accesses on the right.
// Columns are as wide as bins.
type Scale struct {
	// log2 of the lower edge of the first bin shown and of the upper edge of the last
	First, Last int
	Zero        bool // some access has distance 0
}

const columnGap = 0.5 // between the scale and a column beside it

// NewScale covers the distances of hs and the sizes of the caches, 0 being one that is not known.
func NewScale(hs []*krd.Histogram, caches ...uint64) Scale {
	a := Scale{First: math.MaxInt, Last: math.MinInt}
	for _, h := range hs {
		for k, b := range h.Bins {
			switch {
			case b.Count == 0:
			case k == 0:
				a.Zero = true
			default:
				a.First, a.Last = min(a.First, k-1), max(a.Last, k)
			}
		}
	}
	for _, c := range caches {
		if c > 0 {
			a.First, a.Last = min(a.First, bits.Len64(c)-1), max(a.Last, bits.Len64(c-1))
		}
	}
	if a.First > a.Last { // neither a finite distance nor a cache
		a.First, a.Last = 0, 1
	}
	return a
}

// Min returns the lower end of the axis, columns included; Max returns the upper one.
func (a Scale) Min() float64 {
	if a.Zero {
		return float64(a.First) - columnGap - 1
	}
	return float64(a.First)
}

func (a Scale) Max() float64 { return float64(a.Last) + columnGap + 1 }

// Center returns the middle of the column of bin k of a histogram, 0 being the bin of distance 0.
func (a Scale) Center(k int) float64 {
	if k == 0 {
		return a.Min() + 0.5
	}
	return float64(k) - 0.5
}

// Infinity returns the middle of the column of cold accesses.
func (a Scale) Infinity() float64 { return a.Max() - 0.5 }

// Axis returns an axis with a tick at every power of two and at the columns. Where bins are narrow,
// the other powers of two have no label.
func (a Scale) Axis(label string) plot.Axis {
	x := plot.Axis{Label: label, Unit: "bytes", Min: a.Min(), Max: a.Max()}
	const room = 9 // labels of 7 characters
	step := (a.Last-a.First)/room + 1
	phase := min(step-1, 1) // the last power of two leaves its room to INF
	if a.Zero {
		x.Ticks = append(x.Ticks, plot.Tick{Value: a.Center(0), Label: "0"})
	}
	for k := a.First; k <= a.Last; k++ {
		t := plot.Tick{Value: float64(k)}
		if (a.Last-phase-k)%step == 0 {
			t.Label = units.Bytes(1 << k)
		}
		x.Ticks = append(x.Ticks, t)
	}
	x.Ticks = append(x.Ticks, plot.Tick{Value: a.Infinity(), Label: "INF"})
	return x
}
