package krd

import "fmt"

// A source is the stream of kernels of one worker.
type source interface {
	// next moves to the worker's next kernel with accesses. It returns when the kernel began, in ticks of a clock common to all
	// workers, and the dense numbers of the blocks it accesses, in the order declared, valid until the next call.
	// ok is false at the end and after an error.
	next() (start int64, blocks []uint32, ok bool)
	err() error
}

// merge calls emit for every kernel of the sources in the order in which the kernels began; ties go to the lower worker
// and then to program order (KRD paper, III). Each source must be sorted by start already.
//
// It holds one record of each source, in a binary heap: O(log sources) a record, two comparisons where a worker runs on alone.
// The first source that fails ends the merge.
func merge(sources []source, workers []int, emit func(worker int, blocks []uint32)) error {
	var heap []head
	for i, s := range sources {
		h := head{worker: workers[i], source: s}
		var ok bool
		if h.start, h.blocks, ok = s.next(); ok {
			heap = append(heap, h)
		} else if err := s.err(); err != nil {
			return err
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		siftDown(heap, i)
	}
	for len(heap) > 0 {
		top := &heap[0]
		emit(top.worker, top.blocks)
		var ok bool
		if top.start, top.blocks, ok = top.source.next(); !ok {
			if err := top.source.err(); err != nil {
				return err
			}
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		siftDown(heap, 0)
	}
	return nil
}

// A head is the next kernel of one source.
type head struct {
	start  int64
	worker int
	blocks []uint32
	source source
}

func (h *head) before(other *head) bool {
	return h.start < other.start || h.start == other.start && h.worker < other.worker
}

func siftDown(heap []head, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if r := child + 1; r < len(heap) && heap[r].before(&heap[child]) {
			child = r
		}
		if !heap[child].before(&heap[i]) {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

// An OrderError is a worker's record that began before the one before it, in a trace whose scheduler has workers of its own, each
// of which runs one kernel after the other.
type OrderError struct {
	Worker          int
	Record          uint64 // counted from 0 among the worker's kernel executions
	Start, Previous uint64 // ticks
}

func (e *OrderError) Error() string {
	return fmt.Sprintf("krd: worker %d, kernel execution %d: it began at tick %d, before the preceding record's %d; expected a stream sorted by start",
		e.Worker, e.Record, e.Start, e.Previous)
}

// node analyses the accesses of the workers of one node, one at a time.
type node struct {
	engine engine
	tally  *tally
	batch  []uint32
	dist   []uint64
	want   int      // length at which the batch is handed to the engine
	by     []uint32 // by block: the worker that accessed it last, plus 1; nil where the node has one worker only
}

func newNode(sizes []uint64, workers int, t *tally) *node {
	n := &node{engine: newChunked(sizes), tally: t}
	n.want = n.engine.batchLen()
	if workers > 1 {
		n.by = make([]uint32, len(sizes))
	}
	return n
}

// kernel takes the accesses of one kernel execution.
func (n *node) kernel(worker int, blocks []uint32) {
	n.batch = append(n.batch, blocks...)
	if n.by != nil {
		me := uint32(worker) + 1
		for _, b := range blocks {
			if last := n.by[b]; last != me {
				n.by[b] = me
				if last != 0 {
					n.tally.addShared(b)
				}
			}
		}
	}
	if len(n.batch) >= n.want {
		n.flush()
	}
}

// flush makes the engine and the tally take what has been gathered.
func (n *node) flush() {
	n.dist = grow(n.dist, len(n.batch))
	n.engine.distances(n.batch, n.dist)
	n.tally.add(n.batch, n.dist)
	n.batch = n.batch[:0]
	n.want = n.engine.batchLen()
}
