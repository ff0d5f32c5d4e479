package runtimes

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"
)

// A waiting is a run whose waiting workers are watched: each child that begins on top of a task
// that waits.
type waiting struct {
	mu      sync.Mutex
	thieves map[uint64]map[int32]bool // by task and phase: who ran children that it did not start

	above     int // children that began on top of another task's join
	shallower int // of these, no deeper than the task that waits
	strangers int // of these, from a worker that had not stolen from that task, or from itself
}

func (x *waiting) begins(w *Worker, t *treeTask, i int) {
	if i < 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	top, f := w.top, &t.Frame
	if f.owner != int32(w.id) {
		name := nameTree(f)
		if x.thieves[name] == nil {
			x.thieves[name] = map[int32]bool{}
		}
		x.thieves[name][int32(w.id)] = true
	}
	if top == nil || top == f {
		return
	}
	x.above++
	if depthOf(f)+1 <= depthOf(top) {
		x.shallower++
	}
	if !x.thieves[nameTree(top)][f.owner] {
		x.strangers++
	}
}

func depthOf(f *Frame) (n int) {
	for ; f.parent != nil; f = f.parent {
		n++
	}
	return n
}

// watch runs trees under p on threads, or in virtual time.
func watch(t *testing.T, p Policy, native bool) *waiting {
	t.Helper()
	x := &waiting{thieves: map[uint64]map[int32]bool{}}
	for seed := range 2 * treeSeeds() {
		clear(x.thieves)
		prog := newTree(seed, 6)
		prog.order = x.begins
		if native {
			prog.kernel = func(_ *Worker, place uint64) {
				if place%8 == 0 {
					doze(20 * time.Microsecond)
				}
			}
			c := unpinned(Scheduler{Policy: p}, 2, 3, seed)
			if _, err := Run(context.Background(), c, prog); err != nil {
				t.Fatal(err)
			}
		} else if _, err := Step(stepConfig(p, 2, 3, seed), withKernel(prog)); err != nil {
			t.Fatal(err)
		}
		checkTree(t, prog)
	}
	return x
}

// leapfrog steals from the thief of the task that waits, and at random where nothing waits
// (Wagner and Calder, "Leapfrogging: a portable technique for implementing efficient futures",
// 1993).
type leapfrog struct{ anyPolicy }

func (p leapfrog) Look(s *Search) Move {
	s.Step++
	switch {
	case s.Step%3 == 0:
		return Move{Kind: MoveOwn}
	case s.Step%3 == 1 && s.Waits && s.Thief >= 0:
		return Move{Kind: MoveSteal, Victim: s.Thief}
	case s.Step%3 == 1 && !s.Waits && len(s.Victims) > 0:
		return Move{Kind: MoveSteal, Victim: s.Victims[s.Rand.N(len(s.Victims))]}
	}
	return Rest
}

// While a task waits its worker begins nothing that the rule does not allow: only deeper tasks, or
// only what the thief of one of its children has queued. Without a rule it begins both.
func TestWaitRules(t *testing.T) {
	t.Parallel()
	starter := func(wait WaitRule) Rules {
		return Rules{Spawn: SpawnParent, Join: JoinStarter, Wait: wait}
	}
	for _, native := range []bool{false, true} {
		for name, c := range map[string]struct {
			p     Policy
			right func(x *waiting) bool
		}{
			"any": {anyPolicy{starter(WaitAny)},
				func(x *waiting) bool { return x.shallower > 0 && x.strangers > 0 }},
			"deeper": {anyPolicy{starter(WaitDeeper)},
				func(x *waiting) bool { return x.shallower == 0 && x.strangers > 0 }},
			"thief": {anyPolicy{starter(WaitThief)},
				func(x *waiting) bool { return x.strangers == 0 }},
			"leapfrog": {leapfrog{anyPolicy{starter(WaitThief)}},
				func(x *waiting) bool { return x.strangers == 0 }},
		} {
			t.Run(fmt.Sprintf("%s/native=%v", name, native), func(t *testing.T) {
				x := watch(t, c.p, native)
				if native && name == "any" {
					return // what threads do without a rule is not certain
				}
				if x.above == 0 || !c.right(x) {
					t.Errorf("%d children began on top of a task that waits, %d no deeper than it "+
						"and %d from others than its thieves", x.above, x.shallower, x.strangers)
				}
			})
		}
	}
}
