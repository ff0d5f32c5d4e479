package graph

import (
	"fmt"
	"math"
	"strings"

	"krdlab/hw/units"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// shown is how many rows tables for people have at most.
const shown = 20

// more adds a note to t if it has more rows than are shown.
func more[T any](t *doc.Table, list []T, all bool) []T {
	if n := len(list) - shown; n > 0 && !all {
		t.Remarks = append(t.Remarks, fmt.Sprintf("and %s more; --csv=%s and --json have all",
			units.Grouped(uint64(n)), t.Name))
		return list[:shown]
	}
	return list
}

// Tables implements [analysis.Data].
func (r *result) Tables() []*doc.Table {
	if r.d.Goroutines == nil {
		return append([]*doc.Table{r.table()}, r.raceData()...)
	}
	return []*doc.Table{r.waitTable(r.d.Goroutines.Waits, true), r.pathTable(true), r.begunTable(true)}
}

// Waits returns the table of who waited for whom, a row for each object and operation, without
// those that have least.
func (r *result) Waits() *doc.Table { return r.waitTable(r.d.Goroutines.AtOne, false) }

// GoroutineTables returns who waited for whom in a document of goroutines, and what had not ended when the
// program did: those that have rows, with all of them.
func (d *Document) GoroutineTables() (list []*doc.Table) {
	r := &result{d, &loi.Header{Clock: loi.Clock{Hz: 1}}} // times are ns
	for _, t := range []*doc.Table{r.waitTable(d.Goroutines.AtOne, true), r.begunTable(true)} {
		if len(t.Rows) > 0 {
			list = append(list, t)
		}
	}
	return list
}

// waitTable returns the table of who waited for whom.
func (r *result) waitTable(waits []Waiting, all bool) *doc.Table {
	t := &doc.Table{Name: "waits", Title: "Who waited for whom", Keys: 5, Columns: []doc.Column{
		{Key: "goroutine", Head: "goroutine", Prose: true},
		{Key: "for", Head: "waited for", Prose: true},
		{Key: "operation", Data: true}, {Key: "by", Data: true},
		{Key: "object", Data: true}, {Head: "in", Prose: true},
		{Key: "times", Head: "times", Kind: doc.Whole},
		{Key: "time_ns", Head: "time", Kind: doc.Real, Unit: doc.Nanoseconds}}}
	if r.h.Clock.Hz == 0 {
		t.Columns[7] = doc.Column{Key: "ticks", Head: "ticks", Kind: doc.Real}
	}
	for _, w := range more(t, waits, all) {
		in := w.Operation + " until " + w.By
		if w.Object != "" {
			in += " of " + w.Object
		}
		t.Row(w.Goroutine, w.For, w.Operation, w.By, w.Object, in, w.Times, w.Time)
	}
	return t
}

// begunTable returns the operations that goroutines were in when the program ended.
func (r *result) begunTable(all bool) *doc.Table {
	t := &doc.Table{Name: "begun", Title: "Not ended when the program did", Keys: 4,
		Columns: []doc.Column{{Key: "goroutine", Head: "goroutine", Prose: true},
			{Key: "operation", Data: true}, {Key: "object", Data: true}, {Key: "where", Data: true},
			{Head: "in", Prose: true}, {Key: "count", Head: "count", Kind: doc.Whole},
			{Key: "since_ns", Head: "since", Kind: doc.Real, Unit: doc.Nanoseconds},
			{Key: "waits_for", Head: "waits for", Prose: true}}}
	if r.h.Clock.Hz == 0 {
		t.Columns[6] = doc.Column{Key: "ticks", Head: "ticks", Kind: doc.Real}
	}
	for _, b := range more(t, r.d.Goroutines.Begun, all) {
		in := b.Operation
		if b.Object != "" {
			in += " of " + b.Object
		}
		if b.Where != "" {
			in += ", in " + b.Where
		}
		t.Row(b.Goroutine, b.Operation, b.Object, b.Where, in, b.Count, b.Since,
			strings.Join(b.For, "; "))
	}
	return t
}

// pathTable returns the longest path.
func (r *result) pathTable(all bool) *doc.Table {
	t := &doc.Table{Name: "path", Title: "The longest path", Keys: 2, Columns: []doc.Column{
		{Key: "goroutine", Head: "goroutine"}, {Key: "function", Head: "runs"},
		{Key: "span_share", Head: "of the span, %", Kind: doc.Real, Unit: doc.PerCent},
		{Key: "pieces", Head: "pieces", Kind: doc.Whole},
		{Key: "handed_on", Head: "handed on by"}}}
	for _, p := range more(t, r.d.Goroutines.Path, all) {
		share := doc.Number{}
		if span := r.d.Span.Float(); span > 0 {
			share = doc.Some(p.Weight.Float() / span)
		}
		handed := make([]string, len(p.HandedOn))
		for i, h := range p.HandedOn {
			handed[i] = h.Operation + " × " + units.Grouped(h.Times)
		}
		t.Row(p.Goroutine, p.Function, share, p.Pieces, strings.Join(handed, ", "))
	}
	return t
}

// longest is how many letters of a function's name are in its box.
const longest = 22

// goroutineLabel returns the lines in the box of a node.
func (r *result) goroutineLabel(n *Node) []string {
	first := n.Kernel
	if name := []rune(first); len(name) > longest { // its end distinguishes it better
		first = "…" + string(name[len(name)-longest+1:])
	} else if first == "" {
		first = "function not known"
	}
	lines := []string{first, units.Count(n.Count, "goroutine")}
	if n.Kernels > 0 {
		what := " accesses"
		if n.Kernels == 1 {
			what = " access"
		}
		lines = append(lines, units.Grouped(n.Kernels)+what)
	}
	if w := r.d.Work.Float(); n.Work.Float() > 0 {
		lines = append(lines, fmt.Sprintf("%.3g %% of the work", 100*n.Work.Float()/w))
	}
	return lines
}

// goroutineTimes returns the label of an edge.
func goroutineTimes(e *Edge) string {
	switch starts := "starts " + units.Grouped(e.Starts); {
	case e.Starts == 0:
		return "× " + units.Grouped(e.Count)
	case e.Count == 0:
		return starts
	default:
		return starts + ", × " + units.Grouped(e.Count)
	}
}

// goroutinePath returns the curve of an edge, and where its label stands: down, up beside that,
// around boxes between them, from side to side within a row, or around the right side of a box that
// waits for itself.
func goroutinePath(e *Edge, x, y []float64) (curve string, at [2]float64) {
	const half, apart, row = boxWidth / 2, 26, boxHeight + gapDown
	a, b, top, to := x[e.From], x[e.To], y[e.From], y[e.To]
	path := func(x0, y0, x1, y1, x2, y2, x3, y3 float64) string {
		return fmt.Sprintf("M%.0f %.0fC%.0f %.0f %.0f %.0f %.0f %.0f", x0, y0, x1, y1, x2, y2, x3, y3)
	}
	side := 0.0
	switch {
	case e.From == e.To:
		r, mid := a+boxWidth, top+boxHeight/2
		return path(r, mid+14, r+28, mid+20, r+28, mid-20, r, mid-14), [2]float64{r + 3, mid - 20}
	case to > top:
		if a, b = a+half-apart, b+half-apart; to-top > row+1 {
			side = -(half + swerves) * 4 / 3
		}
		top += boxHeight
	case to < top:
		if a, b = a+half+apart, b+half+apart; top-to > row+1 {
			side = (half + swerves) * 4 / 3
		}
		to += boxHeight
	case math.Abs(b-a) < boxWidth+2*gapAcross: // beside each other
		mid, from, end := top+boxHeight/2-10, a+boxWidth, b
		if a > b {
			mid, from, end = mid+20, a, b+boxWidth
		}
		return path(from, mid, from, mid, end, mid, end, mid), [2]float64{min(from, end) + 5, mid - 6}
	default: // below the row
		low := top + boxHeight
		a, b = a+half, b+half
		return path(a, low, a, low+gapDown*2/3, b, low+gapDown*2/3, b, low),
			[2]float64{(a + b) / 2, low + gapDown/2 + 8}
	}
	mid := (to - top) / 2
	if side != 0 {
		bend := gapDown / 2 * mid / math.Abs(mid)
		return path(a, top, a+side, top+bend, b+side, to-bend, b, to),
			[2]float64{(a+b)/2 + side*3/4 + 3, top + mid}
	}
	return path(a, top, a, top+mid, b, to-mid, b, to), [2]float64{(a+3*b)/4 + 6, to - mid/2}
}
