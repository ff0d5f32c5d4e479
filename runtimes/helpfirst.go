package runtimes

// HelpFirst is the scheduler of Threading Building Blocks (the paper's TBB; Kukanov and Voss, "The
// foundations for scalable multi-core software in Intel Threading Building Blocks", 2007): at a
// spawn the child is queued and the parent goes on; a worker that waits at a join runs its own
// newest entry or steals one, on top of the task that waits; so a task that has started never
// migrates, and one whose join is complete stays buried until what runs on top of it has ended.
//
// With Locality, tasks may name the worker that last touched their data (TBB's affinity): then a
// proxy goes both on the own queue and into that worker's mailbox, and whoever claims it first runs
// the task. An idle worker looks into its mailbox before it steals, and a thief leaves a proxy
// whose addressee is idle.
//
// Departures: TBB's thief passes over a proxy that it leaves and looks at the entry behind it; ours
// goes to another victim, since its deque gives access to the oldest entry only. TBB's
// depth-restricted stealing (a waiting worker steals only deeper tasks; here [WaitDeeper]) is off
// in TBB's default as well.
type HelpFirst struct{ Locality bool }

func (p HelpFirst) Rules() Rules {
	return Rules{Spawn: SpawnParent, Join: JoinStarter, Hints: p.Locality, Mail: p.Locality,
		LeaveIdle: p.Locality}
}

// Look goes round mailbox (with Locality), own queue, random victim.
func (p HelpFirst) Look(s *Search) Move {
	s.Step++
	switch s.Step % 4 {
	case 1:
		if p.Locality {
			return Move{Kind: MoveMail}
		}
		s.Step++
		fallthrough
	case 2:
		if len(s.Victims) > 0 {
			return Move{Kind: MoveSteal, Victim: s.Victims[s.Rand.N(len(s.Victims))]}
		}
		s.Step++
		fallthrough
	case 3:
		return Move{Kind: MoveOwn}
	}
	return Rest
}
