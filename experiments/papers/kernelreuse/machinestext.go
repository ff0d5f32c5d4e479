package kernelreuse

import (
	"fmt"
	"slices"
	"strconv"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/stats"
	"krdlab/krd/doc"
)

// machines is which conclusions hold on which machine, the numbers behind them, and a figure.
func machines(e *dataset.Experiment) (*outcome, error) {
	list, err := sites(e)
	if err != nil {
		return nil, err
	}
	numbers, held := siteTable(list), conclusionTable(list)
	d := &doc.Doc{}
	d.Add(matrix(list, func(s *site, c *conclusion) any { return signs[c.judge(s)] }))
	for n := range conclusions {
		c := &conclusions[n]
		counts := map[claims.Verdict]int{}
		for i := range list {
			counts[c.judge(&list[i])]++
		}
		d.Say("%d  %s [%s]: %d yes, %d no of %d", n+1, c.says, c.where, counts[claims.Agree],
			counts[claims.Disagree], len(list)-counts[claims.NotRun])
	}
	d.Add(doc.Paragraph{"yes, no: the intervals of the seeds are apart; ?: they are not"})
	d.Add(numbers)
	drawn := slices.DeleteFunc(slices.Clone(list), func(s site) bool { return len(s.draws) == 0 })
	if len(drawn) > 0 {
		d.Add(doc.Paragraph{"matmul on machines whose guesses are drawn within their ranges, one " +
			"seed each: on how many draws a conclusion holds by its values, and between what " +
			"numbers lie"})
		d.Add(matrix(drawn, func(s *site, c *conclusion) any {
			return fmt.Sprintf("%d of %d", s.held(c), len(s.draws))
		}))
		d.Add(bandTable(drawn))
	}
	d.Add(doc.Paragraph{"Simulated: medians and 95 % intervals over seeds, which vary the schedule " +
		"only; the interval of a ratio is as far from it as those of both allow. Machines that were " +
		"fitted, or whose guesses have no ranges, are not drawn."})
	o := &outcome{name: "machines", text: d, tables: []*doc.Table{numbers, held}}
	if len(list) > 0 {
		o.figure = machinesFigure(list)
	}
	return o, nil
}

// signs are verdicts where there is little room.
var signs = map[claims.Verdict]string{claims.Agree: "yes", claims.Disagree: "no",
	claims.CannotTell: "?", claims.NotRun: "-"}

// matrix has a row for each site and a column for each conclusion.
func matrix(list []site, cell func(*site, *conclusion) any) *doc.Table {
	t := doc.NewTable(2, "program", "machine", "cores")
	t.Keys = 3
	for n := range conclusions {
		t.Columns = append(t.Columns, doc.Column{Head: strconv.Itoa(n + 1), Kind: doc.Real})
	}
	for i := range list {
		s := &list[i]
		row := []any{s.group.Kernel, s.machine(), s.cores}
		for n := range conclusions {
			row = append(row, cell(s, &conclusions[n]))
		}
		t.Row(row...)
	}
	return t
}

// siteColumns tell sites apart.
func siteColumns() []doc.Column { return named(3, "kernel", "params", "machine", "cores") }

func (s *site) keys() []any {
	return []any{s.group.Kernel, s.group.Params, s.machine(), s.cores}
}

// siteTable has a row for each scheduler on each site.
func siteTable(list []site) *doc.Table {
	shown := append(slices.Clone(measures), beyondLLC)
	t := &doc.Table{Name: "machines", Keys: 5, Columns: slices.Concat(siteColumns(),
		named(1, "scheduler", "n"), columnsOf(shown...),
		[]doc.Column{ratioColumn("time_over_workfirst", "time / MTH"), hidden("draws"),
			hidden("time_over_workfirst_lowest_draw"), hidden("time_over_workfirst_highest_draw")})}
	t.Columns[1].Data = true // long; the title has it
	for i := range list {
		s := &list[i]
		if i == 0 || programOf(s.group) != programOf(list[i-1].group) {
			t.Title += programOf(s.group) + "\n"
		}
		for _, name := range Schedulers {
			r := s.group.At(name, s.cores)
			if r == nil {
				continue
			}
			band := s.band(func(s *site) doc.Quantity { return s.over(stats.Time, name) })
			t.Row(slices.Concat(s.keys(), []any{name, r.Summary.TimeNS.N}, cellsOf(r, shown...),
				[]any{s.over(stats.Time, name), len(s.draws), band.Low, band.High})...)
		}
	}
	return t
}

// bandTable has, for each scheduler on each site, the median over the draws of the machine, and
// between what the numbers of the draws lie.
func bandTable(list []site) *doc.Table {
	t := &doc.Table{Keys: 3, Columns: named(1, "machine", "cores", "scheduler")}
	t.Columns[2].Kind = doc.Text
	t.Columns = append(t.Columns, doc.Column{Head: "time / MTH", Kind: doc.Real, Spread: doc.Below})
	shown := []stats.Measure{stats.OVR, stats.WTI, stats.BeyondLLC}
	for _, m := range shown {
		t.Columns = append(t.Columns, m.Column(doc.Below))
	}
	for i := range list {
		s := &list[i]
		for _, name := range Schedulers {
			row := []any{s.machine(), s.cores, name,
				s.band(func(s *site) doc.Quantity { return s.over(stats.Time, name) })}
			for _, m := range shown {
				row = append(row, s.band(func(s *site) doc.Quantity { return s.of(m, name) }))
			}
			t.Row(row...)
		}
	}
	return t
}

// conclusionTable has a row for each conclusion on each site.
func conclusionTable(list []site) *doc.Table {
	t := &doc.Table{Name: "conclusions", Columns: slices.Concat(siteColumns(),
		named(5, "conclusion", "says", "verdict", "draws", "draws_it_holds_on"))}
	for i := range list {
		s := &list[i]
		for n := range conclusions {
			c := &conclusions[n]
			var held any // of none that were drawn
			if len(s.draws) > 0 {
				held = s.held(c)
			}
			t.Row(append(s.keys(), c.id, c.says, string(c.judge(s)), len(s.draws), held)...)
		}
	}
	return t
}
