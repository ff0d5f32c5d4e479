package runtimes

import (
	"testing"

	"krdlab/hw/hwtest"
)

// NUMA-WS steals near more often than workfirst does, and the less often the higher remote is.
func TestBiasedSteals(t *testing.T) {
	hwtest.SkipRace(t)
	share := func(p Policy) float64 {
		near, all := uint64(0), uint64(0)
		for seed := range treeSeeds() {
			prog := withKernel(bigTree(8, 500))
			r, err := Step(stepConfig(p, 4, 6, seed), prog)
			if err != nil {
				t.Fatal(err)
			}
			checkTree(t, prog)
			for _, w := range r.Workers {
				near += w.Steals.Local
				all += w.Steals.Local + w.Steals.Remote
			}
		}
		return float64(near) / float64(all)
	}
	random, biased, far := share(WorkFirst{}), share(NumaWS{Remote: 30}), share(NumaWS{Remote: 95})
	t.Logf("near steals: %.2f of workfirst's, %.2f with remote=30, %.2f with remote=95", random,
		biased, far)
	if biased < random+0.2 || far > biased-0.2 {
		t.Errorf("near steals: %.2f of workfirst's, %.2f with remote=30, %.2f with remote=95", random,
			biased, far)
	}
}

// Every frame that is mailed lies with a worker of the node that its next child is near to, until
// that worker or another of the node takes it; one of another node has been refused before.
func TestPushedWhereItBelongs(t *testing.T) {
	hwtest.SkipRace(t)
	mailed, own, near, far := 0, 0, 0, 0
	for seed := range 4 * treeSeeds() {
		s, prog := stepByStep(t, NumaWS{Remote: 30}, seed)
		before := make([]*Frame, len(s.all))
		refused := make([]int32, len(s.all))
		for !s.finished {
			v := stepNext(s)
			for i, to := range s.all {
				f := to.letters.f.Load()
				switch {
				case f == before[i]:
				case f != nil:
					mailed++
					hint := f.task.(Hinted).Hint(&v.Worker, int(f.next))
					if node := s.all[hint.Near-1].node; node != to.node || node == v.node {
						t.Fatalf("seed %d: worker %d of node %d mailed to node %d what is near to %d",
							seed, v.id, v.node, to.node, node)
					}
				case v.id == i:
					own++
				case v.node == to.node:
					near++
				default:
					far++
					if int(refused[i]) < v.rules.Push {
						t.Errorf("seed %d: another node took a frame after %d refusals", seed,
							refused[i])
					}
				}
				before[i], refused[i] = f, to.letters.refused.Load()
			}
		}
		checkTree(t, prog)
	}
	t.Logf("%d mailed: %d taken by the addressee, %d by its node, %d by others", mailed, own, near,
		far)
	if mailed == 0 || own == 0 || near == 0 || own+near+far != mailed {
		t.Errorf("%d mailed: %d taken by the addressee, %d by its node, %d by others", mailed, own,
			near, far)
	}
}
