package runtimes

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"krdlab/hw/hwtest"
)

// choosing is a policy that runs each phase by the rule that a function returns.
type choosing struct {
	anyPolicy
	choose func(*Spawn) SpawnRule
}

func (p choosing) Choose(s *Spawn) SpawnRule { return p.choose(s) }

func newChoosing(half bool, choose func(*Spawn) SpawnRule) choosing {
	return choosing{anyPolicy{Rules{Spawn: SpawnChosen, Half: half}}, choose}
}

// A policy that always chooses the same runs what one with that rule runs, in its order.
func TestChosenIsAsTheRule(t *testing.T) {
	order := func(p Policy, native bool, seed uint64) []begun {
		prog, log := loggedTree(seed, 4, int(seed%3)*20, 1)
		var err error
		if native {
			_, err = Run(context.Background(), unpinned(Scheduler{Policy: p}, 1, 1, seed), prog)
		} else {
			_, err = Step(stepConfig(p, 1, 1, seed), withKernel(prog))
		}
		if err != nil {
			t.Fatal(err)
		}
		checkTree(t, prog)
		return log[0]
	}
	for rule, fixed := range map[SpawnRule]Policy{
		SpawnCall:   Serial{},
		SpawnChild:  WorkFirst{},
		SpawnParent: anyPolicy{Rules{Spawn: SpawnParent}},
	} {
		for _, native := range []bool{false, true} {
			p := newChoosing(false, func(*Spawn) SpawnRule { return rule })
			for seed := range treeSeeds() {
				if want := order(fixed, native, seed); len(want) == 0 ||
					!slices.Equal(order(p, native, seed), want) {
					t.Errorf("rule %d, native %v, seed %d: the order differs from that of a "+
						"policy with the rule", rule, native, seed)
				}
			}
		}
	}
}

// Whatever is chosen, phase by phase and by whichever worker, every leaf runs once and no phase
// ends early, also where deques hold parents and children that thieves took half of.
func TestChosenStress(t *testing.T) {
	t.Parallel()
	for name, choose := range map[string]func(*Spawn) SpawnRule{
		"child": func(*Spawn) SpawnRule { return SpawnChild },
		"mixed": func(s *Spawn) SpawnRule {
			return SpawnRule(s.Depth*7+s.Queued+s.Children+s.Worker) % 3
		},
		"by depth": func(s *Spawn) SpawnRule { return SpawnChild + SpawnRule(s.Depth%2) },
	} {
		for _, half := range []bool{false, true} {
			for _, shape := range [][2]int{{1, 2}, {1, 6}, {4, 6}} {
				t.Run(fmt.Sprintf("%s/half=%v/%dx%d", name, half, shape[0], shape[1]),
					func(t *testing.T) {
						p := newChoosing(half, choose)
						for seed := range treeSeeds() / 2 {
							prog := bigTree(8, 500)
							prog.kernel = func(_ *Worker, place uint64) {
								if place%256 == 0 {
									doze(100 * time.Microsecond)
								}
							}
							c := unpinned(Scheduler{Policy: p}, shape[0], shape[1], seed)
							if _, err := Run(context.Background(), c, prog); err != nil {
								t.Fatal(err)
							}
							checkTree(t, prog)
							if hwtest.Race {
								continue // nothing is concurrent in virtual time
							}
							prog = withKernel(bigTree(8, 500))
							r, err := Step(stepConfig(p, shape[0], shape[1], seed), prog)
							if err != nil {
								t.Fatal(err)
							}
							checkTree(t, prog)
							if r.Workers[0].Steals == (Steals{}) {
								t.Error("nothing was tried")
							}
						}
					})
			}
		}
	}
}

// A policy that spawns only while its deque is short (lazy task creation; Mohr, Kranz and Halstead,
// 1991) spawns less than one that always spawns, and never lets the deque grow.
func TestAdaptiveSpawn(t *testing.T) {
	const short = 2
	for _, native := range []bool{false, true} {
		var longest atomic.Int64
		lazy := newChoosing(false, func(s *Spawn) SpawnRule {
			for n := int64(s.Queued); ; {
				old := longest.Load()
				if n <= old || longest.CompareAndSwap(old, n) {
					break
				}
			}
			if s.Queued < short {
				return SpawnParent
			}
			return SpawnCall
		})
		run := func(p Policy) *Result {
			prog := bigTree(8, 2000)
			var r *Result
			var err error
			if native {
				r, err = Run(context.Background(), unpinned(Scheduler{Policy: p}, 1, 2, 1), prog)
			} else {
				r, err = Step(stepConfig(p, 1, 2, 1), withKernel(prog))
			}
			if err != nil {
				t.Fatal(err)
			}
			checkTree(t, prog)
			return r
		}
		some := run(lazy)
		all := run(newChoosing(false, func(*Spawn) SpawnRule { return SpawnParent }))
		if some.Spawns == 0 || 2*some.Spawns > all.Spawns || some.Tasks != all.Tasks {
			t.Errorf("native %v: %d of %d tasks were spawned, and %d of %d by a policy that "+
				"always spawns", native, some.Spawns, some.Tasks, all.Spawns, all.Tasks)
		}
		// a phase of the tree has at most 6 children, and one is called
		if n := longest.Load(); n == 0 || n > short-1+5 {
			t.Errorf("native %v: the deque held %d entries", native, n)
		}
	}
}
