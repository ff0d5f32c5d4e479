package runtimes

import (
	"sync/atomic"
	"unsafe"

	"krdlab/hw"
)

// An entry is an element of a queue: child i of frame f; or, child-first, the rest of frame f (i is
// 0); or one of these.
type entry struct {
	f   *Frame
	i   int32
	tag int32 // TakeHighest: the priority; WaitRule: the depth; Rules.Place: the range
}

const (
	entryRest  int32 = -1 // what follows a join of f, which is complete
	entryProxy int32 = -2 // f is the frame of a proxy (mailbox.go)
)

type slot = entry

// ring is the storage of a deque: a power of two of slots. A ring that has been replaced is never
// written again, so that a thief may go on reading it.
type ring struct {
	slots []slot
	mask  int64
}

func newRing(n int) *ring { return &ring{make([]slot, n), int64(n - 1)} }

func (r *ring) at(i int64) *slot { return &r.slots[i&r.mask] }

// putSlot writes a slot. Thieves may read a slot while its owner writes it, and then discard what
// they read: each field must be whole, and no more. Owner only.
func putSlot(s *slot, f *Frame, i int32) {
	hw.StoreReleasePointer(&s.f, f)
	hw.StoreRelease32(&s.i, i)
}

func putTag(s *slot, tag int32) { hw.StoreRelease32(&s.tag, tag) }

// getSlot reads frame and number of a slot, perhaps of two entries. Any worker.
func getSlot(s *slot) (*Frame, int32) {
	f := (*Frame)(atomic.LoadPointer((*unsafe.Pointer)(unsafe.Pointer(&s.f))))
	return f, atomic.LoadInt32(&s.i)
}

func getTag(s *slot) int32 { return atomic.LoadInt32(&s.tag) }

// exposed is how many of its oldest entries a deque keeps open to thieves at least, as long as it
// has them. With 1 a second thief that comes before the owner's next push finds nothing; every pop
// of an exposed entry costs a fence, but these are the shallow ones, and in a tree of depth d only
// one entry in 2^(d-exposed) is.
const exposed = 4

// deque is the queue of one worker: a Chase-Lev deque (Chase and Lev, "Dynamic circular
// work-stealing deque", 2005) for its oldest entries, [head, bottom), and behind it a private part,
// [split, tail) with split = bottom, that the owner pushes to and pops from without a fence (the
// split deque of van Dijk and van de Pol, "Lace", 2014; unlike there, no thief asks for more:
// whenever fewer than exposed entries are open, the owner opens older private ones at its next push
// or pop).
//
//	field    writer                       readers
//	tail     owner                        owner
//	split    owner                        owner (a copy of bottom that no thief's miss invalidates)
//	slots,   owner                        owner (copies of what ring holds)
//	mask, won
//	ring     owner; grows only            thieves, before their CAS
//	bottom   owner                        thieves
//	head     CAS: thieves, and the owner  all
//	         for the last exposed entry
//
// push publishes with a store-release of bottom, after the slot and the frame were written. steal
// loads head, then bottom, then the slot, then CASes head: if head is still what it was, entry head
// was not taken by the owner (that would have moved head as well) and its slot not reused (the ring
// would have had to grow first), so what was read is valid; if the CAS fails it is discarded
// unread. takeBack lowers bottom with a full fence before it loads head, so that either the owner
// sees the thief's head or the thief sees the owner's bottom.
type deque struct {
	tail  int64
	split int64
	slots unsafe.Pointer // the owner's copy of ring: its first slot
	mask  int64          // and its mask
	won   int64          // entries that the owner took at the head; thieves took the others
	all   bool           // Rules.Half: all entries are to be open, once [deque.expose] is called
	wakes func()         // nil, or wakes others for entries that a pop has opened
	//lint:ignore U1000 it holds something in builds with the tag krdlab_tape
	taped

	_      [cacheLine]byte
	head   atomic.Int64
	_      [cacheLine]byte
	bottom hw.Int64
	ring   atomic.Pointer[ring]
	_      [cacheLine]byte
}

// cacheLine is two lines, since the adjacent-line prefetcher of Intel's cores fetches them in
// pairs.
const cacheLine = 128

func (d *deque) init(n int) { d.adopt(newRing(n)) }

func (d *deque) adopt(r *ring) {
	d.slots, d.mask = unsafe.Pointer(&r.slots[0]), r.mask
	d.ring.Store(r)
}

// own returns slot i of the owner's ring.
func (d *deque) own(i int64) *slot {
	return (*slot)(unsafe.Add(d.slots, (i&d.mask)*int64(unsafe.Sizeof(slot{}))))
}

// push appends an entry at the newest end. It returns whether thieves may have to be woken for it:
// something was exposed that was not before, or the run is to stop. Owner only.
func (d *deque) push(f *Frame, i int32) (tell bool) {
	t := d.tail
	putSlot(d.own(t), f, i)
	t++
	d.tail = t
	if h := d.headBehind(); t-h > d.mask || d.split-h < exposed {
		return d.pushSlow(h)
	}
	return false
}

// pushSlow keeps a slot free and the oldest entries exposed.
func (d *deque) pushSlow(h int64) (tell bool) {
	if d.tail-h > d.mask {
		r := newRing(2 * int(d.mask+1))
		for i := h; i < d.tail; i++ {
			f, c := getSlot(d.own(i))
			putTag(r.at(i), getTag(d.own(i)))
			putSlot(r.at(i), f, c)
		}
		d.adopt(r)
	}
	return d.expose(h)
}

// open opens private entries until exposed of them are open, or half of a long deque (a loop of
// thousands of leaves would otherwise feed no more than exposed thieves a leaf of its owner's); it
// returns whether there were any, or whether the deque is shut.
//
//go:noinline
func (d *deque) open(h int64) bool {
	if h >= shut {
		return true
	}
	s := d.openTo(h)
	if s <= d.split {
		return false
	}
	d.split = s
	d.bottom.StoreRelease(s)
	return true
}

// openTo returns the split with which enough entries are open. Owner only.
func (d *deque) openTo(h int64) int64 {
	if d.all {
		return d.tail
	}
	n := d.tail - h
	return h + min(n, max(exposed, n/2))
}

// shut is a head that no run of pushes reaches: a deque that is shut looks empty to its thieves and
// to its owner, whose next push goes the slow way. So a run can be stopped without one more test in
// the loops that push and pop.
const shut = 1 << 62

// close shuts the deque. Any worker.
func (d *deque) close() { d.head.Store(shut) }

// pop takes the newest entry. Owner only.
func (d *deque) pop() (e entry, ok bool) {
	if t := d.tail - 1; t >= d.split {
		d.tail = t
		f, i := getSlot(d.own(t))
		if h := d.headBehind(); d.split-h < exposed && d.expose(h) && d.opened(h) {
			return entry{}, false
		}
		return entry{f: f, i: i}, true
	}
	return d.popShared()
}

// opened does the rest of a pop that opened entries to thieves, and reports whether the deque is
// shut. Owner only.
//
//go:noinline
func (d *deque) opened(h int64) (isShut bool) {
	if h < shut && d.wakes != nil {
		d.wakes()
	}
	return h >= shut
}

// takeBack takes back the newest exposed entry, if thieves have left one. Owner only; the private
// part is empty.
func (d *deque) takeBack() (e entry, ok bool) {
	b := d.split - 1
	if d.head.Load() > b {
		return entry{}, false // nothing to race for: head only grows
	}
	d.bottom.Store(b) // a full fence
	h := d.head.Load()
	if h > b {
		d.bottom.StoreRelease(b + 1)
		return entry{}, false
	}
	f, i := getSlot(d.own(b))
	if h == b {
		won := d.head.CompareAndSwap(h, h+1)
		d.bottom.StoreRelease(b + 1)
		d.won += int64(btoi(won))
		return entry{f: f, i: i}, won
	}
	d.split, d.tail = b, b
	return entry{f: f, i: i}, true
}

// steal takes the oldest entry. Any worker but the owner. leave, if not nil, may refuse the entry.
func (d *deque) steal(leave func(entry) bool) (entry, Outcome) {
	h := d.head.Load()
	if h >= d.bottom.Load() {
		return entry{}, OutcomeEmpty
	}
	s := d.ring.Load().at(h)
	f, i := getSlot(s)
	if leave != nil && leave(entry{f: f, i: i, tag: getTag(s)}) {
		return entry{}, OutcomeLeft
	}
	if !d.head.CompareAndSwap(h, h+1) {
		return entry{}, OutcomeBusy
	}
	return entry{f: f, i: i}, OutcomeDone
}

// half returns half the number of entries that a thief sees, rounded down, but at least 1 if there
// are any; and that number. Any worker.
func (d *deque) half() (half, of int) {
	n := int(d.bottom.Load() - d.head.Load())
	return max(n/2, min(n, 1)), max(n, 0)
}

// seemsEmpty reports whether a thief would find nothing.
func (d *deque) seemsEmpty() bool { return d.head.Load() >= d.bottom.Load() }

// size returns the number of entries. Owner only; thieves may lower it at any time.
func (d *deque) size() int64 { return d.tail - d.head.Load() }
