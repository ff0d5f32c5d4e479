package runtimes

import "sync/atomic"

// runParentFirst executes an entry, and goes on with what is at hand until it would have to look for work: until the worker's own
// queue is empty and, with JoinStarter, the join it waits at is not complete.
//
// At the beginning of a phase the children but the last are queued, in order, and the last is called. The newest entry is
// taken first, so that the children run in mirrored order unless they are stolen.
//
// JoinLast and JoinRequeue count strands in join: the children queued and the parent's own. The last to arrive runs the next
// phase, or queues it if it is not the parent's own strand.
//
// JoinStarter never hands a started frame to another worker. Every started frame is on its starter's stack until it ends,
// and only the one on top may go on. So the starter counts the children that it has finished itself without atomics, in
// steals, and others count theirs in join; the phase is complete when the two add up.
func (w *Worker) runParentFirst(e entry) {
	var f *Frame
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
	if c := f.task.Run(w, int(e.i)); c != nil {
		c.parent = f
		c.called = false
		f = c
		goto start
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
	if n := f.n - 1; n > 0 {
		if !starter {
			storeJoin(&f.join, n+1)
		}
		w.spawns += uint64(n)
		if w.spawnChildren(f, n) && w.attend(int(n)) {
			return
		}
	} else if n < 0 {
		badFork(f.n)
	}
	w.tasks++
	if c := f.task.Run(w, int(f.n-1)); c != nil {
		c.parent = f
		c.called = true
		f = c
		goto start
	}
arrive: // the child that f called has finished: its own strand is at the join
	if starter {
		goto top
	}
	if f.n == 1 || w.arrive(f, -1) || brokenJoin {
		goto next
	}
	goto own
report: // a child of f that was queued has finished
	if starter {
		if f.owner == int32(w.id) {
			f.steals++
		} else {
			w.pool.reportTo(w.tape, f)
		}
		goto top
	}
	if w.arrive(f, -1) {
		if w.rules.Join == JoinLast {
			goto next
		}
		w.shared.push(w.tape, entry{f, entryRest})
	}
	goto own
top: // the task on top of the stack goes on if its join is complete
	f = w.top
	if f == nil {
		goto own
	}
	if !f.complete() && !brokenJoin {
		goto own
	}
	if w.tape != nil {
		w.tape.note(taped{op: opComplete, frame: w.tape.all.name(f)})
	}
	f.steals = 0
	storeJoin(&f.join, 0)
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
		parent, called := f.parent, f.called
		if starter {
			w.top = f.link
		}
		w.retire(f)
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
	var ok bool
	if e, ok = w.takeOwn(); ok {
		goto take
	}
}

// complete says whether all children queued in the present phase have finished. JoinStarter; by the owner of f.
func (f *Frame) complete() bool {
	return f.steals+atomic.LoadInt32(&f.join) == f.n-1
}

// reportTo counts a child of f that finished away from the worker that started f, and wakes that worker, which may wait for
// just this. JoinStarter; any worker but the owner. The owner may retire f as soon as the add is done, so that owner is read
// before it.
func (p *pool) reportTo(t *tape, f *Frame) {
	owner := p.workers[f.owner]
	if t != nil {
		t.report(f)
	} else {
		atomic.AddInt32(&f.join, 1)
	}
	if owner.parked.Load() != 0 {
		owner.wake()
	}
}

// spawnChildren queues children 0 to n-1 of f, and returns whether others may have to be told of it. Owner only.
func (w *Worker) spawnChildren(f *Frame, n int32) (tell bool) {
	if w.shared != nil {
		w.shared.pushChildren(w.tape, f, n)
		return loadSignal(w.signal) != 0
	}
	for i := range n {
		if w.spawnChild(f, i) {
			tell = true
		}
	}
	return tell
}

// spawnChild queues child i of f on the worker's deque, as [deque.push] does. A child with an affinity to another worker is queued as a
// proxy that is also mailed there; the queue comes first, so that a child is never only in a mailbox. Owner only.
func (w *Worker) spawnChild(f *Frame, i int32) (tell bool) {
	if w.rules.Affinity {
		if a, ok := f.task.(Affine); ok {
			if to := a.Affinity(w, int(i)); to >= 0 && to != w.id && to < w.pool.n {
				return w.mailChild(f, i, w.pool.workers[to])
			}
		}
	}
	return w.push(f, i)
}

func (w *Worker) mailChild(f *Frame, i int32, to *Worker) (tell bool) {
	p := w.newProxy(f, i, to.id)
	if w.tape != nil {
		w.tape.enter(w.tape.guard)
	}
	tell = w.push(&p.Frame, entryProxy)
	to.mail.put(w, p)
	if w.sim != nil {
		w.sim.disturb(w.sim.all[to.id])
	}
	if w.tape != nil {
		w.tape.note(taped{op: opMail, whom: int32(to.id), frame: w.tape.all.name(f), child: i})
		w.tape.exit()
	}
	if to.parked.Load() != 0 {
		to.wake()
	}
	return tell
}

// takeOwn takes the newest entry of the worker's own queue.
func (w *Worker) takeOwn() (entry, bool) {
	if w.shared != nil {
		return w.shared.pop(w.tape)
	}
	e, ok := w.pop()
	if !ok || e.i != entryProxy {
		return e, ok
	}
	return w.openOwn(e)
}

// openOwn takes the child behind the proxy e, which was popped, or the newest entry beyond it if that was claimed elsewhere.
func (w *Worker) openOwn(e entry) (_ entry, ok bool) {
	if w.tape != nil {
		w.tape.enterOwn()
	}
	for ok = true; ok && e.i == entryProxy; {
		if e, ok = w.open(e); !ok {
			e, ok = w.pop()
		}
	}
	if w.tape != nil {
		w.tape.exit()
	}
	return e, ok
}
