package figures

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"krdlab/krd/krdplot"
)

const (
	fieldHeight = 13 * vg.Length(1) // of a row of a matrix
	darkest     = 0.6               // share of the full colour: letters are black on all fields
	markInset   = 0.9 * vg.Length(1)
)

// matrixMap draws the fields of a matrix, each with its text, and a frame in those that are marked.
// It is a plot.Plotter.
type matrixMap struct{ p *Panel }

func (m matrixMap) Plot(c draw.Canvas, g *plot.Plot) {
	x, y := g.Transforms(&c)
	style := krdplot.TextStyle(m.size(x(1) - x(0)))
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	for row, s := range m.p.Series {
		full := colourOf(s.Colour)
		for _, v := range s.Points {
			field := vg.Rectangle{Min: vg.Point{X: x(v.X - 0.5), Y: y(float64(row) - 0.5)},
				Max: vg.Point{X: x(v.X + 0.5), Y: y(float64(row) + 0.5)}}
			c.SetColor(mix(full, darkest*v.Shade))
			c.Fill(field.Path())
			c.SetLineStyle(draw.LineStyle{Color: krdplot.Grid, Width: vg.Points(0.5)})
			c.Stroke(field.Path())
			if v.Mark != "" {
				c.SetLineStyle(frame(v.Mark))
				c.Stroke(grown(field, -markInset).Path())
			}
			style.Color = krdplot.Ink
			if !v.Y.Known() {
				style.Color = krdplot.Rule
			}
			if style.Font.Size > 0 {
				c.FillText(style, field.Min.Add(field.Max).Scale(0.5), v.Label)
			}
		}
	}
}

// frame is the line around a field that is marked.
func frame(mark string) draw.LineStyle {
	if mark == MarkBest {
		return draw.LineStyle{Color: krdplot.Ink, Width: vg.Points(1.3)}
	}
	return draw.LineStyle{Color: krdplot.Ink, Width: vg.Points(0.6), Dashes: []vg.Length{1.5, 1.5}}
}

// size is the size of letters, 8 points at most and 4 at least, in which all texts fit into fields
// of a width; 0 if they do not.
func (m matrixMap) size(width vg.Length) vg.Length {
	for size := vg.Length(8); size >= 4; size -= 0.5 {
		style, widest := krdplot.TextStyle(size), vg.Length(0)
		for _, s := range m.p.Series {
			for _, v := range s.Points {
				widest = max(widest, style.Width(v.Label))
			}
		}
		if widest+2*markInset+2 <= width {
			return size
		}
	}
	return 0
}

// turnedHeight is what the turned labels of an axis take.
func (a *Axis) turnedHeight() (most vg.Length) {
	for _, t := range a.Ticks {
		most = max(most, krdplot.TextStyle(8).Width(t.Label))
	}
	return most
}
