package runtimes

import (
	"context"
	"slices"
	"testing"

	"krdlab/hw/hwtest"
)

// One worker runs the same children in the same order on a thread and in virtual time, under every
// policy; so the reuse distances of one core are the same (package experiments compares the
// histograms of a kernel).
func TestOneCoreHasOneOrder(t *testing.T) {
	hwtest.SkipRace(t)
	for _, p := range Schedulers {
		if p.Rules().Spawn == SpawnGo {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			for seed := range treeSeeds() {
				prog, native := loggedTree(seed, 3, int(seed%3)*100, 1)
				if _, err := Run(context.Background(), unpinned(p, 1, 1, seed), prog); err != nil {
					t.Fatal(err)
				}
				checkTree(t, prog)
				prog, virtual := loggedTree(seed, 3, int(seed%3)*100, 1)
				if _, err := Step(stepConfig(p, 1, 1, seed), withKernel(prog)); err != nil {
					t.Fatal(err)
				}
				a, b := native[0], virtual[0]
				for i := range max(len(a), len(b)) {
					if i >= len(a) || i >= len(b) || a[i] != b[i] {
						t.Fatalf("seed %d, child %d of %d and %d: on a thread %+v, in virtual "+
							"time %+v", seed, i, len(a), len(b), a[i:min(i+1, len(a))],
							b[i:min(i+1, len(b))])
					}
				}
				parentFirst := p.Rules().Spawn == SpawnParent
				if seed == 1 && p.DepthFirst() {
					serial, log := loggedTree(seed, 3, 100, 1)
					if _, err := Step(stepConfig(Serial{}, 1, 1, seed),
						withKernel(serial)); err != nil {
						t.Fatal(err)
					}
					if slices.Equal(a, log[0]) == parentFirst {
						t.Errorf("the order is that of the serial run: %v; parent first: %v",
							!parentFirst, parentFirst)
					}
				}
			}
		})
	}
}
