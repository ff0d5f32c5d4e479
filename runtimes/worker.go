package runtimes

import (
	"sync/atomic"
)

// A Worker executes tasks. Kernels get one in every call and use it for [New],
// [Worker.Begin] and [Worker.End]; it is valid for that call only.
//
// Its first part belongs to the thread that runs the worker. Fields that other workers read or
// write stand behind padding, on cache lines of its own: without it two workers cost twice as much.
type Worker struct {
	deque // its own part first; see deque.go for who touches what

	signal *atomic.Uint32 // of the pool: not 0 when workers are parked or the run must stop
	top    *Frame         // JoinStarter: the stack of started frames, linked by Frame.link
	// finished frames by kind, then proxies, then roots
	free [freeLists]*Frame

	spawns uint64 // children queued, or started ahead of their parent
	calls  uint64 // child-first: children that were the last of their phase
	tasks  uint64 // otherwise: children run
	frames uint64 // that it made, as none was free

	node int
	rand Rand

	stamper // and with it the worker's id

	shared *queue   // nil with a deque
	mail   *mailbox // Rules.Mail
	// Rules.Push
	letters *letterbox
	mailed  int     // attempts to mail what the latest steal brought
	cache   []entry // Rules.Cache: what was queued since the worker last took, the newest last
	charge  uint64  // Rules.Admit: of the entry that was taken last, until it begins
	// Rules.Requests
	requests *requests
	guarded  bool // something comes before the own queue: WaitRule, Requests, Admit, Cache
	extra    bool // SpawnParent: frames are ranked, or LastQueue; a field, as registers are few
	bare     bool // children are queued as they are: not guarded, Rules.Half, Mail or Place
	mails    bool // they would be, but for Rules.Mail
	// SpawnParent: the entry that runs, noted if [Worker.rank] is to know it
	begun  entry
	rules  Rules
	pool   *pool
	search Search
	phase  Spawn   // SpawnChosen: what the policy is told
	batch  []entry // of a steal of several; reused
	tags   []int32 // of children that are queued at once; reused
	stole  theft   // the steal of this search
	seen   int     // entries that the latest steal of several saw
	// on threads: when the search began in which the worker is, 0 if in none
	searchFrom uint64
	idleTold   bool // that it searches has been recorded
	// Rules.Place: the sums of the latest placement
	dealing dealing
	// the policy's arguments, with Rules.Place and Rules.Admit
	placing   Placing
	admission Admission

	idleTicks  uint64
	steals     Steals
	stolenFrom []uint64 // successful steals by the victim's node

	_      [cacheLine]byte
	parked atomic.Uint32 // the futex word: see idle.go
	within atomic.Int32  // Rules.Ranges: the range that it steals in; written by any worker
	idle   atomic.Bool   // searching; written by the owner, read by thieves (Rules.LeaveIdle)
	_      [cacheLine]byte
}

// ran returns how many children the worker has run. Child-first, each was either spawned or called.
func (w *Worker) ran() uint64 {
	if w.rules.Spawn == SpawnChild {
		return w.spawns + w.calls
	}
	return w.tasks
}

// ID returns the number of the worker in its run, from 0. Under the policy go there are no workers,
// only goroutines, and any number may run at a time; there it panics.
func (w *Worker) ID() int {
	if w.gor != nil {
		panic("runtimes: Worker.ID under the policy go, where goroutines have no numbers")
	}
	return w.id
}

// Workers returns the number of workers of the run.
func (w *Worker) Workers() int { return w.pool.n }

// theft is a successful steal as it is recorded; see [loi.EventSteal]. entries is 0 if there was
// none, and of, how many there were to be had, if that is not known.
type theft struct{ victim, remote, entries, of uint32 }
