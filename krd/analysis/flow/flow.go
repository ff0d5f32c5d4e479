// Package flow follows the values of a Go program by its trace (krdlab trace go --values): which
// operand of an operation was written by which other. It has the slots of each activation, the
// arguments and results of calls, returns, deferred calls and goroutines (calls.go), channels
// (channels.go), and the accesses that an operation claims. An analysis defines its own marks: the
// mark of a place holds its facts.
//
//	events -> Flow -> Analysis: Load, Operand, Value, Store
//
// Memory: a mark for each slot of an open activation, and for each access that no operation has
// claimed, at most 2 [loi.MaxTerms] of an activation; 64 bytes for each send and receive that an
// operation is of, for a [Receiver].
package flow

import (
	"slices"

	"krdlab/loi"
)

// An Analysis computes the marks of places, of type C. The zero value of C is the mark of a place
// that no operation is known to have written.
type Analysis[C any] interface {
	// Load sets c to the mark of a datum that a worker accesses. The contents of c may be used
	// again: they were set by Load, and the operation that had the access is done.
	Load(worker int, a *loi.Access, c *C)
	// Store sets the mark of a datum. The contents of c may be used again by Value.
	Store(worker int, a *loi.Access, c C)
	// Operand takes an operand of the value that Value is asked for next; c is the mark of the place.
	Operand(s *Step, x *loi.Operand, c *C)
	// Value sets c to the mark of a value of an operation; NoValue: that of a store without one.
	// The contents of c may be used again: they were set by Value, and its place has another mark.
	Value(s *Step, value uint16, c *C)
}

// A Receiver is an [Analysis] that values reach through channels too. Those of others are places
// that were not written.
type Receiver[C any] interface {
	// Received takes an operand of an operation, which was received from a channel of a class, and has
	// the mark c; by [Flow.Match].
	Received(s *Step, x *loi.Operand, c *C, class loi.ObjectID)
}

// A Conditioned analysis takes conditions that are no operands too: those of the call that began a
// function, and for what a loop does behind an iteration that of the loop.
type Conditioned[C any] interface {
	// Conditions returns the mark of the conditions that an operation of a call is under, after the
	// last of its values.
	Conditions(s *Step) C
	// Under takes a condition of the value that Value is asked for next.
	Under(s *Step, c *C)
}

// An Overwriter is an [Analysis] that gets the mark that a slot had before it was written.
type Overwriter[C any] interface {
	Overwrite(old, c C)
}

// A Gatherer is an [Analysis] that takes all accesses, those too that no operation claims, such as
// arguments of functions that are not rewritten. It gets these when that is known, in the iteration
// in which they were made. [Analysis.Store] does not get writes without a mark then.
type Gatherer[C any] interface {
	Loose(worker int, function loi.KernelID, at *Iteration, a *loi.Access, before *C)
}

// A Whole analysis may compute an operation in one call, which saves those for each operand and value.
// Its marks may be used again: Reset makes one that of a place that was not written.
type Whole[C any] interface {
	// Whole computes the values of an operation and writes them to slots, to data, and those passed to
	// a list; false: it has not, and the other methods are called. returned are the results of the last
	// call without an operation, by the mark of the conditions of the function's call, nil if it has
	// none. The operation claims accesses, which have terms as its event has. under is set to the mark
	// of Conditions; nil: it is no call.
	Whole(s *Step, slots, passed *[]C, returned []C, by, under *C, accesses []Touch[C],
		terms []uint32) bool
	Reset(c *C)
}

// NoValue is the value of an operation that wrote something that it has no value for.
const NoValue = 1<<16 - 1

// A Step is an operation that is done.
type Step struct {
	Worker int
	Number uint32 // in the registry
	*loi.Operation
	At    *Iteration // of what is executed; nil: in none
	Value *loi.Value // that is computed
}

// A Flow takes the events of a trace, all of one worker in program order.
type Flow[C any] struct {
	// Loops are those that were entered, Functions those with parameters that began.
	Loops     map[loi.RegionID]*Loop
	Functions map[loi.RegionID]*Function

	analysis   Analysis[C]
	receiver   Receiver[C]               // nil: none
	conditions Conditioned[C]            // nil: none
	overwriter Overwriter[C]             // nil: none
	gatherer   Gatherer[C]               // nil: none
	whole      Whole[C]                  // nil: none
	contexts   map[loi.RegionID]*Context // of loops that stand in none
	registry   *loi.Registry
	workers    [][]frame[C] // innermost last; the first is a function that is always open
	entered    uint64
	parameters map[loi.RegionID]int // of functions that have some
	roots      []loi.RegionID       // by region; see root
	free       []*activation[C]     // that have ended, for a Whole analysis
	calls      []*call[C]           // likewise
	to         [][]uint32           // slots of the results of calls, by operation
	loops      []*Loop              // likewise; nil: not known
	going      goroutines[C]
	channels   channels[C]

	step    Step       // of the operation that is done
	writes  []write[C] // of it, beyond the length with what Value may use again
	claimed []bool     // its terms
}

// A write is the mark of a value that goes to a place.
type write[C any] struct {
	to   loi.Place
	mark C
}

// A Loop is how often one was entered, and its iterations: all, those behind a first one, and the most
// of one time.
type Loop struct{ Entered, Iterations, Again, Most uint64 }

// A Function is how often one began, and by calls that are known.
type Function struct{ Begun, Known uint64 }

// New returns a flow of the values of a trace to an analysis.
func New[C any](h *loi.Header, a Analysis[C]) *Flow[C] {
	receiver, _ := a.(Receiver[C])
	conditions, _ := a.(Conditioned[C])
	overwriter, _ := a.(Overwriter[C])
	gatherer, _ := a.(Gatherer[C])
	whole, _ := a.(Whole[C])
	return &Flow[C]{Loops: map[loi.RegionID]*Loop{}, Functions: map[loi.RegionID]*Function{},
		analysis: a, receiver: receiver, conditions: conditions, overwriter: overwriter,
		gatherer: gatherer, whole: whole, contexts: map[loi.RegionID]*Context{}, registry: &h.Registry,
		workers: make([][]frame[C], len(h.Workers)), parameters: parametersOf(&h.Registry),
		to: resultsOf(&h.Registry), going: goroutines[C]{workers: make([]started[C], len(h.Workers)),
			known: map[uint32]*call[C]{}},
		channels: channels[C]{}}
}

// A Touch is an access that no operation has claimed.
type Touch[C any] struct {
	loi.Access
	Before   C // the mark of what was there
	function loi.KernelID
	at       *Iteration // in which it was made
}

// An activation of a function has its slots.
type activation[C any] struct {
	recent[C]
	slots     []C
	pending   []Touch[C]
	calls     []*call[C] // that are about to be made, the next one last
	deferred  []*call[C]
	returning bool     // it has done a return
	by        *call[C] // that began it; nil: not known
	results   []C      // of the function itself, as it returns
	returned  []C      // of the call without an operation that has returned
}

// A frame is a region that is open on a worker.
type frame[C any] struct {
	number uint32
	region loi.RegionID
	kind   loi.RegionKind
	at     *Iteration     // of what is executed in it
	own    *activation[C] // of a function
	root   loi.RegionID   // the function that the region stands in
	loop   uint64         // which of all loops that were entered
	count  int64          // of its iterations
	// context is that of a loop; nil: it has had no iteration.
	context *Context
}

func (f *Flow[C]) stack(worker int) *[]frame[C] {
	for len(f.workers) <= worker { // of a program that runs
		f.workers, f.going.workers = append(f.workers, nil), append(f.going.workers, started[C]{})
	}
	s := &f.workers[worker]
	if len(*s) == 0 {
		*s = append(*s, frame[C]{region: loi.NoRegion, root: loi.NoRegion, kind: loi.Function,
			own: &activation[C]{}})
	}
	return s
}

// activation returns that of the function in a region which is the innermost one; loi.NoRegion: of
// any.
func activationOf[C any](stack []frame[C], region loi.RegionID) *activation[C] {
	for i := len(stack) - 1; i >= 0; i-- { // a loop over a function costs more here
		if f := &stack[i]; f.own != nil && (region == loi.NoRegion || f.region == region) {
			return f.own
		}
	}
	return stack[0].own
}

// Event takes the next event of a trace. Events that make no sense are passed over.
func (f *Flow[C]) Event(e *loi.Event) {
	stack := f.stack(e.Worker)
	if e.Type != loi.EventRecord {
		own, list := activationOf(*stack, loi.NoRegion), e.Accesses()
		for i := range list {
			f.touched(e.Worker, own, &list[i], e.Kernel, (*stack)[len(*stack)-1].at)
		}
		return
	}
	switch a := e.Args; {
	case e.Event == loi.EventRegion && len(a) == 3 && int(a[0]) < len(f.registry.Regions):
		f.open(e.Worker, stack, loi.RegionID(a[0]), a[1])
	case e.Event == loi.EventRegionEnd && len(a) == 1:
		f.shut(e.Worker, stack, a[0])
	case e.Event == loi.EventSync:
		if x, ok := e.Sync(); ok && f.receiver != nil {
			f.channels.sync(&activationOf(*stack, loi.NoRegion).recent, &x,
				e.Start-int64(e.Record.Start))
		}
	case e.Event == loi.EventGo || e.Event == loi.EventStart:
		if n, _, ok := e.Goroutine(); ok {
			f.going.tell(e.Worker, e.Event, n)
		}
	case e.Event == loi.EventOperation:
		if n, terms, ok := e.Record.Operation(); ok && int(n) < len(f.registry.Operations) {
			f.operation(e.Worker, *stack, n, terms)
		}
	}
}

// Access takes an access of a worker, in the place of its event.
func (f *Flow[C]) Access(worker int, a *loi.Access) {
	stack := *f.stack(worker)
	f.touched(worker, activationOf(stack, loi.NoRegion), a, loi.NoKernel, stack[len(stack)-1].at)
}

// Operation takes an operation, likewise.
func (f *Flow[C]) Operation(worker int, n uint32, terms []uint32) {
	f.operation(worker, *f.stack(worker), n, terms)
}

// Enter takes the begin of a region.
func (f *Flow[C]) Enter(worker int, region loi.RegionID, number uint32) {
	f.open(worker, f.stack(worker), region, number)
}

// Leave takes its end.
func (f *Flow[C]) Leave(worker int, number uint32) { f.shut(worker, f.stack(worker), number) }

// mostPending is how many accesses without an operation are kept for a [Gatherer].
const mostPending = 1 << 20

// touched adds an access to those that the next operation may claim. As many are kept as an event
// can tell of; earlier writes have no known writer.
func (f *Flow[C]) touched(worker int, own *activation[C], a *loi.Access, function loi.KernelID,
	at *Iteration) {
	most := 2 * loi.MaxTerms
	if f.gatherer != nil {
		most = mostPending
	}
	if len(own.pending) == most {
		f.loose(worker, own.pending[:most/2])
		own.pending = slices.Delete(own.pending, 0, most/2)
	}
	n := len(own.pending)
	own.pending = slices.Grow(own.pending, 1)[:n+1] // with what Load may use again
	t := &own.pending[n]
	t.Access, t.function, t.at = *a, function, at
	f.analysis.Load(worker, a, &t.Before)
	if a.Mode&loi.Out != 0 && f.gatherer == nil {
		var none C
		f.analysis.Store(worker, a, none)
	}
}

// loose hands on accesses that no operation claims.
func (f *Flow[C]) loose(worker int, list []Touch[C]) {
	if f.gatherer == nil {
		return
	}
	for i := range list {
		t := &list[i]
		f.gatherer.Loose(worker, t.function, t.at, &t.Access, &t.Before)
	}
}

// End hands on the rest when there are no more events.
func (f *Flow[C]) End() {
	for worker, stack := range f.workers {
		for _, x := range stack {
			if x.own != nil {
				f.loose(worker, x.own.pending)
				x.own.pending = nil
			}
		}
	}
}

// open begins a region.
func (f *Flow[C]) open(worker int, stack *[]frame[C], region loi.RegionID, number uint32) {
	for i := len(f.roots); i <= int(region); i++ {
		f.roots, f.loops = append(f.roots, f.root(loi.RegionID(i))), append(f.loops, nil)
	}
	x, top := &f.registry.Regions[region], &(*stack)[len(*stack)-1]
	n := frame[C]{number: number, region: region, root: f.roots[region], kind: x.Kind, at: top.at}
	switch x.Kind {
	case loi.Function:
		n.own = taken(&f.free)
		n.own.by = caller(*stack).begins(region, f.parameters[region])
		if len(*stack) == 1 && n.own.by == nil {
			n.own.by = f.going.begins(worker, region, f.parameters[region])
		}
		f.began(region, n.own.by)
		by := n.own.by
		switch {
		case by == nil:
		case f.whole == nil:
			n.own.slots, by.passed = by.passed, nil
		default: // what it has of the marks before is used again
			for i := range by.passed {
				to := at(&n.own.slots, uint32(i))
				*to, by.passed[i] = by.passed[i], *to
			}
			by.passed = by.passed[:0]
		}
	case loi.Loop:
		f.entered++
		n.loop = f.entered
		f.count(region).Entered++
	case loi.Iteration:
		for i := len(*stack) - 1; i >= 0; i-- {
			if l := &(*stack)[i]; l.kind == loi.Loop && l.region == x.Parent {
				if l.context == nil {
					l.context = l.at.inner(f.contexts, l.region)
				}
				n.at = &Iteration{Parent: l.at, Context: l.context, Number: l.count, instance: l.loop}
				l.count++
				c := f.count(l.region)
				c.Iterations, c.Most = c.Iterations+1, max(c.Most, uint64(l.count))
				if l.count > 1 {
					c.Again++
				}
				break
			}
		}
	}
	*stack = append(*stack, n)
}

func (f *Flow[C]) count(loop loi.RegionID) *Loop {
	c := f.loops[loop]
	if c == nil {
		c = &Loop{}
		f.Loops[loop], f.loops[loop] = c, c
	}
	return c
}

// taken takes an element that may be used again, or a new one.
func taken[T any](list *[]*T) *T {
	n := len(*list) - 1
	if n < 0 {
		return new(T)
	}
	x := (*list)[n]
	*list = (*list)[:n]
	return x
}

// give keeps an activation that has ended, and the call that began it, for others.
func (f *Flow[C]) give(a *activation[C]) {
	if f.whole == nil || len(f.free) == mostFree {
		return
	}
	f.reset(a.slots)
	f.reset(a.results)
	if a.by != nil && !a.by.going && len(f.calls) < mostFree {
		f.reset(a.by.passed[:cap(a.by.passed)])
		f.whole.Reset(&a.by.under)
		*a.by = call[C]{passed: a.by.passed[:0], under: a.by.under}
		f.calls = append(f.calls, a.by)
	}
	*a = activation[C]{slots: a.slots, pending: a.pending[:0], results: a.results[:0]}
	f.free = append(f.free, a)
}

func (f *Flow[C]) reset(list []C) {
	for i := range list {
		f.whole.Reset(&list[i])
	}
}

// mostFree is how many of each are kept for others.
const mostFree = 1 << 6

// shut ends a region, and those within.
func (f *Flow[C]) shut(worker int, stack *[]frame[C], number uint32) {
	for i := len(*stack) - 1; i >= 0; i-- {
		if i == 0 || (*stack)[i].number != number {
			continue
		}
		ended := (*stack)[i:]
		*stack = (*stack)[:i]
		if own := ended[0].own; own != nil {
			own.ends(caller(*stack))
		}
		for _, x := range ended {
			if x.own != nil {
				f.loose(worker, x.own.pending)
				f.give(x.own)
			}
		}
		return
	}
}
