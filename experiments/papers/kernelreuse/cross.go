package kernelreuse

import (
	"slices"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/krd/doc"
)

// Tables returns schedulers against core counts, a table for each group: time, speed-up, overhead,
// inflation, misses and reuse, medians and 95 % intervals.
func Tables(e *dataset.Experiment) *doc.Doc {
	d := &doc.Doc{}
	for _, g := range e.Groups() {
		d.Add(crossTable(&g))
	}
	return d
}

func crossTable(g *dataset.Group) *doc.Table {
	shown := []stats.Measure{stats.Time, stats.Speedup, stats.OVR, stats.WTI, stats.Misses,
		stats.BeyondPaper, stats.ColdShare}
	t := &doc.Table{Title: g.Key.String(), Keys: 2,
		Columns: slices.Concat(named(0, "cores"), named(1, "scheduler", "n"))}
	for _, m := range shown {
		t.Columns = append(t.Columns, m.Column(doc.Reach))
	}
	for _, cores := range g.Cores() {
		for _, s := range g.Schedulers() {
			r := g.At(s, cores)
			if r == nil {
				continue
			}
			row := []any{cores, s, r.Summary.Speedup.N}
			for _, m := range shown {
				row = append(row, m.Cell(r))
			}
			if r.LLCSource != nil && *r.LLCSource != result.LLCSourceModel {
				row[7] = doc.Noted{Value: row[7], Note: "misses from " + *r.LLCSource}
			}
			t.Row(row...)
		}
	}
	return t
}
