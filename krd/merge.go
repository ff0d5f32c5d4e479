package krd

import (
	"fmt"

	"krdlab/hw/failure"
	"krdlab/loi"
)

// An Execution is one kernel execution as the analyses see it: a view, valid until its source moves
// on.
type Execution struct {
	Start    int64 // ticks of a clock common to all workers
	Worker   int
	Kernel   int          // its [loi.KernelID]
	Accesses []loi.Access // in the order declared; or, where an analysis asks for no more,
	blocks   []uint32     // the dense numbers of the blocks
}

// Executions calls f for all kernel executions of t in the order in which they began. Those that
// began at once come by worker, those of a worker in program order (KRD paper, III). The first
// error of f ends it. A worker whose executions are out of order is an [*OrderError], unless the
// trace is Unordered: then all are held in memory, 24 bytes each and 40 for each access, and
// sorted.
func Executions(t *loi.Trace, f func(*Execution) error) error {
	workers := make([]int, len(t.Header.Workers))
	for i := range workers {
		workers[i] = i
	}
	sources, err := sourcesOf(t, workers, expanded{raw: true, empty: true})
	if err != nil {
		return err
	}
	return merge(sources, f)
}

// sourcesOf returns the executions of some workers in order, each worker's as like says.
func sourcesOf(t *loi.Trace, workers []int, like expanded) ([]source, error) {
	sources := make([]source, len(workers))
	for i, w := range workers {
		x := like
		x.cursor, x.offset, x.run.Worker = t.Cursor(w), t.Header.Workers[w].TSCOffset, w
		sources[i] = &x
		if t.Header.Unordered {
			s, err := newSorted(&x)
			if err != nil {
				return nil, fmt.Errorf("krd: %w", err)
			}
			sources[i] = s
		}
	}
	return sources, nil
}

// A source is the stream of kernels of one worker.
type source interface {
	// next moves to the worker's next kernel with accesses. It returns when the kernel began, in
	// ticks of a clock common to all workers, and the kernel, valid until the next call. ok is
	// false at the end and after an error.
	next() (start int64, run *Execution, ok bool)
	err() error
}

// merge calls emit for every kernel of the sources in the order in which the kernels began; ties go
// to the earlier source, that is the lower worker, and then to program order (KRD paper, III). Each
// source must be sorted by start already.
//
// It holds one record of each source, in a binary heap: O(log sources) a record, two comparisons
// where a worker runs on alone. The first source that fails, or the first error of emit, ends the
// merge.
func merge(sources []source, emit func(*Execution) error) error {
	var heap []head
	for i, s := range sources {
		h := head{order: i, source: s}
		var ok bool
		if h.start, h.run, ok = s.next(); ok {
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
		top.run.Start = top.start
		if err := emit(top.run); err != nil {
			return err
		}
		var ok bool
		if top.start, top.run, ok = top.source.next(); !ok {
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
	order  int
	run    *Execution
	source source
}

func (h *head) before(other *head) bool {
	return h.start < other.start || h.start == other.start && h.order < other.order
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

// An OrderError is a worker's record that began before the one before it, in a trace whose
// scheduler has workers of its own, each of which runs one kernel after the other.
type OrderError struct {
	Worker          int
	Record          uint64 // counted from 0 among the worker's kernel executions
	Start, Previous uint64 // ticks
}

func (e *OrderError) Error() string {
	return fmt.Sprintf("krd: worker %d, kernel execution %d: it began at tick %d, before the "+
		"preceding record's %d; expected a stream sorted by start",
		e.Worker, e.Record, e.Start, e.Previous)
}

// Class implements [failure.Classed].
func (*OrderError) Class() failure.Class { return failure.Data }
