package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"krdlab/hw/units"
)

// NiceAxis returns a with a range of whole steps around low and high, and a tick at each.
func NiceAxis(a Axis, low, high float64) Axis {
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

// niceStep returns the least of 1, 2, 5 times a power of ten that is not below x; a step of 1 if x
// is not positive.
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

// Ratios are 1 where nothing is lost; how far from 1 others have to be for an axis to leave them
// out, and how much of one is always shown.
const (
	outlier   = 4
	LeastLoss = 0.25
)

// Span returns the range of an axis of ratios: the points of all series and their intervals, but
// not a few series that are more than [outlier] times as far above 1 as all the others, on which
// these would be a flat line, and not the ends of intervals that are so far beyond all points.
// Values beyond are drawn at the end of the axis.
func Span(series []Series) (low, high float64) {
	var peaks []float64
	low = math.Inf(1)
	for _, s := range series {
		peak := math.Inf(-1)
		for _, v := range s.Points {
			peak = math.Max(peak, v.Y.Float())
			for _, n := range []units.Number{v.Y, v.Low} {
				if n.Known() {
					low = math.Min(low, n.Float())
				}
			}
		}
		peaks = append(peaks, peak)
	}
	slices.SortFunc(peaks, func(a, b float64) int { return cmp.Compare(b, a) })
	loss := func(v float64) float64 { return math.Max(v-1, LeastLoss) }
	top := peaks[0]
	for i := range (len(peaks) - 1) / 2 { // fewer than half
		if peaks[i]-1 > outlier*loss(peaks[i+1]) {
			top = 1 + 1.5*loss(peaks[i+1])
		}
	}
	high = top
	for _, s := range series {
		for _, v := range s.Points {
			if v.High.Known() && v.High.Float()-1 <= outlier*loss(top) {
				high = math.Max(high, v.High.Float())
			}
		}
	}
	return low, high
}

// PercentAxis returns a vertical axis from 0 to at least high, of shares in %.
func PercentAxis(label string, high float64) Axis {
	a := NiceAxis(Axis{Label: label, Unit: "%"}, 0, high)
	if a.Max > 100 && high <= 100 {
		a.Max = 100
	}
	return a
}

// Thousands writes the labels of large ticks in powers of a thousand, and notes it in the axis'
// label.
func (a *Axis) Thousands() {
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
		a.Plain = a.Label
		a.Label += " [" + u.name + "]"
		return
	}
}

// RuleAtOne gives the vertical axis its ticks, and a line at 1.
func (p *Panel) RuleAtOne(name string) {
	p.Y = NiceAxis(p.Y, math.Min(1, p.Y.Min), math.Max(1, p.Y.Max))
	p.Rules = []Rule{{Name: name, X1: 0, Y1: 1, X2: p.X.Max, Y2: 1, Legend: true}}
}

// Places returns a figure of ratios at named places, one panel below the other: the caller gives
// titles, the X axis with a tick at each place, and the series; all panels have one Y axis, with a
// rule at 1.
func Places(id, title, label, atOne string, caption []string, panels []Panel) *Figure {
	f := &Figure{ID: id, Title: title, Caption: caption, Panels: panels, Columns: 1}
	low, high := 1.0, 1.0
	for i := range f.Panels {
		l, h := Span(f.Panels[i].Series)
		low, high = math.Min(low, l), math.Max(high, h)
	}
	for i := range f.Panels {
		p := &f.Panels[i]
		p.Kind, p.Y = Lines, Axis{Label: label, Min: low, Max: high}
		p.RuleAtOne(atOne)
	}
	return f
}
