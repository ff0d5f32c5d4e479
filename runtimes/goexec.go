package runtimes

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"krdlab/hw"
	"krdlab/loi"
)

// goRun is a run under Go's own scheduler. Each goroutine has a Worker while it lives, from a
// sync.Pool; records of kernels are kept by CPU, as RDTSCP names it at their end, since that is
// where they touched the caches.
type goRun struct {
	workers sync.Pool
	pool    *pool // for Worker.Workers, the stamps of the run and the first error
	cpus    []goCPU

	mu  sync.Mutex
	all []*Worker // every worker ever made, for the counts

	stopped   atomic.Bool
	disturbed atomic.Uint64
}

// goCPU holds the records of one CPU. The goroutine that holds lock writes; two hold it at once
// only if one was moved away between the end of its kernel and here.
type goCPU struct {
	_    [cacheLine]byte
	lock spinLock
	last uint64 // end of the latest kernel
	prof *loi.Profile
	rec  *loi.Recorder
	_    [cacheLine]byte
}

// runGo works like Run, for the policy go.
func runGo(ctx context.Context, c Config, prog Program) (*Result, error) {
	p, err := newPool(c.Policy, places{nodes: c.Nodes, distance: c.Distance,
		socket: c.Socket}, c.Seed, len(c.Kernels))
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	p.structure = c.Structure
	g := &goRun{pool: p}
	ncpu := 1
	for _, cpu := range c.CPUs {
		ncpu = max(ncpu, cpu+1)
	}
	if aff, err := hw.Affinity(); err == nil && len(aff) > 0 {
		ncpu = max(ncpu, aff[len(aff)-1]+1)
	}
	g.cpus = make([]goCPU, max(ncpu, len(c.Recorders)))
	for i := range g.cpus {
		g.cpus[i].prof = loi.NewProfile(len(c.Kernels))
		if i < len(c.Recorders) {
			g.cpus[i].rec = c.Recorders[i]
		}
	}
	var made atomic.Int64
	g.workers.New = func() any {
		w := &Worker{stamper: newStamper(0, len(c.Kernels)), pool: p, rules: p.rules}
		w.gor = g
		switch {
		case c.Tracing == TraceOff:
		case c.TaskGrain:
			w.mode = stampTask
			w.byTask(len(c.Kernels), c.SampleEvery, c.Tracing == TraceFull,
				NewRand(c.Seed, int(made.Add(1))))
		default:
			w.mode = stampGo
		}
		g.mu.Lock()
		g.all = append(g.all, w)
		g.mu.Unlock()
		return w
	}
	runtime.GC()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(len(c.CPUs)))
	stopWatch := context.AfterFunc(ctx, func() { p.cancel(); g.stopped.Store(true) })
	defer stopWatch()

	root := p.newRoot(prog)
	done := make(chan struct{})
	go func() {
		defer close(done)
		w, ended := g.get(), false
		defer g.guard(w, c.Kernels, &ended)
		p.began.Store(hw.TSC())
		g.run(w, root, c.Kernels)
		p.finish()
		ended = true
	}()
	<-done
	stopWatch()
	if err := p.failure(); err != nil {
		return nil, err
	}
	return g.result(c), nil
}

func (g *goRun) get() *Worker { return g.workers.Get().(*Worker) }

// guard turns a panic, or the end of a goroutine before its time, into the error of the run, and
// gives the worker back.
func (g *goRun) guard(w *Worker, kernels []loi.Kernel, ended *bool) {
	v := died(recover(), *ended)
	if v == nil {
		g.workers.Put(w)
		return
	}
	g.pool.fail(w.panicError(v, kernels, -1))
	g.stopped.Store(true)
}

// run executes frame f and all below it; the spawned children of each phase on goroutines of their
// own.
func (g *goRun) run(w *Worker, f *Frame, kernels []loi.Kernel) {
	f.phase = 0
	if f.n < 1 {
		badFork(f.n)
	}
	for {
		if n := int(f.n) - 1; n > 0 {
			var wg sync.WaitGroup
			wg.Add(n)
			w.spawns += uint64(n)
			for i := range n {
				go func() {
					defer wg.Done()
					w, ended := g.get(), false
					defer g.guard(w, kernels, &ended)
					g.child(w, f, i, kernels)
					ended = true
				}()
			}
			g.last(w, f, n, kernels, &wg)
		} else {
			g.child(w, f, 0, kernels)
		}
		if g.stopped.Load() {
			return
		}
		n := f.task.Next(w, int(f.phase))
		if n == 0 {
			w.retire(f)
			return
		}
		f.n = int32(n)
		f.phase++
	}
}

// last calls the last child and waits for the others, also if it panics.
func (g *goRun) last(w *Worker, f *Frame, i int, kernels []loi.Kernel, wg *sync.WaitGroup) {
	defer wg.Wait()
	g.child(w, f, i, kernels)
}

func (g *goRun) child(w *Worker, f *Frame, i int, kernels []loi.Kernel) {
	if g.stopped.Load() {
		return
	}
	w.tasks++
	if c := f.task.Run(w, i); c != nil {
		g.run(w, c, kernels)
	}
}

// record keeps a kernel that ends now. It is disturbed if it ends on another CPU than it began on,
// or if another kernel ran on this CPU between its start and its end.
func (g *goRun) record(s *stamper, k loi.KernelID, start uint64, blocks []uint32) {
	g.end(s, start, func(c *goCPU, end uint64, flags loi.Flags) {
		c.prof.Add(k, start, end)
		if c.rec != nil {
			c.rec.KernelFlags(k, flags, start, end, blocks...)
			s.tell(c, end)
		}
	})
}

// recordTask keeps a task that ends now. Tasks that were disturbed are counted and not marked in
// the trace.
func (g *goRun) recordTask(s *stamper, start uint64) {
	calls := s.inTask
	g.end(s, start, func(c *goCPU, end uint64, _ loi.Flags) {
		calls.ticks += end - start
		if c.rec != nil && calls.list.Len() > 0 {
			c.rec.Task(start, end, &calls.list)
			s.tell(c, end)
		}
	})
}

// enter returns the time, and what ran on the CPU that the goroutine is on, until it is released.
func (g *goRun) enter() (at uint64, c *goCPU, cpu int) {
	at, cpu = hw.TSCP()
	c = &g.cpus[0]
	if cpu >= 0 && cpu < len(g.cpus) {
		c = &g.cpus[cpu]
	}
	for !c.lock.try() {
		runtime.Gosched() // not a spin: the holder may be a goroutine that waits for this P
	}
	return at, c, cpu
}

// release lets others at c, which may be nil.
func (c *goCPU) release() {
	if c != nil {
		c.lock.release()
	}
}

// tell records the piece of the program that the latest record of c belongs to, if that is asked
// for.
func (s *stamper) tell(c *goCPU, at uint64) {
	if s.gor.pool.structure.Tasks {
		c.rec.Of(at, s.of.task, s.of.phase, s.of.child)
	}
}

// end stamps the end of what began at start and calls keep with the CPU that it ended on, under its
// lock.
func (g *goRun) end(s *stamper, start uint64, keep func(c *goCPU, end uint64, flags loi.Flags)) {
	end, c, cpu := g.enter()
	moved := cpu != s.cpu0
	preempted := start < c.last
	c.last = max(c.last, end)
	var flags loi.Flags
	if moved {
		flags |= loi.Moved
	}
	if preempted {
		flags |= loi.Preempted
	}
	keep(c, end, flags)
	c.release()
	if moved || preempted {
		g.disturbed.Add(1)
	}
}

func (g *goRun) result(c Config) *Result {
	p := g.pool
	ns := c.Clock.NS
	r := &Result{TimeNS: ns(p.ended.Load() - p.began.Load()), WorkNS: -1,
		Kernels: make([]KernelResult, len(c.Kernels)), Disturbed: g.disturbed.Load()}
	ticks := make([]uint64, len(c.Kernels))
	var work uint64
	add := func(prof *loi.Profile) {
		for k := range c.Kernels {
			t := prof.Kernel(loi.KernelID(k))
			r.Kernels[k].Count += t.Count
			ticks[k] += t.Ticks
			work += t.Ticks
		}
	}
	for i := range g.cpus {
		add(g.cpus[i].prof)
	}
	var samples []*loi.Profile
	for _, w := range g.all {
		add(w.prof)
		if w.inTask != nil {
			work += w.inTask.ticks
			for k, n := range w.inTask.counts {
				r.Kernels[k].Count += n
			}
			samples = append(samples, w.inTask.sampled)
		}
		r.Tasks += w.tasks
		r.Spawns += w.spawns
	}
	stamped := c.Tracing != TraceOff
	if stamped {
		r.WorkNS = ns(work)
	}
	r.countOpen(g.all)
	r.finishKernels(c.Kernels, ticks, stamped, ns)
	r.estimateKernels(samples, ns)
	return r
}
