package runtimes

// Hierarchical has one leader in each node, which alone steals from other nodes (Quintin and
// Wagner, "Hierarchical work-stealing", 2010: HWS, whose groups are the clusters of a grid). All
// others steal within their node. At a spawn the child runs and the rest of the parent is queued;
// a thief takes the oldest entry of a random victim; the last to finish goes on after a join.
//
// The leader is the worker with the lowest number in its node. It steals far when it has tried near
// as often as there are victims near, and got nothing.
//
// Departures: HWS is for nodes that pass messages, whose leaders give each other large tasks only.
// Here a leader takes the oldest entry of any worker of another node, whatever its size, runs it
// like any other worker, and others of its node steal from it.
type Hierarchical struct{}

func (Hierarchical) Rules() Rules { return Rules{Spawn: SpawnChild, Join: JoinLast} }

// Look tries as many random victims of the own node as there are, then, as a leader, a random one
// of another node, and rests.
func (Hierarchical) Look(s *Search) Move {
	near, far := s.Victims[:s.Local], s.Victims[s.Local:]
	s.Step++
	switch {
	case s.Step <= len(near):
		return Move{Kind: MoveSteal, Victim: near[s.Rand.N(len(near))]}
	case s.Step == len(near)+1 && len(far) > 0 && leads(s):
		return Move{Kind: MoveSteal, Victim: far[s.Rand.N(len(far))]}
	}
	s.Step = 0
	return Rest
}

// leads reports whether the worker has the lowest number in its node.
func leads(s *Search) bool {
	for _, v := range s.Victims[:s.Local] {
		if v < s.Worker {
			return false
		}
	}
	return true
}
