package loss

import (
	"fmt"
	"math"

	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// View returns what people read of the report.
func (r *Report) View() *doc.Doc {
	answers, limits := r.Apart()
	d := &doc.Doc{Warnings: limits}
	d.Add(doc.Paragraph{fmt.Sprintf("%s on %s of %s, SIMULATED; the schedule as it was, %s at most", r.Kernel,
		units.Count(r.Cores, "core"), r.Machine, units.Count(r.Repetitions, "repetition"))})
	d.Add(doc.Paragraph(answers))
	d.Add(r.shares())
	d.Add(r.parts())
	if t := r.pairs(); len(t.Rows) > 0 {
		d.Add(t)
	}
	d.Add(doc.Paragraph{"Of the time, %: what taking a cause away gives, on average over all orders in which the " +
		"five groups can be taken away (the value of Shapley). ideal: the serial run over the cores. parallelism: " +
		"the program's longest path is longer than that. rest: imbalance, and what each node fetches for itself. " +
		"serial too: what the memory costs the serial run, and is no loss. ideal and all shares, less serial too, " +
		"make the time."})
	return d
}

func (r *Report) shares() *doc.Table {
	t := &doc.Table{Name: "causes", Columns: []doc.Column{
		{Key: "scheduler", Head: "scheduler"},
		{Key: "time_ns", Head: "time", Kind: doc.Real, Unit: doc.Nanoseconds, Like: 1, Spread: doc.Reach, Ends: true},
		{Key: "ideal_ns", Head: "ideal", Kind: doc.Real, Unit: doc.Nanoseconds, Like: 1}}}
	share := func(key, head string) {
		t.Columns = append(t.Columns, doc.Column{Key: key + "_share", Head: head, Kind: doc.Real, Unit: doc.PerCent,
			Spread: doc.Below, Ends: true, Like: 2})
	}
	for _, g := range groups {
		head := g.key
		share(g.key, head)
	}
	share("parallelism", "parallelism")
	share("rest", "rest")
	share("serial_too", "serial too")
	for i := range r.Losses {
		l := &r.Losses[i]
		row := []any{l.Scheduler, l.TimeNS, l.IdealNS}
		for _, g := range l.Groups {
			row = append(row, g.Share)
		}
		t.Row(append(row, l.Parallel.Share, l.Rest.Share, l.Serial.Share)...)
	}
	return t
}

// parts has a row for each part of a group that was divided.
func (r *Report) parts() *doc.Table {
	t := &doc.Table{Name: "parts", Title: "What the groups consist of", Keys: 3, Columns: []doc.Column{
		{Key: "scheduler", Head: "scheduler"}, {Key: "group", Head: "group"}, {Key: "part", Head: "part or object"},
		{Key: "share", Head: "of the time, %", Kind: doc.Real, Unit: doc.PerCent, Ends: true, Like: 1},
		{Key: "least_share", Head: "least", Kind: doc.Real, Unit: doc.PerCent, Like: 1},
		{Key: "most_share", Head: "most, by order", Kind: doc.Real, Unit: doc.PerCent, Like: 1}}}
	for i := range r.Losses {
		l := &r.Losses[i]
		for _, g := range l.Groups {
			if !(math.Abs(g.Share.Median.Float()) >= partsFrom) {
				continue
			}
			t.Row(l.Scheduler, g.Key, "", g.Share, g.Least, g.Most)
			for _, p := range append(g.Parts, g.Objects...) {
				t.Row(l.Scheduler, g.Key, word(p.Key), p.Share, "", "")
			}
		}
	}
	return t
}

func (r *Report) pairs() *doc.Table {
	t := &doc.Table{Name: "pairs", Title: "Costs that need two causes: taking either away gives them back", Keys: 3,
		Columns: []doc.Column{{Key: "scheduler", Head: "scheduler"}, {Key: "group", Head: "group"},
			{Key: "with", Head: "with"}, {Key: "shared_share", Head: "of the time, %", Kind: doc.Real,
				Unit: doc.PerCent, Spread: doc.Below, Ends: true}}}
	for i := range r.Losses {
		for _, p := range r.Losses[i].Pairs {
			t.Row(r.Losses[i].Scheduler, p.Groups[0], p.Groups[1], p.Shared)
		}
	}
	return t
}
