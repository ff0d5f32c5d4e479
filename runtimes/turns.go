package runtimes

import (
	"math"
	"math/bits"
	"unsafe"
)

// A turn is when a worker takes its next step, at a virtual time; of several at the same time the worker with the smallest number is first.
// So it depends on what that worker itself has done and on nothing else: not on how many steps others took meanwhile. The time is in the
// upper bits and the number in the lower.
type turn uint64

// turns is a tournament of the workers' turns: a complete binary tree with a leaf for each worker, in which every node holds the first of
// the two below it. A new turn goes the way from its leaf up to the root without a branch that depends on times, which nobody could predict.
type turns struct {
	nodes []turn // from the root at 1 to the leaves, the second half; those that are there to fill the tree are never first
	bits  uint   // of a worker's number
}

// newTurns makes the turns of n workers, all at time 0.
func newTurns(n int) turns {
	t := turns{bits: uint(bits.Len(uint(n - 1)))}
	leaves := 1 << t.bits
	t.nodes = make([]turn, 2*leaves)
	for i := range leaves {
		t.nodes[leaves+i] = t.at(0, i)
		if i >= n {
			t.nodes[leaves+i] = math.MaxUint64
		}
	}
	for i := leaves - 1; i > 0; i-- {
		t.nodes[i] = min(t.nodes[2*i], t.nodes[2*i+1])
	}
	return t
}

// at is the turn of a worker at time now, which is at most t.latest.
func (t *turns) at(now uint64, worker int) turn { return turn(now<<(t.bits&63) | uint64(worker)) }

// latest is the last time that a turn can have.
func (t *turns) latest() uint64 { return math.MaxUint64>>t.bits - 1 }

// first is the first turn, of those in the tree.
func (t *turns) first() turn { return t.nodes[1] }

// worker is whose turn at is.
func (t *turns) worker(at turn) int { return int(at) & (len(t.nodes)/2 - 1) }

// node is node i. Without the test of the index, which is one from a leaf up to the root, a run is 3 to 5 % faster.
func (t *turns) node(i uint) *turn {
	return (*turn)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(t.nodes)), i*8))
}

// take takes a worker's turn out of the tree.
func (t *turns) take(worker int) {
	i := uint(len(t.nodes)/2 + worker)
	first := turn(math.MaxUint64)
	for *t.node(i) = first; i > 1; *t.node(i) = first {
		first = min(first, *t.node(i ^ 1))
		i >>= 1
	}
}

// put gives a worker, who has none, a turn.
func (t *turns) put(worker int, now uint64) {
	at := t.at(now, worker)
	for i := uint(len(t.nodes)/2 + worker); i > 0; i >>= 1 {
		node := t.node(i)
		*node = min(*node, at)
	}
}
