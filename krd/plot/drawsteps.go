package plot

import (
	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"krdlab/hw/units"
)

// steps draws a bar for each point of a panel that is upright again, its interval at its end, and its label
// behind that. It is a Plotter.
type steps struct{ p *Panel }

func (b steps) Plot(c draw.Canvas, g *gonum.Plot) {
	const half = 0.36
	x, y := g.Transforms(&c)
	words := textStyle(8)
	words.YAlign = draw.YCenter
	for _, s := range b.p.Series {
		for _, v := range s.Points {
			at, end := v.Y.Float(), v.From+v.X
			c.SetColor(colourOf(s.Colour))
			c.Fill(vg.Rectangle{Min: vg.Point{X: x(min(v.From, end)), Y: y(at - half)},
				Max: vg.Point{X: x(max(v.From, end)), Y: y(at + half)}}.Path())
			right := max(v.From, end)
			if v.XLow.Known() && v.XHigh.Known() {
				right = max(right, v.From+v.XHigh.Float())
				v.XLow, v.XHigh = units.Some(v.From+v.XLow.Float()), units.Some(v.From+v.XHigh.Float())
				errorBars{[]Point{v}, draw.LineStyle{Color: ink, Width: vg.Points(0.8)}}.Plot(c, g)
			}
			c.FillText(words, vg.Point{X: x(right) + 3, Y: y(at) + 0.8}, v.Label)
		}
	}
}
