package figures

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"krdlab/krd/krdplot"
)

// stackedBars draws the series of a panel on top of each other. It is a plot.Plotter.
type stackedBars struct{ p *Panel }

func (b stackedBars) Plot(c draw.Canvas, g *plot.Plot) {
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

// heatMap draws a field for each point, shaded by its share of the panel, with the number in it. It
// is a plot.Plotter.
type heatMap struct {
	p    *Panel
	most float64 // the largest share of a field in any panel of the figure
}

func (h heatMap) Plot(c draw.Canvas, g *plot.Plot) {
	x, y := g.Transforms(&c)
	sum := h.p.sum()
	style := krdplot.TextStyle(h.size(x(1) - x(0)))
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	for row, s := range h.p.Series {
		full := colourOf(s.Colour)
		for _, v := range s.Points {
			if !v.Y.Known() {
				continue
			}
			shade := 0.0
			if sum > 0 && h.most > 0 {
				shade = v.Y.Float() / sum / h.most
			}
			field := vg.Rectangle{Min: vg.Point{X: x(v.X - 0.5), Y: y(float64(row) - 0.5)},
				Max: vg.Point{X: x(v.X + 0.5), Y: y(float64(row) + 0.5)}}
			c.SetColor(mix(full, shade))
			c.Fill(field.Path())
			c.SetLineStyle(draw.LineStyle{Color: krdplot.Grid, Width: vg.Points(0.5)})
			c.Stroke(field.Path())
			style.Color = krdplot.Ink
			if shade > 0.6 {
				style.Color = krdplot.White
			}
			if style.Font.Size > 0 {
				c.FillText(style, vg.Point{X: (field.Min.X + field.Max.X) / 2,
					Y: (field.Min.Y + field.Max.Y) / 2}, short(v.Y.Float()))
			}
		}
	}
}

// sum is that of the values of all points.
func (p *Panel) sum() float64 {
	sum := 0.0
	for _, s := range p.Series {
		for _, v := range s.Points {
			if v.Y.Known() {
				sum += v.Y.Float()
			}
		}
	}
	return sum
}

// largestShare is the largest share of a point in its panel, of all panels.
func (f *Figure) largestShare() float64 {
	most := 0.0
	for i := range f.Panels {
		sum := f.Panels[i].sum()
		for _, s := range f.Panels[i].Series {
			for _, v := range s.Points {
				if v.Y.Known() && sum > 0 {
					most = math.Max(most, v.Y.Float()/sum)
				}
			}
		}
	}
	return most
}

// size is the size of letters, 8 points at most and 5 at least, in which all numbers fit into
// fields of a width; 0 if they do not.
func (h heatMap) size(width vg.Length) vg.Length {
	for size := vg.Length(8); size >= 5; size -= 0.5 {
		style, widest := krdplot.TextStyle(size), vg.Length(0)
		for _, s := range h.p.Series {
			for _, v := range s.Points {
				if v.Y.Known() {
					widest = max(widest, style.Width(short(v.Y.Float())))
				}
			}
		}
		if widest+2 <= width {
			return size
		}
	}
	return 0
}

// mix is krdplot.White at 0 and full at 1.
func mix(full color.RGBA, share float64) color.RGBA {
	part := func(v uint8) uint8 {
		return uint8(
			math.Round(255 - float64(share*float64(255-int(v)))))
	}
	return color.RGBA{part(full.R), part(full.G), part(full.B), 0xff}
}
