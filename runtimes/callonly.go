package runtimes

// runCalls executes frame f and all below it, children in order, depth first, on this worker alone.
func (w *Worker) runCalls(f *Frame) {
phase:
	f.next = 0
	if w.stopping() {
		return
	}
	if f.n < 1 {
		badFork(f.n)
	}
children:
	for f.next < f.n {
		i := f.next
		f.next++
		w.tasks++
		if c := f.task.Run(w, int(i)); c != nil {
			c.parent = f
			c.phase = 0
			f = c
			goto phase
		}
		if w.stopping() {
			return
		}
	}
	if n := f.task.Next(w, int(f.phase)); n > 0 {
		f.n = int32(n)
		f.phase++
		goto phase
	}
	parent := f.parent
	w.retire(f)
	if parent == nil {
		w.pool.finish()
		return
	}
	f = parent
	goto children
}
