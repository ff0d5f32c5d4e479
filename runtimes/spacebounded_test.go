package runtimes

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

// By the hints, no more than a cache holds is ever resident: the tasks that befit a cache, while
// they run, on the node that began them. All below them runs there. Counted by the program, apart
// from what the mechanism charges.
func TestSpaceBounded(t *testing.T) {
	const llc, blocks = 64, 1024
	for _, sigma := range []int{25, 50, 100} {
		for _, native := range []bool{false, true} {
			t.Run(fmt.Sprintf("sigma=%d/native=%v", sigma, native), func(t *testing.T) {
				for seed := range uint64(3) {
					var now, most [4]int
					away, begun := 0, 0
					fits := func(n int) bool { return n*100 <= llc*sigma }
					p := &halvesProg{blocks: blocks, sweeps: 2}
					p.begin = func(w *Worker, up *halvesTask, n int) {
						switch {
						case fits(up.hi-up.lo) && up.node != w.node:
							away++
						case fits(n) && !fits(up.hi-up.lo):
							begun++
							now[w.node] += n
							most[w.node] = max(most[w.node], now[w.node])
						}
					}
					p.end = func(x *halvesTask) {
						if n := x.hi - x.lo; fits(n) && !fits(2*n) {
							now[x.node] -= n
						}
					}
					policy := SpaceBounded{Sigma: sigma}
					var err error
					if native {
						c := unpinned(Scheduler{Policy: policy}, 4, 2, seed)
						c.LLCBytes, c.Kernels = llc*blockBytes, halvesKernels
						_, err = Run(context.Background(), c, p)
					} else {
						c := stepConfig(policy, 4, 6, seed)
						c.LLCBytes, c.Kernels, c.Costs = llc*blockBytes, halvesKernels, noisy(seed)
						_, err = Step(c, p)
					}
					if err != nil {
						t.Fatal(err)
					}
					if away != 0 || begun != 2*blocks*100/(llc*sigma) {
						t.Errorf("%d tasks were anchored; %d ran away from their node", begun, away)
					}
					for node, n := range most {
						if n > llc {
							t.Errorf("seed %d, node %d: %d blocks were resident at most, of %d",
								seed, node, n, llc)
						}
					}
					if !native && slices.Max(most[:]) < llc {
						t.Errorf("seed %d: no cache was ever full: %v", seed, most)
					}
				}
			})
		}
	}
}
