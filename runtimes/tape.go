//go:build krdlab_tape

package runtimes

import (
	"slices"
	"sync/atomic"
)

// A tape notes the operations of one worker on what is shared, with their outcomes, in the order in
// which the worker did them: replay_test.go has the stepper do again what threads did. Tapes exist
// only in builds with the tag krdlab_tape, where this file takes the place of untaped.go.
//
// The order among workers is exact, since an operation draws its ticket while nobody else can be in
// the middle of one on the same object: under a guard, one for each queue. A thief that finds the
// guard held reports that another was quicker, as it does without guards when its CAS fails or the
// lock is taken. So a tape has no races inside an operation: the tests of the queues have those.
// With affinities all queues and mailboxes share one guard, as an entry is then in two places, and
// so they do where a thief mails what it stole, or is given it by its victim.
//
// Joins need no guard: whoever arrives last draws its ticket behind the addition, all others before
// it. A child's report to a starter spans two tickets: the starter may have looked before or after.
type tape struct {
	all    *tapes
	w      *Worker
	guard  *spinLock // of the worker's queue
	events []operation

	held   *spinLock // inside an operation under a guard
	depth  int       // of operations within operations: they are one
	handed bool      // the guard is still held for openOwn
}

// tapes are those of one run.
type tapes struct {
	next   atomic.Uint64 // tickets drawn
	name   func(f *Frame) uint64
	of     []*tape
	guards []*spinLock // by queue
}

// taping is where the workers of the next pool note what they do; nil: nowhere that is kept. A test
// sets it.
var taping *tapes

// taped is what a tape keeps in a worker.
type taped struct{ tape *tape }

// labelwise: see untaped.go.
const labelwise = true

// opKind is what a worker did.
type opKind uint8

const (
	opExpose   opKind = iota // opened private entries: n are open now
	opTakeBack               // popped an open entry, or none was left
	opMail                   // queued a child and mailed it to worker `whom`
	opTakeMail               // looked into its mailbox
	// took a proxy out of a queue or mailbox, and claimed its child or found it claimed
	opClaim
	opSteal    // from queue `whom`; n entries came
	opPush     // n children, or the rest of a frame, to a shared queue
	opPop      // from it
	opFlush    // n entries of its cache to it
	opSee      // looked whether it has any
	opKeep     // n entries of a steal to it, and gave back the steal token
	opToken    // claimed the steal token
	opRelease  // gave it back
	opAsk      // asked worker `whom` for an entry
	opHear     // looked for the answer
	opAnswer   // answered worker `whom`
	opArrive   // at a join; OutcomeDone: last
	opReport   // a child finished, to the worker that started its parent
	opComplete // saw all children reported, and goes on
	opRest
)

// operation is one of a worker. Two are the same if all but the tickets are equal.
type operation struct {
	op    opKind
	out   Outcome
	whom  int32
	n     int32
	frame uint64 // name of the frame that it is about, 0 if none or not known
	child int32  // of that frame: what came, or went
	// When in its worker's own time: children run, entries in the deque since the run began less
	// those taken. An owner's operations on private entries are not on the tape; these tell before
	// which of them an expose is.
	ran  uint64
	tail int64

	ticket uint64
	until  uint64 // opReport: the second ticket
}

// watch gives every worker of p a tape.
func (p *pool) watch() {
	all := taping
	if all == nil {
		all = &tapes{name: func(*Frame) uint64 { return 0 }}
	}
	common := new(spinLock)
	all.of, all.guards = nil, slices.Repeat([]*spinLock{common}, len(p.queueNode))
	if !p.rules.Mail && p.rules.Push == 0 && !p.rules.Requests {
		for i := range all.guards {
			all.guards[i] = new(spinLock)
		}
	}
	for i, w := range p.workers {
		w.tape = &tape{all: all, w: w, guard: all.guards[p.queueOf[i]]}
		all.of = append(all.of, w.tape)
	}
}

func (t *tape) draw() uint64 { return t.all.next.Add(1) }

func (t *tape) enter() {
	if t.depth == 0 {
		t.guard.acquire()
		t.held = t.guard
	}
	t.depth++
}

func (t *tape) tryEnter(guard *spinLock) bool {
	if !guard.try() {
		return false
	}
	t.held, t.depth = guard, 1
	return true
}

// exit ends an operation. The ticket is drawn when all is done but the guard not yet given back: an
// owner reads its deque's head without the guard, and must have seen, of what comes before an
// operation of its own, all steals.
func (t *tape) exit() {
	if t.depth--; t.depth > 0 {
		return
	}
	if n := len(t.events); n > 0 && t.events[n-1].ticket == 0 {
		ticket := t.draw()
		for i := n - 1; i >= 0 && t.events[i].ticket == 0; i-- {
			t.events[i].ticket = ticket
		}
	}
	t.held.release()
}

// note appends an operation, with a new ticket unless it has one or is part of an operation under a
// guard. Nothing is noted once the root task is complete: searches that are under way find all
// queues shut.
func (t *tape) note(e operation) {
	if t.w.pool.ended.Load() != 0 {
		return
	}
	if e.ticket == 0 && t.depth == 0 {
		e.ticket = t.draw()
	}
	e.ran, e.tail = t.w.ran(), t.w.tail
	t.events = append(t.events, e)
}

// noteJoin is note of an operation at a join, with a ticket of its own. It returns where it is on
// the tape, for what is known only when it is done; nil if it was not noted.
func (t *tape) noteJoin(e operation) *operation {
	e.ticket = t.draw()
	n := len(t.events)
	if t.note(e); len(t.events) == n {
		return nil
	}
	return &t.events[n]
}

// noteEntry is note of an operation that gave entry e, if ok.
func (t *tape) noteEntry(op opKind, e entry, ok bool) {
	n := operation{op: op, out: OutcomeEmpty}
	if ok {
		n.out = OutcomeDone
		n.child = e.i
		if e.i != entryProxy { // the frame behind a proxy may be gone
			n.frame = t.all.name(e.f)
		}
	}
	t.note(n)
}

// expose reads the head again, under the guard.
func (d *deque) expose(int64) bool {
	t := d.tape
	t.enter()
	h := d.head.Load()
	opened := d.open(h)
	if opened && h < shut {
		t.note(operation{op: opExpose, n: int32(d.split - h)})
	}
	t.exit()
	return opened
}

// popShared holds the guard, if it gave a proxy, until openOwn has opened that.
func (d *deque) popShared() (entry, bool) {
	t := d.tape
	t.enter()
	e, ok := d.takeBack()
	t.noteEntry(opTakeBack, e, ok)
	if ok && e.i == entryProxy && t.depth == 1 {
		t.handed = true
		return e, ok
	}
	t.exit()
	return e, ok
}

func (w *Worker) openOwn(popped entry) (entry, bool) {
	t := w.tape
	if t.handed {
		t.handed = false
	} else {
		t.enter()
	}
	defer t.exit()
	return w.openNewest(popped)
}

func (w *Worker) decide() Move {
	m := w.pool.policy.Look(&w.search)
	if m.Kind == MoveRest {
		w.tape.note(operation{op: opRest})
	}
	return m
}

func (w *Worker) stealFrom(m Move) (e entry, out Outcome) {
	t := w.tape
	n := operation{op: opSteal, whom: int32(m.Victim), out: OutcomeBusy}
	if !t.tryEnter(t.all.guards[m.Victim]) {
		t.note(n)
		return entry{}, OutcomeBusy
	}
	defer t.exit()
	e, n.out = w.stealOldest(m)
	if n.out == OutcomeDone {
		n.n, n.frame, n.child = 1, t.all.name(e.f), e.i
		n.n = int32(w.taken())
	} else {
		n.n = int32(w.mailed)
	}
	t.note(n)
	return e, n.out
}

func (w *Worker) send(p *proxy, to *Worker) (tell bool) {
	t := w.tape
	t.enter()
	defer t.exit()
	tell = w.post(p, to)
	t.note(operation{op: opMail, whom: int32(to.id), frame: t.all.name(p.f), child: p.i})
	return tell
}

func (w *Worker) takeMail() (e entry, ok bool) {
	w.tape.enter()
	defer w.tape.exit()
	e, ok = w.openMail()
	w.tape.noteEntry(opTakeMail, e, ok)
	return e, ok
}

func (w *Worker) ask(victim int) Outcome {
	w.tape.enter()
	defer w.tape.exit()
	out := w.putRequest(victim)
	w.tape.note(operation{op: opAsk, whom: int32(victim), out: out})
	return out
}

func (w *Worker) hear() (e entry, out Outcome) {
	w.tape.enter()
	defer w.tape.exit()
	e, out = w.takeAnswer()
	n := operation{op: opHear, out: out}
	if out == OutcomeDone {
		n.frame, n.child = w.tape.all.name(e.f), e.i
	}
	w.tape.note(n)
	return e, out
}

func (w *Worker) give() {
	w.tape.enter()
	defer w.tape.exit()
	thief, e, out := w.giveOldest()
	n := operation{op: opAnswer, whom: int32(thief.id), out: out}
	if out == OutcomeDone {
		n.frame, n.child = w.tape.all.name(e.f), e.i
	}
	w.tape.note(n)
}

func (w *Worker) claim(p *proxy) (won bool) {
	won = p.claimed.CompareAndSwap(0, 1)
	w.tape.noteEntry(opClaim, entry{f: p.f, i: p.i}, won)
	return won
}

func (w *Worker) pushChildren(f *Frame, n int32) {
	w.tape.enter()
	defer w.tape.exit()
	w.addChildren(f, n)
	w.tape.note(operation{op: opPush, n: n, frame: w.tape.all.name(f)})
}

func (w *Worker) pushRest(f *Frame) {
	w.tape.enter()
	defer w.tape.exit()
	w.shared.push(entry{f: f, i: entryRest})
	w.tape.note(operation{op: opPush, n: 1, frame: w.tape.all.name(f), child: entryRest})
}

func (w *Worker) popQueue() (entry, bool) {
	w.tape.enter()
	defer w.tape.exit()
	e, ok := w.shared.pop()
	w.tape.noteEntry(opPop, e, ok)
	return e, ok
}

func (w *Worker) flush(es []entry) {
	w.tape.enter()
	defer w.tape.exit()
	w.shared.pushAll(es)
	w.tape.note(operation{op: opFlush, n: int32(len(es))})
}

func (w *Worker) sees() bool {
	w.tape.enter()
	defer w.tape.exit()
	some := w.shared.size.Load() > 0
	w.tape.note(operation{op: opSee, out: seen(some)})
	return some
}

func (w *Worker) keep(es []entry) {
	w.tape.enter()
	defer w.tape.exit()
	w.shared.keep(es)
	w.tape.note(operation{op: opKeep, n: int32(len(es))})
}

func (w *Worker) claimToken() Outcome {
	w.tape.enter()
	defer w.tape.exit()
	out := w.shared.claimToken()
	w.tape.note(operation{op: opToken, out: out})
	return out
}

func (w *Worker) releaseToken() {
	w.tape.enter()
	defer w.tape.exit()
	w.shared.releaseToken()
	w.tape.note(operation{op: opRelease})
}

// arrive is on the tape before it is done: once it is, others may complete the root task, behind
// which nothing is noted.
func (w *Worker) arrive(f *Frame, n int32) (last bool) {
	e := w.tape.noteJoin(operation{op: opArrive, frame: w.tape.all.name(f)})
	if last = f.arrive(n); last && e != nil {
		e.out, e.ticket = OutcomeDone, w.tape.draw()
	}
	return last
}

// report is on the tape before it is done, as an arrival is.
func (w *Worker) report(f *Frame) {
	e := w.tape.noteJoin(operation{op: opReport, frame: w.tape.all.name(f), whom: f.owner})
	atomic.AddInt32(&f.join, 1)
	if e != nil {
		e.until = w.tape.draw()
	}
}

func (w *Worker) reopen(f *Frame) {
	w.tape.note(operation{op: opComplete, frame: w.tape.all.name(f)})
	f.reset()
}
