package figures

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An entry of the legend is a series or a rule.
type entry struct {
	name   string
	line   draw.LineStyle
	glyph  *draw.GlyphStyle
	filled bool // a box instead
}

// A legend stands below the panels, in as many lines as it takes, so that it covers nothing.
type legend [][]entry

const (
	sampleWidth = 22 * vg.Length(1) // of the piece of line
	entryGap    = 14 * vg.Length(1)
	legendLine  = 13 * vg.Length(1)
)

func (e *entry) width() vg.Length {
	return sampleWidth + 4 + textStyle(8).Width(e.name)
}

// legend collects the series of all panels, each once, and the rules that are named in it.
func (f *Figure) legend() legend {
	var list []entry
	seen := map[string]bool{}
	add := func(e entry) {
		if !seen[e.name] {
			seen[e.name] = true
			list = append(list, e)
		}
	}
	for _, p := range f.Panels {
		for i := range p.Series {
			s := &p.Series[i]
			glyph := s.glyph(nil)
			e := entry{name: s.Name, line: s.lineStyle(), glyph: &glyph, filled: p.Kind == Stacked}
			if s.Apart {
				e.line.Width = 0
			}
			if p.Kind != Heat {
				add(e)
			}
		}
	}
	for _, p := range f.Panels {
		for i := range p.Rules {
			if p.Rules[i].Legend {
				add(entry{name: p.Rules[i].Name, line: p.Rules[i].style()})
			}
		}
	}
	var l legend
	var used vg.Length
	for _, e := range list {
		if len(l) == 0 || used+e.width() > width-2*margin {
			l, used = append(l, nil), 0
		}
		l[len(l)-1] = append(l[len(l)-1], e)
		used += e.width() + entryGap
	}
	return l
}

func (l legend) height() vg.Length { return legendLine*vg.Length(len(l)) + margin }

// draw draws the legend centred, its lower edge so far above that of c.
func (l legend) draw(c draw.Canvas, above vg.Length) {
	style := textStyle(8)
	style.YAlign = draw.YCenter
	for i, row := range l {
		total := -entryGap
		for _, e := range row {
			total += e.width() + entryGap
		}
		x := c.Center().X - total/2
		y := c.Min.Y + above + l.height() - margin/2 - legendLine*(vg.Length(i)+0.5)
		for _, e := range row {
			if e.filled {
				c.SetColor(e.line.Color)
				c.Fill(vg.Rectangle{Min: vg.Point{X: x + 8, Y: y - 3.5},
					Max: vg.Point{X: x + sampleWidth, Y: y + 3.5}}.Path())
			} else {
				if e.line.Width > 0 {
					c.StrokeLine2(e.line, x, y, x+sampleWidth, y)
				}
				if e.glyph != nil {
					c.DrawGlyph(*e.glyph, vg.Point{X: x + sampleWidth/2, Y: y})
				}
			}
			// the middle of small letters
			c.FillText(style, vg.Point{X: x + sampleWidth + 4, Y: y + 0.8}, e.name)
			x += e.width() + entryGap
		}
	}
}
