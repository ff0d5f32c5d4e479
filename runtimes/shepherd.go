package runtimes

// Shepherd is the Sherwood scheduler of Qthreads 1.9 (the paper's QTH; Olivier et al., "Scheduling
// task parallelism on multi-socket multicore systems", 2011): one queue for each shepherd under a
// lock, taken from at the tail; only one worker of a shepherd may be out stealing, which goes
// through the others in a fixed order, stops as soon as its own queue has something, and takes half
// of the tasks of the first that has any, oldest first. The children that a worker spawns, and the
// continuation of a join that it completed, go to its spawn cache. docs/schedulers.md has the files
// that each of this was read in, and the departures.
//
// The zero value is QTH/Core with a random list of victims.
type Shepherd struct {
	Socket bool // one shepherd for the workers of a node (QTH/Socket); otherwise one each
	Near   bool // victims are sorted by distance, as a build with hwloc's distances sorts them
	// Overrun: victims that are Near are sorted as 1.9 itself does it, before sort_sheps was mended.
	Overrun bool

	// Options of a build or changes of the source; none of them is in the paper.
	NoCache   bool // built without the spawn cache
	One       bool // a steal takes one task (QTHREAD_STEAL_CHUNK=1)
	QueueLast bool // the last child of a phase is queued as the others are
	JoinLast  bool // what follows a join is run at once by the worker that completed it
}

func (p Shepherd) Rules() Rules {
	r := Rules{Spawn: SpawnParent, Locked: true, Half: !p.One, Join: JoinRequeue, Cache: !p.NoCache,
		Shuffle: !p.Near, Overrun: p.Overrun}
	if p.Socket {
		r.Queue = ShareNode
	}
	if p.QueueLast {
		r.Last = LastQueue
	}
	if p.JoinLast {
		r.Join = JoinLast
	}
	return r
}

// Look makes a round of: claim the steal token; each victim in order, and behind each, where others
// may have put something there, a look at the own queue; give the token back; rest; take from the
// own queue. The worker that finds the token taken rests, and takes from its own queue. Step counts
// victims; the steps around them have numbers of their own.
func (p Shepherd) Look(s *Search) Move {
	const claimed, rest, own = 1, -1, -2
	switch step := s.Step; {
	case step == own:
		s.Step = 0
		return Move{Kind: MoveOwn}
	case step == rest || len(s.Victims) == 0:
		s.Step = own
		return Rest
	case step == 0:
		s.Step = claimed
		return Move{Kind: MoveClaim}
	case step == claimed && s.Last == OutcomeBusy:
		s.Step = own
		return Rest
	default:
		// victim k at step 2k+1, the own queue at step 2k+2
		at := step - claimed
		if at%2 == 1 {
			s.Step++
			if p.Socket {
				return Move{Kind: MoveSee}
			}
			at++
		} else if at > 0 && p.Socket && s.Last == OutcomeDone {
			s.Step = own
			return Move{Kind: MoveRelease}
		}
		s.Step++
		if k := at / 2; k < len(s.Victims) {
			return Move{Kind: MoveSteal, Victim: s.Victims[k], Half: !p.One}
		}
		s.Step = rest
		return Move{Kind: MoveRelease}
	}
}

// shepherdParams returns the rules of p that can be changed one at a time.
func shepherdParams(p Shepherd) []Param {
	share := 0
	if p.Socket {
		share = 1
	}
	return append([]Param{{Name: "share", Default: share, Max: 1,
		Help: "1: a queue for the workers of a node, 0: for each worker"}}, shepherdRules...)
}

var shepherdRules = []Param{
	{Name: "near", Max: 1, Help: "1: victims nearest first, 0: in a random order"},
	{Name: "overrun", Max: 1, Help: "1: victims nearest first, some lost, as Qthreads 1.9 sorts them"},
	{Name: "cache", Default: 1, Max: 1, Help: "1: spawns go to a cache of the worker first"},
	{Name: "half", Default: 1, Max: 1, Help: "1: a steal takes half, 0: one entry"},
	{Name: "queue-last", Max: 1, Help: "1: the last child of a phase is queued as well"},
	{Name: "join-last", Max: 1, Help: "1: who completes a join runs what follows it at once"},
}

// shepherd makes policies like p with the rules that parameters say.
func shepherd(p Shepherd) func(Params) Policy {
	return func(given Params) Policy {
		p := p
		p.Socket = given["share"] == 1
		p.Near, p.Overrun = given["near"] == 1 || given["overrun"] == 1, given["overrun"] == 1
		p.NoCache, p.One = given["cache"] == 0, given["half"] == 0
		p.QueueLast, p.JoinLast = given["queue-last"] == 1, given["join-last"] == 1
		return p
	}
}
