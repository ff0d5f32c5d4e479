package runtimes

import (
	"fmt"

	"krdlab/hw"
	"krdlab/loi"
)

// entryOthers, of a frame whose phase is SpawnChild: its children that are not begun. SpawnChosen
// only, where a deque holds children too.
const entryOthers int32 = -5

// runChosen executes an entry under SpawnChosen, and goes on with entries at hand until the
// worker's own deque is empty. A phase is run as the policy chooses when it begins, and its frame
// counts as that rule does: SpawnParent counts strands (parentfirst.go), SpawnChild steals
// (childfirst.go), SpawnCall nothing. It stays as chosen until the last strand has ended, so that
// each may look.
//
// Unlike under those two, a worker that comes to a join that is not complete goes on with the
// newest entry in its deque, and not with a search. So the entry that a child was spawned ahead of
// need not be the newest when the child returns; and a worker that takes the others of a frame from
// its own deque, while a child of it waits, adds a strand as a thief does.
func (w *Worker) runChosen(e entry) {
	var f *Frame
	var last bool
take:
	f = e.f
	switch e.i {
	case entryStart:
		goto start
	case entryOthers:
		f.steals++
		goto children
	}
	last = false
	if c := w.child(f, e.i, false); c != nil {
		f = c
		goto start
	}
	goto ended
start:
	f.phase = 0
phase:
	if f.n < 1 {
		badFork(f.n)
	}
	if w.stopping() {
		return
	}
	w.choose(f)
	if f.rule == SpawnParent {
		if n := f.n - 1; n > 0 {
			hw.StoreRelease32(&f.join, n+1)
			w.spawns += uint64(n)
			if w.spawnChildren(f, n) && w.attend(int(n)) {
				return
			}
		}
		last = true
		if c := w.child(f, f.n-1, true); c != nil {
			f = c
			goto start
		}
		goto ended
	}
children:
	{
		i := f.next
		f.next = i + 1
		last = i+1 >= f.n
		if !last && f.rule == SpawnChild {
			w.spawns++
			if w.spawnOthers(f) && w.attend(1) {
				return
			}
		}
		if c := w.child(f, i, last); c != nil {
			f = c
			goto start
		}
	}
ended: // a child of f has finished: the last of its phase, or another
	switch {
	case f.rule == SpawnParent:
		if last && f.n == 1 || w.arrive(f, -1) {
			goto next
		}
		goto own
	case last:
		s := f.steals
		f.steals = 0
		if s == 0 || w.arrive(f, s) {
			goto next
		}
		goto own
	case f.rule == SpawnCall || w.takeBackFrame(f):
		goto children
	case w.arrive(f, -1):
		goto next
	}
own:
	{
		var ok bool
		if e, ok = w.pop(); ok {
			goto take
		}
		return
	}
next:
	if n := f.task.Next(w, int(f.phase)); n > 0 {
		f.n = int32(n)
		f.phase++
		goto phase
	}
	{
		parent := f.parent
		last = f.called
		w.retire(f)
		if parent == nil {
			w.pool.finish()
			return
		}
		f = parent
		goto ended
	}
}

// child runs child i of f, and returns it if it is a frame.
func (w *Worker) child(f *Frame, i int32, called bool) *Frame {
	w.tasks++
	c := f.task.Run(w, int(i))
	if c != nil {
		c.parent = f
		c.called = called
		c.below(f)
	}
	return c
}

// chooseRule makes the policy choose how f's present phase is run. Owner of f.
func (w *Worker) chooseRule(f *Frame) {
	s, head := &w.phase, w.head.Load()
	s.Children, s.Depth, s.Tasks = int(f.n), f.level(), int(w.tasks)
	s.Queued, s.Stolen = int(w.tail-head), int(head-w.won)
	f.rule = w.pool.chooser.Choose(s)
	if f.rule > SpawnParent {
		panic(&PolicyError{Found: fmt.Sprintf("spawn rule %d for a phase", f.rule),
			Want: "SpawnCall, SpawnChild or SpawnParent"})
	}
	f.next = 0
	if w.decides() {
		w.decided(loi.EventChoice, f.inTrace(), uint32(f.phase), uint32(f.rule), uint32(s.Queued),
			uint32(s.Stolen))
	}
}

// spawnOthers queues the children of f that are not begun. From here on f may belong to a thief,
// until takeBackFrame gives it back.
func (w *Worker) spawnOthers(f *Frame) (tell bool) {
	tell = w.push(f, entryOthers)
	if w.rules.Half && w.expose(w.head.Load()) {
		tell = true
	}
	return tell
}

// takeOthers takes the others of f back, if they are the newest entry of the own deque.
func (w *Worker) takeOthers(f *Frame) bool {
	e, ok := w.pop()
	if ok && (e.f != f || e.i != entryOthers) {
		w.push(e.f, e.i)
		return false
	}
	return ok
}
