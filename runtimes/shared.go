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
func (q *lifo) pushChildren(f *Frame, n int32) {
	q.lock.acquire()
	for i := range n {
		q.entries = append(q.entries, entry{f, i})
	}
	storeRelease64(&q.size, int64(len(q.entries)-q.first))
	q.lock.release()
}

// push appends one entry. Any worker of the shepherd.
func (q *lifo) push(e entry) {
	q.lock.acquire()
	q.entries = append(q.entries, e)
	storeRelease64(&q.size, int64(len(q.entries)-q.first))
	q.lock.release()
}

// pop takes the newest entry. Any worker of the shepherd.
func (q *lifo) pop() (entry, bool) {
	if q.size.Load() == 0 {
		return entry{}, false
	}
	q.lock.acquire()
	n := len(q.entries)
	if n == q.first {
		q.lock.release()
		return entry{}, false
	}
	e := q.entries[n-1]
	q.entries = q.entries[:n-1]
	if n-1 == q.first {
		q.entries, q.first = q.entries[:0], 0
	}
	storeRelease64(&q.size, int64(len(q.entries)-q.first))
	q.lock.release()
	return e, true
}

// pushAll appends entries in order. Any worker of the shepherd.
func (q *lifo) pushAll(es []entry) {
	q.lock.acquire()
	q.entries = append(q.entries, es...)
	storeRelease64(&q.size, int64(len(q.entries)-q.first))
	q.lock.release()
}

// steal moves the oldest entry or, with half, the older half of the entries, rounded up, to loot, oldest first. Any worker of
// another shepherd.
func (q *lifo) steal(loot []entry, half bool) ([]entry, Outcome) {
	if q.size.Load() == 0 {
		return loot, OutcomeEmpty
	}
	if !q.lock.try() {
		return loot, OutcomeBusy
	}
	n := len(q.entries) - q.first
	if n == 0 {
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
	q.lock.release()
	return loot, OutcomeDone
}
