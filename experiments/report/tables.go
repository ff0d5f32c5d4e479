package report

import (
	"fmt"

	"krdlab/experiments/dataset"
	"krdlab/experiments/result"
	"krdlab/experiments/show"
)

// timesTable has a row for each scheduler and core count: times, ratios, misses.
func timesTable(g *dataset.Group) table {
	t := table{Head: []column{
		{Text: "cores"}, {Text: "scheduler", Name: true}, {Text: "time"}, {Text: "speed-up"},
		{Text: "OVR"}, {Text: "WTI"}, {Text: "kernel time"},
		{Text: "LLC misses per core"}, {Text: "misses from", Name: true}, {Text: "n"},
	}}
	confidence := map[string]bool{}
	eachCell(g, &t, func(r *result.Result, cores int) []row {
		s := &r.Summary
		noWork := show.WhyNoWork(r)
		source := "–"
		if r.LLCSource != nil && s.LLCMissesPerCore.Median.Known() {
			source = *r.LLCSource
			if n := s.LLCMissesPerCore.N; n != s.TimeNS.N {
				source += fmt.Sprintf(", n = %d", n)
			}
		}
		if s.TimeNS.Confidence.Known() {
			confidence[show.Digits(100*s.TimeNS.Confidence.Float(), 3)+" %"] = true
		}
		return []row{{Cells: []cell{
			name(fmt.Sprint(cores)), header(show.SchedulerOf(r)), t.quantity(seconds, s.TimeNS,
				"no repetition was finished"),
			t.quantity(ratio, s.Speedup, whyNoSpeedup(r)), t.quantity(ratio, s.OVR, noWork),
			t.quantity(ratio, s.WTI, show.WhyNoWTI(r)),
			t.quantity(seconds, s.KernelNS, noWork), t.quantity(events, s.LLCMissesPerCore,
				show.WhyNoLLC(r)), name(source), name(fmt.Sprint(s.TimeNS.N)),
		}}}
	})
	t.Caption = "Medians of n repetitions; speed-up = cores / (OVR × WTI)."
	if len(confidence) > 0 {
		t.Caption = "Medians of n repetitions, and below them intervals of at least 95 % " +
			"confidence (" + list(sorted(confidence)) +
			" attained for times and misses, 95 % by bootstrap for ratios); speed-up = cores / (OVR × WTI)."
	}
	return t
}

// eachCell adds the rows that f makes for each scheduler and core count of the group, in blocks by
// core count.
func eachCell(g *dataset.Group, t *table, f func(r *result.Result, cores int) []row) {
	for _, cores := range g.Cores() {
		var b block
		for _, s := range g.Schedulers() {
			if r := g.At(s, cores); r != nil {
				b.Rows = append(b.Rows, f(r, cores)...)
			}
		}
		if len(b.Rows) > 0 {
			t.Blocks = append(t.Blocks, b)
		}
	}
}

// reuseTable has a row for each scheduler and core count: where the reuses of its traced
// repetitions fall; false where there is no KRD.
func reuseTable(g *dataset.Group) (table, bool) {
	t := table{Head: []column{{Text: "cores"}, {Text: "scheduler", Name: true}}}
	for _, k := range kinds {
		t.Head = append(t.Head, column{Text: k.head, Unit: "%"})
	}
	t.Head = append(t.Head, column{Text: "n"})
	any := false
	eachCell(g, &t, func(r *result.Result, cores int) []row {
		cells := []cell{name(fmt.Sprint(cores)), header(show.SchedulerOf(r))}
		n := len(dataset.Histograms(r))
		for _, k := range kinds {
			reason := show.WhyNoKRD(r)
			if n > 0 {
				any = true
				reason = "the cache sizes of this machine are not known"
			}
			q := r.Quantity(k.of.Values(r))
			c := t.quantity(percent, q, reason)
			if c.Note == 0 {
				// the unit is in the header
				c.Text = show.Number(q, q.Median.Float(), 100)
			}
			cells = append(cells, c)
		}
		return []row{{Cells: append(cells, name(fmt.Sprint(n)))}}
	})
	t.Caption = "Shares of all accesses: medians of n traced repetitions, with intervals of at " +
		"least 95 % from 6 on. Close: within the L2 of one core; " +
		"near: within the last-level cache of the node; far: a reuse that needs more; cold: first " +
		"access of the node. Far or cold is beyond that cache: what it cannot have kept."
	return t, any
}

// kernelTable has a row for each kernel of the program; false where there is one or none.
func kernelTable(g *dataset.Group) (table, bool) {
	t := table{Head: []column{{Text: "cores"}, {Text: "scheduler", Name: true},
		{Text: "kernel", Name: true}, {Text: "executions"},
		{Text: "mean time"}, {Text: "WTI"}, {Text: "stamped"}}}
	several := false
	eachCell(g, &t, func(r *result.Result, cores int) (rows []row) {
		several = several || len(r.Kernels) > 1
		for _, k := range r.Kernels {
			why := "no execution of " + k.Name + " was stamped"
			whyWTI := why
			if !r.Inflates() {
				whyWTI = show.WhyNoWTI(r)
			}
			stamped := "each"
			if k.Estimated {
				stamped = "one in " + count(int64(k.SampledEvery))
			}
			mean, wti := t.missing, t.missing
			if k.MeanNS.Known() {
				mean = func(string) cell { return name(duration(k.MeanNS)) }
			}
			if k.WTI.Known() {
				wti = func(string) cell {
					return name(show.Number(show.Plain(k.WTI), k.WTI.Float(), 1))
				}
			}
			rows = append(rows, row{Cells: []cell{name(fmt.Sprint(cores)), header(show.SchedulerOf(r)),
				name(k.Name), name(count(k.Count)), mean(why), wti(whyWTI), name(stamped)}})
		}
		return rows
	})
	t.Caption = "Executions in one repetition; mean time over all repetitions, and WTI: that " +
		"over the mean time in the serial run."
	return t, several
}

func whyNoSpeedup(r *result.Result) string {
	if t := r.Serial.TimeNS; t.Known() && t.Float() == 0 {
		return "the serial run takes no time on this machine"
	}
	return "there is no serial run"
}
