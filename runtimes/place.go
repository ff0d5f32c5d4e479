package runtimes

import (
	"fmt"

	"krdlab/hw"
)

// placeRange packs the range of a placement into a tag, which the frame of the child then keeps.
func placeRange(from, to int) int32 { return int32(uint32(from)<<16 | uint32(to)) }

func rangeOf(tag int32) (from, to int) { return int(uint32(tag) >> 16), int(uint16(tag)) }

// serial says that the children of f are called, in order: it was placed so, and its range is
// empty. Rules.Place.
func (f *Frame) serial() bool {
	from, to := rangeOf(f.next)
	return from == to
}

// place asks where child i of f goes, and returns its entry and the number of the queue.
// Rules.Place; by the holder of f.
func (w *Worker) place(f *Frame, i int32) (e entry, to int) {
	p := Placing{Child: int(i), Children: int(f.n), Depth: f.level() + 1, Worker: w.id,
		Workers: w.pool.n}
	p.From, p.To = rangeOf(f.next)
	if h, ok := f.task.(Hinted); ok && w.rules.Hints {
		for j := range int(f.n) {
			hint := h.Hint(w, j)
			if p.All += hint.Work; j < int(i) {
				p.Before += hint.Work
			} else if j == int(i) {
				p.Hint = hint
			}
		}
	}
	at := w.pool.placer.Place(&p)
	if at.From < 0 || at.From >= at.To || at.To > w.pool.n || at.Worker < 0 ||
		at.Worker >= w.pool.n {
		panic(&PolicyError{Found: fmt.Sprintf("a child placed at %+v", at),
			Want: fmt.Sprintf("a range of workers, and one of them, of %d", w.pool.n)})
	}
	if at.Serial {
		at.From, at.To = at.Worker, at.Worker
	}
	return entry{f: f, i: i, tag: placeRange(at.From, at.To)}, w.pool.queueOf[at.Worker]
}

// placeChildren queues children 0 to n-1 of f where the policy says, and wakes who may wait there.
func (w *Worker) placeChildren(f *Frame, n int32) {
	for i := range n {
		e, to := w.place(f, i)
		w.putAt(to, e)
	}
}

// putAt adds an entry to a queue, which need not be the worker's own.
func (w *Worker) putAt(queue int, e entry) {
	p := w.pool
	p.shared[queue].push(e)
	for i, v := range p.workers {
		if p.queueOf[i] == queue && v.parked.Load() != 0 && v.wake() {
			return
		}
	}
}

// name is what a frame keeps of the entry that it began as: which child it is, its range, or where
// its parent is anchored.
func (w *Worker) name(e entry) int32 {
	switch {
	case w.rules.Place:
		return e.tag
	case w.rules.Admit:
		return e.f.next
	}
	return e.i
}

// calledName is [Worker.name] of the last child of f, which is called: one alone has the range
// and the anchor of its parent, as has each of a serial frame.
func (w *Worker) calledName(f *Frame) int32 {
	switch {
	case w.rules.Admit || w.rules.Place && (f.n == 1 || f.serial()):
		return f.next
	case !w.rules.Place:
		return f.n - 1
	}
	e, _ := w.place(f, f.n-1)
	return e.tag
}

// beginCalls makes the present phase of f, which is serial, ready: it counts its children as the
// join rule counts those that are queued. Holder of f.
func (w *Worker) beginCalls(f *Frame) {
	f.steals = 0
	if w.rules.Join != JoinStarter {
		hw.StoreRelease32(&f.join, f.n)
	}
}

// nextCall is the number of the child of f that is called after another one has ended, or false if
// f is not serial and something else is waited for, or the run must stop. Holder of f, whose phase
// is not complete.
func (w *Worker) nextCall(f *Frame) (i int32, ok bool) {
	switch {
	case !w.rules.Place || !f.serial() || w.stopping():
		return 0, false
	case w.rules.Join == JoinStarter:
		f.steals++
		return f.steals, true
	}
	return f.n - f.join, true
}
