package show

import (
	"krdlab/experiments/result"
	"krdlab/krd/doc"
)

// WriteReplay prints the report of a replay for a person.
func WriteReplay(p *doc.Page, r *result.ReplayReport) error {
	p.Line("LLC misses by model, no measurement: replay of the trace through the LRU caches of %s, "+
		"%s", r.Machine, r.CacheModel)
	nodes := doc.NewTable(1, "node", "workers", "misses per core", "lines missed")
	for _, n := range r.Nodes {
		nodes.Row(n.Node, n.Workers,
			doc.Count(result.Some(float64(n.Misses)/float64(n.Workers))), n.Misses)
	}
	perCore := doc.NotAvailable
	if r.LLCMissesPerCore.Known() {
		perCore = doc.Count(r.LLCMissesPerCore)
	}
	nodes.Foot = true
	nodes.Row("all", r.Cores, perCore, r.Total)
	p.Table(nodes)
	if len(r.Kernels) > 1 {
		table := doc.NewTable(1, "kernel", "lines missed")
		for _, k := range r.Kernels {
			table.Row(k.Name, k.Misses)
		}
		p.Line("")
		p.Table(table)
	}
	for _, m := range Sentences(r.WarningCodes) {
		p.Line("warning: %s", m)
	}
	return p.Close()
}
