package krdagent

import "unsafe"

// An Order gives the iterations of a loop that is tried in another order (package front, try.go): as
// KRD_ORDER has it, "reversed", "halves" or "shuffled:" and a digit, of all loops or, behind a space,
// of that one. Otherwise it is the plain one, and variables are left alone. It belongs to its goroutine.
type Order[I integer] struct {
	I          I // the index of the iteration, and after the loop what the plain order leaves
	loop       string
	from, step I
	down       bool
	n, begun   int // iterations
	present    int
	plain      bool
	place      func(k int) int // of the k-th that is executed
	kept       []Kept
}

// Kept is a variable that each iteration has its own copy of, or that is counted.
type Kept interface {
	start()
	begin(k int)
	end(k int)   // of an iteration
	leave(n int) // the loop
	wrote(at int)
	hides() (from, to uintptr) // where what the loop leaves is of no meaning
}

// order returns KRD_ORDER.
//
//go:linkname order runtime.krdOrder
func order() string

// Try begins a loop from an index on up, or down, to e: op is a comparison of [T].
func Try[I integer](loop string, from, e, step I, op int, kept ...Kept) *Order[I] {
	n := T(from, e, step, op)
	if enters := [...]bool{from < e, from <= e, from != e, from > e, from >= e, from != e}; n == 0 &&
		enters[op] || n>>62 != 0 {
		panic("krdlab: cannot be tried: " + loop + ": its index wraps around")
	}
	o := &Order[I]{loop: loop, from: from, step: step, down: op >= tripMore, n: int(n), kept: kept}
	how := order()
	for i := range len(how) {
		if how[i] == ' ' {
			if how[i+1:] == loop {
				how = how[:i]
			} else {
				how = ""
			}
			break
		}
	}
	switch {
	case how == "reversed":
		o.place = func(k int) int { return o.n - 1 - k }
	case how == "halves":
		o.place = func(k int) int { return (k + o.n - o.n/2) % o.n }
	case len(how) > 9 && how[:9] == "shuffled:":
		o.shuffle(uint64(how[9]))
	default:
		o.plain = true
		return o
	}
	for _, v := range kept {
		v.start()
	}
	return o
}

// Len returns len(s): in the source, len may be the name of something else.
func Len[S ~[]E, E any](s S) int { return len(s) }

// mostShuffled is how many iterations are shuffled; of more, blocks of as many are.
const mostShuffled = 1 << 16

func (o *Order[I]) shuffle(seed uint64) {
	size := (o.n + mostShuffled - 1) / mostShuffled
	if size == 0 {
		return
	}
	blocks := make([]int, o.n/size)
	for i := range blocks {
		seed = seed*6364136223846793005 + 1442695040888963407
		j := int((seed >> 33) % uint64(i+1))
		blocks[i], blocks[j] = blocks[j], i
	}
	o.place = func(k int) int {
		if k/size < len(blocks) {
			return blocks[k/size]*size + k%size
		}
		return k
	}
}

// Next begins an iteration; false: there is none left.
func (o *Order[I]) Next() bool {
	if o.begun > 0 && !o.plain {
		for _, v := range o.kept {
			v.end(o.present)
		}
	}
	o.present = o.begun
	more := o.begun < o.n
	if more && !o.plain {
		o.present = o.place(o.begun)
	}
	if o.I = o.from + I(o.present)*o.step; o.down {
		o.I = o.from - I(o.present)*o.step
	}
	o.begun++
	if !o.plain {
		for _, v := range o.kept {
			if more {
				v.begin(o.present)
			} else {
				v.leave(o.n)
			}
		}
	}
	return more
}

// Wrote notes that the iteration is about to write element at of a variable, which is kept as the
// so-manyeth.
func Wrote[I, J integer](o *Order[I], kept int, at J) {
	if !o.plain {
		o.kept[kept].wrote(int(at))
	}
}

// A counted variable grows by step in each iteration, times so many.
type counted[N integer] struct {
	at         *N
	from, step N
	times      int
}

// Counted keeps a variable that each iteration adds step to, or, if times is -1, takes it from.
func Counted[N integer](at *N, step N, times int) Kept {
	return &counted[N]{at: at, step: step, times: times}
}

func (v *counted[N]) start()      { v.from = *v.at }
func (v *counted[N]) begin(k int) { *v.at = v.from + N(k*v.times)*v.step }
func (v *counted[N]) end(int)     {}
func (v *counted[N]) leave(n int) { v.begin(n) }
func (v *counted[N]) wrote(int)   {}

func (v *counted[N]) hides() (from, to uintptr) { return 0, 0 }

// own is a variable that each iteration has its own copy of, which begins with the value before the
// loop. After the loop it has that value again, or the one of the last iteration that wrote it.
type own[T any] struct {
	at          *T
	first, left T
	by          int // the last iteration that wrote it, 0: none, and one more
	last, marks bool
}

// Private keeps a variable of each iteration, Last one that is read after the loop.
func Private[T any](at *T) Kept { return &own[T]{at: at} }

// Last returns an own whose writes [Wrote] reports.
func Last[T any](at *T) Kept { return &own[T]{at: at, last: true} }

func (v *own[T]) start()    { v.first, v.left = *v.at, *v.at }
func (v *own[T]) begin(int) { *v.at, v.marks = v.first, false }
func (v *own[T]) wrote(int) { v.marks = true }
func (v *own[T]) leave(int) { *v.at = v.left }
func (v *own[T]) end(k int) {
	if v.last && v.marks && k >= v.by {
		v.left, v.by = *v.at, k+1
	}
}

func (v *own[T]) hides() (from, to uintptr) {
	if v.last {
		return 0, 0
	}
	from = uintptr(unsafe.Pointer(v.at))
	return from, from + unsafe.Sizeof(v.left)
}

// slots are own for each element of a slice.
type slots[E any] struct {
	at, first, left []E
	by              []int
	marks           []int
	last, whole     bool
}

// PrivateSlots keeps a slice, all of it.
func PrivateSlots[E any](at []E) Kept { return &slots[E]{at: at, whole: true} }

// LastSlots returns slots whose written elements [Wrote] reports.
func LastSlots[E any](at []E) Kept { return &slots[E]{at: at, last: true} }

func (v *slots[E]) start() {
	v.first = append([]E(nil), v.at...)
	v.left = append([]E(nil), v.at...)
	v.by = make([]int, len(v.at))
}

func (v *slots[E]) hides() (from, to uintptr) {
	var e E
	if !v.whole || len(v.at) == 0 {
		return 0, 0
	}
	from = uintptr(unsafe.Pointer(&v.at[0]))
	return from, from + uintptr(len(v.at))*unsafe.Sizeof(e)
}

func (v *slots[E]) begin(int) {}

func (v *slots[E]) wrote(at int) {
	if at >= 0 && at < len(v.at) { // others panic
		v.marks = append(v.marks, at)
	}
}

func (v *slots[E]) end(k int) {
	for _, i := range v.marks {
		if k >= v.by[i] {
			v.left[i], v.by[i] = v.at[i], k+1
		}
	}
	for _, i := range v.marks {
		v.at[i] = v.first[i]
	}
	if v.marks = v.marks[:0]; v.whole {
		copy(v.at, v.first)
	}
}

func (v *slots[E]) leave(int) {
	for i, by := range v.by {
		if by > 0 {
			v.at[i] = v.left[i]
		}
	}
}
