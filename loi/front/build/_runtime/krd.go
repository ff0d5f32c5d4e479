package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"internal/stringslite"
	"unsafe"
)

// The tracer's end in the runtime: buffers for goroutines, and a note of each allocation. The
// shared memory is described in krdlab/loi/collect.

type krdHeader struct {
	magic      uint64
	size       uint64 // bytes of the whole memory
	chunkBytes uint64
	chunksAt   uint64 // offset of the chunks
	bufsAt     uint64 // offset of the buffers
	bufs       uint64 // there is room for so many
	started    atomic.Uint64
	countsAt   uint64        // offset of the counts by buffer and site
	free       atomic.Uint64 // stack of chunks: a tag in the upper half, number+1 of the first
	_          [7]uint64
	full       atomic.Uint64 // the same
	_          [7]uint64
	bufsUsed   atomic.Uint64 // so many were ever used
	bufsFree   atomic.Uint64 // stack of buffers, as of chunks
	waits      atomic.Uint64 // how often no chunk was free
	noBuf      atomic.Uint64 // goroutines that got no buffer
	goroutines atomic.Uint64 // that got one
	lost       atomic.Uint64 // events of those that got none
	observed   uint64        // 1: accesses on the stack are events
	replaced   atomic.Uint64 // 1: the process is about to become another program, or has
	sync       uint64        // 1: what goroutines wait for is recorded
	mode       uint64        // of a sample, which the tracer changes: see package krdagent
	apart      uint64        // likewise, behind mode
	dropped    atomic.Uint64 // accesses that it did not have, of goroutines that have ended
	smallBytes uint64        // of small chunks
	smallAt    uint64        // offset of them
	countsOwn  uint64        // so many buffers have counts of their own; one more is common
	countBytes uint64        // of each
	_          uint64
	freeSmall  atomic.Uint64 // stack of small chunks
	waitsAt    uint64        // offset of what goroutines wait for, by buffer
}

// krdWait describes the operation that the goroutine of a buffer waits in. Its field what is
// written last, and cleared first.
type krdWait struct {
	what  uint64 // 0: nothing; else the operation, and above it how many channels it is about
	at    uint64 // ticks: since when
	pcs   [18]uintptr
	cases [6][2]uint64 // as two words of an event krdKindSync
}

func krdWaitOf(b *krdBuffer) *krdWait {
	i := (uintptr(unsafe.Pointer(b)) - krd.base - uintptr(krd.h.bufsAt)) / krdBufBytes
	return (*krdWait)(unsafe.Pointer(krd.base + uintptr(krd.h.waitsAt) + i*unsafe.Sizeof(krdWait{})))
}

type krdBuffer struct {
	next, end uintptr // in state 2, next is the seq of the last chunk
	stack     uintptr
	chunk     uint32
	state     uint32 // 0 free, 1 in use, 2 in use and without a chunk, since its goroutine rests
	number    uint64 // of the goroutine, from 1
	// in the stack of free ones: number+1; in use: chunks since the goroutine last waited
	link     uint32
	depth    uint32  // as package krdagent has it
	observed uint64  // as the header's
	counts   uintptr // address of the counts by site; odd: they are common; 0: there are none
	mode     uintptr // address of the header's mode
	seen     uint64  // as package krdagent has it, as what follows
	_        [3]uint64
	dropped  uint64
	due      uint64
	begins   uint64
	ahead    uint64
	real     uintptr // the end of the chunk, under control
	_        [6]uint64
}

const krdBufBytes = unsafe.Sizeof(krdBuffer{})

type krdChunk struct {
	link   uint32 // number+1 of the next in its stack
	buf    uint32
	number uint64 // of the goroutine
	events uint64
	left   uint64 // ticks at which its goroutine last left a thread, times 1024, and its events then
	last   uint64 // ticks at which the chunk was given back
	seq    uint64
	at     uint64 // its address here
	_      uint64
}

var krd struct {
	h     *krdHeader
	base  uintptr
	lock  mutex
	spare krdBuffer       // of goroutines without a buffer: its events go nowhere
	sink  [1 << 13]uint64 // room for events that many threads put before one rewinds
	early *krdBuffer      // of what runs on no goroutine
	sync  bool            // what goroutines wait for is recorded now
	none  [2]uint64       // the mode of a sample of nothing
}

func krdInit() {
	krdTried.looks = krdOpen("KRD_LOOK", 1|0x400|0x80000) // O_WRONLY|O_APPEND|O_CLOEXEC
	krdTried.plain = krdOpen("KRD_PLAIN", 0x80000)
	fd := krdOpen("KRDLAB_TRACE", 2|0x80000) // O_RDWR|O_CLOEXEC
	if fd < 0 {
		return // it is not traced, or a child that has outlived the tracer
	}
	p, err := mmap(nil, 4096, _PROT_READ|_PROT_WRITE, 1, fd, 0)
	if err != 0 {
		throw("krdlab: cannot map the memory shared with the tracer, KRDLAB_TRACE")
	}
	h := (*krdHeader)(p)
	if h.magic != krdMagic {
		throw("krdlab: KRDLAB_TRACE names no memory of this tracer")
	}
	size, mine := uintptr(h.size), h.started.CompareAndSwap(0, 1)
	munmap(p, 4096)
	if mine {
		p, err = mmap(nil, size, _PROT_READ|_PROT_WRITE, 1, fd, 0)
		if err != 0 {
			throw("krdlab: cannot map the memory shared with the tracer, KRDLAB_TRACE")
		}
	}
	closefd(fd)
	if !mine {
		return // a child of the program that is traced, and inherits its environment
	}
	h = (*krdHeader)(p)
	krd.base, krd.h = uintptr(p), h
	krd.spare.counts = krdCounts(h.countsOwn)
	krd.early = krdNew(getg())
	debug.malloc = true
}

// krdOpen opens the file that a variable of the environment names. Children do not get the
// variable: they are not traced.
func krdOpen(name string, mode int32) int32 {
	s := gogetenv(name)
	if s == "" {
		return -1
	}
	others := make([]string, 0, len(envs))
	for _, e := range envs {
		if n := len(name); len(e) <= n || e[:n] != name || e[n] != '=' {
			others = append(others, e)
		}
	}
	envs = others
	path := append([]byte(s), 0)
	return open(&path[0], mode, 0)
}

// krdExec notes that the process becomes another program (1), or that this failed (0).
func krdExec(n uint64) {
	if krd.h != nil {
		krd.h.replaced.Store(n)
	}
}

func krdBufAt(i uint32) *krdBuffer {
	return (*krdBuffer)(unsafe.Pointer(krd.base + uintptr(krd.h.bufsAt) + uintptr(i)*krdBufBytes))
}

// krdSmall is above the numbers of small chunks. A goroutine that waits has none but such a one: it
// gets large ones only after some small ones without waiting, and gives one back when it waits.
const krdSmall = 1 << 31

const krdSmallFirst = 4

func krdChunkAt(i uint32) *krdChunk {
	at := uintptr(krd.h.chunksAt) + uintptr(i)*uintptr(krd.h.chunkBytes)
	if i&krdSmall != 0 {
		at = uintptr(krd.h.smallAt) + uintptr(i&^krdSmall)*uintptr(krd.h.smallBytes)
	}
	return (*krdChunk)(unsafe.Pointer(krd.base + at))
}

// krdNew makes a buffer for gp.
func krdNew(gp *g) *krdBuffer {
	h := krd.h
	var i uint32
	for {
		old := h.bufsFree.Load()
		if uint32(old) == 0 {
			n := h.bufsUsed.Add(1) - 1
			if n >= h.bufs {
				h.bufsUsed.Add(-1)
				h.noBuf.Add(1)
				return nil
			}
			i = uint32(n)
			break
		}
		i = uint32(old) - 1
		if h.bufsFree.CompareAndSwap(old, (old>>32+1)<<32|uint64(krdBufAt(i).link)) {
			break
		}
	}
	b := krdBufAt(i)
	b.number = h.goroutines.Add(1)
	b.stack = uintptr(unsafe.Pointer(&gp.stack))
	b.depth, b.observed, b.counts = 0, h.observed, krdCounts(uint64(i))
	b.mode, b.seen, b.dropped = uintptr(unsafe.Pointer(&h.mode)), ^uint64(0), 0
	b.due, b.begins, b.ahead, b.link = 0, 0, 0, 0
	krdTake(b, i, 0)
	b.state = 1
	if krd.sync && !isSystemGoroutine(gp, false) {
		krdStart(b, gp)
	}
	if gp.labels != nil {
		krdLabel(b, gp.labels)
	}
	return b
}

// krdCounts returns where the counts of a buffer are.
func krdCounts(i uint64) uintptr {
	h := krd.h
	at := krd.base + uintptr(h.countsAt+min(i, h.countsOwn)*h.countBytes)
	if i >= h.countsOwn {
		at++
	}
	return at
}

// krdStart notes that gp, whose buffer is b, is a goroutine of the program, and what it runs.
func krdStart(b *krdBuffer, gp *g) {
	krdWaitOf(b).what = 0
	krdPut(b, uint64(gp.startpc), krdKindEntry<<56)
	krdPut(b, gp.goid, krdKindStart<<56|krdTicks()&(1<<56-1))
}

// krdLabels notes that the labels of the running goroutine (package runtime/pprof) have changed.
func krdLabels(labels unsafe.Pointer) {
	if gp := getg(); krd.h != nil && gp.krd != 0 {
		krdLabel((*krdBuffer)(unsafe.Pointer(gp.krd)), labels)
	}
}

// krdLabel notes the value of the label that names kernels: its length and its bytes.
func krdLabel(b *krdBuffer, labels unsafe.Pointer) {
	type label struct{ key, value string } // internal/runtime/pprof/label
	value := ""
	if labels != nil {
		for _, l := range *(*[]label)(labels) {
			if l.key == "kernel" {
				value = l.value
			}
		}
	}
	krdPut(b, uint64(len(value)), krdKindLabel<<56)
	for len(value) > 0 {
		var word [8]byte
		n := copy(word[:], value)
		value = value[n:]
		krdPut(b, *(*uint64)(unsafe.Pointer(&word)), krdKindText<<56)
	}
}

// krdTake gives b, number i, an empty chunk, waiting for one if there is none.
func krdTake(b *krdBuffer, i uint32, seq uint64) {
	h := krd.h
	free, bytes := &h.free, h.chunkBytes
	if b.link < krdSmallFirst {
		b.link++
		free, bytes = &h.freeSmall, h.smallBytes
	}
	for n := 0; ; n++ {
		old := free.Load()
		if uint32(old) == 0 {
			if n == 0 {
				h.waits.Add(1)
			}
			if n < 32 {
				procyield(100)
			} else {
				usleep(20)
			}
			continue
		}
		c := uint32(old) - 1
		k := krdChunkAt(c)
		if !free.CompareAndSwap(old, (old>>32+1)<<32|uint64(k.link)) {
			continue
		}
		k.buf, k.number, k.seq = i, b.number, seq
		k.events, k.left, k.last, k.at = 0, 0, 0, uint64(uintptr(unsafe.Pointer(k)))
		b.chunk = c
		atomic.Storeuintptr(&b.next, uintptr(unsafe.Pointer(k))+unsafe.Sizeof(*k))
		// last: only then may the other side read what b fills
		atomic.Storeuintptr(&b.end, uintptr(unsafe.Pointer(k))+uintptr(bytes))
		return
	}
}

// krdGive hands the chunk of b over.
func krdGive(b *krdBuffer) {
	h := krd.h
	k := krdChunkAt(b.chunk)
	atomic.Storeuintptr(&b.end, 0)
	k.events = krdEvents(b, k)
	k.last = uint64(cputicks())
	for {
		old := h.full.Load()
		k.link = uint32(old)
		if h.full.CompareAndSwap(old, (old>>32+1)<<32|uint64(b.chunk+1)) {
			return
		}
	}
}

// krdOrder returns the order in which loops are tried.
//
//go:linkname krdOrder
func krdOrder() string { return gogetenv("KRD_ORDER") }

// krdTried are files: in one is written what loops that are tried leave, in the other stands what they
// do in the plain order.
var krdTried struct{ looks, plain int32 }

//go:linkname krdLooked
func krdLooked(p unsafe.Pointer, n int) bool {
	for k := int32(0); n > 0 && krdTried.looks >= 0; {
		if k = write(uintptr(krdTried.looks), p, int32(min(n, 1<<30))); k <= 0 {
			throw("krdlab: cannot write what a loop has left")
		}
		p, n = add(p, uintptr(k)), n-int(k)
	}
	return krdTried.looks >= 0
}

//go:linkname krdPlain
func krdPlain(p unsafe.Pointer, n int) bool {
	return krdTried.plain >= 0 && read(krdTried.plain, p, int32(n)) == int32(n)
}

//go:linkname krdDetail
func krdDetail() string { return gogetenv("KRD_DETAIL") }

//go:linkname krdObject
func krdObject(at uintptr) uintptr {
	base, s, _ := findObject(at, 0, 0)
	if base == 0 || s.elemsize == maxTinySize && s.spanclass.noscan() {
		return 0
	}
	return base
}

// krdTicks returns the time-stamp counter, without waiting for what stands before.
//
//go:linkname krdTicks
func krdTicks() uint64

//go:linkname krdBuf
func krdBuf() unsafe.Pointer { return unsafe.Pointer(getg().krd) }

//go:linkname krdBegin
func krdBegin() unsafe.Pointer {
	gp := getg()
	if krd.h == nil {
		// not traced: two events fit in, and the next always overwrites the first
		krd.spare.stack = uintptr(unsafe.Pointer(&gp.stack))
		krd.spare.mode = uintptr(unsafe.Pointer(&krd.none))
		krdRewind(&krd.spare)
		return unsafe.Pointer(&krd.spare)
	}
	b := krdNew(gp)
	if b == nil {
		krd.spare.stack = uintptr(unsafe.Pointer(&gp.stack))
		krd.spare.mode = uintptr(unsafe.Pointer(&krd.none))
		krdRewind(&krd.spare)
		return unsafe.Pointer(&krd.spare)
	}
	gp.krd = uintptr(unsafe.Pointer(b))
	return unsafe.Pointer(b)
}

func krdRewind(b *krdBuffer) {
	b.next = uintptr(unsafe.Pointer(&krd.sink))
	b.end = b.next + 16
}

//go:linkname krdFull
func krdFull(p unsafe.Pointer) { krdNext((*krdBuffer)(p)) }

// krdNext gives b another chunk.
func krdNext(b *krdBuffer) {
	if b == &krd.spare {
		if krd.h != nil {
			krd.h.lost.Add(1)
		}
		krdRewind(b)
		return
	}
	i := uint32((uintptr(unsafe.Pointer(b)) - krd.base - uintptr(krd.h.bufsAt)) / krdBufBytes)
	k := krdChunkAt(b.chunk)
	seq := k.seq + 1
	krdGive(b)
	krdTake(b, i, seq)
}

func krdPut(b *krdBuffer, a, w uint64) {
	*(*[2]uint64)(unsafe.Pointer(b.next)) = [2]uint64{a, w}
	b.next += 16
	if b.next == b.end {
		krdNext(b)
	}
}

const (
	krdMagic     = 0x314b4c4244524b // KRDBLK1
	krdKindAlloc = 7
	krdKindType  = 8
	krdKindStamp = 9
	krdKindEnd   = 18
	krdKindStart = 19
	krdKindEntry = 24
	krdKindLabel = 25
	krdKindText  = 26
)

// krdAlloc notes an allocation.
func krdAlloc(x unsafe.Pointer, size uintptr, typ *_type) {
	if krd.h == nil {
		return
	}
	if !heapBitsInSpan(size) { // such slots are multiples of 64 bytes
		size -= uintptr(x) & mallocHeaderSize // x is behind the header, if there is one
	}
	gp := getg()
	if c := gp.m.curg; c != nil {
		gp = c
	}
	if gp.krd == 0 {
		if gp == gp.m.g0 {
			lock(&krd.lock)
			krdNote(krd.early, x, size, typ, 0)
			unlock(&krd.lock)
			return
		}
		b := krdNew(gp)
		if b == nil {
			return
		}
		gp.krd = uintptr(unsafe.Pointer(b))
	}
	at := uintptr(0)
	if gp == getg() {
		at = krdMaker()
	}
	krdNote((*krdBuffer)(unsafe.Pointer(gp.krd)), x, size, typ, at)
}

// krdNote notes an allocation by the call that returns to at. Programs have no more than 4 GiB, so
// that this goes above the type; types made by reflection lie on the heap, and have none.
func krdNote(b *krdBuffer, x unsafe.Pointer, size uintptr, typ *_type, at uintptr) {
	t := uint64(uintptr(unsafe.Pointer(typ)))
	if t < 1<<32 && uint64(at) < 1<<32 {
		t |= uint64(at) << 32
	}
	krdPut(b, uint64(uintptr(x)), krdKindAlloc<<56|uint64(size))
	krdPut(b, t, krdKindType<<56|uint64(cputicks())&(1<<56-1))
}

// krdMaker returns where the innermost call outside the runtime goes on, 0 if that is not among the
// first few.
func krdMaker() uintptr {
	var pcs [8]uintptr
	for _, pc := range pcs[:krdCallers(&pcs)] {
		if !krdOwn(pc) {
			return pc
		}
	}
	return 0
}

// krdCallers follows the frame pointers. It calls nothing: the stack does not move meanwhile.
//
//go:nosplit
func krdCallers(pcs *[8]uintptr) (n int) {
	s := &getg().stack
	for fp := getfp(); n < len(pcs) && fp >= s.lo && fp+16 <= s.hi; n++ {
		pcs[n] = *(*uintptr)(unsafe.Pointer(fp + 8))
		fp = *(*uintptr)(unsafe.Pointer(fp))
	}
	return n
}

// krdOwns keeps for some places in the code, times 2, whether they are of the runtime: 1.
var krdOwns [1 << 10]atomic.Uintptr

// krdOwn reports whether a place in the code is the runtime's.
func krdOwn(pc uintptr) bool {
	kept := &krdOwns[(pc^pc>>10)%uintptr(len(krdOwns))]
	k := kept.Load()
	if k>>1 != pc {
		k = pc << 1
		if f := findfunc(pc - 1); f.valid() {
			if name := funcname(f); stringslite.HasPrefix(name, "runtime.") ||
				stringslite.HasPrefix(name, "internal/runtime/") {
				k |= 1
			}
		}
		kept.Store(k)
	}
	return k&1 != 0
}

// krdRest notes that gp has left its thread: its records happened before. Where gp was stopped
// between any two instructions it may be just putting an event, so that nothing can be put here;
// the chunk then has room for one such note.
func krdRest(gp *g) {
	if gp == nil || gp.krd == 0 {
		return
	}
	b := (*krdBuffer)(unsafe.Pointer(gp.krd))
	t := uint64(cputicks())
	gp.krdRested = t
	waits := readgstatus(gp)&^_Gscan == _Gwaiting
	if waits {
		b.link = 0
	}
	if waits && b.chunk&krdSmall == 0 {
		seq := krdChunkAt(b.chunk).seq
		krdGive(b)
		atomic.Storeuintptr(&b.next, uintptr(seq))
		atomic.Store(&b.state, 2)
		return
	}
	if !gp.asyncSafePoint && b.next+16 < b.end {
		krdPut(b, t, krdKindStamp<<56)
		return
	}
	k := krdChunkAt(b.chunk)
	atomic.Store64(&k.left, t<<10|krdEvents(b, k))
}

// krdResume notes that gp runs again.
func krdResume(gp *g) {
	if gp.krdRested == 0 {
		return
	}
	if b := (*krdBuffer)(unsafe.Pointer(gp.krd)); b != nil && b.state == 2 {
		i := uint32((uintptr(unsafe.Pointer(b)) - krd.base - uintptr(krd.h.bufsAt)) / krdBufBytes)
		krdTake(b, i, uint64(b.next)+1)
		atomic.Store(&b.state, 1)
	}
	if krd.sync && gp.krd != 0 {
		krdWaitOf((*krdBuffer)(unsafe.Pointer(gp.krd))).what = 0
	}
	gp.krdAway += uint64(cputicks()) - gp.krdRested
	gp.krdRested = 0
}

// krdEvents returns how many events are in k, which b fills.
func krdEvents(b *krdBuffer, k *krdChunk) uint64 {
	return uint64(b.next-uintptr(unsafe.Pointer(k))-unsafe.Sizeof(*k)) / 16
}

// krdEnd gives back what gp, which has ended, has.
func krdEnd(gp *g) {
	away := gp.krdAway & (1<<56 - 1)
	gp.krdAt, gp.krdRested, gp.krdAway = 0, 0, 0 // it is used again
	if gp.krd == 0 {
		return
	}
	b := (*krdBuffer)(unsafe.Pointer(gp.krd))
	gp.krd = 0
	*(*[2]uint64)(unsafe.Pointer(b.next)) = [2]uint64{uint64(cputicks()), krdKindEnd<<56 | away}
	b.next += 16 // there is always room for one: a chunk that is full is exchanged
	krdGive(b)
	h := krd.h
	h.dropped.Add(int64(b.dropped))
	atomic.Store(&b.state, 0)
	i := uint32((uintptr(unsafe.Pointer(b)) - krd.base - uintptr(h.bufsAt)) / krdBufBytes)
	for {
		old := h.bufsFree.Load()
		b.link = uint32(old)
		if h.bufsFree.CompareAndSwap(old, (old>>32+1)<<32|uint64(i+1)) {
			return
		}
	}
}

//go:linkname krdHash
func krdHash(t, p unsafe.Pointer) uintptr {
	// t is the type of a pointer to the key
	e := (*abi.PtrType)(t).Elem
	return typehash(e, p, 0)
}
