package levels

import (
	"fmt"
	"strings"

	"krdlab/experiments/result"
	"krdlab/hw/units"
	"krdlab/krd/plot"
	"krdlab/loi"
)

// Figure draws the held-out R2 of each scope, by predictors: a panel for each outcome and
// comparison of each group. What is below 0 is written at the foot of a panel.
func (r *Report) Figure() *plot.Figure {
	f := &plot.Figure{ID: "levels", Columns: 2,
		Title: "What two levels of reuse predict of a scheduler that was left out"}
	for i := range r.Groups {
		g := &r.Groups[i]
		for _, q := range questions {
			for _, comparison := range []Comparison{Values, Between} {
				p, ok := g.panel(q, comparison)
				if ok && len(r.Groups) > 1 {
					p.Note = strings.TrimSuffix(g.String()+"\n"+p.Note, "\n")
				}
				if ok {
					f.Panels = append(f.Panels, p)
				}
			}
		}
		what := ""
		if g.Substrate == loi.Simulated {
			what = " Simulated, not measured."
		}
		f.Caption = append(f.Caption, fmt.Sprintf("%s: L2 %s a core, LLC %s a node; %s.%s", g,
			units.Bytes(uint64(g.L2Bytes)), units.Bytes(uint64(g.LLCBytes)),
			units.Count(len(g.Configurations), "configuration"), what))
	}
	f.Caption = append(f.Caption, "Predictors: the shares of accesses beyond the L2 of their core "+
		"(a stack for each core), beyond the LLC of their node (a stack for each node), and both. "+
		"R2 of a line of least squares fitted to the other schedulers, each left out in turn (or "+
		"to the other kernels); 0 is the mean of the others. Between schedulers: differences "+
		"from the mean of the others at equal kernel, parameters and cores. Bars: 95 % of a "+
		"bootstrap over these.")
	return f
}

func (g *Group) panel(q question, comparison Comparison) (p plot.Panel, ok bool) {
	p = plot.Panel{Kind: plot.Lines, Title: q.outcome.String() + ", " + string(comparison),
		Y: plot.Axis{Label: "held-out R2", Min: 0, Max: 1}, X: plot.Axis{Min: -0.5, Turned: true}}
	if q.unit == Lines {
		p.Note = "predictors: " + string(q.unit) + " of serial work"
	}
	for i := range 6 {
		v := float64(i) / 5
		p.Y.Ticks = append(p.Y.Ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.1f", v)})
	}
	for k, name := range predictors {
		s := plot.NewSeries(string(name), k)
		s.Apart = true
		p.Series = append(p.Series, s)
	}
	n := 0
	for i := range g.Scopes {
		s := &g.Scopes[i]
		if s.Outcome != q.outcome || s.Unit != q.unit || s.Comparison != comparison || s.Why != "" {
			continue
		}
		p.X.Ticks = append(p.X.Ticks, plot.Tick{Value: float64(n), Label: s.name()})
		for k := range s.Fits {
			e := &s.Fits[k].HeldOut
			point := plot.Point{X: float64(n) + 0.2*float64(k-1), At: s.name(), Y: e.Value,
				N: s.N}
			if e.Value.Float() >= 0 && e.Low.Known() { // the others have no room
				point.Low, point.High = result.Some(max(0, e.Low.Float())), e.High
			}
			p.Series[k].Points = append(p.Series[k].Points, point)
		}
		n++
	}
	p.X.Max = float64(n) - 0.5
	return p, n > 0
}
