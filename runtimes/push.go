package runtimes

import "sync/atomic"

// letterbox is a worker's mailbox with [Rules.Push]: it holds one frame, which a thief has stolen
// and mailed to the node that the frame's next child is near to.
//
//	field    writer                                     readers
//	f        CAS nil to the frame by a thief that       all; who takes it holds the frame
//	         holds it; back by the owner or a thief
//	refused  whoever mailed the frame, behind f: how    thieves of other nodes
//	         often it found a letterbox full; then
//	         added to by thieves of other nodes
//
// An addition to refused that meets a change of the frame is lost or counted for the wrong one. It
// decides but how soon a frame leaves its node.
type letterbox struct {
	_       [cacheLine]byte
	f       atomic.Pointer[Frame]
	refused atomic.Int32
	_       [cacheLine]byte
}

// take takes the frame, if there is one. Any worker.
func (b *letterbox) take() (e entry, ok bool) {
	f := b.f.Load()
	if f == nil || !b.f.CompareAndSwap(f, nil) {
		return entry{}, false
	}
	return entry{f: f}, true
}

// passOn mails f, which w has just stolen, to a random worker of the node that its next child is
// near to, unless that is w's own or not known, and reports whether it did. After [Rules.Push]
// attempts that found a letterbox full w keeps the frame.
func (w *Worker) passOn(f *Frame) bool {
	h, ok := f.task.(Hinted)
	if !ok {
		return false
	}
	task, phase, next := int32(f.inTrace()), f.phase, f.next // who takes it then has it
	near := h.Hint(w, int(next)).Near - 1
	if near < 0 || near >= w.pool.n || w.pool.workers[near].node == w.node {
		return false
	}
	there := w.pool.ofNode[w.pool.workers[near].node]
	for ; w.mailed < w.rules.Push; w.mailed++ {
		to := there[w.rand.N(len(there))]
		if to.letters.f.CompareAndSwap(nil, f) {
			to.letters.refused.Store(int32(w.mailed))
			w.mailed++
			if w.decides() {
				w.tellMail(task, phase, next, to)
			}
			if w.sim != nil {
				w.sim.disturb(w.sim.all[to.id])
			}
			if to.parked.Load() != 0 {
				to.wake()
			}
			return true
		}
	}
	return false
}

// stealLetter tries the letterbox of the owner of a deque that is not empty: full: there was
// something in it. A thief of another node is refused until there have been as many failures with
// that frame as a thief makes attempts to mail one.
func (w *Worker) stealLetter(victim *Worker) (e entry, out Outcome, full bool) {
	b := victim.letters
	if b.f.Load() == nil {
		return entry{}, OutcomeEmpty, false
	}
	if victim.node != w.node && int(b.refused.Add(1)) <= w.rules.Push {
		return entry{}, OutcomeLeft, true
	}
	e, ok := b.take()
	if !ok {
		return entry{}, OutcomeBusy, true
	}
	return e, OutcomeDone, true
}

// stealPushed works like stealDeque, with [Rules.Push].
func (w *Worker) stealPushed(m Move) (e entry, out Outcome) {
	w.batch, w.mailed = w.batch[:0], 0
	victim := w.pool.workers[m.Victim]
	if victim.seemsEmpty() {
		return entry{}, OutcomeEmpty
	}
	if e, out, full := w.stealLetter(victim); full {
		return e, out
	}
	e, out = victim.deque.steal(nil)
	if out == OutcomeDone && w.passOn(e.f) {
		return entry{}, OutcomeLeft
	}
	return e, out
}
