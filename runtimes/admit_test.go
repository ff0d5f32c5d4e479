package runtimes

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
)

// bounded is a space-bounded policy that counts its answers.
type bounded struct {
	anyPolicy
	n *boundedCounts
}

type boundedCounts struct{ charged, below, refused, over atomic.Int64 }

func (p bounded) Admit(a *Admission) (charge uint64, ok bool) {
	charge, ok = p.anyPolicy.Admit(a)
	switch {
	case !ok:
		p.n.refused.Add(1)
	case charge > 0:
		p.n.charged.Add(1)
	case a.Anchor >= 0:
		p.n.below.Add(1)
	}
	if a.Used > budget || ok && a.Used+charge > budget {
		p.n.over.Add(1)
	}
	return charge, ok
}

// No node is ever charged more than its budget, all below a task that was charged runs on its node,
// charges of ended tasks are given back, so that all the others follow.
func TestBudgets(t *testing.T) {
	for _, share := range []Sharing{ShareWorker, ShareNode, ShareAll} {
		for _, native := range []bool{false, true} {
			t.Run(fmt.Sprintf("sharing=%d/native=%v", share, native), func(t *testing.T) {
				p := bounded{anyPolicy{Rules{Spawn: SpawnParent, Last: LastQueue, Queue: share,
					Locked: true, Admit: true, Hints: true}}, &boundedCounts{}}
				var away atomic.Int64
				for seed := range treeSeeds() {
					prog := newTree(seed, 6)
					prog.order = func(w *Worker, x *treeTask, i int) {
						for f := &x.Frame; i >= 0 && f != nil; f = f.parent {
							if f.charged {
								if int(f.anchor)-1 != w.node || int(x.Frame.anchor)-1 != w.node {
									away.Add(1)
								}
								break
							}
						}
					}
					var err error
					if native {
						_, err = Run(context.Background(), unpinned(Scheduler{Policy: p}, 2, 3,
							seed), prog)
					} else {
						_, err = Step(stepConfig(p, 2, 3, seed), withKernel(prog))
					}
					if err != nil {
						t.Fatal(err)
					}
					checkTree(t, prog)
				}
				n := p.n
				if n.over.Load() != 0 || away.Load() != 0 {
					t.Errorf("over the budget %d times, away from the node %d times", n.over.Load(),
						away.Load())
				}
				if n.charged.Load() < 5*int64(treeSeeds()) || n.below.Load() < 100 ||
					!native && n.refused.Load() == 0 {
					t.Errorf("%d tasks were charged, %d begun below them, %d refused",
						n.charged.Load(), n.below.Load(), n.refused.Load())
				}
			})
		}
	}
}
