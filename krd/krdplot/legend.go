package krdplot

import (
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// What all figures share.
const (
	Width  = 6.5 * vg.Inch // the text width of a page
	Margin = 8 * vg.Length(1)
)

// An Entry of a legend is a series or a line of reference.
type Entry struct {
	Name   string
	Line   draw.LineStyle   // of width 0: none
	Glyph  *draw.GlyphStyle // nil: none
	Filled bool             // a box of the line's colour instead
}

// A Legend stands below the panels, in as many lines as it takes, so that it covers nothing.
type Legend [][]Entry

const (
	sampleWidth = 22 * vg.Length(1) // of the piece of line
	entryGap    = 14 * vg.Length(1)
	legendLine  = 13 * vg.Length(1)
)

func (e *Entry) width() vg.Length {
	return sampleWidth + 4 + TextStyle(8).Width(e.Name)
}

// NewLegend sets the entries in lines; of several of one name the first.
func NewLegend(entries []Entry) Legend {
	var l Legend
	var used vg.Length
	seen := map[string]bool{}
	for _, e := range entries {
		if seen[e.Name] {
			continue
		}
		seen[e.Name] = true
		if len(l) == 0 || used+e.width() > Width-2*Margin {
			l, used = append(l, nil), 0
		}
		l[len(l)-1] = append(l[len(l)-1], e)
		used += e.width() + entryGap
	}
	return l
}

// Height is what the legend takes of the picture.
func (l Legend) Height() vg.Length { return legendLine*vg.Length(len(l)) + Margin }

// Draw draws the legend centred, its lower edge so far above that of c.
func (l Legend) Draw(c draw.Canvas, above vg.Length) {
	style := TextStyle(8)
	style.YAlign = draw.YCenter
	for i, row := range l {
		total := -entryGap
		for _, e := range row {
			total += e.width() + entryGap
		}
		x := c.Center().X - total/2
		y := c.Min.Y + above + l.Height() - Margin/2 - legendLine*(vg.Length(i)+0.5)
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

// TextStyle is that of texts of a size in points.
func TextStyle(size vg.Length) text.Style {
	return text.Style{Color: Ink, Font: Sans(size), YAlign: draw.YTop,
		Handler: plot.DefaultTextHandler}
}

// A Caption is the lines below the legend.
type Caption []string

// NewCaption breaks paragraphs into lines that fit the picture.
func NewCaption(paragraphs []string) Caption {
	var lines Caption
	style := TextStyle(8)
	for _, p := range paragraphs {
		line := ""
		for _, word := range strings.Split(p, " ") {
			switch {
			case line == "":
				line = word
			case style.Width(line+" "+word) <= Width-2*Margin:
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

func captionLine() vg.Length { return TextStyle(8).Height("Mg") * 1.35 }

// Height is what the caption takes of the picture.
func (t Caption) Height() vg.Length { return captionLine()*vg.Length(len(t)) + Margin }

// Draw draws the caption at the lower edge of c.
func (t Caption) Draw(c draw.Canvas) {
	for i, words := range t {
		c.FillText(TextStyle(8), vg.Point{X: c.Min.X + Margin, Y: c.Min.Y +
			t.Height() - captionLine()*vg.Length(i) - 3}, words)
	}
}
