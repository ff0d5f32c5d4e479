package runtimes

// WorkFirst is the scheduler of MassiveThreads (the paper's MTH; Nakashima and Taura, "MassiveThreads: A thread library for
// high productivity languages", 2014), which is that of MIT-Cilk: at a spawn the child runs and the rest of the parent is
// queued; an idle worker picks one victim at random and takes its oldest entry; the last to finish goes on after a join.
//
// Departures: the original's victim is any other worker, ours too; but where its worker would look at its own queue
// between two attempts at stealing, ours is known to be empty by then (only its owner appends to it), so the look costs
// nothing and finds nothing.
type WorkFirst struct{}

func (WorkFirst) Rules() Rules {
	return Rules{Spawn: SpawnChild, Queue: QueueWorker, Join: JoinLast}
}

// Look alternates between a random victim and the worker's own queue.
func (WorkFirst) Look(s *Search) Move {
	s.Step++
	switch {
	case len(s.Victims) == 0:
		return Rest
	case s.Step%3 == 1:
		return Move{Kind: MoveSteal, Victim: s.Victims[s.Rand.N(len(s.Victims))]}
	case s.Step%3 == 2:
		return Move{Kind: MoveOwn}
	}
	return Rest
}
