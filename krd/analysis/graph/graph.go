// Package graph implements the analysis `graph`: it computes work, span and parallelism of a
// task-parallel run, with the bounds that a greedy scheduler keeps, and draws its graph with
// repeated shapes folded.
//
// Work is the time of all kernels, span that of the longest path: the children of a phase could all
// run at once, and phases follow each other. Both are of kernels alone, as they took in this run;
// the runtime's own time is not in them. The burdened span (Cilkview: He, Leiserson and Leiserson,
// SPAA 2010) has a burden at each spawn and each continuation of a path: at a child of a phase with
// at least two, and behind such a phase. A phase with one child is a call.
//
// Where the trace has accesses, package races finds the data path and the races; else nothing but the
// tasks that are alive is held.
package graph

import (
	"context"
	"fmt"
	"math"
	"time"

	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/hw/units"
	"krdlab/krd/analysis"
	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/loi/dag"
)

// Analysis is the line of the table.
var Analysis = &analysis.Analysis{
	Name:    "graph",
	Summary: "Work, span and parallelism of a run from its task events, and its graph folded",
	Long: "Compute work (the time of all kernels), span (that of the longest path of the task " +
		"graph), their quotient, the parallelism, and bounds on the time of a greedy scheduler. The " +
		"burdened span adds the cost of spawns and continuations on its path. The graph is drawn " +
		"with tasks of the same shape as one node. Where kernels record their accesses, the data " +
		"path is the longest chain of kernels that read data of the one before, and a race is data " +
		"that two kernels touch, one of them writing, without a spawn or sync that orders them. " +
		"Where goroutines recorded the operations by which they wait for each other, it also shows " +
		"who waited for whom, and the share of each in the longest path.",
	Example: "  krdlab run matmul --n 1024 --trace full,tasks --out traced\n" +
		"  krdlab graph traced\n  krdlab graph traced --unit kernels --plot graph.svg",
	Needs: analysis.Needs{Tasks: true, Goroutines: true},
	New:   func() any { return &Options{} },
}

// Options are the flags.
type Options struct {
	Unit   string `flag:"unit" choice:"time,kernels,pieces" help:"WHAT is counted: time of kernels, kernels, or pieces of code between spawns and joins; of goroutines time on the thread, accesses, or pieces between operations (default: time, of goroutines with accesses kernels)"`
	Burden string `flag:"burden" want:"expected a time such as 5us" help:"what a spawn takes, and what a continuation does: a TIME such as 5us (default: the prices of the simulated machine that the trace names)"`
}

// Formats implements [analysis.Formatted].
func (*Options) Formats() []string { return []string{"svg", "dot"} }

// TableNames implements [analysis.Tabled].
func (*Options) TableNames() []string { return []string{"graph", "waits", "path", "begun", "races"} }

// Suits implements [analysis.Suited].
func (o *Options) Suits(h *loi.Header) error {
	return (&sink{in: &analysis.Input{Header: h}, unit: o.Unit}).price(o.Burden)
}

// The values of Options.Unit.
const (
	unitTime    = "time"
	unitKernels = "kernels"
	unitPieces  = "pieces"

	unitAccesses = "accesses" // how kernels are called where goroutines run them
)

// ErrBurden is wrapped by the error of a burden that is no time.
var ErrBurden = failure.New(failure.Request, "invalid burden")

// ErrMixed is wrapped by the error of a trace with events of tasks and of goroutines.
var ErrMixed = failure.New(failure.Data, "the trace has events of tasks and of goroutines")

// A sums holds the sums over a task and all that is below it.
type sums struct {
	work, own     uint64 // own: without what is below
	span          uint64 // of the phases that have ended
	longest       uint64 // of a child of the present phase
	burdened      uint64 // span
	burdenedChild uint64
	children      int // of the present phase that have ended
	building
}

// sink adds up.
type sink struct {
	in      *analysis.Input
	unit    string // of Options
	spawn   uint64 // ticks
	resume  uint64
	priced  bool   // spawn and resume are known
	burden  string // of Options
	builder *dag.Builder[sums]
	// nil as soon as there are events of tasks, and builder if there are some of goroutines
	goroutines *dag.GoroutineBuilder
	shapes     *shapes
	tasks      uint64
	executed   uint64
	first      int64
	last       int64
	any        bool
}

// Trace implements [analysis.OverTrace]. There is a second pass, for races, where tasks have accesses.
func (o *Options) Trace(ctx context.Context, t *loi.Trace, in *analysis.Input) (analysis.Result,
	error) {
	s, err := begin(o, in)
	if err != nil {
		return nil, err
	}
	for e, err := range analysis.Ordered(ctx, t, loi.Order{Events: true, AllowLoss: true,
		Progress: loi.NewProgress(t, 1, in.Progress)}) {
		if err == nil {
			err = s.event(e)
		}
		if err != nil {
			return nil, err
		}
	}
	r, err := s.end()
	if err == nil && r.d.Goroutines == nil {
		err = s.data(ctx, t, r.d)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

func begin(opt *Options, in *analysis.Input) (*sink, error) {
	s := &sink{in: in, unit: opt.Unit, burden: opt.Burden, shapes: newShapes(),
		goroutines: dag.NewGoroutines(in.Header)}
	if err := s.price(opt.Burden); err != nil {
		return nil, err
	}
	s.builder = dag.New(in.Header, dag.Fold[sums]{Begin: s.begin, Child: s.child, Phase: s.phase})
	return s, nil
}

// price finds what a spawn and a continuation take. A spawn that is stolen costs a task and a steal,
// a continuation that goes on elsewhere a steal: [costs] of the machine's file.
func (s *sink) price(burden string) error {
	h := s.in.Header
	ticks := func(ns float64) uint64 { return uint64(math.Round(ns * h.Clock.Hz / 1e9)) }
	switch {
	case burden != "":
		d, err := time.ParseDuration(burden)
		if err != nil || d < 0 {
			return fmt.Errorf("--burden %s: %w; expected a time such as 5us", burden, ErrBurden)
		}
		if !s.timed() || h.Clock.Hz == 0 {
			return fmt.Errorf("--burden %s: %w: the graph is not in units of time, or the rate of the "+
				"trace's clock is not known", burden, ErrBurden)
		}
		s.spawn, s.priced = ticks(float64(d.Nanoseconds())), true
		s.resume = s.spawn
	case h.Substrate == loi.Simulated && s.timed():
		if m, err := machine.ByName(h.Machine); err == nil {
			c := &m.Costs
			s.spawn = ticks(float64(c.SpawnPS+c.StealLocalPS) / 1e3)
			s.resume, s.priced = ticks(float64(c.StealLocalPS)/1e3), true
		}
	}
	return nil
}

// timed reports whether times are counted, of tasks.
func (s *sink) timed() bool { return s.unit == unitTime || s.unit == "" }

// weight returns the weight of a piece.
func (s *sink) weight(p *dag.Piece) uint64 {
	switch s.unit {
	case unitKernels:
		return p.Kernels
	case unitPieces:
		return 1
	}
	return p.Ticks
}

func (s *sink) begin(v *sums, t *dag.Task) {
	w := s.weight(&t.Begin)
	if t.ID == 0 {
		w = 0 // nobody ran the program itself
	}
	v.work, v.own, v.span, v.burdened = w, w, w, w
	v.piece(&t.Begin)
}

func (s *sink) child(v *sums, _ *dag.Task, c *dag.Child[sums]) {
	var x sums
	var shape int
	if c.Task != nil {
		s.tasks++
		x = *c.Value
		shape = s.shapes.task(&x.building, x.own)
	} else {
		w := s.weight(&c.Piece)
		x.work, x.span, x.burdened = w, w, w
		shape = s.shapes.piece(&c.Piece, w)
	}
	v.work += x.work
	v.longest, v.burdenedChild = max(v.longest, x.span), max(v.burdenedChild, x.burdened)
	v.children++
	v.add(shape, s.shapes.list[shape].height)
}

func (s *sink) phase(v *sums, _ *dag.Task, after dag.Piece) {
	w := s.weight(&after)
	v.work += w
	v.own += w
	v.span += v.longest + w
	v.burdened += v.burdenedChild + w
	if v.children > 1 {
		v.burdened += s.spawn + s.resume
	}
	v.longest, v.burdenedChild, v.children = 0, 0, 0
	v.endPhase(&after)
}

// event takes the next event.
func (s *sink) event(e *loi.Event) error {
	if e.Type != loi.EventRecord {
		s.executed++
	}
	if !s.any {
		s.first, s.last, s.any = e.Start, e.End, true
	}
	s.first, s.last = min(s.first, e.Start), max(s.last, e.End)
	tasks, goroutines := isTasks(e), isGoroutines(e)
	if tasks && s.builder == nil || goroutines && s.goroutines == nil {
		return fmt.Errorf("worker %d, tick %d: %w", e.Worker, e.Start, ErrMixed)
	}
	if goroutines && s.burden != "" {
		return fmt.Errorf("--burden %s: %w: goroutines have no spawns and continuations that would "+
			"cost the same each time", s.burden, ErrBurden)
	}
	if tasks {
		s.goroutines = nil
	} else if goroutines {
		s.builder = nil
	}
	if s.builder != nil {
		if err := s.builder.Event(e); err != nil {
			return err
		}
	}
	if s.goroutines != nil {
		return s.goroutines.Event(e)
	}
	return nil
}

// isTasks reports whether an event is of the structure of tasks.
func isTasks(e *loi.Event) bool {
	if e.Type != loi.EventRecord {
		return false
	}
	k := e.Record.Event
	return k == loi.EventTask || k == loi.EventChild || k == loi.EventPhase
}

// SchemaVersion is the version of [Document].
const SchemaVersion = 1

// A Document is the JSON form of a result. Times are in Unit: ns, or ticks of a clock whose rate is
// not known, or kernels or pieces of code.
type Document struct {
	SchemaVersion       int        `json:"schema_version"`
	Unit                string     `json:"unit"`
	Work                doc.Number `json:"work"`
	Span                doc.Number `json:"span"`
	Parallelism         doc.Number `json:"parallelism"`   // unknown where the span is 0
	BurdenedSpan        doc.Number `json:"burdened_span"` // unknown without prices
	BurdenedParallelism doc.Number `json:"burdened_parallelism"`
	// DataPath is the longest chain of kernels in which each reads data that one before it wrote;
	// DataParallelism is work / that. Unknown in pieces, of goroutines and without accesses.
	DataPath        doc.Number `json:"data_path"`
	DataParallelism doc.Number `json:"data_parallelism"`
	Tasks           uint64     `json:"tasks"`
	Kernels         uint64     `json:"kernels"`
	// from the first stamp of the trace to the last; unknown in kernels and pieces
	Measured doc.Number `json:"measured"`
	// between which a greedy scheduler on Workers cores finishes: max(work / P, span), and
	// work / P + (1 - 1 / P) span (Graham 1966; Brent 1974)
	LowerBound doc.Number `json:"lower_bound"`
	UpperBound doc.Number `json:"upper_bound"`
	Workers    int        `json:"workers"`
	Folded     bool       `json:"folded"` // nodes of different shapes were put together
	Nodes      []Node     `json:"nodes"`
	Edges      []Edge     `json:"edges"`
	Races      *Races     `json:"races"` // nil: of goroutines, or there are no accesses
	doc.Concluded
	// of a trace of goroutines, whose nodes are those that ran the same first, and whose edges count
	// how often one started the other, or let it go on when it waited
	Goroutines *Goroutines `json:"goroutines,omitempty"`
}

// A Node is tasks, or pieces of code that are no tasks, of the same shape.
type Node struct {
	Task     bool       `json:"task"`
	Count    uint64     `json:"count"`
	Kernels  uint64     `json:"kernels"`  // of their own, and not of their children
	Kernel   string     `json:"kernel"`   // one of these; "": none
	Phases   int        `json:"phases"`   // of each
	Children float64    `json:"children"` // of each, on average
	Work     doc.Number `json:"work"`     // of their own code, all together
	// Depth is the length of the longest path from the program.
	Depth int `json:"depth"`
}

// An Edge is that tasks of a node have children of another: Count in all.
type Edge struct {
	From  int    `json:"from"`
	To    int    `json:"to"`
	Count uint64 `json:"count"`
	// of goroutines; Count is how often one waited
	Starts uint64 `json:"starts,omitempty"`
}

// end makes the document.
func (s *sink) end() (*result, error) {
	d := &Document{SchemaVersion: SchemaVersion, Tasks: s.tasks, Kernels: s.executed,
		Workers: len(s.in.Header.Workers)}
	d.Conclude(s.in.Warnings...)
	if s.builder == nil {
		x := goroutineSink{sink: s, g: s.goroutines.End(), d: d}
		return x.end()
	}
	v, err := s.builder.End()
	if err != nil {
		return nil, err
	}
	d.Tasks = s.tasks
	if s.unit == "" {
		s.unit = unitTime
	}
	scale := s.scale(d)
	s.sums(d, v.work, v.longest, scale) // the program's only phase does not end
	if s.priced && v.work > 0 {
		d.BurdenedSpan = doc.Some(float64(v.burdenedChild) * scale)
		d.BurdenedParallelism = doc.Some(float64(v.work) / float64(v.burdenedChild))
	}
	d.Nodes, d.Edges, d.Folded = s.shapes.fold(s.shapes.root(&v.building), &s.in.Header.Registry,
		scale)
	return &result{d, s.in.Header}, nil
}

// tick returns the ns of a tick, or 1 where they are not known.
func (s *sink) tick() float64 {
	if hz := s.in.Header.Clock.Hz; hz != 0 {
		return 1e9 / hz
	}
	return 1
}

// scale sets the unit of d, and returns how many of them a weight is.
func (s *sink) scale(d *Document) float64 {
	switch {
	case s.unit != unitTime:
		d.Unit = s.unit
		return 1
	case s.in.Header.Clock.Hz == 0:
		d.Unit = "ticks"
	default:
		d.Unit = "ns"
	}
	return s.tick()
}

// sums sets what follows from work and span.
func (s *sink) sums(d *Document, w, longest uint64, scale float64) {
	h := s.in.Header
	if (h.Unordered || d.Goroutines != nil) && h.Cores > 0 {
		d.Workers = h.Cores
	}
	work, span := float64(w), float64(longest)
	d.Work, d.Span = doc.Some(work*scale), doc.Some(span*scale)
	if longest > 0 {
		d.Parallelism = doc.Some(work / span)
	}
	// workers that are goroutines are no cores
	if p := float64(d.Workers); w > 0 && (d.Goroutines == nil || h.Cores > 0) {
		d.LowerBound = doc.Some(max(work/p, span) * scale)
		d.UpperBound = doc.Some((work/p + (1-1/p)*span) * scale)
	}
	if s.unit == unitTime && s.any {
		d.Measured = doc.Some(float64(s.last-s.first) * scale)
	}
}

// result is a document with its views.
type result struct {
	d *Document
	h *loi.Header
}

// Document implements [analysis.Result].
func (r *result) Document() any { return r.d }

// amount prints a time or a number of kernels.
func (r *result) amount(n doc.Number) any {
	switch {
	case !n.Known():
		return nil
	case r.d.Work.Float() == 0 && n.Float() == 0:
		return doc.Missing("the run has no kernels; --unit pieces counts its pieces of code")
	case r.d.Unit == "ns":
		return doc.Time(n)
	}
	return units.Grouped(uint64(math.Round(n.Float())))
}

// ratio prints a parallelism.
func ratio(n doc.Number) any {
	switch {
	case !n.Known():
		return nil
	case n.Float() >= 1000:
		return units.Grouped(uint64(math.Round(n.Float())))
	}
	return doc.Digits(n.Float(), 4)
}

// View implements [analysis.Result].
func (r *result) View() *doc.Doc {
	d := r.d
	title := "Task graph"
	if r.d.Goroutines != nil {
		title = "Graph of goroutines"
	}
	if r.h.Kernel != "" {
		title += " of " + r.h.Kernel
	}
	if r.h.Scheduler != "" {
		title += ", " + r.h.Scheduler
	}
	if r.h.Substrate == loi.Simulated {
		title += ", SIMULATED"
	}
	answers, rest := d.Apart()
	out := &doc.Doc{Title: title, Warnings: rest}
	for _, s := range answers {
		out.Say("%s", s)
	}
	t := &doc.Table{Columns: []doc.Column{{Head: ""}, {Head: d.Unit, Kind: doc.Real},
		{Head: "what it is", Prose: true}}}
	if d.Unit == "ns" {
		t.Columns[1].Head = "time"
	}
	what := "the time of all kernels"
	counted := d.Unit == unitKernels || d.Unit == unitPieces || d.Unit == unitAccesses
	if counted {
		what = "all of them"
	} else if d.Goroutines != nil {
		what = "the time of all goroutines on their threads"
	}
	t.Row("work", r.amount(d.Work), what)
	t.Row("span", r.amount(d.Span), "that of the longest path: no schedule is shorter")
	t.Row("parallelism", ratio(d.Parallelism), "work / span: so many cores can be of use")
	if !counted && d.Goroutines == nil && d.Work.Float() > 0 {
		var burdened, bp any = doc.Missing("the prices of this machine are not known; --burden TIME " +
			"sets what a spawn takes, and a continuation"), nil
		if d.BurdenedSpan.Known() {
			burdened, bp = r.amount(d.BurdenedSpan), ratio(d.BurdenedParallelism)
		}
		t.Row("burdened span", burdened, "with a spawn and a continuation at each fork of the path")
		if bp != nil {
			t.Row("burdened parallelism", bp, "work / burdened span")
		}
	}
	if d.Goroutines == nil {
		r.dataRows(t)
	}
	if d.Measured.Known() {
		t.Row("measured", r.amount(d.Measured), "from the first stamp of the trace to the last")
	}
	if d.LowerBound.Known() {
		t.Row("lower bound", r.amount(d.LowerBound), fmt.Sprintf(
			"of any scheduler on %s: max(work / P, span)", units.Count(d.Workers, "core")))
		t.Row("upper bound", r.amount(d.UpperBound),
			"of a greedy one without overhead: work / P + (1 - 1 / P) span")
	}
	if g := d.Goroutines; g != nil {
		t.Row("goroutines", units.Grouped(g.Count), "in the trace")
		t.Row("operations", units.Grouped(g.Operations), "with starts and ends")
		t.Row(unitAccesses, units.Grouped(d.Kernels), "recorded")
		out.Add(t)
		if len(g.Begun) > 0 {
			out.Add(r.begunTable(false))
		}
		if len(g.Waits) > 0 {
			out.Add(r.Waits())
		} else if len(g.Begun) == 0 && g.Untold == 0 {
			out.Say("No goroutine waited for another.")
		}
		out.Add(r.pathTable(false))
		return out
	}
	t.Row("tasks", units.Grouped(d.Tasks), "that have children")
	t.Row("kernels", units.Grouped(d.Kernels), "executions")
	out.Add(t)
	if d.Races != nil && d.Races.Units > 0 {
		out.Add(r.raceTable())
	}
	out.Add(r.table())
	return out
}
