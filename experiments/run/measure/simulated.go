package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/krd"
	"krdlab/loi"
	"krdlab/loi/dag"
	"krdlab/runtimes"
)

// picosecondHz are the ticks of virtual time.
const picosecondHz = 1e12

// maxTraceMemory is how much of a trace that is not kept is in memory at most.
const maxTraceMemory = 256 << 20

// alike is how many repetitions of a run in which nothing is drawn are made: they are compared, and
// the first stands for all.
const alike = 2

// noData is why there are no misses of kernels without blocks.
const noData = "the program accesses no data that the model describes"

// simulation is a measurement on a simulated machine. Repetitions differ by their seeds, and are
// run side by side over the host's cores; the result depends on the request and the machine alone.
// Where a seed decides nothing, repetitions cannot differ, and all but the first are left out.
// The first repetition of each scheduler is traced for KRD, which costs nothing in virtual time.
// Kernels are not computed, and nothing but what a run does is checked.
type simulation struct {
	setup
	machine *machine.Machine

	traceMemory int // of a trace that is not kept; what is more lies in a file. 0: loi's default

	mu   sync.Mutex // guards done and calls of progress
	done int
}

// job is one repetition of one scheduler.
type job struct {
	scheduler runtimes.Scheduler
	workers   int
	rep       int
	traced    bool
	trace     string // name of the trace file, "" for none

	result *result.Repetition
	check  *result.Check // nil: passed
	drawn  bool          // the seed decided something
	krd    *krd.Report
	stats  loi.Stats
	err    error
	done   bool // or left out; guarded by simulation.mu, and the rest with it
}

func (s *simulation) run(ctx context.Context) ([]*result.Measured, error) {
	if free, err := hw.FreeMemory(); err == nil {
		s.traceMemory = int(max(1<<20, min(free.FreeBytes/4/int64(s.sideBySide()), maxTraceMemory)))
	}
	jobs := s.jobs()
	if err := s.work(ctx, jobs); err != nil {
		return nil, err
	}
	measured, err := s.collect(jobs)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return measured, context.Cause(ctx)
	}
	return measured, nil
}

// jobs lists all repetitions: rep by rep, the serial run first.
func (s *simulation) jobs() []*job {
	var jobs []*job
	for rep := range s.asked.Reps {
		jobs = append(jobs, &job{scheduler: request.SerialScheduler(), workers: 1, rep: rep})
		for i := range s.schedulers {
			x := s.schedulers[i]
			j := &job{scheduler: x, workers: s.workersOf(&x), rep: rep}
			switch {
			case !s.traces():
			case s.asked.Trace == request.TraceKRD:
				j.traced = true
			case s.asked.Trace.Each():
				j.traced = true
				j.trace = result.TraceFile(fmt.Sprintf("%s.%d", x.Name, rep+1))
			case rep == 0:
				j.traced, j.trace = true, result.TraceFile(x.Name)
			}
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// work does the jobs, as many at a time as the host has cores, each worker with an instance of its
// own.
func (s *simulation) work(ctx context.Context, jobs []*job) error {
	var next atomic.Int64
	var failed atomic.Bool // a check: the caller sees it
	var wg sync.WaitGroup
	n := s.sideBySide()
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() {
			left := false
			in, err := await(ctx, &left, func() (kernel.Instance, error) {
				return s.kernel.New(s.params, kernel.Env{Seed: s.seed, Dry: true})
			})
			if err != nil {
				if ctx.Err() == nil {
					errs[i] = request.ParamError(err)
				}
				return
			}
			defer in.Close()
			for j := next.Add(1) - 1; j < int64(len(jobs)) &&
				ctx.Err() == nil && !failed.Load(); j = next.Add(1) - 1 {
				if !s.settled(jobs, int(j)) {
					s.tell(jobs[j], len(jobs))
					o := <-guarded(func() (*result.Check, error) { return s.simulate(ctx, in, jobs[j]) })
					if jobs[j].check, jobs[j].err = o.value, o.err; o.value != nil {
						failed.Store(true)
					}
				}
				if jobs[j].err != nil {
					if ctx.Err() == nil {
						errs[i] = jobs[j].err
					}
					return
				}
				s.mu.Lock()
				s.done++
				jobs[j].done = true
				s.mu.Unlock()
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err // other errors repeat it, or report that it ended the run
		}
	}
	return nil
}

// settled reports whether job i, beyond the first alike repetitions, is known to give what they
// gave.
func (s *simulation) settled(jobs []*job, i int) bool {
	if jobs[i].rep < alike {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for rep := range alike {
		j := jobs[rep*(1+len(s.schedulers))+i%(1+len(s.schedulers))]
		if !j.done || j.result == nil || j.drawn {
			return false
		}
	}
	return true
}

func (s *simulation) tell(j *job, total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress(s.done, total, j.scheduler.Name, fmt.Sprintf("repetition %d of %d, simulated",
		j.rep+1, s.asked.Reps))
}

// simulate does one job, and returns the check that failed, if one did.
func (s *simulation) simulate(ctx context.Context, in kernel.Instance, j *job) (*result.Check,
	error) {
	rules := j.scheduler.Rules()
	in.Reset(rules.Hints)
	registry := in.Registry()
	model, err := s.newMemory(in, &registry, j.workers, s.repetitionSeed(j.rep))
	if err != nil {
		return nil, err
	}
	cfg := s.stepConfig(ctx, &registry, j, model)
	var w *loi.Writer
	if j.traced {
		if w, err = s.record(j, registry); err != nil {
			return nil, err
		}
		for i := range j.workers {
			cfg.Recorders = append(cfg.Recorders, w.Recorder(i))
		}
		cfg.Structure = s.asked.Structure
	}
	r, err := runtimes.Step(cfg, in)
	if err == nil {
		err = model.err
	}
	if err == nil {
		j.result = repetitionFrom(r, j.scheduler)
		j.drawn = r.Drawn || model.drawn
	}
	if w != nil {
		err = errors.Join(err, s.analyse(ctx, j, w))
	}
	if err != nil {
		j.result = nil
		if errors.Is(err, dag.ErrSchedule) {
			return nil, fmt.Errorf("%s: %w", s.asked.Follow, err)
		}
		return nil, fmt.Errorf("%s: %w", j.scheduler.Name, err)
	}
	for i := range j.result.Workers {
		j.result.Workers[i].CPU = s.place.CPUs[i]
	}
	misses := int64(model.misses())
	if registry.Accesses() {
		j.result.Counters.LLCMisses = result.Count{Value: &misses}
		kernels := registry.Kernels
		if cfg.Costs.Data != nil {
			kernels = append(slices.Clip(kernels), loi.Kernel{Name: result.RuntimeData})
		}
		j.result.LLCModel = result.NewLLCMisses(s.place.Nodes[:j.workers], kernels,
			func(worker, k int) uint64 {
				return model.model.Counters(model.cores[worker], k).LLCMisses
			})
	} else {
		j.result.Counters.LLCMisses = result.Count{Reason: noData}
	}
	return s.check(in, r, nil), nil
}

// mixedPrices warns if some of the schedulers are simulated at prices that were fitted and others
// at prices that were not: those are compared by guesswork.
func (s *simulation) mixedPrices() []result.Warning {
	var by [2][]string // not fitted, fitted
	for _, x := range s.schedulers {
		if x.Serial() {
			continue
		}
		price := "lock"
		if x.Rules().Deque() {
			price = "spawn"
		}
		fitted := 0
		if s.machine.Fitted(x.Family, price) {
			fitted = 1
		}
		by[fitted] = append(by[fitted], x.Name)
	}
	if len(by[0]) == 0 || len(by[1]) == 0 {
		return nil
	}
	return []result.Warning{result.Warn(result.MixedPrices, strings.Join(by[1], ", "),
		strings.Join(by[0], ", "))}
}

// costs returns the machine's prices for a family of runtimes.
func (s *simulation) costs(family string, model *memory) runtimes.Costs {
	p := s.machine.CostsOf(family)
	c := runtimes.Costs{
		Spawn: p.SpawnPS, Pop: p.PopPS, Lock: p.LockPS, Handover: p.LockHandoverPS, Push: p.SpawnPS,
		StealLocal: p.StealLocalPS, StealRemote: p.StealRemotePS,
		StealFailed: p.StealFailedPS, Mail: p.MailPS, Join: p.JoinPS, Rest: p.RestPS,
		Call: p.KernelPS, Frame: p.FramePS, Kernel: model.kernel,
	}
	if p.LockDelayPS > 0 {
		c.Locked = model.locked
	}
	if a, ok := runtimes.AnatomyOf(family); ok && s.asked.RuntimeData && model.model != nil {
		c.Data, c.Anatomy = model, a
		a.Steal(func(bytes uint64) { c.StealLocal -= min(c.StealLocal, model.model.TouchPS(bytes)) })
		c.StealRemote = c.StealLocal
	}
	return c
}

func (s *simulation) header(j *job, r loi.Registry) loi.Header {
	h := loi.Header{
		Registry: r, Clock: loi.Clock{Source: "virtual", Hz: picosecondHz, Invariant: true},
		L2Bytes: s.machine.L2.Bytes, LLCBytes: s.machine.LLC.Bytes, Substrate: loi.Simulated,
		Grain: string(s.asked.Grain), Nodes: s.machine.Nodes,
		Kernel: s.kernel.Name, Scheduler: j.scheduler.Name,
		Params: request.ParamList(s.kernel, s.params), Cores: j.workers,
		Seed: s.seed, Machine: s.machine.Name, MachineHash: s.machine.Hash(),
	}
	for i := range j.workers {
		h.Workers = append(h.Workers, loi.Worker{CPU: s.place.CPUs[i], Node: s.place.Nodes[i]})
	}
	return h
}

// collect sorts the finished jobs by scheduler. Repetitions beyond the first that is missing are
// left out. Of those in which nothing was drawn, which must be equal, the first is kept.
func (s *simulation) collect(jobs []*job) ([]*result.Measured, error) {
	reps := map[string][]result.Repetition{}
	missing := map[string]bool{}
	traces := map[string]*job{}
	full := map[string]error{}
	name := func(j *job, i int) string {
		if i%(1+len(s.schedulers)) == 0 {
			return "" // the reference; `serial` may be a scheduler too
		}
		return j.scheduler.Name
	}
	checks := map[string]*result.Check{}
	for i, j := range jobs {
		if j.check != nil { // those behind it may have run beside it, or not
			checks[name(j, i)] = j.check
			jobs = jobs[:i+1]
			break
		}
	}
	drawn := map[string]bool{}
	for i, j := range jobs {
		n := name(j, i)
		drawn[n] = drawn[n] || j.drawn
	}
	for i, j := range jobs {
		n := name(j, i)
		if missing[n] = missing[n] || j.result == nil; missing[n] {
			continue
		}
		if !drawn[n] && j.rep > 0 {
			if !sameRun(&reps[n][0], j.result) {
				return nil, fmt.Errorf("%s: repetitions 1 and %d differ, though nothing was drawn "+
					"at random", j.scheduler.Name, j.rep+1)
			}
			continue
		}
		reps[n] = append(reps[n], *j.result)
		if sum(j.stats.Discarded) > 0 {
			full[n] = j.stats.Full
		}
		if len(j.stats.Records) > 0 && traces[n] == nil {
			traces[n] = j
		}
	}
	var list []*result.Measured
	warnings := s.mixedPrices()
	for i := range s.schedulers {
		scheduler := s.schedulers[i].Name
		m := &result.Measured{
			Scheduler: scheduler, Workers: s.workersOf(&s.schedulers[i]), Substrate: loi.Simulated,
			Machine:  s.describe(),
			Resolved: s.plan.Resolved,
			Serial:   reps[""], Repetitions: reps[scheduler], LLCSource: result.LLCSourceModel,
			SerialDeterministic: !drawn[""], Deterministic: !drawn[scheduler],
			Warnings: warnings,
			LLCModel: &result.LLCModel{Machine: s.machine.Name, CacheModel: s.asked.CacheModel},
			NoRoom:   full[scheduler], Check: cmp.Or(checks[""], checks[scheduler]),
		}
		m.Machine.Model = s.model(&s.schedulers[i])
		if r := m.Repetitions; len(r) > 0 && r[0].LLCModel == nil {
			m.NoData, m.LLCSource, m.LLCReason, m.LLCModel = true, "", noData, nil
		}
		if j := traces[scheduler]; j != nil {
			m.KRD = j.krd
			m.Trace = &result.Trace{Path: j.trace, Records: sum(j.stats.Records),
				Discarded: sum(j.stats.Discarded), TimeNS: result.Some(float64(j.result.TimeNS))}
		}
		list = append(list, m)
	}
	return list, nil
}

// sameRun compares all numbers that are kept of two repetitions; a distance histogram only where
// both have one.
func sameRun(a, b *result.Repetition) bool {
	x, y := *a, *b
	if x.KRD == nil || y.KRD == nil {
		x.KRD, y.KRD, x.KRDCores, y.KRDCores = nil, nil, nil, nil
	}
	return reflect.DeepEqual(x, y)
}

// record begins the trace of j: a file if it is to be kept.
func (s *simulation) record(j *job, r loi.Registry) (*loi.Writer, error) {
	// whoever makes the chunks, their order is part of the trace: not a background's
	opt := loi.Options{MaxBytes: s.asked.TraceLimit, MemoryBytes: s.traceMemory,
		NoBackground: true}
	if j.trace == "" {
		return loi.NewMemory(s.header(j, r), opt)
	}
	return loi.Create(s.dir.Path(j.trace), s.header(j, r), opt)
}

// analyse computes the KRD of what w recorded, and closes it.
func (s *simulation) analyse(ctx context.Context, j *job, w *loi.Writer) error {
	var report *krd.Report
	left := false
	t, err := w.Trace()
	if err == nil && j.result != nil && s.kernel.Work {
		report, err = await(ctx, &left, func() (*krd.Report, error) {
			return krd.Analyze(t, s.asked.Reuse.Options())
		})
	}
	if left {
		return err
	}
	if errors.Is(err, loi.ErrLoss) {
		err = nil // no KRD: Trace.Discarded has the count
	}
	var cerr error
	if j.stats, cerr = w.Close(); err != nil || cerr != nil {
		return errors.Join(err, cerr)
	}
	if report != nil {
		j.krd = report
		j.result.SetKRD(report)
	}
	return nil
}

// describe returns the machine of the results. It is a model, and not a real machine's workers
// under a made-up map.
func (s *simulation) describe() result.Machine {
	m := result.Machine{Machine: s.topo.Machine(), TimeSource: "virtual"}
	m.Synthetic = false
	return m
}

// model returns the data of the machine that belong beside the numbers of a scheduler.
func (s *simulation) model(x *runtimes.Scheduler) *result.Model {
	fitted := s.machine.FittedTo(s.kernel.Name, request.Describe(s.kernel, s.params),
		s.workersOf(x), x.Name)
	return &result.Model{Hash: s.machine.Hash(), Parameters: len(s.machine.Paths()),
		Guessed: len(s.machine.Guesses()), Fitted: append([]string{}, fitted...)}
}
