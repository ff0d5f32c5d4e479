// Package krdagent is what the sources that package gofront rewrites call: it is laid into the
// standard library of a build (an overlay; nothing is written there) and records, for the goroutine
// that runs, which data it accesses.
//
//	rewritten code -> Buf (one for each goroutine) -> chunks of shared memory -> package collect
//
// An event is two words. Nothing here allocates, takes a lock or lets a pointer escape: an address
// is kept as a number, and one within the goroutine's own stack is dropped when it is recorded,
// since a local is no datum of the heap (virda, section 3.1). What a function returns is what it
// was given.
package krdagent

import "unsafe"

// The kinds of events, in bits 56 to 63 of the second word. What else the two words hold:
const (
	Access = 1 + iota // address; site
	Extent            // bytes of the range, allocation or window before; site
	Made              // address of what the site has allocated; site
	Map               // address of a map that is about to be asked, 0 on the stack; site
	Key               // hash of the key that it is asked for; site
	Window            // address of a slice's first element, 0 on the stack; site, then an Extent
	Alloc             // address of what the runtime has allocated; bytes, 0 for a tiny object
	Type              // address of its type, or 0; ticks
	Stamp             // ticks; what: see collect
	Enter             // number of a scope; site of its beginning
	Leave             // the same; site
	Range             // address of an access; site, then an Extent
	kinds
)

// KindShift is where the kind stands in the second word.
const KindShift = 56

// A Buf is where a goroutine records. It lies in the shared memory, so that the other side knows
// how far a goroutine has come that rests or was killed.
type Buf struct {
	next, end uintptr // where the next event goes; the end of the chunk
	stack     uintptr // address of the bounds of the goroutine's stack
}

type event [2]uint64

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
func put(b *Buf, a uintptr, w uint64) {
	n := b.next
	*(*event)(unsafe.Pointer(n)) = event{uint64(a), w}
	b.next = n + unsafe.Sizeof(event{})
	if b.next >= b.end {
		full(b)
	}
}

// at appends an event of an address, unless it is on the goroutine's own stack. It is put once
// more, since a call more is a third of its time.
func at(b *Buf, a uintptr, w uint64) {
	if s := (*[2]uintptr)(unsafe.Pointer(b.stack)); a-s[0] < s[1]-s[0] {
		return
	}
	n := b.next
	*(*event)(unsafe.Pointer(n)) = event{uint64(a), w}
	b.next = n + unsafe.Sizeof(event{})
	if b.next >= b.end {
		full(b)
	}
}

// L records the access of a site to *p.
func L[T any](b *Buf, p *T, site uint64) *T {
	at(b, uintptr(unsafe.Pointer(p)), Access<<KindShift|site)
	return p
}

// V is p: what it points to is evaluated before the rest of the statement.
func V[T any](_ *Buf, p *T) *T { return p }

// LX is L where the source does not know how many bytes a T has.
func LX[T any](b *Buf, p *T, site uint64) *T {
	range_(b, unsafe.Pointer(p), unsafe.Sizeof(*p), Range, site)
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

// range_ records the access of a site to n bytes.
func range_(b *Buf, p unsafe.Pointer, n uintptr, kind, site uint64) {
	s := (*[2]uintptr)(unsafe.Pointer(b.stack))
	if a := uintptr(p); n != 0 && a-s[0] >= s[1]-s[0] {
		put(b, a, kind<<KindShift|site)
		put(b, n, Extent<<KindShift|site)
	}
}

// S records the access of a site to all elements of v.
func S[V ~[]E, E any](b *Buf, v V, site uint64) V {
	var e E
	range_(b, unsafe.Pointer(unsafe.SliceData(v)), uintptr(len(v))*unsafe.Sizeof(e), Range, site)
	return v
}

// T records the access of a site to all bytes of v.
func T[V ~string](b *Buf, v V, site uint64) V {
	range_(b, unsafe.Pointer(unsafe.StringData(string(v))), uintptr(len(v)), Range, site)
	return v
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

// heap returns a, and 0 if that is on the goroutine's own stack, which may move.
func heap(b *Buf, a uintptr) uintptr {
	if s := (*[2]uintptr)(unsafe.Pointer(b.stack)); a-s[0] < s[1]-s[0] {
		return 0
	}
	return a
}

// R keeps in *to where the elements of v are, for E, and is v. It keeps a number, since a pointer
// that is stored through another would move what it points to to the heap.
func R[V ~[]E, E any](b *Buf, to *uintptr, v V) V {
	*to = heap(b, uintptr(unsafe.Pointer(unsafe.SliceData(v))))
	return v
}

// RS is R for strings.
func RS[V ~string](b *Buf, to *uintptr, v V) V {
	*to = heap(b, uintptr(unsafe.Pointer(unsafe.StringData(string(v)))))
	return v
}

// RX is R where the source does not know how many bytes an E has; it keeps them too, for EX.
func RX[V ~[]E, E any](b *Buf, to, bytes *uintptr, v V) V {
	var e E
	*to, *bytes = heap(b, uintptr(unsafe.Pointer(unsafe.SliceData(v)))), unsafe.Sizeof(e)
	return v
}

// RP is R for arrays behind pointers.
func RP[T any](b *Buf, to *uintptr, p *T) *T {
	*to = heap(b, uintptr(unsafe.Pointer(p)))
	return p
}

// RM is R for maps: it keeps the map itself, for MP.
func RM[M ~map[K]V, K comparable, V any](b *Buf, to *uintptr, m M) M {
	*to = heap(b, *(*uintptr)(unsafe.Pointer(&m)))
	return m
}

// MP is M for the map that RM kept.
func MP(b *Buf, m uintptr, site uint64) {
	put(b, m, Map<<KindShift|site)
}

// E records the access of a site to element i, of so many bytes, of what R kept.
func E(b *Buf, p uintptr, i int, bytes uintptr, site uint64) {
	if p != 0 {
		put(b, p+uintptr(i)*bytes, Access<<KindShift|site)
	}
}

// EX is E after RX.
func EX(b *Buf, p uintptr, i int, bytes uintptr, site uint64) {
	if p != 0 && bytes != 0 {
		put(b, p+uintptr(i)*bytes, Range<<KindShift|site)
		put(b, bytes, Extent<<KindShift|site)
	}
}

// N records that a site has allocated *p.
func N[T any](b *Buf, p *T, site uint64) *T {
	at(b, uintptr(unsafe.Pointer(p)), Made<<KindShift|site)
	return p
}

// NX is N where the source does not know how many bytes a T has.
func NX[T any](b *Buf, p *T, site uint64) *T {
	range_(b, unsafe.Pointer(p), unsafe.Sizeof(*p), Made, site)
	return p
}

// NS records that a site has allocated the elements of v, up to its capacity.
func NS[V ~[]E, E any](b *Buf, v V, site uint64) V {
	var e E
	range_(b, unsafe.Pointer(unsafe.SliceData(v)), uintptr(cap(v))*unsafe.Sizeof(e), Made, site)
	return v
}

// NM records that a site has allocated the map m.
func NM[M ~map[K]V, K comparable, V any](b *Buf, m M, site uint64) M {
	at(b, *(*uintptr)(unsafe.Pointer(&m)), Made<<KindShift|site)
	return m
}

// G tells where the elements of v are, for A of the same site.
func G[V ~[]E, E any](b *Buf, v V, site uint64) V {
	var e E
	put(b, heap(b, uintptr(unsafe.Pointer(unsafe.SliceData(v)))), Window<<KindShift|site)
	put(b, uintptr(len(v))*unsafe.Sizeof(e), Extent<<KindShift|site)
	return v
}

// GS is G for strings.
func GS[V ~string](b *Buf, v V, site uint64) V {
	put(b, heap(b, uintptr(unsafe.Pointer(unsafe.StringData(string(v))))), Window<<KindShift|site)
	put(b, uintptr(len(v)), Extent<<KindShift|site)
	return v
}

// M records that a map is about to be asked for the key that K of the same site tells. A map on
// the stack is 0.
func M[M ~map[K]V, K comparable, V any](b *Buf, m M, site uint64) M {
	put(b, heap(b, *(*uintptr)(unsafe.Pointer(&m))), Map<<KindShift|site)
	return m
}

// hash is the runtime's hash of a key by its type, as a map's own.
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

// hashed is hash, and 0 of a key that cannot be hashed: the map itself panics for it.
func hashed(t, p unsafe.Pointer) (h uintptr) {
	defer func() { recover() }()
	return hash(t, p)
}

// noescape hides p from the escape analysis.
func noescape(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p)
	return unsafe.Pointer(x ^ 0)
}
