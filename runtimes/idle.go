package runtimes

import (
	"fmt"
	"sync/atomic"
	"time"

	"krdlab/hw"
	"krdlab/loi"
)

// The signal word of a pool: how many workers are parked, and whether the run must stop.
const signalStop = 1 << 31

// found is the result of a search: an entry, and whether it came from another worker.
type found struct {
	e      entry
	stolen bool
}

// Entries that are never queued.
const (
	entryTop   int32 = -3 // the frame on top of the stack of started frames, whose join is complete
	entryStart int32 = -4 // a frame that begins: the root
)

// find looks for work by the policy until there is some, and returns false when the run is over.
// The time it takes is the worker's idle time.
func (w *Worker) find() (found, bool) {
	began := max(hw.TSC(), w.pool.began.Load())
	w.searchFrom = began
	if w.rules.LeaveIdle {
		w.idle.Store(true)
	}
	got, ok := w.look(began)
	if w.rules.LeaveIdle {
		w.idle.Store(false)
	}
	if ok && w.signal.Load() != 0 && w.pool.queued() {
		w.attend(2)
	}
	end := hw.TSC()
	if !ok {
		end = w.pool.ended.Load() // 0 if the run failed
	}
	if end > began {
		w.idleTicks += end - began
	}
	if w.rec != nil && (ok || end > began) {
		w.recordIdle(began, end, ok)
	}
	w.searchFrom = 0
	return got, ok
}

// recordIdle records that the worker looked for work from began to end, where it found some if ok,
// and from whom it stole.
func (w *Worker) recordIdle(began, end uint64, ok bool) {
	if !w.idleTold {
		w.rec.Event(loi.EventIdle, began)
	}
	w.idleTold = false
	if !ok {
		return
	}
	if s := &w.stole; s.entries > 0 {
		if s.of > 0 {
			w.rec.Event(loi.EventSteal, end, s.victim, s.remote, s.entries, s.of)
		} else {
			w.rec.Event(loi.EventSteal, end, s.victim, s.remote, s.entries)
		}
		s.entries = 0
	}
	w.rec.Event(loi.EventBusy, end)
}

// noteSteal keeps what a successful steal is recorded as.
func (w *Worker) noteSteal(m Move) {
	p := w.pool
	w.stole = theft{victim: uint32(p.queueFirst[m.Victim]),
		remote:  uint32(btoi(p.queueNode[m.Victim] != w.node)),
		entries: uint32(w.taken()), of: uint32(w.seen)}
	w.seen = 0
}

// taken returns how many entries the latest steal brought; it succeeded.
func (w *Worker) taken() int {
	return max(len(w.batch), 1)
}

func (w *Worker) look(began uint64) (found, bool) {
	s := &w.search
	s.Step, s.Last = 0, OutcomeNone
	for rests := 0; ; {
		if w.signal.Load()&signalStop != 0 {
			return found{}, false
		}
		if w.top != nil && w.completes(w.top) {
			return found{e: entry{f: w.top, i: entryTop}}, true
		}
		if w.rules.Wait != WaitAny {
			w.seeWait() // a thief makes itself known after its steal
		}
		w.answer()
		w.seeRange()
		m := w.decide()
		if m.Kind == MoveRest {
			w.rest(rests, began)
			rests++
			s.Last = OutcomeDone
			continue
		}
		w.check(m)
		got, out := w.move(m)
		if out == OutcomeDone && got.e.f != nil {
			if m.Kind == MoveSteal && (w.shared != nil || len(w.batch) > 1) {
				w.keepBatch()
			}
			return got, true
		}
		s.Last = out
	}
}

// move carries out one move of a policy, which [Worker.check] has allowed. An entry in the result
// is work, and then the outcome is OutcomeDone.
func (w *Worker) move(m Move) (found, Outcome) {
	switch m.Kind {
	case MoveOwn:
		if e, ok := w.takeOwn(); ok {
			return found{e: e}, OutcomeDone
		}
		return found{}, OutcomeEmpty
	case MoveSee:
		return found{}, seen(w.sees())
	case MoveMail:
		if e, ok := w.takeMail(); ok {
			return found{e: e, stolen: true}, OutcomeDone
		}
		return found{}, OutcomeEmpty
	case MoveClaim, MoveRelease:
		if m.Kind == MoveRelease {
			w.releaseToken()
			return found{}, OutcomeDone
		}
		return found{}, w.claimToken()
	case MoveAsk, MoveHear:
		return w.request(m)
	case MoveSteal:
		e, out := w.stealFrom(m)
		w.countSteal(m.Victim, out == OutcomeDone)
		if out != OutcomeDone {
			return found{}, out
		}
		w.noteSteal(m)
		return found{e: e, stolen: true}, OutcomeDone
	}
	return found{}, OutcomeDone // MoveRest
}

// seen returns the outcome of [MoveSee].
func seen(some bool) Outcome {
	if some {
		return OutcomeDone
	}
	return OutcomeEmpty
}

// isVictim reports that there is a queue of that number, and that it is not the worker's own.
func (w *Worker) isVictim(queue int) bool {
	return uint(queue) < uint(len(w.pool.queueNode)) && queue != w.pool.queueOf[w.id]
}

// check panics with a [PolicyError] if the rules do not allow a move.
func (w *Worker) check(m Move) {
	want := ""
	switch m.Kind {
	case MoveRest, MoveOwn:
		return
	case MoveMail:
		if w.mail != nil || w.letters != nil {
			return
		}
		want = "Rules.Mail or Rules.Push for MoveMail"
	case MoveSee, MoveClaim, MoveRelease:
		if w.shared != nil {
			return
		}
		want = "a queue under a lock, which is seen without it and has a steal token"
	case MoveSteal, MoveAsk, MoveHear:
		if m.Kind != MoveHear && !w.isVictim(m.Victim) {
			want = fmt.Sprintf("one of the victims %v", w.search.Victims)
		} else if (w.requests != nil) != (m.Kind != MoveSteal) {
			want = "MoveAsk and MoveHear with Rules.Requests, MoveSteal without"
		} else if m.Half && !w.rules.Half {
			want = "Rules.Half for half"
		} else {
			return
		}
	default:
		want = "a kind of move"
	}
	panic(&PolicyError{Found: fmt.Sprintf("the move %+v", m), Want: want})
}

// request carries out a move of a worker that asks. An answer counts as a steal.
func (w *Worker) request(m Move) (found, Outcome) {
	if m.Kind == MoveAsk {
		return found{}, w.ask(m.Victim)
	}
	e, out := w.hear()
	if out == OutcomeLeft || w.requests.from < 0 {
		return found{}, out
	}
	from := Move{Kind: MoveSteal, Victim: w.requests.from}
	w.requests.from = -1
	w.countSteal(from.Victim, out == OutcomeDone)
	if out == OutcomeDone {
		w.batch = w.batch[:0]
		w.noteSteal(from)
	}
	return found{e: e, stolen: true}, out
}

// stealOldest takes from the queue m.Victim.
func (w *Worker) stealOldest(m Move) (e entry, out Outcome) {
	switch {
	case w.letters != nil:
		return w.stealPushed(m)
	case w.shared == nil:
		return w.stealDeque(m)
	}
	if may := w.mayTake; w.rules.Admit || w.rules.Place && !w.rules.Half {
		if w.rules.Admit {
			may = func(e entry) bool { return w.mayTake(e) && w.admits(e) }
		}
		if e, out = w.pool.shared[m.Victim].popAdmitted(may, true); out == OutcomeDone {
			w.batch = append(w.batch[:0], e)
		}
		return e, out
	}
	if w.batch, w.seen, out = w.pool.shared[m.Victim].steal(w.batch[:0], m.Half); out != OutcomeDone {
		return entry{}, out
	}
	return w.batch[0], OutcomeDone
}

// stealDeque takes from the deque of worker m.Victim. Half of the entries that it has open are as
// many steals, until one fails: to take several at once would race with an owner that takes the
// last of them without a CAS.
func (w *Worker) stealDeque(m Move) (e entry, out Outcome) {
	var leave func(entry) bool
	switch {
	case w.rules.LeaveIdle:
		leave = w.leaves
	case w.rules.Wait == WaitThief && w.top != nil && w.search.Thief != m.Victim:
		leave = func(entry) bool { return true }
	case w.rules.Wait != WaitAny && w.top != nil:
		leave = w.shallower
	}
	d := &w.pool.workers[m.Victim].deque
	half := 0
	if w.batch = w.batch[:0]; m.Half {
		half, w.seen = d.half()
	}
	if e, out = d.steal(leave); out == OutcomeDone {
		var ok bool
		if e, ok = w.open(e); !ok {
			return entry{}, OutcomeEmpty // a proxy whose task went by mail
		}
	}
	if half > 0 && out == OutcomeDone {
		w.batch = append(w.batch, e)
		for more := out; len(w.batch) < half; {
			if e, more = d.steal(leave); more != OutcomeDone {
				break
			}
			w.batch = append(w.batch, e)
		}
		e = w.batch[0]
	}
	if w.rules.Wait == WaitThief && out == OutcomeDone {
		w.tellThief(e.f)
		for _, more := range w.batch {
			w.tellThief(more.f)
		}
	}
	return e, out
}

// tellThief makes w known as the thief of a child of f to the worker that started f. WaitThief.
func (w *Worker) tellThief(f *Frame) {
	if w.sim == nil {
		hw.StoreRelease32(&f.next, int32(w.id)+1)
		return
	}
	owner := w.sim.all[f.owner]
	w.sim.disturb(owner)
	f.next = int32(w.id) + 1
	if owner.idleFrom != notIdle {
		owner.seeWait()
	}
}

// shallower reports whether an entry lies no deeper than the task that waits. WaitRule.
func (w *Worker) shallower(e entry) bool { return int(e.tag) <= w.top.level() }

// mayTakeOwn reports whether the [WaitRule] allows the newest entry of the own deque, if there is
// one.
func (w *Worker) mayTakeOwn() bool {
	f := w.top
	if f == nil || w.size() <= 0 {
		return true
	}
	newest := w.own(w.tail - 1)
	if w.rules.Wait == WaitThief {
		parent, _ := getSlot(newest)
		return parent == f
	}
	return int(getTag(newest)) > f.level()
}

// seeWait gives the search the task that its worker waits for. WaitRule.
func (w *Worker) seeWait() {
	s, f := &w.search, w.top
	s.Waits, s.Depth, s.Thief = f != nil, 0, -1
	if f == nil {
		return
	}
	s.Depth = f.level()
	if w.rules.Wait == WaitThief { // next means something else otherwise
		s.Thief = int(atomic.LoadInt32(&f.next)) - 1
	}
}

// seeRange gives the search the range within which its worker steals. Rules.Ranges.
func (w *Worker) seeRange() {
	if w.rules.Ranges {
		w.search.From, w.search.To = rangeOf(w.within.Load())
		w.search.Parts = w.pool.parts
	}
}

// openMail takes the oldest unclaimed child of the worker's mailbox, or, with [Rules.Push], the
// frame in its letterbox.
func (w *Worker) openMail() (e entry, ok bool) {
	if w.letters != nil {
		return w.letters.take()
	}
	for p := w.mail.take(); p != nil && !ok; {
		if e, ok = w.open(entry{f: &p.Frame, i: entryProxy}); !ok {
			p = w.mail.take()
		}
	}
	return e, ok
}

// keepBatch appends what a steal took beyond its first entry to the worker's own queue, and gives
// back the steal token.
func (w *Worker) keepBatch() {
	rest := w.batch[1:]
	w.keep(rest)
	if n := len(rest); n > 0 {
		w.attend(n)
	}
}

// keepEntries adds entries of a steal to the own queue, in order. Holder of the steal token, if the
// queue has one.
func (w *Worker) keepEntries(es []entry) {
	if w.shared != nil {
		w.shared.keep(es)
		return
	}
	for _, e := range es {
		w.pushTagged(e.f, e.i)
	}
	w.expose(w.head.Load())
}

// countSteal counts an attempt at queue victim.
func (w *Worker) countSteal(victim int, got bool) {
	if !got {
		w.countFailed(victim)
		return
	}
	node := w.pool.queueNode[victim]
	w.stolenFrom[node]++
	local := uint64(btoi(node == w.node))
	w.steals.Local += local
	w.steals.Remote += 1 - local
}

// countFailed counts an attempt at queue victim that got nothing.
func (w *Worker) countFailed(victim int) {
	// added and not tested: the source cannot be predicted
	local := uint64(btoi(w.pool.queueNode[victim] == w.node))
	w.steals.LocalFailed += local
	w.steals.RemoteFailed += 1 - local
}

// leaves reports whether to leave a proxy that an idle worker will find in its mailbox. Only a
// hint: the entry is not ours yet.
func (w *Worker) leaves(e entry) bool {
	// not if the owner is writing the slot: frame and number of different entries
	if e.i != entryProxy {
		return false
	}
	p, ok := e.f.task.(*proxy)
	if !ok || p.claimed.Load() != 0 {
		return false
	}
	to := int(p.to.Load())
	return to != w.id && to < w.pool.n && w.seesIdle(to)
}

// How long an idle worker spins, then yields, before it parks, and the longest time it stays parked
// without a wake-up. A push does not fence before it looks for parked workers: that would cost
// every spawn some 3 ns. A worker that parks makes the others pass that fence instead
// ([fenceOthers]). Where that is not to be had a wake-up can be lost, and pollTime bounds what that
// costs.
const (
	spinTime  = 20 * time.Microsecond
	yieldTime = 100 * time.Microsecond
	napTime   = 50 * time.Millisecond
	pollTime  = time.Millisecond
)

// rest waits a little: at first a few PAUSEs, then until other threads have had the CPU, then
// parked.
func (w *Worker) rest(rests int, began uint64) {
	p := w.pool
	t := hw.TSC() - began
	switch {
	case t < p.spinTicks && rests < 1000:
		hw.Pause()
	case t < p.yieldTicks:
		osYield()
	default:
		w.park()
	}
}

// park sleeps until another worker has work to give, the run ends, or its nap is over. It is known
// as parked before it looks at the queues once more, with a fence here and one in all other threads
// between the two: of what was pushed meanwhile it sees the entry, or the pusher sees it parked.
//
// A push wakes as many as it has entries, if it opens any to thieves; so does a pop; and who finds
// work while there is more wakes two, as those that were woken may have found something else.
func (w *Worker) park() {
	p := w.pool
	if p.anything(w) {
		osYield() // the entry may be forbidden to this worker: leave the CPU to those that may take it
		return
	}
	w.parked.Store(1)
	p.signal.Add(1)
	nap := pollTime
	if barriers() && fenceOthers() {
		nap = napTime
	}
	if !p.anything(w) {
		futexSleep(&w.parked, nap)
	}
	p.signal.Add(^uint32(0))
	w.parked.Store(0)
}

// wake ends the sleep of a parked worker. Any worker.
func (w *Worker) wake() bool {
	if w.parked.CompareAndSwap(1, 2) {
		futexWake(&w.parked)
		return true
	}
	return false
}

// anything reports whether w could find work now.
func (p *pool) anything(w *Worker) bool {
	if p.signal.Load()&signalStop != 0 || w.top != nil && w.top.complete() {
		return true
	}
	if w.mail != nil && w.mail.size.Load() > 0 || w.letters != nil && w.letters.f.Load() != nil {
		return true
	}
	return p.queued()
}

// queued reports whether there is an entry that a thief would see.
func (p *pool) queued() bool {
	for _, q := range p.shared {
		if q.size.Load() > 0 {
			return true
		}
	}
	if p.shared == nil {
		for _, v := range p.workers {
			if v.head.Load() < v.bottom.Load() {
				return true
			}
		}
	}
	return false
}

// stopping reports whether the run must stop.
func (w *Worker) stopping() bool { return w.signal.Load()&signalStop != 0 }

// attend returns true if the run must stop; otherwise it wakes up to n parked workers, if there are
// any, on the own node rather than on others. It follows a push that others may have to learn of. A
// worker parks only when it has seen nothing that is exposed, so that pushes behind those need not
// look.
func (w *Worker) attend(n int) (stop bool) {
	signal := w.signal.Load()
	if signal == 0 {
		return false
	}
	if signal&signalStop != 0 {
		return true
	}
	p := w.pool
	for pass := range 2 {
		for i := 1; i < p.n; i++ {
			v := p.workers[(w.id+i)%p.n]
			if (v.node == w.node) == (pass == 0) && v.parked.Load() == 1 && v.wake() {
				if n--; n <= 0 {
					return false
				}
			}
		}
	}
	return false
}
