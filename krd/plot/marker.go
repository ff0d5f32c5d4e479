package plot

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Marker is a shape with a white rim, so that markers that overlap stay apart, and lines do not
// run through hollow ones. It is a draw.GlyphDrawer.
type Marker struct {
	outline []vg.Point // its corners, of a marker of radius 1; none: a circle
	Hollow  bool       // only its edge has the colour: what it stands for is doubtful
}

// outlines of the markers, which are as large to the eye as a circle of radius 1.
var outlines = [][]vg.Point{
	cross(1.25, 0.25), // x
	nil,
	polygon(4, 0.5, 1.25), // square
	polygon(3, 1, 1.4),    // triangle, up
	polygon(4, 1, 1.3),    // diamond
	polygon(3, 3, 1.4),    // triangle, down
	cross(1.35, 0),        // +
	star(1.6),
	polygon(3, 2, 1.4), // triangle, left
}

// at returns the point so far from the middle, in the direction of so many quarters of a circle
// from the right.
func at(radius, quarters float64) vg.Point {
	return vg.Point{X: vg.Length(radius * math.Cos(quarters*math.Pi/2)),
		Y: vg.Length(radius * math.Sin(quarters*math.Pi/2))}
}

// polygon returns so many corners on a circle, the first turned by so many quarters.
func polygon(corners int, turn, radius float64) (list []vg.Point) {
	for i := range corners {
		list = append(list, at(radius, turn+4*float64(i)/float64(corners)))
	}
	return list
}

// star returns a star of five points.
func star(radius float64) (list []vg.Point) {
	for i := range 5 {
		turn := 1 + 4*float64(i)/5
		list = append(list, at(radius, turn), at(0.42*radius, turn+0.4))
	}
	return list
}

// cross returns two beams, turned by twice so many quarters: 0 is a +, a quarter an x.
func cross(radius, turn float64) (list []vg.Point) {
	const thick = 0.32 // half of a beam
	inner, edge := thick*math.Sqrt2, math.Hypot(radius, thick)
	lean := math.Atan2(thick, radius) / (math.Pi / 2)
	for i := range 4 {
		arm := float64(i) + 2*turn
		list = append(list, at(edge, arm-lean), at(edge, arm+lean), at(inner, arm+0.5))
	}
	return list
}

func (m Marker) path(at vg.Point, radius vg.Length) vg.Path {
	var p vg.Path
	if m.outline == nil {
		p.Move(vg.Point{X: at.X + radius, Y: at.Y})
		p.Arc(at, radius, 0, 2*math.Pi)
	}
	for i, corner := range m.outline {
		to := at.Add(vg.Point{X: corner.X * radius, Y: corner.Y * radius})
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
func (m Marker) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	outline := m.path(at, s.Radius)
	c.SetLineStyle(draw.LineStyle{Color: white, Width: 1.6})
	c.Stroke(outline)
	c.SetColor(s.Color)
	if m.Hollow {
		c.SetColor(white)
	}
	c.Fill(outline)
	if m.Hollow {
		c.SetLineStyle(draw.LineStyle{Color: s.Color, Width: 1})
		c.Stroke(outline)
	}
}

// SVG returns the marker as the data of an SVG path, whose y grows downwards, in a box from -1.6 to
// 1.6 around the middle, that two empty moves span.
func (m Marker) SVG() string {
	var b strings.Builder
	b.WriteString("M-1.6-1.6zM1.6 1.6z")
	if m.outline == nil {
		b.WriteString("M1 0A1 1 0 1 1-1 0A1 1 0 1 1 1 0z")
		return b.String()
	}
	for i, p := range m.outline {
		word := "L"
		if i == 0 {
			word = "M"
		}
		fmt.Fprintf(&b, "%s%.2f %.2f", word, float64(p.X), -float64(p.Y))
	}
	b.WriteString("z")
	return b.String()
}
