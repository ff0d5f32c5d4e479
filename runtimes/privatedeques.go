package runtimes

// PrivateDeques steals by request (Acar, Charguéraud and Rainey, "Scheduling parallel programs by
// work stealing with private deques", 2013; the receiver-initiated form): a deque is its owner's
// alone. A worker without work asks a random other one and waits for the answer; the victim gives
// its oldest entry, or refuses, when it next spawns or looks into its own deque. At a spawn the
// child is queued and the parent goes on; the last to finish goes on after a join.
//
// Departures: a worker that searches refuses requests one by one, where the original's blocks them
// for as long as it searches. A victim answers at its spawns and between its tasks, where the
// original's polls between tasks only, or at an interrupt.
type PrivateDeques struct{}

func (PrivateDeques) Rules() Rules { return Rules{Spawn: SpawnParent, Requests: true} }

// Look asks a random victim, and then listens and rests in turn until there is an answer.
func (PrivateDeques) Look(s *Search) Move {
	const ask, hear, judge = 0, 1, 2
	switch {
	case len(s.Victims) == 0:
		return Rest
	case s.Step == ask:
		s.Step = hear
		return Move{Kind: MoveAsk, Victim: s.anyVictim(false)}
	case s.Step == hear:
		s.Step = judge
		return Move{Kind: MoveHear}
	}
	s.Step = ask
	if s.Last == OutcomeLeft {
		s.Step = hear
	}
	return Rest
}
