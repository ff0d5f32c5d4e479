package runtimes

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"krdlab/hw/hwtest"
	"krdlab/hw/hwtest/long"
)

// testPool is a pool whose nodes are equally far.
func testPool(t *testing.T, p Policy, nodes []int, kernels int) *pool {
	t.Helper()
	pool, err := newPool(p, places{nodes: nodes}, 1, kernels)
	if err != nil {
		t.Fatal(err)
	}
	return pool
}

// anyPolicy has any rules, and a search that makes each move that they allow.
type anyPolicy struct{ rules Rules }

func (p anyPolicy) Rules() Rules { return p.rules }

func (p anyPolicy) Look(s *Search) Move {
	s.Step++
	switch s.Step % 4 {
	case 0:
		if p.rules.Cache { // a rule of locked queues
			return Move{Kind: MoveSee}
		}
	case 1:
		return Move{Kind: MoveOwn}
	case 2:
		if s.Waits && s.Thief >= 0 && s.Rand.N(2) == 0 {
			return Move{Kind: MoveSteal, Victim: s.Thief, Half: p.rules.Half}
		}
		if p.rules.Requests && len(s.Victims) > 0 {
			return Move{Kind: MoveAsk, Victim: s.Victims[s.Rand.N(len(s.Victims))]}
		}
		if len(s.Victims) > 0 {
			return Move{Kind: MoveSteal, Victim: s.Victims[s.Rand.N(len(s.Victims))],
				Half: p.rules.Half}
		}
	case 3:
		if p.rules.Requests {
			return Move{Kind: MoveHear}
		}
		if p.rules.Mail || p.rules.Push > 0 {
			return Move{Kind: MoveMail}
		}
	}
	return Rest
}

// Choose goes by its argument, so that all kinds of phases are mixed.
func (p anyPolicy) Choose(s *Spawn) SpawnRule {
	return SpawnRule(s.Depth+s.Queued+s.Children+s.Worker) % 3
}

// Place splits the range of the parent by work, or deals children out.
func (p anyPolicy) Place(c *Placing) Placement {
	n := c.To - c.From
	if c.All == 0 {
		return Placement{Worker: c.Child % c.Workers, From: 0, To: c.Workers * c.Parts}
	}
	if p.rules.Admit && c.Depth > 3 { // a task above it may be charged to this node
		return Placement{Worker: c.Worker, From: c.From, To: max(c.To, c.From+1)}
	}
	from := min(c.From+int(uint64(n)*c.Before/c.All), c.To-1)
	to := max(c.From+int(uint64(n)*(c.Before+c.Work)/c.All), from+1)
	return Placement{Worker: from / c.Parts, From: from, To: to,
		Serial: c.Depth == 3 && c.Child%2 == 0, Keep: c.Child%3 == 1 && !p.rules.Half}
}

// budget is the bytes that anyPolicy admits at a time: less than two children of a tree touch.
const budget = 2500

// Admit keeps tasks within a budget for each node, and all below one on its node.
func (p anyPolicy) Admit(a *Admission) (charge uint64, ok bool) {
	switch {
	case a.Anchor >= 0:
		return 0, a.Anchor == a.Node
	case a.Depth < 3: // too large for any node
		return 0, true
	}
	return a.Bytes, a.Used+a.Bytes <= budget
}

// allRules calls f with every combination that is there, valid or not.
func allRules(f func(Rules)) {
	for bits := range 1 << 12 {
		on := func(bit int) bool { return bits>>bit&1 != 0 }
		for spawn := SpawnCall; spawn <= SpawnChosen; spawn++ {
			for join := JoinLast; join <= JoinRequeue; join++ {
				for share := ShareWorker; share <= ShareAll; share++ {
					for take := TakeNewest; take <= TakeSerial; take++ {
						r := Rules{Spawn: spawn, Join: join, Queue: share, Take: take,
							Locked: on(0), Hints: on(1), Mail: on(2), LeaveIdle: on(3), Half: on(5)}
						r.Wait, r.Place = WaitRule(bits>>6&3), on(8)
						r.Requests, r.Admit, r.Cache = on(9), on(10), on(11)
						if on(4) {
							r.Last = LastQueue
						}
						f(r)
						if r.Place && !r.Half {
							r.Ranges = true
							f(r)
						}
						if share == ShareWorker && take == TakeNewest {
							r.Push = 1 + bits&3
							f(r)
						}
					}
				}
			}
		}
	}
}

// validRules are the combinations that workers of our own carry out, by name.
func validRules() map[string]Rules {
	valid := map[string]Rules{}
	allRules(func(r Rules) {
		if r.Validate() == nil && r.Spawn != SpawnCall && r.Spawn != SpawnGo &&
			(r.Hints == (r.Mail || r.Push > 0 || r.Take == TakeHighest || r.Place && r.Last == LastQueue ||
				r.Admit)) {
			valid[fmt.Sprintf("%+v", r)] = r
		}
	})
	return valid
}

// The drivers carry out all rules that Validate lets pass: every leaf once, no phase early, on
// threads and in virtual time, with the same result whether steps are skipped or not. They refuse
// those that it refuses.
func TestAllRules(t *testing.T) {
	t.Parallel()
	refused := 0
	allRules(func(r Rules) {
		if r.Validate() == nil {
			return
		}
		if refused++; refused%64 != 0 {
			return // both ask Validate
		}
		p := anyPolicy{r}
		if _, err := Step(stepConfig(p, 1, 1, 1), &fibProg{n: 5}); err == nil {
			t.Errorf("a simulated run with %+v", r)
		}
		if refused%(64*300) == 0 {
			if _, err := Run(context.Background(), unpinned(Scheduler{Policy: p}, 1, 1, 1),
				&fibProg{n: 5}); err == nil {
				t.Errorf("a run with %+v", r)
			}
		}
	})
	valid := validRules()
	if len(valid) < 390 || refused < 500 {
		t.Fatalf("%d combinations are valid and %d not", len(valid), refused)
	}
	for i, name := range slices.Sorted(maps.Keys(valid)) {
		if i%long.Or(8, 1) != 0 {
			continue
		}
		seed, rules := uint64(i), valid[name]
		t.Run(name, func(t *testing.T) {
			p := anyPolicy{rules}
			prog := newTree(seed%50, 4)
			if _, err := Run(context.Background(), unpinned(Scheduler{Policy: p}, 2, 2, seed),
				prog); err != nil {
				t.Fatal(err)
			}
			checkTree(t, prog)
			if hwtest.Race {
				return // nothing is concurrent in virtual time
			}
			shape := [2]int{3, 2}
			plain := stepTree(t, pricedConfig(p, shape, seed, true), 4)
			skipping := stepTree(t, pricedConfig(p, shape, seed, false), 4)
			if !reflect.DeepEqual(plain, skipping) {
				t.Errorf("seed %d: %+v without skipping, %+v with", seed, plain, skipping)
			}
		})
	}
}
