package runtimes

import (
	"math"
	"math/bits"
	"unsafe"
)

// An event is when a worker takes its next step, at a virtual time; of several at the same time the
// worker with the smallest number is first. So it depends on what that worker itself has done and
// on nothing else: not on how many steps others took meanwhile. The time is in the upper bits and
// the number in the lower.
type event uint64

// eventQueue is a tournament of the workers' events: a complete binary tree with a leaf for each
// worker, in which every node holds the first of the two below it. A new event goes the way from
// its leaf up to the root without a branch that depends on times and could not be predicted.
type eventQueue struct {
	// from the root at 1 to the leaves, the second half; those that are there to fill the tree, and
	// those of workers without an event, are never first
	nodes []event
	bits  uint // of a worker's number
}

// newEventQueue returns a queue with an event at time 0 for each of n workers.
func newEventQueue(n int) eventQueue {
	q := eventQueue{bits: uint(bits.Len(uint(n - 1)))}
	leaves := 1 << q.bits
	q.nodes = make([]event, 2*leaves)
	for i := range leaves {
		q.nodes[leaves+i] = q.at(0, i)
		if i >= n {
			q.nodes[leaves+i] = math.MaxUint64
		}
	}
	for i := leaves - 1; i > 0; i-- {
		q.nodes[i] = min(q.nodes[2*i], q.nodes[2*i+1])
	}
	return q
}

// at returns the event of a worker at time now, which is at most latest.
func (q *eventQueue) at(now uint64, worker int) event {
	return event(now<<(q.bits&63) | uint64(worker))
}

// time returns when an event is.
func (q *eventQueue) time(at event) uint64 { return uint64(at >> (q.bits & 63)) }

// latest returns the last time that an event can have.
func (q *eventQueue) latest() uint64 { return math.MaxUint64>>q.bits - 1 }

// first returns the first event in the queue; if it is empty, one later than all, of no worker.
func (q *eventQueue) first() event { return q.nodes[1] }

// worker returns the worker of an event.
func (q *eventQueue) worker(at event) int { return int(at) & (len(q.nodes)/2 - 1) }

// node returns node i. Without the test of the index, which is one from a leaf up to the root, a
// run is 3 to 5 % faster.
func (q *eventQueue) node(i uint) *event {
	return (*event)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(q.nodes)), i*8))
}

// take takes a worker's event out of the queue.
func (q *eventQueue) take(worker int) {
	i := uint(len(q.nodes)/2 + worker)
	first := event(math.MaxUint64)
	for *q.node(i) = first; i > 1; *q.node(i) = first {
		first = min(first, *q.node(i ^ 1))
		i >>= 1
	}
}

// put gives a worker that has none an event.
func (q *eventQueue) put(worker int, now uint64) { q.advance(worker, q.at(now, worker)) }

// advance gives a worker that has none an event, or one that has a later one an earlier one.
func (q *eventQueue) advance(worker int, at event) {
	for i := uint(len(q.nodes)/2 + worker); i > 0; i >>= 1 {
		node := q.node(i)
		*node = min(*node, at)
	}
}
