package runtimes

import "fmt"

// A Policy is a scheduler: it decides, and does nothing else. One value serves all workers of a run
// and is never written; the memory of a search is in the [Search].
type Policy interface {
	// Rules are the decisions that stay the same all run long.
	Rules() Rules
	// Look returns the next move of a worker that has found its own queue empty. It is called again
	// after each move that gave no work, until one does. It must return [Rest] now and then (at the
	// end of a round), so that the mechanism can spin, yield or park.
	Look(s *Search) Move
}

// SpawnRule records which side of a spawn runs first.
type SpawnRule uint8

const (
	// SpawnCall runs the children one after the other and queues nothing: the serial run.
	SpawnCall SpawnRule = iota
	// SpawnChild runs the child at once; the parent, with all its remaining children, is queued
	// (work-first). The last child of a phase is a call: nothing remains that could be queued.
	SpawnChild
	// SpawnParent queues the children but the last, in order, and then calls the last (help-first).
	SpawnParent
	// SpawnGo starts a goroutine for every child but the last, which is called. Queues and searches
	// are then Go's.
	SpawnGo
	// SpawnChosen asks the policy, which is a [Chooser], when a phase begins.
	SpawnChosen
	// SpawnListed: a schedule lists which piece of code runs next, and where: see [Following].
	SpawnListed
)

// Sharing records whose a queue is.
type Sharing uint8

const (
	ShareWorker Sharing = iota // each worker has one
	ShareNode                  // the workers of a node, a last-level cache, have one
	ShareSocket                // those of a socket
	ShareAll                   // there is one
)

// Order records which entry of its own queue a worker takes next.
type Order uint8

const (
	TakeNewest Order = iota
	TakeOldest
	// TakeHighest takes the entry of the highest priority ([Hint]), of several the newest.
	TakeHighest
	// TakeSerial takes the entry that the serial run would begin first.
	TakeSerial
)

// LastRule records what becomes of the last child of a phase. SpawnParent only.
type LastRule uint8

const (
	LastCall LastRule = iota // it is called
	// it is queued as the others are; one alone with Place where it is for another worker's queue,
	// and with Admit where there is a hint of it and no task above it was admitted
	LastQueue
)

// JoinRule records who runs what follows a join that was not complete when the parent came to it.
type JoinRule uint8

const (
	// JoinLast: the worker that finishes last, at once, ahead of its queue.
	JoinLast JoinRule = iota
	// JoinStarter: only the worker that started the task, and only once all that it has started
	// since has ended.
	JoinStarter
	// JoinRequeue: it is queued with the worker that finishes last, like a newly spawned task.
	JoinRequeue
)

// WaitRule limits the entries that a worker may take while a task that it has started waits at a
// join. JoinStarter only. Other entries stay where they are: an attempt at one is OutcomeLeft, and
// the own queue seems empty.
type WaitRule uint8

const (
	WaitAny WaitRule = iota
	// WaitDeeper: only what lies deeper in the tree than the task that waits.
	WaitDeeper
	// WaitThief: of its own queue the children of the task that waits, and else only entries queued
	// with the worker that was the last to steal such a child ([Search.Thief]), if it lies deeper:
	// that worker may have ended the child, and have begun anything since.
	WaitThief
)

// Rules are the constant decisions of a policy.
type Rules struct {
	Spawn SpawnRule
	Last  LastRule
	Join  JoinRule
	Wait  WaitRule

	// Queue, Take and Locked say which queue a worker has. ShareWorker with TakeNewest is a deque
	// without a lock, whose thieves take the oldest entries, unless Locked; all others are under a
	// lock. Thieves take the oldest entries of a locked queue as well, but those that its own
	// workers would take next if it is TakeHighest or TakeSerial.
	Queue  Sharing
	Take   Order
	Locked bool
	// Cache: entries that a worker queues stay its own until it next takes from its queue: it then
	// takes the newest of that without the lock, and the rest goes to its queue. Locked stacks
	// only.
	Cache bool
	// Half: some steals take half ([Move]). A deque then has all its entries open to thieves after
	// a spawn, so that its owner pays a fence for each that it takes back.
	Half bool

	// Shuffle: [Search.Victims] are in an order drawn once, by seed, whatever their distance.
	Shuffle bool
	// Overrun: [Search.Victims] are the sorted list as sort_sheps of Qthreads 1.9 leaves it
	// (src/affinity/shufflesheps.h, commit 49df034c). See [Search.overrun].
	Overrun bool

	// Place asks the policy, which is a [Placer], into whose queue each child goes. Queues under
	// locks only.
	Place bool
	// Ranges: a worker steals only entries placed within a range of several workers
	// ([Search.From]): that of the last task that was dealt out among them and with them, or, when
	// one of those has ended, the next larger one. No worker steals in a range while it is being
	// dealt out. Children of a task for one worker stay with whoever runs it, within its range, and
	// the policy is not asked. With Place, a queue for each worker, and JoinLast.
	Ranges bool

	// Admit asks the policy, which is an [Admitter], whether a worker may begin what it would take.
	// Locked queues in the order of age, LastQueue, and Hints.
	Admit bool

	// Requests: thieves ask ([MoveAsk]) and victims answer, at their next spawn, when they next
	// look into their own deque and while they look for work themselves. No worker steals from a
	// deque.
	Requests bool

	// Hints: ask tasks that are [Hinted]; kernels then keep what hints need. Implied by none of the
	// others: without it there are no hints.
	Hints bool
	// Mail a proxy of each child to the worker that it is near to by its hint. Deques only.
	Mail bool
	// LeaveIdle: thieves leave an entry that was mailed to a worker which is idle, as that worker
	// will find it.
	LeaveIdle bool
	// Push: a thief that has stolen a frame whose next child is near to another node mails it to a
	// random worker there ([MoveMail]), and keeps it when so many letterboxes in a row were full. A
	// letterbox holds one frame. Thieves that try a deque which is not empty try its owner's
	// letterbox first, and those of other nodes are refused there so many times. SpawnChild only; 0
	// is no pushing.
	Push int
}

// Deque reports that each worker has a deque, and that no queue is under a lock.
func (r Rules) Deque() bool { return r.Queue == ShareWorker && r.Take == TakeNewest && !r.Locked }

// ranked reports that frames know their depth, and which child of their parent they are or where
// they are placed.
func (r Rules) ranked() bool {
	return r.Take == TakeSerial || r.Wait != WaitAny || r.Place ||
		r.Admit
}

// A rulesError is the reason why rules do not go together. It is a sentence only when it is read,
// as tests try some hundred thousand rules.
type rulesError struct {
	rules Rules
	why   string
}

func (e *rulesError) Error() string { return fmt.Sprintf("rules %+v: %s", e.rules, e.why) }

// Validate returns an error for a combination that the drivers do not carry out.
func (r Rules) Validate() error {
	for _, c := range []struct {
		wrong bool
		why   string
	}{
		{r.Spawn > SpawnListed || r.Last > LastQueue || r.Join > JoinRequeue ||
			r.Queue > ShareAll ||
			r.Take > TakeSerial || r.Wait > WaitThief, "there is no such rule"},
		{(r.Spawn == SpawnCall || r.Spawn == SpawnGo || r.Spawn == SpawnListed) &&
			r != Rules{Spawn: r.Spawn},
			"a policy that only calls, or leaves all to Go or to a schedule, has no other rules"},
		{r.Spawn != SpawnParent && !r.Deque(), "SpawnChild takes the parent back from the end of " +
			"a deque, and has no other queue"},
		{r.Spawn != SpawnParent && r.Join != JoinLast,
			"with SpawnChild the last to finish goes on"},
		{r.Spawn != SpawnParent && r.Last != LastCall, "LastQueue is for SpawnParent"},
		{r.Spawn == SpawnChild && r.Half, "SpawnChild expects but one parent in a deque that it " +
			"comes back to; SpawnChosen may choose it"},
		{r.Wait != WaitAny && (r.Join != JoinStarter || !r.Deque() || r.Mail), "Wait is for a " +
			"starter that waits, and deques without mail"},
		{r.Wait == WaitThief && r.Half, "with WaitThief and Half, what lies with a thief that " +
			"waits could be for nobody to take"},
		{r.Cache && (r.Deque() || r.Take != TakeNewest || r.Place || r.Admit), "Cache is for " +
			"locked queues whose newest entry is next, and with Place or Admit that is not so"},
		{r.Place && (r.Deque() || r.Take >= TakeHighest),
			"Place puts children into locked queues " +
				"in the order of age"},
		{r.Ranges && (!r.Place || r.Queue != ShareWorker || r.Join != JoinLast || r.Half),
			"Ranges are of placed entries, taken one by one, with a queue for each worker and a " +
				"join at which nobody waits"},
		{r.Requests && (r.Spawn != SpawnParent || !r.Deque() || r.Join == JoinStarter || r.Half ||
			r.Mail), "Requests are for SpawnParent, deques, one entry at a time, and a join at " +
			"which nobody waits while an answer is under way"},
		{r.Admit && (r.Deque() || r.Take >= TakeHighest || r.Last != LastQueue || r.Half ||
			r.Ranges || !r.Hints), "Admit is for entries that are taken one by one from locked " +
			"queues in the order of age, all children queued, with hints"},
		{r.Admit && r.Join == JoinStarter, "what a task was charged could wait under another " +
			"task for which it leaves no room: Admit needs tasks that their starter lets go"},
		{r.Mail && (r.Spawn != SpawnParent || !r.Deque()), "only children in deques are mailed"},
		{(r.Mail || r.Take == TakeHighest) && !r.Hints, "Mail and TakeHighest need Hints"},
		{r.Push < 0 || r.Push > 0 && (r.Spawn != SpawnChild || !r.Hints), "Push is a number of " +
			"attempts to mail a parent that was stolen, by hints"},
		{r.Overrun && r.Shuffle, "Overrun is of a sorted list"},
		{r.LeaveIdle && !r.Mail, "LeaveIdle is for entries that were mailed"},
	} {
		if c.wrong {
			return &rulesError{r, c.why}
		}
	}
	return nil
}

// A Chooser is a policy with SpawnChosen: it chooses how a phase is run when that begins, by
// SpawnCall, SpawnChild or SpawnParent. Any worker asks, at any time.
type Chooser interface {
	Choose(s *Spawn) SpawnRule
}

// A Spawn describes a phase that begins, for a [Chooser].
type Spawn struct {
	Children int // of the phase
	Depth    int // of their parent below the root
	Queued   int // entries in the worker's own deque
	Tasks    int // children that the worker has run
	Stolen   int // entries that thieves have taken from its deque

	State [3]int // the policy's own, of the worker, 0 when the run begins

	Worker, Workers int
}

// A Placer is a policy with [Rules.Place]: it decides where each child is queued, and which workers
// it and all below it are meant for. Any worker asks, at any time.
type Placer interface {
	Place(p *Placing) Placement
}

// A Placing describes, for a [Placer], a child that is about to be queued, or called as the last of
// its phase.
type Placing struct {
	Hint                   // of the child; empty if there are no hints
	Child, Children int    // its number, of so many
	Before, All     uint64 // work of its siblings before it, and of all children of the phase
	Depth           int    // of the child below the root
	From, To        int    // the range of its parent, in parts of workers; for the root all
	Parts           int    // of a worker: worker w is the parts from w*Parts on
	LLCBytes        uint64 // the size of a last-level cache, 0 if it is not known
	Worker, Workers int    // the worker that asks, of so many
}

// A Placement is where a child goes.
type Placement struct {
	Worker   int // in whose queue it waits; means nothing for a child that is called
	From, To int // its range, at least one part
	// Serial: all below it is for Worker alone, which calls it in order and queues nothing; the
	// policy is not asked about it.
	Serial bool
	Keep   bool // thieves leave it; not with Half
}

// An Admitter is a policy with [Rules.Admit]: before a worker takes an entry the policy decides
// whether it may begin there, and the charge to its node until the child and all below it have
// ended (space-bounded scheduling; Simhadri, Blelloch, Fineman, Gibbons and Kyrola, "Experimental
// analysis of space-bounded schedulers", 2014). A refused entry stays in its queue. The mechanism
// keeps the charges; a policy must admit something where nothing is charged. Any worker asks, one
// at a time.
type Admitter interface {
	Admit(a *Admission) (charge uint64, ok bool)
}

// An Admission describes an entry for an [Admitter].
type Admission struct {
	Hint                   // of the child
	Depth           int    // of the child below the root
	Node            int    // of the worker that would run it
	Used            uint64 // what that node is charged now
	LLCBytes        uint64 // the size of that node's last-level cache, 0 if it is not known
	Anchor          int    // the node that the nearest task above was charged to, -1 for none
	Worker, Workers int    // the worker, of so many
}

// A Hint holds the facts on a child that its task has before it runs. The zero value of each field
// means that it is not known.
type Hint struct {
	Work     uint64 // in the program's own unit, of the child and all below it
	Bytes    uint64 // that the child and all below it touch
	Priority int32  // higher is sooner
	Near     int    // 1 + the number of the worker that last touched its data
}

// Outcome is the result of a move. A move that gives work ends the search, so that Look never sees
// that.
type Outcome uint8

const (
	// OutcomeNone: the search begins.
	OutcomeNone Outcome = iota
	// OutcomeEmpty: there was nothing.
	OutcomeEmpty
	// OutcomeBusy: another worker was quicker, or holds the lock or the steal token.
	OutcomeBusy
	// OutcomeLeft: there was an entry, but it was left for the idle worker it is mailed to, or as
	// the [WaitRule] does not allow it, or it was mailed on ([Rules.Push]); or an answer is still
	// awaited.
	OutcomeLeft
	// OutcomeDone: the move is not one that could give work, and it succeeded (See, Claim, Release,
	// Ask, Rest).
	OutcomeDone
)

// A Search is a worker's view of the world while it looks for work.
type Search struct {
	Last Outcome // of the previous move
	Step int     // the policy's own, 0 when the search begins
	Rand *Rand   // the worker's own

	Worker, Workers int // the number of the worker, and how many there are

	// Victims are the queues of others, nearest first (same node, then other nodes); ties were
	// shuffled once, by seed, when the workers were made. With [Rules.Shuffle] all of them were:
	// they are one group, and Local is 0. Workers of one queue have the same.
	Victims []int
	// Local records how many of Victims, at their beginning, belong to the worker's own node.
	Local int
	// Groups records where each distance ends in Victims: those at the same distance as the first
	// are Victims[:Groups[0]], the next Victims[Groups[0]:Groups[1]], and so on.
	Groups []int

	// With [Rules.Ranges]: the parts of workers within which this worker steals, none if both are 0,
	// and how many parts a worker has. Queue i is that of worker i.
	From, To, Parts int

	// With a [WaitRule] but WaitAny: whether a task waits for this search to find something, and
	// how deep it lies below the root. With WaitThief, the queue of the worker that was the last to
	// steal a child of it; -1 for none.
	Waits bool
	Depth int
	Thief int
}

// anyVictim returns a random victim, which there must be; or near, in half of the attempts, a
// random one of the own node, otherwise one of another.
func (s *Search) anyVictim(near bool) int {
	from := s.Victims
	if near && s.Local > 0 && s.Local < len(from) {
		if from = s.Victims[:s.Local]; s.Rand.N(2) == 0 {
			from = s.Victims[s.Local:]
		}
	}
	return from[s.Rand.N(len(from))]
}

// MoveKind is a kind of move of an idle worker. Each is at most one operation on something shared.
type MoveKind uint8

const (
	// MoveRest: there is nothing to be had just now. The mechanism waits, longer each time, until a
	// search succeeds.
	MoveRest MoveKind = iota
	// MoveOwn takes the newest entry of the worker's own queue.
	MoveOwn
	// MoveSee looks whether the worker's own queue, which is under a lock, has any entry, and takes
	// none: OutcomeDone or OutcomeEmpty.
	MoveSee
	// MoveMail takes the oldest entry of the worker's own mailbox.
	MoveMail
	// MoveSteal takes from queue Victim (from the end in [Rules.Queue]): one entry or, with Half,
	// which [Rules.Half] must allow, half of them, rounded down but at least one; of these the
	// first is run and the others are added to the thief's own queue. If it succeeds it gives back
	// the steal token.
	MoveSteal
	// MoveClaim claims the steal token of the worker's queue, which one worker at a time can hold.
	MoveClaim
	// MoveRelease gives it back.
	MoveRelease
	// MoveAsk asks the owner of queue Victim for its oldest entry. It is OutcomeBusy if another
	// worker asks there, or if an answer is awaited already.
	MoveAsk
	// MoveHear takes the answer: OutcomeLeft if there is none yet, OutcomeEmpty if there was
	// nothing.
	MoveHear
)

// A Move is one step of a search. One that the rules do not allow ends the run with a
// [PolicyError].
type Move struct {
	Kind   MoveKind
	Victim int // MoveSteal, MoveAsk: a queue, one of [Search.Victims]
	Half   bool
}

// Rest ends a round of a search.
var Rest = Move{Kind: MoveRest}
