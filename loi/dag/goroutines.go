package dag

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"krdlab/hw/failure"
	"krdlab/loi"
)

// ErrGoroutines is wrapped by the error of a trace with more operations than are followed.
var ErrGoroutines = failure.New(failure.Data, "too many operations of goroutines")

// A Goroutine is a worker with events of its operations.
type Goroutine struct {
	Number uint32 // 0: the trace does not have its start
	// of its function or, if that is not known, of what it ran first: see [Goroutines.Name]
	Name    int
	Started int  // the operation that started it, or -1
	Timed   bool // a timer did, which an operation had set
	Ended   bool
	Ops     int // its operations, with its start and its end
}

// An Op ends a piece of code of a goroutine: an operation, or the goroutine's start or end.
type Op struct {
	Kind     loi.EventKind // Go, Start, End or Sync; 0: no operation, but all that a wait follows
	Sync     loi.SyncOp    // of EventSync
	Timer    bool
	Object   loi.ObjectID
	Room     uint32
	Place    uint64
	Begin    int64 // ticks of the common clock
	At       int64
	End      int64
	Kernels  uint64 // executions of the piece
	Ticks    uint64 // of the piece, on the thread
	Worker   int32
	Previous int32 // of its worker, or -1
	Partner  int32 // the operation that let it go on, the last of those that it follows, or -1
	Name     int32 // of the piece: see [Goroutines.Name]
	wait     int32 // of Kind 0: the wait that it was made for
}

// Meets reports whether o is half of a meeting at a channel without room: each half waits until the
// other begins.
func (o *Op) Meets() bool {
	return o.Room == 0 && (o.Sync == loi.SyncSend || o.Sync == loi.SyncReceive)
}

// An edge is that an operation follows another: where they meet, from when that begins.
type edge struct {
	to, by int32 // by is -1 if it was dropped
	meets  bool
}

// Goroutines is who waited for whom in a run. An operation follows that before it of its goroutine,
// a start the operation that started the goroutine, and others those that [loi.Sync] names. Locks,
// atomic variables and channels that several use are in the order of this run, so that the graph
// is one of this run: another order may have another span.
type Goroutines struct {
	Ops        []Op
	Goroutines []Goroutine // by worker
	// Missing counts operations that followed one that the trace does not have: a value that was
	// received has no sender. They wait for none.
	Missing map[loi.SyncOp]uint64
	// Orphans are goroutines, but for one, without an event of their start, which no timer started
	// either: they begin at once.
	Orphans uint64
	// Unended are goroutines whose end is not in the trace.
	Unended uint64
	// Unstarted counts goroutines that have a start in the trace and nothing else.
	Unstarted uint64
	// Twice counts starts of a goroutine beside its first.
	Twice uint64
	// Dropped counts what operations followed but contradicts the rest: they would have waited for
	// what waits for them.
	Dropped uint64
	// Waits are the goroutines that had not ended when the program did, where the trace has their
	// last operation.
	Waits []Wait
	// Ordered reports whether locks or atomic variables are in the order of this run.
	Ordered bool

	registry *loi.Registry
	edges    []edge  // by to
	first    []int32 // of an operation in edges; one more than there are
	order    []int32 // of all operations, each behind what it follows
}

// Name returns the name of a piece: of its last kernel or, without one, of the innermost region, or
// of the last kernel before it; "" for -1.
func (g *Goroutines) Name(i int) string {
	switch k := len(g.registry.Kernels); {
	case i < 0:
		return ""
	case i < k:
		return g.registry.Kernels[i].Name
	default:
		return g.registry.Regions[i-k].Name
	}
}

// Object returns the class of what an operation is about, or "".
func (g *Goroutines) Object(o *Op) string {
	if o.Kind != loi.EventSync || int(o.Object) >= len(g.registry.Objects) {
		return ""
	}
	return g.registry.Objects[o.Object].Name
}

// Waited returns the ticks that o waited, and true if what it waited for came after its begin.
func (g *Goroutines) Waited(o *Op) (ticks int64, waited bool) {
	if o.Kind != loi.EventSync || o.Partner < 0 {
		return 0, false
	}
	return max(o.End-o.Begin, 0), g.came(o) > o.Begin
}

// Blocked returns what Waited does, without the ticks behind what o waited for: those it waits for a CPU.
func (g *Goroutines) Blocked(o *Op) (ticks int64, waited bool) {
	ticks, waited = g.Waited(o)
	if waited {
		ticks = min(ticks, g.came(o)-o.Begin)
	}
	return ticks, waited
}

// came returns when what o waited for came.
func (g *Goroutines) came(o *Op) int64 {
	if o.Meets() {
		return g.Ops[o.Partner].Begin
	}
	return g.Ops[o.Partner].At
}

// strand holds the records of a worker since its last operation.
type strand struct {
	last    int32 // operation, or -1
	since   int64 // ticks on the thread until it
	away    int64 // until it
	at      int64 // the last stamp
	kernels uint64
	name    int32
	any     bool
	regions []uint32 // that are open: number and region of each
	wait    int      // 1 + which of Waits is its, or 0
}

// A GoroutineBuilder takes the events of a trace of goroutines, in the order of time.
// Memory: 88 bytes an operation; at the end 24 more, 24 for each that follows another, and what
// [Goroutines.Longest] takes.
type GoroutineBuilder struct {
	g       *Goroutines
	strands []strand
	starts  map[uint32][2]int32 // by number of a goroutine: 1 + who started it, 1 + its start
}

// NewGoroutines returns a builder for the events of a trace.
func NewGoroutines(h *loi.Header) *GoroutineBuilder {
	b := &GoroutineBuilder{g: &Goroutines{registry: &h.Registry, Missing: map[loi.SyncOp]uint64{},
		Goroutines: slices.Repeat([]Goroutine{{Name: -1, Started: -1}}, len(h.Workers))},
		strands: slices.Repeat([]strand{{last: -1, name: -1}}, len(h.Workers)),
		starts:  map[uint32][2]int32{}}
	return b
}

// Event takes the next event. Errors wrap [ErrGoroutines].
func (b *GoroutineBuilder) Event(e *loi.Event) error {
	s, r := &b.strands[e.Worker], e.Record
	if !s.any {
		s.any, s.since = true, e.Start
	}
	s.at = max(s.at, e.Start)
	if r.Type != loi.EventRecord {
		s.kernels++
		s.at = max(s.at, e.End)
		s.name = int32(r.Kernel)
		b.g.Goroutines[e.Worker].runs(s.name)
		return nil
	}
	if len(b.g.Ops) >= math.MaxInt32/4 {
		return fmt.Errorf("goroutines: %w: %d", ErrGoroutines, len(b.g.Ops))
	}
	o := Op{Kind: r.Event, Begin: e.Start, At: e.Start, End: e.Start}
	if sync, ok := r.Sync(); ok {
		common := e.Start - int64(r.Start)
		o.Sync, o.Timer, o.Object = sync.Op, sync.Timer, sync.Object
		o.Place, o.Room = sync.Place, sync.Room
		o.Begin, o.At = int64(sync.Begin)+common, int64(sync.At)+common
		b.add(e.Worker, &o, int64(sync.Away))
		return nil
	}
	if begun, ok := r.Begun(); ok {
		b.begun(e.Worker, e.Start, &begun)
		return nil
	}
	if number, away, ok := r.Goroutine(); ok {
		x := &b.g.Goroutines[e.Worker]
		which := 0
		switch r.Event {
		case loi.EventStart:
			which, x.Number = 1, number
			if k, ok := r.Entry(); ok && int(k) < len(b.g.registry.Kernels) {
				x.runs(int32(k))
			}
		case loi.EventEnd:
			x.Ended = true
		}
		i := b.add(e.Worker, &o, int64(away))
		if known := b.starts[number]; r.Event == loi.EventEnd {
		} else if known[which] != 0 {
			b.g.Twice++
		} else {
			known[which] = i + 1
			b.starts[number] = known
		}
		return nil
	}
	b.region(e.Worker, s, r)
	return nil
}

// region follows the begin or end of a region.
func (b *GoroutineBuilder) region(worker int, s *strand, r *loi.Record) {
	n := len(s.regions)
	switch {
	case r.Event == loi.EventRegion && len(r.Args) == 3 &&
		int(r.Args[0]) < len(b.g.registry.Regions):
		s.regions = append(s.regions, r.Args[1], r.Args[0])
		b.g.Goroutines[worker].runs(b.nameOf(r.Args[0]))
	case r.Event == loi.EventRegionEnd && len(r.Args) == 1 && n > 0 && s.regions[n-2] == r.Args[0]:
		s.regions = s.regions[:n-2]
	}
}

// nameOf returns the name of a region.
func (b *GoroutineBuilder) nameOf(region uint32) int32 {
	return int32(len(b.g.registry.Kernels) + int(region))
}

// runs takes note of what a goroutine runs, if it is the first.
func (x *Goroutine) runs(name int32) {
	if x.Name < 0 {
		x.Name = int(name)
	}
}

// add adds an operation that ends the piece of a worker, and returns its number.
func (b *GoroutineBuilder) add(worker int, o *Op, away int64) int32 {
	s, i := &b.strands[worker], int32(len(b.g.Ops))
	on := max(o.End-away, s.since)
	o.Ticks, o.Kernels = uint64(on-s.since), s.kernels
	o.Worker, o.Previous, o.Partner, o.Name = int32(worker), s.last, -1, s.name
	if n := len(s.regions); s.kernels == 0 && n > 0 {
		o.Name = b.nameOf(s.regions[n-1])
	}
	s.last, s.since, s.away, s.kernels = i, on, away, 0
	b.g.Goroutines[worker].Ops++
	b.g.Ops = append(b.g.Ops, *o)
	return i
}

// End returns the graph, when all events have been taken.
func (b *GoroutineBuilder) End() *Goroutines {
	g := b.g
	for w := range g.Goroutines {
		x, s := &g.Goroutines[w], &b.strands[w]
		if x.Ended || !s.any {
			continue
		}
		if x.Ops > 0 {
			g.Unended++
		}
		if s.kernels > 0 || x.Ops > 0 && s.at-s.away > s.since {
			b.add(w, &Op{Kind: loi.EventEnd, Begin: s.at, At: s.at, End: s.at}, s.away)
		}
	}
	timed, roots := uint64(0), uint64(0)
	for i := range g.Ops {
		if o := &g.Ops[i]; o.Sync == loi.SyncOnceSeen && o.Timer && o.Previous >= 0 &&
			g.Ops[o.Previous].Kind == loi.EventStart {
			g.Goroutines[o.Worker].Timed = true
			timed++
		}
	}
	for _, pair := range b.starts {
		switch goes, starts := pair[0]-1, pair[1]-1; {
		case starts < 0:
			g.Unstarted++
		case goes < 0:
			roots++
		default:
			g.Goroutines[g.Ops[starts].Worker].Started = int(goes)
			g.follow(starts, goes)
		}
	}
	g.Orphans = max(roots, 1+timed) - 1 - timed
	g.match()
	g.wakers()
	g.sort()
	return g
}

// follow makes an operation follow another.
func (g *Goroutines) follow(to, by int32) {
	o, p := &g.Ops[to], &g.Ops[by]
	g.edges = append(g.edges, edge{to, by, o.Meets() && p.Meets()})
	if p.Kind == 0 {
		by = p.Partner
	}
	if o.Partner < 0 || g.Ops[by].At > g.Ops[o.Partner].At {
		o.Partner = by
	}
}

// match finds what each operation follows, object by object in the order of At. At the same tick
// those that let others go on come first, and after them those that wait for nothing but that.
func (g *Goroutines) match() {
	var list []int32
	for i := range g.Ops {
		o := &g.Ops[i]
		if o.Kind == loi.EventSync && (o.Object != loi.NoObject || o.Place != 0) {
			list = append(list, int32(i))
		}
	}
	slices.SortFunc(list, func(a, b int32) int {
		x, y := &g.Ops[a], &g.Ops[b]
		return cmp.Or(cmp.Compare(x.Place, y.Place), cmp.Compare(x.Object, y.Object),
			cmp.Compare(x.At, y.At), cmp.Compare(waits[x.Sync], waits[y.Sync]), cmp.Compare(a, b))
	})
	var o object
	for i := 0; i < len(list); {
		n := i
		for x := &g.Ops[list[i]]; n < len(list) && g.Ops[list[n]].Place == x.Place &&
			g.Ops[list[n]].Object == x.Object; n++ {
		}
		o.match(g, list[i:n])
		i = n
	}
}

// waits is 1 of the operations that follow others of the same tick.
var waits = [...]uint8{loi.SyncReceiveClosed: 1, loi.SyncWait: 1, loi.SyncCondWait: 1,
	loi.SyncOnceSeen: 1, loi.SyncLoad: 1, loi.SyncSleep: 0}

// An object is the state of one channel, lock, group, condition or variable. Operations are
// numbers, -1 for none.
type object struct {
	Channel[int32]
	readers, done []int32
	// the last close, unlock, signal, once, store; what the last wait follows
	closed, unlocked, signal, once, stored, joined int32
}

// match finds what the operations of one object follow; list has them in the order of At.
func (x *object) match(g *Goroutines, list []int32) {
	*x = object{Channel[int32]{x.Sends[:0], x.Receives[:0]}, x.readers[:0], x.done[:0], -1, -1, -1, -1,
		-1, -1}
	room := uint32(0)
	for _, i := range list {
		room = max(room, g.Ops[i].Room)
	}
	for _, i := range list {
		o := &g.Ops[i]
		o.Room = room
		x.Add(o.Sync, o.Timer, i)
		switch o.Sync {
		case loi.SyncClose:
			x.closed = i
		case loi.SyncReceiveClosed:
			g.must(i, x.closed)
		case loi.SyncLock:
			g.may(i, x.unlocked)
			for _, r := range x.readers {
				g.follow(i, r)
			}
			x.readers = x.readers[:0]
		case loi.SyncUnlock:
			x.unlocked = i
		case loi.SyncReadLock:
			g.may(i, x.unlocked)
		case loi.SyncReadUnlock:
			x.readers = append(x.readers, i)
		case loi.SyncDone:
			x.done = append(x.done, i)
		case loi.SyncWait:
			x.wait(g, i)
		case loi.SyncSignal:
			x.signal = i
		case loi.SyncCondWait:
			if x.signal >= 0 && g.Ops[x.signal].At != o.At {
				x.signal = -1
			}
			g.must(i, x.signal)
		case loi.SyncOnce:
			x.once = i
		case loi.SyncOnceSeen:
			g.must(i, x.once)
		case loi.SyncLoad:
			g.may(i, x.stored)
		case loi.SyncStore:
			x.stored = i
		case loi.SyncUpdate:
			g.may(i, x.stored)
			x.stored = i
		}
		g.Ordered = g.Ordered || o.Sync >= loi.SyncLock && o.Sync <= loi.SyncReadUnlock ||
			o.Sync.Atomic()
	}
	for i, by := range x.Partners(-1) {
		g.must(i, by)
	}
	for i, by := range partners(x.Sends[min(int(room), len(x.Sends)):], x.Receives, -1) {
		g.must(i, by)
	}
}

// A Channel has its sends and receives, in the order in which they took effect.
type Channel[T any] struct{ Sends, Receives []T }

// Add adds an operation if it is one of them. Of what a timer sends nothing is known.
func (c *Channel[T]) Add(op loi.SyncOp, timer bool, x T) {
	switch {
	case op == loi.SyncSend:
		c.Sends = append(c.Sends, x)
	case op == loi.SyncReceive && !timer:
		c.Receives = append(c.Receives, x)
	}
}

// Partners yields each receive and the send of what it received, the k-th and the k-th; none where
// there are fewer sends.
func (c *Channel[T]) Partners(none T) iter.Seq2[T, T] { return partners(c.Receives, c.Sends, none) }

func partners[T any](list, of []T, none T) iter.Seq2[T, T] {
	return func(yield func(T, T) bool) {
		for k, x := range list {
			by := none
			if k < len(of) {
				by = of[k]
			}
			if !yield(x, by) {
				return
			}
		}
	}
}

// wait makes a wait follow all that was done until then, by way of an operation of Kind 0, so that
// the next wait need not look at each again.
func (x *object) wait(g *Goroutines, i int32) {
	if len(x.done) > 0 {
		j := int32(len(g.Ops))
		g.Ops = append(g.Ops, Op{Worker: -1, Previous: -1, Partner: -1, Name: -1, wait: i})
		g.may(j, x.joined)
		for _, d := range x.done {
			g.follow(j, d)
		}
		x.done, x.joined = x.done[:0], j
	}
	g.may(i, x.joined)
}

// may lets an operation follow another, if there is one.
func (g *Goroutines) may(to, by int32) {
	if by >= 0 {
		g.follow(to, by)
	}
}

// must works like may, for an operation that cannot have gone on without the other.
func (g *Goroutines) must(to, by int32) {
	if g.may(to, by); by < 0 {
		g.Missing[g.Ops[to].Sync]++
	}
}
