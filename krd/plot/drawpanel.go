package plot

import (
	"math"
	"slices"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"krdlab/hw/units"
)

// axes returns the panel with its axes, empty.
func (p *Panel) axes() *gonum.Plot {
	g := gonum.New()
	g.BackgroundColor = nil
	for _, a := range []struct {
		to   *gonum.Axis
		from *Axis
	}{{&g.X, &p.X}, {&g.Y, &p.Y}} {
		a.to.Label.Text = a.from.Label
		a.to.Label.TextStyle.Font, a.to.Tick.Label.Font = sans(9), sans(8)
		a.to.Color, a.to.Tick.Color = ink, ink
		a.to.Label.TextStyle.Color, a.to.Tick.Label.Color = ink, ink
		a.to.Padding, a.to.Tick.Length = vg.Points(2), vg.Points(4)
		a.to.Min, a.to.Max = a.from.Min, a.from.Max
		var ticks []gonum.Tick
		for _, t := range a.from.Ticks {
			if a.from.Turned {
				t.Label += " " // away from the tick
			}
			ticks = append(ticks, gonum.Tick{Value: t.Value, Label: t.Label})
		}
		a.to.Tick.Marker = gonum.ConstantTicks(ticks)
	}
	g.X.Label.Padding = vg.Points(3)
	if p.X.Turned {
		label := &g.X.Tick.Label
		label.Rotation, label.XAlign, label.YAlign = math.Pi/2, draw.XRight, draw.YCenter
	}
	return g
}

// upright returns the panel as it is drawn: a flipped one with its axes exchanged.
func (p Panel) upright() Panel {
	if !p.Flipped {
		return p
	}
	x := p.X
	down := func(v float64) float64 { return x.Max + x.Min - v }
	x.Ticks, x.Turned = slices.Clone(x.Ticks), false
	for i := range x.Ticks {
		x.Ticks[i].Value = down(x.Ticks[i].Value)
	}
	p.X, p.Y = p.Y, x
	p.Series = slices.Clone(p.Series)
	for i := range p.Series {
		s := &p.Series[i]
		points := s.Points
		s.Points = nil
		for _, v := range points {
			if !v.Y.Known() {
				continue
			}
			at := down(v.X)
			v.X, v.XLow, v.XHigh = v.Y.Float(), v.Low, v.High
			v.Y, v.Low, v.High = units.Some(at), units.Number{}, units.Number{}
			s.Points = append(s.Points, v)
		}
	}
	p.Rules = slices.Clone(p.Rules)
	for i, r := range p.Rules {
		p.Rules[i].X1, p.Rules[i].Y1, p.Rules[i].X2, p.Rules[i].Y2 = r.Y1, down(r.X1), r.Y2,
			down(r.X2)
	}
	return p
}

// plot draws the panel's data onto its axes.
func (p *Panel) plot() *gonum.Plot {
	g := p.axes()
	g.Add(heading{p})
	if p.Kind == Heat || p.Kind == Matrix {
		g.Add(fields{p})
		return g
	}
	switch p.Kind {
	case Cells:
		g.Add(cells{p})
		g.HideAxes()
		return g
	case Strips:
		g.Add(cells{p})
		return g
	case Arcs:
		g.Add(arcs{p})
		return g
	}
	grid := horizontalGrid()
	if p.Flipped {
		grid.Vertical, grid.Horizontal = grid.Horizontal, grid.Vertical
	}
	g.Add(grid)
	for _, r := range p.Rules {
		g.Add(polyline{plotter.XYs{{X: r.X1, Y: r.Y1}, {X: r.X2, Y: r.Y2}}, r.style()})
	}
	switch p.Kind {
	case Stacked:
		g.Add(stackedBars{p})
		return g
	case Steps:
		g.Add(steps{p})
		return g
	}
	for i := range p.Series {
		p.Series[i].line(g)
	}
	g.Add(pointMarkers{p})
	return g
}

func horizontalGrid() *plotter.Grid {
	grid := plotter.NewGrid()
	grid.Vertical.Color = nil
	grid.Horizontal.Color, grid.Horizontal.Width = gridColour, vg.Points(0.5)
	return grid
}

// A heading is the title of a panel, and below it its note, or over their upper ends the names of
// the rules that the legend has not. It is a Plotter, and a GlyphBoxer to have room made
// for it.
type heading struct{ p *Panel }

func (h heading) named() (list []Rule) {
	for _, e := range h.p.Rules {
		if !e.Legend {
			list = append(list, e)
		}
	}
	return list
}

// small reports whether there is a line of small letters.
func (h heading) small() bool { return h.p.Note != "" || len(h.named()) > 0 }

const headingGap = 2 * vg.Length(1)

func (h heading) Plot(c draw.Canvas, g *gonum.Plot) {
	x, _ := g.Transforms(&c)
	list, y := h.named(), c.Max.Y+headingGap
	style := textStyle(8)
	style.Color, style.YAlign = ruleColour, draw.YBottom
	for i, e := range list {
		style.XAlign = draw.XCenter
		half := style.Width(e.Name)/2 + 4
		if i > 0 && x(e.X2)-x(list[i-1].X2) < half+style.Width(list[i-1].Name)/2 {
			style.XAlign = draw.XLeft
		} else if i+1 < len(list) && x(list[i+1].X2)-x(e.X2) < half+style.Width(list[i+1].Name)/2 {
			style.XAlign = draw.XRight
		}
		c.FillText(style, vg.Point{X: x(e.X2), Y: y}, e.Name)
	}
	if h.p.Note != "" {
		style.XAlign = draw.XCenter
		c.FillText(style, vg.Point{X: c.Center().X, Y: y}, h.p.Note)
	}
	if h.small() {
		y += style.Height("Mg") + headingGap
	}
	title := textStyle(9)
	title.XAlign, title.YAlign = draw.XCenter, draw.YBottom
	c.FillText(title, vg.Point{X: c.Center().X, Y: y + headingGap}, h.p.Title)
}

func (h heading) GlyphBoxes(*gonum.Plot) []gonum.GlyphBox {
	height := vg.Length(0)
	if h.small() {
		height += textStyle(8).Height("Mg") + headingGap
	}
	if h.p.Title != "" {
		height += textStyle(9).Height("Mg") + 2*headingGap
	}
	if height == 0 {
		return nil
	}
	return []gonum.GlyphBox{{X: 0.5, Y: 1, Rectangle: vg.Rectangle{Min: vg.Point{X: -1},
		Max: vg.Point{X: 1, Y: height}}}}
}

func (r *Rule) style() draw.LineStyle {
	s := draw.LineStyle{Color: ruleColour, Width: vg.Points(0.8)}
	if r.Dashed {
		s.Dashes = []vg.Length{4, 3}
	}
	return s
}

// line draws the intervals of a series and the line through its points.
func (s *Series) line(g *gonum.Plot) {
	var joined plotter.XYs
	var known []Point
	for _, v := range s.Points {
		if v.Y.Known() {
			known = append(known, v)
			if !v.Apart && !s.Apart {
				joined = append(joined, plotter.XY{X: v.X, Y: v.Y.Float()})
			}
		}
	}
	g.Add(polyline{joined, s.look().Line()})
	g.Add(errorBars{known, draw.LineStyle{Color: colourOf(s.Colour), Width: vg.Points(0.8)}})
}

// polyline joins points, as far as they are within the axes. Unlike a plotter.Line it asks for no
// room at the edges, so that panels side by side stay level. It is a Plotter.
type polyline struct {
	points plotter.XYs
	style  draw.LineStyle
}

func (l polyline) Plot(c draw.Canvas, g *gonum.Plot) {
	x, y := g.Transforms(&c)
	var at []vg.Point
	for _, p := range l.points {
		at = append(at, vg.Point{X: x(p.X), Y: y(p.Y)})
	}
	for _, part := range clipped(c, at...) {
		c.StrokeLines(l.style, part)
	}
}

// clipped returns the parts of a line within the axes; a line on their edge is within.
func clipped(c draw.Canvas, line ...vg.Point) [][]vg.Point {
	c.Rectangle = grown(c.Rectangle, 0.1)
	return c.ClipLinesXY(line)
}

// errorBars draws the intervals of points, with caps, or with an arrow where one goes on beyond the
// axis; nothing for those that have none. It is a Plotter.
type errorBars struct {
	points []Point
	style  draw.LineStyle
}

func (e errorBars) Plot(c draw.Canvas, g *gonum.Plot) {
	x, y := g.Transforms(&c)
	for _, v := range e.points {
		if v.Low.Known() && v.High.Known() {
			e.bar(c, vg.Point{X: x(v.X), Y: y(v.Low.Float())},
				vg.Point{X: x(v.X), Y: y(v.High.Float())}, vg.Point{Y: 1})
		}
		if v.XLow.Known() && v.XHigh.Known() {
			at := y(v.Y.Float())
			e.bar(c, vg.Point{X: x(v.XLow.Float()), Y: at},
				vg.Point{X: x(v.XHigh.Float()), Y: at}, vg.Point{X: 1})
		}
	}
}

// bar draws one interval along a direction.
func (e errorBars) bar(c draw.Canvas, low, high, along vg.Point) {
	const cap = 2.2
	across := vg.Point{X: along.Y * cap, Y: along.X * cap}
	for _, part := range clipped(c, low, high) {
		c.StrokeLines(e.style, part)
		for _, end := range []struct{ wanted, drawn, to vg.Point }{
			{low, part[0], along.Scale(-1)}, {high, part[len(part)-1], along}} {
			if end.wanted == end.drawn {
				c.StrokeLines(e.style, []vg.Point{end.drawn.Sub(across), end.drawn.Add(across)})
			} else {
				arrowHead(c, e.style, end.drawn, end.to)
			}
		}
	}
}
