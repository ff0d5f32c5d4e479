package show

import (
	"fmt"

	"krdlab/experiments/result"
)

// maxNodeColumns is the number of nodes beyond which the table has the least and the most of them
// instead of all.
const maxNodeColumns = 8

// nodeTable has the misses per core of each node by the cache model, a row for each scheduler; ""
// where there is one node, or no model.
func nodeTable(results []result.Result) string {
	nodes := 0
	for i := range results {
		if m := results[i].LLCModel; m != nil {
			nodes = max(nodes, len(m.Nodes))
		}
	}
	if nodes < 2 {
		return ""
	}
	header := []any{"scheduler"}
	if nodes > maxNodeColumns {
		header = append(header, "LLC misses per core (model)\nleast of the nodes",
			"\nmost of the nodes")
	} else {
		header = append(header, "LLC misses per core (model)\nnode 0")
		for i := 1; i < nodes; i++ {
			header = append(header, fmt.Sprintf("\nnode %d", i))
		}
	}
	t := NewTable(1, header...)
	for i := range results {
		m := results[i].LLCModel
		if m == nil {
			continue
		}
		row := []any{results[i].Scheduler}
		if nodes > maxNodeColumns {
			row = append(row, extreme(m, -1), extreme(m, 1))
		} else {
			for node := range nodes {
				row = append(row, missesOn(m, node))
			}
		}
		t.AppendRow(row)
	}
	return Render(t)
}

// missesOn prints the misses per core of a node, "-" if it has no workers.
func missesOn(m *result.LLCModel, node int) string {
	for _, n := range m.Nodes {
		if n.Node == node {
			return Count(n.MissesPerCore.Median)
		}
	}
	return "-"
}

// extreme prints the misses per core of the node with the least (sign -1) or the most (1), and
// which it is.
func extreme(m *result.LLCModel, sign float64) string {
	best := -1
	for i, n := range m.Nodes {
		if best < 0 || sign*n.MissesPerCore.Median.Float() > sign*m.Nodes[best].MissesPerCore.Median.Float() {
			best = i
		}
	}
	if best < 0 {
		return "-"
	}
	return fmt.Sprintf("%s (node %d)", Count(m.Nodes[best].MissesPerCore.Median),
		m.Nodes[best].Node)
}

// kernelMisses prints the misses of a kernel in a repetition.
func kernelMisses(r *result.Result, name string, missing *notes) string {
	if r.LLCModel == nil {
		return missing.na("no cache model counted the misses under " + r.Scheduler)
	}
	for _, k := range r.LLCModel.Kernels {
		if k.Name == name {
			return Count(k.Misses.Median)
		}
	}
	return missing.na("the model knows no kernel " + name)
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
