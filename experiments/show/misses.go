package show

import (
	"fmt"

	"krdlab/experiments/result"
)

// maxNodeColumns is the number of nodes beyond which the table has the least and the most of them
// instead of all.
const maxNodeColumns = 8

// nodeTable writes the misses per core of each node by the cache model, a row for each scheduler,
// where there are several nodes and a model.
func nodeTable(p *Page, results []result.Result) {
	nodes := 0
	for i := range results {
		if m := results[i].LLCModel; m != nil {
			nodes = max(nodes, len(m.Nodes))
		}
	}
	if nodes < 2 {
		return
	}
	t := NewTable(1, "scheduler")
	var modelled []*result.LLCModel
	for i := range results {
		if m := results[i].LLCModel; m != nil {
			modelled = append(modelled, m)
			t.Row(results[i].Scheduler)
		}
	}
	const head = "LLC misses per core (model)\n"
	column := func(head string, of func(*result.LLCModel) *result.NodeSummary, named bool) {
		list := make([]result.Quantity, len(modelled))
		for i, m := range modelled {
			if n := of(m); n != nil {
				list[i] = n.MissesPerCore
			}
		}
		cells := Counts(list, false)
		for i, m := range modelled {
			if n := of(m); n == nil {
				cells[i] = "-"
			} else if named {
				cells[i] += fmt.Sprintf(" (node %d)", n.Node)
			}
		}
		t.add(head, cells)
	}
	if nodes > maxNodeColumns {
		column(head+"least of the nodes", func(m *result.LLCModel) *result.NodeSummary {
			return extreme(m, -1)
		}, true)
		column("\nmost of the nodes", func(m *result.LLCModel) *result.NodeSummary {
			return extreme(m, 1)
		}, true)
	} else {
		for node := range nodes {
			name := fmt.Sprintf("\nnode %d", node)
			if node == 0 {
				name = head + "node 0"
			}
			column(name, func(m *result.LLCModel) *result.NodeSummary { return missesOn(m, node) },
				false)
		}
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

// kernelMisses are the misses of a kernel in a repetition.
func kernelMisses(r *result.Result, name string) (q result.Quantity, why string) {
	if r.LLCModel == nil {
		return q, "no cache model counted the misses under " + r.Scheduler
	}
	for _, k := range r.LLCModel.Kernels {
		if k.Name == name {
			return k.Misses, ""
		}
	}
	return q, "the model knows no kernel " + name
}

// replayNote says what the misses of a replay are, and why they are not the hardware's.
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
