// Package dag rebuilds the task graph of a run from the events of its trace: the parent and phase
// of each task, and the kernels of each piece of code with their worker and time.
//
//	trace -> Ordered -> Builder -> a value of each task, made of those of its children
//	               \-> GoroutineBuilder -> Goroutines -> Longest
//
// The events are those of [loi.Recorder.BeginTask] and what follows it. A [Builder] holds the tasks
// that are alive, and forgets those that have ended; [Build] keeps the whole graph.
// [Goroutines] is of runs whose workers tell by which operations they wait for each other.
//
// # Rejected
//
// The whole graph in memory: 200 bytes a task. Tests that need it build it by the same fold.
package dag

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"krdlab/hw/failure"
	"krdlab/loi"
)

// ErrIncomplete is wrapped by the error of a trace whose task events do not fit together: they
// contradict each other, or the run did not end.
var ErrIncomplete = failure.New(failure.Data, "the task events of the trace do not fit together")

// A Piece is code that one worker ran without a break.
type Piece struct {
	Worker  int
	At      int64        // ticks of the common clock: of a task, when it began; otherwise, when it ended
	Kernels uint64       // executions
	Ticks   uint64       // that they took
	Kernel  loi.KernelID // of the last of them
	// the first and the last of them in the order in which the builder took them, from 1, 0 if there
	// are none: see [Builder.Following]
	First, Last uint32
}

// A Task is a task of the run.
type Task struct {
	ID       uint32 // its number in the trace; 0 is the program, whose only child is the root
	Parent   uint32 // the number of the task that it is a child of
	Phase    uint32 // of the parent, in which it is a child
	Child    uint32 // its number there
	Children uint32 // in its first phase
	Begin    Piece  // the code that made it, by the worker that began it
}

// A Child is a child of a phase that has ended.
type Child[V any] struct {
	Number uint32
	Task   *Task // nil: Piece is all that there is to it
	Piece  Piece // of a child that is no task
	Value  *V    // of a task
}

// A Fold makes a value of each task; in the end that of the program.
type Fold[V any] struct {
	Begin func(v *V, t *Task)              // v is zero
	Child func(v *V, t *Task, c *Child[V]) // a child of t's phase ended; in the order of ends
	Phase func(v *V, t *Task, after Piece) // all children have ended, and so has what follows
}

// place names a child of a phase of a task, or what follows the phase.
type place struct{ task, phase, child uint32 }

// told is an event of the structure.
type told struct {
	kind     loi.EventKind
	at       place
	id       uint32 // of a task that begins
	children uint32 // of the next phase, or of the first
	piece    Piece
}

// A node is a task that is alive.
type node[V any] struct {
	Task
	value           V
	phase, n, ended uint32 // the phase that runs, how many children it has, and how many have ended
	mask            uint64 // of the children below 64 that have begun
	seen            map[uint32]struct{}
	early           []told // what came before its time
}

// A track holds the records of a worker since the last event of the structure.
type track struct {
	since      Piece
	last       Piece // of the last record
	start, end int64 // of the last record, if unstamped
	unstamped  bool
}

// A Builder takes the events of a trace, of workers together in the order of time or not, each
// worker's in program order. Memory: that of the tasks that are alive, and of events that come
// before those that they follow from.
type Builder[V any] struct {
	fold      Fold[V]
	unordered bool
	tracks    []track
	live      map[uint32]*node[V]
	early     map[uint32][]told // by task that has not begun
	of        map[place]Piece   // unordered workers: the kernels of each piece
	free      []*node[V]

	// Keep is set by who asks for Following.
	Keep  bool
	taken uint32   // executions
	next  []uint32 // by execution: the next one of its piece
}

// New returns a builder for the events of a trace.
func New[V any](h *loi.Header, f Fold[V]) *Builder[V] {
	b := &Builder[V]{fold: f, unordered: h.Unordered, tracks: make([]track, len(h.Workers)),
		live: map[uint32]*node[V]{}, early: map[uint32][]told{}, of: map[place]Piece{}}
	program := b.node()
	program.n = 1
	b.live[0] = program
	f.Begin(&program.value, &program.Task)
	return b
}

func (b *Builder[V]) node() *node[V] {
	if k := len(b.free); k > 0 {
		x := b.free[k-1]
		b.free = b.free[:k-1]
		*x = node[V]{}
		return x
	}
	return new(node[V])
}

// Event takes the next event. Errors wrap [ErrIncomplete].
func (b *Builder[V]) Event(e *loi.Event) error {
	t := &b.tracks[e.Worker]
	if e.Type != loi.EventRecord {
		return b.kernel(t, e)
	}
	a := e.Args
	x := told{kind: e.Record.Event, piece: Piece{Worker: e.Worker, At: e.Start}}
	switch {
	case x.kind == loi.EventTask && len(a) == 5:
		x.id, x.at, x.children = a[0], place{a[1], a[2], a[3]}, a[4]
	case x.kind == loi.EventChild && len(a) == 3:
		x.at = place{a[0], a[1], a[2]}
	case x.kind == loi.EventPhase && len(a) == 3:
		x.at, x.children = place{a[0], a[1], loi.AfterPhase}, a[2]
	case x.kind == loi.EventOf && len(a) == 3:
		at := place{a[0], a[1], a[2]}
		p := b.of[at]
		b.add(&p, &t.last)
		b.of[at] = p
		t.last, t.unstamped = Piece{}, false
		return nil
	default:
		return nil
	}
	b.add(&x.piece, &t.since)
	*t = track{}
	return b.apply(&x)
}

// kernel counts an execution, or a task record. Executions of one record without stamps of their
// own have its stamps, which count once.
func (b *Builder[V]) kernel(t *track, e *loi.Event) error {
	if b.taken == math.MaxUint32 {
		return fmt.Errorf("task graph: %w: 2^32 kernels or more", ErrIncomplete)
	}
	b.taken++
	if b.Keep {
		b.next = append(b.next, 0)
	}
	p := Piece{Kernels: 1, Kernel: e.Kernel, Ticks: uint64(max(e.End, e.Start) - e.Start),
		First: b.taken, Last: b.taken}
	if e.Type == loi.TaskRecord {
		if p.Kernels = uint64(len(e.Calls)); p.Kernels > 0 {
			p.Kernel = e.Calls[p.Kernels-1].Kernel
		}
	}
	unstamped := e.Flags&loi.Unstamped != 0
	if unstamped && t.unstamped && t.start == e.Start && t.end == e.End {
		p.Ticks = 0
		b.add(&t.last, &p)
	} else {
		t.last = p
	}
	t.unstamped, t.start, t.end = unstamped, e.Start, e.End
	if !b.unordered {
		b.add(&t.since, &p)
	}
	return nil
}

// add adds the kernels of q to p.
func (b *Builder[V]) add(p, q *Piece) {
	if q.First == 0 {
		return
	}
	if p.First == 0 {
		p.First = q.First
	} else if b.Keep {
		b.next[p.Last-1] = q.First
	}
	p.Last, p.Kernel = q.Last, q.Kernel
	p.Kernels += q.Kernels
	p.Ticks += q.Ticks
}

// Following returns for each execution, from 1, the next one of its piece; the entry of the last of
// a piece means nothing.
func (b *Builder[V]) Following() []uint32 { return b.next }

// apply carries out an event, or keeps it until the event that it depends on has come.
func (b *Builder[V]) apply(x *told) error {
	if x.kind == loi.EventTask && (x.id == 0 || b.live[x.id] != nil) {
		return x.wrong("task %d begins twice, or there are more than 2^32", x.id)
	}
	owner := b.live[x.at.task]
	switch {
	case owner == nil:
		b.early[x.at.task] = append(b.early[x.at.task], *x)
		return nil
	case x.at.phase < owner.phase:
		return x.wrong("something of phase %d of task %d, which is in phase %d", x.at.phase,
			x.at.task, owner.phase)
	case x.at.phase > owner.phase, x.kind == loi.EventPhase && owner.ended < owner.n:
		owner.early = append(owner.early, *x)
		return nil
	}
	if x.kind == loi.EventPhase {
		return b.phase(owner, x)
	}
	if x.at.child >= owner.n || !owner.begins(x.at.child) {
		return x.wrong("child %d of phase %d of task %d ran twice, or is one too many of its %d",
			x.at.child, x.at.phase, x.at.task, owner.n)
	}
	b.complete(x)
	if x.kind == loi.EventChild {
		b.fold.Child(&owner.value, &owner.Task, &Child[V]{Number: x.at.child, Piece: x.piece})
		return b.childEnded(owner)
	}
	if x.children == 0 {
		return x.wrong("task %d has no children in its first phase", x.id)
	}
	t := b.node()
	t.Task = Task{x.id, x.at.task, x.at.phase, x.at.child, x.children, x.piece}
	t.n = x.children
	t.early = b.early[x.id]
	delete(b.early, x.id)
	b.live[x.id] = t
	b.fold.Begin(&t.value, &t.Task)
	return b.retry(t)
}

// begins takes note that a child has begun, and reports whether that was new.
func (t *node[V]) begins(child uint32) bool {
	if child < 64 {
		had := t.mask&(1<<child) != 0
		t.mask |= 1 << child
		return !had
	}
	if t.seen == nil {
		t.seen = map[uint32]struct{}{}
	}
	_, had := t.seen[child]
	t.seen[child] = struct{}{}
	return !had
}

// phase ends the phase of t, and t if it was the last.
func (b *Builder[V]) phase(t *node[V], x *told) error {
	if t.ID == 0 {
		return x.wrong("a phase of the program ended, which has none")
	}
	b.complete(x)
	b.fold.Phase(&t.value, &t.Task, x.piece)
	t.phase, t.n, t.ended, t.mask, t.seen = t.phase+1, x.children, 0, 0, nil
	if t.n > 0 {
		return b.retry(t)
	}
	if len(t.early) > 0 {
		return t.early[0].wrong("something of task %d, which ended after phase %d", t.ID, t.phase-1)
	}
	delete(b.live, t.ID)
	parent := b.live[t.Parent]
	b.fold.Child(&parent.value, &parent.Task, &Child[V]{Number: t.Child, Task: &t.Task,
		Value: &t.value})
	b.free = append(b.free, t)
	return b.childEnded(parent)
}

func (b *Builder[V]) childEnded(t *node[V]) error {
	if t.ended++; t.ended < t.n {
		return nil
	}
	return b.retry(t)
}

// retry does what came too early for t.
func (b *Builder[V]) retry(t *node[V]) error {
	early := t.early
	t.early = nil
	for i := range early {
		if err := b.apply(&early[i]); err != nil {
			return err
		}
	}
	return nil
}

// complete adds the kernels that events of their own assign to the piece of an event.
func (b *Builder[V]) complete(x *told) {
	if p, ok := b.of[x.at]; ok {
		b.add(&x.piece, &p)
		delete(b.of, x.at)
	}
}

func (x *told) wrong(format string, args ...any) error {
	return fmt.Errorf("task graph: worker %d, tick %d: %w: %s", x.piece.Worker, x.piece.At,
		ErrIncomplete, fmt.Sprintf(format, args...))
}

// End returns the value of the program. Errors wrap [ErrIncomplete].
func (b *Builder[V]) End() (*V, error) {
	program := b.live[0]
	delete(b.live, 0)
	if len(b.early) > 0 {
		id := slices.Min(slices.Collect(maps.Keys(b.early)))
		return nil, b.early[id][0].wrong("something of task %d, which never began", id)
	}
	if len(b.live) > 0 {
		id := slices.Min(slices.Collect(maps.Keys(b.live)))
		t := b.live[id]
		x := told{piece: t.Begin}
		if len(t.early) > 0 {
			x = t.early[0]
		}
		return nil, x.wrong("task %d did not end: %d of %d children of its phase %d did", id,
			t.ended, t.n, t.phase)
	}
	switch {
	case len(program.early) > 0:
		return nil, program.early[0].wrong("the program has a root and no more")
	case program.ended == 0:
		return nil, fmt.Errorf("task graph: %w: the root never ended", ErrIncomplete)
	case len(b.of) > 0:
		return nil, fmt.Errorf("task graph: %w: %d pieces of code that ran kernels never ended, or "+
			"before them", ErrIncomplete, len(b.of))
	}
	return &program.value, nil
}
