package report

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"krdlab/experiments/dataset"
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

// warnings returns those of all results, and of the topologies that they ran on, each once. Texts that differ in numbers only count as one.
func warnings(e *dataset.Experiment) []warning {
	var all []warning
	index := map[string]int{}
	add := func(text, where string) {
		key := numberless(text)
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
		add(n, "the experiment")
	}
	for i := range e.Cells {
		c := &e.Cells[i]
		for _, t := range c.Result.Warnings {
			add(t, where(c))
		}
		if k := c.Result.KRD; k != nil {
			for _, t := range k.Warnings {
				add(t, where(c))
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
				add("topology: "+text, "cell "+c.ID)
			}
		}
	}
	return all
}

var number = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)

// numberless is a text with its numbers replaced.
func numberless(s string) string { return number.ReplaceAllString(s, "N") }

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
	return fmt.Sprint(list(sorted(set)))
}
