package runtimes

import (
	"fmt"
	"sync/atomic"
)

// A Task is written by a kernel: the body of a [Frame], which it embeds.
//
// A task has phases. In each it has a number of children, which may run in parallel; when all have
// finished the next phase begins. The number of children in the first phase is given to
// [Frame.Fork] by whoever creates the frame.
type Task interface {
	// Run runs child i of the present phase. A child that is a mere kernel runs in place, and Run
	// returns nil. A child that has children of its own is a frame: Run creates it (see
	// [New]) and returns it as its last act, without having run any of it. Any worker may
	// call Run, for different i at the same time.
	Run(w *Worker, i int) *Frame

	// Next ends phase number phase, counted from 0, whose children have all finished, and returns
	// how many children the next one has; 0 if the task is complete. A phase of one child is a
	// call: it is not queued, not stolen and not counted as a spawn; but under policies that place
	// or admit tasks it is queued if it is placed with another worker, or if it has a hint and is
	// yet to be admitted. After Next returned 0 the frame belongs to the worker's free list.
	Next(w *Worker, phase int) int
}

// Hinted is a task with facts about its children. It is called for policies that take hints
// ([Rules.Hints]), by its holder, when child i of the present phase is about to be queued, or, with
// [Rules.Push], when the others have been stolen and child i is the next.
type Hinted interface {
	Hint(w *Worker, i int) Hint
}

// A Kind numbers the frame types of one program, each its own, so that finished frames are reused:
// 0 to [Kinds]-1, chosen by the program.
type Kind uint8

// Kinds is the number of frame types that a program may have.
const Kinds = 8

// kindProxy is the free list of proxies (mailbox.go), behind those of the program.
const kindProxy = Kinds

// A Frame is the part of a task that schedulers see. It is embedded in the task's struct, and holds
// 64 bytes.
//
// Who may touch a field: a frame is held by one worker at a time, its holder, and only the holder
// reads or writes the fields without a note. The hold passes on through a queue (the push
// publishes, the pop or steal acquires) or through the last arrival at a join (the atomic add on
// join orders it).
type Frame struct {
	task   Task
	parent *Frame // set when the frame starts; nil for the root
	link   *Frame // next in a free list; the frame below on a stack of started frames (JoinStarter)

	// child-first: the first child that is not begun; TakeSerial: which child of its parent the
	// frame is; Rules.Place: for which workers it is, none if it is serial; WaitThief: 1 + the
	// worker that was the last to steal a child of the present phase, 0 for none, written by that
	// worker
	next int32
	n    int32 // children of the present phase

	// join counts arrivals; any worker, atomic. Child-first: 0 while a phase runs unstolen; each
	// strand that ends adds -1, the one that ends with the last child adds the number of steals
	// instead, and whoever makes it 0 goes on. Parent-first with the last arriver: strands still
	// running. Parent-first with the starter: children that other workers finished.
	join int32
	// child-first: steals of this phase; JoinStarter: children that the starter itself finished
	steals int32

	phase int32
	// JoinStarter: the worker that started the frame; read by any worker, constant while it has
	// children
	owner int32
	kind  Kind
	// run as a call, not as a spawn: the parent was not queued (child-first), its join not counted
	// (parent-first)
	called bool
	depth  uint16 // TakeSerial, WaitRule, SpawnChosen: frames above it, at most 65535
	// Rules.Admit: 1 + the node that it, or the nearest frame above it, was charged to, 0 for none
	anchor uint16
	// SpawnChosen: how the present phase is run; written by who begins it, and constant while any
	// of its children runs
	rule SpawnRule
	// Rules.Admit: something is to be given back when the frame ends; Rules.Ranges: it is for several
	// workers
	charged bool
}

// Bind makes t the body of f, which t embeds, and kind its frame type. It is called once, when the
// frame is allocated; [New] does it. A kind that is not below [Kinds] is a panic.
//
// The check is an index out of range, and not a panic with a sentence: a call would keep the
// functions in which kernels make their frames from being inlined.
func (f *Frame) Bind(t Task, kind Kind) {
	f.task, f.kind = t, programKinds[kind]
}

// programKinds is the table of [Frame.Bind]: a kind itself, if a program may have it.
var programKinds = [Kinds]Kind{0, 1, 2, 3, 4, 5, 6, 7}

func (f *Frame) bind(t Task, kind Kind) { f.task, f.kind = t, kind }

func (f *Frame) frame() *Frame { return f }

// Fork sets the number of children of f's first phase, at least 1, and returns f: the last line of
// a [Task.Run] that creates a frame.
func (f *Frame) Fork(n int) *Frame {
	f.n = int32(n)
	return f
}

// queuing returns how many children of f's present phase are queued: those but the last or, with
// LastQueue, all of them. For one child alone it returns 0, unless the child is placed elsewhere,
// or has to be admitted. SpawnParent; by the holder of f.
func (w *Worker) queuing(f *Frame) int32 {
	if w.rules.Last != LastQueue || f.n < 1 || f.n == 1 && !w.sendsAway(f) {
		return f.n - 1
	}
	return f.n
}

// alone reports whether f's present phase is of one child, which was called: no other strand than
// f's own comes to its join. By the holder of that strand.
func (f *Frame) alone() bool { return f.n == 1 && atomic.LoadInt32(&f.join) == 0 }

// badFork panics for a wrong number of children. Drivers call it, not Fork, which must stay small
// enough to be inlined where kernels make their frames.
func badFork(n int32) {
	panic(fmt.Sprintf("runtimes: Fork(%d): a frame has at least one child in its first phase", n))
}

// New returns a task of type T, which embeds a [Frame], with all its fields zero: a finished one of
// the kind, or a new one. By the worker's own thread only. A kind belongs to one type; another's,
// or one that is not below [Kinds], is a panic. Cost: some 4 ns, to clear the task.
func New[T any, P interface {
	*T
	Task
	frame() *Frame
}](w *Worker, kind Kind) P {
	if w.free[kind&15] == nil {
		w.refill(kind & 15)
	}
	if f := w.free[kind&15]; f != nil {
		w.free[kind&15] = f.link
		task := f.task
		t := task.(P)
		*t = *new(T)
		f.bind(task, kind)
		return t
	}
	t := P(new(T))
	t.frame().Bind(t, kind)
	return t
}

// Spare returns a finished task of the kind from the worker's own free list, or nil: then [New] has
// one. It is for tasks that set each of their fields and are too fine for New: the fields are as
// the finished one left them. By the worker's own thread only. Cost: two loads and a store.
func (w *Worker) Spare(kind Kind) Task {
	f := w.free[kind&15]
	if f == nil {
		return nil
	}
	w.free[kind&15] = f.link
	return f.task
}

// retire puts a finished frame on the worker's free list. Owner only.
func (w *Worker) retire(f *Frame) {
	k := f.kind & 15
	f.link = w.free[k]
	w.free[k] = f
}

// retireShared works like retire, where queues are shared: there one worker may begin what another
// ends, and with the latter more frames would gather the longer the run lasts. The first frame of a
// free list has the number of its frames for a phase. Owner only.
func (w *Worker) retireShared(f *Frame) {
	k := f.kind & 15
	f.phase = 1
	if h := w.free[k]; h != nil {
		f.phase = h.phase + 1
	}
	if w.retire(f); f.phase >= spareFrames {
		w.spare(k)
	}
}

// done gives back frame f, whose task has ended. Owner only.
func (w *Worker) done(f *Frame) {
	if w.shared == nil {
		w.retire(f)
	} else {
		w.retireShared(f)
	}
}

// spareFrames is how many finished frames of a kind a worker keeps where queues are shared.
const spareFrames = 64

// freeLists is how many free lists a worker has; a power of two saves the test of the index.
const freeLists = 16

// spares are the surplus of workers: lists of so many finished frames, by kind. The first frame of
// each has its parent for the next list. Any worker under the lock.
type spares struct {
	lock  spinLock
	lists [freeLists]*Frame
	some  atomic.Uint32 // a bit for each kind that there are some of
}

// spare gives the worker's free list of a kind to whoever needs one.
func (w *Worker) spare(k Kind) {
	f, s := w.free[k], &w.pool.spares
	w.free[k] = nil
	s.lock.acquire()
	f.parent = s.lists[k]
	s.lists[k] = f
	s.some.Store(s.some.Load() | 1<<k)
	s.lock.release()
}

// refill gives the worker, which has none, a list of finished frames of a kind, if there is one;
// otherwise the worker has to make a frame.
//
//go:noinline
func (w *Worker) refill(k Kind) {
	if s := &w.pool.spares; s.some.Load()>>k&1 != 0 {
		s.lock.acquire()
		if f := s.lists[k]; f != nil {
			w.free[k] = f
			if s.lists[k] = f.parent; s.lists[k] == nil {
				s.some.Store(s.some.Load() &^ (1 << k))
			}
		}
		s.lock.release()
	}
	if w.free[k] == nil && k < Kinds {
		w.frames++
	}
}

// Program is the root of the task tree.
type Program interface {
	// Root runs, or creates, the root task, like a [Task.Run] for an only child.
	Root(w *Worker) *Frame
}

// rootKind: the root frame is allocated once a run and its free list is never asked.
const rootKind = kindProxy + 1

// rootTask is the parent of the root: a frame with one child, so that a root that runs in place
// needs no special case.
type rootTask struct {
	Frame
	p Program
}

func (p *pool) newRoot(prog Program) *Frame {
	if p.structure.Any() {
		prog = recordedProgram{prog}
	}
	root := newRoot(prog)
	if p.rules.Place {
		root.next = placeRange(0, p.n*p.parts)
	}
	return root
}

func newRoot(p Program) *Frame {
	r := &rootTask{p: p}
	r.bind(r, rootKind)
	return r.Fork(1)
}

func (r *rootTask) Run(w *Worker, _ int) *Frame { return r.p.Root(w) }
func (r *rootTask) Next(*Worker, int) int       { return 0 }
