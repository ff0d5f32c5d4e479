package loi

// A TaskList collects the kernels that a task runs, for [Recorder.Task]. The zero value is empty; it is reused. Owner only.
type TaskList struct {
	words []uint64
	n     int
	home  *uint64 // where words begins if it is where the record will stand, see Recorder.Place; or nil
}

// Add appends an execution of k with one block number for each of its parameters. A kernel below 2^14 and up to two block
// numbers below 2^24 take 8 bytes together.
func (t *TaskList) Add(k KernelID, args ...uint32) {
	t.n++
	if len(args) <= 2 && k <= callKernelMax {
		w, fits := uint64(k)|uint64(len(args))<<callCountShift, true
		for i, a := range args {
			fits = fits && a <= callArgMax
			w |= uint64(a) << (callArgShift + i*callArgBits)
		}
		if fits {
			t.words = append(t.words, w)
			return
		}
	}
	if len(args) > maxArgs {
		panic(sprint("loi: a call with %d arguments, expected at most %d", len(args), maxArgs))
	}
	t.words = append(t.words, callLong<<callCountShift|uint64(k)<<longCallKernel|uint64(len(args))<<longCallCount)
	at := len(t.words)
	for range (len(args) + 1) / 2 {
		t.words = append(t.words, 0)
	}
	putArgs(t.words[at:], args)
}

// Add1 is Add of an execution with one argument.
func (t *TaskList) Add1(k KernelID, a uint32) {
	if a > callArgMax || k > callKernelMax {
		t.Add(k, a)
		return
	}
	t.n++
	t.words = append(t.words, uint64(k)|1<<callCountShift|uint64(a)<<callArgShift)
}

// Add2 is Add of an execution with two arguments.
func (t *TaskList) Add2(k KernelID, a, b uint32) {
	if a|b > callArgMax || k > callKernelMax {
		t.Add(k, a, b)
		return
	}
	t.n++
	t.words = append(t.words, uint64(k)|2<<callCountShift|uint64(a)<<callArgShift|uint64(b)<<(callArgShift+callArgBits))
}

// Len returns the number of executions in t.
func (t *TaskList) Len() int { return t.n }
