package regions

import (
	"fmt"
	"slices"
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

// InMemory is where what a loop leaves differs.
const InMemory = "memory"

// A Tried is the result of the program's own execution of a loop in other orders.
type Tried struct {
	Orders []string `json:"orders"` // that were executed
	Result string   `json:"result"` // same, differs or not tried
	Why    string   `json:"why"`    // it was not; "": it was
	Looked int      `json:"looked"` // executions of the loop behind which memory was compared
	Aside  []string `json:"aside"`  // what is not the same each time, and not compared
	// Loose: numbers of floating point in memory are not compared, and printed ones up to rounding.
	Loose      bool        `json:"loose"`
	Difference *Difference `json:"difference"`
}

// A Difference is the first one between what the program does in the plain order and in another.
type Difference struct {
	Order string `json:"order"`
	In    string `json:"in"` // memory, stdout, stderr or exit
	// Place names the datum that differs in memory, behind the Instance-th execution of the loop,
	// from 1.
	Place    string `json:"place"`
	Instance int    `json:"instance"`
	Offset   int    `json:"offset"` // bytes before it
	Line     int    `json:"line"`   // from 1 on
	Plain    string `json:"plain"`  // that line
	Found    string `json:"found"`
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
	d.recommend()
}

// recommend finds the loops of the plan, in place of those that were found before.
func (d *Document) recommend() {
	before, opt := d.Findings, d.opt
	if opt == nil { // it was made of a plan alone
		opt = Analysis.New().(*Options)
	}
	d.Concluded = doc.Concluded{}
	d.Conclude()
	for i := range d.Plan {
		p := &d.Plan[i]
		d.Conclude(doc.Find(parallelPays, p.Speedup, opt.PlanCores).About(p.Path[len(p.Path)-1]))
	}
	d.Conclude(slices.DeleteFunc(before, func(f doc.Finding) bool { return f.Code == parallelPays })...)
}

// tried returns the results of trying loops; nil: it was not asked for.
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
			switch all++; {
			case x.Result == NotTried:
				not++
			case x.Difference == nil:
				orders, what = x.Orders, x.compared()
			default:
				if orders, what = x.Orders, x.Difference.String(); len(list[i].Removed) > 0 {
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
	t.Title += ": a check, and no proof. What the loop leaves in memory, what the program prints and its exit " +
		"code are compared with the plain order. A loop that differs is struck from the plan."
	t.Remarks = []string{fmt.Sprintf("%d of %s could not be tried (%.0f %%)", not,
		units.Count(all, "loop"), 100*float64(not)/float64(all))}
	return t
}

// compared names the data compared.
func (x *Tried) compared() string {
	what := "memory behind " + units.Count(x.Looked, "execution")
	if x.Loose {
		what += ", floating point only as it is printed"
	}
	if len(x.Aside) > 0 {
		what += "; not " + strings.Join(x.Aside, ", ") + ", which are not the same twice"
	}
	return what
}

// String returns the difference in a line.
func (x *Difference) String() string {
	switch {
	case x.In == InMemory:
		return fmt.Sprintf("%s: %s is %s, not %s, behind execution %d", x.Order, x.Place, x.Found, x.Plain,
			x.Instance)
	case x.Line == 0:
		return fmt.Sprintf("%s: %s %s, not %s", x.Order, x.In, x.Found, x.Plain)
	}
	return fmt.Sprintf("%s: %s, byte %d, line %d: %q, not %q", x.Order, x.In, x.Offset, x.Line, x.Found,
		x.Plain)
}
