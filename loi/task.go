package loi

import "unsafe"

// A TaskList collects the kernels that a task runs, for [Recorder.Task]. The zero value is empty;
// it is reused. Owner only.
type TaskList struct {
	// of the list: in own, or, if placed, where the record will stand (Recorder.Place)
	base   unsafe.Pointer
	at     uintptr // bytes from base to the next word
	end    uintptr // bytes from base to where there is no room
	extra  int     // words that are the arguments of long forms
	placed bool
	own    []uint64
}

// Add appends an execution of k with one block number for each of its parameters. A kernel below
// 2^14 and up to two block numbers below 2^24 take 8 bytes together.
func (t *TaskList) Add(k KernelID, args ...uint32) {
	if len(args) <= 2 && k <= callKernelMax {
		w, fits := uint64(k)|uint64(len(args))<<callCountShift, true
		for i, a := range args {
			fits = fits && a <= callArgMax
			w |= uint64(a) << (callArgShift + i*callArgBits)
		}
		if fits {
			t.put(w)
			return
		}
	}
	if len(args) > maxArgs {
		panic(sprint("loi: a call with %d arguments, expected at most %d", len(args), maxArgs))
	}
	t.put(callLong<<callCountShift | uint64(k)<<longCallKernel | uint64(len(args))<<longCallCount)
	words := (len(args) + 1) / 2
	for range words {
		t.put(0)
	}
	t.extra += words
	putArgs(t.words()[len(t.words())-words:], args)
}

// Add1 adds an execution with one argument.
func (t *TaskList) Add1(k KernelID, a uint32) {
	if t.at == t.end || a > callArgMax || k > callKernelMax {
		t.Add(k, a)
		return
	}
	*(*uint64)(unsafe.Add(t.base, t.at)) = uint64(k) | 1<<callCountShift | uint64(a)<<callArgShift
	t.at += 8
}

// Add2 adds an execution with two arguments.
func (t *TaskList) Add2(k KernelID, a, b uint32) {
	if !t.TryAdd2(k, a, b) {
		t.Add(k, a, b)
	}
}

// TryAdd2 works like Add2 where that is quick; where it is not, it returns false and does nothing.
// It is small enough to be inlined.
func (t *TaskList) TryAdd2(k KernelID, a, b uint32) bool {
	// k >= 2^14 shifted is above any argument
	if t.at == t.end || a|b|uint32(k)<<(callArgBits-callCountShift) > callArgMax {
		return false
	}
	*(*uint64)(unsafe.Add(t.base, t.at)) = uint64(k) | 2<<callCountShift | uint64(
		a)<<callArgShift | uint64(b)<<(callArgShift+callArgBits)
	t.at += 8
	return true
}

// Len returns the number of executions in t.
func (t *TaskList) Len() int { return int(t.at/8) - t.extra }

// put appends a word.
func (t *TaskList) put(w uint64) {
	if t.at == t.end {
		own := make([]uint64, max(64, 2*len(t.words())))
		copy(own, t.words())
		t.use(own, t.at)
	}
	*(*uint64)(unsafe.Add(t.base, t.at)) = w
	t.at += 8
}

// words returns the list so far.
func (t *TaskList) words() []uint64 { return unsafe.Slice((*uint64)(t.base), t.at/8) }

// use makes own, which holds at bytes of list already, the list.
func (t *TaskList) use(own []uint64, at uintptr) {
	t.own, t.base, t.at, t.end, t.placed = own, unsafe.Pointer(unsafe.SliceData(own)), at,
		uintptr(len(own))*8, false
}

// clear empties t and takes it out of its place.
func (t *TaskList) clear() {
	t.extra = 0
	t.use(t.own, 0)
}

// place empties t and makes it collect in the given bytes from base on.
func (t *TaskList) place(base unsafe.Pointer, bytes uintptr) {
	t.base, t.at, t.end, t.extra, t.placed = base, 0, bytes, 0, true
}
