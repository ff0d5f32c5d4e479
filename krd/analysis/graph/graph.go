// Package graph is the analysis `graph`: work, span and parallelism of a task-parallel run, with the
// bounds that a greedy scheduler keeps, and its graph drawn with repeated shapes folded.
//
// Work is the time of all kernels, span that of the longest path: the children of a phase could all
// run at once, and phases follow each other. Both are of kernels alone, as they took in this run; what
// the runtime does is not in them. The burdened span (Cilkview: He, Leiserson and Leiserson, SPAA
// 2010) has a burden at each spawn and each continuation of a path: at a child of a phase with at
// least two, and behind such a phase. A phase with one child is a call.
package graph

import (
	"fmt"
	"math"
	"time"

	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/hw/units"
	"krdlab/krd"
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
		"graph), their quotient, the parallelism, and the times between which a greedy scheduler " +
		"finishes. The burdened span has what a spawn and a continuation cost on its path.\n" +
		"The graph is drawn with tasks of the same shape as one node.",
	Example: "  krdlab run matmul --n 1024 --trace full,tasks --out traced\n" +
		"  krdlab graph traced\n  krdlab graph traced --unit kernels --plot graph.svg",
	Formats: []string{"svg", "dot"},
	Options: func() any { return &Options{Unit: unitTime} },
	Needs:   analysis.Needs{Tasks: true},
	Begin:   begin,
}

// Options are the flags.
type Options struct {
	Unit   string `flag:"unit" choice:"time,kernels,pieces" help:"WHAT is counted: time of kernels, kernels, or pieces of code between spawns and joins"`
	Burden string `flag:"burden" want:"expected a time such as 5us" help:"what a spawn takes, and what a continuation does: a TIME such as 5us (default: the prices of the simulated machine that the trace names)"`
}

// The values of Options.Unit.
const (
	unitTime    = "time"
	unitKernels = "kernels"
	unitPieces  = "pieces"
)

// ErrBurden is wrapped by the error of a burden that is no time.
var ErrBurden = failure.New(failure.Request, "invalid burden")

// A sums is what is known of a task, of all that is below it.
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
	in       *analysis.Input
	unit     string // of Options
	spawn    uint64 // ticks
	resume   uint64
	priced   bool // spawn and resume are known
	builder  *dag.Builder[sums]
	shapes   *shapes
	tasks    uint64
	executed uint64
	first    int64
	last     int64
	any      bool
}

func begin(options any, in *analysis.Input) (analysis.Sink, error) {
	opt := options.(*Options)
	s := &sink{in: in, unit: opt.Unit, shapes: newShapes()}
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
		if s.unit != unitTime || h.Clock.Hz == 0 {
			return fmt.Errorf("--burden %s: %w: the graph is not in units of time, or the rate of the "+
				"trace's clock is not known", burden, ErrBurden)
		}
		s.spawn, s.priced = ticks(float64(d.Nanoseconds())), true
		s.resume = s.spawn
	case h.Substrate == loi.Simulated && s.unit == unitTime:
		if m, err := machine.ByName(h.Machine); err == nil {
			c := &m.Costs
			s.spawn = ticks(float64(c.SpawnPS+c.StealLocalPS) / 1e3)
			s.resume, s.priced = ticks(float64(c.StealLocalPS)/1e3), true
		}
	}
	return nil
}

// weight is what a piece counts for.
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

// Event implements [analysis.Sink].
func (s *sink) Event(e *loi.Event) error {
	if e.Type != loi.EventRecord {
		s.executed++
	}
	if !s.any {
		s.first, s.last, s.any = e.Start, e.End, true
	}
	s.first, s.last = min(s.first, e.Start), max(s.last, e.End)
	return s.builder.Event(e)
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
	Tasks               uint64     `json:"tasks"`
	Kernels             uint64     `json:"kernels"`
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
	Warnings   []string   `json:"warnings"`
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
}

// End implements [analysis.Sink].
func (s *sink) End() (analysis.Result, error) {
	v, err := s.builder.End()
	if err != nil {
		return nil, err
	}
	h := s.in.Header
	d := &Document{SchemaVersion: SchemaVersion, Unit: "ns", Tasks: s.tasks, Kernels: s.executed,
		Workers: len(h.Workers), Warnings: []string{}}
	scale := 1.0
	switch {
	case s.unit != unitTime:
		d.Unit = s.unit
	case h.Clock.Hz == 0:
		d.Unit = "ticks"
	default:
		scale = 1e9 / h.Clock.Hz
	}
	if h.Unordered && h.Cores > 0 {
		d.Workers = h.Cores
	}
	of := func(ticks uint64) doc.Number { return doc.Some(float64(ticks) * scale) }
	work, span := float64(v.work), float64(v.longest) // the program's only phase does not end
	d.Work, d.Span = of(v.work), of(v.longest)
	if v.longest > 0 {
		d.Parallelism = doc.Some(work / span)
	}
	if s.priced && v.work > 0 {
		d.BurdenedSpan = of(v.burdenedChild)
		d.BurdenedParallelism = doc.Some(work / float64(v.burdenedChild))
	}
	if p := float64(d.Workers); v.work > 0 {
		d.LowerBound = doc.Some(max(work/p, span) * scale)
		d.UpperBound = doc.Some((work/p + (1-1/p)*span) * scale)
	}
	if s.unit == unitTime && s.any {
		d.Measured = doc.Some(float64(s.last-s.first) * scale)
	}
	for _, w := range s.in.Warnings {
		d.Warnings = append(d.Warnings, krd.Sentence(w))
	}
	d.Nodes, d.Edges, d.Folded = s.shapes.fold(s.shapes.root(&v.building), &h.Registry, scale)
	return &result{d, h}, nil
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
	if r.h.Kernel != "" {
		title += " of " + r.h.Kernel
	}
	if r.h.Scheduler != "" {
		title += ", " + r.h.Scheduler
	}
	if r.h.Substrate == loi.Simulated {
		title += ", SIMULATED"
	}
	out := &doc.Doc{Title: title, Warnings: d.Warnings}
	t := &doc.Table{Columns: []doc.Column{{Head: ""}, {Head: d.Unit, Kind: doc.Real},
		{Head: "what it is", Prose: true}}}
	if d.Unit == "ns" {
		t.Columns[1].Head = "time"
	}
	what := "the time of all kernels"
	if d.Unit == unitKernels || d.Unit == unitPieces {
		what = "all of them"
	}
	t.Row("work", r.amount(d.Work), what)
	t.Row("span", r.amount(d.Span), "that of the longest path: no schedule is shorter")
	t.Row("parallelism", ratio(d.Parallelism), "work / span: so many cores can be of use")
	if d.Unit != unitKernels && d.Unit != unitPieces && d.Work.Float() > 0 {
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
	if d.Measured.Known() {
		t.Row("measured", r.amount(d.Measured), "from the first stamp of the trace to the last")
	}
	if d.LowerBound.Known() {
		t.Row("lower bound", r.amount(d.LowerBound), fmt.Sprintf(
			"of any scheduler on %s: max(work / P, span)", units.Count(d.Workers, "core")))
		t.Row("upper bound", r.amount(d.UpperBound),
			"of a greedy one without overhead: work / P + (1 - 1 / P) span")
	}
	t.Row("tasks", units.Grouped(d.Tasks), "that have children")
	t.Row("kernels", units.Grouped(d.Kernels), "executions")
	out.Add(t)
	out.Add(r.table())
	return out
}
