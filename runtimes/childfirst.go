package runtimes

// runChildFirst executes frame f, from its next child if rest and otherwise from the beginning of
// its present phase, until the worker has nothing left at hand: the frame it came to was taken from
// under it, or it waits at a join for others. The caller then looks for work.
//
// A frame with children left is in the worker's deque while one of them runs. Children are not
// counted: a phase that no thief touches has one strand of execution, and its join is a plain test
// of steals. Each steal adds a strand, and a strand ends either where a child returns and finds its
// frame gone, or with the last child. The strand with the last child has the number of steals, as
// the hold of the frame went from thief to thief; so it adds that number to join, the others add
// -1, and whoever brings join back to 0 is the last. No counter has to be set up before the first
// steal.
func (w *Worker) runChildFirst(f *Frame, rest bool) {
	var last bool
	if rest {
		goto children
	}
phase:
	f.next = 0
children:
	{
		i := f.next
		f.next = i + 1
		if last = i+1 >= f.n; !last {
			w.spawns++
			// push, inlined by hand. From here on f may belong to a thief, until a pop gives it
			// back.
			t := w.tail
			putSlot(w.own(t), f, 0)
			t++
			w.tail = t
			if h := w.headBehind(); t-h > w.mask || w.split-h < exposed {
				if w.pushSlow(h) && w.attend(1) {
					return
				}
			}
		} else {
			if i >= f.n {
				badFork(f.n)
			}
			w.calls++
		}
		c := f.task.Run(w, int(i))
		if c != nil {
			c.parent = f
			c.called = last
			c.phase = 0
			f = c
			goto phase
		}
	}
	if last {
		goto joined
	}
returned: // a child that was spawned ahead of f has finished
	if t := w.tail - 1; t >= w.split { // pop, inlined by hand: a private entry can only be f
		w.tail = t
		if h := w.headBehind(); w.split-h < exposed && w.expose(h) && w.opened(h) {
			return
		}
		goto children
	}
	if _, ok := w.popShared(); ok {
		goto children
	}
	if w.arrive(f, -1) {
		goto next
	}
	return
joined: // the last child of f has finished
	if s := f.steals; s != 0 {
		f.steals = 0
		if !w.arrive(f, s) {
			return
		}
	}
next:
	n := f.task.Next(w, int(f.phase))
	if n > 0 {
		f.n = int32(n)
		f.phase++
		if n == 1 && w.stopping() { // nothing is pushed or popped in a phase of one child
			return
		}
		goto phase
	}
	parent := f.parent
	last = f.called
	w.retire(f)
	if parent == nil {
		w.pool.finish()
		return
	}
	f = parent
	if last {
		goto joined
	}
	goto returned
}
