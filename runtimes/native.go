package runtimes

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"

	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/loi"
)

// Tracing records what the workers of a run note down about kernels.
type Tracing int

const (
	TraceOff     Tracing = iota // counts only
	TraceProfile                // counts and times for each kernel
	TraceFull                   // and a record of each execution
)

// Config is a run on threads.
type Config struct {
	Policy Policy // a [Scheduler], or a policy of its own
	// CPUs is where the workers are pinned, one each; -1 is not pinned. The policy go takes the
	// number of workers from it and pins none.
	CPUs []int
	// Nodes is the node of each worker, which need not be that of its CPU.
	Nodes []int
	// Distance records how far node b is from node a, 0 for the same; only the order means
	// anything. nil: all others are equally far.
	Distance func(a, b int) int
	// Socket is the socket of a node, for queues of sockets. nil: each node is one.
	Socket func(node int) int
	// LLCBytes is the size of the last-level cache of a node, which some policies go by; 0 if it is
	// not known.
	LLCBytes uint64
	Seed     uint64

	Tracing Tracing
	Kernels []loi.Kernel // those of the program, by number
	// Recorders is one recorder a worker, or for the policy go one a CPU, for TraceFull.
	Recorders []*loi.Recorder
	Structure Structure // with TraceFull
	Clock     hw.Clock
	// TaskGrain stamps tasks ([Worker.BeginTask]) and not the kernels in them, which are listed in
	// the trace, unstamped, but for one in about SampleEvery (0: DefaultSampleEvery) that is
	// stamped to estimate the mean times.
	TaskGrain   bool
	SampleEvery uint32

	// Attach, if not nil, is called on the thread of each worker before the region that is timed;
	// the function that it returns is called on the same thread after it. For counters of the
	// thread.
	Attach func(worker int) (detach func(), err error)
}

// ErrStopped is returned by a run whose context ended first.
var ErrStopped = failure.New(failure.Failed, "stopped before the root task had finished")

// A PanicError is a task that panicked.
type PanicError struct {
	Kernel string // running, or last to run, on that worker; "" if none
	During bool   // the kernel was running
	Worker int    // -1 under the policy go
	// Outside records that it was no task, but work for the program before or after a run.
	Outside bool
	Value   any
	Stack   []byte
}

func (e *PanicError) Error() string {
	where := "before any kernel"
	if e.Kernel != "" {
		where = "after kernel " + e.Kernel
		if e.During {
			where = "in kernel " + e.Kernel
		}
	}
	if e.Outside {
		where = "outside the timed run"
	}
	if e.Worker >= 0 {
		where += fmt.Sprintf(", worker %d", e.Worker)
	}
	return fmt.Sprintf("panic %s: %v", where, e.Value)
}

// A PolicyError is a policy that decided what its rules do not allow.
type PolicyError struct {
	Worker int
	Found  string // what it decided
	Want   string
}

func (e *PolicyError) Error() string {
	return fmt.Sprintf("policy, worker %d: found %s, expected %s", e.Worker, e.Found, e.Want)
}

// Class implements [failure.Classed].
func (*PolicyError) Class() failure.Class { return failure.Failed }

// Class implements [failure.Classed].
func (*PanicError) Class() failure.Class { return failure.Failed }

// pool is shared by the workers of one run.
type pool struct {
	signal atomic.Uint32
	_      [cacheLine]byte

	n          int
	policy     Policy
	chooser    Chooser // nil if policy is none
	placer     Placer  // likewise
	admitter   Admitter
	budgets    *budgets // Rules.Admit
	rules      Rules
	workers    []*Worker
	shared     []*queue    // nil with a deque for each worker
	queueNode  []int       // the node of each queue
	queueFirst []int       // its worker, or the first of them
	queueOf    []int       // the queue of each worker
	ofNode     [][]*Worker // Rules.Push: the workers of each node
	structure  Structure
	parts      int    // of a worker, in ranges
	llc        uint64 // bytes of the last-level cache of a node; 0: not known
	spares     spares

	spinTicks  uint64
	yieldTicks uint64

	ready atomic.Int32
	began atomic.Uint64 // stamp of the start of the root task; 0 before
	ended atomic.Uint64 // of its end; 0 before, and if the run failed

	mu  sync.Mutex
	err error // the first
}

// finish ends the run: the root task is complete, unless the run has failed. The worker that
// completed it calls it, once.
func (p *pool) finish() {
	end := hw.TSC()
	p.mu.Lock()
	if p.err == nil {
		p.ended.Store(end)
	}
	p.mu.Unlock()
	p.stop()
}

// cancel ends the run as its context has ended, unless the root task is complete.
func (p *pool) cancel() {
	p.mu.Lock()
	if p.err == nil && p.ended.Load() == 0 {
		p.err = ErrStopped
	}
	p.mu.Unlock()
	p.stop()
}

// fail ends the run with an error.
func (p *pool) fail(err error) {
	p.mu.Lock()
	if p.err == nil {
		p.err = err
	}
	p.mu.Unlock()
	p.stop()
}

// Goexit is the value of a [PanicError] for code that ended its goroutine.
const Goexit = "runtime.Goexit was called"

// died returns why a goroutine ends: the value of a panic, [Goexit], or nil if it ended as it should.
func died(recovered any, ended bool) any {
	if recovered == nil && !ended {
		return Goexit
	}
	return recovered
}

// failure returns the first error of the run.
func (p *pool) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

func (p *pool) stop() {
	p.signal.Or(signalStop)
	for _, w := range p.workers {
		w.deque.close()
		w.wake()
	}
}

// newPool makes the workers of a run and their queues. Error: rules that the drivers do not carry
// out.
func newPool(policy Policy, at places, seed uint64, kernels int) (*pool, error) {
	if s, ok := policy.(Scheduler); ok {
		policy = s.Policy // its methods without a detour
	}
	p := &pool{n: len(at.nodes), policy: policy, rules: policy.Rules(), llc: at.llc}
	if err := p.rules.Validate(); err != nil {
		return nil, err
	}
	if p.chooser, _ = policy.(Chooser); p.chooser == nil && p.rules.Spawn == SpawnChosen {
		return nil, fmt.Errorf("rules %+v: the policy is no Chooser", p.rules)
	}
	if p.placer, _ = policy.(Placer); p.placer == nil && p.rules.Place {
		return nil, fmt.Errorf("rules %+v: the policy is no Placer", p.rules)
	}
	if p.admitter, _ = policy.(Admitter); p.admitter == nil && p.rules.Admit {
		return nil, fmt.Errorf("rules %+v: the policy is no Admitter", p.rules)
	}
	if p.rules.Place && p.n > maxPlaced {
		return nil, fmt.Errorf("%d workers: ranges are of at most %d", p.n, maxPlaced)
	}
	p.parts = partsOf(p.n)
	p.workers = make([]*Worker, p.n)
	for i := range p.workers {
		w := new(Worker)
		if at.workers != nil {
			w = at.workers[i]
		}
		w.node, w.pool, w.rules, w.signal = at.nodes[i], p, p.rules, &p.signal
		w.rand, w.stamper = NewRand(seed, i), newStamper(i, kernels)
		p.workers[i] = w
	}
	p.makeQueues(&at, seed)
	p.watch()
	return p, nil
}

// exclusive is held by the run that is in progress: two at a time would disturb each other, and
// GOMAXPROCS and the garbage collector's settings are the process's.
var exclusive = make(chan struct{}, 1)

// smallHeap is how many bytes of live and dead objects a run may begin with.
const smallHeap = 64 << 20

// check returns the fault of c: a missing field, or one that does not fit.
func (c *Config) check(ctx context.Context, prog Program) error {
	if ctx == nil || prog == nil || !given(c.Policy) {
		return errors.New("run: a context, a policy and a program are needed")
	}
	if c.Policy.Rules().Spawn == SpawnListed {
		return ErrVirtualOnly
	}
	if len(c.CPUs) == 0 || len(c.Nodes) != len(c.CPUs) {
		return fmt.Errorf("run: %d CPUs and %d nodes for the workers: want one of each for "+
			"every worker, at least one", len(c.CPUs), len(c.Nodes))
	}
	if c.Tracing == TraceFull && len(c.Recorders) < len(c.CPUs) &&
		c.Policy.Rules().Spawn != SpawnGo {
		return fmt.Errorf("run: %d recorders for %d workers", len(c.Recorders), len(c.CPUs))
	}
	if c.Structure.Any() && c.Tracing != TraceFull {
		return errNoRecorders
	}
	return nil
}

// given reports that there is a policy.
func given(p Policy) bool {
	s, ok := p.(Scheduler)
	return p != nil && (!ok || s.Policy != nil)
}

// Run executes prog once and returns what each worker did. Threads that were pinned are retired,
// not given back. Errors: a thread that cannot be pinned, Attach's, a [*PanicError], [ErrStopped].
// The garbage collector rests while prog runs, but for the policy go. Runs of one process take
// place one after the other, so that a task must not begin one: it would wait until ctx ends. A
// root task that is complete when ctx ends counts.
func Run(ctx context.Context, c Config, prog Program) (*Result, error) {
	if err := c.check(ctx, prog); err != nil {
		return nil, err
	}
	select {
	case exclusive <- struct{}{}:
		defer func() { <-exclusive }()
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return nil, ErrStopped
	}
	if c.Policy.Rules().Spawn == SpawnGo {
		return runGo(ctx, c, prog)
	}
	p, err := newPool(c.Policy, places{nodes: c.Nodes, distance: c.Distance,
		socket: c.Socket, llc: c.LLCBytes}, c.Seed, len(c.Kernels))
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	if p.rules.Spawn == SpawnCall && p.n != 1 {
		return nil, fmt.Errorf("run: a policy that only calls has one worker, not %d", p.n)
	}
	p.spinTicks = c.Clock.Ticks(spinTime.Nanoseconds())
	p.yieldTicks = c.Clock.Ticks(yieldTime.Nanoseconds())
	if p.n > runtime.NumCPU() {
		p.spinTicks = 0 // somebody else needs the CPU
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection that goes on ends first
	collect()
	if procs := p.n + 2; runtime.GOMAXPROCS(0) < procs {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
	}

	stopWatch := context.AfterFunc(ctx, p.cancel)
	defer stopWatch()

	p.structure = c.Structure
	root := p.newRoot(prog)
	var wg sync.WaitGroup
	for i, w := range p.workers {
		w.wakes = func() { w.attend(int(w.split - w.head.Load())) }
		switch c.Tracing {
		case TraceProfile:
			w.mode = stampProfile
		case TraceFull:
			w.mode, w.rec = stampTrace, c.Recorders[i]
		}
		if c.TaskGrain && c.Tracing != TraceOff {
			w.mode = stampTask
			w.byTask(len(c.Kernels), c.SampleEvery, c.Tracing == TraceFull,
				NewRand(c.Seed, 2*p.n+i))
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			w.thread(c, root)
		}()
	}
	wg.Wait()
	stopWatch()
	if err := p.failure(); err != nil {
		return nil, err
	}
	return p.result(c), nil
}

// collect collects garbage before a run has more procs than CPUs, where it would take some ms more.
// A small heap stays as it is: many a run takes less time than the collection.
func collect() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	if metrics.Read(heap); heap[0].Value.Uint64() > smallHeap {
		runtime.GC()
	}
}

// thread runs a worker's thread from its start to its end.
func (w *Worker) thread(c Config, root *Frame) {
	p := w.pool
	runtime.LockOSThread()
	ended := false
	defer func() {
		if v := died(recover(), ended); v != nil {
			p.fail(w.panicError(v, c.Kernels, w.id))
		}
	}()
	if cpu := c.CPUs[w.id]; cpu >= 0 {
		// Never unlocked: the thread ends with the goroutine, and the mask with it.
		if _, err := hw.Pin(cpu); err != nil {
			p.fail(fmt.Errorf("worker %d: %w", w.id, err))
		}
	} else {
		defer runtime.UnlockOSThread()
	}
	if c.Attach != nil {
		detach, err := c.Attach(w.id)
		if err != nil {
			p.fail(fmt.Errorf("worker %d: %w", w.id, err))
		} else {
			defer detach()
		}
	}
	p.ready.Add(1)
	for spins := 1; int(p.ready.Load()) < p.n || w.id != 0 && p.began.Load() == 0; spins++ {
		if w.stopping() {
			break
		}
		if spins&255 == 0 {
			osYield()
		} else {
			hw.Pause()
		}
	}
	if w.id == 0 && !w.stopping() {
		p.began.Store(hw.TSC())
		switch p.rules.Spawn {
		case SpawnCall:
			w.runCalls(root)
		case SpawnChild:
			w.runChildFirst(root, false)
		case SpawnParent:
			w.runParentFirst(entry{f: root, i: entryStart})
		case SpawnChosen:
			w.runChosen(entry{f: root, i: entryStart})
		}
	}
	for {
		got, ok := w.find()
		if !ok {
			ended = true
			return
		}
		switch p.rules.Spawn {
		case SpawnChild:
			if got.stolen {
				got.e.f.steals++
			}
			w.runChildFirst(got.e.f, true)
		case SpawnChosen:
			w.runChosen(got.e)
		default:
			w.runParentFirst(got.e)
		}
	}
}

func (w *Worker) panicError(v any, kernels []loi.Kernel, worker int) error {
	if e, ok := v.(*PolicyError); ok {
		e.Worker = worker
		return e
	}
	e := &PanicError{Worker: worker, Value: v, Stack: debug.Stack()}
	if w.kernel != noKernel {
		k := w.kernel
		if e.During = k >= 0; !e.During {
			k = ^k
		}
		e.Kernel = fmt.Sprintf("number %d", k)
		if int(k) < len(kernels) {
			e.Kernel = kernels[k].Name
		}
	}
	return e
}
