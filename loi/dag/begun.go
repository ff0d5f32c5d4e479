package dag

import (
	"cmp"
	"slices"

	"krdlab/loi"
)

// A Wait is that a goroutine had not ended when the program did, and what it was waiting for.
type Wait struct {
	Worker int32
	Since  int64       // ticks of the common clock
	Cases  []loi.Begun // more than one of a select, none if it was running
	Wakers []Waker     // goroutines that had not ended
}

// A Waker is a goroutine that others wait for.
type Waker struct {
	Worker int32
	Role   Role
}

// A Role is the reason why a goroutine is a waker.
type Role uint8

// The roles. The holder of a lock is waited for, whatever else happens; the others may be.
const (
	Holds   Role = iota + 1 // the lock
	Asked                   // to lock it before, so that no other reads it
	Before                  // did before what is waited for
	Started                 // was started by who waits for a group
)

// whatWakes is which operations let one go on, once they are done.
var whatWakes = map[loi.SyncOp][]loi.SyncOp{
	loi.SyncSend:     {loi.SyncReceive},
	loi.SyncReceive:  {loi.SyncSend, loi.SyncClose},
	loi.SyncWait:     {loi.SyncDone},
	loi.SyncCondWait: {loi.SyncSignal},
}

// subject identifies the object of an operation.
type subject struct {
	place  uint64
	object loi.ObjectID
}

// use sums up the operations on a subject.
type use struct {
	holders, readers []int32 // of a lock, once for each time
	did              map[loi.SyncOp][]int32
	asked            []int // waits to lock it
}

// begun adds what a worker was waiting for.
func (b *GoroutineBuilder) begun(worker int, at int64, x *loi.Begun) {
	s, g := &b.strands[worker], b.g
	if s.wait == 0 {
		g.Waits = append(g.Waits, Wait{Worker: int32(worker), Since: at})
		s.wait = len(g.Waits)
	}
	if w := &g.Waits[s.wait-1]; x.Op != 0 {
		w.Cases = append(w.Cases, *x)
	}
}

// wakers sorts the waits by number of the goroutine, and finds who could have let them go on. Memory: 4 bytes for each
// operation to what they were waiting for.
func (g *Goroutines) wakers() {
	slices.SortStableFunc(g.Waits, func(a, b Wait) int {
		return cmp.Compare(g.Goroutines[a.Worker].Number, g.Goroutines[b.Worker].Number)
	})
	uses := make(map[subject]*use)
	for i := range g.Waits {
		for _, c := range g.Waits[i].Cases {
			s := subject{c.Place, c.Object}
			if uses[s] == nil {
				uses[s] = &use{did: map[loi.SyncOp][]int32{}}
			}
			if c.Op == loi.SyncLock {
				uses[s].asked = append(uses[s].asked, i)
			}
		}
	}
	var list []int32
	for i := range g.Ops {
		if o := &g.Ops[i]; o.Kind == loi.EventSync && uses[subject{o.Place, o.Object}] != nil {
			list = append(list, int32(i))
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(g.Ops[a].At, g.Ops[b].At) })
	for _, i := range list {
		uses[subject{g.Ops[i].Place, g.Ops[i].Object}].add(g, &g.Ops[i])
	}
	children := make(map[int32][]int32)
	for w := range g.Goroutines {
		if x := &g.Goroutines[w]; !x.Ended && x.Started >= 0 {
			by := g.Ops[x.Started].Worker
			children[by] = append(children[by], int32(w))
		}
	}
	for _, list := range children {
		slices.SortFunc(list, func(a, b int32) int {
			return cmp.Compare(g.Goroutines[a].Number, g.Goroutines[b].Number)
		})
	}
	for i := range g.Waits {
		w := &g.Waits[i]
		for _, c := range w.Cases {
			if c.Place == 0 && c.Object == loi.NoObject {
				continue
			}
			u := uses[subject{c.Place, c.Object}]
			switch c.Op {
			case loi.SyncLock, loi.SyncReadLock:
				for _, h := range u.holders {
					g.wakes(w, h, Holds)
				}
				for _, h := range u.readers {
					if c.Op == loi.SyncLock {
						g.wakes(w, h, Holds)
					}
				}
				for _, a := range u.asked { // before, or the reader would not wait
					if c.Op == loi.SyncReadLock && len(u.holders) == 0 {
						g.wakes(w, g.Waits[a].Worker, Asked)
					}
				}
				continue
			case loi.SyncWait:
				for _, child := range children[w.Worker] {
					g.wakes(w, child, Started)
				}
			}
			for _, op := range whatWakes[c.Op] {
				for _, worker := range u.did[op] {
					if worker != w.Worker {
						g.wakes(w, worker, Before)
					}
				}
			}
		}
	}
}

// add takes the next operation to a subject, in the order of At.
func (u *use) add(g *Goroutines, o *Op) {
	switch o.Sync {
	case loi.SyncLock:
		u.holders = append(u.holders, o.Worker)
	case loi.SyncReadLock:
		u.readers = append(u.readers, o.Worker)
	case loi.SyncUnlock:
		without(&u.holders, o.Worker)
	case loi.SyncReadUnlock:
		without(&u.readers, o.Worker)
	default:
		all := u.did[o.Sync]
		if !g.Goroutines[o.Worker].Ended && len(all) <= mostWakers && !slices.Contains(all, o.Worker) {
			u.did[o.Sync] = append(all, o.Worker)
		}
	}
}

// without takes a holder out of a list: the worker, or the first, for which it was unlocked.
func without(list *[]int32, worker int32) {
	if len(*list) > 0 {
		i := max(slices.Index(*list, worker), 0)
		*list = slices.Delete(*list, i, i+1)
	}
}

// mostWakers is how many a wait has at most.
const mostWakers = 64

// wakes adds a waker to a wait.
func (g *Goroutines) wakes(w *Wait, worker int32, role Role) {
	if g.Goroutines[worker].Ended || len(w.Wakers) == mostWakers ||
		slices.ContainsFunc(w.Wakers, func(x Waker) bool { return x.Worker == worker }) {
		return
	}
	w.Wakers = append(w.Wakers, Waker{worker, role})
}
