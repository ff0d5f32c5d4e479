package runtimes

import (
	"math"

	"krdlab/hw"
)

// stepWorker is a worker in virtual time: where its execution stands between two steps.
type stepWorker struct {
	Worker
	f        *Frame        // the frame that pc is about
	virtual  *virtualQueue // what the worker's queue is in virtual time, if it is a shepherd's
	i        int32         // pcRun: the child; pcSpawn: the next child to queue
	queues   int32         // pcSpawn: how many children of f are queued
	tag      int32         // pcRun: of the child's entry
	placed   entry         // pcSpawn, Rules.Place: the entry that waits for the lock of its queue
	placedAt int           // and the number of that
	pc       pc
	last     bool   // the child that runs is the last of its phase, which is called
	granted  bool   // the lock of the own queue is this worker's, from now
	waits    bool   // again is the next move of the search: the policy has been asked
	idleFrom uint64 // notIdle, or since when it searches
	queue    int    // the number of the worker's queue
	// until when it surely queues nothing; 0 for one that searches, whom a report or a mail can wake
	barrenTill uint64

	again   Move
	got     found // pcBatch: the first entry of a steal
	skipped skipped

	round    *round // nil: not known yet
	parkedAt int    // which look of the round is next
	isParked bool
}

const notIdle = math.MaxUint64

// pc is the next action of a worker: the labels of runChildFirst, runParentFirst and runCalls at
// which it may touch something shared, or run a task's code. Each has a function, in which v goes
// on to another label.
type pc uint8

const (
	pcLook     pc = iota // search for work
	pcChildren           // child-first: go on with f's next child
	pcRun                // run child i of f
	pcReturned           // child-first: a child that was spawned ahead of f has finished
	pcGone               // child-first: and f was taken
	pcJoined             // child-first: the last child of f has finished
	pcNext               // all children of f have finished
	pcSpawn              // parent-first: queue child i of f
	pcArrive             // parent-first: f's own strand is at the join
	pcReport             // parent-first: a queued child of f has finished
	pcRequeue            // parent-first: the rest of f is to be queued
	pcTop                // parent-first: may the top of the stack go on?
	pcOwn                // parent-first: take from the own queue
	pcBatch              // append what a steal of several took to the own queue
)

// start makes v begin the frame f.
func (s *stepper) start(v *stepWorker, f *Frame) {
	f.phase = 0
	if s.starter {
		f.owner = int32(v.id)
		f.link = v.top
		v.top = f
	}
	s.phase(v, f)
}

// phase makes v begin the present phase of f.
func (s *stepper) phase(v *stepWorker, f *Frame) {
	v.f = f
	if s.chosen {
		v.choose(f)
	}
	if s.childFirst || !s.parentFirst && f.rule != SpawnParent {
		f.next = 0
		v.pc = pcChildren
		return
	}
	if v.rules.Wait == WaitThief {
		f.next = 0
	}
	if v.rules.Place && f.n > 1 && f.serial() {
		v.beginCalls(f)
		v.i, v.last, v.pc = 0, true, pcRun
		return
	}
	v.queues = v.queuing(f)
	if n := v.queues; n == 0 {
	} else if !s.starter {
		hw.StoreRelease32(&f.join, n+1)
	} else {
		f.steals = f.n - 1 - n
	}
	v.i, v.pc = 0, pcSpawn
}

// begun goes on with a phase that v has just begun, at once if its children are queued.
func (s *stepper) begun(v *stepWorker) (timed bool) {
	return v.pc == pcSpawn && s.spawn(v)
}

// spawned goes on when n children of f have been queued: its last child is called, or v arrives at
// the join.
func (s *stepper) spawned(v *stepWorker, f *Frame, n int32) {
	v.i, v.last, v.pc = n, true, pcRun
	if n == f.n {
		v.pc = pcArrive
	}
}

// run runs child i of f. If it runs in place the step lasts as long as its kernels; without a
// kernel it takes no time.
func (s *stepper) run(v *stepWorker) (timed bool) {
	f, began := v.f, v.now
	if !s.childFirst {
		v.tasks++
	} else if v.last {
		v.calls++
	}
	if s.data != nil && !v.last {
		s.data.begins(v, f, v.i)
	}
	s.past.runs(v, f)
	c := f.task.Run(&v.Worker, int(v.i))
	s.past.ran(v, f, c)
	if c != nil {
		c.parent = f
		c.called = v.last
		if s.data != nil {
			s.data.framed(v, f, v.i, c)
		}
		if s.extra {
			s.begins(v, c)
		}
		v.now += s.costs.Frame
		s.past.frame(v, s.costs.Frame)
		s.start(v, c)
		return v.now > began || s.begun(v)
	}
	if s.data != nil && !v.last {
		s.data.ends(v, s.data.child(f, v.i))
	}
	if s.extra && !v.last {
		v.ranInPlace(entry{f: f, tag: v.tag})
	}
	v.pc = s.after(f, v.last)
	return v.now > began
}

// begins notes where frame c is in the tree, which v begins as a child of v.f.
func (s *stepper) begins(v *stepWorker, c *Frame) {
	if s.chosen {
		c.below(v.f)
		return
	}
	c.begins(v.f, v.nameOfChild(v.f))
	v.settle(c)
	v.ranged(c)
}

// nameOfChild returns [Worker.name], or calledName, of the child of f that has just begun.
func (v *stepWorker) nameOfChild(f *Frame) int32 {
	if v.last {
		return v.calledName(f)
	}
	return v.name(entry{f: f, i: v.i, tag: v.tag})
}

// next ends a phase of f, whose children have all finished. If Next runs kernels the step lasts as
// long as they do.
func (s *stepper) next(v *stepWorker) (timed bool) {
	f, began := v.f, v.now
	if s.data != nil {
		s.data.joined(v, f)
	}
	s.past.joined(v, f)
	if n := f.task.Next(&v.Worker, int(f.phase)); n > 0 {
		f.n = int32(n)
		f.phase++
		s.phase(v, f)
		return v.now > began || s.begun(v)
	}
	if f.charged {
		v.uncharge(f)
	}
	parent, called := f.parent, f.called
	if s.starter {
		v.top = f.link
	}
	if s.data != nil {
		s.data.ends(v, &s.data.frames.of(f).own)
	}
	v.done(f)
	s.past.ended(v, f, parent)
	if parent == nil {
		v.pc = pcNext
		s.finished, s.end = true, v.now
		return true
	}
	v.f, v.pc = parent, s.after(parent, called)
	return v.now > began
}

// after returns the label after a child of f, which was the last of its phase or not.
func (s *stepper) after(f *Frame, last bool) pc {
	if s.chosen {
		return ends[f.rule][btoi(last)]
	}
	return s.ended[btoi(last)]
}

// ends are the labels after a child that was queued, or spawned ahead of its parent, and after one
// that was called.
var ends = [...][2]pc{
	SpawnCall:   {pcChildren, pcNext},
	SpawnChild:  {pcReturned, pcJoined},
	SpawnParent: {pcReport, pcArrive},
}

// children goes on with f's next child. Child-first it is spawned, unless it is the last.
func (s *stepper) children(v *stepWorker) (timed bool) {
	f := v.f
	v.i = f.next
	f.next++
	v.last = f.next >= f.n
	if v.last || !s.childFirst && (!s.chosen || f.rule == SpawnCall) {
		if v.i >= f.n {
			badFork(f.n)
		}
		return s.run(v)
	}
	v.pc = pcRun
	v.spawns++
	if s.chosen {
		v.spawnOthers(f)
	} else {
		v.push(f, 0)
	}
	s.past.queued(f, entryOthers)
	v.now += s.costs.Spawn
	if s.data != nil {
		s.data.spawned(v, f, v.i)
		s.data.changed(v, v.queue, true)
	}
	return true
}

// returned takes f back, one of whose children has finished.
func (s *stepper) returned(v *stepWorker) (timed bool) {
	v.pc = pcChildren
	if s.chosen {
		if !v.takeBackFrame(v.f) {
			v.pc = pcGone
		}
	} else if _, ok := v.pop(); !ok {
		v.pc = pcGone
	}
	v.now += s.costs.Pop
	if s.data != nil {
		s.data.changed(v, v.queue, false)
	}
	return true
}

// gone ends the strand of a child whose parent f was taken from under it.
func (s *stepper) gone(v *stepWorker) (timed bool) {
	v.pc = s.atHand()
	last := v.Worker.arrive(v.f, -1)
	s.past.arrives(v, v.f, last)
	if last {
		v.pc = pcNext
	}
	s.join(v, v.f)
	return true
}

// atHand returns the label of a worker at a join that is not complete: child-first there is nothing
// at hand.
func (s *stepper) atHand() pc {
	if s.childFirst {
		return pcLook
	}
	return pcOwn
}

// joined ends the strand of f's last child; if nothing was stolen it is the only one.
func (s *stepper) joined(v *stepWorker) (timed bool) {
	steals := v.f.steals
	if steals == 0 {
		return s.next(v)
	}
	v.f.steals = 0
	v.pc = pcNext
	last := v.Worker.arrive(v.f, steals)
	s.past.arrives(v, v.f, last)
	if !last {
		v.pc = s.atHand()
	}
	s.join(v, v.f)
	return true
}

// spawn queues children of f: one a step, or all under one lock.
func (s *stepper) spawn(v *stepWorker) (timed bool) {
	f := v.f
	n := v.queues
	if v.i >= n {
		if v.rules.Ranges && n > 0 {
			v.dealt(f, v.tag)
		}
		if n < 0 {
			badFork(f.n)
		}
		if s.answers(v) {
			return true
		}
		s.spawned(v, f, n)
		return false
	}
	if v.rules.Place {
		return s.place(v)
	}
	if s.cache {
		v.spawnChildren(f, n)
		s.past.queuedAll(f, n)
		v.spawns += uint64(n)
		s.spawned(v, f, n)
		v.now += s.costs.Spawn * uint64(n)
		if s.data != nil {
			s.data.spawnedAll(v, f, n)
		}
		return true
	}
	if v.shared == nil {
		v.spawns++
		if v.bare {
			v.push(f, v.i)
		} else {
			v.spawnChild(f, v.i)
		}
		s.past.queued(f, v.i)
		v.now += s.costs.Spawn
		if s.data != nil {
			s.data.spawned(v, f, v.i)
			s.data.changed(v, v.queue, true)
		}
		if v.i++; v.i == n {
			if s.half {
				v.expose(v.head.Load())
			}
			if v.requests == nil {
				s.spawned(v, f, n)
			}
		}
		return true
	}
	if hold := s.costs.Lock + s.costs.Push*uint64(n-1); s.lockEarly(v, hold) {
		v.pushChildren(f, n)
		s.filled(v.queue, int(n))
		s.past.queuedAll(f, n)
		v.spawns += uint64(n)
		s.spawned(v, f, n)
		v.now += hold
		if s.data != nil {
			s.data.spawnedAll(v, f, n)
			s.data.changed(v, v.queue, true)
		}
	}
	return true
}

// place queues child i of f where the policy places it. It is called once.
func (s *stepper) place(v *stepWorker) (timed bool) {
	if !v.granted {
		v.placed, v.placedAt = v.Worker.place(v.f, v.i)
		if v.i == 0 {
			v.tag = v.placed.tag
			v.deals(v.f)
		}
		v.tellPlace(v.f, v.i, v.placed, v.placedAt)
	}
	if s.lock(v, v.placedAt, s.costs.Lock) {
		v.putAt(v.placedAt, v.placed)
		s.filled(v.placedAt, 1)
		s.past.queued(v.f, v.placed.i)
		v.spawns++
		v.now += s.costs.Lock
		if s.data != nil {
			s.data.spawned(v, v.f, v.i)
			s.data.changed(v, v.placedAt, true)
		}
		v.i++
	}
	return true
}

// answers makes v answer a request, if there is one: a step of its own.
func (s *stepper) answers(v *stepWorker) bool {
	if v.requests == nil {
		return false
	}
	thief := int(v.requests.asked.Load()) - 1
	if !v.Worker.answer() {
		return false
	}
	s.past.answers(thief)
	v.now += s.costs.Spawn
	if s.data != nil {
		s.data.post(v, thief)
	}
	return true
}

// arrive ends f's own strand at its join. If its only child was called there is no other.
func (s *stepper) arrive(v *stepWorker) (timed bool) {
	switch {
	case s.starter:
		return s.stackTop(v)
	case v.f.alone():
		return s.next(v)
	}
	v.pc = pcOwn
	f := v.f
	last := v.Worker.arrive(f, -1)
	s.past.arrives(v, f, last)
	if last {
		v.pc = pcNext
	} else if s.calls(v, f) {
		return false
	}
	s.join(v, f)
	return true
}

// calls makes v call the next child of f, if f is serial: between them is no step.
func (s *stepper) calls(v *stepWorker, f *Frame) bool {
	i, ok := v.nextCall(f)
	if ok {
		v.f, v.i, v.last, v.pc = f, i, true, pcRun
	}
	return ok
}

// report ends the strand of a child of f that was queued.
func (s *stepper) report(v *stepWorker) (timed bool) {
	f := v.f
	if !s.starter {
		v.pc = pcOwn
		last := v.Worker.arrive(f, -1)
		s.past.arrives(v, f, last)
		if last {
			v.pc = pcRequeue
			if s.joinLast {
				v.pc = pcNext
			}
		}
		s.join(v, f)
		return true
	}
	if f.owner == int32(v.id) {
		f.steals++
		return s.stackTop(v)
	}
	v.pc = pcTop
	owner := s.all[f.owner]
	v.reportTo(f)
	s.past.arrives(v, f, false)
	if owner.top == f && f.complete() { // it may wait for just this
		s.disturb(owner)
	}
	s.join(v, f)
	return true
}

// join charges v for an arrival at the join of f.
func (s *stepper) join(v *stepWorker, f *Frame) {
	v.now += s.costs.Join
	if s.data != nil {
		s.data.joins(v, f)
	}
}

// requeue queues what follows the join of f.
func (s *stepper) requeue(v *stepWorker) (timed bool) {
	if s.cache || s.lockEarly(v, s.costs.Lock) {
		if v.shared != nil {
			v.queueRest(v.f)
			s.filled(v.queue, 1)
		} else {
			v.push(v.f, entryRest)
		}
		s.past.queued(v.f, entryRest)
		v.pc = pcOwn
		v.now += s.putOwn
		if s.data != nil {
			s.data.requeued(v, v.f, s.cache)
		}
	}
	return true
}

// stackTop goes on with the task on top of the stack, if its join is complete.
func (s *stepper) stackTop(v *stepWorker) (timed bool) {
	if f := v.top; f != nil && v.completes(f) {
		v.reopen(f)
		s.past.arrives(v, f, true)
		v.f, v.pc = f, pcNext
		return s.next(v)
	} else if f != nil && s.calls(v, f) {
		return false
	}
	v.pc = pcOwn
	return s.own(v)
}

// own takes from the own queue.
func (s *stepper) own(v *stepWorker) (timed bool) {
	if len(v.cache) > 0 {
		return s.ownCache(v)
	}
	if s.seesEmpty(v) {
		v.pc = pcLook
		return s.look(v)
	}
	if s.answers(v) {
		return true
	}
	if !s.lockEarly(v, s.costs.Lock) {
		return true
	}
	v.pc = pcLook
	e, ok := v.takeOwn()
	v.now += s.takeOwn
	if ok {
		if s.data != nil {
			s.data.changed(v, v.queue, false)
			s.data.took(v, e)
		}
		s.past.takes(v, e)
		v.take(e)
	} else if s.skips && !s.leaveIdle { // that it searches is seen by nobody
		s.search(v)
		s.skip(v)
	}
	return true
}

// ownCache takes the newest entry of the own cache, and flushes the rest.
func (s *stepper) ownCache(v *stepWorker) (timed bool) {
	if len(v.cache) > 1 {
		if !s.lockEarly(v, s.costs.Lock) {
			return true
		}
		v.now += s.costs.Lock
	}
	flushed := len(v.cache) > 1
	e, _ := v.takeOwn()
	v.now += s.costs.Pop
	if s.data != nil {
		if flushed {
			s.data.changed(v, v.queue, true)
		}
		s.data.took(v, e)
	}
	v.take(e)
	return true
}

// keepBatch appends what a steal of several took to the own queue.
func (s *stepper) keepBatch(v *stepWorker) (timed bool) {
	if hold := s.keeping(v); s.lockOwn(v, hold) {
		s.past.keeps(v)
		n := len(v.batch) - 1
		v.Worker.keepBatch()
		if v.shared != nil && n > 0 {
			s.filled(v.queue, n)
		}
		v.now += hold
		s.foundWork(v, v.got, hold)
		if s.data != nil {
			s.data.stole(v, v.again.Victim, v.got.e)
			s.data.kept(v)
		}
	}
	return true
}

// keeping returns the price of adding what a steal took, but for its first entry, to v's own queue.
func (s *stepper) keeping(v *stepWorker) uint64 {
	n := max(uint64(len(v.batch)), 1) - 1
	if v.shared == nil {
		return s.costs.Spawn * n
	}
	return s.costs.Lock + s.costs.Push*n
}

// take makes v go on with an entry.
func (v *stepWorker) take(e entry) {
	if e.i == entryOthers {
		e.f.steals++
		v.f, v.pc = e.f, pcChildren
		return
	}
	v.f, v.i, v.tag, v.last = e.f, e.i, e.tag, false
	v.pc = taken[-e.i&(e.i>>31)&3]
}

// taken is how an entry goes on: a child, entryRest, -, entryTop.
var taken = [4]pc{0: pcRun, -entryRest: pcNext, -entryTop: pcTop}
