package runtimes

// SpaceBounded anchors tasks to caches that hold them (Chowdhury, Silvestri, Blakeley and
// Ramachandran, "Oblivious algorithms for multicores and networks of processors", 2010 and 2013;
// Simhadri, Blelloch, Fineman, Gibbons and Kyrola, "Experimental analysis of space-bounded
// schedulers", 2014). A task befits the last-level cache of a node if by its hint ([Hint.Bytes]) it
// touches at most Sigma per cent of that. The first of its kind on the way down from the root is
// anchored to the node of the worker that begins it, and charged to it until it has ended: all
// below it runs there. It begins only where the charges leave room for it, so that by the hints no
// more is ever resident than fits the cache. A larger task runs anywhere and is charged nothing,
// and so is all where neither hints nor the size of the cache are known: one queue a node, newest
// first.
//
// Departures, from the 2014 paper and its published program: of the tree of caches there is the
// last level only; the strand of a task that is too large is charged nothing (its mu is 0); the
// root, which has no hint, is never anchored; tasks for which no cache has room wait in the queue
// of the node that spawned them, where all workers look, and not in one of the whole machine.
type SpaceBounded struct {
	Sigma int // per cent of a cache that a task may touch to befit it, 1 to 100
}

var spaceBoundedParams = []Param{{Name: "sigma", Default: 50, Min: 1, Max: 100,
	Help: "per cent of a last-level cache that a task may touch to be anchored there"}}

func makeSpaceBounded(given Params) Policy { return SpaceBounded{Sigma: given["sigma"]} }

func (SpaceBounded) Rules() Rules {
	return Rules{Spawn: SpawnParent, Last: LastQueue, Queue: ShareNode, Admit: true, Hints: true}
}

// Admit implements [Admitter].
func (p SpaceBounded) Admit(a *Admission) (charge uint64, ok bool) {
	switch {
	case a.Anchor >= 0:
		return 0, a.Anchor == a.Node
	case a.Bytes > a.LLCBytes*uint64(p.Sigma)/100:
		return 0, true
	}
	return a.Bytes, a.Used+a.Bytes <= a.LLCBytes
}

// Look makes a round of: the own queue, those of other nodes from the nearest on, rest.
func (SpaceBounded) Look(s *Search) Move { return ownThenOthers(s) }

// ownThenOthers makes a round of: the own queue, those of others from the nearest on, rest.
func ownThenOthers(s *Search) Move {
	k := s.Step - 1
	if s.Step++; k < 0 {
		return Move{Kind: MoveOwn}
	} else if k < len(s.Victims) {
		return Move{Kind: MoveSteal, Victim: s.Victims[k]}
	}
	s.Step = 0
	return Rest
}
