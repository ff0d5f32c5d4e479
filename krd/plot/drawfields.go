package plot

import (
	"image"
	"image/color"
	"math"
	"slices"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const (
	fieldHeight = 13 * vg.Length(1) // of a row of a matrix
	darkest     = 0.6               // share of the full colour: letters are black on all fields
	markInset   = 0.9 * vg.Length(1)
)

// fields draws a field for each point, each with its text, and a frame in those that are marked.
// It is a Plotter.
type fields struct{ p *Panel }

func (h fields) Plot(c draw.Canvas, g *gonum.Plot) {
	x, y := g.Transforms(&c)
	style := textStyle(h.size(x(1) - x(0)))
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	for row, s := range h.p.Series {
		full := colourOf(s.Colour)
		for _, v := range s.Points {
			field := vg.Rectangle{Min: vg.Point{X: x(v.X - 0.5), Y: y(float64(row) - 0.5)},
				Max: vg.Point{X: x(v.X + 0.5), Y: y(float64(row) + 0.5)}}
			c.SetColor(mix(full, darkest*v.Shade))
			c.Fill(field.Path())
			c.SetLineStyle(draw.LineStyle{Color: gridColour, Width: vg.Points(0.5)})
			c.Stroke(field.Path())
			if v.Mark != "" {
				c.SetLineStyle(frame(v.Mark))
				c.Stroke(grown(field, -markInset).Path())
			}
			style.Color = ink
			if !v.Y.Known() {
				style.Color = ruleColour
			}
			if style.Font.Size > 0 {
				c.FillText(style, field.Min.Add(field.Max).Scale(0.5), v.Label)
			}
		}
	}
}

// frame returns the line around a field that is marked.
func frame(mark string) draw.LineStyle {
	if mark == MarkBest {
		return draw.LineStyle{Color: ink, Width: vg.Points(1.3)}
	}
	return draw.LineStyle{Color: ink, Width: vg.Points(0.6), Dashes: []vg.Length{1.5, 1.5}}
}

// size returns the size of letters, 8 points at most and 4 at least, in which all texts fit into
// fields of a width; 0 if they do not.
func (h fields) size(width vg.Length) vg.Length {
	for size := vg.Length(8); size >= 4; size -= 0.5 {
		style, widest := textStyle(size), vg.Length(0)
		for _, s := range h.p.Series {
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

// cells draws a cell for each point, as a picture in the picture: of many cells it is smaller than
// they would be, each by itself. It is a Plotter.
type cells struct{ p *Panel }

// cellsAcross is how many dots wide the picture is, at least: 2 inches at 250 an inch.
const cellsAcross = 512

// stripsAcross is that of strips, where rows are blurred as little.
const stripsAcross = 1024

func (m cells) Plot(c draw.Canvas, g *gonum.Plot) {
	x, y := &m.p.X, &m.p.Y
	wide, high := int(x.Max-x.Min), int(y.Max-y.Min)
	dots := max(1, cellsAcross/max(wide, high, 1))
	down := dots
	if m.p.Kind == Strips {
		dots, down = max(1, stripsAcross/max(wide, 1)), max(1, cellsAcross/max(high, 1))
	}
	colours := color.Palette{white} // a file is smaller with a list of its colours
	for i := range m.p.Series {
		full := colourOf(m.p.Series[i].Colour)
		if !slices.Contains(colours, color.Color(full)) && len(colours) < 256 { // or the nearest of them
			colours = append(colours, full)
		}
	}
	all := image.NewPaletted(image.Rect(0, 0, wide*dots, high*down), colours)
	for i := range m.p.Series {
		index := uint8(colours.Index(colourOf(m.p.Series[i].Colour)))
		for _, v := range m.p.Series[i].Points {
			left, top := int(v.X-x.Min)*dots, int(y.Max-v.Y.Float())*down
			for r := top; r < top+down; r++ {
				for d := left; d < left+dots; d++ {
					all.SetColorIndex(d, r, index)
				}
			}
		}
	}
	toX, toY := g.Transforms(&c)
	c.DrawImage(vg.Rectangle{Min: vg.Point{X: toX(x.Min), Y: toY(y.Min)},
		Max: vg.Point{X: toX(x.Max), Y: toY(y.Max)}}, all)
}

// turnedHeight returns the height of the turned labels of an axis.
func (a *Axis) turnedHeight() (most vg.Length) {
	for _, t := range a.Ticks {
		most = max(most, textStyle(8).Width(t.Label))
	}
	return most
}

// stackedBars draws the series of a panel on top of each other. It is a Plotter.
type stackedBars struct{ p *Panel }

func (b stackedBars) Plot(c draw.Canvas, g *gonum.Plot) {
	const half = 0.38
	x, y := g.Transforms(&c)
	base := map[float64]float64{}
	for _, s := range b.p.Series {
		c.SetColor(colourOf(s.Colour))
		for _, v := range s.Points {
			if !v.Y.Known() {
				continue
			}
			from := base[v.X]
			base[v.X] = from + v.Y.Float()
			c.Fill(vg.Rectangle{Min: vg.Point{X: x(v.X - half), Y: y(from)},
				Max: vg.Point{X: x(v.X + half), Y: y(base[v.X])}}.Path())
		}
	}
}

// mix returns white at 0 and full at 1.
func mix(full color.RGBA, share float64) color.RGBA {
	part := func(v uint8) uint8 {
		return uint8(
			math.Round(255 - float64(share*float64(255-int(v)))))
	}
	return color.RGBA{part(full.R), part(full.G), part(full.B), 0xff}
}
