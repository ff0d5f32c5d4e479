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
// and times of kernels nor on threads. No worker steals, and a worker alone runs what the serial
// run does, in that order.
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

// Every worker has its part, which of leaves of the same work is no more than one leaf larger than
// another, as of OpenMP's blocks: of loops, of binary trees whose halves are as equal as they can
// be, and of trees with phases of three. Of 640 leaves, 24 workers have 26 or 27, and 3 have 214,
// 213 and 213.
func TestStaticParts(t *testing.T) {
	counts := func(workers int, prog func(leaf func(w *Worker)) Program, native bool) []int64 {
		parts := make([]atomic.Int64, workers)
		p := prog(func(w *Worker) { parts[w.id].Add(1) })
		var err error
		if native {
			_, err = Run(context.Background(), unpinned(Scheduler{Policy: Static{}}, 1, workers, 1), p)
		} else {
			_, err = Step(stepConfig(Static{}, 1, workers, 1), p)
		}
		if err != nil {
			t.Fatal(err)
		}
		var list []int64
		for i := range parts {
			list = append(list, parts[i].Load())
		}
		return list
	}
	halves := func(blocks int) func(func(*Worker)) Program {
		return func(leaf func(w *Worker)) Program {
			return &halvesProg{blocks: blocks, sweeps: 3, leaf: func(w *Worker, _, _ int) { leaf(w) }}
		}
	}
	regular := func(p *shapeProg) func(func(*Worker)) Program {
		return func(leaf func(w *Worker)) Program {
			p.leaf = func(w *Worker) {
				leaf(w)
				w.End(0, w.Begin(0))
			}
			return p
		}
	}
	threes := &shapeProg{phases: func(int) []int { return []int{3} },
		leafAt: func(d, _, _ int) bool { return d == 5 }}
	for workers := 1; workers <= 24; workers++ {
		for name, c := range map[string]struct {
			prog   func(func(*Worker)) Program
			sweeps int64
		}{
			"a loop of 640": {regular(flat(640)), 1}, "a loop of 1000": {regular(flat(1000)), 1},
			"loops of 240": {regular(chainOf(10, 240)), 10}, "threes": {regular(threes), 1},
			"256 in halves": {halves(256), 3}, "640 in halves": {halves(640), 3},
			"1000 in halves": {halves(1000), 3}, "4096 in halves": {halves(4096), 3},
		} {
			for _, native := range []bool{false, true} {
				if native && workers%5 != 1 {
					continue
				}
				list := counts(workers, c.prog, native)
				if least, most := slices.Min(list), slices.Max(list); least == 0 || most-least > c.sweeps {
					t.Errorf("%s, %d workers, native %v: %v leaves", name, workers, native, list)
				}
			}
		}
	}
	if got := fmt.Sprint(counts(3, halves(640), false)); got != "[642 639 639]" {
		t.Errorf("640 leaves, three times, on 3 workers: %s", got)
	}
}

// chainOf is a task of n loops of width leaves.
func chainOf(n, width int) *shapeProg {
	p := chain(n)
	loops := slices.Repeat([]int{width}, n)
	p.phases = func(int) []int { return loops }
	return p
}
