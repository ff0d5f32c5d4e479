package runtimes

import "sync/atomic"

// A tape notes the operations of one worker on what is shared, with their outcomes, in the order in which the worker did them. Runs
// have tapes in tests only: replay_test.go has the stepper do again what threads did. Without one, a run pays for a test of a nil
// pointer in operations that fence, lock or search; a push or pop of a private entry has none.
//
// The order among workers is exact, since an operation draws its ticket while nobody else can be in the middle of one on the same
// object: in the lock of a shepherd's queue, and under a guard that a deque has only while it is taped. A thief that finds the guard
// held reports that another was quicker, as it does without guards when its CAS fails. So a tape has no races inside an operation: the
// tests of the deque have those. With affinities all deques and mailboxes share one guard, as an entry is then in two places.
//
// Joins need no guard: whoever arrives last draws its ticket behind the addition, all others before it. A child's report to a starter
// spans two tickets: the starter may have looked before or after.
type tape struct {
	all    *tapes
	w      *Worker
	guard  *spinLock // of the worker's deque
	events []taped

	held   *spinLock // inside an operation under a guard
	depth  int       // of operations within operations: they are one
	handed bool      // the guard is still held for openOwn
}

// tapes are those of one run.
type tapes struct {
	next   atomic.Uint64 // tickets drawn
	closed atomic.Bool   // the root task is complete: searches that are under way find all queues shut
	name   func(f *Frame) uint64
	of     []*tape
}

// tapedOp is what a worker did.
type tapedOp uint8

const (
	opExpose   tapedOp = iota // opened private entries: n are open now
	opTakeBack                // popped an open entry, or none was left
	opMail                    // queued a child and mailed it to worker `whom`
	opTakeMail                // looked into its mailbox
	opClaim                   // took a proxy out of a queue or mailbox, and claimed its child or found it claimed
	opSteal                   // from queue `whom`; n entries came
	opPush                    // n children, or the rest of a frame, to a shepherd's queue
	opPop                     // from it
	opKeep                    // n entries of a steal to it, and gave back the thief's office
	opLead                    // claimed the office
	opResign                  // gave it back
	opArrive                  // at a join; OutcomeDone: last
	opReport                  // a child finished, to the worker that started its parent
	opComplete                // saw all children reported, and goes on
	opRest
)

// taped is an operation. Two are the same if all but the tickets are equal.
type taped struct {
	op    tapedOp
	out   Outcome
	whom  int32
	n     int32
	frame uint64 // name of the frame that it is about, 0 if none or not known
	child int32  // of that frame: what came, or went
	// When in its worker's own time: children run, entries in the deque since the run began less those taken. An owner's operations on
	// private entries are not on the tape; these tell before which of them an expose is.
	ran  uint64
	tail int64

	ticket uint64
	until  uint64 // opReport: the second ticket
}

// record gives every worker of p a tape.
func (p *pool) record(all *tapes) {
	p.tapes = all
	all.of = nil
	common := new(spinLock)
	for _, w := range p.workers {
		w.tape = &tape{all: all, w: w, guard: common}
		if !p.rules.Affinity {
			w.tape.guard = new(spinLock)
		}
		all.of = append(all.of, w.tape)
	}
}

func (t *tape) draw() uint64 { return t.all.next.Add(1) }

func (t *tape) enter(guard *spinLock) {
	if t.depth == 0 {
		guard.acquire()
		t.held = guard
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

// exit ends an operation. The ticket is drawn when all is done but the guard not yet given back: an owner reads its deque's head without the
// guard, and must have seen, of what comes before an operation of its own, all steals.
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

// note appends an operation, with a new ticket unless it has one or is part of an operation under a guard.
func (t *tape) note(e taped) {
	if t.all.closed.Load() {
		return
	}
	if e.ticket == 0 && t.depth == 0 {
		e.ticket = t.draw()
	}
	e.ran, e.tail = t.w.ran(), t.w.tail
	t.events = append(t.events, e)
}

// noteEntry is note of an operation that gave entry e, if ok.
func (t *tape) noteEntry(op tapedOp, e entry, ok bool) {
	n := taped{op: op, out: OutcomeEmpty}
	if ok {
		n.out = OutcomeDone
		n.child = e.i
		if e.i != entryProxy { // the frame behind a proxy may be gone
			n.frame = t.all.name(e.f)
		}
	}
	t.note(n)
}

// expose is [deque.expose] of the worker's deque. The head is read again under the guard.
func (t *tape) expose(d *deque) bool {
	t.enter(t.guard)
	h := d.head.Load()
	opened := h >= shut || d.open(h)
	if opened && h < shut {
		t.note(taped{op: opExpose, n: int32(d.split - h)})
	}
	t.exit()
	return opened
}

// takeBack is [deque.popShared] of the worker's deque. If it gave a proxy the guard is held until openOwn has opened it.
func (t *tape) takeBack(d *deque) (entry, bool) {
	t.enter(t.guard)
	e, ok := d.takeBack()
	t.noteEntry(opTakeBack, e, ok)
	if ok && e.i == entryProxy && t.depth == 1 {
		t.handed = true
		return e, ok
	}
	t.exit()
	return e, ok
}

// enterOwn begins openOwn.
func (t *tape) enterOwn() {
	if t.handed {
		t.handed = false
		return
	}
	t.enter(t.guard)
}

// steal is [Worker.stealDeque].
func (t *tape) steal(m Move) (e entry, out Outcome) {
	n := taped{op: opSteal, whom: int32(m.Victim)}
	if !t.tryEnter(t.all.of[m.Victim].guard) {
		n.out = OutcomeBusy
		t.note(n)
		return entry{}, OutcomeBusy
	}
	e, n.out = t.w.stealDeque(m)
	if n.out == OutcomeDone {
		n.n, n.frame, n.child = 1, t.all.name(e.f), e.i
	}
	t.note(n)
	t.exit()
	return e, n.out
}

// noteLoot notes a steal from a shepherd's queue. Holder of its lock, unless out is OutcomeBusy.
func (t *tape) noteLoot(queue int32, loot []entry, out Outcome) {
	n := taped{op: opSteal, whom: queue, out: out, n: int32(len(loot))}
	if len(loot) > 0 {
		n.frame, n.child = t.all.name(loot[0].f), loot[0].i
	}
	t.note(n)
}

// arrive is [Worker.arrive].
func (t *tape) arrive(f *Frame, n int32) (last bool) {
	e := taped{op: opArrive, frame: t.all.name(f), ticket: t.draw()}
	if last = atomic.AddInt32(&f.join, n) == 0; last {
		e.out, e.ticket = OutcomeDone, t.draw()
	}
	t.note(e)
	return last
}

// report is the addition of [pool.reportTo].
func (t *tape) report(f *Frame) {
	e := taped{op: opReport, frame: t.all.name(f), whom: f.owner, ticket: t.draw()}
	atomic.AddInt32(&f.join, 1)
	e.until = t.draw()
	t.note(e)
}
