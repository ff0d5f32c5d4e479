package engine

import "sync"

// A native run has a goroutine for each thread, which make the steps of the program as they come,
// one at a time: the interleaving is that of Go's scheduler and of a mutex.
type native struct {
	sync.Mutex
	moved   *sync.Cond // a step was made
	m       *machine
	s       *state
	trail   *trail
	waiting int // threads that cannot go on as it is
	left    int // that have not ended, or may begin
	err     error
	stuck   bool
}

// runNative makes one run from the state s on, and reports whether it ended.
func runNative(m *machine, s *state, trail *trail) (ended bool, err error) {
	n := &native{m: m, s: s, trail: trail, left: len(m.Threads)}
	n.moved = sync.NewCond(&n.Mutex)
	var all sync.WaitGroup
	for t := range m.Threads {
		all.Go(func() { n.thread(t) })
	}
	all.Wait()
	return n.err == nil && m.ended(n.s), n.err
}

// thread makes the steps of thread t.
func (n *native) thread(t int) {
	for n.step(t) {
	}
}

// step makes one, or waits until there is one to make; it reports whether there may be more.
func (n *native) step(t int) (more bool) {
	n.Lock()
	defer n.Unlock()
	for {
		if n.stuck || n.err != nil {
			return false
		}
		if n.s.pc[t] >= 0 && n.m.over(n.s, t) {
			n.left--
			n.check()
			return false
		}
		if op := n.m.next(n.s, t); op != nil {
			object := int32(none)
			if op.Kind <= Write {
				object = int32(op.Arg)
			}
			n.trail.step(int32(t), object)
			n.err = n.m.step(n.s, t)
			n.waiting = 0 // each of them looks again
			n.moved.Broadcast()
			return n.err == nil
		}
		n.waiting++
		n.check()
		if !n.stuck {
			n.moved.Wait()
		}
	}
}

// check notices that no thread can go on.
func (n *native) check() {
	if n.waiting >= n.left {
		n.stuck = true
		n.moved.Broadcast()
	}
}
