package calibrate

import "krdlab/runtimes"

// burst is how many attempts a probe makes in a row, where it measures how long those take that
// find nothing: one is shorter than the steps of some counters.
const burst = 64

// heard is how often a thief listens for an answer before it rests, most.
const heard = 1000

// probe is a policy for two workers with a queue each that takes the time of its moves, with the
// rules of another. It alternates between one move of a sort, or burst of them, and a rest; between
// MoveAsk and the rest it listens until it is answered.
//
// A worker's part of by is written by that worker alone, and read when the run is over.
type probe struct {
	ruled
	move  runtimes.MoveKind // MoveSteal, MoveAsk or MoveMail
	moves int               // in a row: 1 or burst
	by    [2]probed
}

// probed holds a probe's notes on one worker. Times are in ticks.
type probed struct {
	_         [128]byte
	moved     uint64   // when Look returned last; of what it listens for, when it asked
	looks     bool     // the last move may give work
	ended     uint64   // when the worker's part in a round ended, 0 if that is not awaited
	failed    []uint64 // of so many moves in a row
	rests     []uint64
	arrivals  []uint64 // from ended to the next Look
	successes []uint64 // from moved to the child that it gave
	_         [128]byte
}

func newProbe(as runtimes.Policy, move runtimes.MoveKind, moves, rounds int) *probe {
	p := &probe{ruled: ruled{as, as.Rules()}, move: move, moves: moves}
	for i := range p.by {
		b := &p.by[i]
		for _, s := range []*[]uint64{&b.failed, &b.rests, &b.arrivals, &b.successes} {
			*s = make([]uint64, 0, 4*rounds)
		}
	}
	return p
}

// Look implements [runtimes.Policy]: cycles of so many moves and a rest. The worker is known by its
// victim, which is the other one.
func (p *probe) Look(s *runtimes.Search) runtimes.Move {
	moves := p.moves
	if p.move == runtimes.MoveAsk {
		moves = heard + 1 // one that asks
	}
	at := s.Step % (moves + 1)
	b := &p.by[1-s.Victims[0]]
	if p.move == runtimes.MoveAsk && at > 0 && at < moves {
		if s.Last != runtimes.OutcomeEmpty { // which an answer can be
			s.Step++
			b.looks = b.looks && s.Last != runtimes.OutcomeBusy // it asked before, and rested
			return runtimes.Move{Kind: runtimes.MoveHear}
		}
		s.Step += moves - at
		at = moves
	}
	s.Step++
	m := runtimes.Move{Kind: p.move, Victim: s.Victims[0],
		Half: p.rules.Half && p.move == runtimes.MoveSteal}
	if at > 0 && at < moves {
		return m
	}
	now := stamp()
	switch {
	case s.Last == runtimes.OutcomeNone:
		if b.ended != 0 {
			note(&b.arrivals, now-b.ended)
			b.ended = 0
		}
	case at == moves && s.Last == runtimes.OutcomeEmpty:
		note(&b.failed, now-b.moved)
	case s.Step == moves+2: // behind the first rest of the search
		note(&b.rests, now-b.moved)
	}
	if at == moves {
		m = runtimes.Rest
	}
	b.looks = m != runtimes.Rest
	b.moved = stamp()
	return m
}

// begins notes that worker w begins a child now. If its last move gave that, got is true; otherwise
// the child is from the worker's own queue, or called.
func (p *probe) begins(w *runtimes.Worker) (got bool) {
	b := &p.by[w.ID()]
	got, b.looks, b.ended = b.looks, false, 0
	return got
}

// got notes that worker w began what its last move gave.
func (p *probe) got(w *runtimes.Worker, at uint64) {
	b := &p.by[w.ID()]
	note(&b.successes, at-b.moved)
}

// note appends a time while there is room: a run that others disturb must not allocate without
// bound.
func note(s *[]uint64, ticks uint64) {
	if len(*s) < cap(*s) {
		*s = append(*s, ticks)
	}
}
