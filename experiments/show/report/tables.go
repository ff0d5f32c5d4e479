package report

import (
	"fmt"
	"slices"

	"krdlab/experiments/run/brief"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// eachCell returns a table of the rows that f makes for each scheduler and core count of the group,
// whose first columns are these.
func eachCell(g *dataset.Group, title string, columns []doc.Column,
	f func(r *result.Result) [][]any) *doc.Table {
	t := &doc.Table{Title: title, Keys: 2,
		Columns: append([]doc.Column{right("cores"), {Head: "scheduler"}}, columns...)}
	for _, cores := range g.Cores() {
		for _, s := range g.Schedulers() {
			r := g.At(s, cores)
			if r == nil {
				continue
			}
			for _, row := range f(r) {
				t.Row(append([]any{cores, brief.SchedulerOf(r)}, row...)...)
			}
		}
	}
	return t
}

// right returns a column of numbers without a unit.
func right(head string) doc.Column { return doc.Column{Head: head, Kind: doc.Real} }

// timesTable returns a table with a row for each scheduler and core count: times, ratios, misses.
func timesTable(g *dataset.Group) *doc.Table {
	measures := []stats.Measure{stats.Time, stats.Speedup, stats.OVR, stats.WTI, stats.KernelTime,
		stats.Misses}
	var columns []doc.Column
	for _, m := range measures {
		columns = append(columns, m.Column(doc.Below))
	}
	confidence := map[string]bool{}
	t := eachCell(g, "", append(columns, doc.Column{Head: "misses from"}, right("n")),
		func(r *result.Result) [][]any {
			s := &r.Summary
			var row []any
			for _, m := range measures {
				row = append(row, m.Cell(r))
			}
			source := "–"
			if r.LLCSource != nil && s.LLCMissesPerCore.Median.Known() {
				source = *r.LLCSource
				if n := s.LLCMissesPerCore.N; n != s.TimeNS.N {
					source += fmt.Sprintf(", n = %d", n)
				}
			}
			if s.TimeNS.Confidence.Known() {
				confidence[doc.Digits(100*s.TimeNS.Confidence.Float(), 3)+" %"] = true
			}
			return [][]any{append(row, source, s.TimeNS.N)}
		})
	t.Title = "Medians of n repetitions; speed-up = cores / (OVR × WTI)."
	if len(confidence) > 0 {
		t.Title = "Medians of n repetitions, and below them intervals of at least 95 % " +
			"confidence (" + units.List(sorted(confidence)) + " attained for times and misses, 95 % by " +
			"bootstrap for ratios); speed-up = cores / (OVR × WTI)."
	}
	return t
}

// reuseTable returns a table with a row for each scheduler and core count: where the reuses of its
// traced repetitions fall, and both readings of the paper's comparison; nil where there is no KRD.
func reuseTable(g *dataset.Group) *doc.Table {
	measures := []stats.Measure{stats.CloseShare, stats.NearShare, stats.FarShare, stats.ColdShare,
		stats.FinitePaper, stats.BeyondPaper}
	if !slices.ContainsFunc(g.Cells, func(c *dataset.Cell) bool {
		return len(c.Result.Histograms()) > 0
	}) {
		return nil
	}
	var columns []doc.Column
	for _, m := range measures {
		columns = append(columns, m.Column(doc.Below))
	}
	return eachCell(g, "Shares of all accesses: medians of n traced repetitions, with intervals of "+
		"at least 95 % from 6 on. Close: within the L2 of one core; near: within the last-level "+
		"cache of the node; far: a reuse that needs more; cold: first access of the node. Far or "+
		"cold is beyond that cache: what it cannot have kept.", append(columns, right("n")),
		func(r *result.Result) [][]any {
			var row []any
			for _, m := range measures {
				row = append(row, m.Cell(r))
			}
			return [][]any{append(row, len(r.Histograms()))}
		})
}

// kernelTable returns a table with a row for each kernel of the program; nil where there is one or
// none.
func kernelTable(g *dataset.Group) *doc.Table {
	several := false
	t := eachCell(g, "Executions in one repetition; mean time over all repetitions, and WTI: that "+
		"over the mean time in the serial run.", []doc.Column{{Head: "kernel"}, right("executions"),
		{Head: "mean time", Kind: doc.Real, Unit: doc.Nanoseconds}, right("WTI"), {Head: "stamped"}},
		func(r *result.Result) (rows [][]any) {
			several = several || len(r.Kernels) > 1
			for _, k := range r.Kernels {
				stamped := "each"
				if k.Estimated {
					stamped = "one in " + count(int64(k.SampledEvery))
				}
				rows = append(rows, []any{k.Name, count(k.Count),
					stats.KernelCell(r, k.Name, k.MeanNS, false),
					stats.KernelCell(r, k.Name, k.WTI, true), stamped})
			}
			return rows
		})
	if !several {
		return nil
	}
	t.Keys = 3
	return t
}
