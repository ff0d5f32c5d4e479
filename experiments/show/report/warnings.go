package report

import (
	"fmt"
	"maps"
	"slices"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/hw/units"
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
func warnings(e *dataset.Experiment) []warning {
	var all []warning
	type key struct {
		code result.Code
		text string // where there is no code
	}
	index := map[key]int{}
	add := func(code result.Code, text, where string) {
		key := key{code, text}
		if code != result.Text {
			key.text = ""
		}
		i, ok := index[key]
		if !ok {
			i = len(all)
			index[key] = i
			all = append(all, warning{Text: text})
		}
		w := &all[i]
		w.Count++
		w.Other = w.Other || text != w.Text
		switch {
		case slices.Contains(w.Where, where):
		case len(w.Where) < maxWhere:
			w.Where = append(w.Where, where)
		default:
			w.More++
		}
	}
	for _, n := range e.Notes {
		add(result.Text, n, "the experiment")
	}
	for i := range e.Cells {
		c := &e.Cells[i]
		for n, text := range c.Result.Warnings {
			code := result.Text
			if n < len(c.Result.WarningCodes) {
				code = c.Result.WarningCodes[n].Code
			}
			add(code, text, where(c))
		}
		if k := c.Result.KRD; k != nil {
			for n, text := range k.Warnings {
				code := result.Text
				if n < len(k.WarningCodes) {
					code = result.Code("krd " + k.WarningCodes[n].Code)
				}
				add(code, text, where(c))
			}
		}
	}
	seen := map[string]bool{}
	for i := range e.Cells {
		c := &e.Cells[i]
		if c.Manifest == nil || seen[c.ID] {
			continue
		}
		seen[c.ID] = true
		if t := c.Manifest.Topology; t != nil {
			for _, text := range t.Warnings {
				add(result.Text, "topology: "+text, "cell "+c.ID)
			}
		}
	}
	return all
}

// sorted returns the words of a set.
func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

func keys(counts map[string]int) map[string]bool {
	set := map[string]bool{}
	for k := range counts {
		set[k] = true
	}
	return set
}

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
