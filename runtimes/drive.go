package runtimes

import (
	"fmt"
	"math"
)

// drive carries out steps, v's first, until the run has ended. A step is the worker's next actions
// up to and including one operation on something shared, and moves its clock on.
func (s *stepper) drive(v *stepWorker) error {
	for {
		timed, label := false, v.pc
		switch label {
		case pcLook:
			timed = s.look(v)
		case pcChildren:
			timed = s.children(v)
		case pcRun:
			timed = s.run(v)
		case pcReturned:
			timed = s.returned(v)
		case pcGone:
			timed = s.gone(v)
		case pcJoined:
			timed = s.joined(v)
		case pcNext:
			timed = s.next(v)
		case pcSpawn:
			timed = s.spawn(v)
		case pcArrive:
			timed = s.arrive(v)
		case pcReport:
			timed = s.report(v)
		case pcRequeue:
			timed = s.requeue(v)
		case pcTop:
			timed = s.stackTop(v)
		case pcOwn:
			timed = s.own(v)
		case pcBatch:
			timed = s.keepBatch(v)
		default:
			panic("runtimes: unknown label")
		}
		if !timed {
			continue
		}
		if s.past != nil {
			s.past.step(v, label)
		}
		s.steps++
		if s.finished || s.steps >= s.pause || v.now > s.latest {
			if ended, err := s.check(v); ended {
				return err
			}
		}
		// As long as v is the next again, it stays out of the event queue. The first of the others
		// is known before v's event is put: the processor need not wait for that.
		others := s.events.first()
		at := s.events.at(v.now, v.id)
		if s.parks && v.idleFrom != notIdle {
			at = s.park(v)
		}
		if at < others {
			s.current = at
			s.unpark(v)
			continue
		}
		if others == math.MaxUint64 {
			return fmt.Errorf("step: root task unfinished after %d steps", s.limit)
		}
		barren := v.now
		if v.idleFrom != notIdle {
			barren = 0
		}
		v.barrenTill = barren
		s.events.advance(v.id, at)
		next := s.events.worker(others)
		s.events.take(next)
		v = s.all[next]
		s.current, s.running = others, v
		s.unpark(v)
	}
}

// checkSteps is how many steps there are between two looks at whether the run is to be stopped.
const checkSteps = 1 << 12

// check reports, behind a step of v, whether the run has ended, and with which error.
func (s *stepper) check(v *stepWorker) (ended bool, err error) {
	if s.finished || s.steps >= s.limit {
		s.unskipAll(v)
		for _, w := range s.all {
			s.pass(w, s.current)
		}
		if n := s.stepsTaken(); n > s.limit || n == s.limit && !s.finished {
			return true, fmt.Errorf("step: root task unfinished after %d steps", s.limit)
		}
	}
	switch {
	case s.finished:
		return true, s.past.finish(v)
	case s.past != nil && s.past.err != nil:
		return true, s.past.err
	case v.now > s.latest:
		return true, fmt.Errorf("step: a worker's virtual time is %d ticks, more than %d, the "+
			"most that is supported with %d workers", v.now, s.latest, len(s.all))
	case stopped(s.stop):
		return true, ErrStopped
	}
	s.pause = min(s.steps+checkSteps, s.limit)
	return false, nil
}

// stepsTaken returns the number of steps taken, the running one included, when no search is ahead
// of it: as many as if none had been skipped, and none done early.
func (s *stepper) stepsTaken() uint64 {
	n := s.steps
	for i := range s.queues {
		for _, e := range s.queues[i].early {
			n -= uint64(btoi(e.at > s.current))
		}
	}
	return n
}
