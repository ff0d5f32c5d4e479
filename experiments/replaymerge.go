package experiments

import (
	"cmp"
	"container/heap"
	"slices"

	"krdlab/hw/cachemodel"
	"krdlab/krd"
	"krdlab/loi"
)

// An execution is one kernel execution of a trace, as a cache model takes it.
type execution struct {
	start    int64 // ticks of a clock common to all workers
	worker   int
	kernel   loi.KernelID
	accesses []cachemodel.Access
}

// A replaySource is the executions of one worker, in order of start. It has a current one from the beginning.
type replaySource interface {
	current() *execution
	// next makes the next one current and tells whether there is one; if not, see err.
	next() bool
	err() error
}

// replaySources returns the source of each worker that has executions. base is, by object, the number of its block 0.
func replaySources(t *loi.Trace, base []uint32) ([]replaySource, error) {
	sort := underGo(t)
	var list []replaySource
	for w := range t.Header.Workers {
		in := &inOrder{cursor: t.Cursor(w), base: base, offset: t.Header.Workers[w].TSCOffset, any: sort, x: execution{worker: w}}
		var s replaySource = in
		ok := false
		if sort {
			s, ok = newSortedSource(in)
		} else {
			ok = in.next()
		}
		if err := s.err(); err != nil {
			return nil, err
		}
		if ok {
			list = append(list, s)
		}
	}
	return list, nil
}

// underGo tells whether the recorders of t belong to CPUs, and may be out of order.
func underGo(t *loi.Trace) bool {
	return slices.Contains(t.Header.Meta, loi.KV{Key: krd.MetaScheduler, Value: krd.SchedulerGo})
}

// inOrder reads executions as they were recorded.
type inOrder struct {
	cursor *loi.Cursor
	base   []uint32
	offset int64
	any    bool // starts may go back
	record uint64
	last   uint64
	list   []loi.Access
	x      execution
	fail   error
}

func (s *inOrder) current() *execution { return &s.x }

func (s *inOrder) next() bool {
	if s.fail != nil || !s.cursor.Next() {
		return false
	}
	r := s.cursor.Record()
	if r.Start < s.last && !s.any {
		s.fail = &krd.OrderError{Worker: s.x.worker, Record: s.record, Start: r.Start, Previous: s.last}
		return false
	}
	s.last = r.Start
	s.record++
	s.list = s.cursor.AppendAccesses(s.list[:0])
	s.x.start, s.x.kernel, s.x.accesses = int64(r.Start)-s.offset, r.Kernel, s.x.accesses[:0]
	for i := range s.list {
		a := &s.list[i]
		s.x.accesses = append(s.x.accesses, cachemodel.Access{Block: s.base[a.Object] + uint32(a.Block), Write: a.Mode&loi.Out != 0})
	}
	return true
}

func (s *inOrder) err() error {
	if s.fail != nil {
		return s.fail
	}
	return s.cursor.Err()
}

// sortedSource holds the executions of a recorder that belongs to a CPU under Go's own scheduler, where a goroutine that is moved or
// preempted between its stamps is recorded after kernels that began later.
type sortedSource struct {
	all    []execution
	i      int
	failed error
}

// newSortedSource reads s to its end, and tells whether there is anything.
func newSortedSource(s *inOrder) (*sortedSource, bool) {
	var all []execution
	for s.next() {
		x := s.x
		x.accesses = slices.Clone(x.accesses)
		all = append(all, x)
	}
	slices.SortStableFunc(all, func(a, b execution) int { return cmp.Compare(a.start, b.start) })
	return &sortedSource{all: all, failed: s.err()}, len(all) > 0
}

func (s *sortedSource) current() *execution { return &s.all[min(s.i, len(s.all)-1)] }

func (s *sortedSource) next() bool {
	s.i++
	return s.i < len(s.all)
}

func (s *sortedSource) err() error { return s.failed }

// mergeSources calls f for all executions by start; ties go to the lower worker. Package krd merges likewise, the workers of one node.
func mergeSources(sources []replaySource, f func(*execution)) error {
	h := sourceHeap(slices.Clone(sources))
	heap.Init(&h)
	for len(h) > 0 {
		f(h[0].current())
		if h[0].next() {
			heap.Fix(&h, 0)
			continue
		}
		if err := h[0].err(); err != nil {
			return err
		}
		heap.Pop(&h)
	}
	return nil
}

// firstStart returns when the earliest execution began, 0 if there is none.
func firstStart(sources []replaySource) int64 {
	if len(sources) == 0 {
		return 0
	}
	return slices.MinFunc(sources, func(a, b replaySource) int { return cmp.Compare(a.current().start, b.current().start) }).current().start
}

// sourceHeap has the source whose current execution comes first on top.
type sourceHeap []replaySource

func (h sourceHeap) Len() int { return len(h) }

func (h sourceHeap) Less(i, j int) bool {
	a, b := h[i].current(), h[j].current()
	return a.start < b.start || a.start == b.start && a.worker < b.worker
}

func (h sourceHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

func (h *sourceHeap) Push(x any) { *h = append(*h, x.(replaySource)) }

func (h *sourceHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
