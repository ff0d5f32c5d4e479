package exports

import (
	"container/heap"

	"krdlab/loi"
)

// counters writes how many workers are idle, in the order of time: of all, and of each node if
// there are several. A worker counts as busy until it says that it is idle. Cost: one more pass
// over the trace, in memory for one cursor of each worker.
func (x *perfetto) counters() error {
	h := &x.t.Header
	x.counterTrack(firstCounter, 0)
	if h.Nodes > 1 {
		for n := range h.Nodes {
			x.counterTrack(firstCounter+1+uint64(n), firstProcess+uint64(n))
		}
	}
	var queue turns
	for i := range h.Workers {
		t := &turn{worker: i, c: x.t.All(i)}
		if err := t.next(x); err != nil {
			return err
		}
		if t.c != nil {
			queue = append(queue, t)
		}
	}
	heap.Init(&queue)
	all, node := &level{track: firstCounter}, make([]level, h.Nodes)
	for n := range node {
		node[n].track = firstCounter + 1 + uint64(n)
	}
	for len(queue) > 0 {
		t := queue[0]
		all.add(x, t.at, t.change)
		if h.Nodes > 1 {
			node[h.Workers[t.worker].Node].add(x, t.at, t.change)
		}
		if err := t.next(x); err != nil {
			return err
		}
		if t.c != nil {
			heap.Fix(&queue, 0)
		} else {
			heap.Pop(&queue)
		}
		if err := x.spill(); err != nil {
			return err
		}
	}
	all.write(x)
	for n := range node {
		node[n].write(x)
	}
	return x.spill()
}

func (x *perfetto) counterTrack(id, parent uint64) {
	packet, track := x.track(id, parent)
	x.text(trackName, "idle workers")
	at := x.open(trackCounter)
	x.uint(counterUnit, unitCount)
	x.close(at)
	x.close(track)
	x.close(packet)
}

// A level is a counter whose value at its last time is still to be written.
type level struct {
	track     uint64
	at, value uint64
	any       bool
}

func (l *level) add(x *perfetto, at uint64, change int) {
	if l.any && l.at != at {
		l.write(x)
	}
	l.at, l.value, l.any = at, l.value+uint64(change), true
}

func (l *level) write(x *perfetto) {
	if !l.any {
		return
	}
	x.openEvent(counter, l.at, l.track)
	x.uint(eventCounter, l.value)
	x.closeEvent()
}

// A turn is the next time at which a worker becomes idle or busy; c is nil after the last one.
type turn struct {
	worker int
	c      *loi.Cursor
	at     uint64 // ns
	change int    // 1: it becomes idle, -1: busy
	idle   bool
}

// next goes to the next event that changes the state of the worker.
func (t *turn) next(x *perfetto) error {
	for t.c.Next() {
		r := t.c.Record()
		if r.Type != loi.EventRecord || r.Event != loi.EventIdle && r.Event != loi.EventBusy ||
			t.idle == (r.Event == loi.EventIdle) {
			continue
		}
		t.idle = !t.idle
		t.at, t.change = x.ns(t.worker, r.Start), -1
		if t.idle {
			t.change = 1
		}
		return nil
	}
	err := t.c.Err()
	t.c = nil
	return err
}

// turns is a heap by time, then worker.
type turns []*turn

func (q turns) Len() int { return len(q) }
func (q turns) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].worker < q[j].worker
}
func (q turns) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *turns) Push(v any)   { *q = append(*q, v.(*turn)) }
func (q *turns) Pop() any {
	old := *q
	t := old[len(old)-1]
	*q = old[:len(old)-1]
	return t
}
