package figures

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A marker is a shape with a white rim, so that markers that overlap stay apart, and lines do not run through open ones.
// It is a draw.GlyphDrawer.
type marker struct {
	corners int     // 0: a circle
	turn    float64 // of the first corner, in quarters of a circle from the right
	size    float64 // of the radius, to look as large as the others
	open    bool
}

// markers are told apart by shape, and the second four from the first by being open. There is one for each colour of the palette.
var markers = []marker{
	{size: 1}, {corners: 4, turn: 0.5, size: 1.25}, {corners: 3, turn: 1, size: 1.4}, {corners: 4, turn: 1, size: 1.3},
	{size: 1, open: true}, {corners: 4, turn: 0.5, size: 1.25, open: true}, {corners: 3, turn: 1, size: 1.4, open: true}, {corners: 4, turn: 1, size: 1.3, open: true},
}

func (m marker) path(at vg.Point, radius vg.Length) vg.Path {
	var p vg.Path
	if m.corners == 0 {
		p.Move(vg.Point{X: at.X + radius, Y: at.Y})
		p.Arc(at, radius, 0, 2*math.Pi)
	}
	for i := range m.corners {
		angle := (m.turn + 4*float64(i)/float64(m.corners)) * math.Pi / 2
		to := vg.Point{X: at.X + radius*vg.Length(math.Cos(angle)), Y: at.Y + radius*vg.Length(math.Sin(angle))}
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
