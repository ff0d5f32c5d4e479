package calibrate

import (
	"errors"
	"slices"

	"krdlab/hw/machine"
	"krdlab/runtimes"
)

// serial is the path of the samples that those of policies are set against.
const serial = "serial"

// series are the samples of the numbers of a calibration, picoseconds, by the path of a machine's
// field; those of one worker by the scheduler and the way through a comb.
type series = machine.Rounds

// scheduled returns the schedulers of a table whose operations are measured: of each family the
// first that queues anything itself.
func scheduled(table []runtimes.Scheduler) []runtimes.Scheduler {
	var list []runtimes.Scheduler
	for _, s := range table {
		if !s.Serial() && !s.ThreadsOnly() && s.Family != "" &&
			!slices.ContainsFunc(list, func(o runtimes.Scheduler) bool {
				return o.Family == s.Family
			}) {
			s.Policy = uncached(s.Policy)
			list = append(list, s)
		}
	}
	return list
}

// ruled is a policy with rules of its own, that decides as the policy does what these ask for.
type ruled struct {
	runtimes.Policy
	rules runtimes.Rules
}

func (p ruled) Rules() runtimes.Rules { return p.rules }

func (p ruled) Choose(s *runtimes.Spawn) runtimes.SpawnRule {
	return p.Policy.(runtimes.Chooser).Choose(s)
}

func (p ruled) Place(s *runtimes.Placing) runtimes.Placement {
	return p.Policy.(runtimes.Placer).Place(s)
}

func (p ruled) Admit(a *runtimes.Admission) (charge uint64, ok bool) {
	return p.Policy.(runtimes.Admitter).Admit(a)
}

// uncached returns a policy without the cache before its queues, which combs and trees on one
// worker would leave out nearly always: the price of a lock could not be found.
func uncached(p runtimes.Policy) runtimes.Policy {
	r := p.Rules()
	r.Cache = false
	return ruled{p, r}
}

// locked reports whether a policy's queues are under locks, and not deques.
func locked(r runtimes.Rules) bool { return !r.Deque() }

// familyPath returns the table of the prices that are measured with a scheduler.
func familyPath(p runtimes.Scheduler) string { return "families." + p.Family + "." }

// operations are how often a policy does what has a price, on one worker, for a task of a tree.
type operations struct{ spawn, pop, lock, push, join float64 }

func (o operations) sum() float64 { return o.spawn + o.pop + o.lock + o.push + o.join }

// A plan is how a policy is measured on one worker.
type plan struct {
	task operations
	// Combs part what a task takes: their way down queues, and does nothing else. Otherwise the
	// operations of a task are taken to be alike.
	combs  bool
	nested int     // which child of two leads down such a comb: 0, or the last
	more   float64 // entries, by level, that one operation queues more in a wide comb
}

// planOf runs the programs of a policy in virtual time.
func planOf(p runtimes.Policy) (plan, error) {
	task, _, err := operationsOf(p, newTree, treeTasks)
	if err != nil || p.Rules().Last != runtimes.LastCall {
		return plan{task: task}, err
	}
	for nested := range 2 {
		_, early, err := operationsOf(p, combs(nested, 2), combDepth)
		if err != nil {
			return plan{}, err
		}
		if early == 0 {
			wide, _, err := operationsOf(p, combs(nested, manyWide), combDepth)
			return plan{task: task, combs: true, nested: nested, more: wide.push}, err
		}
	}
	return plan{task: task}, nil
}

// operationsOf counts the operations of programs of one round and of two as the simulated driver
// prices them, one dearer at a time, and divides what the longer one has more by the levels that it
// has more. early are the leaves that ran on the ways down.
func operationsOf(p runtimes.Policy, program func(rounds int) *comb, levels int) (o operations,
	early int, err error) {
	count := func(dear func(*runtimes.Costs) *uint64) (more float64) {
		prices := runtimes.Costs{Spawn: 1, Pop: 1, Lock: 1, Push: 1, Join: 1}
		if dear != nil {
			*dear(&prices) = 2
		}
		var ns [2]int64
		for i := range ns {
			c := program(i + 1)
			r, stepErr := runtimes.Step(runtimes.StepConfig{Policy: p, Nodes: []int{0}, Seed: 1,
				Costs: prices}, c)
			if err = errors.Join(err, stepErr); err != nil {
				return 0
			}
			ns[i], early = r.TimeNS, c.early
		}
		return float64(ns[1] - ns[0])
	}
	all := count(nil)
	for _, k := range []struct {
		n    *float64
		dear func(*runtimes.Costs) *uint64
	}{
		{&o.spawn, func(c *runtimes.Costs) *uint64 { return &c.Spawn }},
		{&o.pop, func(c *runtimes.Costs) *uint64 { return &c.Pop }},
		{&o.lock, func(c *runtimes.Costs) *uint64 { return &c.Lock }},
		{&o.push, func(c *runtimes.Costs) *uint64 { return &c.Push }},
		{&o.join, func(c *runtimes.Costs) *uint64 { return &c.Join }},
	} {
		if err == nil {
			*k.n = (count(k.dear) - all) / float64(levels)
		}
	}
	return o, early, err
}

// The ways through a comb, and of a tree.
const (
	wayDown  = "/down"
	wayMany  = "/down, many children"
	wayUp    = "/up"
	wayTree  = "/tree"
	treeRate = 16 // rounds of combs to one of trees, which are larger
)

const handedOver = "lock_handover"

// alone takes one sample of the combs and trees of a policy.
func (b *bench) alone(s series, name string, p runtimes.Policy, how plan) error {
	tree := newTree(max(b.rounds/treeRate, 1))
	if err := b.run(p, []int{0}, tree); err != nil {
		return err
	}
	s.Add(name+wayTree, midmean(tree.up)*b.tickPS/treeTasks)
	if !how.combs {
		return nil
	}
	two, many := combs(how.nested, 2)(b.rounds), combs(how.nested, manyWide)(b.rounds)
	for _, c := range []*comb{two, many} {
		if err := b.run(p, []int{0}, c); err != nil {
			return err
		}
	}
	s.Add(name+wayDown, midmean(two.down)*b.tickPS/combDepth)
	s.Add(name+wayUp, midmean(two.up)*b.tickPS/combDepth)
	s.Add(name+wayMany, midmean(many.down)*b.tickPS/combDepth)
	return nil
}

// part makes spawn, pop, lock and join of a family from the samples of alone (see the package
// comment), and takes the lock off those of handover. The shortest sample of each way stands for
// it. Prices of 0 or less are left out.
func part(s series, p runtimes.Scheduler, how plan) {
	over := func(way string) float64 {
		return s.Least(p.Name+way) - s.Least(serial+way)
	}
	path, o := familyPath(p), how.task
	sum := over(wayTree)
	if sum <= 0 || o.sum() == 0 {
		return
	}
	each := operations{spawn: sum / o.sum()}
	each.pop, each.lock, each.join, each.push = each.spawn, each.spawn, each.spawn, each.spawn
	if how.combs && o.push == 0 && (o.spawn == 0 || o.lock == 0) && o.spawn+o.lock > 0 {
		down, up := max(over(wayDown), 0), max(over(wayUp), 0)
		queued := o.spawn // on the way down
		if o.lock > 0 {
			queued = 1
		}
		rest := o.sum() - queued - max(o.lock-queued, 0) // that is not priced as what is queued
		if rest > 0 {
			if down+up > 0 {
				down /= down + up
			}
			most := 0.9 * queued / max(o.lock, queued)
			put := sum * min(max(down, 0.1), most) / queued
			each.spawn, each.lock = put, put
			each.pop = (sum - put*(o.spawn+o.lock)) / rest
			each.join = each.pop
		}
	}
	for _, k := range []struct {
		name  string
		n, ps float64
	}{{"spawn", o.spawn + o.push, each.spawn}, {"pop", o.pop, each.pop},
		{"lock", o.lock, each.lock}, {"join", o.join, each.join}} {
		if k.n > 0 {
			s.Add(path+k.name, k.ps)
		}
	}
	if o.lock == 0 {
		return
	}
	for i := range s[path+handedOver] {
		s[path+handedOver][i] -= each.lock
	}
	if how.more > 0 {
		if more := (over(wayMany) - over(wayDown)) / how.more; more > 0 {
			s.Add(path+"spawn", more)
		}
	}
}

// duelOf runs a duel and returns its probe.
func (b *bench) duelOf(p runtimes.Policy, move runtimes.MoveKind, moves int,
	nodes []int) (*probe, error) {
	d := &duel{probe: newProbe(p, move, moves, b.rounds), rounds: b.rounds,
		limit: b.clock.Ticks(2_000_000), pause: b.clock.Ticks(1000)}
	if moves > 1 { // time for failures
		d.rounds, d.pause = max(b.rounds/50, 1), b.clock.Ticks(15_000)
	}
	return d.probe, b.run(d.probe, nodes, d)
}

// sample adds the mean time between two stamps of a sort, both workers together, less that of the
// stamps themselves, for one of so many operations, if there are enough.
func (b *bench) sample(s series, path string, p *probe, of func(*probed) []uint64,
	operations float64) {
	var all []uint64
	for i := range p.by {
		all = append(all, of(&p.by[i])...)
	}
	if ps := (midmean(all) - b.stamp) * b.tickPS; ps > 0 && len(all) >= min(b.rounds/20, 50) {
		s.Add(path, ps/operations)
	}
}

func successes(x *probed) []uint64 { return x.successes }
func failures(x *probed) []uint64  { return x.failed }
func arrivals(x *probed) []uint64  { return x.arrivals }
func rests(x *probed) []uint64     { return x.rests }

// shared reports whether two workers of one node have one queue.
func shared(r runtimes.Rules) bool { return r.Queue != runtimes.ShareWorker }

// together reports whether two workers may have one queue wherever they are.
func together(r runtimes.Rules) bool { return r.Queue > runtimes.ShareNode }

// thiefMove returns the move by which a worker without work gets some of another's.
func thiefMove(r runtimes.Rules) runtimes.MoveKind {
	if r.Requests {
		return runtimes.MoveAsk
	}
	return runtimes.MoveSteal
}

// pair takes one sample of what costs a policy between two workers of one node; where these have
// one queue, between two cores of a node that are set on two.
func (b *bench) pair(s series, p runtimes.Scheduler, how plan) error {
	rules, nodes, path := p.Rules(), []int{0, 0}, familyPath(p)
	if together(rules) {
		return nil
	}
	if shared(rules) {
		nodes[1] = 1
	}
	one, err := b.duelOf(p.Policy, thiefMove(rules), 1, nodes)
	if err != nil {
		return err
	}
	if !shared(rules) {
		b.sample(s, path+"steal_local", one, successes, 1)
	}
	b.sample(s, path+"rest", one, rests, 1)
	if how.task.join == 0 { // otherwise part has it
		b.sample(s, path+"join", one, arrivals, 1)
	}
	if rules.Requests {
		return nil
	}
	vain, err := b.duelOf(p.Policy, runtimes.MoveSteal, burst, nodes)
	if err != nil {
		return err
	}
	b.sample(s, path+"steal_failed", vain, failures, burst)
	if !rules.Mail {
		return nil
	}
	mail, err := b.duelOf(p.Policy, runtimes.MoveMail, 1, nodes)
	if err != nil {
		return err
	}
	b.sample(s, path+"mail", mail, successes, 1)
	return nil
}

// remote takes one sample of a steal by a worker of another node.
func (b *bench) remote(s series, p runtimes.Scheduler) error {
	if together(p.Rules()) {
		return nil
	}
	one, err := b.duelOf(p.Policy, thiefMove(p.Rules()), 1, []int{0, 1})
	if err != nil {
		return err
	}
	b.sample(s, familyPath(p)+"steal_remote", one, successes, 1)
	return nil
}

// handover takes one sample of lock_handover, with two workers of one node; part takes off the lock
// operation itself.
func (b *bench) handover(s series, p runtimes.Scheduler) error {
	const children = 1000
	if !shared(p.Rules()) {
		return nil
	}
	c := newCrowd(p.Rules(), children, max(b.rounds/children, 1)*4)
	if err := b.run(p.Policy, []int{0, 0}, c); err != nil {
		return err
	}
	if from := c.handovers(); min(len(from[0]), len(from[1])) >= 20 { // otherwise they hardly met
		// The mean of both directions: the offset of the two clocks cancels out.
		s.Add(familyPath(p)+handedOver,
			((midmean(from[0])+midmean(from[1]))/2-b.stamp)*b.tickPS)
	}
	return nil
}
