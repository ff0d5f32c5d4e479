package runtime

import "unsafe"

// Control: of the goroutines of the program one runs at a time, the others wait for their turn. At each
// operation by which goroutines wait for each other, and where one waits, ends or sleeps, it is chosen who
// is next, as the shared memory has it (krdlab/experiments/goprogram/control has the other end). Time stands
// still while one of them could run, as in the playground (faketime), and goes on to the next timer when
// none could.

// krdControl is the shared memory.
type krdControl struct {
	magic   uint64
	policy  uint64
	seed    uint64
	depth   uint64          // of PCT
	length  uint64          // choices among which its changes are drawn
	limit   uint64          // of operations; 0: none
	follow  uint64          // so many choices are those of list
	steps   uint64          // operations
	choices uint64          // of several goroutines that could run
	hash    uint64          // of who ran
	end     uint64          // 1: the limit was reached; 2: a bubble of testing/synctest, which is not under control
	early   uint64          // 1: timers may end while a goroutine could run
	preempt uint64          // where goroutines may be left: see krdAtSync
	learn   uint64          // 1: sites that access shared data are noted, and are no choices
	sites   [1 << 13]uint64 // bits of them, by number
	list    [1 << 18]uint32 // choices: which of those that could run, in the order of their numbers; above, of how many
}

const krdControlMagic = 0x6b7264637472316c

// Policies.
const (
	krdWalk = 1 + iota
	krdPCT
	krdFirst // goes on with the one that runs, or takes the first
	krdLeast // takes the first
	krdPOS   // by a random priority of each operation: Yuan, Yang and Gu, CAV 2018
	krdRound // takes the next by number
)

// Where goroutines may be left: at operations by which they wait, at atomic ones too, at accesses to shared
// data too.
const (
	krdAtSync = iota
	krdAtAtomics
	krdAtAccesses
)

// States of goroutines, in krdC; 0: not under control.
const (
	krdHolds   = 1 + iota // it is its turn
	krdCould              // it waits for its turn
	krdBlocked            // it waits for others
)

var krdCtl krdController

type krdController struct {
	c       *krdControl
	lock    mutex
	holder  guintptr
	could   [1 << 14]guintptr // by goid
	n       int
	firing  bool   // timers end: those that they wake wait for the last of them
	away    int    // wait for what is outside the program, such as a signal
	outside int    // of these, wait for a process, in real time: no timer ends meanwhile
	clock   int64  // the priority of the next timer
	random  uint64 // of schedules
	chance  uint64 // of the program
	lowest  int64
	ran     uint64 // the goid of the last
	changes [64]uint64
	last    [1 << 16]krdFormer // accesses, by a hash of the address
}

// krdFormer is the last access to an address.
type krdFormer struct{ at, by, site uint64 }

// krdControlOn begins, with the goroutine that runs.
func krdControlOn() {
	fd := krdOpen("KRD_CONTROL", 2|0x80000) // O_RDWR|O_CLOEXEC
	if fd < 0 {
		return
	}
	p, err := mmap(nil, unsafe.Sizeof(krdControl{}), _PROT_READ|_PROT_WRITE, 1, fd, 0)
	closefd(fd)
	x := &krdCtl
	if c := (*krdControl)(p); err != 0 || c.magic != krdControlMagic {
		throw("krdlab: KRD_CONTROL names no memory of control")
	} else {
		x.random, x.chance = c.seed, ^c.seed
		for k := uint64(1); k < c.depth && k < uint64(len(x.changes)); k++ {
			x.changes[k] = 1 + krdDraw(&x.random)%max(c.length, 1)
		}
		gp := getg()
		gp.krdC, gp.krdPriority = krdHolds, 1<<62|int64(krdDraw(&x.random)>>24)
		x.clock = 1<<62 | int64(krdDraw(&x.random)>>24)
		x.holder.set(gp)
		x.c = c
		faketime = krdEpoch
	}
}

// krdDraw returns the next random number (SplitMix: Steele, Lea and Flood, OOPSLA 2014).
//
//go:nosplit
func krdDraw(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	z := *state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// krdRand returns a random number for the goroutine whose turn it is.
//
//go:nosplit
func krdRand() (uint64, bool) {
	if gp := getg(); gp.krdC != krdHolds || gp.m.locks != 0 {
		return 0, false // or for the runtime itself, which asks for more where threads meet
	}
	return krdDraw(&krdCtl.chance), true
}

// krdDrawn returns a random number below n.
//
//go:nosplit
func krdDrawn(n uint32) uint32 {
	if x, ok := krdRand(); ok {
		return uint32(uint64(uint32(x)) * uint64(n) >> 32)
	}
	return cheaprandn(n)
}

// krdBorn takes a new goroutine, and reports whether it waits for its turn before it is put into a queue.
func krdBorn(newg *g) bool {
	x := &krdCtl
	newg.krdC = 0
	if x.c == nil || isSystemGoroutine(newg, false) {
		return false
	}
	lock(&x.lock)
	newg.krdFresh, newg.krdPriority = true, 1<<62|int64(krdDraw(&x.random)>>24)
	x.woken(newg)
	unlock(&x.lock)
	return true
}

// put adds a goroutine to those that could run.
func (x *krdController) put(gp *g) {
	if x.n == len(x.could) {
		throw("krdlab: more goroutines wait for their turn than it has room for")
	}
	gp.krdC = krdCould
	i := x.n
	for ; i > 0 && x.could[i-1].ptr().goid > gp.goid; i-- {
		x.could[i] = x.could[i-1]
	}
	x.could[i].set(gp)
	x.n++
}

// next takes the goroutine that is next from those that could run; nil: the next timer's time has come, or
// there is none. The one that has run until now is now, if it could go on.
func (x *krdController) next(now *g) *g {
	c, of, when := x.c, x.n, int64(maxWhen)
	if of == 0 {
		return nil
	}
	if c.early != 0 {
		if when = timeSleepUntil(); when < maxWhen {
			of++
		}
	}
	at := 0
	if of > 1 {
		k := c.choices
		c.choices++
		at = x.choice(k, of, now)
		if k < uint64(len(c.list)) {
			c.list[k] = uint32(at) | uint32(of)<<16
		}
	}
	if at == x.n {
		c.hash = ^c.hash * 0x100000001b3
		x.lowest--
		x.clock = x.lowest
		faketime = max(faketime, when)
		return nil
	}
	gp := x.could[at].ptr()
	if c.policy == krdPOS {
		x.redraw(gp)
	}
	copy(x.could[at:x.n-1], x.could[at+1:x.n])
	x.n--
	c.hash = (c.hash ^ gp.goid) * 0x100000001b3
	x.ran = gp.goid
	return gp
}

// redraw gives the operation behind the next of gp a priority, and those of others to the same.
func (x *krdController) redraw(gp *g) {
	for i := 0; i < x.n; i++ {
		if other := x.could[i].ptr(); other == gp || gp.krdAbout != 0 && other.krdAbout == gp.krdAbout {
			other.krdPriority = int64(krdDraw(&x.random) >> 1)
		}
	}
}

// choice returns the place of the next goroutine, of so many; the last is the next timer, if it may end.
func (x *krdController) choice(k uint64, n int, now *g) int {
	c, of := x.c, 0
	for i := 0; i < x.n; i++ {
		if x.could[i].ptr() == now && c.policy != krdLeast {
			of = i
		}
	}
	if k < c.follow {
		return min(int(c.list[k]&0xffff), n-1)
	}
	switch c.policy {
	case krdWalk:
		return int(krdDraw(&x.random) % uint64(n))
	case krdPOS:
		return x.highest(n)
	case krdRound:
		for i := 0; i < x.n; i++ {
			if x.could[i].ptr().goid > x.ran {
				return i
			}
		}
		return 0
	case krdPCT:
		of = x.highest(n)
		for i := range x.changes {
			if x.changes[i] == k+1 {
				x.lowest--
				*x.priority(of) = x.lowest
				of = x.highest(n)
			}
		}
	}
	return of
}

func (x *krdController) priority(i int) *int64 {
	if i == x.n {
		return &x.clock
	}
	return &x.could[i].ptr().krdPriority
}

func (x *krdController) highest(n int) (best int) {
	for i := 1; i < n; i++ {
		if *x.priority(i) > *x.priority(best) {
			best = i
		}
	}
	return best
}

// give makes it the turn of a goroutine, which is not the one that calls it.
func (x *krdController) give(gp *g) {
	gp.krdC = krdHolds
	x.holder.set(gp)
	switch {
	case gp.krdFresh:
		gp.krdFresh = false
		systemstack(func() { runqput(getg().m.p.ptr(), gp, true) })
	case gp.krdTurn:
		gp.krdTurn = false
		goready(gp, 1)
	}
}

// pass makes it another goroutine's turn.
func (x *krdController) pass() {
	x.holder = 0
	if gp := x.next(nil); gp != nil {
		x.give(gp)
	}
}

// krdStep lets another goroutine go on before an operation to what stands at an address.
//
//go:linkname krdStep
func krdStep(at uintptr) {
	gp := getg()
	x := &krdCtl
	if gp.krdC != krdHolds || gp.m.locks != 0 || gp.m.curg != gp {
		return
	}
	lock(&x.lock)
	gp.krdAbout = at
	if x.c.steps++; x.c.steps == x.c.limit {
		x.c.end = 1
		unlock(&x.lock)
		exit(125)
	}
	if x.n == 0 && (x.c.early == 0 || timeSleepUntil() == maxWhen) {
		unlock(&x.lock)
		return
	}
	x.put(gp)
	x.leave(gp, x.next(gp))
}

// leave waits until it is the turn of gp again, which is among those that could run. It unlocks.
func (x *krdController) leave(gp, next *g) {
	if next == gp {
		gp.krdC = krdHolds
		unlock(&x.lock)
		return
	}
	if x.holder = 0; next != nil {
		x.give(next)
	}
	gp.krdTurn = true
	goparkunlock(&x.lock, waitReasonZero, traceBlockGeneric, 1)
}

// krdYield lets another goroutine go on, for this one has nothing to do.
func krdYield() {
	if gp := getg(); gp.krdC == krdHolds {
		krdCtl.lowest--
		gp.krdPriority = krdCtl.lowest
		krdStep(0)
	}
}

// krdLeaves notes that gp is about to wait for others, which krdArrives has to follow.
func krdLeaves(gp *g, reason waitReason) bool {
	if gp.krdC == krdHolds && reason == waitReasonSynctestRun {
		krdCtl.c.end = 2
		exit(125)
	}
	if gp.krdC != krdHolds || int(reason) >= len(krdReasons) || krdReasons[reason] == 0 {
		return false
	}
	x := &krdCtl
	lock(&x.lock)
	gp.krdC = krdBlocked
	x.pass()
	unlock(&x.lock)
	return true
}

// krdArrives waits for the turn of gp, which has waited.
func krdArrives(gp *g) {
	x := &krdCtl
	lock(&x.lock)
	if gp.krdC == krdBlocked {
		x.woken(gp)
	}
	if gp.krdC == krdHolds {
		unlock(&x.lock)
		return
	}
	gp.krdTurn = true
	goparkunlock(&x.lock, waitReasonZero, traceBlockGeneric, 1)
}

// krdWoken notes that gp need not wait any longer.
func krdWoken(gp *g) {
	x := &krdCtl
	lock(&x.lock)
	if gp.krdC == krdBlocked {
		x.woken(gp)
	}
	unlock(&x.lock)
}

func (x *krdController) woken(gp *g) {
	if x.put(gp); x.holder == 0 && !x.firing {
		x.pass()
	}
}

// krdLeft notes that gp has ended.
func krdLeft(gp *g) {
	x := &krdCtl
	if gp.krdC != krdHolds {
		return
	}
	lock(&x.lock)
	gp.krdC = 0
	x.pass()
	unlock(&x.lock)
}

// Virtual time.
const (
	krdEpoch   = 1 << 40                // of the clock that the runtime has
	krdWall    = 946684800 * 1000000000 // then: midnight UTC 2000-01-01, as in testing/synctest
	krdReading = 1000                   // ns that pass with each reading, so that one who waits for a time has it
	krdPatient = 2000000                // ns of real time before timers end where one waits for a file or connection
)

// krdClock returns the virtual time for the goroutine that reads it, on the wall and monotonic.
func krdClock() (sec int64, nsec int32, mono int64) {
	if getg().krdC == krdHolds {
		faketime += krdReading
	}
	wall := faketime - krdEpoch + krdWall
	return wall / 1e9, int32(wall % 1e9), faketime
}

// check runs timers as [timers.krdCheck] does, where it is nobody's turn.
//
//go:yeswritebarrierrec
func (ts *timers) check(now int64, bubble *synctestBubble) (rnow, pollUntil int64, ran bool) {
	x := &krdCtl
	if x.c == nil || bubble != nil {
		return ts.krdCheck(now, bubble)
	}
	for again := true; again && x.holder == 0; {
		x.firing = true
		var some bool
		rnow, pollUntil, some = ts.krdCheck(0, nil)
		ran = ran || some
		lock(&x.lock)
		if x.firing = false; x.holder == 0 && x.n > 0 {
			x.pass()
			ran = true
		}
		again = x.holder == 0 && x.n > 0 // it is the next timer's turn
		unlock(&x.lock)
	}
	return rnow, pollUntil, ran
}

// krdDelay returns how long a thread without work waits for files and connections, in real ns; -1: until
// there is one.
func krdDelay(pollUntil int64) int64 {
	switch {
	case !netpollAnyWaiters():
		return 0
	case pollUntil != 0 && krdCtl.outside == 0:
		return krdPatient
	}
	return -1
}

// krdJump goes on to the next timer, and reports false where there is none or a goroutine could run.
func krdJump() bool {
	x := &krdCtl
	if x.c == nil {
		return false
	}
	lock(&x.lock)
	when := int64(maxWhen)
	if x.holder == 0 && x.n == 0 && x.outside == 0 {
		when = timeSleepUntil()
	}
	if when < maxWhen {
		faketime = max(faketime, when)
	}
	unlock(&x.lock)
	return when < maxWhen
}

// krdDead ends the program if no goroutine will ever run again. The runtime's own check sees that only where
// no thread belongs to C.
func krdDead() {
	x := &krdCtl
	if x.c == nil {
		return
	}
	lock(&x.lock)
	dead := x.holder == 0 && x.n == 0 && x.away == 0 && !netpollAnyWaiters() && timeSleepUntil() == maxWhen
	unlock(&x.lock)
	if dead {
		fatal("all goroutines are asleep - deadlock!")
	}
}

// notetsleepg waits for n as [krdNotetsleepg] does; the goroutine whose turn it was leaves it to others.
func notetsleepg(n *note, ns int64) bool {
	gp := getg()
	x := &krdCtl
	if gp.krdC != krdHolds {
		return krdNotetsleepg(n, ns)
	}
	lock(&x.lock)
	gp.krdC = krdBlocked
	x.away++
	x.pass()
	unlock(&x.lock)
	ok := krdNotetsleepg(n, ns)
	lock(&x.lock)
	x.away--
	unlock(&x.lock)
	krdArrives(gp)
	return ok
}

// krdOut leaves the turn to others while a goroutine waits for a process, until krdIn.
//
//go:linkname krdOut
func krdOut() bool {
	gp := getg()
	x := &krdCtl
	if gp.krdC != krdHolds {
		return false
	}
	lock(&x.lock)
	gp.krdC = krdBlocked
	x.away++
	x.outside++
	x.pass()
	unlock(&x.lock)
	return true
}

//go:linkname krdIn
func krdIn() {
	x := &krdCtl
	lock(&x.lock)
	x.away--
	x.outside--
	unlock(&x.lock)
	krdArrives(getg())
}

// krdAtomic lets another goroutine go on before an atomic operation.
//
//go:linkname krdAtomic
func krdAtomic(at uintptr) {
	if c := krdCtl.c; c != nil && c.preempt >= krdAtAtomics {
		krdStep(at)
	}
}

// krdMore returns true if b has room, which has seemed full so that its last event is looked at.
func krdMore(b *krdBuffer) bool {
	if b.next >= b.real {
		return false
	}
	b.end = b.next + 16
	return true
}

// krdAccess looks at the last event of b, which seems full, and lets another goroutine go on where that is an
// access to shared data.
func krdAccess(b *krdBuffer) {
	c, e := krdCtl.c, *(*[2]uint64)(unsafe.Pointer(b.next - 16))
	krdNext(b)
	if c == nil || c.preempt < krdAtAccesses {
		return
	}
	kind, site := e[1]>>56, e[1]&(1<<32-1)
	if kind != krdKindAccess && kind != krdKindRange || site >= 64*uint64(len(c.sites)) {
		return
	}
	word, bit := &c.sites[site/64], uint64(1)<<(site%64)
	if c.learn != 0 {
		at := e[0] >> 3
		last, by := &krdCtl.last[at*0x9e3779b97f4a7c15>>48], getg().goid
		if last.at == at && last.by != by {
			*word |= bit
			c.sites[last.site/64] |= 1 << (last.site % 64)
		}
		*last = krdFormer{at, by, site}
	} else if *word&bit != 0 {
		krdStep(uintptr(e[0]))
	}
}

// krdShort makes b seem full at each event.
func krdShort(b *krdBuffer) {
	if b.real = b.end; krdCtl.c != nil && krdCtl.c.preempt >= krdAtAccesses {
		b.end = b.next + 16
	}
}

const (
	krdKindAccess = 1
	krdKindRange  = 10
)
