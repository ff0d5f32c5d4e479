package runtimes

// LAWS is locality-aware work stealing (Chen, Guo and Guan, "LAWS: Locality-aware work-stealing for
// multi-socket multi-core architectures", ICS 2014): the tree of tasks is cut where a subtree's
// bytes ([Hint.Bytes]) fit a last-level cache, and the subtrees are allotted to nodes in equal
// shares of the work and in the order of the serial run, so that near ones are together. Each node
// has a queue, from which its workers take the newest entry, so that they go through a subtree
// together before the next. A node that has none left takes the oldest subtree of another, whole:
// nothing within a subtree is stolen. Where bytes or the size of the cache are not known nothing is
// cut, and what a single worker's share is may be stolen.
//
// Departures: the original finds sizes by profiling the first iteration and tunes them by timing
// the next, and moves pages to the node of their subtree; here kernels give hints, and nothing is
// moved. Its workers share a queue for the subtrees of a socket and have each their own within one,
// where they steal from one another; here one queue a node is both. There a socket begins no
// subtree before the last has ended; here it begins another if both fit the cache.
type LAWS struct{}

func (LAWS) Rules() Rules {
	return Rules{Spawn: SpawnParent, Last: LastQueue, Queue: ShareNode, Place: true, Admit: true,
		Hints: true}
}

// Place implements [Placer]. A task below the cut has a range of one part.
func (LAWS) Place(p *Placing) Placement {
	if p.To-p.From == 1 {
		return Placement{Worker: p.Worker, From: p.From, To: p.To, Keep: true}
	}
	from, to := share(p)
	first := from / p.Parts
	if p.Bytes > 0 && p.Bytes <= p.LLCBytes {
		return Placement{Worker: first, From: from, To: from + 1}
	}
	several := first != (to-1)/p.Parts
	if p.From/p.Parts == (p.To-1)/p.Parts { // a share of a worker's, and not cut
		first, from, to = p.Worker, p.From, p.To
	}
	return Placement{Worker: first, From: from, To: to, Keep: several}
}

// Admit implements [Admitter].
func (LAWS) Admit(a *Admission) (charge uint64,
	ok bool) {
	return SpaceBounded{Sigma: 100}.Admit(a)
}

// Look makes a round of: the own queue; if that is empty, those of other nodes, the nearest first;
// rest.
func (LAWS) Look(s *Search) Move {
	k := s.Step - 2
	s.Step++
	switch {
	case k == -2:
		return Move{Kind: MoveOwn}
	case k == -1:
		return Move{Kind: MoveSee}
	case k < len(s.Victims) && (k > 0 || s.Last == OutcomeEmpty):
		return Move{Kind: MoveSteal, Victim: s.Victims[k]}
	}
	s.Step = 0
	return Rest
}
