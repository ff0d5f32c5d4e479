package runtimes

// WorkFirst is the scheduler of MassiveThreads (the paper's MTH; Nakashima and Taura,
// "MassiveThreads: A thread library for high productivity languages", 2014), which is that of
// MIT-Cilk: at a spawn the child runs and the rest of the parent is queued; an idle worker picks
// one victim at random and takes its oldest entry; the last to finish goes on after a join.
//
// Departures: a worker looks at its own queue again after a failed attempt, as the original does,
// although it must be empty: only its owner appends to it.
//
// Near is no rule of MassiveThreads: half of the attempts go to workers of the own node.
type WorkFirst struct{ Near bool }

var workFirstParams = []Param{
	{Name: "near", Max: 1, Help: "1: half of the attempts to steal are within the own node"},
}

func makeWorkFirst(given Params) Policy { return WorkFirst{Near: given["near"] == 1} }

func (WorkFirst) Rules() Rules {
	return Rules{Spawn: SpawnChild, Join: JoinLast}
}

// Look alternates between a random victim and the worker's own queue.
func (p WorkFirst) Look(s *Search) Move {
	s.Step++
	switch {
	case len(s.Victims) == 0:
		return Rest
	case s.Step%3 == 1:
		return Move{Kind: MoveSteal, Victim: s.anyVictim(p.Near)}
	case s.Step%3 == 2:
		return Move{Kind: MoveOwn}
	}
	return Rest
}
