// Package krdagent is called by the sources that package front rewrites. It is laid into the
// standard library of a build (an overlay; nothing is written there) and records, for the goroutine
// that runs, which data it accesses.
//
//	rewritten code -> Buf (one for each goroutine) -> chunks of shared memory -> package collect
//
// An event is two words. Nothing here allocates, takes a lock or lets a pointer escape: an address
// is kept as a number. One within the goroutine's own stack is kept as OnStack and its distance
// from the stack's top, which stays when the stack moves. A local is no datum of the heap (virda,
// section 3.1): such accesses are only counted, by site, unless the tracer selects them. A function
// here returns its argument.
//
// With -race the compiler checks pointers that are made of numbers (checkptr). Here they are meant
// to lead to memory outside all objects, so functions that make such have go:nocheckptr.
package krdagent

import (
	"sync/atomic"
	"unsafe"
)

// The kinds of events, in bits 56 to 63 of the second word. The rest of the two words:
const (
	Access = 1 + iota // address; site
	Extent            // bytes of the range, allocation or window before; site
	Made              // address of what the site has allocated; site
	Map               // address of a map that is about to be asked; site
	Key               // hash of the key that it is asked for; site
	Window            // address of a slice's first element; site, then an Extent
	Alloc             // address of what the runtime has allocated; bytes, 0 for a tiny object
	Type              // address of its type, or 0; ticks
	Stamp             // ticks; what: see collect
	Range             // address of an access; site, then an Extent
	Of                // address of the type of pointers to the data of the next event; its site

	// Of regions; below the kind, the depth in bits 32 to 55, and the region.
	Enter     // ticks; a region of a function begins, as the so-manyeth of its goroutine that is open
	Leave     // ticks; it ends
	Loop      // ticks; a region begins that is no function, in one of that depth
	LoopEnd   // ticks; it ends
	Iteration // ticks; it begins, the one before ends
	Goto      // ticks; what is in the region ends

	End // ticks; the goroutine ends, and has been so many ticks off its thread

	// Waiting of goroutines (runtime/zkrdsync.go), each kind but Start followed by Done.
	Start  // number of the goroutine; ticks; the first of its events
	Go     // number of the goroutine that it has made; ticks off its thread
	Sync   // address of what an operation is about; operation (bits 48 to 55), room of a channel
	SyncAt // ticks at which that began; ticks at which it took effect
	Done   // ticks at which it had ended; ticks off the thread
	Entry  // address of the function that the goroutine of the next Start runs

	// Of the label by which package runtime/pprof names a kernel.
	Label // bytes of its value, 0: there is none
	Text  // eight of them, or the rest

	// Repeat: the accesses of two iterations of a loop stand before; so many follow, moved each by what
	// the second is beside the first. Below the kind, from bit 8 on, which of those of an iteration do
	// not move so, and come as Loose; in bits 0 to 7 how many there are.
	Repeat
	Loose // address; site

	Mode // accesses that the sample did not have since the last; how it goes on: see sample.go
)

// KindShift is where the kind stands in the second word.
const KindShift = 56

// Marks of an address on the stack, above its distance from the stack's top; Entries: the entries
// of a map are there too.
const (
	OnStack = 1 << 63
	Entries = 1 << 62
)

// A Buf holds a goroutine's records. It lies in the shared memory, so that the tracer can read how
// far a goroutine has come that rests or was killed.
type Buf struct {
	next, end uintptr // where the next event goes; the end of the chunk
	stack     uintptr // address of the bounds of the goroutine's stack
	_         [2]uint64
	_, depth  uint32  // so many regions of functions are open
	observed  uint64  // 1: accesses on the stack are events as others
	counts    uintptr // of accesses that are no events: see counted; 0: they are not counted
	sample            // what is recorded of a sample
}

type event [2]uint64

// U is uintptr, which may be the name of something else where it is needed.
type U = uintptr

// buf returns the buffer of the running goroutine, nil if it has none yet.
//
//go:linkname buf runtime.krdBuf
func buf() *Buf

// begin makes a buffer for the running goroutine.
//
//go:linkname begin runtime.krdBegin
func begin() *Buf

// full gives b another chunk.
//
//go:linkname full runtime.krdFull
func full(b *Buf)

// B returns the buffer of the running goroutine.
func B() *Buf {
	if b := buf(); b != nil {
		return b
	}
	return begin()
}

// put appends an event.
//
//go:nocheckptr
func put(b *Buf, a uintptr, w uint64) {
	n := b.next
	*(*event)(unsafe.Pointer(n)) = event{uint64(a), w}
	b.next = n + unsafe.Sizeof(event{})
	if b.next >= b.end {
		full(b)
	}
}

// at appends an event of an address; one on the goroutine's own stack is counted if the tracer does
// not ask for it. It is put once more, since a call more is a third of its time. Were the stack to
// grow when at is called, a would stay what it was, and no more be on the stack.
//
//go:nosplit
//go:nocheckptr
func at(b *Buf, a uintptr, w uint64) {
	if s := (*[2]uintptr)(unsafe.Pointer(b.stack)); a-s[0] < s[1]-s[0] {
		onStack(b, OnStack|(s[1]-a), w)
		return
	}
	if sampling && w>>KindShift == Access {
		if b.mode == off && b.dropped < b.due {
			n := w >> leavesShift & leavesMask
			b.dropped += n
			*(*uint64)(unsafe.Pointer(b.counts + uintptr(w&siteMask)*16 + 8)) += n
			return
		}
		if drops(b, a, w) {
			return
		}
	}
	n := b.next
	*(*event)(unsafe.Pointer(n)) = event{uint64(a), w}
	b.next = n + unsafe.Sizeof(event{})
	if b.next >= b.end {
		full(b)
	}
}

// onStack takes the event of an address on the stack.
func onStack(b *Buf, a uintptr, w uint64) {
	if b.observed != 0 {
		put(b, a, w)
		return
	}
	if sampling && b.mode == glimpse {
		b.tookStack()
	}
	count(b, w&siteMask, 1)
}

const siteMask = 1<<32 - 1

// count adds n to the count of a site.
func count(b *Buf, site, n uint64) { b.counted(uintptr(site)*16, n) }

// counted adds n to a count. There are two for each site: of accesses that are no events, and of
// those that a sample does not have. They are the goroutine's own or, if b.counts is odd, common to
// those for which there was no room.
//
//go:nocheckptr
func (b *Buf) counted(at uintptr, n uint64) {
	switch at += b.counts; {
	case b.counts == 0:
	case at&1 == 0:
		*(*uint64)(unsafe.Pointer(at)) += n
	default:
		atomic.AddUint64((*uint64)(unsafe.Pointer(at&^1)), n)
	}
}

// C counts an access that is left alone.
func C(b *Buf, site uint64) { count(b, site, 1) }

// CV counts one that is made while v is evaluated, and is v.
func CV[T any](b *Buf, v T, site uint64) T {
	count(b, site, 1)
	return v
}

// And counts one that is made if v is true, and is v.
func And[T ~bool](b *Buf, v T, site uint64) T {
	if v {
		count(b, site, 1)
	}
	return v
}

// Or counts one that is made if v is false, and is v.
func Or[T ~bool](b *Buf, v T, site uint64) T {
	if !v {
		count(b, site, 1)
	}
	return v
}

// CN counts the n elements that a copy has copied, and is n.
func CN(b *Buf, n int, site uint64) int {
	count(b, site, uint64(n))
	return n
}

// CM counts the entries of a map that is about to be cleared, and is m.
func CM[M ~map[K]V, K comparable, V any](b *Buf, m M, site uint64) M {
	count(b, site, uint64(len(m)))
	return m
}

// depthShift is where the depth stands in the second word of an event of a region.
const depthShift = 32

const maxDepth = 1<<24 - 1

// ticks returns the time-stamp counter.
//
//go:linkname ticks runtime.krdTicks
func ticks() uint64

// RF records that a region of a function begins, and is its depth.
func RF(b *Buf, region uint64) uint64 {
	b.depth = min(b.depth+1, maxDepth) // what recovers without a region around it makes it grow
	d := uint64(b.depth)
	put(b, uintptr(ticks()), Enter<<KindShift|d<<depthShift|region)
	return d
}

// RE records that a region of a function ends, and all that it has left.
func RE(b *Buf, depth uint64) {
	b.depth = min(b.depth, uint32(depth)-1)
	put(b, uintptr(ticks()), Leave<<KindShift|depth<<depthShift)
}

// RD works like RE in a deferred call, for the innermost function that has one: the functions
// within it have ended theirs.
func RD() {
	b := B()
	b.depth--
	put(b, uintptr(ticks()), Leave<<KindShift)
}

// RL records an event of a region that is no function, in one of a depth; deeper ones have ended.
func RL(b *Buf, depth, what uint64) {
	b.depth = uint32(depth)
	put(b, uintptr(ticks()), what|depth<<depthShift)
}

// syncOn reports whether the waiting of goroutines is recorded.
//
//go:linkname syncOn runtime.krdOn
func syncOn() bool

// syncOf records an operation of the running goroutine to what stands at p.
//
//go:linkname syncOf runtime.krdSyncOf
func syncOf(op uint64, p unsafe.Pointer, begin uint64)

// before lets another goroutine go on before an atomic operation, where goroutines are under control.
//
//go:linkname before runtime.krdAtomic
func before(at uintptr)

// behind are the bits of an atomic operation that are how far behind its pointer it stands.
const behind = 1<<32 - 1<<8

// AS records an atomic store to *p, which is about to be made.
//
//go:nocheckptr
func AS[T any](_ *Buf, p *T, op uint64) *T {
	before(uintptr(unsafe.Pointer(p)))
	if syncOn() {
		syncOf(op&^behind, unsafe.Add(noescape(unsafe.Pointer(p)), op&behind>>8), ticks())
	}
	return p
}

// AP keeps in *to where p points to, for AV, and is p.
func AP[T any](b *Buf, to *uintptr, p *T) *T {
	before(uintptr(unsafe.Pointer(p)))
	*to = place(b, uintptr(unsafe.Pointer(p)))
	return p
}

// AV records an atomic operation that has been made to what AP kept, and returned v.
//
//go:nocheckptr
func AV[T any](b *Buf, v T, at uintptr, op uint64) T {
	if syncOn() {
		if at&OnStack != 0 {
			at = (*[2]uintptr)(unsafe.Pointer(b.stack))[1] - at&^OnStack
		}
		syncOf(op&^behind, unsafe.Pointer(at+uintptr(op&behind>>8)), ticks())
	}
	return v
}

// AK keeps in *to where p points to, for AV or AX, once v is known, and is v.
func AK[T, P any](b *Buf, v T, to *uintptr, p *P) T {
	before(uintptr(unsafe.Pointer(p)))
	*to = place(b, uintptr(unsafe.Pointer(p)))
	return v
}

// AX works like AV, for a store of v, which is about to be made.
func AX[T any](b *Buf, v T, at uintptr, op uint64) T { return AV(b, v, at, op) }

// of records the type of the data that the next event, of the same site, is about.
func of[T any](b *Buf, site uint64) {
	var t any = (*T)(nil)
	put(b, *(*uintptr)(unsafe.Pointer(&t)), Of<<KindShift|site)
}

// L records the access of a site to *p.
func L[T any](b *Buf, p *T, site uint64) *T {
	at(b, uintptr(unsafe.Pointer(p)), Access<<KindShift|site)
	return p
}

// LV records a load from *p, and returns a pointer to what it has loaded before.
func LV[T any](b *Buf, p *T, site uint64) *T {
	v := *p
	at(b, uintptr(unsafe.Pointer(p)), Access<<KindShift|site)
	return &v
}

// V returns p, so that it is evaluated before the rest of the statement.
func V[T any](_ *Buf, p *T) *T { return p }

// LX works like L, where the type of T is not known in the source.
func LX[T any](b *Buf, p *T, site uint64) *T {
	of[T](b, site)
	window(b, unsafe.Pointer(p), unsafe.Sizeof(*p), Range, site)
	return p
}

// P records the access of a site to what lies offset bytes behind p, which is not followed: it may
// be nil, and then there is no access.
func P[T any](b *Buf, p *T, offset uintptr, site uint64) *T {
	if p != nil {
		at(b, uintptr(unsafe.Pointer(p))+offset, Access<<KindShift|site)
	}
	return p
}

// Q records the access of a site to what lies offset bytes behind v[i], if there is one.
func Q[V ~[]E, E any, N integer](b *Buf, v V, i N, offset uintptr, site uint64) V {
	var e E
	if i >= 0 && uint64(i) < uint64(len(v)) {
		a := uintptr(unsafe.Pointer(unsafe.SliceData(v))) + uintptr(i)*unsafe.Sizeof(e)
		at(b, a+offset, Access<<KindShift|site)
	}
	return v
}

// window records n bytes that a site accesses, is about to or has made.
func window(b *Buf, p unsafe.Pointer, n uintptr, kind, site uint64) {
	put(b, place(b, uintptr(p)), kind<<KindShift|site)
	put(b, n, Extent<<KindShift|site)
}

// I records the access of a site to v[i], if there is such a byte, and is i.
func I[V ~string, N integer](b *Buf, v V, i N, site uint64) N {
	if i >= 0 && uint64(i) < uint64(len(v)) {
		p := uintptr(unsafe.Pointer(unsafe.StringData(string(v))))
		at(b, p+uintptr(i), Access<<KindShift|site)
	}
	return i
}

type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr
}

// place returns a, or where it is on the goroutine's own stack, which may move.
//
//go:nocheckptr
func place(b *Buf, a uintptr) uintptr {
	if s := (*[2]uintptr)(unsafe.Pointer(b.stack)); a-s[0] < s[1]-s[0] {
		return OnStack | (s[1] - a)
	}
	return a
}

// R keeps in *to where the elements of v are, for E, and is v. It keeps a number, since a pointer
// that is stored through another would move what it points to to the heap.
func R[V ~[]E, E any](b *Buf, to *uintptr, v V) V {
	*to = place(b, uintptr(unsafe.Pointer(unsafe.SliceData(v))))
	return v
}

// RS works like R, for strings.
func RS[V ~string](b *Buf, to *uintptr, v V) V {
	*to = place(b, uintptr(unsafe.Pointer(unsafe.StringData(string(v)))))
	return v
}

// RX works like R, where the type of E is not known in the source; it keeps the type too, and its
// bytes, for EX.
func RX[V ~[]E, E any](b *Buf, to, bytes, of *uintptr, v V) V {
	var e E
	var t any = (*E)(nil)
	*to, *bytes = place(b, uintptr(unsafe.Pointer(unsafe.SliceData(v)))), unsafe.Sizeof(e)
	*of = *(*uintptr)(unsafe.Pointer(&t))
	return v
}

// RP works like R, for arrays behind pointers.
func RP[T any](b *Buf, to *uintptr, p *T) *T {
	*to = place(b, uintptr(unsafe.Pointer(p)))
	return p
}

// RM works like R, for maps: it keeps the map itself, for MP. M is any type, here and below: before
// Go 1.20 the interfaces of keys were not comparable as type arguments.
func RM[M any](b *Buf, to *uintptr, m M) M {
	*to = mapAt(b, *(*unsafe.Pointer)(unsafe.Pointer(&m)))
	return m
}

// MP works like M, for the map that RM kept.
func MP(b *Buf, m uintptr, site uint64) {
	put(b, m, Map<<KindShift|site)
}

// E records the access of a site to element i, of so many bytes, of what R kept.
func E(b *Buf, p uintptr, i int, bytes uintptr, site uint64) {
	if p&OnStack == 0 {
		if a := p + uintptr(i)*bytes; !sampling || !drops(b, a, Access<<KindShift|site) {
			put(b, a, Access<<KindShift|site)
		}
	} else {
		onStack(b, p-uintptr(i)*bytes, Access<<KindShift|site)
	}
}

// EX works like E, after RX.
func EX(b *Buf, p uintptr, i int, bytes, of uintptr, site uint64) {
	step := uintptr(i) * bytes
	if p&OnStack != 0 {
		step = -step
	}
	put(b, of, Of<<KindShift|site)
	put(b, p+step, Range<<KindShift|site)
	put(b, bytes, Extent<<KindShift|site)
}

// N records that a site has allocated *p.
func N[T any](b *Buf, p *T, site uint64) *T {
	at(b, uintptr(unsafe.Pointer(p)), Made<<KindShift|site)
	return p
}

// NX works like N, where the type of T is not known in the source.
func NX[T any](b *Buf, p *T, site uint64) *T {
	of[T](b, site)
	window(b, unsafe.Pointer(p), unsafe.Sizeof(*p), Made, site)
	return p
}

// NS records that a site has allocated the elements of v, up to its capacity.
func NS[V ~[]E, E any](b *Buf, v V, site uint64) V {
	var e E
	window(b, unsafe.Pointer(unsafe.SliceData(v)), uintptr(cap(v))*unsafe.Sizeof(e), Made, site)
	return v
}

// NSX works like NS, where the type of E is not known in the source.
func NSX[V ~[]E, E any](b *Buf, v V, site uint64) V {
	of[E](b, site)
	return NS(b, v, site)
}

// NM records that a site has allocated the map m.
func NM[M any](b *Buf, m M, site uint64) M {
	put(b, place(b, *(*uintptr)(unsafe.Pointer(&m))), Made<<KindShift|site)
	return m
}

// G records where the elements of v are, for A of the same site.
func G[V ~[]E, E any](b *Buf, v V, site uint64) V {
	var e E
	if sampling {
		b.passes(uint64(len(v)))
	}
	window(b, unsafe.Pointer(unsafe.SliceData(v)), uintptr(len(v))*unsafe.Sizeof(e), Window, site)
	return v
}

// GX works like G, where the type of E is not known in the source.
func GX[V ~[]E, E any](b *Buf, v V, site uint64) V {
	of[E](b, site)
	return G(b, v, site)
}

// GS works like G, for strings.
func GS[V ~string](b *Buf, v V, site uint64) V {
	if sampling {
		b.passes(uint64(len(v)))
	}
	window(b, unsafe.Pointer(unsafe.StringData(string(v))), uintptr(len(v)), Window, site)
	return v
}

// M records that a map is about to be asked for the key that K of the same site records.
func M[M any](b *Buf, m M, site uint64) M {
	if sampling {
		b.passes(1)
	}
	put(b, mapAt(b, *(*unsafe.Pointer)(unsafe.Pointer(&m))), Map<<KindShift|site)
	return m
}

// mapAt returns where a map is. The entries of one that is on the stack are there as long as they
// are few: the third word of a map (internal/runtime/maps.Map) points to them or, once they are
// many, to what points to them.
func mapAt(b *Buf, m unsafe.Pointer) uintptr {
	a := place(b, uintptr(m))
	if a&OnStack != 0 && place(b, (*[3]uintptr)(m)[2])&OnStack != 0 {
		a |= Entries
	}
	return a
}

// hash returns the runtime's hash of a key by its type, as a map's own.
//
//go:linkname hash runtime.krdHash
func hash(t, p unsafe.Pointer) uintptr

// K records the key that the map of M is asked for.
func K[T any](b *Buf, k T, site uint64) T {
	var t any = (*T)(nil)
	p := k // a copy, so that k itself stays in registers
	h := hashed(*(*unsafe.Pointer)(unsafe.Pointer(&t)), noescape(unsafe.Pointer(&p)))
	put(b, h, Key<<KindShift|site)
	return k
}

// KM works like M and K, for a key that calls: the map is loaded behind the call.
func KM[T, Of any](b *Buf, k T, m Of, site uint64) T {
	M(b, m, site)
	return K(b, k, site)
}

// hashed returns hash, and 0 for a key that cannot be hashed: the map itself panics for it.
func hashed(t, p unsafe.Pointer) (h uintptr) {
	defer func() { recover() }()
	return hash(t, p)
}

// noescape hides p from the escape analysis.
//
//go:nocheckptr
func noescape(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p)
	return unsafe.Pointer(x ^ 0)
}

// W begins a loop of k accesses an iteration: two fit into the chunk. It is where they begin.
func W(b *Buf, k uintptr) uintptr {
	if b.end-b.next < (2*k+2)*unsafe.Sizeof(event{}) {
		full(b)
	}
	return b.next
}

// T returns the number of iterations of a loop whose index is i, the present one included: up, or
// down, to e by steps of step. It is 0 where the index would wrap around.
func T[I integer](i, e, step I, op int) uint64 {
	if step <= 0 {
		return 0
	}
	gap := uint64(e) - uint64(i)
	if op >= tripMore {
		gap = -gap
	}
	switch op {
	case tripLess, tripNotEqual:
		if i >= e {
			return 0
		}
		gap--
	case tripLessOrEqual:
		if i > e {
			return 0
		}
	case tripMore, tripNotEqualDown:
		if i <= e {
			return 0
		}
		gap--
	case tripMoreOrEqual:
		if i < e {
			return 0
		}
	}
	n := gap / uint64(step)
	if op < tripMore {
		if last := i + I(n)*step; last+step < last {
			return 0
		}
	} else if last := i - I(n)*step; last-step > last {
		return 0
	}
	return n + 1
}

// The comparisons of T, as package front has them.
const (
	tripLess = iota
	tripLessOrEqual
	tripNotEqual
	tripMore
	tripMoreOrEqual
	tripNotEqualDown
)

// X returns where the elements of v are, in which a site must stay, for WE.
func X[V ~[]E, E any](v V, site uintptr) [3]uintptr {
	var e E
	return [3]uintptr{uintptr(unsafe.Pointer(unsafe.SliceData(v))),
		uintptr(len(v)) * unsafe.Sizeof(e), site}
}

// XS works like X, for strings.
func XS[V ~string](v V, site uintptr) [3]uintptr {
	return [3]uintptr{uintptr(unsafe.Pointer(unsafe.StringData(string(v)))), uintptr(len(v)), site}
}

// Y returns the argument of WE by which the accesses of a site come as Loose.
func Y(site uintptr) [3]uintptr { return [3]uintptr{0, anywhere, site} }

const anywhere = ^uintptr(0)

// LL records the access of a site to *p in a loop whose rest is run unseen.
func LL[T any](b *Buf, p *T, site uint64) *T {
	put(b, place(b, uintptr(unsafe.Pointer(p))), Loose<<KindShift|site)
	return p
}

// WE returns true, and has recorded the rest of a loop, if that may be run unseen: two iterations
// of k accesses each stand from start on, n are to come with the present one, and the accesses of
// the sites in within stay there; others do not move.
//
//go:nocheckptr
func WE(b *Buf, start, k uintptr, n uint64, within ...[3]uintptr) bool {
	const size = unsafe.Sizeof(event{})
	if n < 3 || n > 1<<31 || b.next-start != 2*k*size {
		return false // few are left; or another event is between, or some were on the stack
	}
	if sampling && !b.repeats(k, n, within) {
		return false
	}
	n--
	loose := uint64(0)
	for j := range k {
		first := (*event)(unsafe.Pointer(start + j*size))
		second := (*event)(unsafe.Pointer(start + (k+j)*size))
		step := int64(second[0] - first[0])
		if first[1] != second[1] || first[1]>>KindShift != Access || first[0]&OnStack != 0 {
			return false
		}
		at, left := uintptr(0), len(within)
		if left > 0 {
			at = j % uintptr(left)
		}
		for ; left > 0 && uint64(within[at][2])&siteMask != first[1]&siteMask; left-- {
			if at++; at == uintptr(len(within)) {
				at = 0
			}
		}
		switch {
		case left > 0 && within[at][1] == anywhere:
			loose |= 1 << j
		case step == 0:
		case left == 0 || step > 1<<31 || step < -1<<31:
			return false
		default:
			w, last := &within[at], uintptr(second[0])+uintptr(step*int64(n))
			if uintptr(first[0])-w[0] >= w[1] || last-w[0] >= w[1] {
				return false
			}
		}
	}
	put(b, uintptr(n), Repeat<<KindShift|loose<<8|uint64(k))
	if sampling {
		b.took(n*uint64(k), loose == 0)
	}
	return true
}
