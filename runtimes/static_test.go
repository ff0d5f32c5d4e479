package runtimes

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Which worker runs what depends on nothing but the numbers of children: neither on seeds, prices
// and times of kernels nor on threads. Nobody steals, and a worker alone runs what the serial run
// does, in that order.
func TestStatic(t *testing.T) {
	for seed := range uint64(4) {
		var want map[begun]int
		for run := range uint64(4) {
			var mu sync.Mutex
			where := map[begun]int{}
			prog := newTree(seed, 4)
			prog.wide = []int{0, 2, 3, 50}[seed%4]
			prog.order = func(w *Worker, t *treeTask, i int) {
				mu.Lock()
				where[begun{nameTree(&t.Frame), i}] = w.id
				mu.Unlock()
			}
			var r *Result
			var err error
			if native := run == 3; native {
				prog.kernel = func(_ *Worker, place uint64) {
					if place%64 == 0 {
						doze(20 * time.Microsecond)
					}
				}
				r, err = Run(context.Background(), unpinned(Scheduler{Policy: Static{}}, 2, 3, run),
					prog)
			} else {
				c := pricedConfig(Static{}, [2]int{2, 3}, run, false)
				r, err = Step(c, withKernel(prog))
			}
			if err != nil {
				t.Fatal(err)
			}
			checkTree(t, prog)
			if want == nil {
				want = where
			}
			if !maps.Equal(where, want) {
				t.Errorf("program %d, run %d: its children are elsewhere than in run 0", seed, run)
			}
			for i, w := range r.Workers {
				if w.Steals != (Steals{}) {
					t.Errorf("program %d, run %d: worker %d: %+v", seed, run, i, w.Steals)
				}
			}
		}
		var logs [2][][]begun
		for i, p := range []Policy{Serial{}, Static{}} {
			prog, log := loggedTree(seed, 4, 0, 1)
			if _, err := Step(stepConfig(p, 1, 1, seed), prog); err != nil {
				t.Fatal(err)
			}
			logs[i] = log
		}
		if len(logs[0][0]) == 0 || !slices.Equal(logs[0][0], logs[1][0]) {
			t.Errorf("program %d: one worker alone does not run what the serial run does", seed)
		}
	}
}

// Every worker has its part, which of a loop is no more than one child larger than another, and of a
// tree no more than so many times as a phase has children.
func TestStaticParts(t *testing.T) {
	const depth = 5
	regular := func(children ...int) *shapeProg {
		return &shapeProg{phases: func(int) []int { return children },
			leafAt: func(d, _, _ int) bool { return d == depth }}
	}
	for _, workers := range []int{2, 3, 6, 24} {
		for name, c := range map[string]struct {
			prog *shapeProg
			most float64 // the largest part, as a multiple of the smallest
		}{
			"a binary tree": {regular(2), 2},
			"a loop":        {flat(1000), 42. / 41},
			"loops":         {chainOf(10, 240), 1},
			"phases of 3":   {regular(3), 3},
			"3 and 2":       {regular(3, 2), 3},
		} {
			for _, native := range []bool{false, true} {
				parts := make([]atomic.Int64, workers)
				c.prog.leaves.Store(0)
				c.prog.leaf = func(w *Worker) {
					parts[w.id].Add(1)
					w.End(0, w.Begin(0))
				}
				var err error
				if native {
					_, err = Run(context.Background(), unpinned(Scheduler{Policy: Static{}}, 1,
						workers, 1), c.prog)
				} else {
					_, err = Step(stepConfig(Static{}, 1, workers, 1), c.prog)
				}
				if err != nil {
					t.Fatal(err)
				}
				least, most := c.prog.leaves.Load(), int64(0)
				for i := range parts {
					least, most = min(least, parts[i].Load()), max(most, parts[i].Load())
				}
				what := fmt.Sprintf("%s, %d workers, native %v: parts of %d to %d leaves", name,
					workers, native, least, most)
				if least == 0 || float64(most) > c.most*float64(least) {
					t.Error(what)
				}
				t.Log(what)
			}
		}
	}
}

// chainOf is a task of n loops of width leaves.
func chainOf(n, width int) *shapeProg {
	p := chain(n)
	loops := slices.Repeat([]int{width}, n)
	p.phases = func(int) []int { return loops }
	return p
}
