package virda

import (
	"fmt"
	"io"
	"math"

	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/analysis"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
)

// A figure is a file NAME.svg, and its title in the page.
type figure struct {
	name, title string
	analysis.Drawn
}

// drawing is a figure that may not be there.
type drawing struct{ *plot.Figure }

// Draw implements [analysis.Drawn].
func (d drawing) Draw(w io.Writer, format string) error { return d.Write(w, format) }

// lineCurve is the signature of FFT by lines.
type lineCurve struct {
	n     int
	loops string
	krd   *krd.Report
}

// interchangeFigure draws shares by bin, a panel for each length.
func interchangeFigure(list []lineCurve) analysis.Drawn {
	f := &plot.Figure{ID: "interchange", Title: "FFT before and after the interchange of its loops",
		Columns: 1, Caption: []string{"Shares of all accesses to lines of 64 bytes " +
			"(virda, figures 8 and 10)."}}
	for i := 0; i < len(list); i += 2 {
		curves := []plot.Curve{{Name: original, Look: 1, Histogram: &list[i].krd.Histogram},
			{Name: interchanged, Look: 2, Histogram: &list[i+1].krd.Histogram}}
		one, err := plot.Of(list[i].krd, curves, "")
		if err != nil {
			return failed{err}
		}
		p := one.Panels[len(one.Panels)-1]
		p.Kind, p.Title = plot.Lines, fmt.Sprintf("array of %d numbers", 2*list[i].n)
		f.Panels = append(f.Panels, p)
	}
	return drawing{f}
}

// failed is a figure that cannot be drawn.
type failed struct{ error }

// Draw implements [analysis.Drawn].
func (f failed) Draw(io.Writer, string) error { return f.error }

// figure draws the times against the array's bytes.
func (t *Timing) figure() *plot.Figure {
	p := plot.Panel{Kind: plot.Lines, X: plot.Axis{Label: "array", Unit: "bytes"}}
	series := []plot.Series{plot.NewSeries(original, 1), plot.NewSeries(interchanged, 2)}
	top := 0.0
	for i, x := range t.Points {
		at := math.Log2(float64(x.ArrayBytes))
		label := units.Bytes(x.ArrayBytes)
		if i%2 == 0 || len(t.Points) < 6 {
			p.X.Ticks = append(p.X.Ticks, plot.Tick{Value: at, Label: label})
		}
		for k, v := range []float64{x.Original, x.Interchanged} {
			top = max(top, v)
			series[k].Points = append(series[k].Points, plot.Point{X: at, At: label, Y: doc.Some(v),
				N: x.Runs})
		}
	}
	p.Series, p.Y = series, plot.NiceAxis(plot.Axis{Label: "time for an access [ns]"}, 0, top)
	first, last := t.Points[0], t.Points[len(t.Points)-1]
	p.X.Min = math.Log2(float64(first.ArrayBytes)) - 0.5
	p.X.Max = math.Log2(float64(last.ArrayBytes)) + 0.5
	if at := math.Log2(float64(t.LLCBytes)); t.LLCBytes > 0 && at > p.X.Min && at < p.X.Max {
		p.Rules = append(p.Rules, plot.Rule{Name: "LLC " + units.Bytes(uint64(t.LLCBytes)), X1: at,
			X2: at, Y1: p.Y.Min, Y2: p.Y.Max, Dashed: true, Legend: true})
	}
	return &plot.Figure{ID: "timing", Title: "FFT's time for an access", Columns: 1,
		Caption: []string{"Best of several runs, of both transforms, for each access that the original " +
			"loops make to the array (virda, figure 9 b)."}, Panels: []plot.Panel{p}}
}
