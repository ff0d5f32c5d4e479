package collect

import (
	"container/heap"
	"slices"
	"sync/atomic"
	"unsafe"

	"krdlab/hw"
)

// order brings the events of all goroutines into one order. An allocation stands at its stamp. The
// events that a goroutine recorded between two stamps (allocations; begins and ends of operations; the times at
// which it left a thread, gave a chunk back, or was looked at) stand at the second: so an object is known before
// another goroutine, that has learnt of it, accesses it. That its memory is used again before an
// access that stands too late is as good as impossible, since a collection lies between the two.
type order struct {
	mem     *Memory
	sources map[uint64]*source // by number of the goroutine
	ready   readyHeap          // those with events
	list    []uint32
	late    uint64 // events that came after later ones of others had been handed on
	done    uint64 // the time up to which events were handed on
	emit    func(goroutine, at uint64, events []event) error
}

// A source is the events of one goroutine that were not handed on yet.
type source struct {
	number uint64
	pieces []piece
	seq    uint64 // of the next chunk to come
	peeked int    // events of it that are known already
	head   int    // events of the first piece up to its first stamp
	at     uint64 // of that stamp
	queued bool
	// the last event that was handed on ended an allocation
	allocated bool
}

// A piece is consecutive events of a goroutine, recorded before the tick last.
type piece struct {
	events []event
	last   uint64
	chunk  uint32 // to give back when they are handed on; noChunk: they are a copy
	head   int    // so many are up to the first stamp and with it; 0: they have none
	stamp  uint64 // what that says
}

// find finds the first stamp. Of an operation that goroutines wait in, that is its begin if something
// stands before it: its end is later, and its goroutine may have waited for a CPU as well.
func (p *piece) find() {
	p.head = 0
	for i := range p.events {
		t, ok := p.events[i].stamp()
		if p.events[i].kind() == kindSyncAt && i > 1 {
			t, ok = p.events[i][0], p.events[i][0] > 0
		}
		if ok {
			p.head, p.stamp = i+1, t
			return
		}
	}
}

const noChunk = ^uint32(0)

// slack, in ticks, is for what has a stamp and is not recorded yet.
const slack = 1 << 17

func newOrder(m *Memory, emit func(goroutine, at uint64, events []event) error) *order {
	return &order{mem: m, sources: make(map[uint64]*source), emit: emit}
}

// round takes new events and hands on those in order; all, if the program has ended. It reports
// whether any came.
func (o *order) round(ended bool) (bool, error) {
	now := hw.TSC()
	horizon := now - slack
	busy := len(o.list) > 0
	o.list = o.list[:0]
	if ended {
		o.full() // first: what is peeked into follows it, and nothing else will
	}
	used := uint32(min(atomic.LoadUint64(&o.mem.h.bufsUsed), maxBufs))
	alone := used <= 2 // the first is of what runs before any goroutine
	if ended || !alone || !busy {
		for i := range used {
			if b := o.mem.buf(i); atomic.LoadUint32(&b.state) == 1 && !o.peek(b, ended) {
				horizon = min(horizon, o.done)
			}
		}
	}
	if !ended {
		o.full() // last: a goroutine that had ended by then has given its last chunk back
	}
	switch {
	case ended:
		horizon = ^uint64(0)
	case alone:
		horizon = now // another that begins now has nothing older
	}
	if err := o.hand(horizon); err != nil {
		return false, err
	}
	if len(o.list) == 0 {
		o.mem.feed()
	}
	return len(o.list) > 0, nil
}

// roomForLoop is how many events a chunk lacks at most that is full: those of a loop stand in one.
const roomForLoop = 2*maxRepeat + 2

// full takes the chunks that are full.
func (o *order) full() {
	o.list = o.mem.take(o.list)
	for _, c := range o.list {
		k := o.mem.chunk(c)
		s := o.source(k.number)
		n := int(k.events)
		if _, bytes := o.mem.at(c); n < eventsIn(bytes)-roomForLoop { // its goroutine waits, or has ended
			o.mem.events(c, n+1)[n] = event{k.last, kindStamp << 56}
			n++
		}
		o.add(s, k, o.mem.events(c, n), k.last, c)
		s.seq, s.peeked = k.seq+1, 0
	}
}

func (o *order) source(number uint64) *source {
	s := o.sources[number]
	if s == nil {
		s = &source{number: number}
		o.sources[number] = s
	}
	return s
}

// add adds those events of a chunk that are not known yet, all before the tick last.
func (o *order) add(s *source, k *chunk, events []event, last uint64, release uint32) {
	left := atomic.LoadUint64(&k.left)
	mark := int(left % markRange)
	// the upper bits of the ticks are gone: they are those of last, or of a moment after it
	left = last - uint64(int64((last-left/markRange)*markRange)/markRange)
	if s.peeked < mark && mark < len(events) {
		o.push(s, piece{events: events[s.peeked:mark], last: left, chunk: noChunk})
		s.peeked = mark
	} else if mark == len(events) {
		last = left
	}
	o.push(s, piece{events: events[s.peeked:], last: last, chunk: release})
}

// push adds a piece. The pieces before it happened before its first stamp.
func (o *order) push(s *source, p piece) {
	p.find()
	bound := p.bound()
	for i := len(s.pieces) - 1; i >= 0 && s.pieces[i].last > bound; i-- {
		s.pieces[i].last = bound
		if s.pieces[i].head > 0 {
			break
		}
	}
	s.pieces = append(s.pieces, p)
	if !s.queued {
		s.queued = true
		o.ready = append(o.ready, s)
	}
	s.look()
}

// bound returns the first stamp of p, or, if it has none, its end.
func (p *piece) bound() uint64 {
	if p.head > 0 {
		return min(p.stamp, p.last)
	}
	return p.last
}

// peek copies the events in the chunk that b fills. It reports whether it now has all that b's
// goroutine had recorded before the call. Where the program has ended, nothing changes, and a chunk
// that was just being given back, and is not among the full ones, is peeked into like others.
func (o *order) peek(b *buffer, ended bool) bool {
	end := atomic.LoadUintptr(&b.end) // 0 while the chunk changes
	c := atomic.LoadUint32(&b.chunk)
	next := atomic.LoadUintptr(&b.next)
	number := atomic.LoadUint64(&b.number)
	if !o.mem.has(c) {
		return false
	}
	k := o.mem.chunk(c)
	seq := atomic.LoadUint64(&k.seq)
	at := atomic.LoadUint64(&k.at)
	n := (int(uint64(next)-at) - int(unsafe.Sizeof(chunk{}))) / int(unsafe.Sizeof(event{}))
	_, bytes := o.mem.at(c)
	if s := o.sources[number]; end == 0 && s != nil && s.seq == seq+1 &&
		atomic.LoadUint64(&k.number) == number {
		return true // it waits for a chunk, and what it has recorded has been taken
	}
	if uint64(end) != at+bytes && !ended || n < 0 || n > eventsIn(bytes) ||
		atomic.LoadUint64(&k.number) != number {
		return false
	}
	s := o.source(number)
	if s.seq != seq { // one that is full has not been taken yet
		return false
	}
	if s.peeked >= n {
		return true
	}
	events := slices.Clone(o.mem.events(c, n))
	if events[n-1].kind() == kindAlloc { // it has a stamp, which is not there yet
		n--
		events = events[:n]
	}
	if atomic.LoadUintptr(&b.end) != end || atomic.LoadUint64(&b.number) != number ||
		atomic.LoadUint64(&k.seq) != seq || atomic.LoadUint32(&b.state) != 1 {
		return false
	}
	o.add(s, k, events, hw.TSC()+slack, noChunk)
	s.peeked = n
	return true
}

// hand hands on all events up to the horizon, in order.
func (o *order) hand(horizon uint64) error {
	heap.Init(&o.ready)
	for len(o.ready) > 0 && o.ready[0].at <= horizon {
		s, limit := o.ready[0], horizon
		for _, other := range o.ready[1:min(3, len(o.ready))] {
			limit = min(limit, other.at)
		}
		for first := true; len(s.pieces) > 0 && (first || s.at <= limit); first = false {
			if err := o.turn(s, limit); err != nil {
				return err
			}
		}
		if len(s.pieces) == 0 {
			heap.Pop(&o.ready)
			s.queued = false
		} else {
			heap.Fix(&o.ready, 0)
		}
	}
	return nil
}

// turn hands on the events of s up to its first stamp, or its first piece if that is in order.
func (o *order) turn(s *source, limit uint64) error {
	p := &s.pieces[0]
	n, at := s.head, s.at
	if p.last <= limit {
		n, at = len(p.events), p.last
	}
	switch {
	case at >= o.done:
	case n > 0 && p.events[n-1].kind() == kindSyncAt, // others were handed on up to its end
		n == 1 && p.events[0].kind() == kindDone: // nothing stands before it
		at = o.done
	default:
		o.late += uint64(n)
	}
	o.done = max(o.done, at)
	if err := o.emit(s.number, at, p.events[:n]); err != nil {
		return err
	}
	if n > 0 {
		s.allocated = p.events[n-1].kind() == kindType
	}
	if n < len(p.events) {
		p.events = p.events[n:]
		p.find()
	} else {
		if p.chunk != noChunk {
			o.mem.release(p.chunk)
		}
		s.pieces = s.pieces[1:]
	}
	s.at = at
	s.look()
	return nil
}

// look finds the first stamp of s.
func (s *source) look() {
	if len(s.pieces) == 0 {
		s.pieces = nil
		return
	}
	p := &s.pieces[0]
	for s.head = 0; s.head < len(p.events); s.head++ {
		if k := p.events[s.head].kind(); k != kindMade && k != kindExtent {
			break
		}
	}
	if s.head > 0 && s.allocated {
		return // which site it was that allocated: together with the allocation
	}
	if s.head, s.at = len(p.events), p.bound(); p.head > 0 {
		s.head = p.head
	}
}

// readyHeap has the source first whose events are the oldest.
type readyHeap []*source

func (h readyHeap) Len() int { return len(h) }
func (h readyHeap) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].number < h[j].number
}
func (h readyHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *readyHeap) Push(x any)   { *h = append(*h, x.(*source)) }
func (h *readyHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
