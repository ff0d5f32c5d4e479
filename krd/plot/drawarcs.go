package plot

import (
	"math"

	gonum "gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// arcs draws the arcs of a panel over the lines of their rows, those of the last series on top. It is
// a Plotter.
type arcs struct{ p *Panel }

// The look of arcs.
const (
	arcHighest = 0.94 // of a row: an arc as long as the axis
	arcThin    = 0.3  // width in points, at Shade 0
	arcThick   = 1.8  // at Shade 1
	arcFaint   = 0.35 // share of the full colour at Shade 0
)

func (a arcs) Plot(c draw.Canvas, g *gonum.Plot) {
	x, y := g.Transforms(&c)
	for _, t := range a.p.Y.Ticks {
		c.StrokeLine2(draw.LineStyle{Color: gridColour, Width: vg.Points(0.5)}, x(a.p.X.Min),
			y(t.Value), x(a.p.X.Max), y(t.Value))
	}
	for i := range a.p.Series {
		full := colourOf(a.p.Series[i].Colour)
		for _, v := range a.p.Series[i].Points {
			row := float64(v.Row)
			long := (v.XHigh.Float() - v.X) / (a.p.X.Max - a.p.X.Min)
			high := y(row+arcHighest*math.Sqrt(max(0, long))) - y(row)
			from, to := vg.Point{X: x(v.X), Y: y(row)}, vg.Point{X: x(v.XHigh.Float()), Y: y(row)}
			up := vg.Point{Y: high * 4 / 3} // of the control points: the middle is so high
			var arc vg.Path
			arc.Move(from)
			arc.CubeTo(from.Add(up), to.Add(up), to)
			c.SetLineStyle(draw.LineStyle{Color: mix(full, arcFaint+(1-arcFaint)*v.Shade),
				Width: vg.Points(arcThin + (arcThick-arcThin)*v.Shade)})
			c.Stroke(arc)
		}
	}
}
