package loss

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// View returns what people read of the report.
func (r *Report) View() *doc.Doc {
	answers, limits := r.Apart()
	d := &doc.Doc{Warnings: limits}
	if r.Measured {
		d.Add(doc.Paragraph{fmt.Sprintf("%s on %s of %s, measured in %s at most", r.Kernel,
			units.Count(r.Cores, "core"), r.Machine, units.Count(r.Repetitions, "repetition"))})
		d.Add(doc.Paragraph(answers))
		d.Add(r.shares([]string{"idle", "scheduling", "inflation", "serial too"}))
		d.Add(doc.Paragraph{"Of the time, %: ideal, the serial run over the cores, and all shares, less what the serial " +
			"run has beside its work (serial too), make the time."})
		return d
	}
	d.Add(doc.Paragraph{fmt.Sprintf("%s on %s of %s, SIMULATED; the schedule unchanged, %s at most", r.Kernel,
		units.Count(r.Cores, "core"), r.Machine, units.Count(r.Repetitions, "repetition"))})
	d.Add(doc.Paragraph(answers))
	heads := []string{}
	for _, g := range groups {
		heads = append(heads, g.key)
	}
	d.Add(r.shares(append(heads, "parallelism", "rest", "serial too")))
	d.Add(r.parts())
	if t := r.pairs(); len(t.Rows) > 0 {
		d.Add(t)
	}
	d.Add(doc.Paragraph{"Of the time, %: what taking a cause away gives, on average over all orders in which the " +
		"five groups can be taken away (the value of Shapley). ideal: the serial run over the cores. parallelism: " +
		"the program's longest path is longer than that. rest: imbalance, and what each core and node fetches for itself. " +
		"serial too: what the memory costs the serial run, and is no loss. ideal and all shares, less serial too, " +
		"make the time."})
	return d
}

// shares returns a table with a row for each scheduler, and a column for each share.
func (r *Report) shares(heads []string) *doc.Table {
	t := &doc.Table{Name: "causes", Columns: []doc.Column{
		{Key: "scheduler", Head: "scheduler"},
		{Key: "time_ns", Head: "time", Kind: doc.Real, Unit: doc.Nanoseconds, Like: 1, Spread: doc.Reach, Ends: true},
		{Key: "ideal_ns", Head: "ideal", Kind: doc.Real, Unit: doc.Nanoseconds, Like: 1}}}
	for _, head := range heads {
		key := strings.ReplaceAll(head, " ", "_")
		t.Columns = append(t.Columns, doc.Column{Key: key + "_share", Head: head, Kind: doc.Real, Unit: doc.PerCent,
			Spread: doc.Below, Ends: true, Like: 2})
	}
	for i := range r.Losses {
		l := &r.Losses[i]
		row := []any{l.Scheduler, l.TimeNS, l.IdealNS}
		for _, g := range l.Groups {
			row = append(row, g.Share)
		}
		if !r.Measured {
			row = append(row, l.Parallel.Share, l.Rest.Share)
		}
		t.Row(append(row, l.Serial.Share)...)
	}
	return t
}

// parts returns a table with a row for each part of a group that was divided.
func (r *Report) parts() *doc.Table {
	t := &doc.Table{Name: "parts", Title: "What the groups consist of", Keys: 3, Columns: []doc.Column{
		{Key: "scheduler", Head: "scheduler"}, {Key: "group", Head: "group"}, {Key: "part", Head: "part or object"},
		{Key: "share", Head: "of the time, %", Kind: doc.Real, Unit: doc.PerCent, Ends: true, Like: 1},
		{Key: "least_share", Head: "least", Kind: doc.Real, Unit: doc.PerCent, Like: 1},
		{Key: "most_share", Head: "most, by order", Kind: doc.Real, Unit: doc.PerCent, Like: 1}}}
	free := len(r.Losses) > 0 && len(r.Losses[0].Groups) > 0 && r.Losses[0].Groups[0].Free != nil
	if free {
		t.Columns = append(t.Columns, doc.Column{Key: "free_share", Head: "free", Kind: doc.Real, Unit: doc.PerCent,
			Ends: true, Like: 1})
	}
	for i := range r.Losses {
		l := &r.Losses[i]
		for _, g := range append(slices.Clone(l.Groups), l.Rest) {
			if !(math.Abs(g.Share.Median.Float()) >= partsFrom) && g.Free == nil {
				continue
			}
			row := []any{l.Scheduler, g.Key, "", g.Share, g.Least, g.Most}
			if g.Key == l.Rest.Key {
				row = []any{l.Scheduler, g.Key, "", g.Share, "", ""}
			}
			if free {
				row = append(row, "")
			}
			if g.Free != nil {
				row[len(row)-1] = *g.Free
			}
			t.Row(row...)
			for _, p := range append(g.Parts, g.Objects...) {
				row := []any{l.Scheduler, g.Key, word(p.Key), p.Share, "", ""}
				if free {
					row = append(row, "")
				}
				t.Row(row...)
			}
		}
	}
	return t
}

func (r *Report) pairs() *doc.Table {
	t := &doc.Table{Name: "pairs", Keys: 3,
		Title: "Costs of two causes: above 0, taking either away gives them back; below 0, only both",
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
