package brief

import (
	"fmt"

	"krdlab/experiments/run/result"
	"krdlab/krd/doc"
)

// maxNodeColumns is the number of nodes beyond which the table has the least and the most of them
// instead of all.
const maxNodeColumns = 8

// nodeTable writes the misses per core of each node by the cache model, a row for each scheduler,
// where there are several nodes and a model.
func nodeTable(p *doc.Page, results []result.Result) {
	nodes := 0
	for i := range results {
		if m := results[i].LLCModel; m != nil {
			nodes = max(nodes, len(m.Nodes))
		}
	}
	if nodes < 2 {
		return
	}
	const head = "LLC misses per core (model)\n"
	t := byScheduler()
	var of []func(*result.LLCModel) *result.NodeSummary
	column := func(head string, f func(*result.LLCModel) *result.NodeSummary) {
		t.Columns, of = append(t.Columns, counted(head)), append(of, f)
	}
	few := nodes <= maxNodeColumns
	if few {
		for node := range nodes {
			name := fmt.Sprintf("\nnode %d", node)
			if node == 0 {
				name = head + "node 0"
			}
			column(name, func(m *result.LLCModel) *result.NodeSummary { return missesOn(m, node) })
		}
	} else {
		for i, sign := range []float64{-1, 1} {
			f := func(m *result.LLCModel) *result.NodeSummary { return extreme(m, sign) }
			column([]string{head + "least", "\nmost"}[i], f)
			t.Columns, of = append(t.Columns, doc.Column{Head: "\nof node", Kind: doc.Whole}),
				append(of, f)
		}
	}
	for i := range results {
		m := results[i].LLCModel
		if m == nil {
			continue
		}
		row := []any{results[i].Scheduler}
		for j, f := range of {
			switch n := f(m); {
			case n == nil:
				row = append(row, "-")
			case few || j%2 == 0:
				row = append(row, n.MissesPerCore)
			default:
				row = append(row, n.Node)
			}
		}
		t.Row(row...)
	}
	p.Line("")
	p.Table(t)
}

// missesOn returns the misses of a node, nil if it has no workers.
func missesOn(m *result.LLCModel, node int) *result.NodeSummary {
	for i := range m.Nodes {
		if m.Nodes[i].Node == node {
			return &m.Nodes[i]
		}
	}
	return nil
}

// extreme returns the misses of the node with the least per core (sign -1) or the most (1).
func extreme(m *result.LLCModel, sign float64) *result.NodeSummary {
	var best *result.NodeSummary
	for i := range m.Nodes {
		n := &m.Nodes[i]
		if best == nil || sign*n.MissesPerCore.Median.Float() > sign*best.MissesPerCore.Median.Float() {
			best = n
		}
	}
	return best
}

// kernelMisses returns the misses of a kernel in a repetition; nil: no model counted any.
func kernelMisses(r *result.Result, name string) any {
	if r.LLCModel == nil {
		return doc.Missing("no cache model counted the misses under " + r.Scheduler)
	}
	for _, k := range r.LLCModel.Kernels {
		if k.Name == name {
			return k.Misses
		}
	}
	return doc.Missing("the model has no data for the kernel " + name)
}

// replayNote returns what the misses of a replay are, and why they are not the hardware's.
func replayNote(r *result.Result) string {
	which, topology, why := "the traced repetition", "", ""
	if r.Settings.Trace.Each() {
		which = "each repetition"
	}
	if r.Machine.Synthetic {
		topology = ", its nodes as " + r.Settings.Topology
	}
	if r.LLCReason != nil {
		why = "; no hardware counts: " + *r.LLCReason
	}
	return fmt.Sprintf("LLC misses by model, no measurement: replay of %s through LRU caches of "+
		"this host%s, %s%s", which, topology, r.LLCModel.CacheModel, why)
}
