package runtimes

// Leapfrog is parent-first work stealing in which a worker that waits helps only its thief (Wagner
// and Calder, "Leapfrogging: a portable technique for implementing efficient futures", PPoPP 1993):
// children are queued, and whoever comes to a join runs those that are left in its own deque; if
// one was stolen, it takes the oldest entry of the thief's deque, if that lies deeper than the
// task that waits: nearly always work that the stolen child has made. So the tasks on a stack lie
// deeper and deeper, and there are no more of them than in the serial run. A worker for which
// nothing waits steals from a random victim.
//
// Departures: a future holds its own thief, a frame only that of the child that was stolen last, so
// that the worker rests if that thief is done and another is not. A thief that is done may have
// begun anything, so that an entry taken there need not lie below the task that waits. A task whose
// children have all ended goes on at once, not in the order in which they were spawned.
type Leapfrog struct{}

func (Leapfrog) Rules() Rules {
	return Rules{Spawn: SpawnParent, Join: JoinStarter, Wait: WaitThief}
}

// Look makes a round of: the thief of the task that waits, or if none waits a random victim; rest;
// the own deque.
func (Leapfrog) Look(s *Search) Move {
	s.Step++
	switch {
	case s.Step%3 == 0:
		return Move{Kind: MoveOwn}
	case s.Step%3 == 1 && s.Waits && s.Thief >= 0:
		return Move{Kind: MoveSteal, Victim: s.Thief}
	case s.Step%3 == 1 && !s.Waits && len(s.Victims) > 0:
		return Move{Kind: MoveSteal, Victim: s.anyVictim(false)}
	}
	return Rest
}
