package runtimes

// StealHalf is parent-first work stealing that takes half of a victim's deque at once (Hendler and
// Shavit, "Non-blocking steal-half work queues", PODC 2002): children are queued, an idle worker
// picks one victim at random, takes the older half of what it sees, runs the oldest of it and
// queues the rest as its own; the last to finish goes on after a join.
//
// Departures: the original moves a half with one CAS on a range that the owner keeps up to date
// each time its deque doubles or halves; here a half is as many steals of one entry, ended by the
// first that fails, and an entry that its owner takes back meanwhile is not moved. In virtual time
// they happen at once, at the price of one steal and a push for each entry more. The original does
// not treat joins, and its measured programs have none.
type StealHalf struct{}

func (StealHalf) Rules() Rules { return Rules{Spawn: SpawnParent, Half: true} }

// Look alternates between a random victim and the worker's own deque.
func (StealHalf) Look(s *Search) Move {
	s.Step++
	switch {
	case len(s.Victims) == 0:
		return Rest
	case s.Step%3 == 1:
		return Move{Kind: MoveSteal, Victim: s.anyVictim(false), Half: true}
	case s.Step%3 == 2:
		return Move{Kind: MoveOwn}
	}
	return Rest
}
