package kernelreuse

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/experiments/show/figures"
	"krdlab/krd/plot"
)

// A placed value is a point of a figure of ratios.
type placed struct {
	panel, place, series string
	value                result.Quantity
}

// places is a figure of points, series beside each other at each place. looks are those of the
// series.
func places(id, title, label, atOne, caption string, list []placed, spread float64,
	looks func(series []string) []int) *plot.Figure {
	var names, titles []string
	for _, x := range list {
		names, titles = with(names, x.series), with(titles, x.panel)
	}
	look := looks(names)
	var panels []plot.Panel
	for _, t := range titles {
		p := plot.Panel{Title: t}
		var ticks []string
		series := make([]plot.Series, len(names))
		for i, name := range names {
			series[i] = plot.NewSeries(name, look[i])
			series[i].Apart = true
		}
		for _, x := range list {
			if x.panel != t {
				continue
			}
			ticks = with(ticks, x.place)
			at, i := slices.Index(ticks, x.place)+1, slices.Index(names, x.series)
			if x.value.Median.Known() {
				point := plot.Point{At: x.place, Y: x.value.Median, N: x.value.N,
					X: float64(at) + spread*(float64(i)-float64(len(names)-1)/2)}
				if low, high, ok := x.value.Bounds(); ok {
					point.Low, point.High = result.Some(low), result.Some(high)
				}
				series[i].Points = append(series[i].Points, point)
			}
		}
		p.X = plot.Axis{Min: 0.5, Max: float64(len(ticks)) + 0.5}
		for i, name := range ticks {
			p.X.Ticks = append(p.X.Ticks, plot.Tick{Value: float64(i + 1), Label: name})
		}
		p.Series = slices.DeleteFunc(series, func(s plot.Series) bool { return len(s.Points) == 0 })
		if len(p.Series) > 0 {
			panels = append(panels, p)
		}
	}
	return plot.Places(id, title, label, atOne, []string{caption}, panels)
}

// with adds s to a list that does not have it.
func with(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// machinesFigure is, on all cores of each machine, what each scheduler has over MTH: a row of
// panels for each measure.
func machinesFigure(list []site) *plot.Figure {
	var points []placed
	var programs, cores []string
	for _, m := range []struct {
		title string
		of    stats.Measure
	}{{"time", stats.Time}, {"accesses beyond the LLC", stats.BeyondLLC}} {
		for i := range list {
			s := &list[i]
			if i+1 < len(list) && list[i+1].group == s.group {
				continue
			}
			programs = with(programs, programOf(s.group))
			cores = with(cores, fmt.Sprintf("%s %d", s.machine(), s.cores))
			for _, name := range Schedulers {
				if name != mth {
					points = append(points, placed{s.group.Kernel + ": " + m.title, s.machine(), name,
						s.over(m.of, name)})
				}
			}
		}
	}
	return places("machines", "Today's machines: schedulers over "+mth, "over "+mth, "as "+mth,
		"SIMULATED, all cores of each machine ("+strings.Join(cores, ", ")+"): what a scheduler has "+
			"over what "+mth+" has; "+strings.Join(programs, "; ")+". Bars: as far as the 95 % "+
			"intervals of both allow, over seeds, which vary the schedule only.", points, 0.13,
		figures.SchedulerLooks)
}
