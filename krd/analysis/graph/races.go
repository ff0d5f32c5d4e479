package graph

import (
	"context"
	"fmt"
	"math"

	"krdlab/hw/units"
	"krdlab/krd/analysis/races"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// Races are the races of executions: see package races. A unit is a block, or bytes of an address
// space that all accesses take whole.
type Races struct {
	Units uint64 `json:"units"`
	Bytes uint64 `json:"bytes"` // of them
	// List has a race for each unit, of the first 100 that one worker alone would meet.
	List []Race `json:"list"`
}

// A Race is two accesses to the same bytes; at least one is a write.
type Race struct {
	Bytes  uint64 `json:"bytes"`
	First  Access `json:"first"` // where one worker runs all
	Second Access `json:"second"`
}

// An Access is one by an execution of a kernel.
type Access struct {
	Kernel string `json:"kernel"`
	Mode   string `json:"mode"` // in, out or inout
	Object string `json:"object"`
	Place  string `json:"place"` // the block, as the text form of traces has it
	// Path leads from the root to the child: "/0:1/2:0" is child 0 of phase 2 of child 1 of phase 0.
	Path  string `json:"path"`
	Task  uint32 `json:"task"`  // its number in the trace, of the innermost one
	After *int   `json:"after"` // the phase that had ended in it; null: none
	// From the first stamp of the trace on, in ns, or in ticks of a clock whose rate is not known.
	Start  doc.Number `json:"start"`
	End    doc.Number `json:"end"`
	Worker int        `json:"worker"`
}

// data sets what follows from the accesses of a trace, if it has any.
func (s *sink) data(ctx context.Context, t *loi.Trace, d *Document) error {
	if !t.Accesses() {
		return nil
	}
	run, err := races.Read(ctx, t)
	if err != nil {
		return err
	}
	if s.unit != unitPieces {
		weigh, scale := run.Ticks, s.tick()
		if s.unit == unitKernels {
			weigh, scale = run.Calls, 1
		}
		d.DataPath = doc.Some(float64(run.DataPath(weigh)) * scale)
		if path := d.DataPath.Float(); path > 0 {
			d.DataParallelism = doc.Some(d.Work.Float() / path)
		}
	}
	found := run.Find()
	list, err := found.Describe()
	if err != nil {
		return err
	}
	d.Races = &Races{Units: found.Units, Bytes: found.Bytes, List: make([]Race, len(list))}
	for i := range list {
		x := &list[i]
		d.Races.List[i] = Race{x.Bytes, s.access(&x.First), s.access(&x.Second)}
	}
	if len(list) > 0 {
		x := d.Races.List[0]
		d.Conclude(doc.Find(raced, found.Units, x.First.Kernel, x.Second.Kernel).About(x.First.Place))
	}
	return nil
}

func (s *sink) access(a *races.Access) Access {
	at := func(ticks int64) doc.Number { return doc.Some(float64(ticks-s.first) * s.tick()) }
	x := Access{a.Kernel, a.Mode.String(), a.Object, a.Place, a.Path, a.Task, nil, at(a.Start), at(a.End),
		a.Worker}
	if a.After >= 0 {
		x.After = &a.After
	}
	return x
}

// dataRows adds what follows from accesses to the table of quantities.
func (r *result) dataRows(t *doc.Table) {
	d := r.d
	switch {
	case d.Races == nil:
		none := doc.Missing("the trace has no accesses of kernels")
		t.Row("data path", none, "the longest chain of kernels that read what one before wrote")
		t.Row("races", none, "what kernels touch that nothing orders, and one writes")
		return
	case !d.DataPath.Known():
		t.Row("data path", doc.Missing("pieces of code have no accesses; --unit time or kernels"),
			"the longest chain of kernels that read what one before wrote")
	default:
		t.Row("data path", r.amount(d.DataPath),
			"the longest chain of kernels that read what one before wrote")
		t.Row("data parallelism", ratio(d.DataParallelism), "work / data path")
	}
	what := "what kernels touch that nothing orders, and one writes"
	if d.Races.Units > 0 {
		what = fmt.Sprintf("%s, %s, that kernels touch that nothing orders, and one writes",
			units.Noun(d.Races.Units, "block"), units.Bytes(d.Races.Bytes))
	}
	t.Row("races", units.Grouped(d.Races.Units), what)
}

// raceTable returns the first races for people, two rows each. Kernels that write apart from each
// other in one block race by their declarations, and the title names the kind of accesses.
func (r *result) raceTable() *doc.Table {
	t := &doc.Table{Columns: []doc.Column{{Head: "race"}, {Head: "kernel"}, {Head: "does"},
		{Head: "to"}, {Head: "child", Prose: true}, {Head: "task", Kind: doc.Whole},
		{Head: "worker", Kind: doc.Whole}, {Head: "from"}}}
	t.Title = "Races: two accesses that no spawn or sync orders, of whole blocks, as the kernels " +
		"declare them. Child: phase:number of each task from the root on."
	list := r.d.Races.List
	if n := int(r.d.Races.Units) - shownRaces; n > 0 {
		t.Remarks = append(t.Remarks, fmt.Sprintf("and %s more; --csv=races and --json have %d",
			units.Grouped(uint64(n)), len(list)))
		list = list[:min(len(list), shownRaces)]
	}
	for i := range list {
		for k, a := range []*Access{&list[i].First, &list[i].Second} {
			var n any = i + 1
			if k > 0 {
				n = ""
			}
			t.Row(n, a.Kernel, a.Mode, a.Place, a.where(), a.Task, a.Worker, r.moment(a.Start))
		}
	}
	return t
}

// shownRaces is how many of them people see.
const shownRaces = 5

// pathWidth is how many letters of a path they see: it has 4 for each task around it.
const pathWidth = 24

// where returns the path of an access for people.
func (a *Access) where() string {
	path := units.Shorten(a.Path, pathWidth)
	if a.After != nil {
		return fmt.Sprintf("%s after phase %d", path, *a.After)
	}
	return path
}

// moment prints a time since the first stamp.
func (r *result) moment(n doc.Number) string {
	if r.h.Clock.Hz == 0 {
		return units.Grouped(uint64(math.Round(n.Float()))) + " ticks"
	}
	return doc.Time(n)
}

// raceData returns the races as data; nil if they are not known.
func (r *result) raceData() []*doc.Table {
	if r.d.Races == nil {
		return nil
	}
	t := &doc.Table{Name: "races", Keys: 2, Columns: []doc.Column{{Key: "race", Kind: doc.Whole},
		{Key: "access", Kind: doc.Whole}, {Key: "bytes", Kind: doc.Whole}, {Key: "kernel"}, {Key: "mode"},
		{Key: "object"}, {Key: "place"}, {Key: "path"}, {Key: "task", Kind: doc.Whole},
		{Key: "after", Kind: doc.Whole}, {Key: "worker", Kind: doc.Whole},
		{Key: "start_ns", Kind: doc.Real, Unit: doc.Nanoseconds},
		{Key: "end_ns", Kind: doc.Real, Unit: doc.Nanoseconds}}}
	if r.h.Clock.Hz == 0 {
		t.Columns[11], t.Columns[12] = doc.Column{Key: "start_ticks", Kind: doc.Real},
			doc.Column{Key: "end_ticks", Kind: doc.Real}
	}
	for i := range r.d.Races.List {
		x := &r.d.Races.List[i]
		for k, a := range []*Access{&x.First, &x.Second} {
			var after any
			if a.After != nil {
				after = *a.After
			}
			t.Row(i+1, k+1, x.Bytes, a.Kernel, a.Mode, a.Object, a.Place, a.Path, a.Task, after, a.Worker,
				a.Start, a.End)
		}
	}
	return []*doc.Table{t}
}
