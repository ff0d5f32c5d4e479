package engine

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"krdlab/hw/failure"
)

// A Sampler is a way to draw interleavings.
type Sampler string

// The samplers.
const (
	// Uniform draws every interleaving that ends with the same probability, inputs being equally
	// likely.
	Uniform Sampler = "uniform"
	// Walk chooses among the threads that can go on, each with the same probability.
	Walk Sampler = "walk"
	// PCT gives threads random priorities and lowers one at each of depth - 1 change points
	// (Burckhardt and others, ASPLOS 2010; disconpro, 4.1). The points are drawn independently:
	// several may be on one step. PCTDistinct draws distinct ones, which is the other reading.
	PCT         Sampler = "pct"
	PCTDistinct Sampler = "pct-distinct"
	// POS gives each step that comes next a random priority, and a new one to those that it races
	// with (Yuan, Yang and Gu, CAV 2018).
	POS Sampler = "pos"
	// Native runs the threads as goroutines, with nothing drawn but inputs: what one run of a program
	// shows. No two results need be the same.
	Native Sampler = "native"
)

// Samplers lists them.
var Samplers = []Sampler{Uniform, Walk, PCT, PCTDistinct, POS, Native}

// ErrSampler is wrapped by the error of a sampler that is none, or of its parameters.
var ErrSampler = failure.New(failure.Request, "invalid sampler")

// SampleOptions are those of [Sample].
type SampleOptions struct {
	Sampler Sampler
	Runs    int
	Depth   int // of PCT, at least 1
	Seed    uint64
	// MemoryBytes is how much memory the states of threads may take, about; 0: 1 GiB.
	MemoryBytes uint64
}

// Sample draws interleavings. The probability of a distance is its share of the accesses that were
// drawn, Reached counts the runs that had it, and Run is the probability that a run has it. Errors:
// as of [Exact] for the states of the threads, and [ErrSampler]. Cost: some steps for each of the
// program's, in each run.
func Sample(p *Program, opt SampleOptions) (*Result, error) {
	pct := opt.Sampler == PCT || opt.Sampler == PCTDistinct
	switch {
	case !slices.Contains(Samplers, opt.Sampler):
		return nil, fmt.Errorf("%w: %q, expected one of %v", ErrSampler, opt.Sampler, Samplers)
	case opt.Runs < 1:
		return nil, fmt.Errorf("%w: %d runs, expected at least 1", ErrSampler, opt.Runs)
	case pct && opt.Depth < 1:
		return nil, fmt.Errorf("%w: depth %d, expected at least 1", ErrSampler, opt.Depth)
	}
	memory := Options{MemoryBytes: opt.MemoryBytes}
	m := newMachine(p)
	var graphs []*graph
	var totals []*totals
	var inputs [][]int64
	most := int(min(memory.memory()/bytesOfNode, 1<<30))
	err := p.inputs(func(shared []int64) error {
		g, err := m.build(shared, most)
		if err != nil {
			return err
		}
		if most -= len(g.nodes); most < 0 {
			return fmt.Errorf("%w: more states of the threads than memory allows", ErrLimit)
		}
		t := newTotals(p)
		g.completions(t)
		graphs, totals = append(graphs, g), append(totals, t)
		inputs = append(inputs, slices.Clone(shared))
		return nil
	})
	if err != nil {
		return nil, err
	}
	r := newResult(p, string(opt.Sampler))
	r.Runs, r.Inputs = opt.Runs, len(graphs)
	if pct {
		r.Depth = opt.Depth
	}
	d := &draw{p: p, opt: &opt, random: rand.New(rand.NewPCG(opt.Seed, 0)),
		stacks: newStacks(len(p.Objects))}
	ended := 0
	for range opt.Runs {
		i := d.random.IntN(len(graphs))
		d.g, d.totals = graphs[i], totals[i]
		if opt.Sampler == Uniform && d.totals.interleavings.Sign() == 0 {
			return nil, fmt.Errorf("%w: with some input every interleaving deadlocks, and none can be drawn "+
				"uniformly", ErrSampler)
		}
		over := false
		if opt.Sampler == Native {
			d.trace, over, err = runNative(m, inputs[i], d.stacks)
			if err != nil {
				return nil, err
			}
		} else {
			over = d.run()
		}
		if over {
			ended++
			r.count(d.trace)
		}
	}
	for i, t := range totals {
		for o, n := range t.most {
			r.Objects[o].Accesses = max(r.Objects[o].Accesses, n)
		}
		if t.deadlocks.Sign() > 0 && r.Deadlock == nil {
			r.Deadlock = graphs[i].schedule(t, p)
		}
	}
	r.Interleavings.SetInt64(int64(ended))
	r.Deadlocks.SetInt64(int64(opt.Runs - ended))
	r.estimate(ended)
	return r, nil
}

// A draw makes runs.
type draw struct {
	p      *Program
	opt    *SampleOptions
	random *rand.Rand
	stacks *stacks
	g      *graph
	totals *totals
	trace  []hit
	// how often the run went on with another thread
	switches int

	priorities []float64 // of threads: PCT; of their next steps: POS
	changes    []int     // steps before which PCT lowers a thread
}

// A hit is an access of a run.
type hit struct{ object, distance int32 }

// run makes one, and reports whether it ended.
func (d *draw) run() bool {
	d.begin()
	return d.follow()
}

// begin draws what is drawn before the first step.
func (d *draw) begin() {
	n, depth := len(d.p.Threads), d.opt.Depth
	d.priorities, d.changes = d.priorities[:0], d.changes[:0]
	switch d.opt.Sampler {
	case PCT, PCTDistinct:
		for _, i := range d.random.Perm(n) {
			d.priorities = append(d.priorities, float64(depth+i))
		}
		k := d.g.steps()
		if d.opt.Sampler == PCTDistinct {
			for _, i := range d.random.Perm(k)[:min(k, depth-1)] {
				d.changes = append(d.changes, i+1)
			}
			return
		}
		for range depth - 1 {
			d.changes = append(d.changes, 1+d.random.IntN(k))
		}
	case POS:
		for range n {
			d.priorities = append(d.priorities, d.random.Float64())
		}
	}
}

// steps is how many steps the longest interleaving has.
func (g *graph) steps() int {
	if g.longest == 0 {
		most := make([]int, len(g.nodes))
		for at := len(g.nodes) - 1; at >= 0; at-- {
			for _, e := range g.nodes[at].edges {
				most[at] = max(most[at], most[e.to]+1)
			}
		}
		g.longest = max(1, most[0])
	}
	return g.longest
}

// choose draws the step that comes next; step is its number from 1.
func (d *draw) choose(at int32, step int) *edge {
	edges := d.g.nodes[at].edges
	switch d.opt.Sampler {
	case Uniform:
		ends := d.totals.ends
		left := randomBelow(d.random, ends[at])
		for i := range edges {
			if left.Cmp(ends[edges[i].to]) < 0 {
				return &edges[i]
			}
			left.Sub(left, ends[edges[i].to])
		}
	case PCT, PCTDistinct:
		e := d.highest(edges)
		for i, k := range d.changes {
			if k == step {
				d.priorities[e.thread] = float64(i + 1)
				e = d.highest(edges)
			}
		}
		return e
	case POS:
		e := d.highest(edges)
		for i := range edges {
			if o := &edges[i]; o == e || races(o, e) {
				d.priorities[o.thread] = d.random.Float64()
			}
		}
		return e
	}
	return &edges[d.random.IntN(len(edges))]
}

// races reports whether two steps access the same object or take the same lock. Departure from POS,
// where one of two accesses must be a write: the order of two reads matters to distances.
func races(a, b *edge) bool {
	return a.object != none && a.object == b.object || a.lock != none && a.lock == b.lock
}

func (d *draw) highest(edges []edge) *edge {
	best := &edges[0]
	for i := range edges {
		if d.priorities[edges[i].thread] > d.priorities[best.thread] {
			best = &edges[i]
		}
	}
	return best
}

// randomBelow draws a number from 0 to n-1.
func randomBelow(r *rand.Rand, n *big.Int) *big.Int {
	if n.IsUint64() {
		return new(big.Int).SetUint64(r.Uint64N(n.Uint64()))
	}
	words := (n.BitLen() + 63) / 64
	list, z := make([]uint64, words), new(big.Int)
	for {
		for i := range list {
			list[i] = r.Uint64()
		}
		if extra := words*64 - n.BitLen(); extra > 0 {
			list[words-1] >>= extra
		}
		if word(z, list).Cmp(n) < 0 {
			return z
		}
	}
}

// runSums are over runs, of how many accesses of an object have a distance, c, among its n.
type runSums struct{ cc, cn float64 }

// count adds the accesses of a run.
func (r *Result) count(trace []hit) {
	if r.sums == nil {
		r.sums, r.squares = map[hit]*runSums{}, make([]float64, len(r.Objects))
	}
	of, all := map[hit]float64{}, make([]float64, len(r.Objects))
	for _, h := range trace {
		of[h]++
		all[h.object]++
	}
	for o, n := range all {
		r.squares[o] += n * n
	}
	for h, c := range of {
		x := &r.Objects[h.object].Distances[h.distance-first]
		x.Count.Add(&x.Count.Int, big.NewInt(int64(c)))
		x.Reached.Add(&x.Reached.Int, one)
		s := r.sums[h]
		if s == nil {
			s = &runSums{}
			r.sums[h] = s
		}
		s.cc, s.cn = s.cc+c*c, s.cn+c*all[h.object]
	}
}

var one = big.NewInt(1)

// estimate makes probabilities of what was counted in so many runs. The interval of a share of
// accesses is that of a ratio of two sums over runs, by the normal approximation, since the
// accesses of a run depend on each other; where all runs have the same share, it is Wilson's for as
// many runs.
func (r *Result) estimate(runs int) {
	n := float64(runs)
	for i := range r.Objects {
		o, sum := &r.Objects[i], 0.0
		for d := range o.Distances {
			c, _ := o.Distances[d].Count.Float64()
			sum += c
		}
		r.weight[i] = 1
		for d := range o.Distances {
			x := &o.Distances[d]
			if x.Reached.Sign() == 0 {
				continue
			}
			c, _ := x.Count.Float64()
			k, _ := x.Reached.Float64()
			x.Probability, x.Run = c/sum, Wilson(k, n)
			s := r.sums[hit{int32(i), int32(x.Distance)}]
			square := s.cc - 2*x.Probability*s.cn + x.Probability*x.Probability*r.squares[i]
			e := Wilson(x.Probability*n, n)
			if square > 1e-9*s.cc && runs > 1 {
				half := Z95 * math.Sqrt(square*n/(n-1)) / sum
				e.Low, e.High = max(0, x.Probability-half), min(1, x.Probability+half)
			}
			x.Low, x.High = &e.Low, &e.High
		}
	}
	r.finish()
}

// An Estimate is a probability with its interval.
type Estimate struct {
	Probability float64 `json:"probability"`
	Low         float64 `json:"low"` // of an interval of 95 %
	High        float64 `json:"high"`
}

// Z95 is the quantile of the normal distribution for an interval of 95 %.
const Z95 = 1.959963984540054

// Wilson estimates a probability from k of n runs (Wilson, JASA 1927).
func Wilson(k, n float64) *Estimate {
	const z = Z95
	p := k / n
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return &Estimate{p, max(0, middle-half), min(1, middle+half)}
}

// follow makes a run with the priorities and change points that d has, and reports whether it
// ended.
func (d *draw) follow() bool {
	d.trace, d.switches = d.trace[:0], 0
	at, stack, last := int32(0), int32(0), int32(none)
	for step := 1; d.g.nodes[at].end == goesOn; step++ {
		e := d.choose(at, step)
		if last != none && last != e.thread {
			d.switches++
		}
		last = e.thread
		if e.object != none {
			h := d.stacks.access(stack, e.object)
			d.trace = append(d.trace, hit{e.object, h.distance})
			stack = h.to
		}
		at = e.to
	}
	return d.g.nodes[at].end == done
}
