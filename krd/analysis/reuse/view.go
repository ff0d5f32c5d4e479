package reuse

import (
	"fmt"
	"math"
	"strconv"

	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/causes"
	"krdlab/krd/doc"
	"krdlab/krd/smith"
)

// View returns a report of reuse distances: the summary, the bins summed over the nodes, and a row
// for each node. Shares are of all accesses, cold ones included; n/a marks numbers that the trace
// does not allow to count.
func View(r *krd.Report) *doc.Doc {
	d := &doc.Doc{Warnings: r.Warnings}
	d.Title, _ = title(r, "counts are of")
	d.Add(summary(r))
	d.Add(bins(r))
	if len(r.Nodes) > 1 {
		d.Add(nodes(r))
	}
	if r.PerCore != nil {
		d.Add(cores(r))
	}
	if len(r.Misses) > 0 {
		d.Add(misses(r))
	}
	return d
}

func share(part, of uint64) doc.Share { return doc.Share{Part: float64(part), Whole: float64(of)} }

// shareOf returns a share of the accesses of h, unknown for nil.
func shareOf(part *uint64, h *krd.Histogram) any {
	if part == nil {
		return nil
	}
	return share(*part, h.Accesses)
}

// infinite returns how many accesses of h have the distance INF: those are cold (stats.Cold).
func infinite(h *krd.Histogram) *uint64 {
	n := h.Infinite()
	return &n
}

// coldToo returns the words for cold accesses that are not first ones.
func coldToo(r *krd.Report) string {
	if r.Coherence {
		return " or invalidated"
	}
	return ""
}

// count returns a number of one trace.
func count(n float64) doc.Quantity {
	return doc.Quantity{Median: doc.Some(n), Reason: doc.Deterministic}
}

func counted(head string) doc.Column {
	return doc.Column{Head: head, Kind: doc.Whole, Unit: doc.Events}
}

// title names the distances of a report, and the unit of the counts.
func title(r *krd.Report, counts string) (title, unit string) {
	unit = "accesses"
	if r.Weight == krd.WeightBytes {
		unit = "bytes"
	}
	coherence := ""
	if r.Coherence {
		coherence = "; writes invalidate on other nodes"
	}
	approximate := ""
	if r.Engine != krd.EngineExact && r.Engine != "" {
		approximate = "APPROXIMATE (" + r.Engine + ") "
	}
	return fmt.Sprintf("%s%s: %s, in bytes; %s %s%s", approximate, wordsOf(r).title, r.Distance,
		counts, unit, coherence), unit
}

// words are those for who makes accesses, and where.
type words struct{ title, worker, cold, shared, levels string }

func wordsOf(r *krd.Report) words {
	if r.Goroutines {
		return words{"reuse distance", "goroutine", "first access",
			"reuses of what another goroutine accessed last", "served by the L2 of a core: %s; else " +
				"by the LLC: %s; by neither: %s"}
	}
	return words{"kernel reuse distance", "worker", "first access on the node",
		"reuses between two workers of a node", "served by the L2 of their core: %s; else by the " +
			"LLC of their node: %s; by neither: %s"}
}

func summary(r *krd.Report) *doc.Table {
	_, unit := title(r, "counts are of")
	words := wordsOf(r)
	t := &doc.Table{Columns: []doc.Column{{}, counted(""), {Kind: doc.Real}, {Prose: true}}}
	row := func(name string, n *uint64, what string) {
		if n == nil {
			t.Row(name, nil, "", what)
			return
		}
		t.Row(name, count(float64(*n)), share(*n, r.Accesses), what)
	}
	row(unit, &r.Accesses, "all")
	row("close", r.Close, "distance + size <= L2"+ofSize(r.L2Bytes, r.L2Known))
	row("near", r.Near, "beyond L2, distance + size <= LLC"+ofSize(r.LLCBytes, r.LLCKnown))
	row("far", r.Far, "finite, distance + size > LLC")
	row("cold", infinite(&r.Histogram), words.cold+coldToo(r)+", distance INF")
	row("shared", r.Shared, words.shared+" (of all distances)")
	if r.Invalidated != nil {
		row("invalid.", r.Invalidated, "of these: the node had it and lost it to a write on another")
	}
	if tail, err := r.AtLeast(krd.PaperBytes); err == nil && r.Accesses > 0 {
		t.Remarks = append(t.Remarks, fmt.Sprintf(">= %s: %s; >= %[1]s or cold: %[3]s", units.Bytes(krd.PaperBytes),
			doc.Percent(float64(tail.Finite), float64(tail.Accesses)),
			doc.Percent(float64(tail.Finite+tail.Cold), float64(tail.Accesses))))
	}
	return t
}

func ofSize(n *uint64, known string) string {
	if n == nil {
		return " (size unknown)"
	}
	if known != "" {
		known = " (" + known + ")"
	}
	return " of " + units.Bytes(*n) + known
}

func bins(r *krd.Report) *doc.Table {
	largest := r.Cold
	first := len(r.Bins)
	for k, b := range r.Bins {
		largest = max(largest, b.Count)
		if b.Count > 0 {
			first = min(first, k)
		}
	}
	t := doc.NewTable(1, "distance", "count", "share", "cumulative")
	var sum uint64
	row := func(name string, n uint64) {
		sum += n
		t.Row(name, doc.Count(doc.Some(float64(n))), share(n, r.Accesses), share(sum, r.Accesses))
		if n > 0 {
			t.Bar(float64(n) / float64(largest))
		}
	}
	if first > 1 && first < len(r.Bins) && !belowUnit(r, first-1) {
		row("0 - "+units.Bytes(r.Bins[first].FromBytes), 0)
	} else {
		first = 0
	}
	for k := first; k < len(r.Bins); k++ {
		b := &r.Bins[k]
		if b.FromBytes == 0 {
			row("0", b.Count)
			continue
		}
		if belowUnit(r, k) {
			continue
		}
		row(units.Bytes(b.FromBytes)+" - "+units.Bytes(b.ToBytes), b.Count)
	}
	if r.Invalidated == nil {
		row("INF (cold)", r.Cold)
	} else {
		row("INF (first access)", r.Cold)
		row("INF (invalidated)", *r.Invalidated)
	}
	return t
}

// belowUnit reports whether bin k is empty since a distance is 0, or the bytes of a datum at least.
func belowUnit(r *krd.Report, k int) bool {
	b := &r.Bins[k]
	return b.FromBytes > 0 && b.ToBytes <= r.SmallestBytes && b.Count == 0
}

func nodes(r *krd.Report) *doc.Table {
	t := doc.NewTable(1, append(headOf(r, "node", "workers"), "shared")...)
	workers := 0
	for i := range r.Nodes {
		n := &r.Nodes[i]
		t.Row(append(rowOf(r, &n.Histogram, fmt.Sprint(n.Node), len(n.Workers)),
			shareOf(n.Shared, &n.Histogram))...)
		workers += len(n.Workers)
	}
	t.Row(append(rowOf(r, &r.Histogram, "sum", workers), shareOf(r.Shared, &r.Histogram))...)
	t.Foot = true
	return t
}

// headOf returns the head of a table of histograms, one a row, behind the columns that name them.
func headOf(r *krd.Report, head ...string) []string {
	head = append(head, "count", "close", "near", "far", "cold")
	if r.Coherence {
		head = append(head, "invalid.")
	}
	return head
}

func rowOf(r *krd.Report, h *krd.Histogram, cells ...any) []any {
	cells = append(cells, doc.Count(doc.Some(float64(h.Accesses))), shareOf(h.Close, h),
		shareOf(h.Near, h), shareOf(h.Far, h), shareOf(infinite(h), h))
	if r.Coherence {
		cells = append(cells, shareOf(h.Invalidated, h))
	}
	return cells
}

// cores returns a row for each worker, with the hits of the two levels of caches.
func cores(r *krd.Report) *doc.Table {
	words := wordsOf(r)
	head := []string{words.worker, "node"}
	if r.Goroutines {
		head = head[:1]
	}
	t := doc.NewTable(1, headOf(r, head...)...)
	t.Title = fmt.Sprintf("each %s's accesses alone, as its core's caches see them; near and far: "+
		"of an LLC for itself", words.worker)
	for i := range r.PerCore.Cores {
		c := &r.PerCore.Cores[i]
		t.Row(rowOf(r, &c.Histogram, []any{fmt.Sprint(c.Worker), c.Node}[:len(head)]...)...)
	}
	t.Row(rowOf(r, &r.PerCore.Histogram, []any{"sum", ""}[:len(head)]...)...)
	t.Foot = true
	if l, ok := krd.LevelsOf(&r.PerCore.Histogram, &r.Histogram); ok {
		t.Remarks = append(t.Remarks, fmt.Sprintf(words.levels, doc.Percent(l.L2, 1),
			doc.Percent(l.LLC, 1), doc.Percent(l.Beyond, 1)))
	}
	return t
}

// misses returns a row for each cache, and for each node where there are several.
func misses(r *krd.Report) *doc.Table {
	cold := "of these cold"
	if r.Coherence {
		cold = "cold or invalid."
	}
	t := doc.NewTable(1, "cache", "node", "misses per core", "lines missed", cold, "miss ratio")
	t.Title = "misses expected from the distances, in cache lines; per core, cold ones included"
	t.Keys = 2
	for _, c := range r.Misses {
		row := func(node string, m smith.Prediction, perCore float64) {
			t.Row(c.Cache, node, doc.Count(doc.Some(perCore)),
				doc.Count(doc.Some(m.AllLineMisses())), doc.Count(doc.Some(m.ColdLines)),
				doc.Share{Part: m.AllLineMisses(), Whole: m.Lines})
		}
		if len(c.Nodes) > 1 {
			for _, n := range c.Nodes {
				row(fmt.Sprint(n.Node), n.Prediction, n.LineMissesPerCore)
			}
		}
		row("all", c.Prediction, c.LineMissesPerCore)
		if c.Caveat != "" {
			t.Remarks = []string{c.Caveat}
		}
	}
	return t
}

// Sample returns an estimate from a sample.
func Sample(r *krd.SampleReport) *doc.Doc {
	d := &doc.Doc{Warnings: r.Warnings, Title: fmt.Sprintf("kernel reuse distance, ESTIMATED from a "+
		"sample of the blocks: %s, seed %d", r.Engine, r.Seed)}
	for _, n := range r.Nodes {
		t := doc.NewTable(1, "distance", "about", "share")
		t.Title = fmt.Sprintf("node %d, %s: %s accesses, %s sampled; %s blocks followed at "+
			"the end, a share of %s", n.Node, units.Count(len(n.Workers), "worker"),
			doc.Count(doc.Some(float64(n.Accesses))), doc.Count(doc.Some(float64(n.Sampled))),
			doc.Count(doc.Some(float64(n.Keys))), strconv.FormatFloat(n.Rate, 'g', 3, 64))
		row := func(name string, count float64) {
			t.Row(name, doc.Count(doc.Some(count)),
				doc.Share{Part: count, Whole: float64(n.Accesses)})
		}
		if n.HiddenBelowBytes > 0 {
			row("0 - "+units.Bytes(n.HiddenBelowBytes), n.Hidden)
		}
		bins := n.Bins
		// one empty bin shows that there is nothing
		for len(bins) > 1 && bins[0].Count == 0 && bins[1].Count == 0 {
			bins = bins[1:]
		}
		for _, b := range bins {
			name := units.Bytes(b.FromBytes) + " - " + units.Bytes(b.ToBytes)
			if b.ToBytes == math.MaxUint64 {
				name = "from " + units.Bytes(b.FromBytes)
			}
			row(name, b.Count)
		}
		row("INF (cold)", n.Cold)
		say := func(format string, args ...any) {
			t.Remarks = append(t.Remarks, fmt.Sprintf(format, args...))
		}
		if n.HiddenBelowBytes > 0 {
			say("The sample cannot tell distances below %s apart.", units.Bytes(n.HiddenBelowBytes))
		}
		for _, c := range n.Caches {
			if c.MissRatio != nil {
				say("a fully associative cache of %s misses about %s of the accesses",
					units.Bytes(c.Bytes), doc.Percent(*c.MissRatio, 1))
			}
		}
		for _, m := range n.Misses {
			say("a cache %v misses about %s lines a core, %s of the lines", m.Cache,
				doc.Count(doc.Some(m.LineMissesPerCore)), doc.Percent(m.AllLineMisses(), m.Lines))
			if m.Caveat != "" {
				say("  %s", m.Caveat)
			}
		}
		d.Add(t)
	}
	return d
}

// rankingRows is how many rows of a ranking are printed; the document has all.
const rankingRows = 20

// Ranking returns one ranking of r.Causes, one of [krd.Rankings].
func Ranking(r *krd.Report, by string) *doc.Doc {
	c := r.Causes
	unit := unitOf(r)
	title := fmt.Sprintf("%s: %s of %s %s (%s)", rangeOf(c), doc.Count(doc.Some(float64(c.Accesses))),
		doc.Count(doc.Some(float64(c.AllAccesses))), unit,
		doc.Percent(float64(c.Accesses), float64(c.AllAccesses)))
	words := func(head string) doc.Column { return doc.Column{Head: head} }
	shares := func(head string) doc.Column { return doc.Column{Head: head, Kind: doc.Real} }
	part := func(share *float64) any {
		if share == nil {
			return nil
		}
		return doc.Share{Part: *share, Whole: 1}
	}
	n := func(n uint64) any { return count(float64(n)) }
	t := &doc.Table{Keys: 2}
	switch by {
	case krd.ByObjectPair:
		t.Columns = []doc.Column{words("object"), words("touched between"),
			counted("bytes between"), shares("share"), counted(unit)}
		for _, pair := range c.Pairs {
			t.Row(pair.Object, pair.Between, count(pair.BetweenBytes), part(pair.Share),
				n(pair.Accesses))
		}
	case krd.ByKernelPair:
		t.Columns = []doc.Column{words("used last by"), words("used again by"),
			counted("in the range"), shares("share")}
		for _, pair := range c.KernelPairs {
			t.Row(pair.Source, pair.Kernel, n(pair.Accesses), part(pair.Share))
		}
	default:
		t.Keys, t.Columns = 1, []doc.Column{words(by), counted("in the range"), shares("share"),
			counted("all its own"), shares("of its own"), counted("cold")}
		counts := func(name string, c causes.Counts) {
			t.Row(name, n(c.Accesses), part(c.Share), n(c.AllAccesses), part(c.OwnShare), n(c.Cold))
		}
		for _, k := range c.Kernels {
			if by == krd.ByKernel {
				counts(k.Kernel, k.Counts)
			}
		}
		for _, o := range c.Objects {
			if by == krd.ByObject {
				counts(o.Object, o.Counts)
			}
		}
		for _, g := range c.Groups {
			counts(g.Name, g.Counts)
		}
		if by == krd.ByStack {
			for _, p := range c.Paths {
				counts(inShort(shown(p.Frames), pathWidth), p.Counts)
			}
		}
	}
	more := len(t.Rows) - rankingRows
	if more > 0 {
		t.Rows = t.Rows[:rankingRows]
		t.Remarks = []string{fmt.Sprintf("and %d more; --json has all", more)}
	}
	if c.NotKnown > 0 {
		t.Remarks = append(t.Remarks, fmt.Sprintf("and %d with too little in the sample", c.NotKnown))
	}
	return &doc.Doc{Title: title, Parts: []doc.Part{t}, Warnings: r.Warnings}
}
