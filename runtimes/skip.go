package runtimes

// An idle worker mostly looks where nothing is. Such steps change nothing but the worker's own
// clock, counters and generator, and when it is certain beforehand that they find nothing they are
// taken at once, without an event each: [stepper.skip]. If what was certain changes after all, for
// a report or a mail to the worker that searches, those behind the change are taken back:
// [stepper.unskip]. Results are those of a run that skips none, to the last bit; TestSkip compares
// them.

// skipped is the state of a worker's search before the steps that it has skipped, until the first
// of the others.
type skipped struct {
	any    bool // some steps have been skipped, or at least the policy asked for the next move
	now    uint64
	rand   Rand
	step   int
	last   Outcome
	steals Steals
	steps  uint64 // how many have been skipped
}

// maxSkip bounds the steps that are skipped at a time, and so what it costs to take them back.
const maxSkip = 256

// skip takes the next steps of v's search, which goes on at v.now, as long as it is certain that
// they find nothing, and leaves v before the first that is not.
func (s *stepper) skip(v *stepWorker) {
	if !s.skips {
		return
	}
	k := &v.skipped
	k.now, k.rand, k.step, k.last, k.steals = v.now, v.rand, v.search.Step, v.search.Last, v.steals
	k.any = true
	n := uint64(0)
	for ; n < maxSkip; n++ {
		m := s.pool.policy.Look(&v.search)
		if !s.nothing(v, m) {
			v.again, v.waits = m, true
			break
		}
		s.miss(v, m)
	}
	s.steps += n
	k.steps = n
}

// nothing reports whether it is certain that a move of v at v.now, which may lie ahead, finds
// nothing.
func (s *stepper) nothing(v *stepWorker, m Move) bool {
	switch m.Kind {
	case MoveSteal:
		return uint(m.Victim) < uint(len(s.all)) && s.all[m.Victim].barren(v.now)
	case MoveOwn:
		return v.size() == 0 // only its owner appends
	case MoveMail:
		return v.mail != nil && v.mail.size.Load() == 0 ||
			v.letters != nil && v.letters.f.Load() == nil
	}
	return m.Kind == MoveRest
}

// barren reports whether thieves find nothing in v's deque until now, which may lie ahead.
func (v *stepWorker) barren(now uint64) bool { return now < v.barrenTill && v.seemsEmpty() }

// miss makes a step with a move that finds nothing.
func (s *stepper) miss(v *stepWorker, m Move) {
	v.search.Last = OutcomeEmpty
	if m.Kind == MoveRest {
		v.search.Last = OutcomeDone
	}
	v.now += s.nothingCosts[m.Kind]
	if m.Kind == MoveSteal {
		v.countFailed(m.Victim)
		if s.data != nil {
			s.data.looked(v, m.Victim)
		}
	}
}

// disturb marks the search of v, if there is one: the running step has brought it something.
func (s *stepper) disturb(v *stepWorker) {
	if v.skipped.any {
		s.events.take(v.id)
		s.unskip(v)
		s.events.put(v.id, v.now)
	}
}

// unskip takes back the steps that v has skipped and that come after the running step.
func (s *stepper) unskip(v *stepWorker) {
	k := &v.skipped
	v.now, v.rand, v.search.Step, v.search.Last, v.steals = k.now, k.rand, k.step, k.last, k.steals
	v.waits = false
	k.any = false
	s.steps -= k.steps
	for s.events.at(v.now, v.id) < s.current {
		s.miss(v, s.pool.policy.Look(&v.search))
		s.steps++
	}
}

// unskipAll takes back the steps that come after the running one, which is one of running.
func (s *stepper) unskipAll(running *stepWorker) {
	for _, v := range s.all {
		if v == running && v.skipped.any {
			s.unskip(v)
		} else {
			s.disturb(v)
		}
	}
}
