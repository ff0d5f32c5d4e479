package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// A warning is said once, however many results have it.
type warning struct {
	Text  string // as the first result has it
	Count int
	Where []string // which results; at most a few
	More  int      // beyond them
	Other bool     // the others differ in their numbers
}

const maxWhere = 6

// warnings returns those of all results, and of the topologies that they ran on, each once. Those
// of a result that have one code count as one.
func warnings(e *dataset.Experiment) (all []warning) {
	var list []doc.Finding
	add := func(where string, findings ...doc.Finding) {
		for _, f := range findings {
			list = append(list, f.About(where))
		}
	}
	for _, n := range e.Notes {
		add("the experiment", doc.Find(doc.Uncoded, n))
	}
	seen := map[string]bool{}
	for i := range e.Cells {
		c := &e.Cells[i]
		add(where(c), doc.Recorded(c.Result.Warnings, c.Result.WarningCodes)...)
		if k := c.Result.KRD; k != nil {
			add(where(c), doc.Recorded(k.Warnings, k.WarningCodes)...)
		}
		if c.Manifest == nil || c.Manifest.Topology == nil || seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		for _, text := range c.Manifest.Topology.Warnings {
			add("cell "+c.ID, doc.Find(doc.Uncoded, "topology: "+text))
		}
	}
	for _, x := range doc.ByCode(list) {
		n := min(len(x.Of), maxWhere)
		all = append(all, warning{x.Text, x.Count, x.Of[:n], len(x.Of) - n, x.Others > 0})
	}
	return all
}

// warned returns the section of warnings.
func warned(e *dataset.Experiment) *doc.Doc {
	d, list := section("warnings", "Warnings"), warnings(e)
	if len(list) == 0 {
		d.Say("No result has a warning.")
		return d
	}
	all, t := 0, doc.NewTable(1, "warning", "how many", "where")
	t.Columns[2].Kind = doc.Text
	t.Prose(0, 2)
	for _, x := range list {
		all += x.Count
		where := strings.Join(x.Where, "; ")
		if x.More > 0 {
			where += fmt.Sprintf("; and %d more", x.More)
		}
		if x.Other {
			where += "; the others have other numbers"
		}
		t.Row(x.Text, x.Count, where)
	}
	d.Add(&doc.Fold{Doc: doc.Doc{Title: fmt.Sprintf("%d of a kind, %d in all", len(list), all),
		Parts: []doc.Part{t}}})
	return d
}

// sorted returns the words of a set.
func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

func orUnknown(set map[string]bool) string {
	if len(set) == 0 {
		return "not known"
	}
	return fmt.Sprint(units.List(sorted(set)))
}
