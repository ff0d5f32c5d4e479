package krdplot

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"krdlab/hw/units"
	"krdlab/krd"
)

// panel returns an empty plot in the style of the figure, with the horizontal axis a.
func (f *Figure) panel(a Scale, y string) *plot.Plot {
	p := plot.New()
	p.Title.TextStyle.Font = Sans(11)
	p.Title.Padding = vg.Points(6)
	for _, ax := range []*plot.Axis{&p.X, &p.Y} {
		ax.Label.TextStyle.Font = Sans(9)
		ax.Tick.Label.Font = Sans(8)
		ax.Color, ax.Tick.Color = Ink, Ink
		ax.Label.TextStyle.Color, ax.Tick.Label.Color = Ink, Ink
		ax.Padding = vg.Points(2)
	}
	p.X.Min, p.X.Max = a.Min(), a.Max()
	p.X.Tick.Marker = plot.ConstantTicks(a.Labels(10)) // of 7 characters
	p.X.Label.Padding = vg.Points(4)
	p.Y.Label.Text = y
	return p
}

// lines draws the horizontal grid and the cache sizes behind the data and labels the latter at the
// height top.
func (f *Figure) lines(p *plot.Plot, a Scale, top float64, label bool) error {
	g := plotter.NewGrid()
	g.Vertical.Color = nil
	g.Horizontal.Color, g.Horizontal.Width = Grid, vg.Points(0.5)
	p.Add(g)
	names := plotter.XYLabels{}
	for _, c := range []struct {
		name  string
		bytes *uint64
	}{{"L2", f.L2Bytes}, {"LLC", f.LLCBytes}} {
		if c.bytes == nil || *c.bytes == 0 {
			continue
		}
		x := math.Log2(float64(*c.bytes))
		l, err := plotter.NewLine(plotter.XYs{{X: x, Y: 0}, {X: x, Y: top}})
		if err != nil {
			return err
		}
		l.Color, l.Width, l.Dashes = Rule, vg.Points(1), []vg.Length{vg.Points(4), vg.Points(3)}
		p.Add(l)
		names.XYs = append(names.XYs, plotter.XY{X: x, Y: top})
		names.Labels = append(names.Labels, fmt.Sprintf("%s %s", c.name, units.Bytes(*c.bytes)))
	}
	if !label || len(names.Labels) == 0 {
		return nil
	}
	ls, err := plotter.NewLabels(names)
	if err != nil {
		return err
	}
	for i := range ls.TextStyle {
		ls.TextStyle[i].Font, ls.TextStyle[i].Color = Sans(8), Rule
		ls.TextStyle[i].XAlign, ls.TextStyle[i].YAlign = draw.XCenter, draw.YBottom
	}
	ls.Offset = vg.Point{Y: vg.Points(1)}
	p.Add(ls)
	return nil
}

// cumulative is the upper panel: for each power of two, the share of the accesses with a smaller
// distance; 100 % with INF.
func (f *Figure) cumulative(a Scale) (*plot.Plot, error) {
	p := f.panel(a, "share with a smaller distance [%]")
	p.Title.Text = f.Title
	p.Y.Min, p.Y.Max = 0, 108
	p.Y.Tick.Marker = plot.ConstantTicks(percentTicks(100, 20))
	if err := f.lines(p, a, 101, true); err != nil {
		return nil, err
	}
	for i, s := range f.Series {
		h := s.Histogram
		if h.Accesses == 0 {
			continue
		}
		var pts plotter.XYs
		for k := a.First; k <= a.Last; k++ {
			n, err := h.Below(1 << k)
			if err != nil {
				return nil, err
			}
			pts = append(pts, plotter.XY{X: float64(k), Y: percent(n, h)})
		}
		end := plotter.XYs{{X: a.Infinity(), Y: 100}}
		if err := f.trace(p, i, pts, end); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// perBin is the lower panel: the share of each bin, as bars if there is one histogram, as points
// joined by lines otherwise.
func (f *Figure) perBin(a Scale) (*plot.Plot, error) {
	p := f.panel(a, "share in the bin [%]")
	p.X.Label.Text = "reuse distance [bytes]: bins from one power of two to the next; INF: first " +
		"access on the node"
	largest := 0.0
	type column struct{ x, y float64 }
	columns := make([][]column, len(f.Series))
	for i, s := range f.Series {
		h := s.Histogram
		if h.Accesses == 0 {
			continue
		}
		for k := range h.Bins {
			if k == 0 && a.Zero || k > a.First {
				columns[i] = append(columns[i], column{a.Center(k), percent(h.Bins[k].Count, h)})
			}
		}
		columns[i] = append(columns[i], column{a.Infinity(), percent(h.Cold, h)})
		for _, c := range columns[i] {
			largest = max(largest, c.y)
		}
	}
	step := 20.0
	for _, s := range []float64{10, 5, 2, 1} {
		if largest <= 6*s {
			step = s
		}
	}
	p.Y.Min, p.Y.Max = 0, math.Min(100, math.Max(step, math.Ceil(largest*1.02/step)*step))
	p.Y.Tick.Marker = plot.ConstantTicks(percentTicks(p.Y.Max, step))
	if err := f.lines(p, a, p.Y.Max, false); err != nil {
		return nil, err
	}
	for i := range f.Series {
		if len(f.Series) == 1 {
			for _, c := range columns[i] {
				if c.y == 0 {
					continue
				}
				bar, err := plotter.NewPolygon(plotter.XYs{{X: c.x - 0.42, Y: 0},
					{X: c.x - 0.42, Y: c.y}, {X: c.x + 0.42, Y: c.y}, {X: c.x + 0.42, Y: 0}})
				if err != nil {
					return nil, err
				}
				bar.Color, bar.LineStyle.Width = LookAt(f.Series[i].Look).Colour, 0
				p.Add(bar)
			}
			continue
		}
		var scale, apart plotter.XYs // the columns beside the scale are not joined to it
		for _, c := range columns[i] {
			if c.x > float64(a.First) && c.x < float64(a.Last) {
				scale = append(scale, plotter.XY{X: c.x, Y: c.y})
			} else {
				apart = append(apart, plotter.XY{X: c.x, Y: c.y})
			}
		}
		if err := f.trace(p, i, scale, apart); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// trace draws series number i: points joined by a line, and points apart from it.
func (f *Figure) trace(p *plot.Plot, i int, joined, apart plotter.XYs) error {
	look := LookAt(f.Series[i].Look)
	if len(joined) > 0 {
		l, pts, err := plotter.NewLinePoints(joined)
		if err != nil {
			return err
		}
		l.LineStyle, pts.GlyphStyle = look.Line(), look.Glyph()
		p.Add(l, pts)
	}
	if len(apart) > 0 {
		pts, err := plotter.NewScatter(apart)
		if err != nil {
			return err
		}
		pts.GlyphStyle = look.Glyph()
		p.Add(pts)
	}
	return nil
}

func percent(n uint64, h *krd.Histogram) float64 { return 100 * float64(n) / float64(h.Accesses) }

func percentTicks(top, step float64) []plot.Tick {
	var ticks []plot.Tick
	for y := 0.0; y <= top+step/2; y += step {
		ticks = append(ticks, plot.Tick{Value: y, Label: fmt.Sprintf("%g", y)})
	}
	return ticks
}
