package calibrate

import (
	"slices"

	"krdlab/runtimes"
)

// serial is the path of the samples that those of policies are set against.
const serial = "serial"

// series are the samples of the numbers of a calibration, picoseconds, by the path of a machine's
// field; those of one worker by the scheduler and the way through a comb.
type series map[string][]float64

func (s series) add(path string, ps float64) { s[path] = append(s[path], ps) }

// scheduled are the schedulers whose operations are measured: of each family of the table the first
// that queues anything itself.
func scheduled() []runtimes.Scheduler {
	var list []runtimes.Scheduler
	for _, s := range runtimes.Schedulers {
		queues := s.Rules().Spawn == runtimes.SpawnChild || s.Rules().Spawn == runtimes.SpawnParent
		if queues && s.Family != "" && !slices.ContainsFunc(list, func(o runtimes.Scheduler) bool {
			return o.Family == s.Family
		}) {
			s.Policy = uncached{s.Policy}
			list = append(list, s)
		}
	}
	return list
}

// uncached is a policy without the cache before its queues, which combs and trees on one worker
// would leave out nearly always: the price of a lock could not be told.
type uncached struct{ runtimes.Policy }

func (p uncached) Rules() runtimes.Rules {
	r := p.Policy.Rules()
	r.Cache = false
	return r
}

// locked says that a policy's queues are under locks, and not deques.
func locked(r runtimes.Rules) bool { return !r.Deque() }

// familyPath is the table of the prices that are measured with a scheduler.
func familyPath(p runtimes.Scheduler) string { return "families." + p.Family + "." }

// operations are what a policy does on one worker for a level of a comb, or for a task of a tree.
type operations struct{ spawn, pop, lock, push, join float64 }

// operationsOf counts the operations of programs of two lengths as the simulated driver prices
// them, and divides what the longer one has more by the levels that it has more.
func operationsOf(p runtimes.Policy, short, long *comb, levels uint64) (o operations, err error) {
	const base = 1000 // more than there are of any operation in a level
	prices := runtimes.Costs{Spawn: 1, Pop: base, Lock: base * base, Push: base * base * base,
		Join: base * base * base * base}
	var ns [2]int64
	for i, c := range []*comb{short, long} {
		r, err := runtimes.Step(runtimes.StepConfig{Policy: p, Nodes: []int{0}, Seed: 1,
			Costs: prices}, c)
		if err != nil {
			return o, err
		}
		ns[i] = r.TimeNS
	}
	sum := uint64(ns[1]-ns[0]) / levels
	for _, n := range []*float64{&o.spawn, &o.pop, &o.lock, &o.push, &o.join} {
		*n = float64(sum % base)
		sum /= base
	}
	return o, nil
}

// taskOperations are those of a task of a tree.
func taskOperations(p runtimes.Policy) (operations, error) {
	return operationsOf(p, newTree(1), newTree(2), treeTasks)
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
func (b *bench) alone(s series, name string, p runtimes.Policy) error {
	two, many, tree := newComb(p.Rules(), 2, b.rounds), newComb(p.Rules(), manyWide, b.rounds),
		newTree(max(b.rounds/treeRate, 1))
	for _, c := range []*comb{two, many, tree} {
		if err := b.run(p, []int{0}, c); err != nil {
			return err
		}
	}
	s.add(name+wayDown, midmean(two.down)*b.tickPS/combDepth)
	s.add(name+wayUp, midmean(two.up)*b.tickPS/combDepth)
	s.add(name+wayMany, midmean(many.down)*b.tickPS/combDepth)
	s.add(name+wayTree, midmean(tree.up)*b.tickPS/treeTasks)
	return nil
}

// part makes spawn, pop, lock and join of a family from the samples of alone, as the package
// comment says, and takes the lock off those of handover. o are the operations of a task of the
// tree. The shortest sample of each way stands for it. What is nothing or less is left out.
func part(s series, p runtimes.Scheduler, o operations) {
	over := func(way string) float64 {
		return slices.Min(s[p.Name+way]) - slices.Min(s[serial+way])
	}
	path := familyPath(p)
	sum, down, up := over(wayTree), max(over(wayDown), 0), max(over(wayUp), 0)
	if sum <= 0 {
		return
	}
	share := func(x, most float64) float64 { // of sum
		if down+up > 0 {
			x /= down + up
		}
		return sum * min(max(x, 0.1), most)
	}
	if o.lock == 0 {
		spawn := share(down, 0.9)
		s.add(path+"spawn", spawn/o.spawn)
		s.add(path+"pop", (sum-spawn)/o.pop)
		return
	}
	lock := sum / o.lock
	if o.join > 0 {
		lock = share(down, 0.9/o.lock)
		s.add(path+"join", (sum-o.lock*lock)/o.join)
	}
	s.add(path+"lock", lock)
	for i := range s[path+handedOver] {
		s[path+handedOver][i] -= lock
	}
	if more := (over(wayMany) - over(wayDown)) / (manyWide - 2); more > 0 && p.Rules().Spawn ==
		runtimes.SpawnParent {
		s.add(path+"spawn", more)
	}
}

// duelOf runs a duel and returns its probe.
func (b *bench) duelOf(rules runtimes.Rules, move runtimes.MoveKind, moves int,
	nodes []int) (*probe, error) {
	d := &duel{probe: newProbe(rules, move, moves, b.rounds), rules: rules, rounds: b.rounds,
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
		s.add(path, ps/operations)
	}
}

func successes(x *probed) []uint64 { return x.successes }
func failures(x *probed) []uint64  { return x.failed }
func arrivals(x *probed) []uint64  { return x.arrivals }
func rests(x *probed) []uint64     { return x.rests }

// shared says that two workers of one node have one queue.
func shared(r runtimes.Rules) bool { return r.Queue != runtimes.ShareWorker }

// pair takes one sample of what costs a policy between two workers of one node. o are the
// operations of a task of a tree.
func (b *bench) pair(s series, p runtimes.Scheduler, o operations) error {
	rules, nodes, path := p.Rules(), []int{0, 0}, familyPath(p)
	if shared(rules) {
		return nil
	}
	one, err := b.duelOf(rules, runtimes.MoveSteal, 1, nodes)
	if err != nil {
		return err
	}
	b.sample(s, path+"steal_local", one, successes, 1)
	b.sample(s, path+"rest", one, rests, 1)
	if o.join == 0 { // otherwise part has it
		b.sample(s, path+"join", one, arrivals, 1)
	}
	vain, err := b.duelOf(rules, runtimes.MoveSteal, burst, nodes)
	if err != nil {
		return err
	}
	b.sample(s, path+"steal_failed", vain, failures, burst)
	if !rules.Mail {
		return nil
	}
	mail, err := b.duelOf(rules, runtimes.MoveMail, 1, nodes)
	if err != nil {
		return err
	}
	b.sample(s, path+"mail", mail, successes, 1)
	return nil
}

// remote takes one sample of a steal by a worker of another node.
func (b *bench) remote(s series, p runtimes.Scheduler) error {
	if p.Rules().Queue > runtimes.ShareNode { // perhaps one socket, and one queue
		return nil
	}
	one, err := b.duelOf(p.Rules(), runtimes.MoveSteal, 1, []int{0, 1})
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
	c := newCrowd(children, max(b.rounds/children, 1)*4)
	if err := b.run(p, []int{0, 0}, c); err != nil {
		return err
	}
	if from := c.handovers(); min(len(from[0]), len(from[1])) >= 20 { // otherwise they hardly met
		// The mean of both directions: what the two clocks differ by cancels out.
		s.add(familyPath(p)+handedOver,
			((midmean(from[0])+midmean(from[1]))/2-b.stamp)*b.tickPS)
	}
	return nil
}
