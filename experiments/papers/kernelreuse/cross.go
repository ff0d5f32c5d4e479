package kernelreuse

import (
	"fmt"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/krd/doc"
)

// Tables returns schedulers against core counts, a table for each group: time, speed-up, overhead,
// inflation, misses and reuse, medians and 95 % intervals.
func Tables(e *dataset.Experiment) (list []*doc.Table) {
	for i, g := range e.Groups() {
		t := crossTable(&g)
		t.Name = fmt.Sprintf("cells-%d", i+1)
		list = append(list, t)
	}
	return list
}

func crossTable(g *dataset.Group) *doc.Table {
	shown := []stats.Measure{stats.Time, stats.Speedup, stats.OVR, stats.WTI, stats.Misses,
		stats.BeyondPaper, stats.ColdShare}
	t := doc.NewTable(0, "cores", "scheduler", "n")
	t.Title, t.Keys, t.Columns[1].Kind = g.Key.String(), 2, doc.Text
	for i := range t.Columns {
		t.Columns[i].Key = t.Columns[i].Head
	}
	for _, m := range shown {
		c := m.Column(doc.Reach)
		c.Ends = true
		t.Columns = append(t.Columns, c)
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
