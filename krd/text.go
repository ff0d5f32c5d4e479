package krd

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"krdlab/hw/units"
)

// paperTail is the data point of figure 6 that the KRD paper sets against LLC misses (IV-B).
const paperTail = 32 << 20

// WriteText writes r for people: the summary, the bins summed over the nodes, and a row for each
// node. Shares are of all accesses, cold ones included; "n/a" is what the trace does not allow to
// know.
func (r *Report) WriteText(w io.Writer) error {
	out := bufio.NewWriter(w)
	r.writeSummary(out)
	fmt.Fprintln(out)
	r.writeBins(out)
	if len(r.Nodes) > 1 {
		fmt.Fprintln(out)
		r.writeNodes(out)
	}
	if len(r.Misses) > 0 {
		fmt.Fprintln(out)
		r.writeMisses(out)
	}
	for _, warning := range r.Warnings {
		fmt.Fprintf(out, "warning: %s\n", warning)
	}
	return out.Flush()
}

func (r *Report) writeSummary(out io.Writer) {
	unit := "accesses"
	if r.Weight == WeightBytes {
		unit = "bytes"
	}
	coherence := ""
	if r.Coherence {
		coherence = "; writes invalidate on other nodes"
	}
	approximate := ""
	if r.Engine != EngineExact && r.Engine != "" {
		approximate = "APPROXIMATE (" + r.Engine + ") "
	}
	fmt.Fprintf(out, "%skernel reuse distance: %s, in bytes; counts are of %s%s\n", approximate,
		r.Distance, unit, coherence)
	row := func(name string, n *uint64, what string) {
		if n == nil {
			fmt.Fprintf(out, "  %-9s %16s %11s  %s\n", name, "n/a", "", what)
			return
		}
		fmt.Fprintf(out, "  %-9s %16d %11s  %s\n", name, *n, percent(*n, r.Accesses), what)
	}
	row(unit, &r.Accesses, "all")
	row("close", r.Close, "distance + size <= L2"+ofSize(r.L2Bytes))
	row("near", r.Near, "beyond L2, distance + size <= LLC"+ofSize(r.LLCBytes))
	row("far", r.Far, "finite, distance + size > LLC")
	row("cold", &r.Cold, "first access on the node, distance INF")
	row("shared", &r.Shared, "reuses between two workers of a node (of all distances)")
	if r.Invalidated != nil {
		row("invalid.", r.Invalidated, "the node had it and lost it to a write on another, "+
			"distance INF")
	}
	tail, err := r.AtLeast(paperTail)
	if err == nil && r.Accesses > 0 {
		fmt.Fprintf(out, "  >= %s: %s; >= %[1]s or cold: %[3]s\n", units.Bytes(paperTail),
			percent(tail.Finite, tail.Accesses), percent(tail.Finite+tail.Cold, tail.Accesses))
	}
}

const barWidth = 40

func (r *Report) writeBins(out io.Writer) {
	largest := r.Cold
	first := len(r.Bins)
	for k, b := range r.Bins {
		largest = max(largest, b.Count)
		if b.Count > 0 {
			first = min(first, k)
		}
	}
	fmt.Fprintf(out, "  %-22s %16s %11s %11s\n", "distance", "count", "share", "cumulative")
	var sum uint64
	row := func(name string, n uint64) {
		sum += n
		bar := ""
		if n > 0 {
			bar = strings.Repeat("#", max(1, int(float64(n)/float64(largest)*barWidth+0.5)))
		}
		line := fmt.Sprintf("  %-22s %16d %11s %11s  %s", name, n, percent(n, r.Accesses),
			percent(sum, r.Accesses), bar)
		fmt.Fprintln(out, strings.TrimRight(line, " "))
	}
	if first > 1 && first < len(r.Bins) {
		row("0 - "+units.Bytes(r.Bins[first].FromBytes), 0)
	} else {
		first = 0
	}
	for _, b := range r.Bins[first:] {
		if b.FromBytes == 0 {
			row("0", b.Count)
			continue
		}
		row(units.Bytes(b.FromBytes)+" - "+units.Bytes(b.ToBytes), b.Count)
	}
	row("INF (cold)", r.Cold)
	if r.Invalidated != nil {
		row("INF (invalidated)", *r.Invalidated)
	}
}

func (r *Report) writeNodes(out io.Writer) {
	invalidated := func(text string) string {
		if !r.Coherence {
			return ""
		}
		return fmt.Sprintf(" %11s", text)
	}
	fmt.Fprintf(out, "  %-5s %7s %16s %11s %11s %11s %11s%s %11s\n", "node", "workers", "count",
		"close", "near", "far", "cold", invalidated("invalid."), "shared")
	row := func(name string, workers int, h *Histogram) {
		share := func(n *uint64) string {
			if n == nil {
				return "n/a"
			}
			return percent(*n, h.Accesses)
		}
		fmt.Fprintf(out, "  %-5s %7d %16d %11s %11s %11s %11s%s %11s\n", name, workers, h.Accesses,
			share(h.Close), share(h.Near), share(h.Far), share(&h.Cold),
			invalidated(share(h.Invalidated)), share(&h.Shared))
	}
	workers := 0
	for i := range r.Nodes {
		n := &r.Nodes[i]
		row(fmt.Sprint(n.Node), len(n.Workers), &n.Histogram)
		workers += len(n.Workers)
	}
	row("sum", workers, &r.Histogram)
}

// percent prints n of all, "n/a" where there is nothing to take a share of.
func percent(n, all uint64) string { return ratio(float64(n), float64(all)) }

// ratio prints a of b in per cent with two decimals, "n/a" where there is nothing to take a share
// of: a trace is one run, and the next run differs in the first of them. What is more than nothing
// and less than can be seen so is called that.
func ratio(a, b float64) string {
	switch share := 100 * a / b; {
	case b == 0:
		return "n/a"
	case 0 < share && share < 0.005:
		return "<0.01 %"
	default:
		return fmt.Sprintf("%.2f %%", share)
	}
}

// fold writes text in lines of at most 100 columns, indented.
func fold(out io.Writer, text string) {
	line := " "
	for word := range strings.FieldsSeq(text) {
		if len(line)+len(word) > 100 {
			fmt.Fprintln(out, line)
			line = " "
		}
		line += " " + word
	}
	fmt.Fprintln(out, line)
}

func ofSize(n *uint64) string {
	if n == nil {
		return " (size unknown)"
	}
	return " of " + units.Bytes(*n)
}
