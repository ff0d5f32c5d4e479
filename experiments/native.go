package experiments

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"krdlab/hw"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/krd"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Native is the [Measure] on pinned threads.
//
// A repetition is a run of serial and then one of every scheduler, so that drift of the machine hits all alike; each is
// checked. Repetitions are timed with the kernels profiled; unless the configuration says otherwise, one more run of each
// scheduler is then traced in full for KRD.
func Native(ctx context.Context, c *Config, t *hw.Topology, dir *RunDir, progress Progress) ([]*Measured, error) {
	n := &native{ctx: ctx, c: c, topo: t, dir: dir, progress: progress, clock: hw.CalibrateClock()}
	if err := n.prepare(); err != nil {
		if n.in != nil {
			n.in.Close()
		}
		return nil, err
	}
	defer n.in.Close()
	err := n.measure()
	if saver, ok := n.in.(kernel.Saver); ok && err == nil {
		err = saver.Save()
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return n.measured, err
}

// native is one measurement in progress.
type native struct {
	ctx      context.Context
	c        *Config
	topo     *hw.Topology
	dir      *RunDir
	progress Progress
	clock    hw.Clock

	plan      kernel.Plan
	params    string // as described
	in        kernel.Instance
	registry  loi.Registry
	place     hw.Placement
	nodes     []int // of each worker; not those of place if the topology is synthetic
	synthetic *hw.Topology
	offsets   map[int]int64
	cost      tracingCost
	warnings  []string // of all schedulers
	done      int
	serial    []Repetition
	measured  []*Measured
	schedules []*schedule
	options   func(recorders int) loi.Options // of traces
	witnessed bool
	host      hostModel
}

// schedule is a scheduler that is measured.
type schedule struct {
	runtimes.Scheduler
	*Measured
	workers int
}

func (n *native) prepare() (err error) {
	c := n.c
	k, ok := kernels.ByName(c.Kernel)
	if !ok {
		return &ConfigError{"kernel", c.Kernel, "there is no such kernel"}
	}
	if n.plan, err = k.Plan(c.Params); err != nil {
		return paramError(err)
	}
	n.params = Describe(k, c.Params)
	if n.place, err = n.topo.Place(c.Cores, c.Bind, c.SMT); err != nil {
		return err
	}
	n.nodes = n.place.Nodes
	if c.Topology != "" {
		if n.synthetic, err = hw.Synthetic(c.Topology); err != nil {
			return err
		}
		p, err := n.synthetic.Place(c.Cores, hw.Binding{}, false)
		if err != nil {
			return err
		}
		n.nodes = p.Nodes
	}
	if err := n.demandCounters(); err != nil {
		return err
	}
	n.measureOffsets()
	env := kernel.Env{Seed: c.Seed}
	if c.NUMA == NUMAInterleave {
		for _, m := range n.topo.NUMA {
			if m.Bytes != 0 {
				env.Interleave = append(env.Interleave, m.ID)
			}
		}
	}
	if n.in, err = k.New(c.Params, env); err != nil {
		return paramError(err)
	}
	n.registry = n.in.Registry()
	if counted, ok := n.in.(kernel.Counted); ok {
		n.plan.Tasks, n.plan.Executions = counted.Counts()
	}
	for _, name := range c.Schedulers {
		s, ok := runtimes.SchedulerByName(name)
		if !ok {
			return &ConfigError{"sched", name, "there is no such scheduler"}
		}
		m := &Measured{
			Scheduler: name, Substrate: loi.Native, Machine: n.machine(), Resolved: n.plan.Resolved, CPUs: n.place.Available,
		}
		n.schedules = append(n.schedules, &schedule{s, m, c.WorkersOf(name)})
	}
	free, err := hw.FreeDisk(n.dir.Partial())
	if err != nil {
		free = -1
	}
	n.options = c.traceOptions(n.topo, n.plan, free)
	if err := n.announceTraces(free); err != nil {
		return err
	}
	if c.Trace != TraceOff && k.Work {
		n.cost, err = measureTracing(n.ctx, n.place.CPUs[0], n.clock, n.plan.Args, n.c.Grain, n.dir)
		if errors.Is(err, errCostTrace) {
			n.warn("%v", err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// announceTraces says how large the traces will be, and refuses those that cannot fit: of some kernels that is known only now.
func (n *native) announceTraces(free int64) error {
	need := n.c.traceBytes(n.topo, n.plan, func(int) loi.Options { return n.c.traceLimit() })
	if need == 0 || len(n.registry.Kernels) == 0 {
		return nil
	}
	if free >= 0 && need > uint64(free) {
		return n.c.noDiskFor(need, free, n.dir.Partial())
	}
	if n.c.Notice != nil && n.plan.Executions > 0 {
		n.c.Notice(fmt.Sprintf("traces of up to %s in all, %d kernel executions a run, at %s grain", krd.FormatBytes(need), n.plan.Executions, n.c.Grain))
	}
	return nil
}

// lastCPU is the largest number of a CPU that the process may use.
func lastCPU(t *hw.Topology) int { return slices.Max(t.Allowed()) }

func (n *native) machine() Machine {
	m := Machine{Machine: n.topo.Machine(), TimeSource: n.clock.Source, Computer: hw.ComputerID()}
	if n.synthetic != nil {
		s := n.synthetic.Machine()
		m.Nodes, m.CoresPerNode, m.Synthetic = s.Nodes, s.CoresPerNode, true
	}
	return m
}

// measureOffsets finds out how far the clocks of the CPUs in use are apart.
func (n *native) measureOffsets() {
	n.offsets = map[int]int64{}
	cpus := slices.Clone(n.place.CPUs)
	if slices.Contains(n.c.Schedulers, krd.SchedulerGo) {
		cpus = append(cpus[:1:1], n.topo.Allowed()...)
	}
	first := cpus[0]
	slices.Sort(cpus)
	cpus = slices.DeleteFunc(slices.Compact(cpus), func(c int) bool { return c == first })
	if len(cpus) == 0 || n.clock.Source != hw.SourceTSC {
		return
	}
	offsets, err := hw.Offsets(append([]int{first}, cpus...))
	if err != nil {
		n.warn("the clocks of the CPUs could not be compared (%v): the order of kernels on different CPUs is as they stamped it", err)
	}
	for _, o := range offsets {
		if o.Seen() {
			n.offsets[o.CPU] = o.Ticks
		}
	}
}

func (n *native) warn(format string, args ...any) {
	n.warnings = append(n.warnings, fmt.Sprintf(format, args...))
}

// measure does all repetitions. What is complete when it fails stays in n.
func (n *native) measure() error {
	c := n.c
	total := (c.Warmup + c.Reps) * (1 + len(n.schedules))
	if c.Trace == TraceDefault && len(n.registry.Kernels) > 0 {
		total += len(n.schedules)
	}
	tracing := runtimes.TraceProfile
	switch c.Trace {
	case TraceOff:
		tracing = runtimes.TraceOff
	case TraceFull, TraceKRD:
		if len(n.registry.Kernels) > 0 {
			tracing = runtimes.TraceFull
		}
	}
	defer n.sumUp()
	serial := &schedule{workers: 1, Measured: &Measured{Scheduler: "serial"}}
	serial.Scheduler, _ = runtimes.SchedulerByName("serial")
	for rep := -c.Warmup; rep < c.Reps; rep++ {
		if rep == 0 {
			n.measured = nil
			for _, s := range n.schedules {
				n.measured = append(n.measured, s.Measured)
			}
		}
		for _, s := range append([]*schedule{serial}, n.schedules...) {
			what := "warm-up"
			if rep >= 0 {
				what = fmt.Sprintf("repetition %d of %d", rep+1, c.Reps)
			}
			n.progress(n.done, total, fmt.Sprintf("%s, %s", s.Measured.Scheduler, what))
			mode := tracing
			if mode == runtimes.TraceFull && (s == serial || rep < 0) {
				mode = runtimes.TraceProfile
			}
			r, err := n.repetition(s, rep, mode)
			if err != nil {
				return err
			}
			n.done++
			if rep < 0 {
				continue
			}
			if s == serial {
				n.serial = append(n.serial, *r)
			} else {
				s.Repetitions = append(s.Repetitions, *r)
			}
			if c := s.Check; c != nil && !c.Passed {
				if s == serial {
					for _, m := range n.measured {
						m.Check = c
					}
				}
				return nil // the caller sees the failed check
			}
		}
	}
	if c.Trace != TraceDefault || len(n.registry.Kernels) == 0 {
		return nil
	}
	for _, s := range n.schedules {
		n.progress(n.done, total, s.Measured.Scheduler+", traced")
		if _, err := n.repetition(s, c.Reps, runtimes.TraceFull); err != nil {
			return err
		}
		n.done++
	}
	n.progress(n.done, total, "")
	return nil
}

// sumUp gives every scheduler what it shares with the others.
func (n *native) sumUp() {
	for _, m := range n.measured {
		m.Serial = n.serial
		m.hide()
		if n.c.Trace == TraceOff || n.c.Trace == TraceProfile {
			n.notReplayed(m, fmt.Sprintf("no trace is taken with --trace %s", n.c.Trace))
		}
		m.Warnings = append(slices.Clone(n.warnings), m.Warnings...)
	}
}

// distance is how far nodes are apart; those of a synthetic topology are all alike.
func (n *native) distance() func(a, b int) int {
	if n.synthetic != nil {
		return n.synthetic.Distance
	}
	return n.topo.Distance
}

// repetition runs s once and checks the result. rep -1 and below is warm-up.
func (n *native) repetition(s *schedule, rep int, tracing runtimes.Tracing) (*Repetition, error) {
	if err := n.ctx.Err(); err != nil {
		return nil, err
	}
	rules := s.Rules()
	n.in.Reset(rules.Affinity)
	counters := n.newCounters(s)
	cfg := runtimes.Config{
		Policy: s.Policy, CPUs: n.place.CPUs[:s.workers], Nodes: n.nodes[:s.workers], Distance: n.distance(),
		Seed: n.c.Seed + uint64(rep+n.c.Warmup)*0x9e3779b97f4a7c15, Tracing: tracing, Kernels: n.registry.Kernels, Clock: n.clock, TaskGrain: n.c.Grain == GrainTask,
	}
	if rules.Spawn != runtimes.SpawnGo {
		cfg.Attach = counters.attach
	}
	var trace *traceFile
	if tracing == runtimes.TraceFull {
		var err error
		if trace, err = n.createTrace(s, rep, rules); err != nil {
			return nil, err
		}
		cfg.Recorders = trace.recorders()
	}
	result, err := runtimes.Run(n.ctx, cfg, n.in)
	if trace != nil {
		if terr := trace.close(); terr != nil && err == nil {
			err = terr
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Measured.Scheduler, err)
	}
	r := n.repetitionOf(s, result, counters)
	check := n.in.Check()
	if phased, ok := n.in.(kernel.Phased); ok {
		s.Phases = phased.Phases()
	}
	if s.Check == nil || s.Check.Passed {
		s.Check = &Check{Passed: check.Passed, Error: Some(check.Error), Tolerance: Some(check.Tolerance), Method: check.Method, Detail: check.Detail, Lines: check.Lines}
	}
	if trace != nil {
		if err := n.analyse(s, trace, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// repetitionOf translates what a run measured.
func (n *native) repetitionOf(s *schedule, r *runtimes.Result, counters *threadCounters) *Repetition {
	rep := repetitionFrom(r, s.Rules())
	rep.Counters = counters.sum()
	if misses := rep.Counters.LLCMisses; misses.Value != nil {
		s.LLCSource = hw.SourcePerf
	} else {
		s.LLCReason = misses.Reason
	}
	return rep
}

// repetitionFrom is what the workers of a run did, without counters.
func repetitionFrom(r *runtimes.Result, rules runtimes.Rules) *Repetition {
	rep := &Repetition{TimeNS: r.TimeNS, Tasks: count(r.Tasks), Flags: []string{}, Workers: []Worker{}, KernelTimes: []KernelTime{}}
	var executions uint64
	for _, k := range r.Kernels {
		executions += k.Count
		if r.WorkNS >= 0 {
			t := KernelTime{Name: k.Name, Count: int64(k.Count), Sampled: int64(k.Sampled)}
			if k.TotalNS >= 0 {
				t.TotalNS = &k.TotalNS
			}
			rep.KernelTimes = append(rep.KernelTimes, t)
		}
	}
	rep.Kernels = count(executions)
	if r.WorkNS >= 0 && executions > 0 {
		rep.WorkNS = &r.WorkNS
	}
	for _, w := range r.Workers {
		out := Worker{
			CPU: w.CPU, Node: w.Node, IdleNS: &w.IdleNS, Spawns: count(w.Spawns), Tasks: count(w.Tasks), Kernels: count(w.Kernels),
			StealsLocal: count(w.Steals.Local), StealsRemote: count(w.Steals.Remote),
			StealsFailed: count(w.Steals.LocalFailed + w.Steals.RemoteFailed), StealsRemoteFailed: count(w.Steals.RemoteFailed),
		}
		for _, n := range w.StealsFrom {
			out.StealsFrom = append(out.StealsFrom, int64(n))
		}
		if w.WorkNS >= 0 {
			out.WorkNS, out.SchedNS = &w.WorkNS, &w.SchedNS
		}
		rep.Workers = append(rep.Workers, out)
	}
	if rules.Spawn == runtimes.SpawnGo && r.WorkNS >= 0 {
		rep.FlaggedKernels = count(r.Disturbed)
	}
	return rep
}

func count(n uint64) *int64 {
	v := int64(n)
	return &v
}
