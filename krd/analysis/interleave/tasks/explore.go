package tasks

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"krdlab/hw/units"
	"krdlab/krd/analysis/interleave/engine"
)

// Options of [Explore].
type Options struct {
	Nodes    []int // of each worker; one worker: all share a stack
	Samplers []Sampler
	Depth    int // of PCT; 0 is 5
	Runs     int // of each sampler
	Search   int // schedules to try for each end of the range
	// Enumerate goes through all schedules where there are at most so many, of at most
	// [MaxEnumerated] vertices, and memory suffices; with All it is an error if it does not.
	Enumerate int
	All       bool
	Seed      uint64
	Memory    *engine.Account          // what is allocated is taken from it before the first schedule; nil: 1 GiB
	Progress  func(done, total uint64) // may be nil
}

// MaxEnumerated is of how many vertices all schedules may be gone through.
const MaxEnumerated = 100

// A Kind is where the schedules of a group are from.
type Kind string

// The kinds.
const (
	KindAll     Kind = "all" // all that there are
	KindSampler Kind = "sampler"
	KindSearch  Kind = "search"
	KindGiven   Kind = "scheduler"
)

// A Group is schedules that have something in common.
type Group struct {
	Name string // of the sampler, or of who made the schedules; otherwise the kind
	Kind Kind
	Runs []Outcome
	// Accesses by object and distance, over all runs: bins as in [krd.Histogram], then cold ones.
	Counts [][bins + 1]uint64
	// by object and bin, over runs: squares of the counts, and runs that have any
	squares [][bins + 1]float64
	reached [][bins + 1]int
	// by block: the least and the largest finite distance plus 1, 0 for none
	least, most []uint64
}

// An Extreme is the schedule with the fewest accesses beyond the LLC, or the most, and whose it is.
type Extreme struct {
	*Schedule
	Outcome
	Group string
}

// An Exploration holds the outcomes of schedules of a DAG, on the same nodes.
type Exploration struct {
	*DAG
	Options
	Groups      []*Group
	Least, Most *Extreme
	// Complete: the groups have all schedules, and so the range is exact.
	Complete bool
}

// Given are schedules that the caller made.
type Given struct {
	Name      string
	Schedules []*Schedule
}

// bytes returns the memory of groups of so many runs, which stays, and that of measuring and
// drawing on each core.
func (d *DAG) bytes(nodes int, runs ...int) float64 {
	objects, units, vertices := float64(len(d.Objects)), float64(len(d.sizes)), float64(d.Vertices())
	group := 4*8*(bins+1)*objects + 16*units + 32*vertices
	core := float64(nodes)*72*units + 20*float64(len(d.units)) + 100*float64(len(d.nodes)) + 100*vertices
	cores := float64(max(2, runtime.GOMAXPROCS(0)))
	sum := cores * (core + group)
	for _, n := range runs {
		sum += group + float64(n)*d.bytesPerRun()
	}
	return sum
}

// bytesPerRun returns the memory of a schedule's outcome, and of sorting it.
func (d *DAG) bytesPerRun() float64 { return float64(80 + 16*len(d.Objects)) }

// Explore draws schedules, searches for the ends of the range, and measures those that are given.
// The result depends on the arguments alone. The error is [engine.ErrLimit], or that of ctx. Cost: that of a schedule and its distances for each of
// Runs and Search and those that are given, on all cores.
func Explore(ctx context.Context, d *DAG, given []Given, opt Options) (*Exploration, error) {
	opt.Depth = cmp.Or(opt.Depth, 5)
	if opt.Memory == nil {
		opt.Memory = engine.NewAccount(0)
	}
	x := &Exploration{DAG: d, Options: opt}
	runs := append(slices.Repeat([]int{opt.Runs}, len(opt.Samplers)), 2*opt.Search)
	for _, g := range given {
		runs = append(runs, len(g.Schedules))
	}
	total := uint64(0)
	for _, n := range runs {
		total += uint64(n)
	}
	if err := opt.Memory.Take(d.bytes(slices.Max(opt.Nodes)+1, runs...), "%s of %s and %d accesses; ask for fewer "+
		"--runs, or more --memory", units.Count(int(total), "schedule"), units.Count(d.Vertices(), "piece"),
		d.Accesses()); err != nil {
		return nil, err
	}
	s := &session{x: x, ctx: ctx, total: total}
	if err := s.enumerate(); err != nil {
		return nil, err
	}
	workers := len(opt.Nodes)
	for _, by := range opt.Samplers {
		if err := s.group(string(by), KindSampler, opt.Runs, func(r *runner, run int) {
			if r.drawer == nil {
				r.drawer, r.schedule = newDrawer(d, workers, opt.Depth), newSchedule(d.Vertices())
			}
			r.drawer.draw(by, newRandom(opt.Seed, uint64(run)), r.schedule)
			r.measure(run, r.schedule)
		}); err != nil {
			return nil, err
		}
	}
	if opt.Search > 0 {
		// both ends at once, and each is a run after the other
		if err := s.group(string(KindSearch), KindSearch, 2*opt.Search, nil); err != nil {
			return nil, err
		}
	}
	for _, g := range given {
		if err := s.group(g.Name, KindGiven, len(g.Schedules), func(r *runner, run int) {
			r.measure(run, g.Schedules[run])
		}); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// A session is a call of Explore.
type session struct {
	x     *Exploration
	ctx   context.Context
	total uint64
	done  atomic.Uint64
	mu    sync.Mutex // guards calls of Progress
}

// A runner measures on one thread.
type runner struct {
	*session
	group    *Group // of its own
	meter    *meter
	out      []Outcome // of all runs; each has its place
	drawer   *drawer
	schedule *Schedule
	least    *found
	most     *found
}

// found is the best of a runner.
type found struct {
	value uint64
	run   int
	Extreme
}

func (s *session) runner(name string, kind Kind, out []Outcome) *runner {
	objects := len(s.x.Objects)
	m := newMeter(s.x.DAG, s.x.Options.Nodes)
	return &runner{session: s, meter: m, out: out, group: &Group{Name: name, Kind: kind,
		Counts:  m.counts,
		squares: make([][bins + 1]float64, objects), reached: make([][bins + 1]int, objects),
		least: m.least, most: m.most}}
}

// measure measures the schedule of a run.
func (r *runner) measure(run int, s *Schedule) uint64 {
	o := r.meter.measure(s)
	r.out[run] = o
	for i := range r.meter.run {
		for k, n := range r.meter.run[i] {
			r.group.squares[i][k] += float64(n) * float64(n)
			if n > 0 {
				r.group.reached[i][k]++
			}
		}
	}
	v := o.Beyond(-1)
	if r.least == nil || v < r.least.value {
		r.least = &found{v, run, Extreme{s.clone(), o, r.group.Name}}
	}
	if r.most == nil || v > r.most.value {
		r.most = &found{v, run, Extreme{s.clone(), o, r.group.Name}}
	}
	done := r.done.Add(1)
	if p := r.x.Progress; p != nil {
		r.mu.Lock()
		p(done, max(done, r.total))
		r.mu.Unlock()
	}
	return v
}

// group makes a group of so many runs: those of each, dealt out to the cores, or, without, of a
// search.
func (s *session) group(name string, kind Kind, runs int, each func(r *runner, run int)) error {
	out := make([]Outcome, runs)
	n := min(runtime.GOMAXPROCS(0), runs)
	if each == nil {
		n = 2
	}
	list := make([]*runner, n)
	var next atomic.Int64
	var wg sync.WaitGroup
	for i := range list {
		r := s.runner(name, kind, out)
		list[i] = r
		wg.Go(func() {
			if each == nil {
				run := i * s.x.Search
				newSearcher(s.x.DAG, s.x.Options.Nodes, i == 1, newRandom(s.x.Seed, uint64(i))).run(
					s.x.Search, func(x *Schedule) uint64 {
						if s.ctx.Err() != nil {
							return 0
						}
						run++
						return r.measure(run-1, x)
					})
				return
			}
			for run := int(next.Add(1) - 1); run < runs && s.ctx.Err() == nil; run = int(next.Add(1) - 1) {
				each(r, run)
			}
		})
	}
	wg.Wait()
	if err := s.ctx.Err(); err != nil {
		return err
	}
	g := list[0].group
	g.Runs = out
	for _, r := range list[1:] {
		g.merge(r.group)
	}
	s.add(g, list)
	return nil
}

// add adds a group with the extremes that its runners found.
func (s *session) add(g *Group, list []*runner) {
	x := s.x
	x.Groups = append(x.Groups, g)
	var least, most *found
	for _, r := range list {
		if f := r.least; f != nil && (least == nil || cmp.Or(cmp.Compare(f.value, least.value),
			cmp.Compare(f.run, least.run)) < 0) {
			least = f
		}
		if f := r.most; f != nil && (most == nil || cmp.Or(cmp.Compare(most.value, f.value),
			cmp.Compare(f.run, most.run)) < 0) {
			most = f
		}
	}
	if least != nil && (x.Least == nil || least.value < x.Least.Beyond(-1)) {
		x.Least = &least.Extreme
	}
	if most != nil && (x.Most == nil || most.value > x.Most.Beyond(-1)) {
		x.Most = &most.Extreme
	}
}

// merge adds what another runner counted.
func (g *Group) merge(o *Group) {
	for i := range g.Counts {
		for k := range g.Counts[i] {
			g.Counts[i][k] += o.Counts[i][k]
			g.squares[i][k] += o.squares[i][k]
			g.reached[i][k] += o.reached[i][k]
		}
	}
	for b, v := range o.least {
		if v != 0 && (g.least[b] == 0 || v < g.least[b]) {
			g.least[b] = v
		}
		g.most[b] = max(g.most[b], o.most[b])
	}
}

// enumerated returns the workers that enumeration uses: where each node has as many workers as the
// others one of each stands for all, as the distances are the same.
func enumerated(nodes []int) (of []int) {
	count := map[int]int{}
	for w, n := range nodes {
		if count[n]++; count[n] == 1 {
			of = append(of, w)
		}
	}
	if !slices.ContainsFunc(nodes, func(n int) bool { return count[n] != count[nodes[0]] }) {
		return of
	}
	of = nil
	for w := range nodes {
		of = append(of, w)
	}
	return of
}

// Enumerable returns how many schedules would be gone through with workers on these nodes, as the
// power of ten, and whether they are at most limit, of few enough vertices.
func (d *DAG) Enumerable(nodes []int, limit int) (log10 float64, ok bool) {
	of := len(enumerated(nodes))
	log10 = d.Log10Schedules(of)
	return log10, d.Vertices() <= MaxEnumerated && log10 < 18 &&
		d.Schedules(of).Uint64() <= uint64(limit)
}

// enumerate makes the group of all schedules, if there are few enough.
func (s *session) enumerate() error {
	x := s.x
	if _, ok := x.Enumerable(x.Options.Nodes, x.Options.Enumerate); !ok {
		return nil
	}
	of := enumerated(x.Options.Nodes)
	runs := x.Schedules(len(of)).Uint64()
	bytes := x.bytes(0, int(runs))
	if !x.All && x.Memory.Left() < bytes {
		return nil
	}
	if err := x.Memory.Take(bytes, "%s", units.Count(int(runs), "schedule")); err != nil {
		return err
	}
	s.total += runs
	r := s.runner(string(KindAll), KindAll, make([]Outcome, runs))
	run, mapped := 0, newSchedule(x.Vertices())
	x.enumerate(len(of), func(e *Schedule) bool {
		mapped.Order = e.Order
		for v, w := range e.Worker {
			mapped.Worker[v] = uint16(of[w])
		}
		r.measure(run, mapped)
		run++
		return s.ctx.Err() == nil
	})
	if err := s.ctx.Err(); err != nil {
		return err
	}
	r.group.Runs = r.out
	x.Complete = true
	s.add(r.group, []*runner{r})
	return nil
}
