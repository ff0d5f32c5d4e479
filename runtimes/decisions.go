package runtimes

import "krdlab/loi"

// decided records a decision (Structure.Decisions), where the worker is now. The first one of a
// search is recorded behind the beginning of that, so that a worker's events are in order.
func (w *Worker) decided(kind loi.EventKind, args ...uint32) {
	r, at, cpu := w.recorderNow()
	if since := w.searchesSince(); since != notIdle && !w.idleTold {
		r.Event(loi.EventIdle, since)
		w.idleTold = true
	}
	r.Event(kind, at, args...)
	cpu.release()
}

// searchesSince returns when the worker's present search began, or notIdle.
func (w *Worker) searchesSince() uint64 {
	if w.sim != nil {
		return w.sim.all[w.id].idleFrom
	}
	if w.searchFrom == 0 {
		return notIdle
	}
	return w.searchFrom
}

// decides reports whether decisions are recorded.
func (w *Worker) decides() bool { return w.pool.structure.Decisions }

// inTrace returns the number of the task f in the trace, 0 for the program.
func (f *Frame) inTrace() uint32 {
	if t, ok := f.task.(*recorded); ok {
		return t.id
	}
	return 0
}

// tellChild records the hints of child i of t, which the worker begins, and the charge to its node.
func (w *Worker) tellChild(t *recorded, i int) {
	of := [...]uint32{t.id, uint32(t.phase), uint32(i)}
	if h, ok := t.inner.task.(Hinted); ok && w.rules.Hints {
		x := h.Hint(w, i)
		w.decided(loi.EventHint, of[0], of[1], of[2], uint32(x.Work), uint32(x.Work>>32),
			uint32(x.Bytes), uint32(x.Bytes>>32), uint32(x.Priority), uint32(x.Near))
	}
	if c := w.charge; c != 0 {
		w.decided(loi.EventCharge, of[0], of[1], of[2], uint32(c), uint32(c>>32))
	}
}

// tellPlace records where child i of f was placed, in a queue of that number.
func (w *Worker) tellPlace(f *Frame, i int32, e entry, queue int) {
	if w.decides() {
		from, to := rangeOf(e.tag)
		w.decided(loi.EventPlace, f.inTrace(), uint32(f.phase), uint32(i),
			uint32(w.pool.queueFirst[queue]), uint32(from), uint32(to),
			uint32(btoi(e.tag&tagKept != 0)))
	}
}

// tellMail records that child i of a phase of a task in the trace was mailed to worker to.
func (w *Worker) tellMail(task, phase, i int32, to *Worker) {
	w.decided(loi.EventMail, uint32(task), uint32(phase), uint32(i), uint32(to.id))
}
