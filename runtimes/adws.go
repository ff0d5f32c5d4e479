package runtimes

// ADWS is almost deterministic work stealing (Shiina and Taura, "Almost deterministic work
// stealing", SC 2019). The range of workers that a task is for is divided among its children in
// proportion to the work that they are by their hints, with fractions of workers; each waits with
// the first worker of its share, which divides it further. A task for one worker stays with the
// worker that runs it. So the same task runs on the same worker from one run, or sweep, to the
// next, but for steals: only tasks for one worker are stolen, and only within the range that was
// divided last with the thief in it; when a task that was divided has ended, within the one around
// it ([Rules.Ranges]). docs/policies.md has the files in which each rule was read, and the
// departures. Children without hints have equal shares.
type ADWS struct{}

func (ADWS) Rules() Rules {
	return Rules{Spawn: SpawnParent, Last: LastQueue, Locked: true, Place: true, Ranges: true,
		Hints: true}
}

// Place implements [Placer].
func (ADWS) Place(p *Placing) Placement {
	from, to := share(p)
	first := from / p.Parts
	return Placement{Worker: first, From: from, To: to, Keep: first != (to-1)/p.Parts}
}

// share returns a child's share of the range of its parent, by work, or equal shares where no work
// is known: at least one part.
func share(p *Placing) (from, to int) {
	before, work, all := p.Before, p.Work, p.All
	if all == 0 {
		before, work, all = uint64(p.Child), 1, uint64(p.Children)
	}
	n := float64(p.To - p.From)
	from = p.From + int(n*(float64(before)/float64(all))+0.5)
	to = p.From + int(n*(float64(before+work)/float64(all))+0.5)
	from = min(from, p.To-1)
	return from, max(to, from+1)
}

// Look makes a round of: the own queue, a random worker of the range, rest.
func (ADWS) Look(s *Search) Move {
	s.Step++
	switch s.Step % 3 {
	case 1:
		return Move{Kind: MoveOwn}
	case 2:
		first, n := s.From/s.Parts, (s.To+s.Parts-1)/s.Parts-s.From/s.Parts
		if s.Worker < first || s.Worker >= first+n || n < 2 {
			s.Step = 0
			return Rest
		}
		return Move{Kind: MoveSteal, Victim: first + (s.Worker-first+1+s.Rand.N(n-1))%n}
	}
	return Rest
}
