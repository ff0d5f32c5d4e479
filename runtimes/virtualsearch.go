package runtimes

// search begins a search of v at v.now.
func (s *stepper) search(v *stepWorker) {
	v.idleFrom = v.now
	v.search.Step, v.search.Last = 0, OutcomeNone
	if s.leaveIdle {
		v.idle.Store(true)
	}
}

// look makes one move of a search.
func (s *stepper) look(v *stepWorker) (timed bool) {
	q := &v.search
	v.skipped.any = false
	if v.idleFrom == notIdle {
		s.search(v)
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
	if s.skips && m.Kind == MoveSteal && s.all[m.Victim].seemsEmpty() {
		s.miss(v, m)
		s.skip(v)
		return true
	}
	price := s.costs.StealFailed
	switch m.Kind {
	case MoveRest:
		v.now += s.costs.Rest
		q.Last = OutcomeDone
		s.skip(v)
		return true
	case MoveMail:
		price = s.costs.Mail
	case MoveLead, MoveResign:
		price = s.costs.Join
	case MoveOwn:
		price = s.takeOwn
		if s.seesEmpty(v) { // whatever is there already
			v.now += price
			q.Last = OutcomeEmpty
			return true
		}
		if !s.lockOwn(v, s.costs.Lock) {
			v.again, v.waits = m, true
			return true
		}
	case MoveSteal:
		if s.pool.shared == nil {
			break
		}
		empty := s.size(m.Victim) == 0
		if !empty && s.queues[m.Victim].locked <= v.now {
			if s.costs.Locked != nil {
				s.costs.Locked(s.pool.queueNode[m.Victim], v.now)
			}
			break
		}
		if empty && v.tape != nil {
			break
		}
		v.countSteal(m.Victim, false)
		v.now += price
		q.Last = OutcomeBusy
		if empty {
			q.Last = OutcomeEmpty
		}
		return true
	}
	got, out := v.move(m)
	if m.Kind == MoveSteal && out == OutcomeDone {
		price = s.costs.StealRemote
		if s.pool.queueNode[m.Victim] == v.node {
			price = s.costs.StealLocal
		}
		if s.pool.shared != nil {
			s.queues[m.Victim].locked = v.now + price
		}
	}
	v.now += price
	switch {
	case out != OutcomeDone || got.e.f == nil:
		q.Last = out
		s.skip(v)
	case m.Kind == MoveSteal && v.shared != nil:
		v.got, v.pc = got, pcLoot
	default:
		s.foundWork(v, got)
	}
	return true
}

// foundWork ends a search.
func (s *stepper) foundWork(v *stepWorker, got found) {
	v.idleTicks += v.now - v.idleFrom
	if v.rec != nil {
		v.recordIdle(v.idleFrom, v.now, true)
	}
	v.idleFrom = notIdle
	if s.leaveIdle {
		v.idle.Store(false)
	}
	v.skipped.any = false
	if s.childFirst {
		if got.stolen {
			got.e.f.steals++
		}
		v.f, v.pc = got.e.f, pcChildren
		return
	}
	v.take(got.e)
}
