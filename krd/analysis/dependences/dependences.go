// Package dependences is the analysis `dependences`: which loops of a program carry flow
// dependences, from which operation to which, and how far.
//
// It keeps a shadow of each datum in memory and of each slot of an activation: which operation
// wrote it last, and in which iterations. An operation that reads a place depends on that one. If
// both are in the same loop, entered once, and in other iterations of it, that loop carries the
// dependence; its distance is how many iterations are between, and so for the loops within, as far
// as they are the same in the source.
//
// Control dependences are those on conditions. One within an iteration is no dependence that is
// carried; the head of a loop depends on what decided in the iteration before that there is
// another. What was decided earlier than that has come through the head of that one.
//
// What a call passes is for the function that it names, or begins next (calls.go); dependences
// between goroutines, which are none that a loop carries, are kept apart (channels.go).
//
// Memory: a cell for each datum accessed, each iteration whose values are still there, and 64 bytes
// for each send and receive that an operation is of. Cost: a look-up in a map for each access and
// for each operand that is carried.
package dependences

import (
	"slices"

	"krdlab/hw/failure"
	"krdlab/krd/analysis"
	"krdlab/loi"
)

// Analysis is the line of the table.
var Analysis = &analysis.Analysis{
	Name:    "dependences",
	Summary: "Flow dependences that the loops of a Go program carry, with their distances",
	Long: "For each loop that was executed, list which operation depends on a value that another, " +
		"or itself, computed in an earlier iteration: through which variable or data, whether as " +
		"data or since it decides what is executed, how many iterations before, and how often. Those of " +
		"induction variables and reductions are marked. A loop without others can be executed in " +
		"any order. Dependences between goroutines are listed apart, those through channels if the " +
		"trace was made with --sync.",
	Example: "  krdlab trace go . --values --out program.loi && krdlab dependences program.loi\n" +
		"  krdlab dependences program.loi --without induction,reduction",
	Options: func() any { return &Options{} },
	Check:   check,
	Needs:   analysis.Needs{Regions: true, Operations: true},
	Begin:   begin,
}

// Options are the flags.
type Options struct {
	Without []string `flag:"without" help:"leave out these MARKS: induction, reduction"`
}

// ErrMark is wrapped by the error of an option that names no mark.
var ErrMark = failure.New(failure.Request, "no mark of dependences")

func check(options any) error {
	for _, w := range options.(*Options).Without {
		if w != loi.Induction.String() && w != loi.Reduction.String() {
			return failure.Errorf(failure.Request, "--without %s: %w; expected induction or reduction", w,
				ErrMark)
		}
	}
	return nil
}

// A place is a datum.
type place struct {
	object loi.ObjectID
	block  uint64
}

// A cell is who wrote a place last; the zero value is nobody that is known.
type cell struct {
	at        *node
	operation uint32 // 1 + its number
	value     uint16 // of the operation
	object    int32  // that it is part of; -1: a slot
	worker    int32  // that did the operation
}

// A touch is an access that no operation has claimed.
type touch struct {
	place
	before cell // what was there
	mode   loi.Mode
}

// An activation of a function has its slots.
type activation struct {
	recent
	slots     []cell
	pending   []touch
	calls     []*call // that are about to be made, the last of which is the next
	deferred  []*call
	returning bool   // it has done a return
	by        *call  // that began it; nil: not known
	results   []cell // of the function itself, as it returns
	returned  []cell // of the call without an operation that has returned
}

// A frame is a region that is open on a worker.
type frame struct {
	number uint32
	region loi.RegionID
	kind   loi.RegionKind
	node   *node        // of what is executed in it
	own    *activation  // of a function
	root   loi.RegionID // the function that the region stands in
	loop   uint64       // which of all loops that were entered
	count  int64        // of its iterations
}

// sink takes the events.
type sink struct {
	in         *analysis.Input
	opt        *Options
	memory     map[place]cell
	workers    [][]frame // innermost last; the first is a function that is always open
	entered    uint64
	loops      map[loi.RegionID]*loopCounts
	found      map[edge]*times
	kinds      map[edge]int // so many distances of each are kept apart
	order      []edge
	parameters map[loi.RegionID]int    // of functions that have some
	begun      map[loi.RegionID]*begun // those functions
	going      goroutines
	channels   channels
	between    map[crossing]uint64 // dependences between goroutines: how often each was met
	crossed    []crossing          // in the order in which they were met
}

// loopCounts are how often a loop was entered, and its iterations.
type loopCounts struct{ entered, iterations uint64 }

// An edge is a dependence of the source.
type edge struct {
	loop     loi.RegionID
	from, to uint32 // operations
	name     string // of the value in the source; "": it has none
	object   int32
	control  bool
	mark     loi.Mark
	distance string // packed; "": of those that kinds does not keep apart, and in kinds
}

// mostDistances is how many distances of a dependence are kept apart, the first that are met: an
// index that is data has any number.
const mostDistances = 8

type times struct {
	vector []int64 // nil: several
	n      uint64
}

func begin(options any, in *analysis.Input) (analysis.Sink, error) {
	return &sink{in: in, opt: options.(*Options), memory: map[place]cell{},
		workers: make([][]frame, len(in.Header.Workers)), loops: map[loi.RegionID]*loopCounts{},
		found: map[edge]*times{}, kinds: map[edge]int{},
		parameters: parametersOf(&in.Header.Registry), between: map[crossing]uint64{},
		going:    goroutines{workers: make([]started, len(in.Header.Workers)), known: map[uint32]*call{}},
		channels: channels{}, begun: map[loi.RegionID]*begun{},
	}, nil
}

func (s *sink) stack(worker int) *[]frame {
	f := &s.workers[worker]
	if len(*f) == 0 {
		*f = append(*f, frame{region: loi.NoRegion, root: loi.NoRegion, kind: loi.Function,
			own: &activation{}})
	}
	return f
}

// activation returns that of the function in a region which is the innermost one; loi.NoRegion: of
// any.
func activationOf(stack []frame, region loi.RegionID) *activation {
	for i := range slices.Backward(stack) {
		if f := &stack[i]; f.own != nil && (region == loi.NoRegion || f.region == region) {
			return f.own
		}
	}
	return stack[0].own
}

// Event implements [analysis.Sink].
func (s *sink) Event(e *loi.Event) error {
	stack := s.stack(e.Worker)
	if e.Type != loi.EventRecord {
		own := activationOf(*stack, loi.NoRegion)
		for _, a := range e.Accesses() {
			s.touched(own, touch{place: place{a.Object, a.Block}, mode: a.Mode})
		}
		return nil
	}
	switch a := e.Args; {
	case e.Event == loi.EventRegion && len(a) == 3 && int(a[0]) < len(s.in.Header.Registry.Regions):
		s.open(e.Worker, stack, loi.RegionID(a[0]), a[1])
	case e.Event == loi.EventRegionEnd && len(a) == 1:
		s.close(stack, a[0])
	case e.Event == loi.EventSync:
		if x, ok := e.Sync(); ok {
			s.channels.sync(&activationOf(*stack, loi.NoRegion).recent, &x,
				e.Start-int64(e.Record.Start))
		}
	case e.Event == loi.EventGo || e.Event == loi.EventStart:
		if n, _, ok := e.Goroutine(); ok {
			s.going.tell(e.Worker, e.Event, n)
		}
	case e.Event == loi.EventOperation:
		if n, terms, ok := e.Record.Operation(); ok &&
			int(n) < len(s.in.Header.Registry.Operations) {
			s.operation(e.Worker, *stack, n, terms)
		}
	}
	return nil
}

// touched adds an access to those that the next operation may claim. As many are kept as an event
// can tell of; what was written before that has no writer that is known.
func (s *sink) touched(own *activation, t touch) {
	t.before = s.memory[t.place]
	if t.mode&loi.Out != 0 {
		delete(s.memory, t.place)
	}
	if len(own.pending) == 2*loi.MaxTerms {
		own.pending = slices.Delete(own.pending, 0, loi.MaxTerms)
	}
	own.pending = append(own.pending, t)
}

// open begins a region.
func (s *sink) open(worker int, stack *[]frame, region loi.RegionID, number uint32) {
	x := &s.in.Header.Registry.Regions[region]
	top := &(*stack)[len(*stack)-1]
	f := frame{number: number, region: region, root: s.root(region), kind: x.Kind, node: top.node}
	switch x.Kind {
	case loi.Function:
		f.own = &activation{by: caller(*stack).begins(region, s.parameters[region])}
		if len(*stack) == 1 && f.own.by == nil {
			f.own.by = s.going.begins(worker, region, s.parameters[region])
		}
		s.began(region, f.own.by)
		if f.own.by != nil {
			f.own.slots = f.own.by.passed
		}
	case loi.Loop:
		s.entered++
		f.loop = s.entered
		s.count(region).entered++
	case loi.Iteration:
		for i := range slices.Backward(*stack) {
			if l := &(*stack)[i]; l.kind == loi.Loop && l.region == x.Parent {
				f.node = &node{parent: l.node, loop: l.region, instance: l.loop, iteration: l.count}
				if l.node != nil {
					f.node.depth = l.node.depth + 1
				}
				l.count++
				s.count(l.region).iterations++
				break
			}
		}
	}
	*stack = append(*stack, f)
}

func (s *sink) count(loop loi.RegionID) *loopCounts {
	c := s.loops[loop]
	if c == nil {
		c = &loopCounts{}
		s.loops[loop] = c
	}
	return c
}

// close ends a region, and those within.
func (s *sink) close(stack *[]frame, number uint32) {
	for i := range slices.Backward(*stack) {
		if i == 0 || (*stack)[i].number != number {
			continue
		}
		own := (*stack)[i].own
		*stack = (*stack)[:i]
		if own != nil {
			own.ends(caller(*stack))
		}
		return
	}
}
