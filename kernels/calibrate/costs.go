package calibrate

import (
	"slices"

	"krdlab/runtimes"
)

const serial = "serial"

// series are the samples of the numbers of a calibration, picoseconds, by the path of a machine's field; those of one worker by the policy and the
// way through a comb.
type series map[string][]float64

func (s series) add(path string, ps float64) { s[path] = append(s[path], ps) }

// scheduled are the policies whose operations are measured: those of the table that queue anything themselves.
func scheduled() []runtimes.Scheduler {
	var list []runtimes.Scheduler
	for _, s := range runtimes.Schedulers {
		if r := s.Rules().Spawn; r == runtimes.SpawnChild || r == runtimes.SpawnParent {
			list = append(list, s)
		}
	}
	return list
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
	two, many, tree := newComb(p.Rules(), 2, b.rounds), newComb(p.Rules(), manyWide, b.rounds), newTree(max(b.rounds/treeRate, 1))
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

// part makes spawn, pop, lock and join of a policy from the samples of alone, as the package comment says, and takes the lock off those of handover.
// The shortest sample of each way stands for it. What is nothing or less is left out.
func part(s series, p runtimes.Scheduler) {
	over := func(way string) float64 { return slices.Min(s[p.Name+way]) - slices.Min(s[serial+way]) }
	path := "policies." + p.Name + "."
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
	if p.Rules().Queue == runtimes.QueueWorker {
		spawn := share(down, 0.9)
		s.add(path+"spawn", spawn)
		s.add(path+"pop", sum-spawn)
		return
	}
	lock := share(down, 0.225)
	s.add(path+"lock", lock)
	for i := range s[path+handedOver] {
		s[path+handedOver][i] -= lock
	}
	s.add(path+"join", (sum-4*lock)/2)
	if more := (over(wayMany) - over(wayDown)) / (manyWide - 2); more > 0 {
		s.add(path+"spawn", more)
	}
}

// duelOf runs a duel and returns its probe.
func (b *bench) duelOf(rules runtimes.Rules, move runtimes.MoveKind, moves int, nodes []int) (*probe, error) {
	d := &duel{probe: newProbe(rules, move, moves, b.rounds), rules: rules, rounds: b.rounds, limit: b.clock.Ticks(2_000_000), pause: b.clock.Ticks(1000)}
	if moves > 1 { // time for failures
		d.rounds, d.pause = max(b.rounds/50, 1), b.clock.Ticks(15_000)
	}
	return d.probe, b.run(d.probe, nodes, d)
}

// sample adds the mean time between two stamps of a sort, both workers together, less that of the stamps themselves, for one of so many
// operations, if there are enough.
func (b *bench) sample(s series, path string, p *probe, of func(*probed) []uint64, operations float64) {
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

// pair takes one sample of what costs a policy between two workers of one node.
func (b *bench) pair(s series, p runtimes.Scheduler) error {
	rules, nodes, path := p.Rules(), []int{0, 0}, "policies."+p.Name+"."
	if rules.Queue == runtimes.QueueNode {
		return nil // they share a queue
	}
	one, err := b.duelOf(rules, runtimes.MoveSteal, 1, nodes)
	if err != nil {
		return err
	}
	b.sample(s, path+"steal_local", one, successes, 1)
	b.sample(s, path+"rest", one, rests, 1)
	if rules.Queue == runtimes.QueueWorker {
		b.sample(s, path+"join", one, arrivals, 1)
	}
	vain, err := b.duelOf(rules, runtimes.MoveSteal, burst, nodes)
	if err != nil {
		return err
	}
	b.sample(s, path+"steal_failed", vain, failures, burst)
	if !rules.Affinity {
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
	one, err := b.duelOf(p.Rules(), runtimes.MoveSteal, 1, []int{0, 1})
	if err != nil {
		return err
	}
	b.sample(s, "policies."+p.Name+".steal_remote", one, successes, 1)
	return nil
}

// handover takes one sample of lock_handover, with two workers of one node; part takes off the lock operation itself.
func (b *bench) handover(s series, p runtimes.Scheduler) error {
	const children = 1000
	if p.Rules().Queue != runtimes.QueueNode {
		return nil
	}
	c := newCrowd(children, max(b.rounds/children, 1)*4)
	if err := b.run(p, []int{0, 0}, c); err != nil {
		return err
	}
	if from := c.handovers(); min(len(from[0]), len(from[1])) >= 20 { // otherwise they hardly met
		// The mean of both directions: what the two clocks differ by cancels out.
		s.add("policies."+p.Name+"."+handedOver, ((midmean(from[0])+midmean(from[1]))/2-b.stamp)*b.tickPS)
	}
	return nil
}
