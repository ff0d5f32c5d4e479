package plot

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/vg/draw"

	"krdlab/hw/units"
)

// NewSeries returns a series with the look of a number, without points.
func NewSeries(name string, number int) Series {
	look := LookAt(number)
	e := Series{Name: name, Style: number, Colour: look.Hex(), Marker: look.Marker.SVG(),
		Dashes: []float64{}}
	for _, d := range look.Dashes {
		e.Dashes = append(e.Dashes, d.Points())
	}
	return e
}

// look returns how the series is drawn.
func (s *Series) look() Look {
	look := LookAt(s.Style)
	look.Colour = colourOf(s.Colour)
	return look
}

// glyph returns the style of a point of the series.
func (s *Series) glyph(v *Point) draw.GlyphStyle {
	look := s.look()
	look.Marker.Hollow = v != nil && v.Disturbed
	if s.Dots {
		return draw.GlyphStyle{Color: look.Colour, Radius: 1, Shape: draw.CircleGlyph{}}
	}
	return look.Glyph()
}

// colourOf reads #rrggbb; what is not that is grey.
func colourOf(s string) color.RGBA {
	c := color.RGBA{A: 0xff}
	if _, err := fmt.Sscanf(s, "#%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		c = Palette[len(Palette)-1]
	}
	return c
}

// Doubt marks all points of a disturbed series.
func (s *Series) Doubt(disturbed bool) {
	for i := range s.Points {
		s.Points[i].Disturbed = disturbed
	}
}

// Highest returns the largest value or end of an interval, at least 0.
func Highest(points []Point) (top float64) {
	for _, v := range points {
		for _, n := range []units.Number{v.Y, v.High} {
			if n.Known() {
				top = max(top, n.Float())
			}
		}
	}
	return top
}
