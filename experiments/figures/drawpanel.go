package figures

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"krdlab/krd/krdplot"
)

var white = color.Gray{0xff}

// axes returns the panel with its axes, empty.
func (p *Panel) axes() *plot.Plot {
	g := plot.New()
	g.BackgroundColor = nil
	g.Title.Text = p.Title
	g.Title.TextStyle.Font, g.Title.TextStyle.Color = krdplot.Sans(9), krdplot.Ink
	g.Title.Padding = vg.Points(4)
	for _, a := range []struct {
		to   *plot.Axis
		from *Axis
	}{{&g.X, &p.X}, {&g.Y, &p.Y}} {
		a.to.Label.Text = a.from.Label
		a.to.Label.TextStyle.Font, a.to.Tick.Label.Font = krdplot.Sans(9), krdplot.Sans(8)
		a.to.Color, a.to.Tick.Color = krdplot.Ink, krdplot.Ink
		a.to.Label.TextStyle.Color, a.to.Tick.Label.Color = krdplot.Ink, krdplot.Ink
		a.to.Padding = vg.Points(2)
		a.to.Min, a.to.Max = a.from.Min, a.from.Max
		var ticks []plot.Tick
		for _, t := range a.from.Ticks {
			ticks = append(ticks, plot.Tick{Value: t.Value, Label: t.Label})
		}
		a.to.Tick.Marker = plot.ConstantTicks(ticks)
	}
	g.X.Label.Padding = vg.Points(4)
	return g
}

// plot draws the panel's data onto its axes.
func (p *Panel) plot() (*plot.Plot, error) {
	g := p.axes()
	grid := plotter.NewGrid()
	grid.Vertical.Color = nil
	grid.Horizontal.Color, grid.Horizontal.Width = krdplot.Grid, vg.Points(0.5)
	g.Add(grid)
	for _, r := range p.Rules {
		l, err := plotter.NewLine(plotter.XYs{{X: r.X1, Y: r.Y1}, {X: r.X2, Y: r.Y2}})
		if err != nil {
			return nil, err
		}
		l.LineStyle = r.style()
		g.Add(l)
	}
	for _, s := range p.Series {
		if err := s.lines(g); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func (r *Rule) style() draw.LineStyle {
	s := draw.LineStyle{Color: krdplot.Rule, Width: vg.Points(0.8)}
	if r.Dashed {
		s.Dashes = []vg.Length{4, 3}
	}
	return s
}

func (s *Series) lineStyle() draw.LineStyle {
	return draw.LineStyle{Color: colourOf(s.Colour), Width: vg.Points(1.2), Dashes: dashes[s.Style%len(dashes)]}
}

func (s *Series) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: colourOf(s.Colour), Radius: vg.Points(2.6), Shape: krdplot.Markers[s.Style%len(krdplot.Markers)]}
}

// lines draws intervals, the line and the markers of a series.
func (s *Series) lines(g *plot.Plot) error {
	var joined, all plotter.XYs
	var bars intervals
	for _, v := range s.Points {
		if !v.Y.Known() {
			continue
		}
		at := plotter.XY{X: v.X, Y: v.Y.Float()}
		all = append(all, at)
		if !v.Apart && !s.Apart {
			joined = append(joined, at)
		}
		bars = append(bars, v)
	}
	if len(all) == 0 {
		return nil
	}
	if len(joined) > 0 {
		l, err := plotter.NewLine(joined)
		if err != nil {
			return err
		}
		l.LineStyle = s.lineStyle()
		g.Add(l)
	}
	g.Add(errorBars{bars, draw.LineStyle{Color: colourOf(s.Colour), Width: vg.Points(0.8)}})
	points, err := plotter.NewScatter(all)
	if err != nil {
		return err
	}
	points.GlyphStyle = s.glyph()
	g.Add(points)
	return nil
}

type intervals []Point

// errorBars draws the intervals of points, with caps; nothing for those that have none. It is a plot.Plotter.
type errorBars struct {
	points intervals
	style  draw.LineStyle
}

func (e errorBars) Plot(c draw.Canvas, g *plot.Plot) {
	const cap = vg.Length(2.2)
	x, y := g.Transforms(&c)
	for _, v := range e.points {
		if v.Low.Known() && v.High.Known() {
			at, low, high := x(v.X), y(v.Low.Float()), y(v.High.Float())
			c.StrokeLine2(e.style, at, low, at, high)
			c.StrokeLine2(e.style, at-cap, low, at+cap, low)
			c.StrokeLine2(e.style, at-cap, high, at+cap, high)
		}
		if v.XLow.Known() && v.XHigh.Known() {
			at, low, high := y(v.Y.Float()), x(v.XLow.Float()), x(v.XHigh.Float())
			c.StrokeLine2(e.style, low, at, high, at)
			c.StrokeLine2(e.style, low, at-cap, low, at+cap)
			c.StrokeLine2(e.style, high, at-cap, high, at+cap)
		}
	}
}
