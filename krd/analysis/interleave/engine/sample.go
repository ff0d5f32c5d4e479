package engine

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"krdlab/hw/failure"
	"krdlab/hw/units"
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
	// Native runs the threads as goroutines, with nothing drawn but inputs: one run of a program.
	// No two results need be the same.
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
	Depth   int // of PCT, at least 1; more than the steps of the program are of little use
	Seed    uint64
	// MemoryBytes is how much memory may be taken, about; 0: 1 GiB.
	MemoryBytes uint64
}

// Sample draws interleavings. The probability of a distance is its share of the accesses that were
// drawn, Reached counts the runs that had it, and Run is the probability that a run has it. Errors:
// an [Error] of the program where a run meets it, [ErrLimit], and [ErrSampler]. Cost: some steps for
// each of the program's, in each run; [Uniform] has a graph of all states first.
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
	memory, err := newAccount(p, opt.MemoryBytes)
	if err != nil {
		return nil, err
	}
	d, err := newDraw(p, opt, memory)
	if err != nil {
		return nil, err
	}
	choices, err := p.choices()
	if err != nil {
		return nil, err
	}
	r := newResult(p, string(opt.Sampler))
	r.Runs, r.Inputs = opt.Runs, choices
	if pct {
		r.Depth = opt.Depth
	}
	graphs, counts := make([]*graph, choices), make([]*totals, choices)
	for c := range choices {
		if opt.Sampler != Uniform {
			break // the others go from a state to the next
		}
		g, err := d.m.build(p.inputs(c), memory)
		if err != nil {
			return nil, err
		}
		t := &totals{}
		if err := g.completions(t, 0, memory); err != nil {
			return nil, err
		}
		graphs[c], counts[c] = g, t
	}
	ended := 0
	for range opt.Runs {
		c := d.random.IntN(choices)
		d.g, d.totals = graphs[c], counts[c]
		if d.totals != nil && d.totals.interleavings.Sign() == 0 {
			return nil, fmt.Errorf("%w: with some input every interleaving deadlocks, and none can be drawn "+
				"uniformly", ErrSampler)
		}
		over, err := d.run(p.inputs(c))
		if err != nil {
			return nil, err
		}
		if over {
			ended++
			if err := r.count(d.hits, memory); err != nil {
				return nil, err
			}
		} else if r.Deadlock == nil {
			for _, t := range d.threads {
				r.Deadlock = append(r.Deadlock, p.Threads[t].Name)
			}
		}
	}
	r.Interleavings.SetInt64(int64(ended))
	r.Deadlocks.SetInt64(int64(opt.Runs - ended))
	r.estimate(ended)
	return r, nil
}

// A trail records a run.
type trail struct {
	lru     *lru
	hits    []hit
	threads []int32 // of each step
}

// step adds one of a thread, with the object that it accesses, or none.
func (t *trail) step(thread, object int32) {
	t.threads = append(t.threads, thread)
	if object != none {
		t.hits = append(t.hits, hit{object, t.lru.access(object)})
	}
}

// A draw makes runs.
type draw struct {
	trail
	opt    SampleOptions
	random *rand.Rand
	m      *machine
	s      *state
	steps  int     // of an interleaving at most
	edges  []edge  // that may come next
	g      *graph  // and
	totals *totals // of [Uniform], with the inputs of the run

	priorities []float64 // of threads: PCT; of their next steps: POS
	changes    []int     // steps before which PCT lowers a thread
}

// newDraw returns a draw without states of the threads.
func newDraw(p *Program, opt SampleOptions, memory *Account) (*draw, error) {
	steps := max(1, p.Steps())
	bytes := 64*float64(steps+len(p.Objects)) + 16*float64(opt.Depth)
	if opt.Sampler == Native {
		bytes += bytesOfGoroutine * float64(len(p.Threads))
	}
	if err := memory.Take(bytes, "a run of %s, depth %d", units.Count(steps, "step"), opt.Depth); err != nil {
		return nil, err
	}
	m := newMachine(p)
	return &draw{trail: trail{lru: newLRU(len(p.Objects), steps)}, opt: opt, steps: steps, m: m,
		s: m.state(), random: rand.New(rand.NewPCG(opt.Seed, 0))}, nil
}

// run makes one with these inputs, and reports whether it ended. The error is an [Error].
func (d *draw) run(inputs []int64) (ended bool, err error) {
	d.begin()
	return d.follow(inputs)
}

// begin makes the draws before the first step.
func (d *draw) begin() {
	n, depth := len(d.m.Threads), d.opt.Depth
	d.priorities, d.changes = d.priorities[:0], d.changes[:0]
	switch d.opt.Sampler {
	case PCT, PCTDistinct:
		for _, i := range d.random.Perm(n) {
			d.priorities = append(d.priorities, float64(depth+i))
		}
		k := d.steps
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

// choose draws the step that comes next, by its number among those of d.edges; step is its number
// from 1. Only [Uniform] asks for the node at which the run is.
func (d *draw) choose(at int32, step int) int {
	edges := d.edges
	switch d.opt.Sampler {
	case Uniform:
		ends := d.totals.ends
		left := randomBelow(d.random, &ends[at])
		for i, e := range d.g.nodes[at].edges {
			if left.Cmp(&ends[e.to]) < 0 {
				return i
			}
			left.Sub(left, &ends[e.to])
		}
	case PCT, PCTDistinct:
		e := d.highest(edges)
		for i, k := range d.changes {
			if k == step {
				d.priorities[edges[e].thread] = float64(i + 1)
				e = d.highest(edges)
			}
		}
		return e
	case POS:
		e := d.highest(edges)
		for i := range edges {
			if i == e || races(&edges[i], &edges[e]) {
				d.priorities[edges[i].thread] = d.random.Float64()
			}
		}
		return e
	}
	return d.random.IntN(len(edges))
}

// races reports whether two steps access the same object or take the same lock. Departure from POS,
// where one of two accesses must be a write: the order of two reads matters to distances.
func races(a, b *edge) bool {
	return a.object != none && a.object == b.object || a.lock != none && a.lock == b.lock
}

func (d *draw) highest(edges []edge) (best int) {
	for i := range edges {
		if d.priorities[edges[i].thread] > d.priorities[edges[best].thread] {
			best = i
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

// count adds the accesses of a run. The error is [ErrLimit].
func (r *Result) count(run []hit, memory *Account) error {
	if r.run == nil {
		r.run, r.squares = make([]float64, len(r.Objects)), make([]float64, len(r.Objects))
	}
	of := map[hit]float64{}
	for _, h := range run {
		of[h]++
		r.run[h.object]++
	}
	for h, c := range of {
		x, err := r.hits.of(h, memory)
		if err != nil {
			return err
		}
		x.accesses.Add(&x.accesses, big.NewInt(int64(c)))
		x.reached.Add(&x.reached, one)
		x.cc, x.cn = x.cc+c*c, x.cn+c*r.run[h.object]
	}
	for _, h := range run {
		n := r.run[h.object]
		r.run[h.object] = 0 // once for each object
		r.squares[h.object] += n * n
		r.Objects[h.object].Accesses = max(r.Objects[h.object].Accesses, int(n))
	}
	return nil
}

var one = big.NewInt(1)

// estimate makes probabilities of what was counted in so many runs. The interval of a share of
// accesses is that of a ratio of two sums over runs, by the normal approximation, since the
// accesses of a run depend on each other; where all runs have the same share, it is Wilson's for as
// many runs.
func (r *Result) estimate(runs int) {
	n, sums := float64(runs), make([]float64, len(r.Objects))
	for h, x := range r.hits {
		c, _ := x.accesses.Float64()
		sums[h.object] += c
		r.weight[h.object] = 1
	}
	for h, x := range r.hits {
		c, _ := x.accesses.Float64()
		x.probability = c / sums[h.object]
	}
	r.finish()
	for i := range r.Objects {
		for d := range r.Objects[i].Distances {
			x := &r.Objects[i].Distances[d]
			k, _ := x.Reached.Float64()
			x.Run = Wilson(k, n)
			s := r.hits[hit{int32(i), int32(x.Distance)}]
			square := s.cc - 2*x.Probability*s.cn + x.Probability*x.Probability*r.squares[i]
			e := Wilson(x.Probability*n, n)
			if square > 1e-9*s.cc && runs > 1 {
				half := Z95 * math.Sqrt(square*n/(n-1)) / sums[i]
				e.Low, e.High = max(0, x.Probability-half), min(1, x.Probability+half)
			}
			x.Low, x.High = &e.Low, &e.High
		}
	}
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
// ended. The error is an [Error].
func (d *draw) follow(inputs []int64) (ended bool, err error) {
	d.lru.reset()
	d.hits, d.threads = d.hits[:0], d.threads[:0]
	if err := d.m.begin(d.s, inputs); err != nil {
		return false, err
	}
	if d.opt.Sampler == Native {
		return runNative(d.m, d.s, &d.trail)
	}
	at := int32(0)
	for step := 1; ; step++ {
		if d.edges = d.m.edges(d.s, d.edges[:0]); len(d.edges) == 0 {
			return d.m.ended(d.s), nil
		}
		i := d.choose(at, step)
		e := &d.edges[i]
		d.step(e.thread, e.object)
		if err := d.m.step(d.s, int(e.thread)); err != nil {
			return false, err
		}
		if d.g != nil {
			at = d.g.nodes[at].edges[i].to
		}
	}
}
