package brief

import (
	"fmt"

	"krdlab/experiments/run/result"
	"krdlab/krd/doc"
)

// Replay returns the report of a replay.
func Replay(r *result.ReplayReport) *doc.Doc {
	d := &doc.Doc{Warnings: doc.Sentences(r.WarningCodes)}
	nodes := doc.NewTable(1, "node", "workers", "misses per core", "lines missed")
	nodes.Title = fmt.Sprintf("LLC misses by model, no measurement: replay of the trace through the "+
		"LRU caches of %s, %s", r.Machine, r.CacheModel)
	for _, n := range r.Nodes {
		nodes.Row(n.Node, n.Workers,
			doc.Count(result.Some(float64(n.Misses)/float64(n.Workers))), n.Misses)
	}
	nodes.Foot = true
	nodes.Row("all", r.Cores, doc.Count(r.LLCMissesPerCore), r.Total)
	d.Add(nodes)
	if len(r.Kernels) > 1 {
		t := doc.NewTable(1, "kernel", "lines missed")
		for _, k := range r.Kernels {
			t.Row(k.Name, k.Misses)
		}
		d.Add(t)
	}
	return d
}
