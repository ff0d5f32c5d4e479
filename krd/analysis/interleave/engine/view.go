package engine

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// View returns the result for people.
func (r *Result) View() *doc.Doc {
	d := &doc.Doc{Title: "Reuse distances over interleavings, " + r.Method, Warnings: r.Warnings}
	if r.Depth > 0 {
		d.Title += fmt.Sprintf(" of depth %d", r.Depth)
	}
	inputs := ""
	if r.Inputs > 1 {
		inputs = ", with " + units.Count(r.Inputs, "choice") + " of inputs"
	}
	if r.Runs > 0 {
		d.Say("%s drawn%s, %v deadlocked; distances in objects", units.Count(r.Runs, "run"),
			inputs, r.Deadlocks)
	} else {
		word := "interleavings"
		if r.Interleavings.String() == "1" {
			word = word[:len(word)-1]
		}
		d.Say("%v %s%s; distances in objects", r.Interleavings, word, inputs)
	}
	if r.Runs == 0 && r.Deadlocks.Sign() > 0 {
		d.Say("%v more deadlock, and are in nothing else", r.Deadlocks)
	}
	if r.Deadlock != nil {
		d.Say("one that deadlocks: threads %s", strings.Join(r.Deadlock, " "))
	}
	d.Add(r.Table())
	return d
}

// orderings returns their number, with a note where it is a bound.
func orderings(g *Guarantee) any {
	if g.Exact {
		return g.Orderings
	}
	return doc.Noted{Value: g.Orderings, Note: "at most so many: fewer were not ruled out"}
}

// Table returns a table with a row for each distance of each object.
func (r *Result) Table() *doc.Table {
	t := &doc.Table{Name: "distances", Keys: 2, Columns: []doc.Column{
		{Key: "object", Head: "object"}, {Key: "distance", Head: "distance"},
		{Key: "count", Head: "accesses"},
		{Key: "probability", Head: "share, %", Kind: doc.Real, Unit: doc.PerCent},
		{Key: "interleavings", Head: "interleavings with it", Known: true},
		{Key: "largest", Head: "as the largest", Known: true}}}
	if r.Runs > 0 {
		t.Columns = t.Columns[:5]
		t.Columns[4].Key, t.Columns[4].Head = "runs", "runs with it"
		for _, key := range []string{"run", "run_low", "run_high", "low", "high"} {
			t.Columns = append(t.Columns, doc.Column{Key: key, Head: map[string]string{
				"run": "of runs, %"}[key], Kind: doc.Real, Unit: doc.PerCent, Data: key != "run"})
		}
	}
	guaranteed := slices.ContainsFunc(r.Objects, func(o Object) bool {
		return len(o.Distances) > 0 && o.Distances[0].Guarantee != nil
	})
	if guaranteed {
		t.Columns = append(t.Columns, doc.Column{Key: "orderings", Head: "orderings", Kind: doc.Whole},
			doc.Column{Key: "orderings_exact", Kind: doc.Truth, Data: true},
			doc.Column{Key: "bound", Head: "bound", Kind: doc.Real},
			doc.Column{Key: "runs", Head: "runs for 95 %", Kind: doc.Real},
			doc.Column{Key: "pct_depth", Head: "PCT from depth", Kind: doc.Whole},
			doc.Column{Key: "pct_probability", Head: "and then, %", Kind: doc.Real, Unit: doc.PerCent},
			doc.Column{Key: "walk_probability", Head: "random walk, %", Kind: doc.Real,
				Unit: doc.PerCent, Known: true})
		t.Remarks = []string{"Orderings: the least number that guarantees the distance; bound: the " +
			"probability 1/(n k^(orderings-1)) of a run of PCT of that depth, and the runs that it asks " +
			"for; the least depth of PCT that has the distance, and its probability; that of a random " +
			"walk."}
	}
	for i := range r.Objects {
		o := &r.Objects[i]
		for _, x := range o.Distances {
			distance, reached := fmt.Sprint(x.Distance), any(nil)
			if x.Distance == first {
				distance = "INF"
			}
			if x.Reached != nil {
				reached = x.Reached.String()
			}
			row := []any{o.Name, distance, x.Count.String(), doc.Some(x.Probability), reached}
			if r.Runs == 0 {
				largest := any(nil)
				if x.Largest != nil {
					largest = x.Largest.String()
				}
				row = append(row, largest)
			}
			if x.Run != nil {
				row = append(row, doc.Some(x.Run.Probability), doc.Some(x.Run.Low), doc.Some(x.Run.High),
					doc.Some(*x.Low), doc.Some(*x.High))
			}
			if g := x.Guarantee; g != nil {
				row = append(row, orderings(g), g.Exact, doc.Some(g.Bound), doc.Some(g.Runs))
				depth, probability, walk := any(nil), any(nil), any(nil)
				if g.PCTDepth != nil {
					depth, probability = *g.PCTDepth, doc.Some(*g.PCTProbability)
				}
				if g.Walk != nil {
					walk = doc.Some(*g.Walk)
				}
				row = append(row, depth, probability, walk)
			}
			t.Row(row...)
		}
		if len(o.Distances) == 0 {
			t.Row(o.Name, doc.Missing("no interleaving that ends accesses it"))
		}
	}
	return t
}
