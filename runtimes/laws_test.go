package runtimes

import (
	"context"
	"fmt"
	"testing"

	"krdlab/hw/hwtest"
)

// All leaves of a subtree that fits the cache run on one node, also if it was stolen; at least 90 %
// of the subtrees run on the node that they are allotted to, in each sweep the same: the quarter of
// the serial order that they lie in.
func TestLAWS(t *testing.T) {
	const blocks, sweeps, llc, seeds = 4096, 3, 32, 5
	for _, native := range []bool{false, true} {
		t.Run(fmt.Sprintf("native=%v", native), func(t *testing.T) {
			if !native {
				hwtest.SkipRace(t)
			}
			home, all := 0, 0
			for seed := range uint64(seeds) {
				ran := make([]int, sweeps*blocks)
				p := &halvesProg{blocks: blocks, sweeps: sweeps}
				p.leaf = func(w *Worker, sweep, block int) { ran[sweep*blocks+block] = w.node }
				var err error
				if native {
					c := unpinned(Scheduler{Policy: LAWS{}}, 4, 2, seed)
					c.LLCBytes, c.Kernels = llc*blockBytes, halvesKernels
					_, err = Run(context.Background(), c, p)
				} else {
					c := stepConfig(LAWS{}, 4, 6, seed)
					c.LLCBytes, c.Kernels, c.Costs = llc*blockBytes, halvesKernels, noisy(seed)
					_, err = Step(c, p)
				}
				if err != nil {
					t.Fatal(err)
				}
				for i, node := range ran {
					if node != ran[i/llc*llc] {
						t.Fatalf("seed %d: block %d ran on node %d, the first of its subtree on %d",
							seed, i%blocks, node, ran[i/llc*llc])
					}
					if all++; node == i%blocks*4/blocks {
						home++
					}
				}
			}
			part := float64(home) / float64(all)
			t.Logf("%.1f %% of the blocks ran on the node of their subtree", 100*part)
			if !native && part < 0.9 {
				t.Errorf("only %.1f %% of the blocks ran on the node of their subtree", 100*part)
			}
		})
	}
}
