// Package distances draws histograms of reuse distance: cumulative and per bin, over an axis of
// powers of two with a column for distance 0 and one for cold accesses.
package distances

import (
	"fmt"
	"math"
	"slices"

	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/plot"
)

// A Spread returns Y, Low, High and N of the point of a share, 0 to 1, of each histogram behind a
// series; Y, Low and High in %.
type Spread func(share func(*krd.Histogram) units.Number) plot.Point

// A Plot draws the reuse distances of some series, cumulative and per bin.
type Plot struct {
	Scale           Scale
	L2Bytes         uint64 // 0: no line
	LLCBytes        uint64 // of a node; 0: no line
	Unit            string // what shares are of: "accesses" or "bytes"
	Cumulative, Bin plot.Panel
}

// New returns the two panels without series, on an axis that covers the distances of hs
// and the sizes of the caches, 0 being one that is not known.
func New(hs []*krd.Histogram, l2, llc uint64, unit string) *Plot {
	d := &Plot{Scale: NewScale(hs, l2, llc), L2Bytes: l2, LLCBytes: llc, Unit: unit}
	d.Cumulative = plot.Panel{Kind: plot.Lines,
		X: d.Scale.Axis("reuse distance [bytes]; INF: all " + unit + ", first ones included"),
		Y: plot.PercentAxis(unit+" with a smaller distance [%]", 100)}
	d.Cumulative.Y.Max = 105 // room for the markers
	d.Cumulative.Rules = Caches(l2, llc, d.Cumulative.Y.Max)
	d.Bin = plot.Panel{Kind: plot.Lines, X: d.Scale.Axis("reuse distance [bytes], bins from one power of " +
		"two to the next; INF: first access on a node"), Y: plot.Axis{Label: unit + " in the bin [%]"}}
	d.BinsUpTo(0)
	return d
}

// Add draws a series with the look of like into both panels; disturbed marks its numbers as
// doubtful.
func (d *Plot) Add(like plot.Series, disturbed bool, of Spread) {
	for _, to := range []struct {
		p      *plot.Panel
		points []plot.Point
	}{{&d.Cumulative, d.Scale.cumulative(of)}, {&d.Bin, d.Scale.bins(of)}} {
		s := like
		s.Points = to.points
		s.Doubt(disturbed)
		to.p.Series = append(to.p.Series, s)
	}
	d.BinsUpTo(d.HighestBin())
}

// HighestBin returns the largest share of a bin, or end of its interval, in %.
func (d *Plot) HighestBin() (top float64) {
	for _, s := range d.Bin.Series {
		top = max(top, plot.Highest(s.Points))
	}
	return top
}

// BinsUpTo gives the panel of bins an axis up to top, in %.
func (d *Plot) BinsUpTo(top float64) {
	d.Bin.Y = plot.PercentAxis(d.Bin.Y.Label, top)
	d.Bin.Rules = Caches(d.L2Bytes, d.LLCBytes, d.Bin.Y.Max)
}

// At returns a point of s at x.
func (s Spread) At(x float64, at string, share func(*krd.Histogram) units.Number) plot.Point {
	v := s(share)
	v.X, v.At = x, at
	return v
}

// Beside returns a point in a column beside the scale.
func (s Spread) Beside(x float64, at string, share func(*krd.Histogram) units.Number) plot.Point {
	v := s.At(x, at, share)
	v.Apart = true
	return v
}

func part(n uint64, h *krd.Histogram) units.Number {
	return units.Some(float64(n) / float64(h.Accesses)) // of none: not known
}

// cumulative returns the share of accesses below each power of two; 100 % with INF.
func (a Scale) cumulative(of Spread) (list []plot.Point) {
	for k := a.First; k <= a.Last; k++ {
		list = append(list, of.At(float64(k), units.Bytes(1<<k),
			func(h *krd.Histogram) units.Number {
				n, err := h.Below(1 << k)
				if err != nil {
					return units.Number{}
				}
				return part(n, h)
			}))
	}
	return append(list, of.Beside(a.Infinity(), "INF",
		func(*krd.Histogram) units.Number { return units.Some(1) }))
}

// bins returns the share of accesses in each bin.
func (a Scale) bins(of Spread) (list []plot.Point) {
	bin := func(k int) func(*krd.Histogram) units.Number {
		return func(h *krd.Histogram) units.Number {
			var n uint64
			if k < len(h.Bins) {
				n = h.Bins[k].Count
			}
			return part(n, h)
		}
	}
	if a.Zero {
		list = append(list, of.Beside(a.Center(0), "0", bin(0)))
	}
	for k := a.First + 1; k <= a.Last; k++ {
		at := "[" + units.Bytes(1<<(k-1)) + ", " + units.Bytes(1<<k) + ")"
		list = append(list, of.At(a.Center(k), at, bin(k)))
	}
	return append(list, of.Beside(a.Infinity(), "INF",
		func(h *krd.Histogram) units.Number { return part(h.Infinite(), h) }))
}

// Caches returns the lines of the cache sizes, 0 being one that is not known, up to height y.
func Caches(l2, llc uint64, y float64) (list []plot.Rule) {
	for i, bytes := range []uint64{l2, llc} {
		if bytes > 0 {
			x := math.Log2(float64(bytes))
			list = append(list, plot.Rule{Name: []string{"L2 ", "LLC "}[i] + units.Bytes(bytes), X1: x,
				X2: x, Y2: y, Dashed: true})
		}
	}
	return list
}

// A Curve is one histogram of a figure of [Of].
type Curve struct {
	Name, Legend string // Legend is that of [plot.Series]
	Look         int    // number of its look, see [plot.LookAt]
	Histogram    *krd.Histogram
}

// sumLook is the look of the sum over nodes, or of the only one; those of the nodes follow.
const sumLook = 1

// Nodes returns the sum over the nodes of a report and, with each, where there are several, each of
// them as well.
func Nodes(r *krd.Report, each bool) []Curve {
	name := func(n int) string { return fmt.Sprintf("node %d", r.Nodes[n].Node) }
	if len(r.Nodes) == 1 {
		return []Curve{{Name: name(0), Look: sumLook, Histogram: &r.Histogram}}
	}
	list := []Curve{{Name: "sum over nodes", Look: sumLook, Histogram: &r.Histogram}}
	for i := range r.Nodes {
		if each {
			list = append(list, Curve{Name: name(i), Look: sumLook + 1 + i,
				Histogram: &r.Nodes[i].Histogram})
		}
	}
	return list
}

// Of returns the figure of curves that have the conventions of r, as of [Nodes]. about describes
// the run (machine, kernel, scheduler, cores); it becomes the last line of the caption. The error
// is [plot.ErrEmpty] where there is no access.
func Of(r *krd.Report, curves []Curve, about string) (*plot.Figure, error) {
	unit := "accesses"
	if r.Weight == krd.WeightBytes {
		unit = "bytes"
	}
	curves = slices.DeleteFunc(slices.Clone(curves),
		func(c Curve) bool { return c.Histogram.Accesses == 0 })
	if len(curves) == 0 {
		return nil, plot.ErrEmpty
	}
	var hs []*krd.Histogram
	for _, c := range curves {
		hs = append(hs, c.Histogram)
	}
	size := func(p *uint64) uint64 {
		if p == nil {
			return 0
		}
		return *p
	}
	d := New(hs, size(r.L2Bytes), size(r.LLCBytes), unit)
	for _, c := range curves {
		s := plot.NewSeries(c.Name, c.Look)
		s.Legend = c.Legend
		d.Add(s, false, func(share func(*krd.Histogram) units.Number) plot.Point {
			return plot.Point{Y: units.Some(100 * share(c.Histogram).Float()), N: 1}
		})
	}
	if len(curves) == 1 {
		d.Bin.Kind = plot.Stacked
	}
	f := &plot.Figure{ID: "krd", Title: "Kernel reuse distance", Columns: 1,
		Panels: []plot.Panel{d.Cumulative, d.Bin}}
	f.Caption = []string{fmt.Sprintf("n = %s accesses on %s; %s distance; shares are of %s, cold "+
		"ones (INF) included.", units.Grouped(r.AccessCount), units.Count(len(r.Nodes), "node"),
		r.Distance, unit)}
	if r.Invalidated != nil && r.Accesses > 0 {
		f.Caption = append(f.Caption, fmt.Sprintf("Writes invalidate on other nodes: %.4g %% of "+
			"the %s were lost so, and are INF.",
			100*float64(*r.Invalidated)/float64(r.Accesses), unit))
	}
	if about != "" {
		f.Caption = append(f.Caption, about)
	}
	f.Caption = append(f.Caption, f.Notes()...)
	return f, nil
}
