package activity

import (
	"maps"
	"slices"

	"krdlab/krd/doc"
)

// maxWorkerRows is the number of workers beyond which the view has a row for each node instead, as
// in `krdlab run`.
const maxWorkerRows = 48

const (
	noIdle   = doc.Missing("the trace has no searches for work")
	noSteals = doc.Missing("the trace has neither steals nor searches for work")
	noCPU    = doc.Missing("pinned to no CPU")
)

// View implements [analysis.Result].
func (r *Result) View() *doc.Doc {
	d := r.sum()
	v := &doc.Doc{Title: "What each worker did", Warnings: d.Warnings}
	v.Add(d.table(len(d.Workers) > maxWorkerRows))
	return v
}

// Tables implements [analysis.Data]: workers have rows even where the view has nodes.
func (r *Result) Tables() []*doc.Table { return []*doc.Table{r.sum().table(false)} }

// table returns a table with a row for each worker or node, and the sum.
func (d *Document) table(byNode bool) *doc.Table {
	what := "worker"
	if d.Recorders {
		what = "recorder"
	}
	whole := func(key, head string) doc.Column {
		return doc.Column{Key: key, Head: head, Kind: doc.Whole}
	}
	times := func(name string) []doc.Column {
		return []doc.Column{
			{Key: name + "_ns", Head: name, Kind: doc.Real, Unit: doc.Nanoseconds},
			{Key: name + "_share", Head: name + ", %", Kind: doc.Real, Unit: doc.Fraction, Known: true}}
	}
	t := &doc.Table{Name: "workers", Foot: len(d.Workers) > 1}
	if byNode {
		t.Name = "nodes"
		t.Columns = []doc.Column{whole("node", "node"), whole(what+"s", what+"s")}
	} else {
		t.Columns = []doc.Column{whole(what, what), whole("cpu", "CPU"), whole("node", "node")}
	}
	t.Columns = slices.Concat(t.Columns, []doc.Column{whole("kernels", "kernels")}, times("work"),
		times("idle"), []doc.Column{whole("steals_local", "steals, local"),
			whole("steals_remote", "remote")})
	if d.TimeNS.Known() {
		t.Title = "The repetition took " + doc.Time(d.TimeNS) + ". "
	}
	t.Title += "From the trace: kernel executions and their time, time from the beginning of a " +
		"search for work to its end or that of the run, successful steals. Scheduling is the rest " +
		"of the time. `krdlab trace export --format perfetto` draws the same slices."
	if byNode {
		nodes, workers := map[int]*Activity{}, map[int]int{}
		for i := range d.Workers {
			w := &d.Workers[i]
			if nodes[w.Node] == nil {
				nodes[w.Node] = &Activity{}
			}
			nodes[w.Node].add(&w.Activity)
			workers[w.Node]++
		}
		for _, n := range slices.Sorted(maps.Keys(nodes)) {
			t.Row(append([]any{n, workers[n]}, d.cells(nodes[n], workers[n])...)...)
		}
		t.Row(append([]any{"all", len(d.Workers)}, d.cells(&d.All, len(d.Workers))...)...)
		return t
	}
	for i := range d.Workers {
		w := &d.Workers[i]
		var cpu any = noCPU
		if w.CPU >= 0 {
			cpu = w.CPU
		}
		t.Row(append([]any{i, cpu, w.Node}, d.cells(&w.Activity, 1)...)...)
	}
	if t.Foot {
		t.Row(append([]any{"all", "", ""}, d.cells(&d.All, len(d.Workers))...)...)
	}
	return t
}

// cells returns the cells of an activity of so many workers: counts are int64.
func (d *Document) cells(a *Activity, workers int) []any {
	share := func(ns int64) any {
		if !d.TimeNS.Known() || d.TimeNS.Float() <= 0 {
			return nil
		}
		return doc.Some(float64(ns) / (d.TimeNS.Float() * float64(workers)))
	}
	row := []any{a.Kernels, doc.Some(float64(a.WorkNS)), share(a.WorkNS)}
	if a.Idle == nil {
		row = append(row, noIdle, noIdle)
	} else {
		row = append(row, doc.Some(float64(a.Idle.TimeNS)), share(a.Idle.TimeNS))
	}
	if a.Steals == nil {
		return append(row, noSteals, noSteals)
	}
	return append(row, a.Steals.Local, a.Steals.Remote)
}
