package runtime

import "unsafe"

// Operations by which goroutines wait for each other, numbered as in krdlab/loi (SyncOp).
const (
	krdSend = 1 + iota
	krdReceive
	krdReceiveClosed
	krdClose

	krdSignal = 12
	krdSleep  = 18

	krdSelected = 1 << 47 // a case of a select
	krdTimer    = 1 << 46 // the channel is a timer's
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
// began at a tick.
//
//go:linkname krdSyncOf
func krdSyncOf(op uint64, p unsafe.Pointer, begin uint64) {
	krdSync(getg(), op, p, 0, begin, 0)
}

// krdMark keeps when an operation of the running goroutine takes effect.
//
//go:linkname krdMark
func krdMark() { getg().krdAt = uint64(cputicks()) }

// krdMarked is krdSyncOf at the tick that was kept, by this goroutine or by the one that woke it.
//
//go:linkname krdMarked
func krdMarked(op uint64, p unsafe.Pointer, begin uint64) {
	krdSync(getg(), op, p, 0, begin, getg().krdAt)
}

// krdSync notes an operation of gp. at is when it took effect; 0: now.
func krdSync(gp *g, op uint64, p unsafe.Pointer, room, begin, at uint64) {
	b := krdOf(gp)
	if b == nil {
		return
	}
	a := uint64(uintptr(p))
	if a-uint64(gp.stack.lo) < uint64(gp.stack.hi-gp.stack.lo) {
		a = krdOnStack | (uint64(gp.stack.hi) - a)
	}
	end := uint64(cputicks())
	if at == 0 {
		at = end
	}
	krdPut(b, a, krdKindSync<<56|op<<48|room)
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
	if c.timer != nil {
		flags |= krdTimer
	}
	krdSync(gp, op, unsafe.Pointer(c), min(uint64(c.dataqsiz), krdRoom)|flags, begin, gp.krdAt)
}

func chansend(c *hchan, ep unsafe.Pointer, block bool, callerpc uintptr) bool {
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
	getg().krdAt = 0
	begin := krdTicks()
	krdClosechan(c)
	if krd.sync {
		krdChannel(c, krdClose, 0, begin)
	}
}

func selectgo(cas0 *scase, order0 *uint16, pc0 *uintptr, nsends, nrecvs int, block bool) (int,
	bool) {
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
		krdSync(getg(), krdSleep, nil, 0, begin, 0)
	}
}

// krdHand notes that gp is about to leave its thread to the other goroutine of a coroutine, as if
// it sent it something; krdTook that gp has it.
func krdHand(c *coro, gp *g) {
	if krd.sync {
		krdSync(gp, krdSend, unsafe.Pointer(c), krdRoom, krdTicks(), 0)
	}
	krdRest(gp)
}

func krdTook(c *coro, gp *g) {
	krdResume(gp)
	if krd.sync {
		krdSync(gp, krdReceive, unsafe.Pointer(c), krdRoom, krdTicks(), 0)
	}
}
