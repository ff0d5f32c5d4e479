package loi

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"krdlab/hw/failure"
)

// An Order selects the events that [Trace.Ordered] yields, and their order. The zero value is all
// kernel executions in the order in which they began.
type Order struct {
	Workers []int // of these alone, ascending; nil: of all
	// ByWorker gives one worker after the other, each in program order, whatever its stamps say.
	ByWorker bool
	Events   bool // the runtime's events too: see [EventKind]
	// NoKernels leaves the executions out.
	NoKernels bool
	// Tasks gives a task that stamped itself and not its kernels as one event with its Calls.
	// Without it each kernel comes by itself, Unstamped.
	Tasks bool
	// AllowLoss takes a trace from which records are missing too.
	AllowLoss bool
	Progress  *Progress // nil: nobody wants to know
}

// An Event is one moment of a trace: a kernel execution, or what the runtime did. It is a view,
// valid until the next one. The task event that follows an execution on its worker names its piece
// of code; see [Recorder.BeginTask].
type Event struct {
	*Record    // as it stands in the trace, with the stamps of its worker's clock
	Worker     int
	Start, End int64 // ticks of the clock common to all workers
	// Region is the number of the innermost region that is open on the worker, of an event that
	// begins or ends one this one's; 0: none. With Order.Events alone.
	Region uint32

	trace *Trace
	list  []Access
}

// Accesses returns what a kernel execution touches, in declared order.
func (e *Event) Accesses() []Access {
	e.list = e.trace.appendAccesses(e.list[:0], e.Record)
	return e.list
}

// CallAccesses returns what a call of a task touches, in declared order, valid until the next call
// of this and of Accesses.
func (e *Event) CallAccesses(c *Call) []Access {
	e.list = e.trace.appendDeclared(e.list[:0], c.Kernel, c.Args)
	return e.list
}

// AppendBlocks appends the blocks that a kernel execution touches to dst, by their numbers among all
// registered blocks ([Trace.BlockBase]), in declared order. All objects must be partitions.
func (e *Event) AppendBlocks(dst []uint32) []uint32 {
	r := e.Record
	if r.Type != KernelRecord {
		for i := range r.Explicit {
			a := &r.Explicit[i]
			dst = append(dst, e.trace.objects[a.Object].base+uint32(a.Block))
		}
		return dst
	}
	k := &e.trace.kernels[r.Kernel]
	if k.of != nil {
		for i, base := range k.bases {
			dst = append(dst, base+r.Args[k.of[i]])
		}
		return dst
	}
	for i, a := range r.Args[:len(k.bases)] {
		dst = append(dst, k.bases[i]+a)
	}
	return dst
}

// Ordered yields the events of t. Where they are merged, kernel executions come in the order in
// which they began; those that began at once by worker, those of a worker in program order (KRD
// paper, III). An event of the runtime comes at its time, after all that its worker recorded
// before. If its stamp is later than that of an execution recorded after it, the execution waits
// for it.
//
// The last event may be an error: a [*LossError], unless they are allowed; an [*OrderError] of a
// worker whose executions are not sorted, where they are merged, unless the trace is Unordered: then
// the records of a worker are held in memory and sorted, 64 bytes each, 4 for an argument and 40 for
// a listed access, an EventOf behind what it is of; a [*FormatError]. t must stay open.
//
// Cost: memory for one record of each worker; merged, O(log workers) an event, two comparisons where
// a worker runs on alone.
func (t *Trace) Ordered(o Order) iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		if loss := t.Loss(); loss.Total() > 0 && !o.AllowLoss {
			yield(nil, loss)
			return
		}
		workers := o.Workers
		if workers == nil {
			workers = make([]int, len(t.Header.Workers))
			for w := range workers {
				workers[w] = w
			}
		}
		var err error
		if o.ByWorker {
			err = byWorker(t, &o, workers, yield)
		} else {
			err = merged(t, &o, workers, yield)
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// byWorker yields the events of one worker after the other.
func byWorker(t *Trace, o *Order, workers []int, yield func(*Event, error) bool) error {
	for _, w := range workers {
		s := newStream(t, o, w)
		for s.next() {
			if !yield(&s.event, nil) {
				return nil
			}
		}
		if s.err != nil {
			return s.err
		}
	}
	return nil
}

// merged yields the events by start: a binary heap holds the next event of each stream.
func merged(t *Trace, o *Order, workers []int, yield func(*Event, error) bool) error {
	var heap []head
	for i, w := range workers {
		s := newStream(t, o, w)
		if t.Header.Unordered {
			if err := s.hold(); err != nil {
				return err
			}
		}
		if s.next() {
			heap = append(heap, head{s.key, i, s})
		} else if s.err != nil {
			return s.err
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		siftDown(heap, i)
	}
	for len(heap) > 0 {
		top := &heap[0]
		s := top.stream
		if !yield(&s.event, nil) {
			return nil
		}
		if s.next() {
			top.key = s.key
		} else if s.err != nil {
			return s.err
		} else {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		siftDown(heap, 0)
	}
	return nil
}

// A head is the next event of one stream.
type head struct {
	key    int64
	order  int
	stream *stream
}

func (h *head) before(other *head) bool {
	return h.key < other.key || h.key == other.key && h.order < other.order
}

func siftDown(heap []head, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if r := child + 1; r < len(heap) && heap[r].before(&heap[child]) {
			child = r
		}
		if !heap[child].before(&heap[i]) {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

// A stream is the events of one worker.
type stream struct {
	event  Event
	key    int64 // when the event comes
	cursor *Cursor
	offset int64 // ticks that the worker's clock is ahead of the common one
	meter  meter
	sorted bool // starts must ascend
	events bool
	none   bool   // no executions
	record uint64 // number of the next execution
	last   uint64 // start of the one before it
	open   []uint32
	err    error

	held *held // instead of the cursor
}

// held are records that wait for their turn.
type held struct {
	order []waiting // those that are left
	args  []uint32
	list  []Access
	calls [][]Call
	rec   Record // the current one
}

// A waiting record has so many arguments and accesses from there on in its held.
type waiting struct {
	key        int64
	start, end uint64
	args, list uint64
	region     uint32
	id         uint16 // kernel or event
	typ        RecordType
	flags      Flags
	nArgs      uint8
	nList      uint32
	calls      uint32 // 1 + index; 0: none
}

func newStream(t *Trace, o *Order, worker int) *stream {
	s := &stream{cursor: t.Cursor(worker), offset: t.Header.Workers[worker].TSCOffset,
		meter: meter{p: o.Progress}, sorted: !o.ByWorker, events: o.Events,
		none: o.NoKernels}
	s.cursor.events, s.cursor.all = o.Events, o.Tasks
	s.event.trace, s.event.Worker, s.event.Record = t, worker, &s.cursor.rec
	return s
}

// next goes to the next event.
func (s *stream) next() bool {
	if s.held != nil {
		return s.nextHeld()
	}
	c, e := s.cursor, &s.event
	for c.Next() {
		r := &c.rec
		s.meter.tick(r)
		if r.Type == EventRecord {
			if !s.events {
				continue
			}
			s.regions(r)
			e.Start = int64(r.Start) - s.offset
			e.End, s.key = e.Start, max(s.key, e.Start)
			return true
		}
		if s.none {
			continue
		}
		if s.sorted && r.Start < s.last {
			s.err = &OrderError{Worker: e.Worker, Record: s.record, Start: r.Start, Previous: s.last}
			return false
		}
		s.last = r.Start
		s.record++
		e.Start, e.End = int64(r.Start)-s.offset, int64(r.End)-s.offset
		s.key = e.Start
		if s.events {
			s.region()
		}
		return true
	}
	s.meter.report()
	s.err = c.err
	return false
}

// region makes the innermost region that is open that of the event.
func (s *stream) region() {
	if s.event.Region = 0; len(s.open) > 0 {
		s.event.Region = s.open[len(s.open)-1]
	}
}

// regions follows the begin or end of a region. One that ends and is not the innermost ends those
// within it.
func (s *stream) regions(r *Record) {
	switch {
	case r.Event == EventRegion && len(r.Args) == 3:
		s.open = append(s.open, r.Args[1])
		s.region()
	case r.Event == EventRegionEnd && len(r.Args) == 1:
		s.region()
		for i, n := range slices.Backward(s.open) {
			if n == r.Args[0] {
				s.event.Region, s.open = n, s.open[:i]
				break
			}
		}
	default:
		s.region()
	}
}

// hold reads all records and sorts them, as those of a recorder under Go's own scheduler have to
// be: a goroutine that is moved or preempted between its stamps is recorded after kernels that began
// later.
func (s *stream) hold() error {
	s.sorted = false
	h := &held{}
	for s.next() {
		r := s.event.Record
		x := waiting{key: s.event.Start, start: r.Start, end: r.End, args: uint64(len(h.args)),
			list: uint64(len(h.list)), region: s.event.Region, id: uint16(r.Kernel), typ: r.Type,
			flags: r.Flags, nArgs: uint8(len(r.Args)), nList: uint32(len(r.Explicit))}
		if r.Type == EventRecord {
			x.id = uint16(r.Event)
			if n := len(h.order); r.Event == EventOf && n > 0 {
				x.key = h.order[n-1].key
			}
		}
		h.args, h.list = append(h.args, r.Args...), append(h.list, r.Explicit...)
		if len(r.Calls) > 0 {
			calls := slices.Clone(r.Calls)
			for i := range calls {
				calls[i].Args = slices.Clone(calls[i].Args)
			}
			h.calls = append(h.calls, calls)
			x.calls = uint32(len(h.calls))
		}
		h.order = append(h.order, x)
	}
	if s.err != nil {
		return s.err
	}
	slices.SortStableFunc(h.order, func(a, b waiting) int { return cmp.Compare(a.key, b.key) })
	s.held, s.event.Record = h, &h.rec
	return nil
}

func (s *stream) nextHeld() bool {
	h, r, e := s.held, &s.held.rec, &s.event
	if len(h.order) == 0 {
		return false
	}
	x := &h.order[0]
	h.order = h.order[1:]
	*r = Record{Type: x.typ, Flags: x.flags, Start: x.start, End: x.end,
		Args:     h.args[x.args:][:x.nArgs],
		Explicit: h.list[x.list:][:x.nList]}
	if x.typ == EventRecord {
		r.Event = EventKind(x.id)
	} else {
		r.Kernel = KernelID(x.id)
	}
	if x.calls > 0 {
		r.Calls = h.calls[x.calls-1]
	}
	e.Region, s.key = x.region, x.key
	e.Start, e.End = int64(x.start)-s.offset, int64(x.end)-s.offset
	return true
}

// An OrderError reports an execution that began before the previous one of its worker, in a trace
// whose scheduler has workers of its own. Such a worker runs one kernel after the other.
type OrderError struct {
	Worker          int
	Record          uint64 // counted from 0 among the worker's kernel executions
	Start, Previous uint64 // ticks
}

func (e *OrderError) Error() string {
	return fmt.Sprintf("worker %d, kernel execution %d: it began at tick %d, before the "+
		"preceding record's %d; expected a stream sorted by start",
		e.Worker, e.Record, e.Start, e.Previous)
}

// Class implements [failure.Classed].
func (*OrderError) Class() failure.Class { return failure.Data }

// ErrLoss is wrapped by [LossError].
var ErrLoss = failure.New(failure.Data, "trace has losses")

// A LossError refuses a trace from which records are missing: results of all later ones may be
// wrong. [Order].AllowLoss accepts it.
type LossError struct {
	Discarded []uint64 // by worker: records that the tracer could not keep, or that were damaged
	Unknown   []bool   // by worker: how many are missing is not known; may be nil
}

// Loss returns the records missing from t.
func (t *Trace) Loss() *LossError { return &LossError{t.Discarded(), t.LossUnknown()} }

// UnknownWorkers returns of how many workers it is not known how many records are missing.
func (e *LossError) UnknownWorkers() (n int) {
	for _, u := range e.Unknown {
		if u {
			n++
		}
	}
	return n
}

// Total returns the number of records missing, which is a lower bound if there are UnknownWorkers.
func (e *LossError) Total() uint64 {
	var n uint64
	for _, d := range e.Discarded {
		n += d
	}
	return n
}

func (e *LossError) Error() string {
	workers := 0
	for _, d := range e.Discarded {
		if d > 0 {
			workers++
		}
	}
	if n := e.UnknownWorkers(); n > 0 {
		return fmt.Sprintf("%v: how many records are missing is not known of %d of its %d "+
			"workers; expected none missing", ErrLoss, n, len(e.Unknown))
	}
	return fmt.Sprintf("%v: %d records of %d of its %d workers were discarded while "+
		"tracing, or damaged; expected none", ErrLoss, e.Total(), workers, len(e.Discarded))
}

// Class implements [failure.Classed].
func (*LossError) Class() failure.Class { return failure.Data }

// Unwrap returns ErrLoss.
func (e *LossError) Unwrap() error { return ErrLoss }
