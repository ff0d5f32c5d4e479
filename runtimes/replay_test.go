//go:build krdlab_tape

package runtimes

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A replay has the stepper do again what a tape says. Whose turn it is comes from the tickets and
// not from virtual time.
//
// Between two operations on its tape a worker does only what no other can see or hinder: it runs
// children, pushes and pops private entries. A replay lets it do so as soon as it can (settle), up
// to the operation that comes next on its tape. So it finds no entry stolen that it did not find
// stolen then, and opens none that it did not open then: an expose that did happen is on the tape,
// and settle stops before it.
//
// What the stepper decides is compared and never imposed, with four exceptions that no state of
// the stepper could bring about. A thief that met another in the middle of an operation: the replay
// holds the lock. An entry that was left to a worker that was just idle: the replay says that it
// is. A starter that looked for a report while it was being made: it has not seen it. A victim that
// had looked for a request just before it came: it is not there yet.
type replay struct {
	s    *stepper
	mine *tapes
	want [][]operation
	at   []int // how many of them are done

	v      *stepWorker // who is at work
	move   Move        // the last one of its search
	popped []entry     // by worker: a private proxy that it has popped and not yet opened
	undo   func()
	over   bool // all operations of all tapes are done
}

// A replayError is the first difference.
type replayError struct {
	worker, position int // of the worker's tape
	want, found      string
}

func (e *replayError) Error() string {
	return fmt.Sprintf("worker %d, operation %d: the record has %s, the replay %s", e.worker,
		e.position, e.want, e.found)
}

var opKindNames = [...]string{"expose", "take back", "mail", "take mail", "claim", "steal", "push",
	"pop", "flush", "see", "keep", "token", "release", "ask", "hear", "answer", "arrive", "report", "complete", "rest"}

func (o opKind) String() string { return opKindNames[o] }

func (e operation) String() string {
	out := [...]string{"no outcome", "empty", "busy", "left", "done"}[e.out]
	return fmt.Sprintf("%v (%s, whom %d, n %d, frame %x child %d; ran %d, tail %d)", e.op, out,
		e.whom, e.n, e.frame, e.child, e.ran, e.tail)
}

func same(a, b operation) bool {
	a.ticket, a.until, b.ticket, b.until = 0, 0, 0, 0
	return a == b
}

// replayed is the policy of a replay: that of the run, watched.
type replayed struct {
	Policy
	r *replay
}

func (p replayed) Look(s *Search) Move {
	m := p.Policy.Look(s)
	p.r.decided(m)
	return m
}

func newReplay(c StepConfig, prog Program, tape *tapes) (*replay, error) {
	r := &replay{mine: &tapes{name: tape.name}, at: make([]int, len(c.Nodes)),
		popped: make([]entry, len(c.Nodes))}
	for _, t := range tape.of {
		r.want = append(r.want, t.events)
	}
	c.Policy, c.plain = replayed{c.Policy, r}, true
	var err error
	taping = r.mine
	r.s, err = newStepper(c, prog)
	taping = nil
	if err == nil {
		r.s.start(r.s.all[0], r.s.root)
	}
	return r, err
}

// run replays the whole tape.
func (r *replay) run() error {
	type part struct { // of the worker's tape
		ticket   uint64
		worker   int
		from, to int
	}
	var parts []part
	for w, events := range r.want {
		for i := 0; i < len(events); {
			j := i + 1
			for j < len(events) && events[j].ticket == events[i].ticket {
				j++
			}
			parts = append(parts, part{events[i].ticket, w, i, j})
			i = j
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.ticket, b.ticket) })
	for _, v := range r.s.all {
		if err := r.settle(v); err != nil {
			return err
		}
	}
	for _, t := range parts {
		v := r.s.all[t.worker]
		if t.from != r.at[t.worker] {
			return fmt.Errorf("worker %d: tickets out of order at operation %d", t.worker, t.from)
		}
		if err := r.perform(v, r.want[t.worker][t.from:t.to]); err != nil {
			return err
		}
		r.at[t.worker] = t.to
		if err := r.settle(v); err != nil {
			return err
		}
	}
	r.over = true
	for _, v := range r.s.all {
		if err := r.settle(v); err != nil {
			return err
		}
	}
	if !r.s.finished {
		return fmt.Errorf("the record is at its end, and the root task not complete")
	}
	return nil
}

func (r *replay) next(v *stepWorker) (operation, bool) {
	if i := r.at[v.id]; i < len(r.want[v.id]) {
		return r.want[v.id][i], true
	}
	return operation{}, false
}

func (r *replay) differs(v *stepWorker, want, found string) error {
	return &replayError{v.id, r.at[v.id], want, found}
}

func (r *replay) nextString(v *stepWorker) string {
	if e, ok := r.next(v); ok {
		return e.String()
	}
	return "nothing more"
}

// advance is a step of the stepper, which in these builds is one label, with all locks free.
func (r *replay) advance(v *stepWorker) {
	r.v = v
	clear(r.s.queues)
	e, _ := r.next(v)
	if v.requests != nil && !r.answers(v) {
		asked := v.requests.asked.Swap(0)
		defer v.requests.asked.Store(asked)
	}
	from, events, cached := v.pc, len(v.tape.events), len(v.cache)
	if top := v.top; v.pc == pcLook && e.op != opComplete {
		// it looked whether the join was complete, and saw that it was not; settle or perform has
		// asked if that can be
		v.top = nil
		r.step(v)
		v.top = top
	} else {
		r.step(v)
	}
	if r.undo != nil {
		r.undo()
		r.undo = nil
	}
	if v.shared != nil && len(v.tape.events) == events && cached == 0 {
		r.noteEmpty(v, from)
	}
}

// step has v carry out one label.
func (r *replay) step(v *stepWorker) {
	r.s.steps, r.s.pause, r.s.limit = 0, 1, 1
	_ = r.s.drive(v) // which says that the run has not ended, if it has not
}

// noteEmpty notes for v, which has gone on from a label and noted nothing, what it did on a shared
// queue: the stepper does not touch one that it sees to be empty.
func (r *replay) noteEmpty(v *stepWorker, from pc) {
	switch {
	case from == pcOwn, from == pcLook && r.move.Kind == MoveOwn:
		v.tape.noteEntry(opPop, entry{}, false)
	case from == pcLook && r.move.Kind == MoveSee:
		v.tape.note(operation{op: opSee, out: v.search.Last})
	case from == pcLook && r.move.Kind == MoveSteal:
		v.tape.note(operation{op: opSteal, whom: int32(r.move.Victim), out: v.search.Last})
	}
}

// perform has v do one operation, and compares it with the record.
func (r *replay) perform(v *stepWorker, want []operation) error {
	if v.pc == pcLook && want[0].op != opComplete {
		if err := r.unseen(v); err != nil {
			return err
		}
	}
	mine := r.mine.of[v.id]
	from := len(mine.events)
	for n := 0; len(mine.events) == from; n++ {
		if n == 10 {
			return r.differs(v, want[0].String(), fmt.Sprintf("none in state %d", v.pc))
		}
		switch e := r.popped[v.id]; {
		case e.f != nil: // the second half of pcOwn
			r.popped[v.id] = entry{}
			v.pc = pcLook
			if e, ok := v.openOwn(e); ok {
				v.take(e)
			}
		case r.ownIsProxy(v):
			r.popped[v.id], _ = v.pop()
		default:
			r.advance(v)
		}
	}
	found := mine.events[from:]
	for i := range want {
		if i >= len(found) || !same(want[i], found[i]) {
			f := "nothing more"
			if i < len(found) {
				f = found[i].String()
			}
			return r.differs(v, want[i].String(), f)
		}
	}
	// An operation that the end of the run cut short is the last on its tape.
	if len(found) > len(want) && r.at[v.id]+len(want) < len(r.want[v.id]) {
		return r.differs(v, "nothing more of the same operation", found[len(want)].String())
	}
	return nil
}

// settle lets v go on until it stands before the next operation of its tape. What came after the
// end of its tape waits for the ends of all: it may look at what others did until then, and it is
// nothing that they wait for.
func (r *replay) settle(v *stepWorker) error {
	if _, more := r.next(v); !more && !r.over {
		return nil
	}
	mine := r.mine.of[v.id]
	for !r.stands(v) {
		n := len(mine.events)
		if e, ok := r.next(v); v.pc == pcTop && v.top != nil && v.top.complete() &&
			!(ok && e.op == opComplete && e.ran == v.ran()) {
			if err := r.unseen(v); err != nil {
				return err
			}
			v.pc = pcOwn
			continue
		}
		if r.ownIsProxy(v) {
			// pcOwn in two halves: the pop, and the opening of the proxy
			r.popped[v.id], _ = v.pop()
		} else {
			r.advance(v)
		}
		if len(mine.events) != n {
			if _, ok := r.next(v); !ok {
				// the root task was complete, while v still took proxies of children that others
				// had run from its deque
				return nil
			}
			return r.differs(v, r.nextString(v), mine.events[n].String()+" before its turn")
		}
	}
	return nil
}

// stands says whether v stands before an operation that would be on its tape.
func (r *replay) stands(v *stepWorker) bool {
	starter := v.rules.Join == JoinStarter
	switch v.pc {
	case pcLook, pcGone, pcBatch:
		return true
	case pcRequeue:
		return !v.rules.Cache
	case pcJoined:
		return v.f.steals != 0
	case pcNext:
		return r.s.finished // by v
	case pcReport:
		return !starter || v.f.owner != int32(v.id)
	case pcArrive:
		return !starter && v.f.n != 1
	case pcTop:
		e, ok := r.next(v)
		return ok && e.op == opComplete && e.ran == v.ran()
	case pcReturned:
		return v.rules.Spawn == SpawnChild && (v.tail-1 < v.split ||
			r.exposes(v, v.ran(), v.tail-1))
	case pcChildren:
		return v.rules.Spawn == SpawnChild && v.f.next+1 < v.f.n && r.exposes(v, v.ran()+1,
			v.tail+1)
	case pcSpawn:
		return v.i < v.f.queued(r.s.lastQueued) && !v.rules.Cache &&
			(v.shared != nil || r.mails(v) || r.exposes(v, v.ran(), v.tail+1)) ||
			v.i >= v.f.queued(r.s.lastQueued) && r.answers(v)
	case pcOwn:
		if v.shared != nil {
			return len(v.cache) != 1 // which it takes by itself
		}
		return r.popped[v.id].f != nil || v.tail-1 < v.split ||
			r.exposes(v, v.ran(), v.tail-1) || r.answers(v)
	}
	return false
}

// answers says whether the next operation of v's tape is an answer that it gave at this point.
func (r *replay) answers(v *stepWorker) bool {
	e, ok := r.next(v)
	return ok && e.op == opAnswer && e.ran == v.ran() && e.tail == v.tail
}

// exposes says whether the next operation of v's tape is an expose in an operation on its deque
// that ends with these counts.
func (r *replay) exposes(v *stepWorker, ran uint64, tail int64) bool {
	e, ok := r.next(v)
	return ok && e.op == opExpose && e.ran == ran && e.tail == tail
}

// ownIsProxy says whether v is to pop an entry that is private, and a proxy.
func (r *replay) ownIsProxy(v *stepWorker) bool {
	if v.pc != pcOwn || v.shared != nil || v.tail-1 < v.split {
		return false
	}
	_, i := getSlot(v.own(v.tail - 1))
	return i == entryProxy
}

// mails says whether v would mail the child that it is about to queue.
func (r *replay) mails(v *stepWorker) bool {
	a, ok := v.f.task.(Hinted)
	if !v.rules.Mail || !ok {
		return false
	}
	to := a.Hint(&v.Worker, int(v.i)).Near - 1
	return to >= 0 && to != v.id && to < v.pool.n
}

// unseen is called where v, natively, found the task on top of its stack incomplete. If it is
// complete here, a report must have been in progress then.
func (r *replay) unseen(v *stepWorker) error {
	if v.top == nil || !v.top.complete() {
		return nil
	}
	since := uint64(0)
	if i := r.at[v.id]; i > 0 {
		since = r.want[v.id][i-1].ticket
	}
	name := r.mine.name(v.top)
	for w, events := range r.want {
		for _, e := range slices.Backward(events[:r.at[w]]) {
			if e.op == opReport && e.frame == name && e.until > since {
				return nil
			}
		}
	}
	return r.differs(v, r.nextString(v), fmt.Sprintf("a complete join of frame %x", name))
}

// decided is told each move of the policy just before it is made.
func (r *replay) decided(m Move) {
	v, p := r.v, r.s.pool
	e, _ := r.next(v)
	r.move = m
	if m.Kind != MoveSteal {
		return
	}
	v.rules.LeaveIdle = false
	switch {
	case e.op != opSteal:
	case e.out == OutcomeBusy:
		r.hold(m.Victim)
	case e.out == OutcomeLeft && p.shared == nil:
		d := &p.workers[m.Victim].deque
		h := d.head.Load()
		if h >= d.bottom.Load() {
			return
		}
		f, i := getSlot(d.ring.Load().at(h))
		if to := proxyAddressee(f, i); to >= 0 {
			v.rules.LeaveIdle = true
			idle := &p.workers[to].idle
			was := idle.Swap(true)
			r.undo = func() { idle.Store(was) }
		}
	}
}

// hold has another worker be in the middle of an operation on a queue.
func (r *replay) hold(queue int) {
	guard := r.mine.guards[queue]
	guard.acquire()
	r.undo = guard.release
	if shared := r.s.pool.shared; shared != nil { // whether there is anything in it does not matter
		size := &shared[queue].size
		was := size.Swap(1)
		r.undo = func() { size.Store(was); guard.release() }
	}
}

func proxyAddressee(f *Frame, i int32) int {
	if i != entryProxy {
		return -1
	}
	return int(f.task.(*proxy).to.Load())
}

// stealsInOrder lists what steals brought, in the order of their tickets: victim, entries, and the
// first of them.
func stealsInOrder(tapes [][]operation) []operation {
	var all []operation
	for w, events := range tapes {
		for _, e := range events {
			if e.op == opSteal && e.out == OutcomeDone {
				e.ran, e.tail = uint64(w), math.MaxInt64
				all = append(all, e)
			}
		}
	}
	slices.SortFunc(all, func(a, b operation) int { return cmp.Compare(a.ticket, b.ticket) })
	for i := range all {
		all[i].ticket = 0
	}
	return all
}
