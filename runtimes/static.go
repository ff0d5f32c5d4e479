package runtimes

// Static deals tasks out by their numbers alone, as OpenMP's schedule(static) deals the iterations
// of a loop (OpenMP Application Programming Interface 5.2, 11.5.3): child i of n of a task that is
// for the workers from F to F+w-1 is for those from F + i*w/n on, as many as are left to it, and at
// least one. It waits in the queue of the first of them. What is for one worker is called from
// there on, in order, as in the serial run: there are at least as many parts as workers, and nothing
// is queued below. Nobody steals, and what follows a join is run by the worker that began the task.
// So which worker runs what depends on neither time nor seed.
//
// Departures: OpenMP deals a loop only, into at most one block for each thread; here each phase of
// each task at the top is dealt, child by child, by the worker that runs it, which pays for each
// child. Blocks of a loop whose length is no multiple of the number of workers differ by one
// child, as there, but the longer ones need not come first. A worker goes through its queue in
// the order of age.
type Static struct{}

func (Static) Rules() Rules {
	return Rules{Spawn: SpawnParent, Last: LastQueue, Join: JoinStarter, Locked: true,
		Take: TakeOldest, Place: true}
}

// Look takes from the worker's own queue, and rests.
func (Static) Look(s *Search) Move { return ownOrRest(s) }

// Place implements [Placer].
func (Static) Place(p *Placing) Placement {
	first, w := p.From/Parts, (p.To-p.From)/Parts
	from := first + p.Child*w/p.Children
	to := max(first+(p.Child+1)*w/p.Children, from+1)
	return Placement{Worker: from, From: from * Parts, To: to * Parts, Serial: to-from == 1}
}
