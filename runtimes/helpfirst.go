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
//
// It is handed on by its address: to copy its fields for each move takes as long as Look.
type HelpFirst struct {
	Locality bool

	// Rules that TBB does not have, each to be set against those that it has.
	Near      bool // half of the attempts to steal are within the own node
	Half      bool // a steal takes half
	QueueLast bool // the last child of a phase is queued as the others are
	JoinLast  bool // who completes a join goes on, so that a started task migrates
	Deeper    bool // a worker that waits takes deeper tasks only; not with JoinLast
}

var helpFirstParams = []Param{
	{Name: "near", Max: 1, Help: "1: half of the attempts to steal are within the own node"},
	{Name: "half", Max: 1, Help: "1: a steal takes half"},
	{Name: "queue-last", Max: 1, Help: "1: the last child of a phase is queued as well"},
	{Name: "join-last", Max: 1, Help: "1: who completes a join runs what follows it"},
	{Name: "deeper", Max: 1, Help: "1: who waits at a join takes deeper tasks only"},
}

func makeHelpFirst(given Params) Policy {
	on := func(name string) bool { return given[name] == 1 }
	return &HelpFirst{Near: on("near"), Half: on("half"), QueueLast: on("queue-last"),
		JoinLast: on("join-last"), Deeper: on("deeper")}
}

func (p *HelpFirst) Rules() Rules {
	r := Rules{Spawn: SpawnParent, Join: JoinStarter, Hints: p.Locality, Mail: p.Locality,
		LeaveIdle: p.Locality, Half: p.Half}
	if p.QueueLast {
		r.Last = LastQueue
	}
	if p.JoinLast {
		r.Join = JoinLast
	}
	if p.Deeper {
		r.Wait = WaitDeeper
	}
	return r
}

// Look goes round mailbox (with Locality), own queue, random victim.
func (p *HelpFirst) Look(s *Search) Move {
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
			return Move{Kind: MoveSteal, Victim: s.anyVictim(p.Near), Half: p.Half}
		}
		s.Step++
		fallthrough
	case 3:
		return Move{Kind: MoveOwn}
	}
	return Rest
}
