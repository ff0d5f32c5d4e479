package runtimes

import (
	"sync/atomic"

	"krdlab/hw"
)

// runParentFirst executes an entry, and goes on with entries at hand until it would have to look
// for work: until the worker's own queue is empty and, with JoinStarter, the join it waits at is
// not complete.
//
// At the beginning of a phase the children but the last are queued, in order, and the last is
// called; with LastQueue it is queued too, and the parent arrives at the join at once. A deque
// gives the newest entry first, so that the children run in mirrored order unless they are stolen.
//
// JoinLast and JoinRequeue count strands in join: the children queued and the parent's own. The
// last to arrive runs the next phase, or queues it if it is not the parent's own strand.
//
// JoinStarter never hands a started frame to another worker. Every started frame is on its
// starter's stack until it ends, and only the one on top may go on. So the starter counts the
// children that it has finished itself without atomics, in steals, and others count theirs in join;
// the phase is complete when the two add up.
func (w *Worker) runParentFirst(e entry) {
	var f *Frame
	var n int32 // the child that is called
	var ok bool
	starter := w.rules.Join == JoinStarter
take:
	f = e.f
	switch e.i {
	case entryRest:
		goto next
	case entryTop:
		goto top
	case entryStart:
		goto start
	}
	w.tasks++
	if w.extra {
		w.begun = e
	}
	if c := f.task.Run(w, int(e.i)); c != nil {
		c.parent = f
		c.called = false
		if w.extra {
			w.rank(c, f)
		}
		f = c
		goto start
	}
	if w.extra {
		w.ranInPlace(e)
	}
	goto report
start:
	f.phase = 0
	if starter {
		f.owner = int32(w.id)
		f.link = w.top
		w.top = f
	}
phase:
	if n = f.n - 1; n > 0 || n == 0 && w.extra {
		if w.extra {
			if n = w.spawning(f); n < 0 {
				return
			} else if n == f.n {
				goto arrive
			}
		} else {
			if !starter {
				hw.StoreRelease32(&f.join, n+1)
			}
			w.spawns += uint64(n)
			if w.spawnChildren(f, n) && w.attend(int(n)) {
				return
			}
		}
	} else if n < 0 {
		badFork(f.n)
	}
call:
	w.tasks++
	if c := f.task.Run(w, int(n)); c != nil {
		c.parent = f
		c.called = true
		if w.extra {
			w.rankCalled(c, f)
		}
		f = c
		goto start
	}
arrive: // the child that f called has finished: its own strand is at the join
	if starter {
		goto top
	}
	// asked before: once this strand has arrived, f may have ended, unless it is serial
	ok = w.extra && w.rules.Place && f.serial()
	if f.alone() || w.arrive(f, -1) {
		goto next
	}
	if ok {
		if n, ok = w.nextCall(f); ok {
			goto call
		}
	}
	goto own
report: // a child of f that was queued has finished
	if starter {
		if f.owner == int32(w.id) {
			f.steals++
		} else {
			w.reportTo(f)
		}
		goto top
	}
	if w.arrive(f, -1) {
		if w.rules.Join == JoinLast {
			goto next
		}
		tell := true
		if w.shared != nil {
			tell = w.queueRest(f)
		} else {
			tell = w.push(f, entryRest)
		}
		if tell && w.attend(1) {
			return
		}
	}
	goto own
top: // the task on top of the stack goes on if its join is complete
	f = w.top
	if f == nil {
		goto own
	}
	if !w.completes(f) {
		if w.extra {
			if n, ok = w.nextCall(f); ok {
				goto call
			}
		}
		goto own
	}
	w.reopen(f)
next:
	if n := f.task.Next(w, int(f.phase)); n > 0 {
		f.n = int32(n)
		f.phase++
		if n == 1 && w.stopping() { // nothing is pushed or popped in a phase of one child
			return
		}
		goto phase
	}
	{
		if w.extra && f.charged {
			w.uncharge(f)
		}
		parent, called := f.parent, f.called
		if starter {
			w.top = f.link
		}
		if w.shared == nil { // [Worker.done], which is too large to be inlined
			w.retire(f)
		} else {
			w.retireShared(f)
		}
		if parent == nil {
			w.pool.finish()
			return
		}
		f = parent
		if called {
			goto arrive
		}
		goto report
	}
own:
	if w.shared != nil && w.stopping() { // a deque is shut instead
		return
	}
	if e, ok = w.takeOwn(); ok {
		goto take
	}
}

// spawning begins a phase of f with WaitRule, LastQueue or Place. It returns which child is called,
// f.n if all are queued, or -1 if the run must stop. Not inlined, as rank: few
// policies come here, and the loop has few registers.
//
//go:noinline
func (w *Worker) spawning(f *Frame) (n int32) {
	if n = w.queuing(f); n == 0 {
		return 0
	}
	if w.rules.Place && f.serial() {
		w.beginCalls(f)
		return 0
	}
	if w.rules.Wait == WaitThief {
		hw.StoreRelease32(&f.next, 0)
	}
	if w.rules.Join == JoinStarter {
		f.steals = f.n - 1 - n
	} else {
		hw.StoreRelease32(&f.join, n+1)
	}
	w.spawns += uint64(n)
	if w.spawnChildren(f, n) && w.attend(int(n)) {
		return -1
	}
	return n
}

// rank notes where frame c, which begins, is in the tree: the entry begun of f stood for it.
//
//go:noinline
func (w *Worker) rank(c, f *Frame) {
	if w.rules.ranked() {
		c.begins(f, w.name(w.begun))
		w.settle(c)
		w.ranged(c)
	}
}

// rankCalled works like rank, for the last child of f, which is called.
func (w *Worker) rankCalled(c, f *Frame) {
	if w.rules.ranked() {
		c.begins(f, w.calledName(f))
		w.ranged(c)
	}
}

// arrive adds n to the join of f and returns whether that made it 0: whether no strand is left. If
// it is seen that none is left beforehand, no other will touch it, and it need not be atomic.
// Holder of a strand of f.
func (f *Frame) arrive(n int32) (last bool) {
	if atomic.LoadInt32(&f.join)+n == 0 {
		hw.StoreRelease32(&f.join, 0)
		return true
	}
	return atomic.AddInt32(&f.join, n) == 0
}

// complete reports whether all children queued in the present phase have finished: steals counts
// those that finished here, from -1 on if all children are queued. JoinStarter; by the owner of f.
func (f *Frame) complete() bool {
	return f.steals+atomic.LoadInt32(&f.join) == f.n-1
}

// reset makes the join of f ready for the next phase. JoinStarter; by the owner of f.
func (f *Frame) reset() {
	f.steals = 0
	hw.StoreRelease32(&f.join, 0)
}

// reportTo counts a child of f that finished away from the worker that started f, and wakes that
// worker, which may wait for just this. JoinStarter; any worker but the owner. The owner may retire
// f as soon as the add is done, so that owner is read before it.
func (w *Worker) reportTo(f *Frame) {
	owner := w.pool.workers[f.owner]
	w.report(f)
	if owner.parked.Load() != 0 {
		owner.wake()
	}
}

// addChildren queues children 0 to n-1 of f on the own queue, which is not a deque. Owner only.
func (w *Worker) addChildren(f *Frame, n int32) {
	if w.rules.Take != TakeHighest {
		w.shared.pushChildren(f, n)
		return
	}
	w.shared.pushTagged(f, w.priorities(f, n))
}

// priorities returns those of children 0 to n-1 of f. The result is valid until the next call.
// Owner only.
func (w *Worker) priorities(f *Frame, n int32) []int32 {
	w.tags = append(w.tags[:0], make([]int32, n)...)
	if h, ok := f.task.(Hinted); ok {
		for i := range w.tags {
			w.tags[i] = h.Hint(w, i).Priority
		}
	}
	return w.tags
}

// spawnChildren queues children 0 to n-1 of f, and returns whether others may have to be woken for
// it. Owner only.
func (w *Worker) spawnChildren(f *Frame, n int32) (tell bool) {
	switch {
	case !w.bare:
		if !w.mails {
			return w.tellChildren(f, n)
		}
		if h, ok := f.task.(Hinted); ok {
			return w.mailChildren(f, n, h)
		}
	case w.shared != nil:
		w.pushChildren(f, n)
		return w.signal.Load() != 0
	}
	for i := range n {
		if w.push(f, i) {
			tell = true
		}
	}
	return tell
}

// tellChildren works like spawnChildren, where the policy, the task or another worker takes part.
func (w *Worker) tellChildren(f *Frame, n int32) (tell bool) {
	if w.rules.Cache {
		for i := range n {
			w.cache = append(w.cache, entry{f: f, i: i})
		}
		return false
	}
	if w.rules.Place {
		w.placeChildren(f, n)
		return w.signal.Load()&signalStop != 0
	}
	for i := range n {
		if w.spawnChild(f, i) {
			tell = true
		}
	}
	if w.rules.Half && w.expose(w.head.Load()) {
		tell = true
	}
	if w.requests != nil {
		w.answer()
	}
	return tell
}

// spawnChild queues child i of f on the worker's deque, as [deque.push] does. Owner only.
func (w *Worker) spawnChild(f *Frame, i int32) (tell bool) {
	if !w.rules.Mail {
		return w.pushTagged(f, i)
	}
	if h, ok := f.task.(Hinted); ok {
		return w.mailNear(f, i, h)
	}
	return w.push(f, i)
}

// mailChildren works like spawnChildren, for a task with hints. Rules.Mail.
func (w *Worker) mailChildren(f *Frame, n int32, h Hinted) (tell bool) {
	for i := range n {
		if w.mailNear(f, i, h) {
			tell = true
		}
	}
	return tell
}

// mailNear queues child i of f. One that is near to another worker is queued as a proxy that is
// also mailed there; the queue comes first, so that a child is never only in a mailbox. Owner only.
func (w *Worker) mailNear(f *Frame, i int32, h Hinted) (tell bool) {
	if to := h.Hint(w, int(i)).Near - 1; to >= 0 && to != w.id && to < w.pool.n {
		return w.mailChild(f, i, w.pool.workers[to])
	}
	return w.push(f, i)
}

// pushTagged works like [deque.push], with the depth of the child as its tag if there is a
// [WaitRule].
func (w *Worker) pushTagged(f *Frame, i int32) (tell bool) {
	if w.rules.Wait != WaitAny {
		putTag(w.own(w.tail), int32(f.level())+1)
	}
	return w.push(f, i)
}

func (w *Worker) mailChild(f *Frame, i int32, to *Worker) (tell bool) {
	if w.decides() {
		w.tellMail(int32(f.inTrace()), f.phase, i, to)
	}
	p := w.newProxy(f, i, to.id)
	tell = w.send(p, to)
	if to.parked.Load() != 0 {
		to.wake()
	}
	return tell
}

// post queues the proxy p and puts it into the mailbox of its addressee. Owner only.
func (w *Worker) post(p *proxy, to *Worker) (tell bool) {
	tell = w.push(&p.Frame, entryProxy)
	to.mail.put(w, p)
	if w.sim != nil {
		w.sim.disturb(w.sim.all[to.id])
	}
	return tell
}

// takeOwn takes the newest entry of the worker's own queue.
func (w *Worker) takeOwn() (entry, bool) {
	if w.guarded {
		return w.takeGuarded()
	}
	if w.shared != nil {
		return w.popQueue()
	}
	e, ok := w.pop()
	if !ok || e.i != entryProxy {
		return e, ok
	}
	return w.openOwn(e)
}

// queueRest queues what follows the join of f, on a queue under a lock, and returns whether others
// may have to be woken for it. Owner only.
func (w *Worker) queueRest(f *Frame) (tell bool) {
	if w.rules.Cache {
		w.cache = append(w.cache, entry{f: f, i: entryRest})
		return false
	}
	w.pushRest(f)
	return true
}

// takeCached takes the newest of the worker's cache, and makes the rest known; or from its queue.
func (w *Worker) takeCached() (entry, bool) {
	n := len(w.cache) - 1
	if n < 0 {
		return w.popQueue()
	}
	e := w.cache[n]
	if n > 0 {
		w.flush(w.cache[:n])
		w.attend(n) // whether the run must stop is seen before the next entry is taken
	}
	w.cache = w.cache[:0]
	return e, true
}

// takeGuarded works like takeOwn, for rules that need something before: a cache, a budget, an
// answer, a [WaitRule].
func (w *Worker) takeGuarded() (entry, bool) {
	if w.rules.Cache {
		return w.takeCached()
	}
	if w.rules.Admit {
		e, out := w.popFitting()
		return e, out == OutcomeDone
	}
	w.answer()
	if !w.mayTakeOwn() {
		return entry{}, false
	}
	return w.pop()
}

// openNewest takes the child behind the proxy e, which was popped, or the newest entry beyond it if
// that was claimed elsewhere.
func (w *Worker) openNewest(e entry) (_ entry, ok bool) {
	for ok = true; ok && e.i == entryProxy; {
		if e, ok = w.open(e); !ok {
			e, ok = w.pop()
		}
	}
	return e, ok
}
