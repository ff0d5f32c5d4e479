package runtimes

// budgets are the charges to each node of tasks that have begun and not ended. Any worker under the
// lock.
type budgets struct {
	lock    spinLock
	used    []uint64          // by node
	charged map[*Frame]uint64 // those that were charged something
}

// admits asks the policy whether the worker may begin entry e, and charges its node as the policy
// decides. Rules.Admit; by the holder of the lock of e's queue.
func (w *Worker) admits(e entry) bool {
	if e.i < 0 { // the rest of a task that has begun stays where that is anchored
		return e.f.anchor == 0 || int(e.f.anchor)-1 == w.node
	}
	a := &w.admission
	*a = Admission{Depth: e.f.level() + 1, Node: w.node, Anchor: int(e.f.anchor) - 1,
		LLCBytes: w.pool.llc, Worker: w.id, Workers: w.pool.n}
	if h, ok := e.f.task.(Hinted); ok {
		a.Hint = h.Hint(w, int(e.i))
	}
	b := w.pool.budgets
	b.lock.acquire()
	a.Used = b.used[w.node]
	charge, ok := w.pool.admitter.Admit(a)
	if ok {
		w.charge = charge
		b.used[w.node] += charge
	}
	b.lock.release()
	return ok
}

// settle keeps the charge of the child that has just begun as frame c, or, if it has ended as well
// and c is nil, gives it back. There is one with Rules.Admit only.
func (w *Worker) settle(c *Frame) {
	if charge := w.charge; charge != 0 {
		w.charge = 0
		w.moveCharge(c, charge)
	}
}

// settle works like [Worker.settle], for a worker of that node. Any worker.
func (b *budgets) settle(c *Frame, node int, charge uint64) {
	b.lock.acquire()
	if c == nil {
		b.used[node] -= charge
	} else {
		c.anchor, c.charged = uint16(node+1), true
		b.charged[c] = charge
	}
	b.lock.release()
}

// uncharge gives back what f was charged, which has ended; with [Rules.Ranges], it was for several
// workers, which steal in a larger range now. Any worker.
func (w *Worker) uncharge(f *Frame) {
	if w.rules.Ranges {
		f.charged = false
		w.widen(f.parent)
		return
	}
	w.dropCharge(f)
}

// drop gives back what f was charged. Any worker.
func (b *budgets) drop(f *Frame) (charge uint64) {
	b.lock.acquire()
	charge = b.charged[f]
	b.used[f.anchor-1] -= charge
	delete(b.charged, f)
	f.charged = false
	b.lock.release()
	return charge
}

// popAdmitted works like [queue.pop], for the next entry that may begin; steal: for a thief. admits
// is called for one entry after the other, until one is admitted.
func (q *queue) popAdmitted(admits func(entry) bool, steal bool) (e entry, out Outcome) {
	if q.size.Load() == 0 {
		return entry{}, OutcomeEmpty
	}
	if !steal {
		q.lock.acquire()
	} else if !q.lock.try() {
		return entry{}, OutcomeBusy
	}
	defer q.lock.release()
	n := len(q.entries) - q.first
	for k := range n {
		at := q.first + k
		if q.take == TakeNewest && !steal {
			at = len(q.entries) - 1 - k
		}
		if e = q.entries[at]; admits(e) {
			copy(q.entries[at:], q.entries[at+1:])
			q.entries = q.entries[:len(q.entries)-1]
			q.grow(-1)
			return e, OutcomeDone
		}
	}
	if n == 0 {
		return entry{}, OutcomeEmpty
	}
	return entry{}, OutcomeLeft
}
