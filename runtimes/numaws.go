package runtimes

// NumaWS is NUMA-WS (Deters, Wu, Xu and Lee, "A NUMA-aware provably-efficient task-parallel
// platform based on the work-first principle", 2018), a Cilk Plus that prefers near victims and
// pushes work to where it belongs, at steals only, so that who spawns pays nothing for it
// ([Rules.Push]). At a spawn the child runs and the rest of the parent is queued; the last to
// finish goes on after a join. docs/policies.md has the files that each rule was read in, and the
// departures.
type NumaWS struct {
	Remote int // of 100 attempts to steal, how many are at workers of other nodes
}

var numaWSParams = []Param{
	{Name: "remote", Default: 30, Min: 5, Max: 95,
		Help: "of 100 attempts to steal, how many are at workers of other nodes"},
}

func makeNumaWS(given Params) Policy { return NumaWS{Remote: given["remote"]} }

func (NumaWS) Rules() Rules {
	return Rules{Spawn: SpawnChild, Join: JoinLast, Hints: true, Push: 4}
}

// Look goes round the own mailbox and a random victim.
func (p NumaWS) Look(s *Search) Move {
	s.Step++
	switch {
	case s.Step == 1:
		return Move{Kind: MoveMail}
	case s.Step == 2 && len(s.Victims) > 0:
		from := p.place(s)
		return Move{Kind: MoveSteal, Victim: from[s.Rand.N(len(from))]}
	}
	s.Step = 0
	return Rest
}

// place draws where to steal: the own node or others, and of these, four times of five, the
// nearest.
func (p NumaWS) place(s *Search) (from []int) {
	near, far, first := s.Victims[:s.Local], s.Victims[s.Local:], 0
	if len(near) > 0 {
		first = 1 // the own node is a group
		if len(far) == 0 || s.Rand.N(100) >= p.Remote {
			return near
		}
	}
	if len(s.Groups) == first+1 {
		return far
	}
	next := s.Groups[first]
	if s.Rand.N(5) == 0 {
		return s.Victims[next:]
	}
	return s.Victims[s.Local:next]
}
