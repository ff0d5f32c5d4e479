package fmm

import (
	"errors"
	"flag"
	"fmt"
	"image/color"
	"math"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"krdlab/hw"
	"krdlab/kernels/kernel"
)

var figure = flag.String("figure", "", "draw the convergence figure into this `FILE` (SVG)")

// curve is a theta of the figure with its errors by order from 2.
type curve struct {
	theta                           float64
	potential, acceleration, median []float64
}

// TestFigure draws errors against orders:
//
//	go test ./kernels/fmm -run Figure -figure ../../docs/figures/fmm-convergence.svg -v
func TestFigure(t *testing.T) {
	if *figure == "" {
		t.Skip("no -figure")
	}
	const n, seed = 100000, 1
	bodies := generate(plummer, n, 1, 10, seed)
	clock := hw.CalibrateClock()
	var curves []curve
	for _, theta := range []float64{0.4, 0.5, 0.6} {
		c := curve{theta: theta}
		for order := 2; order <= 10; order++ {
			s := settle(t, kernel.Params{"order": order, "theta": strconv.FormatFloat(theta, 'g',
				-1, 64)})
			in, err := newInstanceOf(s, bodies, seed)
			if err != nil {
				t.Fatal(err)
			}
			once(t, in, clock)
			if c := in.Check(); !c.Passed {
				t.Fatalf("order %d theta %g: %+v", order, theta, c)
			}
			p, a := in.reference.deviations()
			c.potential, c.acceleration, c.median = append(c.potential, p.l2),
				append(c.acceleration, a.l2), append(c.median, a.median)
		}
		t.Logf("theta %g\npotential    %.1e\nacceleration %.1e\nmedian       %.1e", theta,
			c.potential, c.acceleration, c.median)
		curves = append(curves, c)
	}
	if err := drawCurves(curves, *figure, []string{
		fmt.Sprintf("n = %d bodies, Plummer's sphere cut at 10 scale radii, 32 to a leaf, "+
			"mutual, seed %d; %d random bodies", n, seed, samples),
		"against the direct sum in double precision. L2: norm of all errors over that of all " +
			"values; median: of a body's error.",
		"go test ./kernels/fmm -run Figure -figure ../../docs/figures/fmm-convergence.svg",
	}); err != nil {
		t.Fatal(err)
	}
}

// The palette of Okabe and Ito ("Color Universal Design", 2008), and markers that differ without
// colours too.
var (
	colours = []color.Color{color.RGBA{0x00, 0x72, 0xb2, 0xff}, color.RGBA{0xd5, 0x5e, 0x00, 0xff},
		color.RGBA{0x00, 0x9e, 0x73, 0xff}}
	filled = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}
	hollow = []draw.GlyphDrawer{draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}}
	ink    = color.Gray{0x20}
)

func sans(size vg.Length) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
}

// drawCurves writes two panels, potential and acceleration, with the same scale.
func drawCurves(curves []curve, path string, caption []string) error {
	var panels [2]*plot.Plot
	for i, title := range []string{"potential", "acceleration"} {
		p := plot.New()
		p.Title.Text, p.Title.Padding, p.Title.TextStyle.Font = title, vg.Points(4), sans(10)
		for _, a := range []*plot.Axis{&p.X, &p.Y} {
			a.Label.TextStyle.Font, a.Tick.Label.Font = sans(9), sans(8)
			a.Color, a.Tick.Color, a.Label.TextStyle.Color, a.Tick.Label.Color = ink, ink, ink, ink
		}
		p.X.Label.Text, p.Y.Label.Text = "order of the expansions", "relative error"
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 1.7, 10.3, 1e-7, 4e-2
		p.Y.Scale = plot.LogScale{}
		var xs, ys []plot.Tick
		for order := 2; order <= 10; order++ {
			xs = append(xs, plot.Tick{Value: float64(order), Label: strconv.Itoa(order)})
		}
		for e := -7; e <= -2; e++ {
			ys = append(ys, plot.Tick{Value: math.Pow10(e), Label: fmt.Sprintf("1e%d", e)})
		}
		p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks(xs), plot.ConstantTicks(ys)
		g := plotter.NewGrid()
		g.Vertical.Color, g.Horizontal.Color, g.Horizontal.Width = nil, color.Gray{0xdd},
			vg.Points(0.5)
		p.Add(g)
		p.Legend.Top, p.Legend.Left, p.Legend.TextStyle.Font, p.Legend.Padding = true, true,
			sans(8), vg.Points(2)
		// text runs to the right, whatever font the reader has
		p.Legend.XOffs, p.Legend.YOffs = vg.Points(98), -vg.Points(6)
		panels[i] = p
	}
	for k, c := range curves {
		name := fmt.Sprintf("theta %g", c.theta)
		if err := errors.Join(
			line(panels[0], c.potential, k, filled[k], nil, name+", L2"),
			line(panels[1], c.acceleration, k, filled[k], nil, name+", L2"),
		); err != nil {
			return err
		}
	}
	for k, c := range curves {
		if err := line(panels[1], c.median, k, hollow[k], []vg.Length{vg.Points(3), vg.Points(2)},
			fmt.Sprintf("theta %g, median", c.theta)); err != nil {
			return err
		}
	}
	const width, height, below = 7.2 * vg.Inch, 3.9 * vg.Inch, 0.6 * vg.Inch
	canvas := vgsvg.New(width, height)
	dc := draw.New(canvas)
	dc.SetColor(color.White)
	dc.Fill(dc.Rectangle.Path())
	tiles := draw.Tiles{Rows: 1, Cols: 2, PadX: vg.Points(14), PadTop: vg.Points(6),
		PadLeft: vg.Points(4), PadRight: vg.Points(6), PadBottom: below}
	for i, row := range plot.Align([][]*plot.Plot{panels[:]}, tiles, dc)[0] {
		panels[i].Draw(row)
	}
	style := text.Style{Color: ink, Font: sans(8), YAlign: draw.YTop,
		Handler: plot.DefaultTextHandler}
	for i, s := range caption {
		dc.FillText(style, vg.Point{X: vg.Points(8),
			Y: below - vg.Points(6) - vg.Length(i)*vg.Points(11)}, s)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = canvas.WriteTo(f)
	return errors.Join(err, f.Close())
}

// line adds errors by order from 2.
func line(p *plot.Plot, values []float64, k int, g draw.GlyphDrawer, dashes []vg.Length,
	name string) error {
	var at plotter.XYs
	for i, e := range values {
		at = append(at, plotter.XY{X: float64(2 + i), Y: e})
	}
	l, s, err := plotter.NewLinePoints(at)
	if err != nil {
		return err
	}
	l.Color, l.Width, l.Dashes = colours[k], vg.Points(1.2), dashes
	s.Color, s.Radius, s.Shape = colours[k], vg.Points(2.8), g
	p.Add(l, s)
	p.Legend.Add(name, l, s)
	return nil
}
