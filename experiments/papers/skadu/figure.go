package skadu

import (
	"fmt"
	"math"
	"strconv"

	"krdlab/experiments/papers/study"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
)

// draw draws memory expansion and slowdown, one panel below the other.
func (r *result) draw(by *profiler) {
	slowdown := "Slowdown: of the shadow memory alone; of the kernels, of the analysis of their trace."
	if by.paths {
		slowdown = "Slowdown: of krdlab, which follows the program, in CPU time."
	}
	f := &plot.Figure{ID: fmt.Sprint("skadu", by.figure),
		Title:   by.title + ": memory expansion and slowdown",
		Columns: 1, Caption: []string{"Shadow memory by technique, over the plain program; vertical " +
			"axes are logarithmic. Values that were not measured are left out.", slowdown},
		Panels: []plot.Panel{
			r.panel(by, "memory expansion", func(x *row) doc.Number { return x.expansion }),
			r.panel(by, "slowdown", func(x *row) doc.Number {
				if x.program.source == kernels {
					return x.whole
				}
				return x.own
			})}}
	r.Figures = append(r.Figures, study.Figure{Name: fmt.Sprint("figure", by.figure),
		Title: fmt.Sprintf("%s: memory expansion and slowdown (figure %d)", by.title, by.figure),
		Drawn: study.Drawing{Figure: f}})
}

// panel draws a ratio of each program; techniques are side by side.
func (r *result) panel(by *profiler, label string, of func(*row) doc.Number) plot.Panel {
	p := plot.Panel{Kind: plot.Lines, Title: label, Y: plot.Axis{Label: label}}
	rows, techniques := r.rows[by], by.techniques
	p.X = plot.Axis{Label: "program", Max: float64(len(rows)/len(techniques) + 1)}
	for i := 0; i < len(rows); i += len(techniques) {
		p.X.Ticks = append(p.X.Ticks, plot.Tick{Value: float64(i/len(techniques) + 1),
			Label: rows[i].program.name})
	}
	low, high := 0.0, 1.0
	for k := range techniques {
		s := plot.NewSeries(techniques[k].title, k+1)
		s.Apart = true
		for i := k; i < len(rows); i += len(techniques) {
			v := of(&rows[i])
			if !v.Known() || v.Float() <= 0 {
				continue
			}
			at, y := i/len(techniques), math.Log2(v.Float())
			low, high = min(low, y), max(high, y)
			s.Points = append(s.Points, plot.Point{At: rows[i].program.name, Y: doc.Some(y), N: 1,
				X: float64(at+1) + 0.2*(float64(k)-float64(len(techniques)-1)/2)})
		}
		p.Series = append(p.Series, s)
	}
	p.Y.Min, p.Y.Max = math.Floor(low), math.Ceil(high)
	apart := max(1, math.Ceil((p.Y.Max-p.Y.Min)/8))
	for v := p.Y.Min; v <= p.Y.Max; v += apart {
		p.Y.Ticks = append(p.Y.Ticks, plot.Tick{Value: v,
			Label: strconv.FormatFloat(math.Exp2(v), 'g', 4, 64)})
	}
	return p
}
