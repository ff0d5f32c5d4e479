package runtimes

import "fmt"

// placeRange packs the range of a placement into a tag, which the frame of the child then keeps.
func placeRange(from, to int) int32 { return int32(uint32(from)<<16 | uint32(to)) }

func rangeOf(tag int32) (from, to int) { return int(uint32(tag) >> 16), int(uint16(tag)) }

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
// and the anchor of its parent.
func (w *Worker) calledName(f *Frame) int32 {
	switch {
	case w.rules.Admit || w.rules.Place && f.n == 1:
		return f.next
	case !w.rules.Place:
		return f.n - 1
	}
	e, _ := w.place(f, f.n-1)
	return e.tag
}
