package runtimes

import "sync/atomic"

// lifo is the queue of a shepherd: a stack under a lock, which its workers push to and pop from at the newest end and thieves
// take half of at the oldest.
//
//	field    writer               readers
//	first,   holder of the lock   holder of the lock
//	entries
//	size     holder of the lock   any worker, as a hint that saves the lock of an empty queue
//	thief    CAS by a worker of   the same
//	         the shepherd
type lifo struct {
	id      int32 // its number
	_       [cacheLine]byte
	lock    spinLock
	first   int // the oldest entry; those before it have been stolen
	entries []entry
	size    atomic.Int64
	_       [cacheLine]byte
	thief   atomic.Int32 // the thief's office: 1 while one of the shepherd's workers is out stealing
	_       [cacheLine]byte
}

// tidy keeps the entries that were stolen from taking more room than those that are left. Holder of the lock.
func (q *lifo) tidy() {
	if q.first > 64 && q.first > len(q.entries)/2 {
		n := copy(q.entries, q.entries[q.first:])
		q.entries, q.first = q.entries[:n], 0
	}
}

// pushChildren appends children 0 to n-1 of f, in order. Any worker of the shepherd.
func (q *lifo) pushChildren(t *tape, f *Frame, n int32) {
	q.lock.acquire()
	for i := range n {
		q.entries = append(q.entries, entry{f, i})
	}
	storeRelease64(&q.size, int64(len(q.entries)-q.first))
	if t != nil {
		t.note(taped{op: opPush, n: n, frame: t.all.name(f)})
	}
	q.lock.release()
}

// push appends one entry. Any worker of the shepherd.
func (q *lifo) push(t *tape, e entry) {
	q.lock.acquire()
	q.entries = append(q.entries, e)
	storeRelease64(&q.size, int64(len(q.entries)-q.first))
	if t != nil {
		t.note(taped{op: opPush, n: 1, frame: t.all.name(e.f), child: e.i})
	}
	q.lock.release()
}

// pop takes the newest entry. Any worker of the shepherd.
func (q *lifo) pop(t *tape) (entry, bool) {
	if q.size.Load() == 0 && t == nil {
		return entry{}, false
	}
	q.lock.acquire()
	n := len(q.entries)
	if n == q.first {
		if t != nil {
			t.noteEntry(opPop, entry{}, false)
		}
		q.lock.release()
		return entry{}, false
	}
	e := q.entries[n-1]
	q.entries = q.entries[:n-1]
	if n-1 == q.first {
		q.entries, q.first = q.entries[:0], 0
	}
	storeRelease64(&q.size, int64(len(q.entries)-q.first))
	if t != nil {
		t.noteEntry(opPop, e, true)
	}
	q.lock.release()
	return e, true
}

// keep appends entries of a steal in order, and gives back the thief's office. Holder of the office.
func (q *lifo) keep(t *tape, es []entry) {
	if len(es) > 0 || t != nil {
		q.lock.acquire()
		q.entries = append(q.entries, es...)
		storeRelease64(&q.size, int64(len(q.entries)-q.first))
		if t != nil { // with a tape the office changes hands under the lock
			q.thief.Store(0)
			t.note(taped{op: opKeep, n: int32(len(es))})
			q.lock.release()
			return
		}
		q.lock.release()
	}
	q.thief.Store(0)
}

// lead claims the thief's office. Any worker of the shepherd.
func (q *lifo) lead(t *tape) Outcome {
	if t != nil {
		q.lock.acquire()
	}
	out := OutcomeDone
	if q.thief.Load() != 0 || !q.thief.CompareAndSwap(0, 1) {
		out = OutcomeBusy
	}
	if t != nil {
		t.note(taped{op: opLead, out: out})
		q.lock.release()
	}
	return out
}

// resign gives the thief's office back. Holder of the office.
func (q *lifo) resign(t *tape) {
	if t != nil {
		q.lock.acquire()
		t.note(taped{op: opResign})
	}
	q.thief.Store(0)
	if t != nil {
		q.lock.release()
	}
}

// steal moves the oldest entry or, with half, the older half of the entries, rounded up, to loot, oldest first. Any worker of
// another shepherd.
func (q *lifo) steal(t *tape, loot []entry, half bool) ([]entry, Outcome) {
	if q.size.Load() == 0 && t == nil {
		return loot, OutcomeEmpty
	}
	if !q.lock.try() {
		if t != nil {
			t.noteLoot(q.id, nil, OutcomeBusy)
		}
		return loot, OutcomeBusy
	}
	n := len(q.entries) - q.first
	if n == 0 {
		if t != nil {
			t.noteLoot(q.id, nil, OutcomeEmpty)
		}
		q.lock.release()
		return loot, OutcomeEmpty
	}
	k := 1
	if half {
		k = (n + 1) / 2
	}
	loot = append(loot, q.entries[q.first:q.first+k]...)
	q.first += k
	q.tidy()
	storeRelease64(&q.size, int64(len(q.entries)-q.first))
	if t != nil {
		t.noteLoot(q.id, loot, OutcomeDone)
	}
	q.lock.release()
	return loot, OutcomeDone
}
