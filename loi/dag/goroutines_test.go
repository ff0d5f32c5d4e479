package dag

import (
	"container/heap"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"unsafe"

	"krdlab/loi"
)

// A recording writes the events of goroutines by hand. Each worker is the goroutine with the next
// number. Every operation takes a tick, which is when it begins, takes effect and ends.
type recording struct {
	testing.TB
	path   string
	b      *loi.Builder
	now    uint64
	worker int
}

func record(t testing.TB) *recording {
	t.Helper()
	r := &recording{TB: t, path: filepath.Join(t.TempDir(), "a.loi")}
	var err error
	if r.b, err = loi.NewBuilder(r.path); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"main.a", "main.b"} {
		if _, err := r.b.Kernel(name); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 4 {
		if _, err := r.b.Object(fmt.Sprintf("object %d", i), loi.Keyed); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func (r *recording) event(w int, kind loi.EventKind, args ...uint32) {
	r.Helper()
	r.now++
	r.worker = max(r.worker, w)
	if err := r.b.Event(w, kind, r.now, args...); err != nil {
		r.Fatal(err)
	}
}

// start makes each of n workers begin: worker 0, which starts the others, and then they.
func (r *recording) start(n int) {
	r.begin(0)
	for w := 1; w < n; w++ {
		r.goes(0, w)
	}
	for w := 1; w < n; w++ {
		r.begin(w)
	}
}

func (r *recording) begin(w int) { r.event(w, loi.EventStart, uint32(w+1)) }

func (r *recording) goes(w, started int) {
	r.event(w, loi.EventGo, loi.GoArgs(uint32(started+1), 0)...)
}

func (r *recording) end(w int) { r.event(w, loi.EventEnd, loi.GoArgs(uint32(w+1), 0)...) }

// work makes n accesses.
func (r *recording) work(w, n int) {
	r.Helper()
	for range n {
		r.now++
		err := r.b.Access(w, loi.KernelID(w&1), r.now, loi.Access{Mode: loi.In, Bytes: 8})
		if err != nil {
			r.Fatal(err)
		}
	}
}

// sync records an operation about a place, after n accesses.
func (r *recording) sync(w, n int, op loi.SyncOp, place uint64, room uint32) {
	r.Helper()
	r.work(w, n)
	r.full(w, loi.Sync{Op: op, Object: loi.ObjectID(place % 4), Place: place, Room: room,
		Begin: r.now + 1, At: r.now + 1})
}

// full records an operation with all its fields.
func (r *recording) full(w int, s loi.Sync) { r.Helper(); r.event(w, loi.EventSync, s.Args()...) }

func (r *recording) trace() *loi.Trace {
	r.Helper()
	if err := r.b.Close(loi.Header{Substrate: loi.Native, Clock: loi.Clock{Source: "tsc", Hz: 1e9},
		Workers: slices.Repeat([]loi.Worker{{CPU: -1}}, r.worker+1)}); err != nil {
		r.Fatal(err)
	}
	t, err := loi.Open(r.path)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() { t.Close() })
	return t
}

func goroutines(t testing.TB, tr *loi.Trace) *Goroutines {
	t.Helper()
	b := NewGoroutines(&tr.Header)
	for e, err := range tr.Ordered(loi.Order{Events: true}) {
		if err == nil {
			err = b.Event(e)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return b.End()
}

func kernels(o *Op) uint64 { return o.Kernels }

// check compares work and span in accesses, and adds up the path.
func (r *recording) check(work, span uint64) *Goroutines {
	r.Helper()
	g := goroutines(r, r.trace())
	l := g.Longest(kernels)
	if l.Work != work || l.Span != span {
		r.Errorf("work %d and span %d, expected %d and %d", l.Work, l.Span, work, span)
	}
	sum, last := uint64(0), -1
	for p := range l.Path() {
		if sum += p.Weight; p.To < 0 && last >= 0 && g.Ops[last].Previous != int32(p.Op) {
			r.Errorf("operation %d is on the path, and %d before it", last, p.Op)
		}
		last = p.Op
	}
	if sum != l.Span {
		r.Errorf("the pieces of the path have %d, the span is %d", sum, l.Span)
	}
	return g
}

// clean fails if anything was missing.
func (r *recording) clean(g *Goroutines) {
	r.Helper()
	if len(g.Missing)+int(g.Dropped+g.Orphans+g.Unended+g.Unstarted+g.Twice) != 0 {
		r.Errorf("missing %v, dropped %d, orphans %d, unended %d, unstarted %d, twice %d", g.Missing,
			g.Dropped, g.Orphans, g.Unended, g.Unstarted, g.Twice)
	}
}

func (r *recording) ends(n int) {
	for w := range n {
		r.end(w)
	}
}

// A producer makes 3 values of 10 accesses each, and a consumer takes 4 for each.
func TestProducer(t *testing.T) {
	for _, c := range []struct {
		room uint32
		span uint64
	}{{0, 3*10 + 4}, {1, 3*10 + 4}, {5, 3*10 + 4}} {
		r := record(t)
		r.start(2)
		for k := range 3 {
			r.sync(0, 10, loi.SyncSend, 1, c.room)
			if k > 0 {
				r.work(1, 4)
			}
			r.sync(1, 0, loi.SyncReceive, 1, c.room)
		}
		r.work(1, 4)
		r.ends(2)
		r.clean(r.check(3*10+3*4, c.span))
	}
}

// A consumer that is slower holds the producer up where there is no room: a value is made in 4, and
// the consumer takes 10.
func TestSlowConsumer(t *testing.T) {
	for _, c := range []struct {
		room uint32
		span uint64 // of the producer's end, with 100 accesses behind its last send
	}{
		{0, 4 + 10 + 10 + 100}, // the third send waits for the third receive to begin
		{1, 4 + 10 + 100},      // for the second to be done, which is after one value
		{2, 3*4 + 100},         // for the first, which it need not wait for
		{3, 3*4 + 100},
	} {
		r := record(t)
		r.start(2)
		for range 3 {
			r.sync(0, 4, loi.SyncSend, 1, c.room)
			r.sync(1, 0, loi.SyncReceive, 1, c.room)
			r.work(1, 10)
		}
		r.work(0, 100)
		r.ends(2)
		r.clean(r.check(3*4+3*10+100, c.span))
	}
}

// Five stages pass 4 values on, the third being the slowest: the first value goes through all of
// them, the others wait at the third.
func TestPipeline(t *testing.T) {
	r := record(t)
	r.start(5)
	costs := [5]int{1, 2, 7, 3, 2}
	work := 0
	for range 4 {
		for s := range 5 {
			if s > 0 {
				r.sync(s, 0, loi.SyncReceive, uint64(s), 4)
			}
			r.work(s, costs[s])
			work += costs[s]
			if s < 4 {
				r.sync(s, 0, loi.SyncSend, uint64(s+1), 4)
			}
		}
	}
	r.ends(5)
	r.clean(r.check(uint64(work), 1+2+4*7+3+2))
}

// A main goroutine starts 3, waits for them, and does it again with the same group.
func TestForkJoin(t *testing.T) {
	r := record(t)
	r.begin(0)
	w := 0
	for round := range 2 {
		r.work(0, 5)
		for range 3 {
			w++
			r.goes(0, w)
			r.begin(w)
		}
		for i := range 3 {
			r.sync(w-i, 10*(i+1+round), loi.SyncDone, 1, 0)
			r.work(w-i, 1)
			r.end(w - i)
		}
		r.sync(0, 0, loi.SyncWait, 1, 0)
	}
	r.sync(0, 2, loi.SyncWait, 1, 0) // which waits for nothing
	r.end(0)
	g := r.check(2*5+(10+20+30)+(20+30+40)+6+2, 5+30+5+40+2)
	r.clean(g)
	if g.Ordered {
		t.Error("a wait group is no lock")
	}
}

// Two goroutines wait for the same group: the second must not wait for the first.
func TestTwoWaits(t *testing.T) {
	r := record(t)
	r.start(5)
	r.sync(0, 10, loi.SyncDone, 1, 0)
	r.sync(1, 50, loi.SyncWait, 1, 0)
	r.sync(2, 3, loi.SyncWait, 1, 0)
	r.work(2, 30)
	r.sync(3, 1, loi.SyncDone, 1, 0) // and the third for all that was done before
	r.sync(4, 0, loi.SyncWait, 1, 0)
	r.work(4, 41)
	r.ends(5)
	g := r.check(10+50+3+30+1+41, 10+41)
	r.clean(g)
	for i := range g.Ops {
		if o := &g.Ops[i]; o.Sync == loi.SyncWait && g.Ops[o.Partner].Sync != loi.SyncDone {
			t.Errorf("%+v", o)
		}
	}
}

// Four goroutines are in a critical section of 10, one after the other.
func TestConvoy(t *testing.T) {
	r := record(t)
	r.start(4)
	for w := range 4 {
		r.work(w, 1)
	}
	for w := range 4 {
		r.sync(w, 0, loi.SyncLock, 1, 0)
		r.sync(w, 10, loi.SyncUnlock, 1, 0)
	}
	r.ends(4)
	g := r.check(4+40, 1+40)
	r.clean(g)
	if !g.Ordered {
		t.Error("locks are in the order of the run")
	}
}

// Readers are there together, a writer waits for both, and a reader for the writer.
func TestReadWrite(t *testing.T) {
	r := record(t)
	r.start(4)
	r.sync(0, 0, loi.SyncReadLock, 1, 0)
	r.sync(1, 0, loi.SyncReadLock, 1, 0)
	r.sync(0, 10, loi.SyncReadUnlock, 1, 0)
	r.sync(1, 20, loi.SyncReadUnlock, 1, 0)
	r.sync(2, 0, loi.SyncLock, 1, 0)
	r.sync(2, 5, loi.SyncUnlock, 1, 0)
	r.sync(3, 0, loi.SyncReadLock, 1, 0)
	r.sync(3, 7, loi.SyncReadUnlock, 1, 0)
	r.ends(4)
	r.clean(r.check(10+20+5+7, 20+5+7))
}

// A broadcast lets two go on, by its tick; another waits for a signal that none sent.
func TestCondition(t *testing.T) {
	r := record(t)
	r.start(4)
	r.sync(0, 10, loi.SyncSignal, 1, 0)
	at := r.now
	for w := 1; w <= 3; w++ {
		if w == 3 {
			at++
		}
		r.full(w, loi.Sync{Op: loi.SyncCondWait, Object: 1, Place: 1, Begin: 1, At: at})
		r.work(w, w)
	}
	r.ends(4)
	g := r.check(10+1+2+3, 12)
	if !maps.Equal(g.Missing, map[loi.SyncOp]uint64{loi.SyncCondWait: 1}) {
		t.Error(g.Missing)
	}
}

// The function that runs once takes 10; a goroutine that finds it done had to wait for it.
func TestOnce(t *testing.T) {
	r := record(t)
	r.start(2)
	r.sync(0, 10, loi.SyncOnce, 1, 0)
	r.sync(1, 2, loi.SyncOnceSeen, 1, 0)
	r.work(1, 3)
	r.ends(2)
	r.clean(r.check(15, 13))
}

// A load follows the last store; a store follows nothing; an update both follows and is followed.
func TestAtomic(t *testing.T) {
	r := record(t)
	r.start(4)
	r.sync(0, 10, loi.SyncStore, 1, 0)
	r.sync(1, 4, loi.SyncStore, 1, 0)
	r.sync(2, 1, loi.SyncUpdate, 1, 0)
	r.sync(3, 0, loi.SyncLoad, 1, 0)
	r.work(3, 2)
	r.sync(3, 0, loi.SyncSleep, 0, 0)
	r.ends(4)
	g := r.check(10+4+1+2, 10)
	r.clean(g)
	if l := g.Longest(kernels); !g.Ordered || slices.Max(l.Finish) != 10 ||
		!slices.Contains(l.Finish, 4+2) {
		t.Error(l.Finish)
	}
}

// A goroutine selects between two channels; a timer's value has no sender. Then one is closed.
func TestSelectAndClose(t *testing.T) {
	r := record(t)
	r.start(3)
	r.sync(1, 5, loi.SyncSend, 1, 0)
	r.full(0, loi.Sync{Op: loi.SyncReceive, Selected: true, Object: 1, Place: 1, Begin: 1, At: r.now})
	r.sync(2, 9, loi.SyncSend, 2, 1)
	r.full(0, loi.Sync{Op: loi.SyncReceive, Selected: true, Object: 2, Place: 2, Room: 1,
		Begin: r.now - 3, At: r.now + 1})
	r.full(0, loi.Sync{Op: loi.SyncReceive, Timer: true, Object: 3, Place: 3, Room: 1,
		Begin: r.now, At: r.now + 1})
	r.sync(2, 4, loi.SyncClose, 2, 1)
	r.sync(0, 0, loi.SyncReceiveClosed, 2, 1)
	r.work(0, 1)
	r.ends(3)
	r.clean(r.check(5+9+4+1, 9+4+1))
}

// Traces that were cut off: goroutines that do not end, one that has no start, one that never ran,
// partners that are missing.
func TestCutOff(t *testing.T) {
	r := record(t)
	r.begin(0)
	r.goes(0, 1)
	r.goes(0, 7)
	r.begin(1)
	r.sync(1, 4, loi.SyncReceive, 1, 0)
	r.sync(1, 0, loi.SyncReceiveClosed, 1, 0)
	r.sync(1, 0, loi.SyncOnceSeen, 2, 0)
	r.sync(0, 1, loi.SyncSend, 3, 0)
	r.sync(2, 3, loi.SyncUnlock, 5, 0) // by a worker that has no start
	r.work(1, 2)
	r.begin(3) // which nobody started
	r.full(3, loi.Sync{Op: loi.SyncReceive, Object: loi.NoObject})
	r.goes(3, 1) // again
	r.work(4, 20)
	r.worker = 5
	g := r.check(4+1+3+2+20, 20)
	want := map[loi.SyncOp]uint64{loi.SyncReceive: 1, loi.SyncReceiveClosed: 1, loi.SyncOnceSeen: 1,
		loi.SyncSend: 1}
	if !maps.Equal(g.Missing, want) || g.Orphans != 1 || g.Unended != 4 || g.Unstarted != 1 ||
		g.Twice != 1 || g.Dropped != 0 || g.Goroutines[2].Number != 0 || g.Goroutines[5].Ops != 0 {
		t.Errorf("%+v, missing %v", g, g.Missing)
	}
}

// Two that each receive a value that the other sends later wait for each other: edges back in time
// are dropped, and the rest stands.
func TestContradiction(t *testing.T) {
	r := record(t)
	r.start(3)
	r.sync(0, 5, loi.SyncReceive, 1, 1)
	r.sync(1, 7, loi.SyncReceive, 2, 1)
	r.sync(0, 1, loi.SyncSend, 2, 1)
	r.sync(1, 1, loi.SyncSend, 1, 1)
	r.sync(2, 0, loi.SyncLock, 3, 0)
	r.full(2, loi.Sync{Op: loi.SyncUnlock, Object: 3, Place: 3, At: r.now - 5}) // itself
	r.sync(2, 2, loi.SyncReceive, 4, 0)                                         // what it sends itself
	r.sync(2, 1, loi.SyncSend, 4, 0)
	r.ends(3)
	if g := r.check(17, 8); g.Dropped != 4 {
		t.Errorf("%d dropped", g.Dropped)
	}
}

// Time on the thread is the time between the stamps without the worker's time off it.
func TestTicks(t *testing.T) {
	r := record(t)
	r.start(2)
	r.now = 99
	r.full(1, loi.Sync{Op: loi.SyncSend, Object: 1, Place: 1, Begin: 60, At: 90, Away: 80})
	r.now = 119
	r.full(0, loi.Sync{Op: loi.SyncReceive, Object: 1, Place: 1, Begin: 90, At: 95, Away: 30})
	r.now = 129
	r.event(0, loi.EventEnd, loi.GoArgs(1, 30)...)
	r.event(1, loi.EventEnd, loi.GoArgs(2, 80)...)
	g := goroutines(t, r.trace())
	l := g.Longest(func(o *Op) uint64 { return o.Ticks })
	// worker 0: 1 to its go, 87 to the receive, 10; worker 1: 17 to the send, 31
	if l.Work != 1+88+10+17+31 || l.Span != 1+88+31 {
		t.Errorf("work %d, span %d: %+v", l.Work, l.Span, g.Ops)
	}
	for i := range g.Ops {
		o := &g.Ops[i]
		if ticks, waited := g.Waited(o); waited != (o.Sync == loi.SyncSend) || waited && ticks != 40 {
			t.Errorf("%d, %v of %+v", ticks, waited, o)
		}
		// the receive begins at 90, and it goes on at 100
		if ticks, waited := g.Blocked(o); waited && ticks != 30 {
			t.Errorf("blocked for %d: %+v", ticks, o)
		}
	}
}

func TestOpSize(t *testing.T) {
	if n := unsafe.Sizeof(Op{}); n != opBytes {
		t.Errorf("an operation takes %d bytes, the comment has %d", n, opBytes)
	}
}

const opBytes = 88 // as the comment of GoroutineBuilder has it

// simulated programs: goroutines with as many processors as they like.

// A step is work and an operation.
type simStep struct {
	work  int
	op    loi.SyncOp // 0: go
	place uint64
	child int
}

// A simObject is a channel, lock, group, variable or sync.Once.
type simObject struct {
	room, held, readers, count int // count: values, or what is to be done
	done                       bool
	senders, receivers, queue  []*simulated
}

type simulated struct {
	worker int
	steps  []simStep
	at     int // virtual time
	seq    int
	begin  uint64
}

type simQueue []*simulated

func (q simQueue) Len() int { return len(q) }
func (q simQueue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].seq < q[j].seq
}
func (q simQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *simQueue) Push(x any)   { *q = append(*q, x.(*simulated)) }
func (q *simQueue) Pop() any {
	x := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return x
}

// A simulator runs goroutines in virtual time, an access taking 1 and operations nothing.
type simulator struct {
	*recording
	all      []*simulated
	objects  map[uint64]*simObject
	queue    simQueue
	seq      int
	makespan int
	work     int
	waited   int
}

// ready makes a goroutine do the work of its next step.
func (s *simulator) ready(g *simulated, now int) {
	if len(g.steps) == 0 {
		s.end(g.worker)
		return
	}
	n := g.steps[0].work
	s.recording.work(g.worker, n)
	s.work += n
	s.seq++
	g.at, g.seq = now+n, s.seq
	s.makespan = max(s.makespan, g.at)
	heap.Push(&s.queue, g)
}

// did records the operation that a goroutine has ended, and goes on.
func (s *simulator) did(g *simulated, op loi.SyncOp, now int) {
	step := g.steps[0]
	g.steps = g.steps[1:]
	room := uint32(s.objects[step.place].room)
	s.full(g.worker, loi.Sync{Op: op, Object: loi.ObjectID(step.place % 4), Place: step.place,
		Room: room, Begin: g.begin, At: s.now + 1})
	s.ready(g, now)
}

// try does the operation of a goroutine at a time, or has it wait.
func (s *simulator) try(g *simulated, now int) {
	step := &g.steps[0]
	if g.begin = s.now; step.op == 0 {
		g.steps = g.steps[1:]
		s.goes(g.worker, step.child)
		child := s.all[step.child]
		s.begin(step.child)
		s.ready(child, now)
		s.ready(g, now)
		return
	}
	o, op := s.objects[step.place], step.op
	waits := true
	switch op {
	case loi.SyncSend:
		switch {
		case len(o.receivers) > 0:
			to := o.receivers[0]
			o.receivers = o.receivers[1:]
			s.did(g, op, now)
			s.did(to, loi.SyncReceive, now)
			waits = false
		case o.count < o.room:
			o.count++
			s.did(g, op, now)
			waits = false
		default:
			o.senders = append(o.senders, g)
		}
	case loi.SyncReceive:
		if o.count == 0 && len(o.senders) == 0 {
			o.receivers = append(o.receivers, g)
			break
		}
		waits = false
		s.did(g, op, now)
		if len(o.senders) > 0 {
			from := o.senders[0]
			o.senders = o.senders[1:]
			s.did(from, loi.SyncSend, now)
		} else {
			o.count--
		}
	case loi.SyncReceiveClosed, loi.SyncOnceSeen, loi.SyncWait:
		if waits = !o.done && o.count > 0; waits {
			o.queue = append(o.queue, g)
		} else {
			s.did(g, op, now)
		}
	case loi.SyncLock, loi.SyncReadLock:
		o.queue = append(o.queue, g)
		s.grant(o, now)
		waits = slices.Contains(o.queue, g)
	case loi.SyncUnlock, loi.SyncReadUnlock:
		waits = false
		if op == loi.SyncUnlock {
			o.held = 0
		} else {
			o.readers--
		}
		s.did(g, op, now)
		s.grant(o, now)
	case loi.SyncClose, loi.SyncDone, loi.SyncOnce:
		waits = false
		s.did(g, op, now)
		if o.count--; o.count == 0 {
			for _, x := range o.queue {
				s.did(x, x.steps[0].op, now)
			}
		}
	default:
		waits = false
		s.did(g, op, now)
	}
	if waits {
		s.waited++
	}
}

// grant lets the first that wait for a lock have it.
func (s *simulator) grant(o *simObject, now int) {
	for len(o.queue) > 0 && o.held == 0 {
		g := o.queue[0]
		op := g.steps[0].op
		if op == loi.SyncLock && o.readers > 0 {
			return
		}
		if o.queue = o.queue[1:]; op == loi.SyncLock {
			o.held = 1
		} else {
			o.readers++
		}
		s.did(g, op, now)
	}
}

// simulate runs random goroutines until they end, or wait for each other for ever.
func simulate(t testing.TB, seed uint64) *simulator {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := &simulator{recording: record(t), objects: map[uint64]*simObject{}}
	n := 2 + rng.IntN(7)
	for w := range n {
		s.all = append(s.all, &simulated{worker: w})
	}
	step := func(w int, op loi.SyncOp, place uint64, child int) {
		x := s.all[w]
		x.steps = append(x.steps, simStep{rng.IntN(9), op, place, child})
	}
	for place := range uint64(12) {
		s.objects[place] = &simObject{}
		if place < 4 {
			s.objects[place].room = int(place)
		}
	}
	// half of the programs start all goroutines first, have another receive, and wait in the end
	easy := seed%2 == 0
	var waits []int
	for range rng.IntN(100) {
		w, place := rng.IntN(n), uint64(rng.IntN(12))
		other := rng.IntN(n)
		if easy && other == w {
			other = (w + 1) % n
		}
		switch {
		case place < 4:
			step(w, loi.SyncSend, place, 0)
			step(other, loi.SyncReceive, place, 0)
		case place < 6:
			step(w, loi.SyncLock, place, 0)
			step(w, loi.SyncUnlock, place, 0)
		case place == 6:
			op := loi.SyncLock + loi.SyncOp(2*rng.IntN(2))
			step(w, op, place, 0)
			step(w, op+1, place, 0)
		case place == 7:
			s.objects[place].count++
			step(w, loi.SyncDone, place, 0)
			if waits = append(waits, other); !easy {
				step(other, loi.SyncWait, place, 0)
			}
		case place == 8 && s.objects[place].count == 0:
			s.objects[place].count++
			step(w, loi.SyncClose, place, 0)
		case place == 8:
			step(w, loi.SyncReceiveClosed, place, 0)
		case place == 9 && s.objects[place].count == 0:
			s.objects[place].count++
			step(w, loi.SyncOnce, place, 0)
		case place == 9:
			step(w, loi.SyncOnceSeen, place, 0)
		default:
			step(w, loi.SyncLoad+loi.SyncOp(rng.IntN(3)), place, 0)
		}
	}
	for _, w := range waits {
		if easy {
			step(w, loi.SyncWait, 7, 0)
		}
	}
	for w := 1; w < n; w++ { // somewhere in an earlier one
		by := s.all[rng.IntN(w)]
		at := rng.IntN(len(by.steps) + 1)
		if easy {
			at = 0
		}
		by.steps = slices.Insert(by.steps, at, simStep{rng.IntN(9), 0, 0, w})
	}
	s.begin(0)
	s.ready(s.all[0], 0)
	for len(s.queue) > 0 {
		g := heap.Pop(&s.queue).(*simulated)
		s.try(g, g.at)
	}
	return s
}

// The span of a program is how long it takes with as many processors as it likes.
func TestSimulated(t *testing.T) {
	waited, stuck := 0, 0
	for seed := range uint64(400) {
		s := simulate(t, seed)
		g := s.check(uint64(s.work), uint64(s.makespan))
		if waited += s.waited; g.Unended > 0 {
			stuck++
		}
		if g.Dropped > 0 || g.Orphans+g.Twice > 0 {
			t.Errorf("%d dropped", g.Dropped)
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if waited < 1000 || stuck == 0 || stuck > 300 {
		t.Errorf("waited %d times, %d of 400 are stuck", waited, stuck)
	}
}
