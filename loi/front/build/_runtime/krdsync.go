package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Operations by which goroutines wait for each other, numbered as in krdlab/loi (SyncOp).
const (
	krdSend = 1 + iota
	krdReceive
	krdReceiveClosed
	krdClose

	krdLocked     = 5
	krdReadLocked = 7
	krdWaited     = 10
	krdCondWaited = 11
	krdSleep      = 18
	krdNever      = 19
	krdIO         = 20
	krdSelect     = 21 // each case is a send or a receive

	krdSelected = 1 << 47 // a case of a select
	krdTimer    = 1 << 46 // the channel is a timer's; of a once, it is a timer
	krdRoom     = 1<<46 - 1
	krdOnStack  = 1 << 63
)

const (
	krdKindGo     = 20
	krdKindSync   = 21
	krdKindSyncAt = 22
	krdKindDone   = 23

	krdTicksMask = 1<<56 - 1
)

// krdReasons are the operations that goroutines wait in.
var krdReasons = [...]uint64{
	waitReasonIOWait: krdIO, waitReasonSemacquire: krdLocked, waitReasonSleep: krdSleep,
	waitReasonChanReceiveNilChan: krdReceive, waitReasonChanSendNilChan: krdSend,
	waitReasonSelectNoCases: krdNever, waitReasonSelect: krdSelect,
	waitReasonChanReceive: krdReceive, waitReasonChanSend: krdSend,
	waitReasonSyncCondWait: krdCondWaited, waitReasonSyncMutexLock: krdLocked,
	waitReasonSyncRWMutexRLock: krdReadLocked, waitReasonSyncRWMutexLock: krdLocked,
	waitReasonSyncWaitGroupWait: krdWaited, waitReasonSynctestChanReceive: krdReceive,
	waitReasonSynctestChanSend: krdSend, waitReasonSynctestSelect: krdSelect,
	waitReasonSynctestWaitGroupWait: krdWaited,
}

// krdParked notes what gp waits for, which has just left its thread. The channels are still locked,
// and gp is the last in their queues.
func krdParked(gp *g) {
	if !krd.sync || gp == nil || readgstatus(gp)&^_Gscan != _Gwaiting ||
		int(gp.waitreason) >= len(krdReasons) || krdReasons[gp.waitreason] == 0 {
		return
	}
	w := krdWaits(gp)
	if w == nil {
		return
	}
	what, n := krdReasons[gp.waitreason], uint64(0)
	switch what {
	case krdSend, krdReceive, krdSelect:
		flags := uint64(0)
		if what == krdSelect {
			flags = krdSelected
		}
		last := (*hchan)(nil)
		for sg := gp.waiting; sg != nil; sg = sg.waitlink {
			c := sg.c.get()
			if c == last {
				continue
			}
			last = c
			if q := c.sendq.last; q != nil && q.g == gp {
				n = w.channel(n, gp, c, krdSend, flags)
			}
			if q := c.recvq.last; q != nil && q.g == gp {
				n = w.channel(n, gp, c, krdReceive, flags)
			}
		}
	case krdLocked, krdReadLocked, krdWaited, krdCondWaited:
		if gp.krdOp != 0 && gp.waitreason != waitReasonSemacquire {
			what, n = gp.krdOp, 1
			w.cases[0] = [2]uint64{gp.krdOn, what << 48}
		}
	}
	w.begins(gp, what|n<<8)
}

// krdWaits returns the place for the operation that gp waits in, nil if there is none.
func krdWaits(gp *g) *krdWait {
	if gp.krd == 0 {
		if isSystemGoroutine(gp, false) {
			return nil
		}
		b := krdNew(gp)
		if b == nil {
			return nil
		}
		gp.krd = uintptr(unsafe.Pointer(b))
	}
	return krdWaitOf((*krdBuffer)(unsafe.Pointer(gp.krd)))
}

func (w *krdWait) begins(gp *g, what uint64) {
	w.at = uint64(cputicks())
	for i := fpTracebackPCs(unsafe.Pointer(gp.sched.bp), w.pcs[:]); i < len(w.pcs); i++ {
		w.pcs[i] = 0
	}
	atomic.Store64(&w.what, what)
}

// channel adds that the n-th case is an operation to a channel.
func (w *krdWait) channel(n uint64, gp *g, c *hchan, op, flags uint64) uint64 {
	if n < uint64(len(w.cases)) {
		w.cases[n] = [2]uint64{krdPlace(gp, unsafe.Pointer(c)), krdOperation(c, op, flags)}
	}
	return n + 1
}

// krdPlace returns an address as events have it.
func krdPlace(gp *g, p unsafe.Pointer) uint64 {
	a := uint64(uintptr(p))
	if a-uint64(gp.stack.lo) < uint64(gp.stack.hi-gp.stack.lo) {
		a = krdOnStack | (uint64(gp.stack.hi) - a)
	}
	return a
}

// krdOperation returns an operation to a channel, as the second word of an event krdKindSync.
func krdOperation(c *hchan, op, flags uint64) uint64 {
	if c.timer != nil {
		flags |= krdTimer
	}
	return op<<48 | min(uint64(c.dataqsiz), krdRoom) | flags
}

// krdBegins keeps that the running goroutine begins an operation to what stands at p, and returns
// the tick.
//
//go:linkname krdBegins
func krdBegins(op uint64, p unsafe.Pointer) uint64 {
	gp := getg()
	gp.krdOp, gp.krdOn = op, krdPlace(gp, p)
	return krdTicks()
}

// krdSyncOn begins to record them: the goroutines of the runtime itself have begun.
func krdSyncOn() {
	if krd.h == nil || krd.h.sync == 0 {
		return
	}
	krd.sync = true
	if gp := getg(); gp.krd != 0 {
		krdStart((*krdBuffer)(unsafe.Pointer(gp.krd)), gp)
	}
}

// krdMainEnds notes that main.main has returned.
func krdMainEnds() {
	if gp := getg(); krd.sync && gp.krd != 0 {
		krdPut((*krdBuffer)(unsafe.Pointer(gp.krd)), uint64(cputicks()),
			krdKindEnd<<56|gp.krdAway&krdTicksMask)
	}
}

// krdGo notes that gp has made newg, which does not run yet.
func krdGo(gp, newg *g) {
	if !krd.sync || isSystemGoroutine(newg, false) {
		return
	}
	if c := gp.m.curg; c != nil {
		gp = c
	}
	if b := krdOf(gp); b != nil {
		krdPut(b, newg.goid, krdKindGo<<56|gp.krdAway&krdTicksMask)
		krdPut(b, krdTicks(), krdKindDone<<56)
	}
}

// krdOf returns the buffer of a goroutine, nil if it can have none.
func krdOf(gp *g) *krdBuffer {
	if mp := getg().m; gp == mp.g0 || gp == mp.gsignal {
		return nil
	}
	if gp.krd == 0 {
		b := krdNew(gp)
		if b == nil {
			return nil
		}
		gp.krd = uintptr(unsafe.Pointer(b))
	}
	return (*krdBuffer)(unsafe.Pointer(gp.krd))
}

//go:linkname krdOn
func krdOn() bool { return krd.sync }

// krdSyncOf notes that the running goroutine has done an operation to what stands at p, which it
// began at a tick. From bit 32 on it has the number of the site in the source, 0: not known.
//
//go:linkname krdSyncOf
func krdSyncOf(op uint64, p unsafe.Pointer, begin uint64) {
	krdSync(getg(), p, op<<48|op>>32, begin, 0)
}

// krdTimed notes an operation of a timer.
//
//go:linkname krdTimed
func krdTimed(op uint64, t unsafe.Pointer) { krdSync(getg(), t, op<<48|krdTimer, krdTicks(), 0) }

// krdMark keeps when an operation of the running goroutine takes effect.
//
//go:linkname krdMark
func krdMark() { getg().krdAt = uint64(cputicks()) }

// krdMarked works like krdSyncOf, at the tick that was kept, by this goroutine or by the one that
// woke it.
//
//go:linkname krdMarked
func krdMarked(op uint64, p unsafe.Pointer, begin uint64) {
	krdSync(getg(), p, op<<48, begin, getg().krdAt)
}

// krdSync notes an operation of gp, above its flags and the room. at is when it took effect; 0: now.
func krdSync(gp *g, p unsafe.Pointer, op, begin, at uint64) {
	b := krdOf(gp)
	gp.krdOp = 0
	if b == nil {
		return
	}
	end := uint64(cputicks())
	if at == 0 {
		at = end
	}
	krdPut(b, krdPlace(gp, p), krdKindSync<<56|op)
	krdPut(b, begin, krdKindSyncAt<<56|at&krdTicksMask)
	krdPut(b, end, krdKindDone<<56|gp.krdAway&krdTicksMask)
}

// krdNow keeps when an operation takes effect: now, for its channel is locked.
func krdNow() {
	if krd.sync {
		getg().krdAt = uint64(cputicks())
	}
}

// krdPass does so for the running goroutine and the one whose operation it completes.
func krdPass(sg *sudog) {
	if krd.sync {
		t := uint64(cputicks())
		getg().krdAt, sg.g.krdAt = t, t
	}
}

// krdChannel notes an operation to a channel.
func krdChannel(c *hchan, op, flags, begin uint64) {
	gp := getg()
	krdSync(gp, unsafe.Pointer(c), krdOperation(c, op, flags), begin, gp.krdAt)
}

func chansend(c *hchan, ep unsafe.Pointer, block bool, callerpc uintptr) bool {
	krdStep(uintptr(unsafe.Pointer(c)))
	if !krd.sync {
		return krdChansend(c, ep, block, callerpc)
	}
	getg().krdAt = 0
	begin := krdTicks()
	done := krdChansend(c, ep, block, callerpc)
	if done {
		krdChannel(c, krdSend, 0, begin)
	}
	return done
}

func chanrecv(c *hchan, ep unsafe.Pointer, block bool) (selected, received bool) {
	krdStep(uintptr(unsafe.Pointer(c)))
	if !krd.sync {
		return krdChanrecv(c, ep, block)
	}
	getg().krdAt = 0
	begin := krdTicks()
	selected, received = krdChanrecv(c, ep, block)
	if selected {
		krdReceived(c, received, 0, begin)
	}
	return selected, received
}

func krdReceived(c *hchan, received bool, flags, begin uint64) {
	op := uint64(krdReceive)
	if !received {
		op = krdReceiveClosed
	}
	krdChannel(c, op, flags, begin)
}

func closechan(c *hchan) {
	krdStep(uintptr(unsafe.Pointer(c)))
	getg().krdAt = 0
	begin := krdTicks()
	krdClosechan(c)
	if krd.sync {
		krdChannel(c, krdClose, 0, begin)
	}
}

func selectgo(cas0 *scase, order0 *uint16, pc0 *uintptr, nsends, nrecvs int, block bool) (int,
	bool) {
	krdStep(0)
	if !krd.sync {
		return krdSelectgo(cas0, order0, pc0, nsends, nrecvs, block)
	}
	getg().krdAt = 0
	begin := krdTicks()
	i, received := krdSelectgo(cas0, order0, pc0, nsends, nrecvs, block)
	if i >= 0 {
		c := (*scase)(add(unsafe.Pointer(cas0), uintptr(i)*unsafe.Sizeof(*cas0))).c
		if i < nsends {
			krdChannel(c, krdSend, krdSelected, begin)
		} else {
			krdReceived(c, received, krdSelected, begin)
		}
	}
	return i, received
}

// timeSleep puts the running goroutine to sleep for at least ns nanoseconds.
//
//go:linkname timeSleep time.Sleep
func timeSleep(ns int64) {
	begin := krdTicks()
	krdTimeSleep(ns)
	if krd.sync {
		krdSync(getg(), nil, krdSleep<<48, begin, 0)
	}
}

// krdHand notes that gp is about to leave its thread to the other goroutine of a coroutine, as if
// it sent it something; krdTook that gp has it.
func krdHand(c *coro, gp *g) {
	if krd.sync {
		krdSync(gp, unsafe.Pointer(c), krdSend<<48|krdRoom, krdTicks(), 0)
		if w := krdWaits(gp); w != nil { // a coroutine that ends has it taken back
			w.cases[0] = [2]uint64{krdPlace(gp, unsafe.Pointer(c)), krdReceive<<48 | krdRoom}
			w.begins(gp, krdReceive|1<<8)
		}
	}
	krdRest(gp)
}

func krdTook(c *coro, gp *g) {
	krdResume(gp)
	if krd.sync {
		krdSync(gp, unsafe.Pointer(c), krdReceive<<48|krdRoom, krdTicks(), 0)
	}
}
