package regions

import (
	"fmt"
	"strings"

	"krdlab/hw/units"
	"krdlab/krd/analysis/loops"
	"krdlab/krd/doc"
)

// Results of a trial.
const (
	Same     = "same"
	Differs  = "differs"
	NotTried = "not tried"
)

// A Tried is what came of it that the program itself executed a loop in other orders.
type Tried struct {
	Orders     []string    `json:"orders"` // that were executed
	Result     string      `json:"result"` // same, differs or not tried
	Why        string      `json:"why"`    // it was not; "": it was
	Difference *Difference `json:"difference"`
}

// A Difference is the first one between what the program does in the plain order and in another.
type Difference struct {
	Order  string `json:"order"`
	In     string `json:"in"`     // stdout, stderr or exit code
	Offset int    `json:"offset"` // bytes before it
	Line   int    `json:"line"`   // from 1 on
	Plain  string `json:"plain"`  // that line
	Found  string `json:"found"`
}

// Try takes what came of trying the first loops of the plan, in its order: those that differ are
// struck from it.
func (d *Document) Try(list []Tried) {
	var rest []Planned
	together := 0.0
	for i := range d.Plan {
		p := d.Plan[i]
		if i < len(list) {
			p.Tried = &list[i]
		}
		if p.Tried != nil && p.Tried.Result == Differs {
			d.Struck = append(d.Struck, p)
			continue
		}
		together += p.saved
		p.Together = p.all / (p.all - together)
		rest = append(rest, p)
	}
	if d.Plan = rest; rest == nil {
		d.Plan = []Planned{}
	}
}

// tried is what came of trying loops; nil: it was not asked for.
func (d *Document) tried() *doc.Table {
	t := doc.NewTable(1, "loop", "result", "what")
	t.Columns[1].Kind, t.Columns[2].Kind = doc.Text, doc.Text
	var orders []string
	not, all := 0, 0
	for _, list := range [][]Planned{d.Struck, d.Plan} {
		for i := range list {
			x := list[i].Tried
			if x == nil {
				continue
			}
			what := x.Why
			if all++; x.Result == NotTried {
				not++
			} else if orders = x.Orders; x.Difference != nil {
				if what = x.Difference.String(); len(list[i].Removed) > 0 {
					what += "; with " + loops.Words(list[i].Removed)
				}
			}
			t.Row(list[i].Path[len(list[i].Path)-1], x.Result, what)
		}
	}
	if all == 0 {
		return nil
	}
	t.Title = "Loops that the program itself executed in other orders"
	if len(orders) > 0 {
		t.Title += " (" + strings.Join(orders, ", ") + ")"
	}
	t.Title += ": a check, and no proof. What it prints and its exit code are compared with those of the " +
		"plain order; memory is not. What differs is struck from the plan."
	t.Remarks = []string{fmt.Sprintf("%d of %s could not be tried (%.0f %%)", not,
		units.Count(all, "loop"), 100*float64(not)/float64(all))}
	return t
}

// String tells it in a line.
func (x *Difference) String() string {
	if x.Line == 0 {
		return fmt.Sprintf("%s: %s %s, not %s", x.Order, x.In, x.Found, x.Plain)
	}
	return fmt.Sprintf("%s: %s, byte %d, line %d: %q, not %q", x.Order, x.In, x.Offset, x.Line, x.Found,
		x.Plain)
}
