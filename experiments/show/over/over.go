// Package over sets what an experiment measured over what it measured of a baseline: schedulers over one
// of them, a scheduler with a changed rule over the same without, native runs over simulated ones.
package over

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/experiments/show/figures"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
	"krdlab/loi"
	"krdlab/runtimes"
)

// The baselines, beside the name of a scheduler.
const (
	Base      = "base"      // of a scheduler with a changed rule the same without
	Simulated = "simulated" // of a native run the simulated one of the same program and scheduler
)

// Check returns an error unless what is a baseline.
func Check(what string) error {
	if _, ok := runtimes.SchedulerByName(what); ok || what == Base || what == Simulated {
		return nil
	}
	return &request.Error{Flag: "over", Got: what, Want: "expected " + Base + ", " + Simulated +
		", or the name of a scheduler (krdlab list schedulers)"}
}

// A Pivot is the results of an experiment, each beside its baseline, in the order of the experiment.
type Pivot struct {
	What string
	list []pair
}

// A pair is a result and its baseline, which may be the same.
type pair struct {
	group     *dataset.Group
	cores     int
	scheduler string
	of, base  *result.Result
	machine   string // of the baseline, where it is another
}

// Of finds the results that have a baseline.
func Of(e *dataset.Experiment, what string) *Pivot {
	p := &Pivot{What: what}
	groups := e.Groups()
	for i := range groups {
		g := &groups[i]
		for _, cores := range g.Cores() {
			for _, s := range g.Schedulers() {
				x := pair{group: g, cores: cores, scheduler: s, of: g.At(s, cores)}
				if x.of == nil {
					continue
				}
				if p.What == Simulated {
					p.list = append(p.list, x.simulated(groups)...)
				} else if x.base = p.baseline(&x); x.base != nil {
					p.list = append(p.list, x)
				}
			}
		}
	}
	return p
}

func (p *Pivot) baseline(x *pair) *result.Result {
	if p.What != Base {
		return x.group.At(p.What, x.cores)
	}
	base, _, _ := strings.Cut(x.scheduler, ":")
	return x.group.At(base, x.cores)
}

// simulated sets a native result over that of each simulated machine.
func (x *pair) simulated(groups []dataset.Group) (list []pair) {
	for i := range groups {
		g := &groups[i]
		if x.group.Substrate != loi.Native || g.Substrate != loi.Simulated || g.Kernel != x.group.Kernel ||
			g.Params != x.group.Params {
			continue
		}
		y := *x
		if y.base, y.machine = g.At(x.scheduler, x.cores), g.Cells[0].MachineName(); y.base != nil {
			list = append(list, y)
		}
	}
	return list
}

// measures are divided by the baseline's; shown are printed beside them.
var (
	shown    = []stats.Measure{stats.Time, stats.OVR, stats.WTI, stats.Misses, stats.BeyondLLC}
	measures = []struct {
		key, head string
		stats.Measure
	}{{"time_over", "time", stats.Time}, {"misses_over", "misses", stats.Misses},
		{"beyond_llc_over", "beyond LLC", stats.BeyondLLC}}
)

// over returns a measure over that of the baseline, as far apart as the intervals of both allow:
// wider than 95 %.
func (x *pair) over(m stats.Measure) result.Quantity {
	return result.Quotient(m.Of(x.of), m.Of(x.base))
}

// word returns the baseline in heads.
func (p *Pivot) word() string {
	if p.What == Base || p.What == Simulated {
		return p.What
	}
	return "over " + p.What
}

// Table returns a table with a row for each result that has a baseline: its values, and those over
// the baseline.
func (p *Pivot) Table() *doc.Table {
	t := &doc.Table{Name: "over", Keys: 4, Columns: []doc.Column{{Key: "kernel", Head: "program"},
		{Key: "params", Data: true}, {Key: "machine", Head: "machine"},
		{Key: "cores", Head: "cores", Kind: doc.Whole}, {Key: "scheduler", Head: "scheduler"},
		{Key: "n", Head: "n", Kind: doc.Whole}, {Key: "over", Data: true}}}
	if p.What == Simulated {
		t.Columns[6].Data, t.Columns[6].Head, t.Keys = false, "over", 5
	}
	for _, m := range shown {
		c := m.Column(doc.Reach)
		c.Ends = true
		t.Columns = append(t.Columns, c)
	}
	for _, m := range measures {
		t.Columns = append(t.Columns, doc.Column{Key: m.key, Head: m.head + " " + p.word(), Kind: doc.Real,
			Spread: doc.Reach, Ends: true})
	}
	for i := range p.list {
		x := &p.list[i]
		row := []any{x.group.Kernel, x.group.Params, x.group.Cells[0].MachineName(), x.cores, x.scheduler,
			x.of.Summary.TimeNS.N, cmp.Or(x.machine, p.What)}
		for _, m := range shown {
			row = append(row, m.Cell(x.of))
		}
		for _, m := range measures {
			row = append(row, x.over(m.Measure))
		}
		t.Row(row...)
	}
	t.Remarks = []string{"Medians and 95 % intervals; the interval of what is over " + p.words() +
		" is as far from it as those of both allow."}
	return t
}

// words returns the baseline in a sentence.
func (p *Pivot) words() string {
	switch p.What {
	case Base:
		return "the scheduler without a changed rule"
	case Simulated:
		return "the simulated run"
	}
	return p.What
}

// A point of the figure: series are beside each other at each place.
type point struct {
	panel, place, series string
	value                result.Quantity
}

// Figure returns the time over that of the baseline; nil where there is no pair.
func (p *Pivot) Figure() *plot.Figure {
	var points []point
	for i := range p.list {
		x := &p.list[i]
		at := fmt.Sprintf("%s, %d cores", x.group.Cells[0].MachineName(), x.cores)
		base, rule, _ := strings.Cut(x.scheduler, ":")
		switch {
		case x.of == x.base:
		case p.What == Base:
			points = append(points, point{x.group.Kernel + ": " + base, rule, at, x.over(stats.Time)})
		case p.What == Simulated:
			points = append(points, point{at + ", over " + x.machine, x.group.Kernel, x.scheduler, x.over(stats.Time)})
		case i+1 == len(p.list) || p.list[i+1].group != x.group || x.cores == slices.Max(x.group.Cores()):
			points = append(points, point{x.group.Kernel + ": time", at, x.scheduler, x.over(stats.Time)},
				point{x.group.Kernel + ": accesses beyond the LLC", at, x.scheduler, x.over(stats.BeyondLLC)})
		}
	}
	if len(points) == 0 {
		return nil
	}
	looks := figures.SchedulerLooks
	if p.What == Base { // series are machines
		looks = func(names []string) (list []int) {
			for i := range names {
				list = append(list, i+1)
			}
			return list
		}
	}
	return places("over", "Over "+p.words(), p.word(), "as "+p.words(), points, looks)
}

func places(id, title, label, atOne string, list []point, looksOf func([]string) []int) *plot.Figure {
	var names, titles []string
	for _, x := range list {
		names, titles = with(names, x.series), with(titles, x.panel)
	}
	looks := looksOf(names)
	var panels []plot.Panel
	for _, t := range titles {
		p := plot.Panel{Title: t}
		var ticks []string
		series := make([]plot.Series, len(names))
		for i, name := range names {
			series[i] = plot.NewSeries(name, looks[i])
			series[i].Apart = true
		}
		for _, x := range list {
			if x.panel != t {
				continue
			}
			ticks = with(ticks, x.place)
			at, i := slices.Index(ticks, x.place)+1, slices.Index(names, x.series)
			if x.value.Median.Known() {
				q := plot.Point{At: x.place, Y: x.value.Median, N: x.value.N,
					X: float64(at) + 0.6*(float64(i)-float64(len(names)-1)/2)/float64(len(names))}
				if low, high, ok := x.value.Bounds(); ok {
					q.Low, q.High = result.Some(low), result.Some(high)
				}
				series[i].Points = append(series[i].Points, q)
			}
		}
		p.X = plot.Axis{Min: 0.5, Max: float64(len(ticks)) + 0.5, Turned: len(ticks) > 4}
		for i, name := range ticks {
			p.X.Ticks = append(p.X.Ticks, plot.Tick{Value: float64(i + 1), Label: name})
		}
		p.Series = slices.DeleteFunc(series, func(s plot.Series) bool { return len(s.Points) == 0 })
		if len(p.Series) > 0 {
			panels = append(panels, p)
		}
	}
	return plot.Places(id, title, label, atOne, []string{"Bars: as far as the 95 % intervals of both allow."},
		panels)
}

// with adds s to a list that does not have it.
func with(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
