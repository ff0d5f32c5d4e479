package calibrate

import "krdlab/runtimes"

// burst is how many attempts a probe makes in a row, where it measures how long those take that
// find nothing: one is shorter than the steps of some counters.
const burst = 64

// probe is a policy for two workers with a queue each that takes the time of its moves. It
// alternates between one move of a sort, or burst of them, and a rest.
//
// A worker's part of by is written by that worker alone, and read when the run is over.
type probe struct {
	rules runtimes.Rules
	move  runtimes.MoveKind // MoveSteal or MoveMail
	moves int               // in a row: 1 or burst
	by    [2]probed
}

// probed is what a probe knows of one worker. Times are in ticks.
type probed struct {
	_         [128]byte
	moved     uint64   // when Look returned last
	ended     uint64   // when the worker's part in a round ended, 0 if that is not awaited
	failed    []uint64 // of so many moves in a row
	rests     []uint64
	arrivals  []uint64 // from ended to the next Look
	successes []uint64 // from moved to the child that it gave
	_         [128]byte
}

func newProbe(rules runtimes.Rules, move runtimes.MoveKind, moves, rounds int) *probe {
	p := &probe{rules: rules, move: move, moves: moves}
	for i := range p.by {
		b := &p.by[i]
		for _, s := range []*[]uint64{&b.failed, &b.rests, &b.arrivals, &b.successes} {
			*s = make([]uint64, 0, 4*rounds)
		}
	}
	return p
}

func (p *probe) Rules() runtimes.Rules { return p.rules }

// Look implements [runtimes.Policy]: cycles of so many moves and a rest. The worker is known by its
// victim, which is the other one.
func (p *probe) Look(s *runtimes.Search) runtimes.Move {
	at := s.Step % (p.moves + 1)
	s.Step++
	steal := runtimes.Move{Kind: p.move, Victim: s.Victims[0],
		Half: locked(p.rules)}
	if at > 0 && at < p.moves {
		return steal
	}
	now := stamp()
	b := &p.by[1-s.Victims[0]]
	switch {
	case s.Last == runtimes.OutcomeNone:
		if b.ended != 0 {
			note(&b.arrivals, now-b.ended)
			b.ended = 0
		}
	case at == p.moves && s.Last == runtimes.OutcomeEmpty:
		note(&b.failed, now-b.moved)
	case s.Step == p.moves+2: // the first rest of the search
		note(&b.rests, now-b.moved)
	}
	m := steal
	if at == p.moves {
		m = runtimes.Rest
	}
	b.moved = stamp()
	return m
}

// got notes that worker w begins, now, what its last move gave.
func (p *probe) got(w *runtimes.Worker, now uint64) {
	b := &p.by[w.ID()]
	note(&b.successes, now-b.moved)
}

// note appends a time while there is room: a run that others disturb must not allocate without
// bound.
func note(s *[]uint64, ticks uint64) {
	if len(*s) < cap(*s) {
		*s = append(*s, ticks)
	}
}
