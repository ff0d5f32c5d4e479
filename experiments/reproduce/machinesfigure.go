package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/figures"
	"krdlab/experiments/stats"
	"krdlab/krd/plot"
)

// machinesFigure is, on all cores of each machine, what each scheduler has over MTH: a row of
// panels for each program.
func machinesFigure(list []site) *plot.Figure {
	const spread = 0.13 // between schedulers on one machine
	measures := []struct {
		title string
		of    stats.Measure
	}{{"time", stats.Time}, {"accesses beyond the LLC", stats.BeyondLLC}}
	others := slices.DeleteFunc(slices.Clone(Schedulers), func(s string) bool { return s == mth })
	looks := figures.SchedulerLooks(others)

	var programs []string
	full := map[string][]*site{} // of a program, on all cores of each machine
	for i := range list {
		s := &list[i]
		if i+1 < len(list) && list[i+1].group == s.group {
			continue
		}
		program := programOf(s.group)
		if !slices.Contains(programs, program) {
			programs = append(programs, program)
		}
		full[program] = append(full[program], s)
	}
	var panels []plot.Panel
	var cores []string
	for _, m := range measures {
		for _, program := range programs {
			p := plot.Panel{Title: full[program][0].group.Kernel + ": " + m.title,
				X: plot.Axis{Min: 0.5, Max: float64(len(full[program])) + 0.5}}
			for n, s := range full[program] {
				p.X.Ticks = append(p.X.Ticks, plot.Tick{Value: float64(n + 1),
					Label: s.machine()})
				if on := fmt.Sprintf("%s %d", s.machine(), s.cores); !slices.Contains(cores, on) {
					cores = append(cores, on)
				}
			}
			for i, name := range others {
				series := plot.NewSeries(name, looks[i])
				series.Apart = true
				for n, s := range full[program] {
					apart(&series, s.machine(), n+1, i, len(others), spread, s.over(m.of, name))
				}
				if len(series.Points) > 0 {
					p.Series = append(p.Series, series)
				}
			}
			if len(p.Series) > 0 {
				panels = append(panels, p)
			}
		}
	}
	return plot.Places("machines", "Today's machines: schedulers over "+mth,
		"over "+mth, "as "+mth, []string{"SIMULATED, all cores of each machine (" +
			strings.Join(cores, ", ") + "): what a scheduler has over what " + mth + " has; " +
			strings.Join(programs, "; ") + ". Bars: as far as the 95 % intervals of both allow, " +
			"over seeds, which vary the schedule only."}, panels)
}
