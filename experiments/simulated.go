package experiments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/krd"
	"krdlab/loi"
	"krdlab/runtimes"
)

// LLCSourceModel is the source of LLC misses that a cache model counted.
const LLCSourceModel = "model"

// picoseconds are the ticks of virtual time.
const picosecondHz = 1e12

// Simulate returns the [Measure] on a simulated machine. Repetitions differ by their seeds, and are run side by side over the host's
// cores; the result depends on the configuration and the machine alone. The first repetition of each scheduler is traced for KRD,
// which costs nothing in virtual time. Kernels are not computed, and there is no check.
func Simulate(m *machine.Machine) Measure {
	return func(ctx context.Context, c *Config, t *hw.Topology, dir *RunDir, progress Progress) ([]*Measured, error) {
		s := &simulation{machine: m, c: c, topo: t, dir: dir, progress: progress}
		return s.run(ctx)
	}
}

// simulation is one call of the Measure of a simulated machine.
type simulation struct {
	machine  *machine.Machine
	c        *Config
	topo     *hw.Topology
	dir      *RunDir
	progress Progress

	plan   kernel.Plan
	params string
	place  hw.Placement

	mu   sync.Mutex // guards done and calls of progress
	done int
}

// job is one repetition of one scheduler.
type job struct {
	scheduler runtimes.Scheduler
	workers   int
	rep       int
	trace     string // name of the trace file, "" for none

	result *Repetition
	krd    *krd.Report
	phases []kernel.Phase
	stats  loi.Stats
	err    error
}

func (s *simulation) run(ctx context.Context) ([]*Measured, error) {
	k, ok := kernels.ByName(s.c.Kernel)
	if !ok {
		return nil, &ConfigError{"kernel", s.c.Kernel, "there is no such kernel"}
	}
	var err error
	if s.plan, err = k.Plan(s.c.Params); err != nil {
		return nil, paramError(err)
	}
	s.params = Describe(k, s.c.Params)
	if s.place, err = s.topo.Place(s.c.Cores, s.c.Bind, s.c.SMT); err != nil {
		return nil, err
	}
	jobs, err := s.jobs(k)
	if err != nil {
		return nil, err
	}
	if err := s.work(ctx, k, jobs); err != nil {
		return nil, err
	}
	measured := s.collect(jobs)
	if ctx.Err() != nil {
		return measured, context.Cause(ctx)
	}
	return measured, nil
}

// jobs lists all repetitions: rep by rep, the serial run first.
func (s *simulation) jobs(k *kernel.Kernel) ([]*job, error) {
	var jobs []*job
	serial, _ := runtimes.SchedulerByName("serial")
	for rep := range s.c.Reps {
		jobs = append(jobs, &job{scheduler: serial, workers: 1, rep: rep})
		for _, name := range s.c.Schedulers {
			sched, ok := runtimes.SchedulerByName(name)
			if !ok {
				return nil, &ConfigError{"sched", name, "there is no such scheduler"}
			}
			j := &job{scheduler: sched, workers: s.c.WorkersOf(name), rep: rep}
			switch {
			case !k.Work || s.c.Trace == TraceOff || s.c.Trace == TraceProfile:
			case s.c.Trace.each():
				j.trace = TraceFile(fmt.Sprintf("%s.%d", name, rep+1))
			case rep == 0:
				j.trace = TraceFile(name)
			}
			jobs = append(jobs, j)
		}
	}
	return jobs, nil
}

// work does the jobs, as many at a time as the host has cores, each worker with an instance of its own.
func (s *simulation) work(ctx context.Context, k *kernel.Kernel, jobs []*job) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	n := min(runtime.GOMAXPROCS(0), len(jobs))
	errs := make([]error, n)
	for i := range n {
		wg.Go(func() {
			in, err := k.New(s.c.Params, kernel.Env{Seed: s.c.Seed, Dry: true})
			if err != nil {
				errs[i] = paramError(err)
				return
			}
			defer in.Close()
			for j := next.Add(1) - 1; j < int64(len(jobs)) && ctx.Err() == nil; j = next.Add(1) - 1 {
				s.tell(jobs[j], len(jobs))
				jobs[j].err = s.simulate(ctx, in, jobs[j])
				if jobs[j].err == nil {
					jobs[j].err = s.analyse(jobs[j])
				}
				if jobs[j].err != nil {
					if !errors.Is(jobs[j].err, runtimes.ErrStopped) {
						errs[i] = jobs[j].err
					}
					return
				}
				s.mu.Lock()
				s.done++
				s.mu.Unlock()
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err // the others, if any, are the same one, or the end that it brought
		}
	}
	return nil
}

func (s *simulation) tell(j *job, total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress(s.done, total, fmt.Sprintf("%s, repetition %d of %d, simulated", j.scheduler.Name, j.rep+1, s.c.Reps))
}

// simulate does one job.
func (s *simulation) simulate(ctx context.Context, in kernel.Instance, j *job) error {
	rules := j.scheduler.Rules()
	in.Reset(rules.Affinity)
	registry := in.Registry()
	seed := s.c.Seed + uint64(j.rep)*0x9e3779b97f4a7c15
	model, err := s.newMemory(in, &registry, j.workers, seed)
	if err != nil {
		return err
	}
	cfg := runtimes.StepConfig{
		Policy: j.scheduler, Nodes: s.place.Nodes[:j.workers], Distance: s.topo.Distance, Seed: seed, Kernels: registry.Kernels,
		TaskGrain: s.c.Grain == GrainTask, TickNS: 1000, Dry: true, Stop: ctx.Done(), Costs: s.costs(j.scheduler.Name, model),
	}
	var w *loi.Writer
	if j.trace != "" {
		if w, err = loi.Create(s.dir.Path(j.trace), s.header(j, registry), loi.Options{MaxBytes: s.c.TraceLimit}); err != nil {
			return err
		}
		for i := range j.workers {
			cfg.Recorders = append(cfg.Recorders, w.Recorder(i))
		}
	}
	result, err := runtimes.Step(cfg, in)
	if w != nil {
		var cerr error
		if j.stats, cerr = w.Close(); err == nil {
			err = cerr
		}
	}
	if err == nil {
		err = model.err
	}
	if err != nil {
		return fmt.Errorf("%s: %w", j.scheduler.Name, err)
	}
	j.result = repetitionFrom(result, rules)
	for i := range j.result.Workers {
		j.result.Workers[i].CPU = s.place.CPUs[i]
	}
	misses := int64(model.misses())
	if len(registry.Kernels) > 0 {
		j.result.Counters.LLCMisses = Count{Value: &misses}
		j.result.LLCModel = newLLCMisses(s.place.Nodes[:j.workers], registry.Kernels, func(worker, k int) uint64 {
			return model.model.Counters(model.cores[worker], k).LLCMisses
		})
	} else {
		j.result.Counters.LLCMisses = Count{Reason: "the program accesses no data that the model knows"}
	}
	if phased, ok := in.(kernel.Phased); ok {
		j.phases = phased.Phases()
	}
	return nil
}

// costs are the machine's prices, for the policy.
func (s *simulation) costs(policy string, model *memory) runtimes.Costs {
	p := s.machine.CostsOf(policy)
	c := runtimes.Costs{
		Spawn: p.SpawnPS, Pop: p.PopPS, Lock: p.LockPS, Handover: p.LockHandoverPS, Push: p.SpawnPS, StealLocal: p.StealLocalPS, StealRemote: p.StealRemotePS,
		StealFailed: p.StealFailedPS, Mail: p.MailPS, Join: p.JoinPS, Rest: p.RestPS, Kernel: model.kernel,
	}
	if p.LockDelayPS > 0 {
		c.Locked = model.locked
	}
	return c
}

func (s *simulation) header(j *job, r loi.Registry) loi.Header {
	h := loi.Header{
		Registry: r, Clock: loi.Clock{Source: "virtual", Hz: picosecondHz, Invariant: true},
		L2Bytes: s.machine.L2.Bytes, LLCBytes: s.machine.LLC.Bytes, Substrate: loi.Simulated, Grain: string(s.c.Grain), Nodes: s.machine.Nodes,
		Meta: []loi.KV{
			{Key: krd.MetaScheduler, Value: j.scheduler.Name},
			{Key: "kernel", Value: s.c.Kernel},
			{Key: "params", Value: s.params},
			{Key: "cores", Value: fmt.Sprint(j.workers)},
			{Key: "seed", Value: fmt.Sprint(s.c.Seed)},
			{Key: "machine", Value: s.machine.Name},
		},
	}
	for i := range j.workers {
		h.Workers = append(h.Workers, loi.Worker{CPU: s.place.CPUs[i], Node: s.place.Nodes[i]})
	}
	return h
}

// collect sorts the finished jobs by scheduler. Repetitions beyond the first that is missing are left out.
func (s *simulation) collect(jobs []*job) []*Measured {
	reps := map[string][]Repetition{}
	missing := map[string]bool{}
	traces := map[string]*job{}
	phases := map[string][]kernel.Phase{}
	name := func(j *job, i int) string {
		if i%(1+len(s.c.Schedulers)) == 0 {
			return "" // the serial run that the others are set against, which serial may be one of
		}
		return j.scheduler.Name
	}
	for i, j := range jobs {
		n := name(j, i)
		if missing[n] = missing[n] || j.result == nil; missing[n] {
			continue
		}
		reps[n] = append(reps[n], *j.result)
		phases[n] = j.phases
		if len(j.stats.Records) > 0 && traces[n] == nil {
			traces[n] = j
		}
	}
	var list []*Measured
	for _, scheduler := range s.c.Schedulers {
		m := &Measured{
			Scheduler: scheduler, Substrate: loi.Simulated, Machine: s.describe(), Resolved: s.plan.Resolved,
			Serial: reps[""], Repetitions: reps[scheduler], LLCSource: LLCSourceModel, Phases: phases[scheduler],
			LLCModel: &LLCModel{Machine: s.machine.Name, CacheModel: s.c.CacheModel},
		}
		if j := traces[scheduler]; j != nil {
			m.KRD = j.krd
			m.Trace = &Trace{Path: j.trace, Records: sum(j.stats.Records), Discarded: sum(j.stats.Discarded), TimeNS: Some(float64(j.result.TimeNS))}
		}
		list = append(list, m)
	}
	return list
}

// analyse computes the KRD of the trace of j, and removes a trace that is not to be kept.
func (s *simulation) analyse(j *job) error {
	if j.trace == "" {
		return nil
	}
	path := s.dir.Path(j.trace)
	t, err := loi.Open(path)
	if err != nil {
		return err
	}
	defer t.Close()
	report, err := krd.Analyze(t, krd.Options{})
	if s.c.Trace == TraceKRD {
		err = errors.Join(err, os.Remove(path))
		j.trace = ""
	}
	if errors.Is(err, krd.ErrLoss) {
		return nil // no KRD: Trace.Discarded says why
	}
	if err != nil {
		return err
	}
	j.krd, j.result.KRD = report, &report.Histogram
	return nil
}

// describe is the machine of the results. It is a model, and not a real machine's workers under a made-up map.
func (s *simulation) describe() Machine {
	m := Machine{Machine: s.topo.Machine(), TimeSource: "virtual"}
	m.Synthetic = false
	return m
}
