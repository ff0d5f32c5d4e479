package runtimes

import (
	"sync/atomic"

	"krdlab/hw"
)

// A proxy stands for child i of frame f in two places at once, the queue of the worker that spawned
// it and the mailbox of the worker whose caches hold its data. The worker that takes it out of
// either and claims it first runs the child; the other finds it claimed and drops it. It is reused
// once it is in neither place.
//
// to is read by thieves before they own the entry, perhaps of a proxy that is being reused: it is
// only a hint then, as their CAS on the deque fails.
type proxy struct {
	Frame   // for its task field, that leads back here, and the free list
	f       *Frame
	i       int32
	to      hw.Int32
	claimed hw.Int32 // 0, then 1: CAS by whoever takes it out
	places  hw.Int32 // 2, 1, 0: queue and mailbox
}

func (*proxy) Run(*Worker, int) *Frame { panic("runtimes: a proxy was run") }
func (*proxy) Next(*Worker, int) int   { panic("runtimes: a proxy was run") }

// newProxy makes a proxy for child i of f. Owner only.
func (w *Worker) newProxy(f *Frame, i int32, to int) *proxy {
	p, _ := w.Spare(kindProxy).(*proxy)
	if p == nil {
		p = new(proxy)
		p.bind(p, kindProxy)
	}
	p.f, p.i = f, i
	p.to.StoreRelease(int32(to))
	p.claimed.StoreRelease(0)
	p.places.StoreRelease(2)
	return p
}

// open takes what an entry stands for: the entry itself, or the child behind a proxy, unless that
// was claimed elsewhere.
func (w *Worker) open(e entry) (entry, bool) {
	if e.i != entryProxy {
		return e, true
	}
	p := e.f.task.(*proxy)
	child := entry{f: p.f, i: p.i}
	won := w.claim(p)
	if p.places.Add(-1) == 0 {
		w.retire(&p.Frame)
	}
	return child, won
}

// mailbox holds the proxies mailed to one worker, oldest first. Any worker appends; the owner
// takes.
type mailbox struct {
	_     [cacheLine]byte
	size  atomic.Int64 // a hint that saves the lock of an empty mailbox
	lock  spinLock
	first int
	items []*proxy
	full  int // the number of items at which those that were claimed elsewhere are dropped
	_     [cacheLine]byte
}

// put appends a proxy that w made.
func (m *mailbox) put(w *Worker, p *proxy) {
	m.lock.acquire()
	if n := len(m.items) - m.first; n >= max(m.full, 64) {
		m.sweep(w)
		m.full = 2 * len(m.items)
	}
	m.items = append(m.items, p)
	// a fence: a worker that mails looks for a parked addressee next
	m.size.Store(int64(len(m.items) - m.first))
	m.lock.release()
}

// sweep drops what was claimed elsewhere: an addressee that is never idle never looks. w gets the
// proxies that are in no other place. Holder of the lock.
func (m *mailbox) sweep(w *Worker) {
	kept := m.items[:0]
	for _, p := range m.items[m.first:] {
		switch {
		case p.claimed.Load() == 0:
			kept = append(kept, p)
		case p.places.Add(-1) == 0:
			w.retire(&p.Frame)
		}
	}
	clear(m.items[len(kept):])
	m.items, m.first = kept, 0
}

func (m *mailbox) take() *proxy {
	if m.size.Load() == 0 {
		return nil
	}
	m.lock.acquire()
	defer m.lock.release()
	if m.first == len(m.items) {
		return nil
	}
	p := m.items[m.first]
	m.items[m.first] = nil
	m.first++
	if m.first == len(m.items) || m.first > 64 && m.first > len(m.items)/2 {
		n := copy(m.items, m.items[m.first:])
		clear(m.items[n:])
		m.items, m.first = m.items[:n], 0
	}
	m.size.Store(int64(len(m.items) - m.first))
	return p
}
