package runtimes

// virtualQueue is what the queue of a shepherd needs in virtual time besides its entries.
type virtualQueue struct {
	locked uint64 // the time until which its lock is held or promised
	behind int    // how many workers wait for the lock whose operations have not been done early
	early  []earlyOp
}

// earlyOp is an operation that was done ahead of its turn: those whose steps come before that turn still see the size from before it.
type earlyOp struct {
	turn turn
	size int64
}

// lockOwn takes the lock of v's own queue and holds it for a time; if it is held, v waits, and has the lock, a Handover after its
// release, when it asks again: first come, first served. A deque has no lock.
func (s *stepper) lockOwn(v *stepWorker, hold uint64) (free bool) {
	if s.pool.shared == nil {
		return true
	}
	q := &s.queues[v.queue]
	if v.granted {
		v.granted = false
		q.behind--
		return true
	}
	if s.costs.Locked != nil {
		s.costs.Locked(v.node, v.now)
	}
	if q.locked > v.now {
		v.now = q.locked + s.costs.Handover
		q.locked = v.now + hold
		v.granted = true
		q.behind++
		return false
	}
	q.locked = v.now + hold
	return true
}

// lockEarly is [stepper.lockOwn] for an operation that nobody can observe but by the size of the queue. If it has to wait it is done
// at once, although at the time at which it has the lock: operations on a queue happen in the order in which they asked for its lock, so
// that what they find and leave is the same. That saves a step for each that waits.
func (s *stepper) lockEarly(v *stepWorker, hold uint64) (free bool) {
	if s.pool.shared == nil {
		return true
	}
	q := &s.queues[v.queue]
	if !s.early || v.granted || q.locked <= v.now || q.behind > 0 {
		return s.lockOwn(v, hold)
	}
	if s.costs.Locked != nil {
		s.costs.Locked(v.node, v.now)
	}
	past := 0
	for past < len(q.early) && q.early[past].turn < s.turn {
		past++
	}
	if past > 0 {
		q.early = q.early[:copy(q.early, q.early[past:])]
	}
	v.now = q.locked + s.costs.Handover
	q.early = append(q.early, earlyOp{s.turns.at(v.now, v.id), v.shared.size.Load()})
	q.locked = v.now + hold
	return true
}

// size is the number of entries of a shepherd's queue, as the running step sees it without the lock.
func (s *stepper) size(queue int) int64 {
	early := s.queues[queue].early
	if len(early) == 0 {
		return s.pool.shared[queue].size.Load()
	}
	for i := range early {
		if s.turn < early[i].turn {
			return early[i].size
		}
	}
	return s.pool.shared[queue].size.Load()
}

// seesEmpty says that v's own queue is shared and seen to be empty without its lock.
func (s *stepper) seesEmpty(v *stepWorker) bool {
	return v.shared != nil && v.tape == nil && !v.granted && s.size(v.queue) == 0
}
