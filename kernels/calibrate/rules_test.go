package calibrate

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"krdlab/hw"
	"krdlab/runtimes"
)

// small is a policy with any rules, and all that these can ask of it.
type small struct {
	rules  runtimes.Rules
	choose func(s *runtimes.Spawn) runtimes.SpawnRule
}

func (p small) Rules() runtimes.Rules { return p.rules }

func (p small) Look(s *runtimes.Search) runtimes.Move {
	s.Step++
	victim := func() int { return s.Victims[s.Rand.N(len(s.Victims))] }
	switch {
	case s.Step%4 == 1:
		return runtimes.Move{Kind: runtimes.MoveOwn}
	case s.Step%4 == 0 || len(s.Victims) == 0:
		return runtimes.Rest
	case p.rules.Requests && s.Step%4 == 3:
		return runtimes.Move{Kind: runtimes.MoveHear}
	case p.rules.Requests:
		return runtimes.Move{Kind: runtimes.MoveAsk, Victim: victim()}
	case p.rules.Mail && s.Step%4 == 3:
		return runtimes.Move{Kind: runtimes.MoveMail}
	}
	return runtimes.Move{Kind: runtimes.MoveSteal, Victim: victim(), Half: p.rules.Half}
}

func (p small) Choose(s *runtimes.Spawn) runtimes.SpawnRule { return p.choose(s) }

func (p small) Place(s *runtimes.Placing) runtimes.Placement {
	return runtimes.Placement{Worker: s.Worker, From: 0, To: s.Workers}
}

func (p small) Admit(*runtimes.Admission) (uint64, bool) { return 1, true }

// smallTable has a scheduler for each kind of queue, and for each rule beside them.
func smallTable(t *testing.T) (table []runtimes.Scheduler) {
	add := func(name string, p small) {
		if err := p.rules.Validate(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		table = append(table, runtimes.Scheduler{Name: name, Family: name, Policy: p})
	}
	const (
		call, child    = runtimes.SpawnCall, runtimes.SpawnChild
		parent, chosen = runtimes.SpawnParent, runtimes.SpawnChosen
	)
	for share := runtimes.ShareWorker; share <= runtimes.ShareAll; share++ {
		for take := runtimes.TakeNewest; take <= runtimes.TakeSerial; take++ {
			for last := runtimes.LastCall; last <= runtimes.LastQueue; last++ {
				join := []runtimes.JoinRule{runtimes.JoinLast, runtimes.JoinRequeue,
					runtimes.JoinStarter}[(int(share)+int(take)+int(last))%3]
				add(fmt.Sprintf("queue-%d-%d-%d-%d", share, take, last, join),
					small{rules: runtimes.Rules{Spawn: parent, Last: last, Join: join, Queue: share,
						Take: take, Hints: take == runtimes.TakeHighest}})
			}
		}
	}
	for rule, of := range map[string]runtimes.Rules{
		"child":    {Spawn: child},
		"locked":   {Spawn: parent, Locked: true, Half: true, Cache: true},
		"half":     {Spawn: parent, Half: true},
		"requests": {Spawn: parent, Requests: true},
		"mail":     {Spawn: parent, Join: runtimes.JoinStarter, Hints: true, Mail: true},
		"deeper":   {Spawn: parent, Join: runtimes.JoinStarter, Wait: runtimes.WaitDeeper},
		"thief":    {Spawn: parent, Join: runtimes.JoinStarter, Wait: runtimes.WaitThief},
		"place":    {Spawn: parent, Locked: true, Place: true},
		"admit": {Spawn: parent, Last: runtimes.LastQueue, Queue: runtimes.ShareNode, Admit: true,
			Hints: true},
	} {
		add(rule, small{rules: of})
	}
	for name, choose := range map[string]func(*runtimes.Spawn) runtimes.SpawnRule{
		"chosen-call":   func(*runtimes.Spawn) runtimes.SpawnRule { return call },
		"chosen-child":  func(*runtimes.Spawn) runtimes.SpawnRule { return child },
		"chosen-parent": func(*runtimes.Spawn) runtimes.SpawnRule { return parent },
		"chosen-mixed": func(s *runtimes.Spawn) runtimes.SpawnRule {
			return []runtimes.SpawnRule{child, parent, call}[s.Depth%3]
		},
	} {
		add(name, small{runtimes.Rules{Spawn: chosen}, choose})
	}
	return table
}

// Whatever queues and rules a scheduler of the table has, each of its operations is measured, or it
// is said why not; and a simulated run with the parts takes as long as the tree that they are of.
func TestEveryQueue(t *testing.T) {
	table := append(smallTable(t), runtimes.Schedulers...)
	onThreads := len(table)
	for _, s := range runtimes.Schedulers {
		for _, v := range s.Variants() {
			v.Family = v.Name
			table = append(table, v)
		}
	}
	clock := hw.CalibrateClock()
	c := &calibration{samplesOf: series{}, policies: scheduled(table), plans: map[string]plan{},
		progress: func(int, int, string) {}, near: []int{-1, -1},
		bench: bench{ctx: t.Context(), clock: clock, tickPS: 1e12 / clock.Hz, cpus: []int{-1},
			samples: 1, rounds: 20}}
	if len(c.policies) < 45 {
		t.Fatalf("%d schedulers of %d", len(c.policies), len(table))
	}
	if runtime.NumCPU() == 1 { // a duel of two that spin
		c.near = nil
	}
	for i := range c.policies {
		p := &c.policies[i]
		how, err := planOf(p.Policy)
		if err != nil {
			t.Fatalf("%s: %v", p.Name, err)
		}
		c.plans[p.Name] = how
		if queues := p.Name != "chosen-call"; queues != (how.task.sum() > 0) {
			t.Errorf("%s: a task of a tree has %+v", p.Name, how.task)
		}
		// The prices that part makes of a tree of 50 ns a task add up to 50 ns, whatever the combs
		// show.
		for _, down := range []float64{-1, 3, 30, 300} {
			s := series{}
			for way, ps := range map[string]float64{wayDown: down, wayUp: 7, wayMany: 2 * down,
				wayTree: 50_000} {
				s.Add(serial+way, 100)
				s.Add(p.Name+way, 100+ps)
			}
			part(s, *p, how)
			priced := 0.0
			for name, n := range map[string]float64{"spawn": how.task.spawn + how.task.push,
				"pop": how.task.pop, "lock": how.task.lock, "join": how.task.join} {
				if got := s[familyPath(*p)+name]; n > 0 && (len(got) != 1 || got[0] <= 0) {
					t.Errorf("%s: %s is %v", p.Name, name, got)
				} else if n > 0 {
					priced += n * got[0]
				}
			}
			if how.task.sum() > 0 && math.Abs(priced-50_000) > 1 {
				t.Errorf("%s: the parts of 50000 make %v", p.Name, priced)
			}
		}
	}
	c.policies = scheduled(table[:onThreads]) // variants have rules that others measure
	if err := c.runtimes(); err != nil {
		t.Fatal(err)
	}
	c.parts()
	missing := map[string]string{}
	for _, m := range c.missing() {
		if missing[m.Scheduler+" "+m.Price] = m.Why; m.Why == "" {
			t.Errorf("%+v", m)
		}
	}
	measured := 0
	for i := range c.policies {
		p := &c.policies[i]
		for _, k := range costs {
			ps, why := c.price(k, p)
			said := missing[p.Name+" "+k.name] != ""
			switch has := k.has(p.Rules(), c.plans[p.Name]); {
			case (ps == 0) != (why != ""):
				t.Errorf("%s: %s is %d: %q", p.Name, k.name, ps, why)
			case has && ps == 0 && !said || (ps > 0 || !has) && said:
				t.Errorf("%s: %s is %d, said to be missing: %v", p.Name, k.name, ps, said)
			case ps > 0 && !has:
				t.Errorf("%s: %s is %d, and it has no such operation", p.Name, k.name, ps)
			case ps > 0:
				measured++
			}
		}
	}
	if measured < len(c.policies) {
		t.Errorf("%d numbers of %d schedulers", measured, len(c.policies))
	}
}
