package plot

import (
	"cmp"
	"slices"
	"strings"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The sizes that all figures share.
const (
	width  = 6.5 * vg.Inch // the text width of a page
	margin = 8 * vg.Length(1)
)

// An entry of a legend is a series or a line of reference.
type entry struct {
	Name   string
	Line   draw.LineStyle   // of width 0: none
	Glyph  *draw.GlyphStyle // nil: none
	Filled bool             // a box of the line's colour instead
}

// A legend stands below the panels, in as many lines as it takes, so that it covers nothing.
type legend [][]entry

const (
	sampleWidth = 22 * vg.Length(1) // of the piece of line
	entryGap    = 14 * vg.Length(1)
	legendLine  = 13 * vg.Length(1)
)

func (e *entry) width() vg.Length {
	return sampleWidth + 4 + textStyle(8).Width(e.Name)
}

// newLegend sets the entries in lines; of several of one name the first.
func newLegend(entries []entry) legend {
	var l legend
	var used vg.Length
	seen := map[string]bool{}
	for _, e := range entries {
		if seen[e.Name] {
			continue
		}
		seen[e.Name] = true
		if len(l) == 0 || used+e.width() > width-2*margin {
			l, used = append(l, nil), 0
		}
		l[len(l)-1] = append(l[len(l)-1], e)
		used += e.width() + entryGap
	}
	return l
}

// height returns the height of the legend.
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
			if e.Filled {
				c.SetColor(e.Line.Color)
				c.Fill(vg.Rectangle{Min: vg.Point{X: x + 8, Y: y - 3.5},
					Max: vg.Point{X: x + sampleWidth, Y: y + 3.5}}.Path())
			} else {
				if e.Line.Width > 0 {
					c.StrokeLine2(e.Line, x, y, x+sampleWidth, y)
				}
				if e.Glyph != nil {
					c.DrawGlyph(*e.Glyph, vg.Point{X: x + sampleWidth/2, Y: y})
				}
			}
			// the middle of small letters
			c.FillText(style, vg.Point{X: x + sampleWidth + 4, Y: y + 0.8}, e.Name)
			x += e.width() + entryGap
		}
	}
}

// legend collects the series of all panels, each once, and the rules that are named in it.
func (f *Figure) legend() legend {
	var list, rules []entry
	for _, p := range f.Panels {
		for i := range p.Series {
			s := &p.Series[i]
			glyph := s.glyph(nil)
			e := entry{Name: cmp.Or(s.Legend, s.Name), Line: s.look().Line(), Glyph: &glyph,
				Filled: slices.Contains([]Kind{Stacked, Cells, Strips, Steps}, p.Kind)}
			if p.Kind == Arcs {
				e.Glyph, e.Line.Dashes = nil, nil
			}
			if s.Apart {
				e.Line.Width = 0
			}
			if p.Kind != Heat && p.Kind != Matrix {
				list = append(list, e)
			}
		}
		for i := range p.Rules {
			if r := &p.Rules[i]; r.Legend {
				rules = append(rules, entry{Name: r.Name, Line: r.style()})
			}
		}
	}
	return newLegend(append(list, rules...))
}

// textStyle returns that of texts of a size in points.
func textStyle(size vg.Length) text.Style {
	return text.Style{Color: ink, Font: sans(size), YAlign: draw.YTop,
		Handler: gonum.DefaultTextHandler}
}

// A caption is the lines below the legend.
type caption []string

// newCaption breaks paragraphs into lines that fit the picture.
func newCaption(paragraphs []string) caption {
	var lines caption
	style := textStyle(8)
	for _, p := range paragraphs {
		line := ""
		for _, word := range strings.Split(p, " ") {
			switch {
			case line == "":
				line = word
			case style.Width(line+" "+word) <= width-2*margin:
				line += " " + word
			default:
				lines = append(lines, line)
				line = word
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func captionLine() vg.Length { return textStyle(8).Height("Mg") * 1.35 }

// height returns the height of the caption.
func (t caption) height() vg.Length { return captionLine()*vg.Length(len(t)) + margin }

// draw draws the caption at the lower edge of c.
func (t caption) draw(c draw.Canvas) {
	for i, words := range t {
		c.FillText(textStyle(8), vg.Point{X: c.Min.X + margin, Y: c.Min.Y +
			t.height() - captionLine()*vg.Length(i) - 3}, words)
	}
}
