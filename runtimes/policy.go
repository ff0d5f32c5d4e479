package runtimes

// A Policy is a scheduler: it decides, and does nothing else. One value serves all workers of a run and is never written; what
// a search must remember is in the [Search].
type Policy interface {
	// Rules are the decisions that stay the same all run long.
	Rules() Rules
	// Look returns the next move of a worker that has found its own queue empty. It is called again after each move that
	// gave no work, until one does. It must return [Rest] now and then (at the end of a round), so that the mechanism can
	// spin, yield or park.
	Look(s *Search) Move
}

// SpawnRule says which side of a spawn runs first.
type SpawnRule uint8

const (
	// SpawnCall runs the children one after the other and queues nothing: the serial run.
	SpawnCall SpawnRule = iota
	// SpawnChild runs the child at once; the parent, with all its remaining children, is queued (work-first). The last child
	// of a phase is a call: nothing remains that could be queued.
	SpawnChild
	// SpawnParent queues the children but the last, in order, and then calls the last (help-first).
	SpawnParent
	// SpawnGo starts a goroutine for every child but the last, which is called. Queues and searches are then Go's.
	SpawnGo
)

// QueueRule says which queue a worker has.
type QueueRule uint8

const (
	// QueueWorker is a deque for each worker: its owner works at the newest end, thieves take one entry from the oldest.
	QueueWorker QueueRule = iota
	// QueueCore is a locked LIFO for each worker, with the rules of a shepherd.
	QueueCore
	// QueueNode is a locked LIFO for each node, shared by its workers: a shepherd.
	QueueNode
)

// JoinRule says who runs what follows a join that was not complete when the parent came to it.
type JoinRule uint8

const (
	// JoinLast: the worker that finishes last, at once, ahead of its queue.
	JoinLast JoinRule = iota
	// JoinStarter: only the worker that started the task, and only once all that it has started since has ended.
	JoinStarter
	// JoinRequeue: it is queued with the worker that finishes last, like a newly spawned task.
	JoinRequeue
)

// Rules are the constant decisions of a policy.
type Rules struct {
	Spawn SpawnRule
	Queue QueueRule
	Join  JoinRule
	// Affinity: ask tasks that are [Affine], and mail a proxy to the worker that they name.
	Affinity bool
	// LeaveIdle: thieves leave an entry that was mailed to a worker which is idle, as that worker will find it.
	LeaveIdle bool
}

// Outcome is what a move gave. A move that gives work ends the search, so that Look never sees that.
type Outcome uint8

const (
	// OutcomeNone: the search begins.
	OutcomeNone Outcome = iota
	// OutcomeEmpty: there was nothing.
	OutcomeEmpty
	// OutcomeBusy: another worker was quicker, or holds the lock or the thief's office.
	OutcomeBusy
	// OutcomeLeft: there was an entry, but it was left for the idle worker it is mailed to.
	OutcomeLeft
	// OutcomeDone: the move is not one that could give work, and it succeeded (Lead, Resign, Rest).
	OutcomeDone
)

// A Search is a worker's view of the world while it looks for work.
type Search struct {
	Last Outcome // of the previous move
	Step int     // the policy's own, 0 when the search begins
	Rand *Rand   // the worker's own
	// Victims are the queues of others, nearest first (same node, then other nodes); ties were shuffled once, by seed, when
	// the workers were made.
	Victims []int
	// Local says how many of Victims, at their beginning, belong to the worker's own node.
	Local int
}

// MoveKind is what an idle worker can do. Each is at most one operation on something shared.
type MoveKind uint8

const (
	// MoveRest: there is nothing to be had just now. The mechanism waits, longer each time, until a search succeeds.
	MoveRest MoveKind = iota
	// MoveOwn takes the newest entry of the worker's own queue.
	MoveOwn
	// MoveMail takes the oldest entry of the worker's own mailbox.
	MoveMail
	// MoveSteal takes from the oldest end of queue Victim: one entry or, with Half, half of them rounded up; of these the
	// oldest is run and the others are appended to the thief's own queue. It gives back the thief's office if it succeeds.
	MoveSteal
	// MoveLead claims the thief's office of the worker's queue, which one worker at a time can hold.
	MoveLead
	// MoveResign gives it back.
	MoveResign
)

// A Move is one step of a search.
type Move struct {
	Kind   MoveKind
	Victim int // MoveSteal: a queue, one of [Search.Victims]
	Half   bool
}

// Rest ends a round of a search.
var Rest = Move{Kind: MoveRest}

// A Scheduler is a policy with its names.
type Scheduler struct {
	Name  string // on the command line
	Paper string // in the KRD paper, or ""
	Doc   string // one line
	Policy
}

// Schedulers is the table. A new one is a file with a [Policy], and a line here; the conformance suite of package kernels and
// `krdlab list` read the table.
var Schedulers = []Scheduler{
	{"serial", "", "plain depth-first calls on one worker; gives T_serial", Serial{}},
	{"workfirst", "MTH", "child first, the rest of the parent is queued; one random victim, its oldest entry (MassiveThreads, Cilk)", WorkFirst{}},
	{"helpfirst", "TBB", "children are queued, the parent goes on; random victim; a started task never migrates (TBB)", HelpFirst{}},
	{"helpfirst-locality", "", "as helpfirst; a task is also mailed to the worker that last touched its data (TBB with affinity)", HelpFirst{Locality: true}},
	{"shepherd-core", "QTH/Core", "children are queued, one locked LIFO per worker; a thief takes half of the nearest (Qthreads)", Shepherd{}},
	{"shepherd-socket", "QTH/Socket", "children are queued, one locked LIFO per last-level cache; one thief at a time takes half (Qthreads)", Shepherd{Socket: true}},
	{"go", "", "a go statement per task, a WaitGroup per join: Go's own scheduler (native only)", Goroutines{}},
}

// SchedulerByName returns the line of the table with that name.
func SchedulerByName(name string) (Scheduler, bool) {
	for _, s := range Schedulers {
		if s.Name == name {
			return s, true
		}
	}
	return Scheduler{}, false
}
