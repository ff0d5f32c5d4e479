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

	stack   int // the most tasks that were on a worker's stack
	nesting int // the most that are in the serial run: frames above one another
}

func (x *waiting) begins(w *Worker, t *treeTask, i int) {
	if i < 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	top, f := w.top, &t.Frame
	x.nesting = max(x.nesting, depthOf(f)+1)
	stack := 0
	for g := top; g != nil; g = g.link {
		stack++
	}
	x.stack = max(x.stack, stack)
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

// watch runs trees under p on threads, or in virtual time. Threads may be slow to steal: they run
// further trees until x is as seen asks.
func watch(t *testing.T, p Policy, native bool, seen func(x *waiting) bool) *waiting {
	t.Helper()
	end := patience(t)
	x := &waiting{thieves: map[uint64]map[int32]bool{}}
	seeds := 2 * treeSeeds()
	if native {
		seeds /= 4
	}
	for seed := uint64(0); seed < seeds || native && !seen(x) && time.Now().Before(end); seed++ {
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

// While a task waits its worker begins nothing that the rule does not allow: only deeper tasks, or
// only what the thief of one of its children has queued, which is deeper too. So its stack is no
// longer than that of the serial run. Without a rule it begins all, and the stack is longer.
func TestWaitRules(t *testing.T) {
	t.Parallel()
	deeper := func(x *waiting) bool { return x.shallower == 0 && x.stack <= x.nesting }
	leaps := func(x *waiting) bool { return deeper(x) && x.strangers == 0 }
	above := func(x *waiting) bool { return x.above > 0 }
	strangers := func(x *waiting) bool { return x.above > 0 && x.strangers > 0 }
	for _, native := range []bool{false, true} {
		for name, c := range map[string]struct {
			p     Policy
			right func(x *waiting) bool
			seen  func(x *waiting) bool // what a run with steals enough has
		}{
			"any": {&HelpFirst{}, func(x *waiting) bool {
				return x.shallower > 0 && x.stack > x.nesting
			}, strangers},
			"deeper":   {DepthRestricted{}, deeper, strangers},
			"leapfrog": {Leapfrog{}, leaps, above},
			"thief":    {anyPolicy{Leapfrog{}.Rules()}, leaps, above},
		} {
			t.Run(fmt.Sprintf("%s/native=%v", name, native), func(t *testing.T) {
				if native && name == "any" {
					return // what threads do without a rule is not certain
				}
				x := watch(t, c.p, native, c.seen)
				if !c.seen(x) || !c.right(x) {
					t.Errorf("%d children began on top of a task that waits, %d no deeper than it "+
						"and %d from others than its thieves; %d tasks on a stack, %d in the "+
						"serial run", x.above, x.shallower, x.strangers, x.stack, x.nesting)
				}
			})
		}
	}
}
