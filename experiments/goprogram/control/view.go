package control

import (
	"fmt"
	"strings"

	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// Failed returns how many runs ended neither as most did nor with another output.
func (d *Document) Failed() (runs int) {
	for i := range d.Ends {
		if e := &d.Ends[i]; e.Kind != Ended && e.Kind != Output {
			runs += e.Runs
		}
	}
	return runs
}

// Document implements [analysis.Result].
func (d *Document) Document() any { return d }

// View implements [analysis.Result].
func (d *Document) View() *doc.Doc {
	out := &doc.Doc{Title: "Ends of " + d.Program + " under schedules", Warnings: d.Warnings}
	drawn := "drawn by " + units.List(d.Policies)
	if d.Complete {
		drawn = fmt.Sprintf("gone through, which are all with the random numbers of seed %d and choices at %s", d.Seed,
			map[string]string{AtSync.String(): "operations by which goroutines wait alone", AtAtomics.String(): "atomics too",
				AtAccesses.String(): "accesses too"}[d.Preempt])
	}
	out.Say("%s %s, in %s of goroutines; a run has at most %s and %s at which several goroutines could go on.",
		units.Count(d.Schedules, "schedule"), drawn, units.Count(d.Orders, "distinct order"),
		units.Count(int(d.Steps), "operation"), units.Count(int(d.Choices), "choice"))
	out.Add(d.table(""))
	again := &doc.Table{Title: "again", Columns: []doc.Column{{Head: "end"}, {Head: "command"}}}
	for i := range d.Ends {
		if e := &d.Ends[i]; e.Kind != Ended {
			again.Row(string(e.Kind), e.Command)
		}
	}
	if len(again.Rows) > 0 {
		out.Add(again)
	}
	if d.Schedules == 1 && len(again.Rows) > 0 {
		for line := range strings.Lines(d.Ends[0].Text) {
			out.Say("%s", strings.TrimRight(line, "\n"))
		}
	}
	return out
}

// Tables implements [analysis.Data].
func (d *Document) Tables() []*doc.Table { return []*doc.Table{d.table("ends")} }

func (d *Document) table(name string) *doc.Table {
	t := &doc.Table{Name: name, Columns: []doc.Column{{Head: "end"}, {Head: "what"}, {Head: "runs", Kind: doc.Whole},
		{Head: "sampler"}, {Head: "seed", Kind: doc.Whole}, {Head: "choices", Kind: doc.Whole},
		{Head: "needed", Kind: doc.Whole}}, Keys: 2}
	if name == "" {
		t.Remarks = []string{"Sampler, seed and choices are of the run with the fewest choices. Needed: with the first " +
			"so many of these, each goroutine goes on until it waits, and the end is the same."}
	}
	for i := range d.Ends {
		e := &d.Ends[i]
		what, needed := e.What, any(nil)
		if e.Outputs > 1 {
			what = fmt.Sprintf("%s and %d more", what, e.Outputs-1)
		}
		if e.Needed >= 0 {
			needed = e.Needed
		}
		t.Row(string(e.Kind), what, e.Runs, e.Policy, e.Seed, e.Choices, needed)
	}
	return t
}
