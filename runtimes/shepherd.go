package runtimes

// Shepherd is the Sherwood scheduler of Qthreads (the paper's QTH; Olivier et al., "Scheduling task
// parallelism on multi-socket multicore systems", 2011): one queue for each shepherd under a lock,
// children appended at the tail, workers taking from the tail; only one worker of a shepherd may be
// out stealing, it scans the other shepherds nearest first and takes half of the tasks of the first
// that has any, oldest first. What follows a join is queued at the shepherd of the worker that
// completed it.
//
// Socket shares a shepherd between the workers of a node (QTH/Socket); otherwise each worker has
// its own (QTH/Core).
//
// Departures: the last child of a phase is called (docs/schedulers.md); the children of a phase are
// appended under one lock and not one each; half is rounded up; the thief looks at its own queue
// after a round of victims and not after each, and gives the steal token back meanwhile; a victim's
// lock is tried and not waited for, and a held one counts as a failed attempt.
type Shepherd struct{ Socket bool }

func (p Shepherd) Rules() Rules {
	r := Rules{Spawn: SpawnParent, Locked: true, Half: true, Join: JoinRequeue}
	if p.Socket {
		r.Queue = ShareNode
	}
	return r
}

// Look is a round of: claim the steal token, scan the victims nearest first, give it back, look
// at the own queue. The worker that finds the token taken looks at its own queue only.
func (p Shepherd) Look(s *Search) Move {
	step := s.Step
	s.Step++
	switch {
	case step == 0:
		if len(s.Victims) > 0 {
			return Move{Kind: MoveClaim}
		}
	case step == 1 && s.Last == OutcomeBusy:
	case step <= len(s.Victims):
		return Move{Kind: MoveSteal, Victim: s.Victims[step-1], Half: true}
	case step == len(s.Victims)+1:
		return Move{Kind: MoveRelease}
	case step == len(s.Victims)+2:
		return Rest
	default:
		s.Step = 0
		return Move{Kind: MoveOwn}
	}
	s.Step = len(s.Victims) + 3
	return Rest
}
