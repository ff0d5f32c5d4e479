package runtimes

// SLAW chooses at each phase which side of a spawn runs first, by what the worker's stack and deque
// hold and by how much is stolen from it (Guo, Zhao, Cavé and Sarkar, "SLAW: a scalable
// locality-aware adaptive work-stealing scheduler", 2010, after Guo, Barik, Raman and Sarkar,
// "Work-first and help-first scheduling policies for async-finish task parallelism", 2009):
//
//   - help first at deepest or more frames: the stack is full, and children wait in the heap;
//   - else work first with fullest or more entries in the deque: the heap is full;
//   - else help first if anything was stolen from the worker in its last interval of tasks, or if it
//     has not run so many, and work first if nothing was.
//
// A thief takes the oldest entry of a random victim; the last to finish goes on after a join.
// docs/policies.md has the departures.
type SLAW struct{}

// The thresholds are ours.
const (
	slawDeepest  = 256
	slawFullest  = 128
	slawInterval = 50
)

func (SLAW) Rules() Rules { return Rules{Spawn: SpawnChosen} }

// Choose keeps in State the number of tasks at which the present interval ends, the steals before
// it began, and 1 if nothing was stolen in the last one.
func (SLAW) Choose(s *Spawn) SpawnRule {
	end, stolen, calm := &s.State[0], &s.State[1], &s.State[2]
	if *end == 0 || s.Tasks >= *end {
		*calm = 0
		if *end > 0 && s.Stolen == *stolen {
			*calm = 1
		}
		*end, *stolen = s.Tasks+slawInterval, s.Stolen
	}
	switch {
	case s.Depth >= slawDeepest:
		return SpawnParent
	case s.Queued >= slawFullest || *calm == 1:
		return SpawnChild
	}
	return SpawnParent
}

// Look tries one random victim in a round.
func (SLAW) Look(s *Search) Move {
	s.Step++
	if s.Step%2 == 0 || len(s.Victims) == 0 {
		return Rest
	}
	return Move{Kind: MoveSteal, Victim: s.anyVictim(false)}
}
