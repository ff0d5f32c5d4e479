package runtimes

import (
	"context"
	"slices"
	"testing"
	"time"
)

// Only the leader of a node steals from other nodes, on threads and in virtual time, and every node
// gets work that way.
func TestOnlyLeadersStealRemotely(t *testing.T) {
	const nodes, each = 3, 4
	for _, native := range []bool{false, true} {
		led, near := make([]uint64, nodes), uint64(0)
		missing := func() bool { return near == 0 || slices.Contains(led[1:], 0) }
		end := patience(t) // threads may be slow to steal
		for seed := uint64(0); seed < treeSeeds() ||
			native && missing() && time.Now().Before(end); seed++ {
			var r *Result
			var err error
			prog := bigTree(8, 500)
			if native {
				prog.kernel = func(_ *Worker, place uint64) {
					if place%64 == 0 {
						doze(50 * time.Microsecond)
					}
				}
				c := unpinned(Scheduler{Policy: Hierarchical{}}, nodes, each, seed)
				r, err = Run(context.Background(), c, prog)
			} else {
				r, err = Step(stepConfig(Hierarchical{}, nodes, each, seed), withKernel(prog))
			}
			if err != nil {
				t.Fatal(err)
			}
			checkTree(t, prog)
			for i, w := range r.Workers {
				near += w.Steals.Local
				if i%each == 0 {
					led[w.Node] += w.Steals.Remote
				} else if w.Steals.Remote+w.Steals.RemoteFailed > 0 {
					t.Errorf("native %v, seed %d: worker %d, no leader, tried other nodes: %+v",
						native, seed, i, w.Steals)
				}
			}
		}
		if missing() {
			t.Errorf("native %v: the leaders stole %v entries of other nodes; within nodes %d "+
				"were stolen", native, led, near)
		}
	}
}
