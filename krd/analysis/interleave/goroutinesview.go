package interleave

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"krdlab/hw/units"
	"krdlab/krd/analysis/interleave/goroutines"
	"krdlab/krd/analysis/interleave/tasks"
	"krdlab/krd/doc"
	"krdlab/krd/plot"
	"krdlab/loi"
)

// View implements [analysis.Result].
func (x *ofGoroutines) View() *doc.Doc {
	d := x.document
	name := d.Program
	if name == "" {
		name = "a trace"
	}
	out := &doc.Doc{Title: "Reuse distances over schedules of " + name, Warnings: x.Warnings}
	of := ""
	if d.Recordings > 1 {
		of = fmt.Sprintf("Of %d recordings, the first with ", d.Recordings)
	}
	out.Say("%s%s; %s with %s between %s. All goroutines share one LRU stack. The accesses of a "+
		"piece follow each other, without one of another goroutine; the longest piece has %.3g %% of all.",
		of, units.Count(d.Goroutines, "goroutine"), units.Count(d.Pieces, "piece"),
		plural(d.Accesses), units.Count(d.Operations, "operation"),
		100*float64(d.Longest)/float64(d.Accesses))
	if d.CutAt > 0 {
		out.Say("Pieces of more than %s accesses are cut there.", units.Grouped(uint64(d.CutAt)))
	}
	if d.LeftOut > 0 {
		out.Say("%s more %s left out: unordered conflicts come before them, and another schedule may not make them.",
			units.Grouped(uint64(d.LeftOut)), map[bool]string{true: "is", false: "are"}[d.LeftOut == 1])
	}
	t := &doc.Table{Title: "range over schedules", Columns: []doc.Column{{Head: "of all accesses"},
		{Head: "least"}, {Head: d.recorded()}, {Head: "most"},
		{Head: "place, %", Kind: doc.Real, Unit: doc.PerCent, Known: true}}}
	for _, m := range x.measures() {
		least, most, recorded := whole(totals(d), &m)
		t.Row(m.head, m.text(least), m.text(recorded), m.text(most),
			placeOf(least, most, recorded))
	}
	if n := d.Outside; n != nil {
		t.Remarks = append(t.Remarks, fmt.Sprintf("%d of the %d recordings %s in the range of the others, in all numbers of "+
			"all objects.", d.Recordings-*n, d.Recordings, map[bool]string{true: "lies", false: "lie"}[d.Recordings-*n == 1]))
	}
	t.Remarks = append(t.Remarks, x.how(d)+" Place: where the recorded schedule lies between the least, 0, and the "+
		"most, 100.")
	out.Add(t)
	out.Add(x.rows("object", func(g *GoroutineGroup) []GoroutineFound { return g.Objects }))
	if g := &d.Groups[0]; len(g.Types) > 1 && len(g.Types) < len(g.Objects) {
		out.Add(x.rows("type", func(g *GoroutineGroup) []GoroutineFound { return g.Types }))
	}
	out.Add(x.rows("function", func(g *GoroutineGroup) []GoroutineFound { return g.Functions }))
	switch r := d.Unordered; {
	case r == nil:
		out.Say("Conflicts that no operation orders: n/a, for they need more --memory.")
	case len(r.Pairs) > 0:
		out.Add(x.unordered(r))
	case r.Orphans == 0:
		out.Say("Operations order all conflicts of the accesses that are observed; atomic operations are none of these.")
	}
	if r := d.Unordered; r != nil && r.Orphans > 0 {
		out.Say("%s are of goroutines whose start is not in the trace: whether that orders them "+
			"is not known.", units.Count(int(r.Orphans), "conflict"))
	}
	if t := kept(d); len(t.Rows) > 0 {
		out.Add(t)
	}
	return out
}

func plural(accesses int) string {
	if accesses == 1 {
		return "1 access"
	}
	return units.Grouped(uint64(accesses)) + " accesses"
}

// totals returns what each group has for all objects.
func totals(d *GoroutinesDocument) (list []GoroutineFound) {
	for i := range d.Groups {
		list = append(list, d.Groups[i].Total)
	}
	return list
}

// recorded returns the head of the column of the recorded schedules.
func (d *GoroutinesDocument) recorded() string {
	if d.Recordings > 1 {
		return "recorded, mean"
	}
	return "recorded"
}

// text prints a number of a measure for people.
func (m *measure) text(n doc.Number) string {
	switch {
	case !n.Known():
		return "n/a"
	case m.share:
		return fmt.Sprintf("%.3g %%", 100*n.Float())
	}
	return units.Bytes(uint64(n.Float()))
}

// how says what schedules the range is of.
func (x *ofGoroutines) how(d *GoroutinesDocument) string {
	runs, deadlocks, stuck, names := 0, 0, 0, ""
	for i := range d.Groups {
		if g := &d.Groups[i]; g.Kind != tasks.KindGiven {
			runs, deadlocks, stuck = runs+g.Runs, deadlocks+g.Deadlocks, stuck+g.Stuck
			if names != "" {
				names += " and "
			}
			names += g.Name
		}
	}
	s := fmt.Sprintf("The range is at least this wide: that of %s schedules drawn by %s.",
		units.Grouped(uint64(runs)), names)
	if d.Complete {
		s = fmt.Sprintf("All schedules of whole pieces were gone through, %s: the range is exact",
			units.Grouped(uint64(runs)))
		if d.Kept != (goroutines.Kept{}) {
			s += ", but for what is kept as recorded"
		}
		s += "."
	}
	if deadlocks > 0 {
		s += fmt.Sprintf(" %s more end in a deadlock.", units.Grouped(uint64(deadlocks)))
	}
	if stuck > 0 {
		s += fmt.Sprintf(" %s more cannot end with what is kept as recorded.", units.Grouped(uint64(stuck)))
	}
	return s
}

// mostRows is how many rows a table for people has.
const mostRows = 20

// rows returns the ranges of each object, type or function: of the ones with the most accesses.
func (x *ofGoroutines) rows(what string, of func(*GoroutineGroup) []GoroutineFound) *doc.Table {
	d := x.document
	t := &doc.Table{
		Title:   "by " + what + ": least, " + d.recorded() + " and most, or one number where they are the same",
		Columns: []doc.Column{{Head: what}, {Head: "accesses", Kind: doc.Whole}, {Head: "distances"}}}
	list := x.measures()
	for _, m := range []string{"mean distance", "beyond the L2, %", "beyond the " + x.cacheName() + ", %",
		"written since, %"} {
		t.Columns = append(t.Columns, doc.Column{Head: m})
	}
	by := map[string][]GoroutineFound{} // of the groups, in their order
	var names []string
	for i := range d.Groups {
		for _, f := range of(&d.Groups[i]) {
			if by[f.Name] == nil {
				names = append(names, f.Name)
			}
			by[f.Name] = append(by[f.Name], f)
		}
	}
	if n := len(names) - mostRows; n > 0 {
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(by[b][0].Accesses, by[a][0].Accesses) })
		names = names[:mostRows]
		t.Remarks = []string{units.Count(n, "more with fewer accesses") + ": --json"}
	}
	for _, name := range names {
		groups := by[name]
		low, high := doc.Number{}, doc.Number{}
		for i := range groups {
			low, high = either(low, groups[i].Least, math.Min), either(high, groups[i].Largest, math.Max)
		}
		distances := ""
		if low.Known() {
			distances = units.Bytes(uint64(low.Float())) + " to " + units.Bytes(uint64(high.Float()))
		}
		row := []any{name, groups[0].Accesses, distances}
		for i := range list {
			m := &list[i]
			least, most, recorded := whole(groups, m)
			text := func(n doc.Number) string { return strings.TrimSuffix(m.text(n), " %") }
			cell := text(least)
			if least != most {
				cell = strings.Join([]string{cell, text(recorded), text(most)}, ", ")
			}
			row = append(row, cell)
		}
		t.Row(row...)
	}
	return t
}

// mostConflicts is how many pairs the table for people has.
const mostConflicts = 10

// unordered returns the most frequent conflicts that another schedule may turn round.
func (x *ofGoroutines) unordered(r *Unordered) *doc.Table {
	t := &doc.Table{Title: "conflicts that no operation orders: another schedule may read another value",
		Columns: []doc.Column{{Head: "object"}, {Head: "do"}, {Head: "first, as recorded"}, {Head: "then"},
			{Head: "unordered", Kind: doc.Whole}, {Head: "ordered by locks alone", Kind: doc.Whole}}, Foot: true}
	for _, p := range r.Pairs[:min(len(r.Pairs), mostConflicts)] {
		t.Row(p.Object, string(p.Does), p.First, p.Then, p.Unordered, p.ByLocks)
	}
	t.Row("all", "", "", "", r.Conflicts, r.ByLocks)
	if slices.Contains(x.header.Meta, loi.KV{Key: "unit", Value: "line"}) {
		t.Remarks = []string{"Data are lines of 64 bytes, and other bytes of a line count as well: recorded with " +
			"--unit datum, they are apart."}
	}
	return t
}

// kept returns what is kept as recorded.
func kept(d *GoroutinesDocument) *doc.Table {
	t := &doc.Table{Title: "kept as recorded, though another schedule may do otherwise",
		Columns: []doc.Column{{Head: "what"}, {Head: "times", Kind: doc.Whole}}}
	k := &d.Kept
	for _, row := range []struct {
		what string
		n    int
	}{{"channels with several senders or receivers: who receives what", k.Channels},
		{"selects: the case that was chosen", k.Selects},
		{"atomic variables that several goroutines use: the order of writes, and which one each read sees", k.Atomics},
		{"sync.Once of several goroutines: who runs the function", k.Onces},
		{"conditions: who is woken by whom", k.Signals},
		{"operations whose partner is not in the trace: they wait for none", k.Unmatched},
		{"constraints that contradict the recorded run: they are dropped", k.Contradicted},
		{"goroutines that had not ended: what they did is in all schedules", k.Unended},
	} {
		if row.n > 0 {
			t.Row(row.what, row.n)
		}
	}
	if d.Recordings == 1 && strings.HasPrefix(d.Program, "go ") {
		t.Remarks = []string{"Other recordings keep other orders: krdlab explore go --recordings 5 finds the range of " +
			"them all."}
	}
	return t
}

// Tables implements [analysis.Data].
func (x *ofGoroutines) Tables() []*doc.Table {
	t := doc.NewData("ranges", "by", "name", "accesses", "schedules", "kind", "runs", "deadlocks", "stuck", "measure",
		"minimum", "mean", "maximum")
	kinds(t, doc.Text, doc.Text, doc.Whole, doc.Text, doc.Text, doc.Whole, doc.Whole, doc.Whole, doc.Text)
	for i := range x.document.Groups {
		g := &x.document.Groups[i]
		for _, list := range []struct {
			by   string
			rows []GoroutineFound
		}{{"all", []GoroutineFound{g.Total}}, {"object", g.Objects}, {"type", g.Types}, {"function", g.Functions}} {
			for _, f := range list.rows {
				row := func(key string, r *MeasureRange) {
					t.Row(list.by, f.Name, f.Accesses, g.Name, string(g.Kind), g.Runs, g.Deadlocks, g.Stuck, key, r.Minimum,
						r.Mean, r.Maximum)
				}
				row("reuses", &f.Reuses)
				for _, m := range x.measures() {
					row(m.key, m.of(&f))
				}
			}
		}
	}
	return []*doc.Table{t}
}

// Draw implements [analysis.Drawn]: the range of each measure that is a share, by group.
func (x *ofGoroutines) Draw(w io.Writer, format string) error {
	d := x.document
	f := &plot.Figure{ID: "explore", Title: "Range over schedules of " + d.Program, Columns: 1,
		Caption: []string{x.how(d)}}
	for _, m := range x.measures() {
		if !m.share {
			continue
		}
		p := plot.Panel{Title: m.head, Kind: plot.Lines, X: plot.Axis{Min: -1, Max: float64(len(d.Groups)),
			Turned: true}}
		s := plot.NewSeries("mean, least to most", 0)
		most := 0.0
		for i := range d.Groups {
			g := &d.Groups[i]
			p.X.Ticks = append(p.X.Ticks, plot.Tick{Value: float64(i), Label: g.Name})
			if r := m.of(&g.Total); r.Mean.Known() {
				share := func(n doc.Number) float64 { return 100 * n.Float() }
				most = max(most, share(r.Maximum))
				s.Points = append(s.Points, plot.Point{X: float64(i), At: g.Name, Y: doc.Some(share(r.Mean)), N: g.Runs,
					Low: doc.Some(share(r.Minimum)), High: doc.Some(share(r.Maximum)), Apart: true})
			}
		}
		if p.Y = plot.PercentAxis("accesses [%]", most); len(s.Points) > 0 {
			p.Series = append(p.Series, s)
			f.Panels = append(f.Panels, p)
		}
	}
	return f.Write(w, format)
}
