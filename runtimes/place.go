package runtimes

import (
	"fmt"

	"krdlab/hw"
	"krdlab/loi"
)

// placeRange packs the range of a placement into a tag, which the frame of the child then keeps.
func placeRange(from, to int) int32 { return int32(from<<15 | to) }

func rangeOf(tag int32) (from, to int) { return int(tag >> 15 & 0x7fff), int(tag & 0x7fff) }

// tagKept, of the tag of an entry: thieves leave it.
const tagKept int32 = 1 << 30

const (
	maxRange = 0x7fff // parts of all workers
	minParts = 32
	// maxPlaced is how many workers ranges can be of.
	maxPlaced = maxRange / minParts
)

// partsOf returns into how many parts ranges divide each of so many workers: a power of two, so
// that halves of halves have no remainder.
func partsOf(workers int) int {
	parts := minParts
	for 2*parts*workers <= maxRange {
		parts *= 2
	}
	return parts
}

// several reports that a range is of more than one worker.
func (p *pool) several(tag int32) bool {
	from, to := rangeOf(tag)
	return to > from && from/p.parts != (to-1)/p.parts
}

// mayTake reports whether w, a thief, may take an entry: the policy does not keep it, and with
// [Rules.Ranges] its range is within the one that w steals in. By the holder of the lock of the
// entry's queue.
func (w *Worker) mayTake(e entry) bool {
	if e.tag&tagKept != 0 {
		return false
	} else if !w.rules.Ranges {
		return true
	}
	from, to := rangeOf(e.tag)
	a, b := rangeOf(w.within.Load())
	return a <= from && to <= b
}

// setRange makes the workers of the range of f steal in it, or if on is false nowhere, until the
// next call; but not the last one if that is only partly in it. Rules.Ranges; by the holder of f.
func (w *Worker) setRange(f *Frame, on bool) {
	from, to := rangeOf(f.next)
	tag := f.next &^ tagKept
	if !on {
		tag = 0
	}
	if w.decides() {
		w.decided(loi.EventRange, f.inTrace(), uint32(from), uint32(to), uint32(btoi(on)))
	}
	for _, v := range w.pool.workers[from/w.pool.parts : max(to/w.pool.parts, from/w.pool.parts+1)] {
		v.within.Store(tag)
	}
}

// widen makes the workers of the nearest range of several that f is in (f itself or a frame above)
// steal there: a child of f that was for several has ended. Rules.Ranges; by the worker that ran
// it.
func (w *Worker) widen(f *Frame) {
	for f != nil && !w.pool.several(f.next) {
		f = f.parent
	}
	if f != nil {
		w.stealWithin(f, true)
	}
}

// deals stops steals in the range of f, whose children are dealt out now. dealt lets its workers
// steal there when they have been dealt out, unless the first child goes on dealing out its own
// range, first. Rules.Ranges; by the holder of f.
func (w *Worker) deals(f *Frame) {
	if w.rules.Ranges && w.pool.several(f.next) {
		w.stealWithin(f, false)
	}
}

func (w *Worker) dealt(f *Frame, first int32) {
	if w.rules.Ranges && w.pool.several(f.next) && !w.pool.several(first) {
		w.stealWithin(f, true)
	}
}

// ranged notes that frame c, which begins, is for several workers. Rules.Ranges.
func (w *Worker) ranged(c *Frame) {
	if w.rules.Ranges && w.pool.several(c.next) {
		c.charged = true
	}
}

// ranInPlace frees the room of the child behind entry e, which has run in place and dealt out
// nothing.
//
//go:noinline
func (w *Worker) ranInPlace(e entry) {
	w.settle(nil)
	if w.rules.Ranges && w.pool.several(e.tag) {
		w.widen(e.f)
	}
}

// serial reports that the children of f are called, in order: it was placed so, and its range is
// empty. Rules.Place.
func (f *Frame) serial() bool {
	from, to := rangeOf(f.next)
	return from == to
}

// dealing is the work that children of a phase have, all of them and those before child next: the
// holder deals out one after the other, and need not sum up the work of all for each.
type dealing struct {
	f           *Frame
	phase, next int32
	all, before uint64
}

// stays reports that the children of f have its range, and wait with the worker that spawns them.
// Rules.Ranges: f is for one worker.
func (w *Worker) stays(f *Frame) bool { return w.rules.Ranges && !w.pool.several(f.next) }

// place asks where child i of f goes, and returns its entry and the number of the queue. Cost: a
// hint, and for the first child one for each of the phase. Rules.Place; by the holder of f.
func (w *Worker) place(f *Frame, i int32) (e entry, to int) {
	if w.stays(f) {
		return entry{f: f, i: i, tag: f.next &^ tagKept}, w.pool.queueOf[w.id]
	}
	p := &w.placing // what goes to a policy would be allocated, each time
	*p = Placing{Child: int(i), Children: int(f.n), Depth: f.level() + 1, Worker: w.id,
		Workers: w.pool.n, Parts: w.pool.parts, LLCBytes: w.pool.llc}
	p.From, p.To = rangeOf(f.next)
	if h, ok := f.task.(Hinted); ok && w.rules.Hints {
		s := &w.dealing
		if i == 0 || s.f != f || s.phase != f.phase || s.next != i {
			s.all, s.before = 0, 0
			for j := range int(f.n) {
				work := h.Hint(w, j).Work
				if s.all += work; j < int(i) {
					s.before += work
				}
			}
		}
		p.Hint, p.All, p.Before = h.Hint(w, int(i)), s.all, s.before
		s.f, s.phase, s.next, s.before = f, f.phase, i+1, s.before+p.Hint.Work
	}
	at := w.pool.placer.Place(p)
	if at.From < 0 || at.From >= at.To || at.To > w.pool.n*w.pool.parts || at.Worker < 0 ||
		at.Worker >= w.pool.n || at.Keep && w.rules.Half {
		panic(&PolicyError{Found: fmt.Sprintf("a child placed at %+v", at),
			Want: fmt.Sprintf("a range of parts of workers, and one of them, of %d; and nothing "+
				"kept with Half", w.pool.n)})
	}
	if a := int(f.anchor) - 1; a >= 0 && w.pool.workers[at.Worker].node != a {
		panic(&PolicyError{Found: fmt.Sprintf("a child placed at %+v", at),
			Want: fmt.Sprintf("a worker of node %d, to which a task above it was charged", a)})
	}
	if at.Serial {
		at.From, at.To = at.Worker*w.pool.parts, at.Worker*w.pool.parts
	}
	e = entry{f: f, i: i, tag: placeRange(at.From, at.To)}
	if at.Keep {
		e.tag |= tagKept
	}
	return e, w.pool.queueOf[at.Worker]
}

// placeChildren queues children 0 to n-1 of f where the policy places them, and wakes workers that
// may wait there.
func (w *Worker) placeChildren(f *Frame, n int32) {
	if w.stays(f) && !w.decides() {
		queue, tag := w.pool.queueOf[w.id], f.next&^tagKept
		for i := range n {
			w.pushAt(queue, entry{f: f, i: i, tag: tag})
		}
		return
	}
	var first int32 // the range of child 0
	for i := range n {
		e, to := w.place(f, i)
		if i == 0 {
			first = e.tag
			w.deals(f)
		}
		w.tellPlace(f, i, e, to)
		w.putAt(to, e)
	}
	w.dealt(f, first)
}

// putAt adds an entry to a queue, which need not be the worker's own.
func (w *Worker) putAt(queue int, e entry) {
	p := w.pool
	w.pushAt(queue, e)
	for i, v := range p.workers {
		if p.queueOf[i] == queue && v.parked.Load() != 0 && v.wake() {
			return
		}
	}
}

// name returns the part of its entry that a frame keeps: which child it is, or its range.
func (w *Worker) name(e entry) int32 {
	if w.rules.Place {
		return e.tag
	}
	return e.i
}

// sendsAway reports whether the only child of f's phase is queued, as several are: it is placed
// with another worker, or there is a hint of it and no task above it was admitted. LastQueue; by
// the holder of f.
func (w *Worker) sendsAway(f *Frame) bool {
	if w.rules.Admit && f.anchor == 0 {
		if h, ok := f.task.(Hinted); ok && h.Hint(w, 0) != (Hint{}) {
			return true
		}
	}
	if !w.rules.Place || f.serial() {
		return false
	}
	_, to := w.place(f, 0)
	return to != w.pool.queueOf[w.id]
}

// calledName works like [Worker.name], for the last child of f, which is called: each of a serial
// frame has its range.
func (w *Worker) calledName(f *Frame) int32 {
	switch {
	case w.rules.Place && f.serial():
		return f.next
	case !w.rules.Place:
		return f.n - 1
	}
	e, to := w.place(f, f.n-1)
	w.tellPlace(f, f.n-1, e, to)
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

// nextCall returns the number of the child of f that is called after another one has ended. It
// returns false if f is not serial and something else is waited for, or the run must stop. Holder
// of f, whose phase is not complete.
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
