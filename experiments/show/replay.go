package show

import (
	"fmt"
	"io"
	"strings"

	"krdlab/experiments/result"
)

// WriteReplay prints the report of a replay for a person.
func WriteReplay(w io.Writer, r *result.ReplayReport) error {
	var b strings.Builder
	fmt.Fprintf(&b, "LLC misses by model, no measurement: replay of the trace through the LRU "+
		"caches of %s, %s\n", r.Machine, r.CacheModel)
	nodes := NewTable(1, "node", "workers", "misses per core", "lines missed")
	for _, n := range r.Nodes {
		nodes.AppendRow([]any{n.Node, n.Workers,
			Count(result.Some(float64(n.Misses) / float64(n.Workers))), n.Misses})
	}
	perCore := NotAvailable
	if r.LLCMissesPerCore.Known() {
		perCore = Count(r.LLCMissesPerCore)
	}
	nodes.AppendFooter([]any{"all", r.Cores, perCore, r.Total})
	b.WriteString(Render(nodes))
	if len(r.Kernels) > 1 {
		table := NewTable(1, "kernel", "lines missed")
		for _, k := range r.Kernels {
			table.AppendRow([]any{k.Name, k.Misses})
		}
		b.WriteString("\n" + Render(table))
	}
	for _, m := range Sentences(r.WarningCodes) {
		fmt.Fprintf(&b, "warning: %s\n", m)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
