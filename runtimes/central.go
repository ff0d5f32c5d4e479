package runtimes

// Central is the textbook's baseline: one queue for all workers, under one lock, and all ready
// tasks are in it. Children are queued in order, the last too, and so is the continuation of a
// join. A worker without work takes the next entry, by Take: the oldest (breadth first, whose queue
// grows with the width of the tree), the newest, or the one of the highest priority.
//
// With TakeHighest it is list scheduling as in the usual critical-path lists (Adam, Chandy and
// Dickson, "A comparison of list schedules for parallel processing systems", Communications of the
// ACM 17(12), 1974), but for where priorities come from: they are the kernel's hints
// ([Hint.Priority]), and children without one are of the lowest, 0; of several the newest is next.
// The continuation of a join has no priority of its own and is run at once, so that the tasks that
// it makes ready are in the list before the next choice.
type Central struct{ Take Order }

func (p Central) Rules() Rules {
	r := Rules{Spawn: SpawnParent, Last: LastQueue, Join: JoinRequeue, Queue: ShareAll,
		Take: p.Take}
	if p.Take == TakeHighest {
		r.Join, r.Hints = JoinLast, true
	}
	return r
}

// Look takes from the queue, which is everybody's own, and rests.
func (Central) Look(s *Search) Move { return ownOrRest(s) }

// ownOrRest alternates between the worker's own queue and a rest.
func ownOrRest(s *Search) Move {
	if s.Step++; s.Step%2 == 0 {
		return Rest
	}
	return Move{Kind: MoveOwn}
}
