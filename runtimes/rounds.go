package runtimes

import (
	"math"
	"math/bits"
	"sort"
)

// An idle worker looks at one queue after the other and rests, again and again. While all queues that
// it looks at are empty each round is as the one before, so that it is known when the worker looks
// where: it is parked, without an event, and gets one for its next look at a queue as soon as that
// holds something. The looks between are counted then, as if each had been taken. Results are those
// of a run in which nobody parks, to the last count; TestSkip compares them.

// A round is the looks of a worker from one rest to the next, the rest last, each of which finds
// nothing.
type round struct {
	looks  []roundLook
	at     []int32 // by queue: which of looks is at it; -1: none
	took   uint64  // ticks
	alike  bool    // the policy goes on alike, whyever a look brings nothing
	Steals         // that fail
}

// A roundLook is a look of a round, and what the search was before it.
type roundLook struct {
	after  uint64 // ticks since the round began
	step   int
	last   Outcome
	failed Steals // in the looks before it
}

// next returns which look is the next of a search, mostly one soon behind look i; -1: none is.
func (r *round) next(i int, s *Search) int {
	last := s.Last
	if (last == OutcomeBusy || last == OutcomeLeft) && r.alike {
		last = OutcomeEmpty
	}
	if last != OutcomeEmpty && last != OutcomeDone {
		return -1
	}
	for range r.looks {
		if i++; i >= len(r.looks) {
			i = 0
		}
		if l := &r.looks[i]; l.step == s.Step && l.last == last {
			return i
		}
	}
	return -1
}

// noRound is the round of a worker whose looks are not known beforehand.
var noRound = &round{}

// parking reports whether workers may park: what they look at is queues under locks, whose owners say
// when they fill, and nothing else brings an idle worker work. With very many queues a round takes
// longer than the looks that it saves.
func (s *stepper) parking() bool {
	r := s.pool.rules
	return parks && s.pool.shared != nil && len(s.queues) <= 64 && !s.starter && !r.Ranges && !r.Cache
}

// roundOf returns the round of v, whose search is behind a rest.
func (s *stepper) roundOf(v *stepWorker) *round {
	q, r, rand := v.search, &round{at: make([]int32, len(s.queues)), alike: true}, v.rand
	for i := range r.at {
		r.at[i] = -1
	}
	for len(r.looks) < 4*len(s.queues)+4 {
		l := roundLook{after: r.took, step: q.Step, last: q.Last, failed: r.Steals}
		before := q
		m, queue := s.pool.policy.Look(&q), v.queue
		for _, out := range [...]Outcome{OutcomeBusy, OutcomeLeft} {
			other := before
			if other.Last == OutcomeEmpty {
				other.Last = out
				r.alike = r.alike && s.pool.policy.Look(&other) == m && other.Step == q.Step
			}
		}
		q.Last = OutcomeEmpty
		switch m.Kind {
		case MoveRest:
			r.looks, r.took = append(r.looks, l), r.took+s.costs.Rest
			if v.rand == rand && q.Step == v.search.Step {
				return r
			}
			v.rand = rand
			return noRound
		case MoveSteal:
			queue = m.Victim
			local := uint64(btoi(s.pool.queueNode[m.Victim] == v.node))
			r.LocalFailed, r.RemoteFailed = r.LocalFailed+local, r.RemoteFailed+1-local
		case MoveOwn, MoveSee:
		default:
			v.rand = rand
			return noRound
		}
		if r.at[queue] >= 0 {
			break
		}
		r.at[queue] = int32(len(r.looks))
		r.looks, r.took = append(r.looks, l), r.took+s.costs.StealFailed
	}
	v.rand = rand
	return noRound
}

// park parks v, which looks for work, if its next looks are known, and returns its next event: that of
// its next look at a queue that may hold something, later than all if there is none. Cost: in
// proportion to the number of queues that hold something.
func (s *stepper) park(v *stepWorker) event {
	next := s.events.at(v.now, v.id)
	if v.pc != pcLook || v.idleFrom == notIdle || v.waits || v.granted || v.top != nil {
		return next
	}
	if v.round == nil {
		if v.search.Last != OutcomeDone {
			return next
		}
		v.round = s.roundOf(v)
	}
	i := v.round.next(v.parkedAt, &v.search)
	if i < 0 {
		return next
	}
	v.parkedAt, v.isParked, next = i, true, math.MaxUint64
	for full := s.full; full != 0; full &= full - 1 {
		q := bits.TrailingZeros64(full)
		if s.pool.shared[q].size.Load() > 0 || s.queues[q].last > s.current {
			next = min(next, s.lookAt(v, q))
		} else {
			s.full &^= 1 << q
		}
	}
	return next
}

// lookAt returns the event of the next look of v, which is parked, at a queue, behind the running
// step; later than all if it never looks there.
func (s *stepper) lookAt(v *stepWorker, queue int) event {
	r := v.round
	i := r.at[queue]
	if i < 0 {
		return math.MaxUint64
	}
	at := v.now + r.looks[i].after - r.looks[v.parkedAt].after
	if int(i) < v.parkedAt {
		at += r.took
	}
	if now := s.events.time(s.current); at < now {
		at += (now - at) / r.took * r.took
		if at < now {
			at += r.took
		}
	}
	if next := s.events.at(at, v.id); next > s.current {
		return next
	}
	return s.events.at(at+r.took, v.id)
}

// filled gives parked workers events for their next looks at a queue, which the running step has
// filled, and which was empty if it has n entries now. Cost: in proportion to the number of workers.
func (s *stepper) filled(queue, n int) {
	if !s.parks {
		return
	}
	s.full |= 1 << queue
	if int(s.pool.shared[queue].size.Load()) != n {
		return
	}
	for _, v := range s.all {
		if v.isParked {
			s.events.advance(v.id, s.lookAt(v, queue))
		}
	}
}

// pass makes v, if it is parked, take its looks that come before an event.
func (s *stepper) pass(v *stepWorker, until event) {
	now := s.events.time(until)
	if !v.isParked || now < v.now {
		return
	}
	r, i, n := v.round, v.parkedAt, uint64(0)
	old := &r.looks[i]
	began := v.now - old.after // of the round
	if now-began >= r.took {
		n = (now - began) / r.took
		began += n * r.took
	}
	j := sort.Search(len(r.looks), func(j int) bool { return s.events.at(began+r.looks[j].after, v.id) >= until })
	if j == len(r.looks) {
		began, n, j = began+r.took, n+1, 0
	}
	l := &r.looks[j]
	s.steps += n*uint64(len(r.looks)) + uint64(j-i)
	v.steals.LocalFailed += n*r.LocalFailed + l.failed.LocalFailed - old.failed.LocalFailed
	v.steals.RemoteFailed += n*r.RemoteFailed + l.failed.RemoteFailed - old.failed.RemoteFailed
	v.now, v.parkedAt, v.search.Step, v.search.Last = began+l.after, j, l.step, l.last
}

// unpark makes v, whose event has come, go on as if it had not been parked.
func (s *stepper) unpark(v *stepWorker) {
	if v.isParked {
		s.pass(v, s.current)
		v.isParked = false
	}
}
