package runtimes

import (
	"sync/atomic"

	"krdlab/loi"
)

// requests holds the request to a worker with [Rules.Requests], and its own. Only its owner touches
// its deque.
//
//	field  writer                                       readers
//	asked  CAS 0 to 1 + the thief by the thief;         the victim, at each spawn, each look into its
//	       0 by the victim, behind its answer           own deque and each move of a search
//	state  the thief: asking; the victim that it        the thief
//	       asked: refused or given; the thief: none
//	given  the victim, before state                     the thief, once state is given
type requests struct {
	_     [cacheLine]byte
	asked atomic.Int32
	_     [cacheLine]byte
	state atomic.Int32
	given entry
	from  int // the victim that was asked; the thief's own
	_     [cacheLine]byte
}

const (
	requestNone int32 = iota
	requestAsking
	requestRefused
	requestGiven
)

// putRequest asks worker victim for an entry. Busy: it has been asked by another, or an answer is awaited.
func (w *Worker) putRequest(victim int) Outcome {
	r, to := w.requests, w.pool.workers[victim]
	if r.state.Load() != requestNone {
		return OutcomeBusy
	}
	r.state.Store(requestAsking) // before the victim can answer
	if !to.requests.asked.CompareAndSwap(0, int32(w.id)+1) {
		r.state.Store(requestNone)
		return OutcomeBusy
	}
	r.from = victim
	if w.decides() {
		w.decided(loi.EventAsk, uint32(victim))
	}
	if w.sim != nil {
		w.sim.disturb(w.sim.all[victim])
	}
	if to.parked.Load() != 0 {
		to.wake()
	}
	return OutcomeDone
}

// takeAnswer takes the answer to what the worker has asked: Left if there is none yet, Empty if the
// victim had nothing, or none was asked.
func (w *Worker) takeAnswer() (e entry, out Outcome) {
	r := w.requests
	switch r.state.Load() {
	case requestAsking:
		return entry{}, OutcomeLeft
	case requestGiven:
		e, out = r.given, OutcomeDone
	default:
		out = OutcomeEmpty
	}
	r.state.Store(requestNone)
	return e, out
}

// answer gives the oldest entry of the own deque to the thief that asks, if one does, or refuses.
func (w *Worker) answer() (answered bool) {
	if w.requests == nil || !w.asked() {
		return false
	}
	w.give()
	return true
}

// giveOldest answers the thief that asks.
func (w *Worker) giveOldest() (thief *Worker, e entry, out Outcome) {
	thief = w.pool.workers[w.requests.asked.Load()-1]
	e, out = w.deque.steal(nil)
	state := requestRefused
	if out == OutcomeDone {
		thief.requests.given, state = e, requestGiven
	}
	if w.decides() {
		w.decided(loi.EventAnswer, uint32(thief.id), uint32(btoi(out == OutcomeDone)))
	}
	thief.requests.state.Store(state)
	w.requests.asked.Store(0)
	return thief, e, out
}
