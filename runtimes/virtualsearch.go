package runtimes

// search begins a search of v at v.now.
func (s *stepper) search(v *stepWorker) {
	v.idleFrom = v.now
	v.search.Step, v.search.Last = 0, OutcomeNone
	if v.rules.Wait != WaitAny {
		v.seeWait()
	}
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
	if v.top != nil && !v.granted && v.completes(v.top) { // who has a lock does first what it is for
		s.foundWork(v, found{e: entry{f: v.top, i: entryTop}}, 0)
		return false
	}
	if s.answers(v) {
		return true
	}
	var m Move
	if v.waits {
		m, v.waits = v.again, false
	} else {
		v.seeRange()
		m = v.decide()
	}
	v.check(m)
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
	case MoveMail, MoveHear:
		price = s.costs.Mail
	case MoveAsk:
		price = s.costs.Join
	case MoveSee:
		v.now += price
		q.Last = seen(s.sees(v))
		return true
	case MoveClaim, MoveRelease:
		price = s.costs.Join
	case MoveOwn:
		if s.seesEmpty(v) { // whatever is there already
			if s.data != nil {
				s.data.looked(v, v.queue)
			}
			v.now += price
			q.Last = OutcomeEmpty
			return true
		}
		price = s.takeOwn
		if !s.lockOwn(v, s.costs.Lock) {
			v.again, v.waits = m, true
			return true
		}
	case MoveSteal:
		if s.pool.shared == nil {
			break
		}
		empty := s.seesNothing(v, m.Victim)
		if !empty && s.queues[m.Victim].locked <= v.now {
			if s.costs.Locked != nil {
				s.costs.Locked(s.pool.queueNode[m.Victim], v.now)
				s.past.tells(v, s.pool.queueNode[m.Victim])
			}
			break
		}
		v.countSteal(m.Victim, false)
		if s.data != nil {
			s.data.looked(v, m.Victim)
		}
		v.now += price
		q.Last = OutcomeBusy
		if empty {
			q.Last = OutcomeEmpty
		}
		return true
	}
	from := m.Victim
	if v.requests != nil && m.Kind == MoveHear {
		from = v.requests.from
	}
	got, out := v.move(m)
	if m.Kind == MoveHear && out == OutcomeDone {
		price = s.stealPrice(v, from)
	}
	if m.Kind == MoveSteal && out == OutcomeDone {
		price = s.stealPrice(v, from)
		if s.pool.shared != nil {
			if !s.costs.NoWait {
				s.queues[m.Victim].locked = v.now + price
			}
			s.past.asks(v, m.Victim, 0, v.now+price)
		} else {
			price += s.costs.Push * uint64(v.taken()-1)
		}
	}
	if m.Kind == MoveSteal && v.mailed > 0 {
		if out == OutcomeLeft { // it was stolen, and mailed on
			price = s.stealPrice(v, from)
		}
		price += s.costs.Mail * uint64(v.mailed)
	}
	v.now += price
	switch {
	case out != OutcomeDone || got.e.f == nil:
		if s.data != nil && m.Kind == MoveSteal {
			s.data.looked(v, m.Victim)
		}
		q.Last = out
		s.skip(v)
	case m.Kind == MoveSteal && (v.shared != nil || len(v.batch) > 1):
		v.got, v.again.Victim, v.pc = got, m.Victim, pcBatch
	default:
		s.foundWork(v, got, price)
		if s.data != nil {
			s.data.found(v, m, from, got)
		}
	}
	return true
}

// stealPrice returns the price of a successful steal by v.
func (s *stepper) stealPrice(v *stepWorker, queue int) uint64 {
	if s.pool.queueNode[queue] == v.node {
		return s.costs.StealLocal
	}
	return s.costs.StealRemote
}

// foundWork ends a search, by an operation that took price.
func (s *stepper) foundWork(v *stepWorker, got found, price uint64) {
	s.past.found(v, got, price)
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
