package runtimes

import (
	"context"
	"fmt"
	"sync"
	"testing"
)

// spread deals the workers of a task out to its children in proportion to their work, as
// almost-deterministic work stealing does (Shiina and Taura, "Almost deterministic work stealing",
// 2019), and steals nothing. It notes its arguments and answers.
type spread struct {
	anyPolicy
	mu     *sync.Mutex
	placed map[Placing]Placement
}

func newSpread() spread {
	return spread{anyPolicy{Rules{Spawn: SpawnParent, Last: LastQueue, Locked: true, Place: true,
		Hints: true}}, new(sync.Mutex), map[Placing]Placement{}}
}

func (spread) Look(s *Search) Move {
	if s.Step++; s.Step%2 == 0 {
		return Rest
	}
	return Move{Kind: MoveOwn}
}

func (p spread) Place(c *Placing) Placement {
	at := p.anyPolicy.Place(c)
	at.Serial = false
	p.mu.Lock()
	p.placed[*c] = at
	p.mu.Unlock()
	return at
}

// Every child runs on the worker in whose queue it was put, which is the first of its range, and
// ranges are within those of the parents.
func TestPlacedRanges(t *testing.T) {
	for _, native := range []bool{false, true} {
		for seed := range treeSeeds() {
			p := newSpread()
			prog := newTree(seed, 5)
			prog.wide = 12
			var mu sync.Mutex
			ran := make([]int, 6)
			prog.order = func(w *Worker, x *treeTask, i int) {
				if i < 0 {
					return
				}
				from, to := rangeOf(x.Frame.next)
				all, before := uint64(0), uint64(0)
				for j := range x.children(x.phase) {
					all += x.Hint(w, j).Work
					if j < i {
						before += x.Hint(w, j).Work
					}
				}
				at := p.anyPolicy.Place(&Placing{Hint: x.Hint(w, i), Child: i, From: from, To: to,
					Before: before, All: all, Workers: 6, Parts: partsOf(6)})
				mu.Lock()
				defer mu.Unlock()
				if ran[w.id]++; at.Worker != w.id || at.From < from || at.To > to {
					t.Errorf("native %v, seed %d: a child for workers %d to %d of %d to %d ran on "+
						"%d", native, seed, at.From, at.To, from, to, w.id)
				}
			}
			var err error
			if native {
				_, err = Run(context.Background(), unpinned(Scheduler{Policy: p}, 2, 3, seed), prog)
			} else {
				_, err = Step(stepConfig(p, 2, 3, seed), withKernel(prog))
			}
			if err != nil {
				t.Fatal(err)
			}
			checkTree(t, prog)
			for i, n := range ran {
				if n == 0 {
					t.Errorf("native %v, seed %d: worker %d had nothing: %v", native, seed, i, ran)
				}
			}
			for c, at := range p.placed {
				if c.From < 0 || c.To > 6*c.Parts || c.Before+c.Work > c.All || c.Children < 1 ||
					c.Depth < 1 || at.To > c.To {
					t.Errorf("a policy was told %s", fmt.Sprintf("%+v", c))
				}
			}
			if len(p.placed) < 12 {
				t.Errorf("%d children were placed", len(p.placed))
			}
		}
	}
}
