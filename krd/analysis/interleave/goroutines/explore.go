package goroutines

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"krdlab/hw/failure"
	"krdlab/hw/units"
	"krdlab/krd/analysis/interleave/engine"
	"krdlab/krd/analysis/interleave/tasks"
)

// Samplers are those of package tasks that draw schedules of goroutines: the walk draws the next
// among the pieces that may run, PCT gives goroutines priorities.
var Samplers = []tasks.Sampler{tasks.Walk, tasks.PCT}

// Options of [Explore].
type Options struct {
	Samplers []tasks.Sampler
	Depth    int // of PCT; 0 is 5
	Runs     int // of each sampler
	Search   int // schedules to try for each end of the range, where some are drawn
	// For goes on with further searches, of other seeds, until so much time is over since Explore began; the
	// result depends on the computer then. 0: one search.
	For time.Duration
	// Enumerate goes through all schedules where there are at most so many, of at most
	// [tasks.MaxEnumerated] pieces, and none is long; with All of long ones too, and it is an error if
	// there are more.
	Enumerate int
	All       bool
	Seed      uint64
	Memory    *engine.Account          // nil: 1 GiB
	Progress  func(done, total uint64) // may be nil
}

// A Range is a measure over schedules.
type Range struct{ Minimum, Maximum, Sum uint64 }

func (r *Range) add(v uint64) {
	r.Minimum, r.Maximum, r.Sum = min(r.Minimum, v), max(r.Maximum, v), r.Sum+v
}

func (r *Range) merge(x *Range) {
	r.Minimum, r.Maximum, r.Sum = min(r.Minimum, x.Minimum), max(r.Maximum, x.Maximum), r.Sum+x.Sum
}

// Found has the ranges over schedules of an object, a type, a function, or all.
type Found struct {
	Ranges      [Measures]Range
	Reuses      Range   // of a function they depend on the schedule
	Near, Far   float64 // the least and the largest mean distance of a schedule, in bytes; Near > Far: no reuse
	Least, Most uint64  // distances in any schedule, as in [Outcome]
}

// A Group is schedules that have something in common.
type Group struct {
	Name string // of the sampler; otherwise the kind, or that they are the recorded one
	Kind tasks.Kind
	Runs int // that ended
	// Deadlocks did not: goroutines that have not ended wait for each other, whatever is kept as recorded.
	Deadlocks int
	// Stuck could not end with what is kept as recorded.
	Stuck                     int
	Objects, Types, Functions []Found // as in the program
	Total                     *Found

	rows []Found // all of these, as outcomes have them
}

// Where a piece has more than whole accesses, and more than one of so many parts of all, some schedules are
// drawn, of the program with pieces cut at that part, or at leastCut. With longer ones the mean distance
// of a pool of workers, each in step with the others, is beyond the range (TestNativeInRange).
const (
	cuts     = 10_000
	whole    = 64
	leastCut = 8
)

// Recorded is the name of the group with the schedule of the trace: its accesses in their order, which
// may interrupt pieces.
const Recorded = "recorded"

// An Exploration holds what schedules of a program come to.
type Exploration struct {
	*Program
	Groups []*Group
	// Complete: the first group has all schedules, and so the range is exact.
	Complete bool
}

// bytesOfRunner is the memory of a runner and its meter, about.
func (p *Program) bytesOfRunner() float64 {
	return 16*float64(len(p.of)) + 24*float64(len(p.sizes)) + 4*float64(p.pairs) +
		12*float64(len(p.units)) + 8*float64(len(p.sizes)) + 16*float64(p.locks) + 150*float64(p.Rows())
}

// Explore measures the recorded schedule and, where they are few, all schedules; otherwise it draws
// some, of the program with its long pieces cut. Without For, the result depends on the arguments
// alone. Errors:
// [engine.ErrLimit], one of [failure.Request] for Options.All, that of ctx. Cost: that of a schedule
// and its distances for each of Runs, on all cores.
func Explore(ctx context.Context, p *Program, opt Options) (*Exploration, error) {
	began := time.Now()
	opt.Depth = cmp.Or(opt.Depth, 5)
	if opt.Memory == nil {
		opt.Memory = engine.NewAccount(0)
	}
	n, few, cut := 0, false, max(leastCut, p.Accesses()/cuts)
	if opt.All || p.Longest() <= max(whole, cut) {
		n, few = p.count(ctx, opt.Enumerate)
	}
	if !few {
		p = p.Cut(cut)
	}
	cores := runtime.GOMAXPROCS(0)
	if err := opt.Memory.Take(float64(cores)*p.bytesOfRunner(), "schedules of %s and %d accesses on %s",
		units.Count(p.choices, "piece"), p.Accesses(), units.Count(cores, "core")); err != nil {
		return nil, err
	}
	x := &Exploration{Program: p}
	g := newGroup(Recorded, tasks.KindGiven, p)
	g.add(newMeter(p).recorded())
	if few {
		e := &enumerator{}
		all := newSession(x, ctx, opt, 1)
		x.Groups = append(x.Groups, all.group(string(tasks.KindAll), tasks.KindAll, n, func(r *drawer, _ int) bool {
			ok := r.run(e.choose)
			e.next()
			return ok
		}))
		x.Complete = true
	} else if opt.All {
		return nil, failure.Errorf(failure.Request, "--enumerate: there are more than %s schedules, or more than "+
			"%s of %s pieces; leave it out, and some are drawn", units.Grouped(uint64(opt.Enumerate)),
			units.Grouped(tasks.MaxEnumerated), units.Grouped(uint64(p.choices)))
	}
	if !x.Complete {
		s := newSession(x, ctx, opt, cores)
		for _, by := range opt.Samplers {
			x.Groups = append(x.Groups, s.group(string(by), tasks.KindSampler, opt.Runs, func(r *drawer, run int) bool {
				r.seed(opt.Seed, uint64(run), by)
				if by == tasks.PCT {
					return r.run(r.pct)
				}
				return r.run(r.walk)
			}))
		}
		if opt.Search > 0 {
			found := s.search(opt.Search)
			for ctx.Err() == nil && time.Since(began) < opt.For {
				s.opt.Seed++
				found.merge(s.search(opt.Search))
			}
			x.Groups = append(x.Groups, found)
		}
	}
	x.Groups = append(x.Groups, g)
	return x, ctx.Err()
}

// An enumerator goes through the choices of all schedules, in the order of their numbers.
type enumerator struct {
	path, of []int // what is chosen at each piece, and of how many
	at       int
}

func (e *enumerator) choose(r *runner) int {
	if e.at == len(e.path) {
		e.path, e.of = append(e.path, 0), append(e.of, len(r.enabled))
	}
	e.at++
	return e.path[e.at-1]
}

// next goes to the next schedule, and reports false if that was the last.
func (e *enumerator) next() bool {
	n := e.at
	for n > 0 && e.path[n-1]+1 == e.of[n-1] {
		n--
	}
	e.path, e.of, e.at = e.path[:n], e.of[:n], 0
	if n == 0 {
		return false
	}
	e.path[n-1]++
	return true
}

// count returns how many schedules there are, with those that do not end; false if they are more
// than limit, or of too many pieces.
func (p *Program) count(ctx context.Context, limit int) (n int, few bool) {
	if p.choices > tasks.MaxEnumerated {
		return 0, false
	}
	e, r := &enumerator{}, newRunner(p)
	for more := true; more; n++ {
		if n == limit || n%1024 == 0 && ctx.Err() != nil {
			return n, false
		}
		r.run(e.choose)
		more = e.next()
	}
	return n, true
}

// A drawer draws schedules and measures them, on one thread.
type drawer struct {
	*runner
	meter    *meter
	random   *rand.PCG
	rand     *rand.Rand
	depth    int
	priority []uint64       // of goroutines
	changes  map[int]uint64 // priorities of those that run at a step
}

// seed begins another schedule.
func (d *drawer) seed(seed, run uint64, by tasks.Sampler) {
	d.random.Seed(seed, run)
	if by != tasks.PCT {
		return
	}
	for g := range d.priority {
		d.priority[g] = d.rand.Uint64() | 1<<63
	}
	clear(d.changes)
	for k := 1; k < d.depth; k++ {
		d.changes[d.rand.IntN(d.choices)] = uint64(d.depth - k)
	}
}

func (d *drawer) walk(r *runner) int { return d.rand.IntN(len(r.enabled)) }

// pct chooses the piece of the goroutine with the highest priority.
func (d *drawer) pct(r *runner) int {
	highest := func() int {
		best := 0
		for k, i := range r.enabled {
			if d.priority[r.of[i]] > d.priority[r.of[r.enabled[best]]] {
				best = k
			}
		}
		return best
	}
	if p, ok := d.changes[len(r.order)]; ok {
		d.priority[r.of[r.enabled[highest()]]] = p
	}
	return highest()
}

// A session measures schedules on several threads.
type session struct {
	x        *Exploration
	ctx      context.Context
	opt      Options
	drawers  []*drawer
	mu       sync.Mutex // guards calls of Progress
	progress uint64
}

func newSession(x *Exploration, ctx context.Context, opt Options, cores int) *session {
	s := &session{x: x, ctx: ctx, opt: opt}
	for range cores {
		random := rand.NewPCG(0, 0)
		s.drawers = append(s.drawers, &drawer{runner: newRunner(x.Program), meter: newMeter(x.Program), random: random,
			rand: rand.New(random), depth: opt.Depth, priority: make([]uint64, len(x.first)-1),
			changes: map[int]uint64{}})
	}
	return s
}

// group makes a group of so many schedules, dealt out to the threads; each reports whether its schedule
// ended.
func (s *session) group(name string, kind tasks.Kind, runs int, each func(r *drawer, run int) bool) *Group {
	list := make([]*Group, len(s.drawers))
	var next atomic.Int64
	var wg sync.WaitGroup
	for i, d := range s.drawers {
		g := newGroup(name, kind, s.x.Program)
		list[i] = g
		wg.Go(func() {
			for run := int(next.Add(1) - 1); run < runs && s.ctx.Err() == nil; run = int(next.Add(1) - 1) {
				if each(d, run) {
					g.add(d.meter.measure(d.order))
				} else {
					g.stop(d.runner)
				}
				s.tell(uint64(runs))
			}
		})
	}
	wg.Wait()
	for _, g := range list[1:] {
		list[0].merge(g)
	}
	return list[0]
}

func (s *session) tell(total uint64) {
	if s.opt.Progress != nil {
		s.mu.Lock()
		s.progress++
		s.opt.Progress(s.progress, max(total, s.progress))
		s.mu.Unlock()
	}
}

func newGroup(name string, kind tasks.Kind, p *Program) *Group {
	none := Found{Least: math.MaxUint64, Near: math.Inf(1), Far: math.Inf(-1)}
	for k := range none.Ranges {
		none.Ranges[k].Minimum = math.MaxUint64
	}
	none.Reuses.Minimum = math.MaxUint64
	rows := slices.Repeat([]Found{none}, p.Rows())
	types := len(p.Objects)
	functions, all := types+len(p.Types), len(rows)-1
	return &Group{Name: name, Kind: kind, Objects: rows[:types], Types: rows[types:functions],
		Functions: rows[functions:all], Total: &rows[all], rows: rows}
}

// add adds a schedule.
func (g *Group) add(of []Outcome) {
	g.Runs++
	for i := range of {
		f := &g.rows[i]
		for k, v := range of[i].Values {
			f.Ranges[k].add(v)
		}
		f.Reuses.add(of[i].Reuses)
		f.Least, f.Most = min(f.Least, of[i].Least), max(f.Most, of[i].Most)
		if of[i].Reuses > 0 {
			mean := float64(of[i].Values[Distance]) / float64(of[i].Reuses)
			f.Near, f.Far = min(f.Near, mean), max(f.Far, mean)
		}
	}
}

// stop adds a schedule that did not end.
func (g *Group) stop(r *runner) {
	if r.deadlocked() {
		g.Deadlocks++
	} else {
		g.Stuck++
	}
}

// merge adds what another thread found.
func (g *Group) merge(o *Group) {
	g.Runs += o.Runs
	g.Stuck += o.Stuck
	g.Deadlocks += o.Deadlocks
	for i := range g.rows {
		f, x := &g.rows[i], &o.rows[i]
		for k := range x.Ranges {
			f.Ranges[k].merge(&x.Ranges[k])
		}
		f.Reuses.merge(&x.Reuses)
		f.Least, f.Most = min(f.Least, x.Least), max(f.Most, x.Most)
		f.Near, f.Far = min(f.Near, x.Near), max(f.Far, x.Far)
	}
}
