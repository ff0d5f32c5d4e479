package figures

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"krdlab/krd/krdplot"
)

// A marker is a shape with a white rim, so that markers that overlap stay apart, and lines do not
// run through open ones. It is a draw.GlyphDrawer.
type marker struct {
	corners int     // 0: a circle
	turn    float64 // of the first corner, in quarters of a circle from the right
	size    float64 // of the radius, to look as large as the others
	open    bool
}

// markers are told apart by shape, and the second four from the first by being open. There is one
// for each colour of the palette.
var markers = []marker{
	{size: 1}, {corners: 4, turn: 0.5, size: 1.25}, {corners: 3, turn: 1, size: 1.4},
	{corners: 4, turn: 1, size: 1.3},
	{size: 1, open: true}, {corners: 4, turn: 0.5, size: 1.25, open: true},
	{corners: 3, turn: 1, size: 1.4, open: true}, {corners: 4, turn: 1, size: 1.3, open: true},
}

func (m marker) path(at vg.Point, radius vg.Length) vg.Path {
	var p vg.Path
	if m.corners == 0 {
		p.Move(vg.Point{X: at.X + radius, Y: at.Y})
		p.Arc(at, radius, 0, 2*math.Pi)
	}
	for i := range m.corners {
		angle := (m.turn + 4*float64(i)/float64(m.corners)) * math.Pi / 2
		to := vg.Point{X: at.X + radius*vg.Length(math.Cos(angle)),
			Y: at.Y + radius*vg.Length(math.Sin(angle))}
		if i == 0 {
			p.Move(to)
		} else {
			p.Line(to)
		}
	}
	p.Close()
	return p
}

// DrawGlyph draws the marker.
func (m marker) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	outline := m.path(at, s.Radius*vg.Length(m.size))
	c.SetLineStyle(draw.LineStyle{Color: white, Width: 1.6})
	c.Stroke(outline)
	c.SetColor(s.Color)
	if m.open {
		c.SetColor(white)
	}
	c.Fill(outline)
	if m.open {
		c.SetLineStyle(draw.LineStyle{Color: s.Color, Width: 1})
		c.Stroke(outline)
	}
}

// pointMarkers draws the markers of all series above all lines. Where points of several series
// coincide, those drawn first are larger, so that each is seen. It is a plot.Plotter, and a
// plot.GlyphBoxer so that none is cut at the sides; above and below it may cover the axis, so that
// panels in a row stay level.
type pointMarkers struct{ p *Panel }

func (m pointMarkers) Plot(c draw.Canvas, g *plot.Plot) {
	const near = 2.5 // points
	type place struct {
		at     vg.Point
		series int
		label  string
	}
	x, y := g.Transforms(&c)
	var all []place
	var taken []vg.Rectangle // by markers and bars
	for i, s := range m.p.Series {
		for _, v := range s.Points {
			if v.Y.Known() {
				taken = append(taken, barBoxes(v, x, y)...)
				all = append(all, place{vg.Point{X: x(v.X), Y: y(v.Y.Float())}, i, v.Label})
			}
		}
	}
	for _, a := range all {
		above := map[int]bool{} // other series, drawn later
		for _, b := range all {
			if b.series > a.series && math.Hypot(float64(b.at.X-a.at.X),
				float64(b.at.Y-a.at.Y)) < near {
				above[b.series] = true
			}
		}
		glyph := m.p.Series[a.series].glyph()
		glyph.Radius *= 1 + 0.35*vg.Length(len(above))
		c.DrawGlyph(glyph, a.at)
		r := glyph.Radius
		taken = append(taken, vg.Rectangle{Min: vg.Point{X: a.at.X - r, Y: a.at.Y - r},
			Max: vg.Point{X: a.at.X + r, Y: a.at.Y + r}})
	}
	for _, a := range all {
		if a.label != "" {
			taken = label(c, a.at, a.label, taken)
		}
	}
}

// barBoxes are the rectangles of the intervals of a point.
func barBoxes(v Point, x, y func(float64) vg.Length) (list []vg.Rectangle) {
	const half = 1
	at := vg.Point{X: x(v.X), Y: y(v.Y.Float())}
	if v.XLow.Known() && v.XHigh.Known() {
		list = append(list, vg.Rectangle{Min: vg.Point{X: x(v.XLow.Float()), Y: at.Y - half},
			Max: vg.Point{X: x(v.XHigh.Float()), Y: at.Y + half}})
	}
	if v.Low.Known() && v.High.Known() {
		list = append(list, vg.Rectangle{Min: vg.Point{X: at.X - half, Y: y(v.Low.Float())},
			Max: vg.Point{X: at.X + half, Y: y(v.High.Float())}})
	}
	return list
}

// label writes words beside a point, where they meet none of the rectangles that are taken, or
// nowhere; it adds their own.
func label(c draw.Canvas, at vg.Point, words string, taken []vg.Rectangle) []vg.Rectangle {
	const gap = 4.5
	style := textStyle(6.5)
	style.Color, style.YAlign = krdplot.Rule, draw.YBottom
	w, h := style.Width(words), style.FontExtents().Ascent
	for _, low := range []vg.Point{{X: gap, Y: -h / 2}, {X: -gap - w, Y: -h / 2},
		{X: -w / 2, Y: gap}, {X: -w / 2, Y: -gap - h}} {
		low = low.Add(at)
		box := vg.Rectangle{Min: low, Max: vg.Point{X: low.X + w, Y: low.Y + h}}
		if !c.Contains(box.Min) || !c.Contains(box.Max) || slices.ContainsFunc(taken,
			func(t vg.Rectangle) bool { return meet(t, box) }) {
			continue
		}
		c.FillText(style, box.Min, words)
		return append(taken, box)
	}
	return taken
}

func meet(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

func (m pointMarkers) GlyphBoxes(g *plot.Plot) []plot.GlyphBox {
	var list []plot.GlyphBox
	for _, s := range m.p.Series {
		r := s.glyph().Radius * 1.5
		for _, v := range s.Points {
			if v.Y.Known() {
				list = append(list, plot.GlyphBox{X: g.X.Norm(v.X), Y: g.Y.Norm(v.Y.Float()),
					Rectangle: vg.Rectangle{Min: vg.Point{X: -r}, Max: vg.Point{X: r}}})
			}
		}
	}
	return list
}
