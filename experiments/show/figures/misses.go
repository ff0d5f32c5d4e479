package figures

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw"
	"krdlab/krd/plot"
)

// A sample of misses is one scheduler on a number of cores.
type missSample struct {
	scheduler string
	cores     int
	x         plot.Point // the share beyond the threshold, in %
	y         result.Quantity
}

// missSamples returns the cells that have both reuse distances and LLC misses, and the source of
// the misses.
func (s *subject) missSamples() (list []missSample, from string, byConstruction bool, err error) {
	traced := false
	for _, name := range s.schedulers {
		for _, n := range s.cores {
			r, hs := s.at(name, n), s.traced(name, n)
			traced = traced || len(hs) > 0
			if r == nil || !r.Summary.LLCMissesPerCore.Median.Known() {
				continue
			}
			if source := r.MissesFrom(); from == "" {
				from = source
			} else if from != source {
				return nil, "", false, fmt.Errorf("LLC misses come from %s and from %s, which are "+
					"never drawn together", from, source)
			}
			byConstruction = byConstruction || r.MissesByConstruction()
			if len(hs) > 0 {
				x := spread(hs)(stats.At(s.threshold(), true).Of)
				list = append(list, missSample{name, n, x, r.Summary.LLCMissesPerCore})
			}
		}
	}
	switch {
	case !traced:
		err = errNoKRD
	case from == "":
		err = errors.New("LLC misses were not counted")
	case len(list) == 0:
		err = errors.New("no cell has both reuse distances and LLC misses")
	}
	return list, from, byConstruction, err
}

// misses returns the share of accesses beyond the threshold against LLC misses, a point for each
// scheduler and core count, with the line of least squares unless the one follows from the other.
func misses(s *subject) (*plot.Figure, error) {
	list, from, byConstruction, err := s.missSamples()
	if err != nil {
		return nil, err
	}
	f := &plot.Figure{ID: "misses", Title: "Reuse distance and LLC misses", Columns: 2}
	several := slices.ContainsFunc(list,
		func(e missSample) bool { return e.cores != list[0].cores })
	var says []string
	for _, view := range []struct {
		title string
		all   bool // of all cores together
	}{{"misses per core", false}, {"misses of all cores", true}} {
		p, xs, ys := s.missPanel(list, view.all, several)
		p.Title = view.title
		p.Y.Label = "LLC misses"
		p.Y.Thousands()
		p.Y.Label += "\n(" + from + ")"
		switch {
		case byConstruction:
		case several && !view.all:
			says = append(says, "no line for misses per core, which fall with the number of "+
				"cores whatever the reuse does")
		default:
			l, ok := fit(xs, ys)
			if !ok {
				says = append(says, "no line for "+view.title+
					", the points being too few or in one row or column")
				break
			}
			p.Rules = []plot.Rule{l.rule(slices.Min(xs), slices.Max(xs), p.Y)}
			says = append(says, fmt.Sprintf("%s: least squares over n = %s, Pearson's r = %.2f",
				view.title, plural(len(list), "point"), l.r))
		}
		f.Panels = append(f.Panels, p)
	}
	where := "on " + plural(list[0].cores, "core")
	if several {
		where = "at one core count, which stands beside it, or once beside several, where there " +
			"is room"
	}
	f.Caption = []string{fmt.Sprintf("Each point is one scheduler %s: medians, with intervals of "+
		"at least 95\u00a0%% where there are 6 repetitions. %s: a reuse distance of %s; cold "+
		"accesses, of distance INF, counted in. Axes need not begin at 0.", where,
		stats.At(s.threshold(), true).Name, s.thresholdSays())}
	switch {
	case byConstruction:
		f.Caption = append(f.Caption, "Equal by construction: the misses ("+from+") were counted "+
			"by replaying the traces that the reuse distances are from. No line and no "+
			"coefficient: they would say nothing about the machine.")
	case from != hw.SourcePerf:
		f.Caption = append(f.Caption, "The misses are not measured: a model of the caches counted "+
			"them ("+from+").")
	}
	if len(says) > 0 {
		f.Caption = append(f.Caption, "Lines: "+strings.Join(says, "; ")+".")
	}
	if words := s.deterministic(s.cores...); words != "" {
		f.Caption = append(f.Caption, words)
	}
	f.Caption = append(f.Caption, s.absent(&f.Panels[0])...)
	return f, nil
}

// missPanel draws the misses per core, or of all cores; xs and ys are its points. Where there are
// several core counts, points are labelled with theirs.
func (s *subject) missPanel(list []missSample, all, several bool) (p plot.Panel, xs, ys []float64) {
	p = plot.Panel{Kind: plot.Lines, X: plot.Axis{Unit: "%",
		Label: stats.At(s.threshold(), true).Name + " [% of accesses]"},
		Y: plot.Axis{Unit: "misses"}}
	var across, up extent
	for _, name := range s.schedulers {
		series := s.series(name)
		series.Apart = true
		for _, e := range list {
			if e.scheduler != name {
				continue
			}
			m := 1.0
			if all {
				m = float64(e.cores)
			}
			scaled := func(n result.Number) result.Number { return result.Some(n.Float() * m) }
			v := plot.Point{
				X: e.x.Y.Float(), XLow: e.x.Low, XHigh: e.x.High, At: plural(e.cores, "core"),
				N: min(e.y.N, e.x.N), Disturbed: s.disturbed(e.scheduler, e.cores),
				Y: scaled(e.y.Median), Low: scaled(e.y.Low), High: scaled(e.y.High),
			}
			if several {
				v.Label = strconv.Itoa(e.cores)
			}
			series.Points = append(series.Points, v)
			xs, ys = append(xs, v.X), append(ys, v.Y.Float())
			across.add(e.x.Y, v.XLow, v.XHigh)
			up.add(v.Y, v.Low, v.High)
		}
		if len(series.Points) > 0 {
			p.Series = append(p.Series, series)
		}
	}
	p.X, p.Y = across.axis(p.X), up.axis(p.Y)
	return p, xs, ys
}

// An extent is the range of non-negative numbers.
type extent struct {
	low, high float64
	any       bool
}

func (e *extent) add(list ...result.Number) {
	for _, n := range list {
		if !n.Known() {
			continue
		}
		if !e.any {
			e.low, e.high, e.any = n.Float(), n.Float(), true
		}
		e.low, e.high = math.Min(e.low, n.Float()), math.Max(e.high, n.Float())
	}
}

// axis returns an axis around the range, with some room beside it; it begins at 0 if that is near.
func (e *extent) axis(a plot.Axis) plot.Axis {
	room := 0.05 * (e.high - e.low)
	if room == 0 { // one value: in the middle
		room = math.Max(0.1*e.high, 1e-3)
	}
	if e.low < 0.5*e.high {
		return plot.NiceAxis(a, 0, e.high+room)
	}
	return plot.NiceAxis(a, math.Max(0, e.low-room), e.high+room)
}

// A line is y = a + b x with Pearson's correlation r of what it was fitted to.
type line struct{ a, b, r float64 }

// fit returns the line of least squares; none through fewer than 3 points or where x or y does not
// vary.
func fit(xs, ys []float64) (l line, ok bool) {
	n := float64(len(xs))
	if len(xs) < 3 {
		return l, false
	}
	var mx, my float64
	for i := range xs {
		mx, my = mx+xs[i]/n, my+ys[i]/n
	}
	var xx, xy, yy float64
	for i := range xs {
		dx, dy := xs[i]-mx, ys[i]-my
		xx, xy, yy = xx+float64(dx*dx), xy+float64(dx*dy), yy+float64(dy*dy)
	}
	if !(xx > 0) || !(yy > 0) {
		return l, false
	}
	l.b = xy / xx
	l.a = my - float64(l.b*mx)
	l.r = xy / math.Sqrt(float64(xx*yy))
	return l, true
}

// rule returns the line between two x, cut where it leaves the vertical axis.
func (l line) rule(x1, x2 float64, up plot.Axis) plot.Rule {
	y := func(x float64) float64 { return l.a + float64(l.b*x) }
	for _, x := range []*float64{&x1, &x2} {
		if v := y(*x); v < up.Min {
			*x = (up.Min - l.a) / l.b
		} else if v > up.Max {
			*x = (up.Max - l.a) / l.b
		}
	}
	return plot.Rule{Name: "least squares", X1: x1, Y1: y(x1), X2: x2, Y2: y(x2), Legend: true,
		Dashed: true}
}
