package krd

import (
	"krdlab/krd/stack"
	"krdlab/loi"
)

// denseNode analyses the accesses of the workers of one node where all blocks are registered: the
// fast way.
type denseNode struct {
	engine *stack.Dense
	sizes  []uint64
	tally  *tally
	batch  []uint32
	dist   []uint64
	want   int // length at which the batch is handed to the engine
	// by block: the worker that accessed it last, plus 1; nil where the node has one worker only
	by []uint32
}

func newDenseNode(sizes []uint64, workers int, t *tally) *denseNode {
	n := &denseNode{engine: stack.NewDense(sizes), sizes: sizes, tally: t}
	n.want = n.engine.BatchLen()
	if workers > 1 {
		n.by = make([]uint32, len(sizes))
	}
	return n
}

func (n *denseNode) kernel(x *loi.Event) error {
	from := len(n.batch)
	n.batch = x.AppendBlocks(n.batch)
	n.gathered(from, x.Worker)
	return nil
}

// gathered takes note that a worker accessed the blocks of the batch from an index on.
func (n *denseNode) gathered(from, worker int) {
	if n.by != nil {
		me := uint32(worker) + 1
		for _, b := range n.batch[from:] {
			if last := n.by[b]; last != me {
				n.by[b] = me
				if last != 0 {
					n.tally.addShared(n.sizes[b])
				}
			}
		}
	}
	if len(n.batch) >= n.want {
		n.flush()
	}
}

// flush makes the engine and the tally take what has been gathered.
func (n *denseNode) flush() error {
	n.dist = grow(n.dist, len(n.batch))
	n.engine.Distances(n.batch, n.dist)
	t, dist := n.tally, n.dist
	if t.weighBytes {
		for i, b := range n.batch {
			t.one(dist[i], dist[i]+n.sizes[b], n.sizes[b])
		}
	} else {
		for i, b := range n.batch {
			t.one(dist[i], dist[i]+n.sizes[b], 1)
		}
	}
	for i, b := range n.batch {
		t.reach(needs(dist[i], n.sizes[b]), n.sizes[b])
	}
	if t.misses != nil {
		for i, b := range n.batch {
			t.predict(needs(dist[i], n.sizes[b]), n.sizes[b])
		}
	}
	t.count += uint64(len(n.batch))
	n.batch = n.batch[:0]
	n.want = n.engine.BatchLen()
	return nil
}

// needs returns the smallest cache that has a block of size bytes at distance d, stack.Cold if none
// has.
func needs(d, size uint64) uint64 {
	if d == stack.Cold {
		return d
	}
	return d + size
}

// grow returns s with length n and any contents.
func grow[E any](s []E, n int) []E {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]E, n, n+n/4)
}
