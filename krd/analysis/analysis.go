// Package analysis defines an analysis of traces: a name, options, its needs of a trace, and a
// receiver of events. Analyses themselves are packages below this one; the table of them is package
// analyses. See docs/adding-an-analysis.md.
//
//	trace -> Ordered -> Sink -> Result -> View
package analysis

import (
	"context"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"

	"krdlab/hw/failure"
	"krdlab/krd"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// An Analysis is one line of the table.
type Analysis struct {
	Name    string // of its command, a word
	Summary string // one line
	Long    string // what it computes, and from what; for help
	Example string // command lines, each indented by two spaces
	Needs   Needs
	// New returns a pointer to a new struct, which implements [OverEvents] or [OverTrace], and what it
	// has of the optional interfaces. Its fields are the flags of the command, with their defaults:
	// string, bool, int, uint64, float64 or []string. Tags: `flag:"name" help:"what it does"`, where a
	// word in capitals stands for the value; of a string `choice:"a,b"`, the values that it may have, or
	// `want:"expected ..."`, for the error where it is given no text; `with:"name"` or
	// `with:"name value"` where it has an effect only with that flag, `not:"name"` where that flag
	// excludes it.
	New func() any
}

// OverEvents is an analysis that takes the events of a trace. Several share one pass.
type OverEvents interface {
	Begin(in *Input) (Sink, error)
}

// OverTrace is an analysis that reads a trace itself: in several passes, or as a stream of each node.
type OverTrace interface {
	Trace(ctx context.Context, t *loi.Trace, in *Input) (Result, error)
}

// OverTraces is an analysis that takes the traces of a run together.
type OverTraces interface {
	All(ctx context.Context, list []*loi.Trace, in *Input) (Result, error)
}

// Repeated is an [OverTraces] that takes several recordings of a Go program, so many unless asked otherwise.
type Repeated interface{ Recordings() int }

// OverProgram is an analysis that takes a Go program while it runs, without a trace of it.
type OverProgram interface {
	// Live begins. Regions are appended to in.Header.Registry.Regions as they first begin.
	Live(in *Input) (Live, error)
	// Values returns the help of the flag --values, with which a trace with operations is made
	// instead, where the analysis finds more in one; "": it does not.
	Values() string
}

// OverDistances is an analysis that takes the reuse distances that `krdlab krd --json` or
// `krdlab trace go --json` printed, in the place of a trace.
type OverDistances interface {
	ReadDistances(r io.Reader) (Result, error)
}

// Checked has options that may be wrong for any trace: the error comes before any work.
type Checked interface{ Check() error }

// Suited has options that may be wrong for a trace, by its header. The rest of the trace is not
// read yet.
type Suited interface{ Suits(h *loi.Header) error }

// Tabled lists the tables that results with these options may have as data: --csv with the name of
// another is refused before any work.
type Tabled interface{ TableNames() []string }

// Formatted has results that are [Drawn], in these formats, the ends of names of files, svg among
// them. If nothing is drawn with its options, it returns nil.
type Formatted interface{ Formats() []string }

// Recorded asks for regions to be recorded beside [Needs], and for those of iterations. These cost
// loops that come as one.
type Recorded interface {
	Records() (regions, iterations bool)
}

// Joined makes one result of those of several traces, for people: its Document is not asked for. A nil
// Result, or one with a nil View, leaves each to be printed by itself.
type Joined interface{ Together([]Result) Result }

// Sectioned returns the options of each section of a report about t, which is the first of several
// for [OverTraces].
type Sectioned interface{ Sections(t *loi.Trace) []any }

// contracts has a nil pointer to each interface that the result of New may implement.
var contracts = []any{(*OverEvents)(nil), (*OverTrace)(nil), (*OverTraces)(nil), (*OverProgram)(nil),
	(*OverDistances)(nil), (*Checked)(nil), (*Suited)(nil), (*Tabled)(nil),
	(*Follower)(nil), (*Formatted)(nil), (*Recorded)(nil), (*Repeated)(nil), (*Joined)(nil), (*Sectioned)(nil)}

// Fault returns the fault of the result of New: no pointer to a struct, a method that has a name of
// the interfaces and another signature, or not one of Begin and Trace.
func Fault(options any) error {
	t := reflect.TypeOf(options)
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("what New returned is %v: expected a pointer to a struct", t)
	}
	for _, p := range contracts {
		c := reflect.TypeOf(p).Elem()
		for m := range c.Methods() {
			if got, ok := t.MethodByName(m.Name); ok && !t.Implements(c) {
				return fmt.Errorf("%v has the method %s %v, and is no %v: expected %v", t, m.Name, got.Type,
					c, m.Type)
			}
		}
	}
	_, events := options.(OverEvents)
	if _, trace := options.(OverTrace); trace == events {
		return fmt.Errorf("%v has both Begin and Trace, or neither: expected one", t)
	}
	return nil
}

// Formats returns the formats of pictures, nil where there are none.
func (a *Analysis) Formats() []string {
	if f, ok := a.New().(Formatted); ok {
		return f.Formats()
	}
	return nil
}

// Sections returns the analysis with the options of each section of a report about t.
func (a *Analysis) Sections(t *loi.Trace) (list []Asked) {
	o := a.New()
	s, ok := o.(Sectioned)
	if !ok {
		return []Asked{{a, o}}
	}
	for _, o := range s.Sections(t) {
		list = append(list, Asked{a, o})
	}
	return list
}

// Needs are the parts of a trace that an analysis takes.
type Needs struct {
	Accesses bool `json:"accesses"` // what kernels read and write: a trace without any is refused
	Tasks    bool `json:"tasks"`    // task events: likewise
	Regions  bool `json:"regions"`  // events of regions: likewise
	// Scopes are tasks or regions: likewise.
	Scopes bool `json:"scopes,omitempty"`
	// Goroutines: events of goroutines do in the place of those of tasks
	Goroutines bool `json:"goroutines"`
	// Operations are those of the source that the trace has: likewise.
	Operations bool `json:"operations,omitempty"`
	// searches for work, steals and other events of the runtime, where the trace has them
	Runtime bool `json:"runtime"`
	// ByWorker asks for one worker after the other in program order, instead of all in the order in
	// which kernels began.
	ByWorker bool `json:"by_worker"`
}

// WantsRegions reports whether a trace is to have events of regions, for these options.
func (a *Analysis) WantsRegions(options any) bool {
	regions := a.Needs.Regions || a.Needs.Scopes
	if r, ok := options.(Recorded); ok && !regions {
		regions, _ = r.Records()
	}
	return regions
}

// Events reports whether more than kernel executions is wanted.
func (n *Needs) Events() bool { return n.Tasks || n.Regions || n.Runtime }

// An Input is the trace that an analysis begins to look at.
type Input struct {
	Header *loi.Header
	// Warnings are doubts about the trace, for the document of the result.
	Warnings []krd.Warning
	Time     doc.Number               // of the traced run in ns, where the caller has it
	Progress func(done, total uint64) // of [OverTrace]; may be nil
	// Looks returns the numbers of the looks of schedulers in figures, of a list of their names; may
	// be nil.
	Looks func(schedulers []string) []int
}

// A Sink takes the events of one trace.
type Sink interface {
	// Event takes the next event, which is valid until Event returns.
	Event(*loi.Event) error
	// End is called once, after the last event.
	End() (Result, error)
}

// A Live takes what a Go program does while it runs. Workers are its goroutines, numbered densely from
// 0. Slices are not kept.
type Live interface {
	// Accesses takes accesses of a worker that follow each other: so many bytes each at places in
	// virtual space, where each object begins on a line of 64 bytes and nothing is used twice.
	Accesses(worker int, places []uint64, bytes []uint32, modes []loi.Mode) error
	// Loop takes iterations in which a worker makes the same accesses, each moved by as much as in
	// the one before.
	Loop(worker int, times uint64, accesses []Strided) error
	// Enter begins a region, which has this number; 0: there were 2^32 before it.
	Enter(worker int, region loi.RegionID, number uint32) error
	// Leave ends a region, and those within.
	Leave(worker int, number uint32) error
	// End is called once, when the program has ended.
	End() (Result, error)
}

// Operated is a [Live] that takes operations of the source too. The accesses of a worker then come
// in the order of its operations, and no loops.
type Operated interface {
	Live
	// Operation takes an operation of the registry of [Input], done by a worker, with the terms of its
	// accesses since the operation before: see [loi.Record.Operation].
	Operation(worker int, n uint32, terms []uint32) error
	// Forget is for places, from one up to another, that nothing accesses again.
	Forget(from, to uint64)
}

// Follower is an [OverProgram] whose options may ask for operations while the program runs.
type Follower interface{ Follows() bool }

// A Strided is an access of a loop: in iteration i, from 0, to the Bytes at Place + i Step.
type Strided struct {
	Place uint64
	Step  int64
	Bytes uint32
	Mode  loi.Mode
}

// A Result holds the findings of an analysis. It may be [Drawn] and have [Data].
type Result interface {
	// Document is a struct that marshals to the JSON form, with "schema_version" and "warnings".
	Document() any
	// View is the document for people.
	View() *doc.Doc
}

// Drawn is a result with a picture.
type Drawn interface {
	Draw(w io.Writer, format string) error
}

// Saved is a result that a flag asks to be saved, in a form of its own. file is "" if it does not.
type Saved interface {
	Save() (flag, file string, write func(io.Writer) error)
}

// Data is a result whose tables as data are others than those of its view.
type Data interface{ Tables() []*doc.Table }

// An Asked is an analysis with its options.
type Asked struct {
	*Analysis
	Options any // nil: the defaults
}

// Options of [Run].
type Options struct {
	AllowLoss bool                       // take a trace from which records are missing too
	Time      doc.Number                 // as in Input
	Looks     func(names []string) []int // likewise
	Progress  func(done, total uint64)
}

// A NeedError names a part that a trace lacks and an analysis needs.
type NeedError struct{ Analysis, What, Flag string }

func (e *NeedError) Error() string {
	return fmt.Sprintf("%s needs %s, and the trace has none; record them with krdlab run --trace %s",
		e.Analysis, e.What, e.Flag)
}

// Class implements [failure.Classed].
func (*NeedError) Class() failure.Class { return failure.Capability }

// Refuses returns the fault of a trace that its header shows: a [*NeedError], or the error of
// Suits.
func (a *Analysis) Refuses(options any, h *loi.Header) error {
	if err := a.lacks(h); err != nil {
		return err
	}
	if s, ok := options.(Suited); ok {
		return s.Suits(h)
	}
	return nil
}

func (a *Analysis) lacks(h *loi.Header) error {
	if a.Needs.Operations && len(h.Registry.Operations) == 0 {
		return &NeedError{a.Name, "operations", "full, of a Go program with krdlab trace go --values"}
	}
	if a.Needs.Regions && len(h.Registry.Regions) == 0 {
		return &NeedError{a.Name, "events of regions", "full,regions"}
	}
	return nil
}

// Lacks returns a [*NeedError] if t has not what a needs. Cost: at most a quick look at each
// record.
func (a *Analysis) Lacks(t *loi.Trace) error {
	if a.Needs.Accesses && !t.Accesses() {
		return &NeedError{a.Name, "what kernels access", "full, of a kernel that says it"}
	}
	if a.Needs.Tasks && !t.Tells(loi.EventTask, loi.EventChild) &&
		!(a.Needs.Goroutines && t.Tells(loi.EventStart, loi.EventSync)) {
		flag := "full,tasks"
		if a.Needs.Goroutines {
			flag += ", or of a Go program with krdlab trace go --sync"
		}
		return &NeedError{a.Name, "task events", flag}
	}
	if err := a.lacks(&t.Header); err != nil {
		return err
	}
	if a.Needs.Scopes && !t.Tells(loi.EventTask, loi.EventChild, loi.EventRegion) {
		return &NeedError{a.Name, "events of tasks or regions", "full,tasks,regions, or of a Go " +
			"program with krdlab trace go --regions"}
	}
	if a.Needs.Regions && !t.Tells(loi.EventRegion) {
		return &NeedError{a.Name, "events of regions", "full,regions"}
	}
	return nil
}

// takes returns the fault of t, and sets options that are nil.
func (a *Asked) takes(t *loi.Trace, opt Options) error {
	if loss := t.Loss(); loss.Total() > 0 && !opt.AllowLoss {
		return loss
	}
	if err := a.Lacks(t); err != nil {
		return err
	}
	if a.Options == nil {
		a.Options = a.New()
	}
	return a.Refuses(a.Options, &t.Header)
}

// Run looks at t with all of the list, and returns a result for each: in one pass over t for those
// that share an order. Errors: a [*NeedError], a [*loi.LossError], those of [loi.Trace.Ordered], of
// the analyses, and of ctx.
func Run(ctx context.Context, t *loi.Trace, list []Asked, opt Options) ([]Result, error) {
	results, passes := make([]Result, len(list)), 0
	sinks := map[bool][]taker{} // by Needs.ByWorker
	// clipped, so that an analysis that appends a warning has it to itself
	in := Input{Header: &t.Header, Warnings: slices.Clip(krd.Doubts(t)), Time: opt.Time,
		Progress: opt.Progress, Looks: opt.Looks}
	for i, a := range list {
		if err := a.takes(t, opt); err != nil {
			return nil, err
		}
		x := in
		if o, ok := a.Options.(OverTrace); ok {
			r, err := o.Trace(ctx, t, &x)
			if err != nil {
				return nil, err
			}
			results[i] = r
			continue
		}
		s, err := a.Options.(OverEvents).Begin(&x)
		if err != nil {
			return nil, err
		}
		by := a.Needs.ByWorker
		if sinks[by] == nil {
			passes++
		}
		sinks[by] = append(sinks[by], taker{s, a.Needs.Events(), &results[i]})
	}
	progress := loi.NewProgress(t, passes, opt.Progress)
	for _, by := range []bool{false, true} {
		if sinks[by] == nil {
			continue
		}
		if err := pass(ctx, t, by, sinks[by], progress); err != nil {
			return nil, err
		}
	}
	return results, nil
}

// RunAll looks at several traces together with an analysis that is [OverTraces]. Errors are those of [Run].
func RunAll(ctx context.Context, list []*loi.Trace, a Asked, opt Options) (Result, error) {
	var doubts []krd.Warning
	for _, t := range list {
		if err := a.takes(t, opt); err != nil {
			return nil, fmt.Errorf("%s: %w", t.Info().Path, err)
		}
		doubts = append(doubts, krd.Doubts(t)...)
	}
	return a.Options.(OverTraces).All(ctx, list, &Input{Header: &list[0].Header, Warnings: doubts,
		Time: opt.Time, Progress: opt.Progress, Looks: opt.Looks})
}

// A taker is a sink and what it takes.
type taker struct {
	Sink
	events bool
	result *Result
}

// checkEvery is how many events there are between two looks at the context.
const checkEvery = 1 << 16

// Ordered works like [loi.Trace.Ordered] until ctx ends; the last error is then that of ctx.
func Ordered(ctx context.Context, t *loi.Trace, o loi.Order) iter.Seq2[*loi.Event, error] {
	return func(yield func(*loi.Event, error) bool) {
		n := 0
		for e, err := range t.Ordered(o) {
			if err == nil && n%checkEvery == 0 {
				err = ctx.Err()
			}
			if n++; !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// pass gives all events of t to the sinks, and ends them.
func pass(ctx context.Context, t *loi.Trace, byWorker bool, list []taker, p *loi.Progress) error {
	o := loi.Order{ByWorker: byWorker, AllowLoss: true, Progress: p}
	for _, s := range list {
		o.Events = o.Events || s.events
	}
	for e, err := range Ordered(ctx, t, o) {
		if err != nil {
			return err
		}
		for i := range list {
			if e.Type == loi.EventRecord && !list[i].events {
				continue
			}
			if err := list[i].Event(e); err != nil {
				return err
			}
		}
	}
	for i := range list {
		r, err := list[i].End()
		if err != nil {
			return err
		}
		*list[i].result = r
	}
	return nil
}
