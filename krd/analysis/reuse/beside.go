package reuse

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/doc"
)

// A Column is the report of one trace beside those of others.
type Column struct {
	Name   string // of the scheduler
	Trace  string // path
	Traces int    // of the scheduler, this the first of them
	Report *krd.Report
}

// KRDs returns the summed reuse distances of several traces of one run as one table, a column each:
// shares of the accesses of each trace. The list must not be empty.
func Beside(columns []Column) *doc.Doc {
	r := columns[0].Report
	title, unit := title(r, "shares are of each trace's")
	head := []string{""}
	for _, c := range columns {
		head = append(head, c.Name)
	}
	t := doc.NewTable(1, head...)
	t.Title = title
	say := func(format string, args ...any) {
		t.Remarks = append(t.Remarks, fmt.Sprintf(format, args...))
	}
	row := func(name string, of func(*krd.Report) *uint64) {
		cells := []any{name}
		for _, c := range columns {
			cells = append(cells, shareOf(of(c.Report), &c.Report.Histogram))
		}
		t.Row(cells...)
	}
	counts := []any{unit}
	bins := longestBins(columns)
	first, last := len(bins), -1 // nothing was reused
	for _, c := range columns {
		counts = append(counts, doc.Count(doc.Some(float64(c.Report.Accesses))))
		for k, b := range c.Report.Bins {
			if b.Count > 0 {
				first, last = min(first, k), max(last, k)
			}
		}
	}
	t.Row(counts...)
	row("close", func(r *krd.Report) *uint64 { return r.Close })
	row("near", func(r *krd.Report) *uint64 { return r.Near })
	row("far", func(r *krd.Report) *uint64 { return r.Far })
	row("cold", func(r *krd.Report) *uint64 { return infinite(&r.Histogram) })
	if r.Coherence {
		row("invalid.", func(r *krd.Report) *uint64 { return r.Invalidated })
	}
	row("shared", func(r *krd.Report) *uint64 { return r.Shared })
	for k := first; k <= last; k++ {
		name := "0"
		if b := bins[k]; b.FromBytes > 0 {
			name = units.Bytes(b.FromBytes) + " - " + units.Bytes(b.ToBytes)
		}
		row(name, func(r *krd.Report) *uint64 {
			n := uint64(0)
			if k < len(r.Bins) {
				n = r.Bins[k].Count
			}
			return &n
		})
	}
	say("close: distance + size <= L2%s; near: <= LLC%s; far: beyond it; cold: %s; "+
		"shared: %s", ofSize(r.L2Bytes, r.L2Known), ofSize(r.LLCBytes, r.LLCKnown),
		wordsOf(r).cold+coldToo(r), wordsOf(r).shared)
	for _, c := range columns {
		of := ""
		if c.Traces > 1 {
			of = ", the first of " + units.Count(c.Traces, "trace")
		}
		say("%s: %s%s", c.Name, c.Trace, of)
	}
	say("With counts, and of each node: krdlab krd %s", columns[0].Trace)
	return &doc.Doc{Parts: []doc.Part{t}, Warnings: warningsOf(columns)}
}

func longestBins(columns []Column) (bins []krd.Bin) {
	for _, c := range columns {
		if len(c.Report.Bins) > len(bins) {
			bins = c.Report.Bins
		}
	}
	return bins
}

// warningsOf returns each warning once, with the columns that it is about unless they are all.
func warningsOf(columns []Column) (list []string) {
	of := map[string][]string{}
	for _, c := range columns {
		for _, w := range c.Report.Warnings {
			if of[w] == nil {
				list = append(list, w)
			}
			if !slices.Contains(of[w], c.Name) {
				of[w] = append(of[w], c.Name)
			}
		}
	}
	for i, w := range list {
		if len(of[w]) < len(columns) {
			list[i] += " (" + strings.Join(of[w], ", ") + ")"
		}
	}
	return list
}
