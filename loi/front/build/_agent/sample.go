package krdagent

import "unsafe"

// A sample is in bursts: the tracer writes into the header how the program goes on, and a goroutine
// looks there at each access, and if it records none once in a while. Accesses outside the sample
// are counted. A word of that is a number, which grows with each change, times eight, small or
// nothing, and one of:
const (
	off     = iota // nothing is recorded
	watch          // accesses to granules that chosen chooses
	glimpse        // all, up to mostDense of a goroutine, and then nothing
	inside         // no mode: of the burst that has begun so many accesses are yet to be left out
)

// Bits 32 to 55 of the number of a site are how many accesses it makes at once: one for each leaf.
const (
	leavesShift = 32
	leavesMask  = 1<<24 - 1
)

const (
	// mostDense is how many accesses of a goroutine a burst has.
	mostDense = 1 << 16
	// fewDense is that of a burst whose word has small.
	fewDense = 1 << 11
	// smallOwn: one of so many bursts of a goroutine's own is large.
	smallOwn = 16
	small    = 4
	// lookEvery is after how many accesses a goroutine looks at the word that records none.
	lookEvery = 256
	// The tracer is late, as on a machine that is busy, if so many times as many accesses are made as
	// between other changes; then another burst begins, if these are not few.
	lateTimes    = 4
	leastBetween = 1 << 14
	// untold is how many accesses that the sample does not have are counted until the tracer gets
	// the count, while a goroutine watches.
	untold = 1 << 10
	// mostLoose is the largest number of iterations of a loop with Loose accesses: while they do,
	// nothing else can be recorded.
	mostLoose = 1 << 14
	// fewTimes is how many iterations a loop has that is no long one, whatever its accesses.
	fewTimes = 1 << 14
	// longLoop is from how many accesses on a loop is a burst of its own. Package goprogram has the
	// same.
	longLoop = 1 << 21
)

// sample is a goroutine's state of a sample; it is part of a Buf.
type sample struct {
	word uintptr // address of the tracer's
	seen uint64  // what stood there
	mode uint64  // how the goroutine goes on
	// left are the accesses that a burst still has. If nothing is recorded, those of copies, appends and
	// maps, which are always recorded, since the goroutine looked at the word.
	left  int64
	whole int64 // accesses that are recorded as of a loop, chosen or not; if it does not
	// watch, about how many there are between the tracer's changes
	dropped uint64 // accesses that the sample does not have, since the last Mode
	// due is, if nothing is recorded, after how many of them it looks at the word; in a burst, the
	// accesses on the stack before the first others.
	due    uint64
	begins uint64 // and after so many the next burst begins; 0: none
	ahead  uint64 // after so many the next one begins that is the goroutine's own; 0: not known
	_      [7]uint64
}

// drops reports that the sample does not have an access to the heap, and then counts it.
//
//go:nocheckptr
func drops(b *Buf, a uintptr, w uint64) bool {
	if b.mode == off {
		if b.dropped >= b.due {
			b.look()
		}
	} else if *(*uint64)(unsafe.Pointer(b.word)) != b.seen {
		b.look()
	}
	switch b.mode {
	case off:
		b.drop(1, w)
		return true
	case watch:
		if b.whole > 0 {
			b.whole--
			return false
		}
		if x := uint64(a); !chosen(x, b.seen>>3) && (x%granule >= line || !chosen(x-line, b.seen>>3)) {
			if b.drop(1, w); b.dropped > untold {
				tell(b)
			}
			return true
		}
	default:
		b.took(1, true)
	}
	return false
}

// Lines are of so many bytes, and drawn with those of their granule. A line is one of its object, and
// may begin in the granule before.
const (
	granule = 256
	line    = 64
)

// chosen reports that the granule of an address is drawn in a phase: one of 16 that are together, at
// random, anew in each phase. Package collect draws the same.
func chosen(a, phase uint64) bool {
	h := (a/(16*granule) + phase*0xbf58476d1ce4e5b9) * 0x9e3779b97f4a7c15
	h ^= h >> 32
	return h*0xd6e8feb86659fd93>>60 == a/granule%16
}

// drop counts accesses that the sample does not have: n times those of a site.
func (b *Buf) drop(n, w uint64) {
	n *= w >> leavesShift & leavesMask
	b.dropped += n
	b.counted(uintptr(w&siteMask)*16+8, n)
}

// look goes on as the tracer has it. A burst while nothing else is recorded begins later, after as
// many accesses at most as there were since it looked last, by chance: the tracer's changes come by
// the time, and what the program does slowly would have more bursts than accesses.
//
//go:nocheckptr
func (b *Buf) look() {
	seen := *(*uint64)(unsafe.Pointer(b.word))
	if seen == b.seen {
		if b.mode == off {
			b.wait()
		}
		return
	}
	was := b.mode
	b.seen, b.mode = seen, seen&3
	if b.ahead == 0 {
		b.draw()
	}
	if was == off && b.mode == glimpse {
		b.mode = off
		most := min(b.dropped+uint64(b.left), 1<<31)
		b.left = 0
		b.whole = max(b.whole/2, int64(most))
		at := 1 + ticks()*0x9e3779b97f4a7c15>>32*most>>32
		if b.begins > b.dropped { // one is due
			at = min(at, b.begins-b.dropped)
		}
		tell(b)
		b.begins = min(at, b.ahead)
		b.wait()
		return
	}
	b.whole, b.begins = 0, 0
	b.full(0)
	tell(b)
	if b.mode == off {
		b.left = 0
	}
}

// full sets what the burst may have that begins with the so-manyeth access from here on. Of the
// goroutine's own some are large, by chance.
func (b *Buf) full(at uint64) {
	b.left = mostDense
	if b.ahead <= at {
		b.draw()
		if ticks()*0x9e3779b97f4a7c15>>32%smallOwn != 0 {
			b.left = fewDense
		}
	} else if b.seen&small != 0 {
		b.left = fewDense
	}
}

// draw sets when the next burst of the goroutine's own begins, by chance: the tracer has how far
// they are apart, of all goroutines and as the program goes on. So a program that ends before many
// of the tracer's changes, or that makes many accesses between them, has bursts too.
//
//go:nocheckptr
func (b *Buf) draw() {
	apart := *(*uint64)(unsafe.Pointer(b.word + 8))
	b.ahead = b.dropped + 1 + apart/2 + ticks()*0x9e3779b97f4a7c15>>32*apart>>32
}

// wait begins the burst that is due, or sets when to look again.
func (b *Buf) wait() {
	switch {
	case b.begins == 0:
		b.due = b.dropped + lookEvery
	case b.dropped+1 >= b.begins:
		b.full(b.begins)
		b.begins, b.mode = 0, glimpse
		tell(b)
	default:
		b.due = min(b.dropped+lookEvery, b.begins-1)
	}
	if b.counts&1 != 0 || b.counts == 0 {
		b.due = 0 // what it drops is counted the long way
	}
}

// took counts accesses that a burst has. now: the burst may end. Where some are to come as Loose
// nothing may stand between.
func (b *Buf) took(n uint64, now bool) {
	if b.mode < glimpse {
		return
	}
	b.due = mostDense
	if b.left -= int64(n); b.left <= 0 && now {
		b.mode, b.left = off, 0
		tell(b)
		b.begins = b.ahead
		if b.whole >= leastBetween { // if the tracer is late
			b.begins = min(b.begins, lateTimes*uint64(b.whole))
		}
	}
}

// tookStack counts an access on the stack. A burst that has nothing else ends, after as many as it may
// have: where stack and heap take turns, each is to be seen as often as it is accessed.
func (b *Buf) tookStack() {
	most := uint64(mostDense)
	if b.seen&small != 0 {
		most = fewDense
	}
	if b.due >= most {
		return
	}
	if b.due++; b.due == most {
		b.left = 0
		b.took(1, true)
	}
}

// tell records how the goroutine goes on, and what it has not recorded.
func tell(b *Buf) {
	n := b.dropped
	b.dropped, b.due = 0, 0
	b.ahead -= min(max(b.ahead, 1)-1, n)
	w := b.seen&^3 | b.mode
	switch b.left {
	case mostDense:
		w &^= small // also of a long loop
	case fewDense:
		w |= small
	}
	put(b, uintptr(n), Mode<<KindShift|w)
}

// repeats reports whether a loop may be run unseen whose rest WE has.
func (b *Buf) repeats(k uintptr, n uint64, within [][3]uintptr) bool {
	if b.mode == off {
		return false
	}
	for i := range within {
		if within[i][1] == anywhere && (b.mode < glimpse || n > mostLoose) {
			return false
		}
	}
	return true
}

// WS works like W, for a loop of n iterations, 0: not known. leaves are the accesses of an
// iteration, as of one of its sites. It returns 0 if the loop is to be run unseen, and has counted
// it then.
func WS(b *Buf, k uintptr, n, leaves uint64) uintptr {
	if b.stays(n, leaves) {
		b.drop(n, leaves)
		return 0
	}
	if b.unseen(n, leaves, false) {
		return 0
	}
	if b.mode == watch {
		b.whole = int64(2 * k)
	}
	return W(b, k)
}

// WL works like WS, for a loop some of whose accesses are Loose.
func WL(b *Buf, k uintptr, n, leaves uint64) uintptr {
	if b.stays(n, leaves) {
		b.drop(n, leaves)
		return 0
	}
	if b.unseen(n, leaves, true) {
		return 0
	}
	return W(b, k)
}

// stays reports that nothing is recorded and few iterations are to come: most loops are so, and it
// is a part of their function.
func (b *Buf) stays(n, leaves uint64) bool {
	return b.mode == off && n-1 < fewTimes && b.dropped+n*(leaves>>leavesShift) < b.due
}

// unseen reports that a loop is to be run unseen. A burst may begin within it, but for a long loop if
// some accesses are Loose. Another long one is a burst of its own: it would hide from one that comes
// while it runs.
//
//go:nocheckptr
func (b *Buf) unseen(n, leaves uint64, loose bool) bool {
	all := n * (leaves >> leavesShift)
	if b.mode != off || b.dropped+all >= b.due {
		b.look()
	}
	switch {
	case b.mode != off || n == 0:
		return false
	case loose && all >= longLoop:
	case b.begins != 0 && b.dropped+all >= b.begins:
		at := b.begins - b.dropped
		b.full(b.begins)
		b.within(at)
		b.left += int64(at - 1)
		return false
	case all >= longLoop:
		at := 1 + ticks()*0x9e3779b97f4a7c15>>32*(all>>20)>>12
		b.left = mostDense
		b.within(at)
		b.left += int64(at - 1)
		return false
	}
	b.drop(n, leaves)
	return true
}

// within begins a burst with the so-manyeth of the accesses that are next: those before it are
// recorded, and left out by the tracer.
func (b *Buf) within(at uint64) {
	b.begins, b.mode = 0, glimpse
	tell(b)
	if at > 1 {
		put(b, uintptr(at-1), Mode<<KindShift|b.seen&^3|inside)
	}
}

// passes counts about n accesses that are recorded in any mode: copies, appends, maps. A burst has
// half of them at least, and the tracer leaves out the excess.
func (b *Buf) passes(n uint64) {
	if b.mode == glimpse {
		b.took(0, true)
		if b.mode == glimpse {
			b.left -= int64(n+1) / 2
		}
	}
	if b.mode != off {
		return
	}
	if b.dropped+n >= b.due {
		if b.look(); b.mode != off {
			return
		}
	}
	if b.begins != 0 && b.dropped+n >= b.begins {
		at := b.begins - b.dropped
		b.full(b.begins)
		b.within(at)
		return
	}
	b.left += int64(n)
	b.due -= min(b.due, n)
	b.ahead -= min(max(b.ahead, 1)-1, n)
	if b.begins != 0 {
		b.begins -= n // which is less
	}
}

// T1 works like T, for a loop up to e by steps of one.
func T1[I integer](i, e I) uint64 {
	if i >= e {
		return 0
	}
	return uint64(e) - uint64(i)
}
