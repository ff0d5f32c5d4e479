//go:build krdlab_tape

package runtimes

import (
	"slices"
	"sync/atomic"
)

// A tape notes the operations of one worker on shared data, with their outcomes, in the order in
// which the worker did them: replay_test.go has the stepper do again what threads did. Tapes exist
// only in builds with the tag krdlab_tape, where this file takes the place of untaped.go.
//
// The order among workers is exact, since an operation draws its ticket while nobody else can be in
// the middle of one on the same object: under a guard, one for each queue. A thief that finds the
// guard held reports that another was quicker, as it does without guards when its CAS fails or the
// lock is taken. So a tape has no races inside an operation: the tests of the queues have those.
// All queues and mailboxes share one guard where an operation is on more than a queue: with
// affinities, as an entry is then in two places; where a thief mails what it stole, or is given it
// by its victim; with ranges and with budgets, which several workers change.
//
// Joins need no guard: the last to arrive draws its ticket behind the addition, all others before
// it. A child's report to a starter spans two tickets: the starter may have looked before or after.
//
// In a replay every operation first waits for its turn, here, and is compared when it is whole.
type tape struct {
	all    *tapes
	w      *Worker
	guard  *spinLock // of the worker's queue
	events []operation

	held   *spinLock // inside an operation under a guard
	depth  int       // of operations within operations: they are one
	handed bool      // the guard is still held for openOwn
	moves  uint64    // of the owner's pushes, and pops of what is private
	thief  int       // WaitThief: that of the task that waits, when the policy was asked
}

// tapes are those of one run.
type tapes struct {
	next   atomic.Uint64 // tickets drawn
	name   func(f *Frame) uint64
	of     []*tape
	guards []*spinLock     // by queue
	play   player          // nil in the run that is recorded
	lag    func(w *Worker) // not nil: holds w up behind a push or pop, before it reads the head
}

// A player has the stepper do again what tapes say.
type player interface {
	// turn returns when the next operation of all is one of w.
	turn(w *Worker)
	// done is called when what w has noted since its turn came is all of an operation.
	done(w *Worker)
	// next returns the next operation of w in the record, if there is one.
	next(w *Worker) (operation, bool)
	// unseen is called where f, on w's stack, is complete, and was not when w looked.
	unseen(w *Worker, f *Frame)
}

// taping is where the workers of the next pool note what they do; nil: nowhere that is kept. A test
// sets it.
var taping *tapes

// parks: a tape has each look of a worker.
const parks = false

// taped is the part of a worker that a tape keeps.
type taped struct{ tape *tape }

// opKind is a kind of operation of a worker.
type opKind uint8

const (
	opExpose   opKind = iota // opened private entries: n are open now
	opTakeBack               // popped an open entry, or none was left
	// took back the frame that a child was spawned ahead of, or found another entry there, or none
	opBack
	opMail     // queued a child and mailed it to worker `whom`
	opTakeMail // looked into its mailbox
	// took a proxy out of a queue or mailbox, and claimed its child or found it claimed
	opClaim
	opSteal   // from queue `whom`; n entries came
	opIdle    // left an entry, the n-th of a steal, for worker `whom`, which is idle
	opPush    // n children, or the rest of a frame, to a shared queue
	opPop     // from it
	opFlush   // n entries of its cache to it
	opSee     // looked whether it has any
	opPlace   // placed a child, with the tag n, in queue `whom`
	opKeep    // n entries of a steal to its own queue, and gave back the steal token
	opToken   // claimed the steal token
	opRelease // gave it back
	opAsk     // asked worker `whom` for an entry
	opHear    // looked for the answer
	opAnswer  // answered worker `whom`
	opArrive  // at a join; OutcomeDone: last
	// chose the rule `whom` for a phase; n entries in its deque, and `child` stolen until then
	opChoose
	opThief  // saw that the thief of its task that waits is worker `whom`
	opSeek   // saw that it steals in the range from `whom` to n
	opRange  // had the workers of the range from `whom` to n of a frame steal in it, or nowhere
	opCharge // was charged n for what it took
	// a frame that begins keeps the charge of n, or it is given back: OutcomeDone
	opSettle
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
	// those taken, pushes and pops. An owner's operations on private entries are not on the tape;
	// these tell before which of them an expose is.
	ran   uint64
	tail  int64
	moves uint64

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
	if r := p.rules; !r.Mail && r.Push == 0 && !r.Requests && !r.Ranges && !r.Admit {
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

func (t *tape) turn() {
	if t.all.play != nil && t.depth == 0 {
		t.all.play.turn(t.w)
	}
}

func (t *tape) done() {
	if t.all.play != nil && t.depth == 0 {
		t.all.play.done(t.w)
	}
}

// comes reports whether, in a replay, the next operation of the record is op, at this point of the
// worker's own time.
func (t *tape) comes(op opKind) bool {
	if t.all.play == nil {
		return false
	}
	e, ok := t.all.play.next(t.w)
	return ok && e.op == op && e.ran == t.w.ran() && e.moves == t.moves
}

// busy reports whether, in a replay, the next operation is a steal that met another worker.
func (t *tape) busy() bool {
	if t.all.play == nil {
		return false
	}
	e, ok := t.all.play.next(t.w)
	return ok && e.op == opSteal && e.out == OutcomeBusy
}

func (t *tape) enter() { t.enterAt(t.guard) }

func (t *tape) enterAt(guard *spinLock) {
	if t.depth == 0 {
		t.turn()
		guard.acquire()
		t.held = guard
	}
	t.depth++
}

func (t *tape) tryEnter(guard *spinLock) bool {
	if t.turn(); t.busy() || !guard.try() {
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
	t.done()
}

// note appends an operation, with a new ticket unless it has one or is part of an operation under a
// guard. Nothing is noted once the root task is complete: searches that are under way find all
// queues shut.
func (t *tape) note(e operation) {
	if t.w.pool.ended.Load() != 0 {
		return
	}
	alone := e.ticket == 0 && t.depth == 0
	if alone {
		t.turn()
		e.ticket = t.draw()
	}
	e.ran, e.tail, e.moves = t.w.ran(), t.w.tail, t.moves
	t.events = append(t.events, e)
	if alone {
		t.done()
	}
}

// noteJoin notes an operation at a join, with a ticket of its own, before it is done. It returns
// where it is on the tape, for its result; nil if it was not noted.
func (t *tape) noteJoin(e operation) *operation {
	t.turn()
	e.ticket = t.draw()
	n := len(t.events)
	if t.note(e); len(t.events) == n {
		return nil
	}
	return &t.events[n]
}

// noteEntry notes an operation that gave entry e, if ok.
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

// headBehind waits, in a replay, for the turn of the expose that came of it. If none did, the
// replay, which has the worker push and pop as soon as it can, opens nothing either: it sees the
// same head or an earlier one, and the earlier the head, the fewer entries are to be open.
func (d *deque) headBehind() int64 {
	t := d.tape
	if t.moves++; t.all.lag != nil {
		t.all.lag(t.w)
	}
	if t.comes(opExpose) {
		t.turn()
	}
	return d.head.Load()
}

// expose reads the head again, under the guard. A replay that would open entries that the record
// does not waits for its turn as well, as others see open entries: either it differs, or the owner
// was so late that the run had ended, and there is no such turn.
func (d *deque) expose(h int64) bool {
	t := d.tape
	if t.all.play != nil && t.depth == 0 && !t.comes(opExpose) && d.openTo(h) <= d.split {
		return false
	}
	t.enter()
	h = d.head.Load()
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

func (w *Worker) takeBackFrame(f *Frame) bool {
	w.tape.enter()
	defer w.tape.exit()
	ok := w.takeOthers(f)
	w.tape.note(operation{op: opBack, out: seen(ok), frame: w.tape.all.name(f)})
	return ok
}

func (w *Worker) choose(f *Frame) {
	t := w.tape
	t.enter()
	defer t.exit()
	w.chooseRule(f)
	t.note(operation{op: opChoose, whom: int32(f.rule), n: int32(w.phase.Queued),
		child: int32(w.phase.Stolen), frame: t.all.name(f)})
}

// decide looks again at what others may have changed, under the guard.
func (w *Worker) decide() Move {
	t, s := w.tape, &w.search
	if w.rules.Wait == WaitThief && w.top != nil {
		t.enter()
		w.seeWait()
		t.thief = s.Thief
		t.note(operation{op: opThief, whom: int32(s.Thief), n: int32(s.Depth)})
		t.exit()
	}
	if w.rules.Ranges {
		t.enter()
		w.seeRange()
		t.note(operation{op: opSeek, whom: int32(s.From), n: int32(s.To)})
		t.exit()
	}
	m := w.pool.policy.Look(s)
	if m.Kind == MoveRest {
		t.note(operation{op: opRest})
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
	if w.rules.Wait == WaitThief && w.top != nil { // the stepper has it brought up to date at once
		w.search.Thief = t.thief
	}
	e, n.out = w.stealOldest(m)
	if n.out == OutcomeDone {
		n.n, n.frame, n.child = 1, t.all.name(e.f), e.i
		n.n = int32(w.taken())
	} else {
		n.n = int32(w.mailed)
	}
	t.note(n)
	w.noteCharge()
	return e, n.out
}

// seesIdle reports whether a worker is idle: in a replay, where the record has an entry that was
// left for it.
func (w *Worker) seesIdle(to int) bool {
	t, n := w.tape, int32(len(w.batch))
	idle := w.pool.workers[to].idle.Load()
	if t.all.play != nil {
		e, ok := t.all.play.next(w)
		idle = ok && e.op == opIdle && e.whom == int32(to) && e.n == n
	}
	if idle {
		t.note(operation{op: opIdle, whom: int32(to), n: n})
	}
	return idle
}

// noteCharge notes what the worker was charged for an entry that came.
func (w *Worker) noteCharge() {
	if w.charge != 0 {
		w.tape.note(operation{op: opCharge, whom: int32(w.node), n: int32(w.charge)})
	}
}

func (w *Worker) popFitting() (entry, Outcome) {
	t := w.tape
	t.enter()
	defer t.exit()
	e, out := w.shared.popAdmitted(w.admits, false)
	n := operation{op: opPop, out: out}
	if out == OutcomeDone {
		n.frame, n.child = t.all.name(e.f), e.i
	}
	t.note(n)
	w.noteCharge()
	return e, out
}

func (w *Worker) moveCharge(c *Frame, charge uint64) {
	w.tape.enter()
	defer w.tape.exit()
	n := operation{op: opSettle, out: OutcomeDone, whom: int32(w.node), n: int32(charge)}
	if c != nil {
		n.out, n.frame = OutcomeNone, w.tape.all.name(c)
	}
	w.pool.budgets.settle(c, w.node, charge)
	w.tape.note(n)
}

func (w *Worker) dropCharge(f *Frame) {
	w.tape.enter()
	defer w.tape.exit()
	w.tape.note(operation{op: opSettle, out: OutcomeDone, whom: int32(f.anchor) - 1,
		n: int32(w.pool.budgets.drop(f)), frame: w.tape.all.name(f)})
}

func (w *Worker) stealWithin(f *Frame, on bool) {
	w.tape.enter()
	defer w.tape.exit()
	w.setRange(f, on)
	from, to := rangeOf(f.next)
	w.tape.note(operation{op: opRange, out: seen(on), whom: int32(from), n: int32(to),
		frame: w.tape.all.name(f)})
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

// asked reports whether there is a request: in a replay, a victim that had looked just before it
// came has not seen it.
func (w *Worker) asked() bool {
	if t := w.tape; t.all.play != nil {
		if !t.comes(opAnswer) {
			return false
		}
		t.turn()
	}
	return w.requests.asked.Load() != 0
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

func (w *Worker) pushAt(queue int, e entry) {
	w.tape.enterAt(w.tape.all.guards[queue])
	defer w.tape.exit()
	w.pool.shared[queue].push(e)
	w.tape.note(operation{op: opPlace, whom: int32(queue), n: e.tag, child: e.i,
		frame: w.tape.all.name(e.f)})
}

func (w *Worker) keep(es []entry) {
	w.tape.enter()
	defer w.tape.exit()
	w.keepEntries(es)
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

// arrive notes the arrival before it is done: once it is, others may complete the root task, behind
// which nothing is noted.
func (w *Worker) arrive(f *Frame, n int32) (last bool) {
	e := w.tape.noteJoin(operation{op: opArrive, frame: w.tape.all.name(f)})
	if last = f.arrive(n); last && e != nil {
		e.out, e.ticket = OutcomeDone, w.tape.draw()
	}
	w.tape.done()
	return last
}

// report notes the report before it is done, as arrive does.
func (w *Worker) report(f *Frame) {
	e := w.tape.noteJoin(operation{op: opReport, frame: w.tape.all.name(f), whom: f.owner})
	atomic.AddInt32(&f.join, 1)
	if e != nil {
		e.until = w.tape.draw()
	}
	w.tape.done()
}

// completes reports whether the phase is complete: in a replay, a worker that had looked while a
// report was being made has not seen it.
func (w *Worker) completes(f *Frame) bool {
	t := w.tape
	if t.all.play == nil || t.comes(opComplete) {
		t.turn()
		return f.complete()
	}
	if f.complete() {
		t.all.play.unseen(w, f)
	}
	return false
}

// seesEmpty looks at a queue without its lock. The stepper does not touch a queue that it sees to
// be empty, and so that is noted here.
func (s *stepper) seesEmpty(v *stepWorker) bool {
	if v.shared == nil {
		return s.ownSeemsEmpty(v)
	}
	v.tape.turn()
	clear(s.queues) // all locks are free
	empty := s.ownSeemsEmpty(v)
	if empty {
		v.tape.noteEntry(opPop, entry{}, false)
	}
	return empty
}

func (s *stepper) sees(v *stepWorker) bool {
	v.tape.turn()
	some := s.size(v.queue) > 0
	v.tape.note(operation{op: opSee, out: seen(some)})
	return some
}

func (s *stepper) seesNothing(v *stepWorker, victim int) bool {
	v.tape.turn()
	clear(s.queues)
	if v.tape.busy() {
		return false
	}
	empty := s.size(victim) == 0
	if empty {
		v.tape.note(operation{op: opSteal, whom: int32(victim), out: OutcomeEmpty})
	}
	return empty
}

func (w *Worker) reopen(f *Frame) {
	w.tape.note(operation{op: opComplete, frame: w.tape.all.name(f)})
	f.reset()
}
