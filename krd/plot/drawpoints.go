package plot

import (
	"math"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"krdlab/hw/units"
)

// pointMarkers draws the markers of all series above all lines. Where points of several series
// coincide, those drawn first are larger, so that each is seen. Points beyond the axis stand at its
// end, with an arrow. It is a Plotter, and a GlyphBoxer so that none is cut at the sides;
// above and below it may cover the axis, so that panels in a row stay level.
type pointMarkers struct{ p *Panel }

// A mark is a point on the canvas.
type mark struct {
	at     vg.Point
	series int
	point  *Point
	radius vg.Length
	cut    vg.Length // 1 above the axis, -1 below it, 0 within
}

const (
	coincide    = 2.5  // points that are nearer look like one
	mostAbove   = 6    // points on top of one that make it larger: more hide some
	arrowLength = 10.0 // from the middle of a marker to the end of the axis beyond which it is
)

func (m pointMarkers) Plot(c draw.Canvas, g *gonum.Plot) {
	marks := m.marks(c, g)
	var taken []vg.Rectangle // by markers and bars
	for _, a := range marks {
		glyph := m.p.Series[a.series].glyph(a.point)
		if a.cut != 0 {
			m.arrow(c, a)
		}
		glyph.Radius = a.radius
		c.DrawGlyph(glyph, a.at)
		taken = append(taken, square(a.at, a.radius*1.2))
	}
	for i, a := range marks {
		if a.cut != 0 {
			taken = label(c, taken[i], units.Digits(a.point.Y.Float(), 3), taken)
		}
	}
	x, y := g.Transforms(&c)
	bars := taken
	for _, s := range m.p.Series {
		for _, v := range s.Points {
			bars = append(bars, barBoxes(v, x, y)...)
		}
	}
	for _, l := range clusters(marks) {
		if after := label(c, l.box, l.words, bars); len(after) > len(bars) {
			bars, taken = after, append(taken, after[len(after)-1])
		} else { // rather on a bar than nowhere
			taken = label(c, l.box, l.words, taken)
		}
	}
}

// marks returns the known points of all series, in the order of drawing.
func (m pointMarkers) marks(c draw.Canvas, g *gonum.Plot) (list []mark) {
	x, y := g.Transforms(&c)
	columns := map[float64]int{} // how many are cut at an x
	for i := range m.p.Series {
		s := &m.p.Series[i]
		for j := range s.Points {
			v := &s.Points[j]
			if !v.Y.Known() {
				continue
			}
			a := mark{at: vg.Point{X: x(v.X), Y: y(v.Y.Float())}, series: i, point: v}
			if m.p.Y.beyond(v.Y) {
				end := m.p.Y.Min
				if a.cut = -1; v.Y.Float() > m.p.Y.Max {
					a.cut, end = 1, m.p.Y.Max
				}
				a.at.Y = y(end) - a.cut*vg.Length(arrowLength)
				a.at.X += besides(a.at.X, c, columns[v.X])
				columns[v.X]++
			}
			list = append(list, a)
		}
	}
	for i, a := range list {
		if m.p.Series[a.series].Dots {
			list[i].radius = m.p.Series[a.series].glyph(nil).Radius
			continue
		}
		above := map[int]bool{} // other series, drawn later
		for _, b := range list {
			if b.series > a.series &&
				math.Hypot(float64(b.at.X-a.at.X), float64(b.at.Y-a.at.Y)) < coincide {
				above[b.series] = true
			}
		}
		list[i].radius = m.p.Series[a.series].glyph(nil).Radius *
			(1 + 0.25*vg.Length(min(len(above), mostAbove)))
	}
	return list
}

// besides returns how far the n-th of several points that are cut at one x moves, so that each is
// seen: towards the middle of the picture.
func besides(x vg.Length, c draw.Canvas, n int) vg.Length {
	const step = 24 // room for the value
	if x > c.Center().X {
		return -step * vg.Length(n)
	}
	return step * vg.Length(n)
}

// arrow draws the arrow from a mark to the end of the axis.
func (m pointMarkers) arrow(c draw.Canvas, a mark) {
	style := m.p.Series[a.series].look().Line()
	style.Dashes = nil
	tip := vg.Point{X: a.at.X, Y: a.at.Y + a.cut*vg.Length(arrowLength)}
	c.StrokeLine2(style, a.at.X, a.at.Y, tip.X, tip.Y)
	arrowHead(c, style, tip, vg.Point{Y: a.cut})
}

// arrowHead draws the head of an arrow that points in a direction of length 1 along an axis.
func arrowHead(c draw.Canvas, style draw.LineStyle, tip, to vg.Point) {
	const length, half = 4.5, 2.4
	style.Dashes = nil
	across := vg.Point{X: to.Y, Y: to.X}
	foot := tip.Sub(to.Scale(length))
	var p vg.Path
	p.Move(tip)
	p.Line(foot.Add(across.Scale(half)))
	p.Line(foot.Sub(across.Scale(half)))
	p.Close()
	c.SetColor(style.Color)
	c.Fill(p)
}

// barBoxes returns the rectangles of the intervals of a point.
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

func (m pointMarkers) GlyphBoxes(g *gonum.Plot) []gonum.GlyphBox {
	var list []gonum.GlyphBox
	for i := range m.p.Series {
		s := &m.p.Series[i]
		r := s.glyph(nil).Radius * 1.5
		for _, v := range s.Points {
			if v.Y.Known() {
				list = append(list, gonum.GlyphBox{X: g.X.Norm(v.X), Y: g.Y.Norm(v.Y.Float()),
					Rectangle: vg.Rectangle{Min: vg.Point{X: -r}, Max: vg.Point{X: r}}})
			}
		}
	}
	return list
}
