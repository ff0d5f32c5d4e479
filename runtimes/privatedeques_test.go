package runtimes

import (
	"testing"

	"krdlab/hw/hwtest"
)

// No step of a worker changes the deque of another, and yet others get work, by answers alone.
// Under a policy that steals, the same look at the deques finds that steps do.
func TestDequesArePrivate(t *testing.T) {
	hwtest.SkipRace(t)
	for _, c := range []struct {
		policy  Policy
		private bool
	}{{PrivateDeques{}, true}, {WorkFirst{}, false}} {
		foreign, steals := 0, uint64(0)
		for seed := range treeSeeds() {
			s, prog := stepByStep(t, c.policy, seed)
			type ends struct{ head, bottom, tail int64 }
			look := func() (all []ends) {
				for _, v := range s.all {
					all = append(all, ends{v.head.Load(), v.bottom.Load(), v.tail})
				}
				return all
			}
			for before := look(); !s.finished; {
				v := stepNext(s)
				after := look()
				for i := range after {
					if i != v.id && after[i] != before[i] {
						foreign++
					}
				}
				before = after
			}
			checkTree(t, prog)
			for _, v := range s.all {
				steals += v.steals.Local + v.steals.Remote
			}
		}
		if (foreign == 0) != c.private || steals == 0 {
			t.Errorf("%T: %d steps changed the deque of another worker; work changed hands %d times",
				c.policy, foreign, steals)
		}
	}
}

// stepByStep is a run of a tree on 2x3 workers that has begun, for stepNext to go on with.
func stepByStep(t *testing.T, p Policy, seed uint64) (*stepper, *treeProg) {
	t.Helper()
	c := stepConfig(p, 2, 3, seed)
	c.plain = true
	prog := withKernel(newTree(seed, 5))
	s, err := newStepper(c, prog)
	if err != nil {
		t.Fatal(err)
	}
	s.start(s.all[0], s.root)
	return s, prog
}

// stepNext takes the next step of s, and returns whose it was.
func stepNext(s *stepper) *stepWorker {
	v := s.all[0]
	for _, u := range s.all[1:] {
		if u.now < v.now {
			v = u
		}
	}
	s.running, s.current = v, s.events.at(v.now, v.id)
	s.steps, s.pause, s.limit = 0, 1, 1
	_ = s.drive(v) // whose error is that the run has not ended, if it has not
	return v
}
