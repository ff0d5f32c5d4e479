package runtimes

import "math"

// stepWorker is a worker in virtual time: where its execution stands between two steps.
type stepWorker struct {
	*Worker
	f        *Frame        // the frame that pc is about
	virtual  *virtualQueue // what the worker's queue is in virtual time, if it is a shepherd's
	i        int32         // pcRun: the child; pcSpawn: the next child to queue
	pc       pc
	last     bool   // the child that runs is the last of its phase, which is called
	granted  bool   // the lock of the own queue is this worker's, from now
	waits    bool   // again is the next move of the search: the policy has been asked
	idleFrom uint64 // notIdle, or since when it searches
	queue    int    // the number of the worker's queue

	again   Move
	got     found // pcLoot: the first entry of a steal
	skipped skipped
}

const notIdle = math.MaxUint64

// pc is what a worker does next. The labels are those of runChildFirst, runParentFirst and runCalls.
type pc uint8

const (
	pcLook     pc = iota // search for work
	pcPhase              // f begins its present phase
	pcChildren           // child-first: go on with f's next child
	pcRun                // run child i of f
	pcReturned           // child-first: a child that was spawned ahead of f has finished
	pcGone               // child-first: and f was taken
	pcJoined             // child-first: the last child of f has finished
	pcNext               // all children of f have finished
	pcStart              // parent-first: f begins
	pcSpawn              // parent-first: queue child i of f
	pcArrive             // parent-first: f's own strand is at the join
	pcReport             // parent-first: a queued child of f has finished
	pcRequeue            // parent-first: the rest of f is to be queued
	pcTop                // parent-first: may the top of the stack go on?
	pcOwn                // parent-first: take from the own queue
	pcLoot               // append what a steal of several took to the own queue
)

// step carries out what v does next up to and including one operation on something shared, and moves v's clock on.
func (s *stepper) step(v *stepWorker) {
	for !s.advance(v) && !s.finished {
	}
}

// advance does transitions until one takes time, and returns true; or false after one, if s.single, or if none did.
func (s *stepper) advance(v *stepWorker) (timed bool) {
	f := v.f
	var began uint64
	var n int32
	switch v.pc {
	case pcLook:
		return s.look(v)
	case pcPhase:
		goto phase
	case pcChildren:
		goto children
	case pcRun:
		goto run
	case pcReturned:
		goto returned
	case pcGone:
		goto gone
	case pcJoined:
		goto joined
	case pcNext:
		goto next
	case pcStart:
		goto start
	case pcSpawn:
		goto spawn
	case pcArrive:
		goto arrive
	case pcReport:
		goto report
	case pcRequeue:
		goto requeue
	case pcTop:
		goto top
	case pcOwn:
		goto own
	case pcLoot:
		goto loot
	}

run: // child i of f; if it runs in place the step lasts as long as its kernels
	began = v.now
	if !s.childFirst {
		v.tasks++
	} else if v.last {
		v.calls++
	}
	if c := f.task.Run(v.Worker, int(v.i)); c != nil {
		c.parent = f
		c.phase = 0
		c.called = v.last
		f = c
		v.f, v.pc = c, s.begin
		if v.now > began || s.single {
			return v.now > began
		}
		if s.parentFirst {
			goto start
		}
		goto phase
	}
	v.pc = s.ended[btoi(v.last)]
	return v.now > began // a child without a kernel takes no time

returned: // child-first: a child that was spawned ahead of f has finished
	v.pc = pcChildren
	if s.childFirst {
		if _, ok := v.pop(); !ok {
			v.pc = pcGone
		}
		v.now += s.costs.Pop
		return true
	}
	if s.single {
		return false
	}
	goto children

start:
	f.phase = 0
	if s.starter {
		f.owner = int32(v.id)
		f.link = v.top
		v.top = f
	}
	v.pc = pcPhase
	if s.single {
		return false
	}

phase:
	if f.n < 1 {
		badFork(f.n)
	}
	f.next = 0
	if s.parentFirst {
		if !s.starter && f.n > 1 {
			storeJoin(&f.join, f.n)
		}
		v.i, v.pc = 0, pcSpawn
		if s.single {
			return false
		}
		goto spawn
	}
	v.pc = pcChildren
	if s.single {
		return false
	}

children: // child-first: go on with f's next child
	v.i = f.next
	f.next++
	v.last = f.next >= f.n
	v.pc = pcRun
	if s.childFirst && !v.last {
		v.spawns++
		v.push(f, 0)
		v.now += s.costs.Spawn
		return true
	}
	if s.single {
		return false
	}
	goto run

spawn: // queue children of f: one a step, or all under one lock
	n = f.n - 1
	if v.i >= n {
		v.i, v.last, v.pc = n, true, pcRun
		if s.single {
			return false
		}
		goto run
	}
	if v.shared == nil {
		v.spawns++
		v.spawnChild(f, v.i)
		v.i++
		v.now += s.costs.Spawn
		return true
	}
	if hold := s.costs.Lock + s.costs.Push*uint64(n-1); s.lockEarly(v, hold) {
		v.shared.pushChildren(v.tape, f, n)
		v.spawns += uint64(n)
		v.i = n
		v.now += hold
	}
	return true

gone: // child-first: f was taken from under its child
	v.pc = pcLook
	if s.arrive(v, f, -1) || brokenJoin {
		v.pc = pcNext
	}
	v.now += s.costs.Join
	return true

arrive: // parent-first: f's own strand is at the join
	switch {
	case s.starter:
		v.pc = pcTop
		if s.single {
			return false
		}
		goto top
	case f.n == 1:
		v.pc = pcNext
		if s.single {
			return false
		}
		goto next
	}
	v.pc = pcOwn
	if s.arrive(v, f, -1) || brokenJoin {
		v.pc = pcNext
	}
	v.now += s.costs.Join
	return true

report: // parent-first: a queued child of f has finished
	if s.starter {
		v.pc = pcTop
		if f.owner != int32(v.id) {
			s.reportTo(v, f)
			v.now += s.costs.Join
			return true
		}
		f.steals++
		if s.single {
			return false
		}
		goto top
	}
	v.pc = pcOwn
	if s.arrive(v, f, -1) {
		v.pc = pcRequeue
		if s.joinLast {
			v.pc = pcNext
		}
	}
	v.now += s.costs.Join
	return true

requeue:
	if s.lockEarly(v, s.costs.Lock) {
		v.shared.push(v.tape, entry{f, entryRest})
		v.pc = pcOwn
		v.now += s.costs.Lock
	}
	return true

joined: // child-first: the last child of f has finished
	v.pc = pcNext
	if steals := f.steals; steals != 0 {
		f.steals = 0
		if !s.arrive(v, f, steals) && !brokenJoin {
			v.pc = pcLook
		}
		v.now += s.costs.Join
		return true
	}
	if s.single {
		return false
	}
	goto next

top: // parent-first: may the top of the stack go on?
	v.pc = pcOwn
	if f = v.top; f != nil && (f.complete() || brokenJoin) {
		if v.tape != nil {
			v.tape.note(taped{op: opComplete, frame: v.tape.all.name(f)})
		}
		f.steals = 0
		storeJoin(&f.join, 0)
		v.f, v.pc = f, pcNext
		if s.single {
			return false
		}
		goto next
	}
	if s.single {
		return false
	}

own: // parent-first: take from the own queue
	if s.seesEmpty(v) {
		v.pc = pcLook
		if s.single {
			return false
		}
		return s.look(v)
	}
	if s.lockEarly(v, s.costs.Lock) {
		v.pc = pcLook
		e, ok := v.takeOwn()
		v.now += s.takeOwn
		if ok {
			v.take(e)
		} else if s.skips && !s.leaveIdle { // that it searches is seen by nobody
			s.search(v)
			s.skip(v)
		}
	}
	return true

loot: // append what a steal of several took to the own queue
	if hold := s.costs.Lock + s.costs.Push*(max(uint64(len(v.loot)), 1)-1); s.lockOwn(v, hold) {
		v.keepLoot()
		v.now += hold
		s.foundWork(v, v.got)
	}
	return true

next: // all children of f have finished; if Next runs kernels the step lasts as long as they do
	began = v.now
	if m := f.task.Next(v.Worker, int(f.phase)); m > 0 {
		f.n = int32(m)
		f.phase++
		v.pc = pcPhase
		if v.now > began || s.single {
			return v.now > began
		}
		goto phase
	}
	{
		parent, called := f.parent, f.called
		if s.starter {
			v.top = f.link
		}
		v.retire(f)
		if parent == nil {
			s.finished, s.end = true, v.now
			return true
		}
		f = parent
		v.f = f
		v.pc = s.ended[btoi(called)]
	}
	return v.now > began
}

// take has v go on with an entry.
func (v *stepWorker) take(e entry) {
	v.f, v.i, v.last = e.f, e.i, false
	v.pc = taken[-e.i&(e.i>>31)&3]
}

// taken is how an entry goes on: a child, entryRest, -, entryTop.
var taken = [4]pc{0: pcRun, -entryRest: pcNext, -entryTop: pcTop}

// arrive is [Worker.arrive].
func (s *stepper) arrive(v *stepWorker, f *Frame, n int32) (last bool) {
	if s.single {
		return v.arrive(f, n)
	}
	f.join += n // nobody else is running
	return f.join == 0
}

// reportTo is [pool.reportTo]; a starter that waits for this report finds it when its search goes on.
func (s *stepper) reportTo(v *stepWorker, f *Frame) {
	owner := s.all[f.owner]
	v.pool.reportTo(v.tape, f)
	if owner.top == f && f.complete() {
		s.disturb(owner)
	}
}
