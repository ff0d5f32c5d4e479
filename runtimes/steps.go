package runtimes

import "math"

// stepWorker is a worker in virtual time: where its execution stands between two steps.
type stepWorker struct {
	*Worker
	pc    pc
	f     *Frame // the frame that pc is about
	e     entry  // pcTake
	i     int32  // pcRun: the child; pcSpawn: the next child to queue
	last  bool   // child-first: the child that runs is the last of its phase
	queue int    // the number of the worker's queue

	granted bool // the lock of the own queue is this worker's, from now
	again   Move // a look at the own queue that waits for its lock, if waits
	waits   bool
	got     found // pcLoot: the first entry of a steal

	order    uint64
	idleFrom uint64 // notIdle, or since when it searches
}

const notIdle = math.MaxUint64

// pc is what a worker does next. The labels are those of runChildFirst, runParentFirst and runCalls.
type pc uint8

const (
	pcLook     pc = iota // search for work
	pcPhase              // f begins its present phase
	pcChildren           // child-first: go on with f's next child
	pcRun                // run child i of f
	pcAfter              // the child that ran in place has ended
	pcReturned           // child-first: a child that was spawned ahead of f has finished
	pcGone               // child-first: and f was taken
	pcJoined             // child-first: the last child of f has finished
	pcNext               // all children of f have finished
	pcStart              // parent-first: f begins
	pcSpawn              // parent-first: queue child i of f
	pcTake               // parent-first: execute entry e
	pcArrive             // parent-first: f's own strand is at the join
	pcReport             // parent-first: a queued child of f has finished
	pcRequeue            // parent-first: the rest of f is to be queued
	pcTop                // parent-first: may the top of the stack go on?
	pcOwn                // parent-first: take from the own queue
	pcLoot               // append what a steal of several took to the own queue
)

// step carries out what v does next up to and including one operation on something shared, and moves v's clock on.
func (s *stepper) step(v *stepWorker) {
	for !s.finished && !s.advance(v) {
	}
}

// advance does one transition and returns whether it took time.
func (s *stepper) advance(v *stepWorker) (timed bool) {
	rules := v.rules
	parentFirst := rules.Spawn == SpawnParent
	starter := rules.Join == JoinStarter
	f := v.f
	switch v.pc {
	case pcStart:
		f.phase = 0
		if starter {
			f.owner = int32(v.id)
			f.link = v.top
			v.top = f
		}
		v.pc = pcPhase
	case pcPhase:
		if f.n < 1 {
			badFork(f.n)
		}
		f.next = 0
		v.pc = pcChildren
		if parentFirst {
			if !starter && f.n > 1 {
				storeJoin(&f.join, f.n)
			}
			v.i, v.pc = 0, pcSpawn
		}
	case pcSpawn:
		return s.spawn(v)
	case pcChildren:
		v.i = f.next
		f.next++
		v.last = v.i+1 >= f.n
		v.pc = pcRun
		if rules.Spawn == SpawnChild && !v.last {
			v.spawns++
			v.push(f, 0)
			v.now += s.costs.Spawn
			return true
		}
	case pcRun:
		return s.runChild(v)
	case pcAfter:
		switch {
		case parentFirst && v.i == f.n-1:
			v.pc = pcArrive
		case parentFirst:
			v.pc = pcReport
		case rules.Spawn == SpawnCall && !v.last:
			v.pc = pcChildren
		case v.last:
			v.pc = pcJoined
		default:
			v.pc = pcReturned
		}
	case pcReturned:
		v.pc = pcGone
		if rules.Spawn == SpawnCall {
			v.pc = pcChildren
			return false
		}
		if _, ok := v.pop(); ok {
			v.pc = pcChildren
		}
		v.now += s.costs.Pop
		return true
	case pcGone:
		v.pc = pcLook
		if v.arrive(f, -1) || brokenJoin {
			v.pc = pcNext
		}
		v.now += s.costs.Join
		return true
	case pcJoined:
		v.pc = pcNext
		if n := f.steals; n != 0 {
			f.steals = 0
			if !v.arrive(f, n) && !brokenJoin {
				v.pc = pcLook
			}
			v.now += s.costs.Join
			return true
		}
	case pcNext:
		return s.next(v)
	case pcTake:
		v.f = v.e.f
		switch v.e.i {
		case entryRest:
			v.pc = pcNext
		case entryTop:
			v.pc = pcTop
		default:
			v.i, v.pc = v.e.i, pcRun
		}
	case pcArrive:
		switch {
		case starter:
			v.pc = pcTop
		case f.n == 1:
			v.pc = pcNext
		default:
			v.pc = pcOwn
			if v.arrive(f, -1) || brokenJoin {
				v.pc = pcNext
			}
			v.now += s.costs.Join
			return true
		}
	case pcReport:
		return s.report(v)
	case pcRequeue:
		if s.lockOwn(v, s.costs.Lock) {
			v.shared.push(v.tape, entry{f, entryRest})
			v.pc = pcOwn
			v.now += s.costs.Lock
		}
		return true
	case pcTop:
		v.pc = pcOwn
		if f = v.top; f != nil && (f.complete() || brokenJoin) {
			if v.tape != nil {
				v.tape.note(taped{op: opComplete, frame: v.tape.all.name(f)})
			}
			f.steals = 0
			storeJoin(&f.join, 0)
			v.f, v.pc = f, pcNext
		}
	case pcOwn:
		if s.seesEmpty(v) {
			v.pc = pcLook
			return false
		}
		if s.lockOwn(v, s.costs.Lock) {
			v.pc = pcLook
			var ok bool
			if v.e, ok = v.takeOwn(); ok {
				v.pc = pcTake
			}
			v.now += s.own()
		}
		return true
	case pcLoot:
		hold := s.costs.Lock + s.costs.Push*(max(uint64(len(v.loot)), 1)-1)
		if s.lockOwn(v, hold) {
			v.keepLoot()
			v.now += hold
			s.foundWork(v, v.got)
		}
		return true
	case pcLook:
		return s.look(v)
	}
	return false
}

// runChild runs child i of f. If it runs in place the step lasts as long as its kernels.
func (s *stepper) runChild(v *stepWorker) (timed bool) {
	f, began := v.f, v.now
	parentFirst := v.rules.Spawn == SpawnParent
	if v.rules.Spawn == SpawnChild {
		if v.last {
			v.calls++
		}
	} else {
		v.tasks++
	}
	c := f.task.Run(v.Worker, int(v.i))
	if c == nil {
		v.pc = pcAfter
		return v.now > began
	}
	c.parent = f
	c.phase = 0
	if parentFirst {
		c.called = v.i == f.n-1
		v.pc = pcStart
	} else {
		c.called = v.last
		v.pc = pcPhase
	}
	v.f = c
	return v.now > began
}

// spawn queues children of f: one a step, or all under one lock.
func (s *stepper) spawn(v *stepWorker) (timed bool) {
	f := v.f
	n := f.n - 1
	if v.i >= n {
		v.i, v.pc = n, pcRun
		return false
	}
	if v.shared != nil {
		hold := s.costs.Lock + s.costs.Push*uint64(n-1)
		if s.lockOwn(v, hold) {
			v.shared.pushChildren(v.tape, f, n)
			v.spawns += uint64(n)
			v.i = n
			v.now += hold
		}
		return true
	}
	v.spawns++
	v.spawnChild(f, v.i)
	v.i++
	v.now += s.costs.Spawn
	return true
}

// report counts a queued child of f that has finished.
func (s *stepper) report(v *stepWorker) (timed bool) {
	f := v.f
	if v.rules.Join == JoinStarter {
		v.pc = pcTop
		if f.owner == int32(v.id) {
			f.steals++
			return false
		}
		v.pool.reportTo(v.tape, f)
		v.now += s.costs.Join
		return true
	}
	v.pc = pcOwn
	if v.arrive(f, -1) {
		v.pc = pcRequeue
		if v.rules.Join == JoinLast {
			v.pc = pcNext
		}
	}
	v.now += s.costs.Join
	return true
}

// next ends a phase of f, and f itself after its last. If Next runs kernels the step lasts as long as they do.
func (s *stepper) next(v *stepWorker) (timed bool) {
	f, began := v.f, v.now
	if n := f.task.Next(v.Worker, int(f.phase)); n > 0 {
		f.n = int32(n)
		f.phase++
		v.pc = pcPhase
		return v.now > began
	}
	parent, called := f.parent, f.called
	if v.rules.Join == JoinStarter {
		v.top = f.link
	}
	v.retire(f)
	if parent == nil {
		s.finished, s.end = true, v.now
		return true
	}
	v.f = parent
	switch {
	case v.rules.Spawn == SpawnParent && called:
		v.pc = pcArrive
	case v.rules.Spawn == SpawnParent:
		v.pc = pcReport
	case called:
		v.pc = pcJoined
	default:
		v.pc = pcReturned
	}
	return v.now > began
}

// look makes one move of a search.
func (s *stepper) look(v *stepWorker) (timed bool) {
	q := &v.search
	if v.idleFrom == notIdle {
		v.idleFrom = v.now
		q.Step, q.Last = 0, OutcomeNone
		v.idle.Store(true)
	}
	if v.top != nil && v.top.complete() {
		s.foundWork(v, found{e: entry{v.top, entryTop}})
		return false
	}
	var m Move
	if v.waits {
		m, v.waits = v.again, false
	} else {
		m = v.pool.policy.Look(q)
	}
	price := s.costs.StealFailed
	switch m.Kind {
	case MoveRest:
		v.now += s.costs.Rest
		q.Last = OutcomeDone
		return true
	case MoveMail:
		price = s.costs.Mail
	case MoveLead, MoveResign:
		price = s.costs.Join
	case MoveOwn:
		price = s.own()
		if s.seesEmpty(v) {
			break
		}
		if !s.lockOwn(v, s.costs.Lock) {
			v.again, v.waits = m, true
			return true
		}
	case MoveSteal:
		if s.pool.shared != nil && s.pool.shared[m.Victim].size.Load() != 0 {
			if s.locked[m.Victim] > v.now {
				v.countSteal(m.Victim, false)
				v.now += price
				q.Last = OutcomeBusy
				return true
			}
			if s.costs.Locked != nil {
				s.costs.Locked(s.pool.queueNode[m.Victim], v.now)
			}
		}
	}
	got, out := v.move(m)
	if m.Kind == MoveSteal && out == OutcomeDone {
		price = s.costs.StealRemote
		if s.pool.queueNode[m.Victim] == v.node {
			price = s.costs.StealLocal
		}
		if s.pool.shared != nil {
			s.locked[m.Victim] = v.now + price
		}
	}
	v.now += price
	switch {
	case out != OutcomeDone || got.e.f == nil:
		q.Last = out
	case m.Kind == MoveSteal && v.shared != nil:
		v.got, v.pc = got, pcLoot
	default:
		s.foundWork(v, got)
	}
	return true
}

// own is the price of taking from the own queue.
func (s *stepper) own() uint64 {
	if s.pool.shared != nil {
		return s.costs.Lock
	}
	return s.costs.Pop
}

// foundWork ends a search.
func (s *stepper) foundWork(v *stepWorker, got found) {
	v.idleTicks += v.now - v.idleFrom
	if v.rec != nil {
		v.recordIdle(v.idleFrom, v.now, true)
	}
	v.idleFrom = notIdle
	v.idle.Store(false)
	if v.rules.Spawn == SpawnChild {
		if got.stolen {
			got.e.f.steals++
		}
		v.f, v.pc = got.e.f, pcChildren
		return
	}
	v.e, v.pc = got.e, pcTake
}
