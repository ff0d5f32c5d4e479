package runtimes

import "slices"

// virtualQueue is the state in virtual time of a shepherd's queue besides its entries.
type virtualQueue struct {
	locked uint64    // the time until which its lock is held or promised
	behind int       // how many workers wait for the lock whose operations have not been done early
	early  []earlyOp // in the order of their events; those that have come are kept until all have
	last   event     // of the last of them
}

// earlyOp is an operation that was done ahead of its event: steps that come before that event still
// see the size from before it.
type earlyOp struct {
	at   event
	size int64
}

// lockOwn takes the lock of v's own queue and holds it for a time; if it is held, v waits, and has
// the lock, a Handover after its release, when it asks again: first come, first served. A deque has
// no lock.
func (s *stepper) lockOwn(v *stepWorker, hold uint64) (free bool) {
	return v.virtual == nil || s.lock(v, v.queue, hold)
}

// lock works like [stepper.lockOwn], for any queue.
func (s *stepper) lock(v *stepWorker, queue int, hold uint64) (free bool) {
	q := &s.queues[queue]
	if v.granted {
		v.granted = false
		q.behind--
		return true
	}
	if s.costs.Locked != nil {
		s.costs.Locked(s.pool.queueNode[queue], v.now)
		s.past.tells(v, s.pool.queueNode[queue])
	}
	if s.costs.NoWait {
		return true
	}
	if q.locked > v.now {
		asked := v.now
		v.now = q.locked + s.costs.Handover
		q.locked = v.now + hold
		s.past.asks(v, queue, v.now-asked, q.locked)
		v.granted = true
		q.behind++
		return false
	}
	q.locked = v.now + hold
	s.past.asks(v, queue, 0, q.locked)
	return true
}

// lockEarly works like [stepper.lockOwn], for an operation that others can observe only by the size
// of the queue. If it has to wait it is done at once, although at the time at which it has the
// lock: operations on a queue happen in the order of their requests for its lock, so that they find
// and leave the same. That saves a step for each that waits.
func (s *stepper) lockEarly(v *stepWorker, hold uint64) (free bool) {
	return v.virtual == nil || s.lockAhead(v, v.virtual, hold)
}

// lockAhead works like lockEarly, for a queue that has a lock.
func (s *stepper) lockAhead(v *stepWorker, q *virtualQueue, hold uint64) (free bool) {
	if !s.early || q.locked <= v.now || v.granted || q.behind > 0 {
		return s.lockOwn(v, hold)
	}
	if s.costs.Locked != nil {
		s.costs.Locked(v.node, v.now)
	}
	v.now = q.locked + s.costs.Handover
	q.locked = v.now + hold
	if q.last < s.current || len(q.early) == cap(q.early) {
		q.pass(s.current)
	}
	q.last = s.events.at(v.now, v.id)
	s.steps++
	q.early = append(q.early, earlyOp{q.last, int64(v.shared.size.Load())})
	return true
}

// pass forgets early operations whose events come before now.
func (q *virtualQueue) pass(now event) {
	if q.last < now {
		q.early = q.early[:0]
		return
	}
	q.early = slices.DeleteFunc(q.early, func(e earlyOp) bool { return e.at < now })
}

// size returns the number of entries of a shepherd's queue, as the running step sees it without the
// lock.
func (s *stepper) size(queue int) int64 {
	if q := &s.queues[queue]; q.last > s.current {
		for i := range q.early {
			if q.early[i].at > s.current {
				return q.early[i].size
			}
		}
	}
	return int64(s.pool.shared[queue].size.Load())
}

// ownSeemsEmpty reports that v's own queue is shared and seen to be empty without its lock.
func (s *stepper) ownSeemsEmpty(v *stepWorker) bool {
	return v.virtual != nil && !v.granted && s.size(v.queue) == 0
}
