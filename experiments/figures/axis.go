package figures

import (
	"fmt"
	"math"
	"math/bits"

	"krdlab/krd"
)

// niceAxis returns a with a range of whole steps around low and high, and a tick at each.
func niceAxis(a Axis, low, high float64) Axis {
	step := niceStep((high - low) / 5)
	first, last := int(math.Floor(low/step+1e-9)), int(math.Ceil(high/step-1e-9))
	if first == last {
		last++
	}
	a.Ticks = nil
	for i := first; i <= last; i++ {
		a.Ticks = append(a.Ticks, Tick{float64(i) * step, stepLabel(i, step)})
	}
	a.Min, a.Max = float64(first)*step, float64(last)*step
	return a
}

// niceStep is the least of 1, 2, 5 times a power of ten that is not below x; a step of 1 for what is not positive.
func niceStep(x float64) float64 {
	if !(x > 1e-300) {
		return 1
	}
	unit := math.Pow10(int(math.Floor(math.Log10(x))))
	for _, m := range []float64{1, 2, 5} {
		if m*unit >= x*(1-1e-9) {
			return m * unit
		}
	}
	return 10 * unit
}

func stepLabel(i int, step float64) string {
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	return fmt.Sprintf("%.*f", digits, float64(i)*step)
}

// percentAxis is a vertical axis from 0 to at least high, of shares in %.
func percentAxis(label string, high float64) Axis {
	a := niceAxis(Axis{Label: label, Unit: "%"}, 0, high)
	if a.Max > 100 && high <= 100 {
		a.Max = 100
	}
	return a
}

// thousands writes the labels of large ticks in powers of a thousand, and says so in the axis' label.
func (a *Axis) thousands() {
	for _, u := range []struct {
		by   float64
		name string
	}{{1e9, "1000 million"}, {1e6, "million"}, {1e3, "thousand"}} {
		if a.Max < u.by {
			continue
		}
		step := (a.Ticks[1].Value - a.Ticks[0].Value) / u.by
		for i := range a.Ticks {
			a.Ticks[i].Label = stepLabel(int(math.Round(a.Ticks[i].Value/u.by/step)), step)
		}
		a.Label += " [" + u.name + "]"
		return
	}
}

// A scale lays distances out: log2 of bytes from first to last, with a column for distance 0 on the left where one occurs, and one for
// INF on the right. Columns are as wide as bins.
type scale struct {
	first, last int
	zero        bool
}

const columnGap = 0.5

// newScale covers the distances of hs, and the caches.
func newScale(hs []*krd.Histogram, caches ...uint64) scale {
	a := scale{first: math.MaxInt, last: math.MinInt}
	for _, h := range hs {
		for k, b := range h.Bins {
			switch {
			case b.Count == 0:
			case k == 0:
				a.zero = true
			default:
				a.first, a.last = min(a.first, k-1), max(a.last, k)
			}
		}
	}
	for _, c := range caches {
		if c > 0 {
			a.first, a.last = min(a.first, bits.Len64(c)-1), max(a.last, bits.Len64(c-1))
		}
	}
	if a.first > a.last { // neither a finite distance nor a cache
		a.first, a.last = 0, 1
	}
	return a
}

func (a scale) min() float64 {
	if a.zero {
		return float64(a.first) - columnGap - 1
	}
	return float64(a.first)
}

func (a scale) max() float64      { return float64(a.last) + columnGap + 1 }
func (a scale) infinity() float64 { return a.max() - 0.5 }

// center is the middle of the column of bin k of a histogram, 0 being the bin of distance 0.
func (a scale) center(k int) float64 {
	if k == 0 {
		return a.min() + 0.5
	}
	return float64(k) - 0.5
}

// axis labels every power of two, or as many as there is room for, and the columns.
func (a scale) axis(label string) Axis {
	const room = 9
	step := (a.last-a.first)/room + 1
	phase := min(step-1, 1) // where bins are narrow, the last power of two leaves its room to INF
	x := Axis{Label: label, Unit: "bytes", Min: a.min(), Max: a.max()}
	if a.zero {
		x.Ticks = append(x.Ticks, Tick{a.center(0), "0"})
	}
	for k := a.first; k <= a.last; k++ {
		t := Tick{Value: float64(k)}
		if (a.last-phase-k)%step == 0 {
			t.Label = krd.FormatBytes(1 << k)
		}
		x.Ticks = append(x.Ticks, t)
	}
	x.Ticks = append(x.Ticks, Tick{a.infinity(), "INF"})
	return x
}

// caches are the lines of the cache sizes, up to height y.
func caches(l2, llc uint64, y float64) []Rule {
	var list []Rule
	for _, c := range []struct {
		name  string
		bytes uint64
	}{{"L2", l2}, {"LLC", llc}} {
		if c.bytes > 0 {
			x := math.Log2(float64(c.bytes))
			list = append(list, Rule{Name: c.name + " " + krd.FormatBytes(c.bytes), X1: x, X2: x, Y2: y, Dashed: true})
		}
	}
	return list
}
