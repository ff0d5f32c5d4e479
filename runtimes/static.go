package runtimes

// Static deals tasks out by their numbers alone, as OpenMP's schedule(static) deals the iterations
// of a loop (OpenMP Application Programming Interface 5.2, 11.5.3): the range of workers that a
// task is for is divided among its children in proportion to the work that they are by their hints,
// in equal shares where there are none, with fractions of workers. A child waits in the queue of
// the worker in whose part its share begins. A task for one worker is called from there on, in
// order, as in the serial run, and nothing is queued below. No worker steals, and the continuation
// of a join is run by the worker that began the task. So which worker runs what depends on neither
// time nor seed.
//
// Leaves of the same work are in blocks that differ by one leaf, as OpenMP's do, though the longer
// ones need not come first, as long as a leaf is some parts wide ([Placing].Parts); of more leaves
// blocks differ by as many as are in those.
//
// Departures: OpenMP deals a loop only, into at most one block for each thread; here each phase of
// each task at the top is dealt, child by child, by the worker that runs it, which pays for each
// child. A worker goes through its queue in the order of age.
type Static struct{}

func (Static) Rules() Rules {
	return Rules{Spawn: SpawnParent, Last: LastQueue, Join: JoinStarter, Locked: true,
		Take: TakeOldest, Place: true, Hints: true}
}

// Look takes from the worker's own queue, and rests.
func (Static) Look(s *Search) Move { return ownOrRest(s) }

// Place implements [Placer].
func (Static) Place(p *Placing) Placement {
	from, to := share(p)
	from = min(snap(from, p.Parts), p.To-1)
	to = max(snap(to, p.Parts), from+1)
	first := from / p.Parts
	return Placement{Worker: first, From: from, To: to, Serial: first == (to-1)/p.Parts}
}

// snap returns the border of a worker's part if that is so near that it may have been missed by
// rounding.
func snap(at, parts int) int {
	const near = 1
	if k := (at + near) / parts * parts; k-at >= -near {
		return k
	}
	return at
}
