// Package analysis defines an analysis of traces: a name, options, what it needs of a trace, and a
// receiver of events. Analyses themselves are packages below this one; the table of them is package
// analyses. See docs/adding-an-analysis.md.
//
//	trace -> Ordered -> Sink -> Result -> View
package analysis

import (
	"context"
	"fmt"
	"io"
	"slices"

	"krdlab/hw/failure"
	"krdlab/krd"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// An Analysis is one line of the table.
type Analysis struct {
	Name    string   // of its command, a word
	Summary string   // one line
	Long    string   // what it computes, and from what; for help
	Example string   // command lines, each indented by two spaces
	Formats []string // of pictures, as the ends of names of files, svg among them; results are [Drawn]
	// Options returns a pointer to a new struct with the defaults, whose fields are the flags of the
	// command: string, bool, int, uint64, float64 or []string. Tags: `flag:"name" help:"what it
	// does"`, where a word in capitals stands for the value; of a string `choice:"a,b"`, the values
	// that it may have, or `want:"expected ..."`, for the error where it is given no text;
	// `with:"name"` where it has an effect only with that flag. nil: there are none.
	Options func() any
	// Check, if not nil, returns what is wrong with the options, before any work.
	Check func(options any) error
	// Suits, if not nil, returns what is wrong with the options for a trace, as far as its header
	// tells: it is asked before the rest of a trace is read.
	Suits func(options any, h *loi.Header) error
	// Tables, if not nil, returns the names of the tables that results with these options may have as
	// data: another is refused before any work.
	Tables func(options any) []string
	// Draws, if not nil, reports whether results with these options are [Drawn].
	Draws func(options any) bool
	Needs Needs
	// Regions, if not nil, reports that the options ask for events of regions too.
	Regions func(options any) bool
	// Begin returns what takes the events of a trace. options is what Options returned, set.
	Begin func(options any, in *Input) (Sink, error)
	// Live, if not nil, returns what takes a Go program while it runs, without a trace of it. Regions
	// are appended to in.Header.Registry.Regions as they first begin.
	Live func(options any, in *Input) (Live, error)
	// Values, if not "", is what the analysis finds beside in a trace with operations, which a flag then
	// asks for in the place of Live; for help.
	Values string
	// Iterations, if not nil, reports that Live is to be told of the regions of iterations too. It costs
	// loops that come as one.
	Iterations func(options any) bool
	// Trace, in the place of Begin, goes through a trace by itself: for an analysis that needs several
	// passes, or a stream of each node side by side.
	Trace func(ctx context.Context, options any, t *loi.Trace, in *Input) (Result, error)
	// Read, if not nil, looks at a file that Reads names, in the place of a trace.
	Read  func(options any, r io.Reader) (Result, error)
	Reads Reads
	// All, beside Trace, looks at the traces of a run together.
	All func(ctx context.Context, options any, list []*loi.Trace, in *Input) (Result, error)
	// Section, if not nil, returns the options of the section of a report.
	Section func() any
	// Paths, if not nil, returns the options of a further section, of traces that have regions and
	// name the size of the LLC.
	Paths func() any
	// Together, if not nil, returns what people see of several traces at once: its Document is not
	// asked for, a nil View says that each is seen by itself, and so does a nil Result.
	Together func([]Result) Result
}

// Reads is what [Analysis].Read reads.
type Reads int

const (
	// ReadsDistances: the reuse distances that `krdlab krd --json` or `krdlab trace go --json` printed.
	ReadsDistances Reads = iota
	// ReadsText: programs that are texts, which any file is that is no trace.
	ReadsText
)

// Needs are what an analysis wants to be told.
type Needs struct {
	Accesses bool `json:"accesses"` // what kernels read and write: a trace without any is refused
	Tasks    bool `json:"tasks"`    // task events: likewise
	Regions  bool `json:"regions"`  // events of regions: likewise
	// Scopes are tasks or regions: likewise.
	Scopes bool `json:"scopes,omitempty"`
	// Goroutines: events of goroutines do in the place of those of tasks
	Goroutines bool `json:"goroutines"`
	// Operations are those of the source that the trace tells of: likewise.
	Operations bool `json:"operations,omitempty"`
	// searches for work, steals and what else the runtime tells, where it is there
	Runtime bool `json:"runtime"`
	// ByWorker asks for one worker after the other in program order, instead of all in the order in
	// which kernels began.
	ByWorker bool `json:"by_worker"`
}

// WantsRegions reports whether a trace is to have events of regions, for these options.
func (a *Analysis) WantsRegions(options any) bool {
	return a.Needs.Regions || a.Needs.Scopes || a.Regions != nil && a.Regions(options)
}

// Events reports whether more than kernel executions is wanted.
func (n *Needs) Events() bool { return n.Tasks || n.Regions || n.Runtime }

// An Input is the trace that an analysis begins to look at.
type Input struct {
	Header *loi.Header
	// Warnings are what is doubtful about the trace, for the document of the result.
	Warnings []krd.Warning
	Time     doc.Number               // of the traced run in ns, where the caller knows it
	Progress func(done, total uint64) // of Analysis.Trace; may be nil
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
	// Loop takes iterations in each of which a worker makes the same accesses, each moved by as much as
	// in the one before.
	Loop(worker int, times uint64, accesses []Strided) error
	// Enter begins a region, which has this number; 0: there were 2^32 before it.
	Enter(worker int, region loi.RegionID, number uint32) error
	// Leave ends a region, and those within.
	Leave(worker int, number uint32) error
	// End is called once, when the program has ended.
	End() (Result, error)
}

// A Strided is an access of a loop: in iteration i, from 0, to the Bytes at Place + i Step.
type Strided struct {
	Place uint64
	Step  int64
	Bytes uint32
	Mode  loi.Mode
}

// A Result is what an analysis found. It may be [Drawn] and have [Data].
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

// A NeedError says what of a trace an analysis cannot do without.
type NeedError struct{ Analysis, What, Flag string }

func (e *NeedError) Error() string {
	return fmt.Sprintf("%s needs %s, and the trace has none; record them with krdlab run --trace %s",
		e.Analysis, e.What, e.Flag)
}

// Class implements [failure.Classed].
func (*NeedError) Class() failure.Class { return failure.Capability }

// Refuses returns what is known to be wrong with a trace by its header: a [*NeedError], or what Suits
// returns.
func (a *Analysis) Refuses(options any, h *loi.Header) error {
	if err := a.lacks(h); err != nil || a.Suits == nil {
		return err
	}
	return a.Suits(options, h)
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

// Run looks at t with all of the list, and returns a result for each: in one pass over t for those
// that share an order. Errors: a [*NeedError], a [*loi.LossError], those of [loi.Trace.Ordered], of
// the analyses, and of ctx.
func Run(ctx context.Context, t *loi.Trace, list []Asked, opt Options) ([]Result, error) {
	if loss := t.Loss(); loss.Total() > 0 && !opt.AllowLoss {
		return nil, loss
	}
	results, passes := make([]Result, len(list)), 0
	sinks := map[bool][]taker{} // by Needs.ByWorker
	// clipped, so that an analysis that appends a warning has it to itself
	in := Input{Header: &t.Header, Warnings: slices.Clip(krd.Doubts(t)), Time: opt.Time,
		Progress: opt.Progress, Looks: opt.Looks}
	for i, a := range list {
		if err := a.Lacks(t); err != nil {
			return nil, err
		}
		if a.Options == nil && a.Analysis.Options != nil {
			a.Options = a.Analysis.Options()
		}
		if err := a.Refuses(a.Options, &t.Header); err != nil {
			return nil, err
		}
		x := in
		if a.Trace != nil {
			r, err := a.Trace(ctx, a.Options, t, &x)
			if err != nil {
				return nil, err
			}
			results[i] = r
			continue
		}
		s, err := a.Begin(a.Options, &x)
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

// RunAll looks at several traces together with an analysis that has All. Errors are those of [Run].
func RunAll(ctx context.Context, list []*loi.Trace, a Asked, opt Options) (Result, error) {
	var doubts []krd.Warning
	for _, t := range list {
		if loss := t.Loss(); loss.Total() > 0 && !opt.AllowLoss {
			return nil, fmt.Errorf("%s: %w", t.Info().Path, loss)
		}
		if err := a.Lacks(t); err != nil {
			return nil, fmt.Errorf("%s: %w", t.Info().Path, err)
		}
		doubts = append(doubts, krd.Doubts(t)...)
	}
	if a.Options == nil && a.Analysis.Options != nil {
		a.Options = a.Analysis.Options()
	}
	if err := a.Refuses(a.Options, &list[0].Header); err != nil {
		return nil, err
	}
	return a.All(ctx, a.Options, list, &Input{Header: &list[0].Header, Warnings: doubts,
		Time:     opt.Time,
		Progress: opt.Progress, Looks: opt.Looks})
}

// A taker is a sink and what it takes.
type taker struct {
	Sink
	events bool
	result *Result
}

// checkEvery is how many events there are between two looks at the context.
const checkEvery = 1 << 16

// pass gives all events of t to the sinks, and ends them.
func pass(ctx context.Context, t *loi.Trace, byWorker bool, list []taker, p *loi.Progress) error {
	o := loi.Order{ByWorker: byWorker, AllowLoss: true, Progress: p}
	for _, s := range list {
		o.Events = o.Events || s.events
	}
	n := 0
	for e, err := range t.Ordered(o) {
		if err == nil && n%checkEvery == 0 {
			err = ctx.Err()
		}
		n++
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
