package krd

import (
	"slices"

	"krdlab/krd/causes"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// SchemaVersion is the version of the JSON form of a [Report]. It grows when a field changes its
// meaning, not when one is added.
const SchemaVersion = 1

// A Report is the result of [Analyze]: the histogram of every node and their sum. It marshals to
// the document that `krdlab krd --json` prints and that `krdlab run --json` holds under "krd".
type Report struct {
	SchemaVersion int      `json:"schema_version"`
	Distance      Distance `json:"distance"`
	Weight        Weight   `json:"weight"`
	Engine        string   `json:"engine"`    // "exact", or an approximate one
	Coherence     bool     `json:"coherence"` // writes on one node invalidate on the others
	L2Bytes       *uint64  `json:"l2_bytes"`  // of one core; nil: unknown
	LLCBytes      *uint64  `json:"llc_bytes"` // of one node; nil: unknown
	// how these are known, as the trace has it: told, measured, assumed, given
	L2Known   string `json:"l2_known,omitempty"`
	LLCKnown  string `json:"llc_known,omitempty"`
	Histogram        // the sum over the nodes
	Nodes     []Node `json:"nodes"` // by node number
	// PerCore is of each worker's accesses alone; absent: not asked for.
	PerCore *PerCore `json:"per_core,omitempty"`
	// Goroutines: the workers are goroutines, and the node is where they all run.
	Goroutines bool `json:"goroutines,omitempty"`
	// ProgramName is the kernel or "go " and a package, and N its parameter n, as the trace names them;
	// absent: it does not.
	ProgramName string `json:"program,omitempty"`
	N           string `json:"n,omitempty"`
	// Unit is the kind of a datum in the trace of a Go program; absent: blocks, as kernels name
	// them.
	Unit string `json:"unit,omitempty"`
	// SmallestBytes are those of the smallest datum, and so a distance is 0 or not less; 0: unknown
	SmallestBytes uint64 `json:"smallest_bytes,omitempty"`
	// records missing from the trace; at least so many if LossUnknown
	Discarded   uint64 `json:"discarded"`
	LossUnknown bool   `json:"loss_unknown,omitempty"`
	// that overlapping ranges were split into; nil: there are none
	Atoms *uint64 `json:"atoms"`
	// Misses are those predicted for Options.Caches, one entry each.
	Misses []CacheMisses `json:"misses"`
	// Causes ranks who causes the range of Options.Causes; nil: not asked for.
	Causes       *causes.Result `json:"causes"`
	Warnings     []string       `json:"warnings"` // the sentences of WarningCodes
	WarningCodes []Warning      `json:"warning_codes,omitempty"`
}

// A Node is the histogram of the workers that share one last-level cache.
type Node struct {
	Node    int   `json:"node"`
	Workers []int `json:"workers"`
	Histogram
}

// Table returns the bins of every node, one a row, as data: node, from_bytes, to_bytes, count; where
// cores were asked for with a column worker, which is empty in the rows of nodes; of several
// reports, analysed alike, with a last column, trace. Cold accesses are the row of each node whose
// from_bytes and to_bytes are "inf"; with coherence follows a row with "invalidated" there. Counts
// are of bytes if the report weighs bytes.
func Table(reports []*Report, traces []string) *doc.Table {
	cores := len(reports) > 0 && reports[0].PerCore != nil
	keys := []string{"node", "from_bytes", "to_bytes", "count"}
	if cores {
		keys = append(keys, "worker")
	}
	if len(reports) > 1 {
		keys = append(keys, "trace")
	}
	t := doc.NewData("bins", keys...)
	for i, r := range reports {
		add := func(node int, worker any, h *Histogram) {
			row := func(from, to any, n uint64) {
				cells := []any{node, from, to, n}
				if cores {
					cells = append(cells, worker)
				}
				t.Row(append(cells, traces[i])[:len(keys)]...)
			}
			for _, b := range h.Bins {
				row(b.FromBytes, b.ToBytes, b.Count)
			}
			row("inf", "inf", h.Cold)
			if h.Invalidated != nil {
				row("invalidated", "invalidated", *h.Invalidated)
			}
		}
		for i := range r.Nodes {
			add(r.Nodes[i].Node, nil, &r.Nodes[i].Histogram)
		}
		if r.PerCore != nil {
			for i := range r.PerCore.Cores {
				x := &r.PerCore.Cores[i]
				add(x.Node, x.Worker, &x.Histogram)
			}
		}
	}
	return t
}

// report puts the tallies of the nodes together.
func (a *analysis) report() *Report {
	l2, llc := a.trace.Header.L2Bytes, a.trace.Header.LLCBytes
	r := &Report{
		SchemaVersion: SchemaVersion, Distance: a.opt.Distance, Weight: a.opt.Weight,
		Engine: a.opt.Engine.String(), Coherence: a.opt.Coherence,
		Nodes: []Node{}, Misses: []CacheMisses{}, Warnings: []string{}, WarningCodes: []Warning{},
	}
	if l2 != 0 {
		r.L2Bytes, r.L2Known = ptr(l2), a.trace.Header.L2Known
	}
	if llc != 0 {
		r.LLCBytes, r.LLCKnown = ptr(llc), a.trace.Header.LLCKnown
	}
	switch {
	case l2 == 0 && llc == 0:
		r.warn(NoCacheSizes)
	case l2 == 0:
		r.warn(NoL2Size)
	case llc == 0:
		r.warn(NoLLCSize)
	}
	if a.atoms != nil {
		r.Atoms = ptr(uint64(a.atoms.Len()))
	}
	sum := &tally{l2: l2, llc: llc, coherence: a.opt.Coherence}
	for _, t := range a.tallies {
		sum.merge(t)
	}
	r.SmallestBytes, r.Goroutines = sum.smallest, a.trace.Header.Goroutines()
	h := &a.trace.Header
	r.Unit, r.ProgramName = h.Unit(), h.Kernel
	if i := slices.IndexFunc(h.Params, func(p loi.KV) bool { return p.Key == "n" }); i >= 0 {
		r.N = h.Params[i].Value
	}
	bins := sum.used()
	r.Histogram = sum.histogram(bins)
	for i, t := range a.tallies {
		r.Nodes = append(r.Nodes, Node{Node: a.nodes[i], Workers: a.workers[i],
			Histogram: t.histogram(bins)})
	}
	r.PerCore = a.perCore()
	r.Misses = a.misses()
	r.Causes = a.ranking()
	return r
}

// Only leaves one node in r, and reports whether there is one with that number.
func (r *Report) Only(node int) bool {
	for _, n := range r.Nodes {
		if n.Node != node {
			continue
		}
		r.Histogram, r.Nodes = n.Histogram, []Node{n}
		if r.PerCore != nil {
			r.PerCore = r.PerCore.only(node)
		}
		for i := range r.Misses {
			c := &r.Misses[i]
			for _, m := range c.Nodes {
				if m.Node == node {
					c.Prediction, c.LineMissesPerCore, c.Nodes = m.Prediction, m.LineMissesPerCore,
						[]NodeMisses{m}
					break
				}
			}
		}
		return true
	}
	return false
}

func (r *Report) warn(code Code, args ...any) {
	w := doc.Find(code, args...)
	r.Warnings, r.WarningCodes = append(r.Warnings, w.Sentence()), append(r.WarningCodes, w)
}
