package show

import "krdlab/experiments/result"

// WriteReplay prints the report of a replay for a person.
func WriteReplay(p *Page, r *result.ReplayReport) error {
	p.Line("LLC misses by model, no measurement: replay of the trace through the LRU caches of %s, "+
		"%s", r.Machine, r.CacheModel)
	nodes := NewTable(1, "node", "workers", "misses per core", "lines missed")
	for _, n := range r.Nodes {
		nodes.Row(n.Node, n.Workers,
			Count(result.Some(float64(n.Misses)/float64(n.Workers))), n.Misses)
	}
	perCore := NotAvailable
	if r.LLCMissesPerCore.Known() {
		perCore = Count(r.LLCMissesPerCore)
	}
	nodes.Foot("all", r.Cores, perCore, r.Total)
	p.Table(nodes)
	if len(r.Kernels) > 1 {
		table := NewTable(1, "kernel", "lines missed")
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
