package virda

import (
	"fmt"
	"math"

	"krdlab/experiments/papers/study"
	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/analysis"
	"krdlab/krd/analysis/distances"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
)

func (r *result) draw(name, title string, x analysis.Drawn) {
	r.Figures = append(r.Figures, study.Figure{Name: name, Title: title, Drawn: x})
}

// lineCurve is the signature of FFT by lines.
type lineCurve struct {
	n     int
	loops string
	krd   *krd.Report
}

// interchangeFigure draws shares by bin, a panel for each length whose both orders are in list.
func interchangeFigure(list []lineCurve) analysis.Drawn {
	f := &plot.Figure{ID: "interchange", Title: "FFT before and after the interchange of its loops",
		Columns: 1, Caption: []string{"Shares of all accesses to lines of 64 bytes."}}
	for ; len(list) > 0; list = list[2:] {
		var curves []distances.Curve
		for i, x := range list[:2] {
			curves = append(curves, distances.Curve{Name: x.loops, Look: 1 + i, Histogram: &x.krd.Histogram})
		}
		one, err := distances.Of(list[0].krd, curves, "")
		if err != nil {
			return study.Drawing{Err: err}
		}
		p := one.Panels[len(one.Panels)-1]
		p.Kind, p.Title = plot.Lines, fmt.Sprintf("array of %d numbers", 2*list[0].n)
		f.Panels = append(f.Panels, p)
	}
	return study.Drawing{Figure: f}
}

// missesFigure draws the misses against the array's bytes, a panel for each cache.
func missesFigure(list []missPoint) analysis.Drawn {
	f := &plot.Figure{ID: "misses", Title: "FFT in the simulated caches", Columns: 1, Caption: []string{
		"Lines that miss, of 1 000 loads and stores, fills and checks included."}}
	log := func(bytes uint64) float64 { return math.Log2(float64(bytes)) }
	for i, n := range ways {
		p := plot.Panel{Kind: plot.Lines, Title: waysName(n), X: plot.Axis{Label: "array", Unit: "bytes"},
			Series: []plot.Series{plot.NewSeries(original, 1), plot.NewSeries(interchanged, 2)}}
		top := 0.0
		for _, x := range list {
			label := units.Bytes(x.bytes)
			p.X.Ticks = append(p.X.Ticks, plot.Tick{Value: log(x.bytes), Label: label})
			for k := range x.misses {
				v := x.misses[k].perThousand(i)
				top, p.Series[k].Points = max(top, v), append(p.Series[k].Points,
					plot.Point{X: log(x.bytes), At: label, Y: doc.Some(v), N: 1})
			}
		}
		p.Y = plot.NiceAxis(plot.Axis{Label: "misses in 1 000 operations"}, 0, top)
		p.X.Min, p.X.Max = log(list[0].bytes)-0.5, log(list[len(list)-1].bytes)+0.5
		if at := log(paperLLC); at > p.X.Min && at < p.X.Max {
			p.Rules = append(p.Rules, plot.Rule{Name: "LLC", X1: at, X2: at, Y1: p.Y.Min, Y2: p.Y.Max,
				Dashed: true, Legend: true})
		}
		f.Panels = append(f.Panels, p)
	}
	return study.Drawing{Figure: f}
}
