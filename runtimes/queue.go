package runtimes

import (
	"math"
	"slices"
	"sort"
	"sync/atomic"

	"krdlab/hw"
)

// queue is a queue under a lock, of one worker or of several, whose order is a rule of the policy.
//
//	field      writer               readers
//	hot,       holder of the lock   holder of the lock
//	newest,
//	first,
//	entries
//	size       holder of the lock   any worker, as a hint that saves the lock of an empty queue
//	token      CAS by a worker of   the same
//	           the queue
//
// A stack keeps its newest entries beside the lock, so that most pushes and pops of workers that
// share it move one cache line between them; thieves take those last. When there is no more room
// two of them move to entries, and when there are none one comes back: neither happens again at
// once.
type queue struct {
	_       [cacheLine]byte
	lock    spinLock
	size    hw.Int32
	hot     uint8 // how many of newest there are, newer than entries; hotNone: it is not used
	newest  [3]entry
	first   int // the first of entries that is still there
	entries []entry
	take    Order // constant
	_       [cacheLine]byte
	// the steal token: 1 while one of the queue's workers is out stealing
	token atomic.Int32
	_     [cacheLine]byte
}

const (
	maxHot  = uint8(len(queue{}.newest))
	hotNone = uint8(1 << 7) // constant of a queue that is not a stack, or one in which thieves search
)

func newQueue(r Rules) *queue {
	q := &queue{take: r.Take, entries: make([]entry, 0, 1024)}
	if r.Take != TakeNewest || r.Admit || r.Place && !r.Half {
		q.hot = hotNone
	}
	return q
}

// add puts an entry into its place: by age, or so that the entry taken next is at the end. Holder
// of the lock.
func (q *queue) add(e entry) {
	if q.hot < maxHot {
		q.newest[q.hot] = e
		q.hot++
		return
	}
	q.addSlow(e)
}

// addSlow works like add, where newest has no room, or is not used.
func (q *queue) addSlow(e entry) {
	switch {
	case q.hot == maxHot:
		q.entries = append(q.entries, q.newest[:2]...)
		q.newest[0], q.newest[1] = q.newest[2], e
		q.hot = 2
	case q.take <= TakeOldest:
		q.entries = append(q.entries, e)
	default:
		q.insert(e)
	}
}

// insert works like add, for an order that is not one of age.
func (q *queue) insert(e entry) {
	old := q.entries[q.first:]
	at := sort.Search(len(old), func(k int) bool {
		if q.take == TakeHighest {
			return old[k].tag > e.tag
		}
		return serialBefore(old[k], e)
	})
	q.entries = slices.Insert(q.entries, q.first+at, e)
}

// shift removes the n first of entries, and keeps those that were removed from taking more room
// than those that are left. Holder of the lock.
func (q *queue) shift(n int) {
	q.first += n
	if q.first == len(q.entries) {
		q.entries, q.first = q.entries[:0], 0
	} else if q.first > 64 && q.first > len(q.entries)/2 {
		n := copy(q.entries, q.entries[q.first:])
		q.entries, q.first = q.entries[:n], 0
	}
}

// grow makes known that there are n more entries. Holder of the lock.
func (q *queue) grow(n int) { q.size.StoreRelease(q.size.Load() + int32(n)) }

// pushChildren appends children 0 to n-1 of f, in order. Any worker of the queue.
func (q *queue) pushChildren(f *Frame, n int32) {
	q.lock.acquire()
	for i := range n {
		q.add(entry{f: f, i: i})
	}
	q.grow(int(n))
	q.lock.release()
}

// pushTagged works like pushChildren, with the children's tags.
func (q *queue) pushTagged(f *Frame, tags []int32) {
	q.lock.acquire()
	for i, tag := range tags {
		q.add(entry{f: f, i: int32(i), tag: tag})
	}
	q.grow(len(tags))
	q.lock.release()
}

// push appends one entry. Any worker of the queue.
func (q *queue) push(e entry) {
	q.lock.acquire()
	q.add(e)
	q.grow(1)
	q.lock.release()
}

// pop takes the next entry. Any worker of the queue.
func (q *queue) pop() (e entry, ok bool) {
	if q.size.Load() == 0 {
		return entry{}, false
	}
	q.lock.acquire()
	if n := q.hot - 1; n < maxHot {
		e, ok = q.newest[n], true
		q.hot = n
		q.grow(-1)
	} else {
		e, ok = q.popSlow()
	}
	q.lock.release()
	return e, ok
}

// popSlow works like pop, where newest is empty. Holder of the lock.
func (q *queue) popSlow() (e entry, ok bool) {
	n := len(q.entries) - 1
	switch {
	case n < q.first:
		return entry{}, false
	case q.take == TakeOldest:
		e = q.entries[q.first]
		q.shift(1)
	default:
		e = q.entries[n]
		if q.hot == 0 && n > q.first {
			n--
			q.newest[0], q.hot = q.entries[n], 1
		}
		q.entries = q.entries[:n]
		q.shift(0)
	}
	q.grow(-1)
	return e, true
}

// pushAll appends entries, in order. Any worker of the queue.
func (q *queue) pushAll(es []entry) {
	q.lock.acquire()
	for _, e := range es {
		q.add(e)
	}
	q.grow(len(es))
	q.lock.release()
}

// keep adds entries of a steal in order, and gives back the steal token. Holder of the token.
func (q *queue) keep(es []entry) {
	if len(es) > 0 {
		q.pushAll(es)
	}
	q.releaseToken()
}

// claimToken claims the steal token. Any worker of the queue.
func (q *queue) claimToken() Outcome {
	if q.token.Load() != 0 || !q.token.CompareAndSwap(0, 1) {
		return OutcomeBusy
	}
	return OutcomeDone
}

// releaseToken gives the steal token back. Holder of the token.
func (q *queue) releaseToken() { q.token.Store(0) }

// steal moves an entry or, with half, half of them, rounded down, to batch: the oldest, oldest
// first; or, where the order is not one of age, those that are next, in their order. It returns
// how many there were, too. Any worker of another queue.
func (q *queue) steal(batch []entry, half bool) (_ []entry, of int, _ Outcome) {
	if q.size.Load() == 0 {
		return batch, 0, OutcomeEmpty
	}
	if !q.lock.try() {
		return batch, 0, OutcomeBusy
	}
	n := int(q.size.Load())
	if n == 0 {
		q.lock.release()
		return batch, 0, OutcomeEmpty
	}
	k := 1
	if half {
		k = max(n/2, 1)
	}
	if q.take <= TakeOldest {
		old := min(k, len(q.entries)-q.first)
		batch = append(batch, q.entries[q.first:q.first+old]...)
		q.shift(old)
		if k > old {
			batch = append(batch, q.newest[:k-old]...)
			q.hot = uint8(copy(q.newest[:], q.newest[k-old:q.hot]))
		}
	} else {
		left := len(q.entries) - k
		for _, e := range slices.Backward(q.entries[left:]) {
			batch = append(batch, e)
		}
		q.entries = q.entries[:left]
		q.shift(0)
	}
	q.grow(-k)
	q.lock.release()
	return batch, n, OutcomeDone
}

// serialBefore reports whether the serial run would begin entry a before entry b. Both are queued,
// so that the frames above them do not change: neither is below the other, and where their ways
// from the root part there are two children of one phase. Cost: in proportion to the depth of the
// frames below that place. TakeSerial only: frames know their depth and which child they are.
func serialBefore(a, b entry) bool {
	f, i := a.f, a.place()
	g, j := b.f, b.place()
	for down := f.level() - g.level(); down != 0; {
		if down > 0 {
			f, i, down = f.parent, f.next, down-1
		} else {
			g, j, down = g.parent, g.next, down+1
		}
	}
	for f != g {
		f, i, g, j = f.parent, f.next, g.parent, g.next
	}
	return i < j
}

// place returns which child of its frame an entry is; the continuation of a join comes after all of
// them.
func (e entry) place() int32 {
	if e.i < 0 {
		return math.MaxInt32
	}
	return e.i
}

// level returns the depth of f. TakeSerial, WaitRule.
func (f *Frame) level() (n int) {
	for ; f.depth == math.MaxUint16; f = f.parent {
		n++
	}
	return n + int(f.depth)
}

// begins notes that frame c begins as child i of f. TakeSerial, WaitRule.
func (c *Frame) begins(f *Frame, i int32) {
	c.next = i
	c.below(f)
}

// below notes that c lies below f, and is anchored as that is.
func (c *Frame) below(f *Frame) {
	c.depth, c.anchor = f.depth, f.anchor
	if f.depth < math.MaxUint16 {
		c.depth++
	}
}
