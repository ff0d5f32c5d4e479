package measure

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/hw/units"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// native is a measurement on pinned threads.
//
// A repetition is a run of serial and then one of every scheduler, so that drift of the machine
// hits all alike; each is checked. Repetitions are timed with the kernels profiled; unless asked
// otherwise, one more run of each scheduler is then traced in full for KRD.
type native struct {
	setup
	ctx   context.Context
	clock hw.Clock

	in        kernel.Instance
	registry  loi.Registry
	nodes     []int // of each worker; not those of place if the topology is synthetic
	synthetic *hw.Topology
	offsets   map[int]int64
	cost      tracingCost
	warnings  []result.Warning // of all schedulers
	done      int
	total     int
	baseline  *schedule // the serial run
	serial    []result.Repetition
	// serial repetitions that were disturbed and done again
	serialAside []result.Repetition
	measured    []*result.Measured
	schedules   []*schedule
	options     func(recorders int) loi.Options // of traces
	host        hostModel
	left        bool // what uses the instance or a trace did not end in time: they stay
}

// run measures, and returns what is complete together with any error.
func (n *native) run() ([]*result.Measured, error) {
	defer func() {
		if n.in != nil && !n.left {
			n.in.Close()
		}
	}()
	if err := n.prepare(); err != nil {
		return nil, err
	}
	err := n.measure()
	if saver, ok := n.in.(kernel.Saver); ok && err == nil {
		err = saver.Save()
	}
	if n.ctx.Err() != nil {
		err = context.Cause(n.ctx)
	}
	return n.measured, err
}

// schedule is a scheduler that is measured.
type schedule struct {
	runtimes.Scheduler
	*result.Measured
}

func (n *native) prepare() (err error) {
	n.nodes = n.place.Nodes
	if n.asked.Topology != "" {
		if n.synthetic, err = hw.Synthetic(n.asked.Topology); err != nil {
			return err
		}
		p, err := n.synthetic.Place(n.cores, hw.Binding{}, false)
		if err != nil {
			return err
		}
		n.nodes = p.Nodes
	}
	if err := n.demandCounters(); err != nil {
		return err
	}
	n.measureOffsets()
	env := kernel.Env{Seed: n.seed}
	if n.asked.NUMA == request.NUMAInterleave {
		env.Interleave = n.topo.Memories()
	}
	if err := hw.TryMap(n.plan.Bytes); err != nil {
		return fmt.Errorf("%s needs %s of memory: %w", n.kernel.Name, units.Bytes(n.plan.Bytes),
			err)
	}
	n.in, err = await(n.ctx, &n.left, func() (kernel.Instance, error) {
		if n.asked.NUMA == request.NUMANode0 && len(n.topo.Memories()) > 1 && len(n.place.CPUs) > 0 {
			// the thread that touches the data first; it ends with this goroutine
			runtime.LockOSThread()
			if _, err := hw.Pin(n.place.CPUs[0]); err != nil {
				return nil, err
			}
		}
		return n.kernel.New(n.params, env)
	})
	if err != nil {
		return request.ParamError(err)
	}
	n.registry = n.in.Registry()
	if counted, ok := n.in.(kernel.Counted); ok {
		n.plan.Tasks, n.plan.Executions = counted.Counts()
	}
	for i := range n.schedulers {
		n.schedules = append(n.schedules, n.schedule(n.schedulers[i]))
	}
	free, err := hw.FreeDisk(n.dir.Partial())
	if err != nil {
		free = -1
	}
	n.options = n.traceOptions(free)
	if err := n.announceTraces(free); err != nil {
		return err
	}
	if n.asked.Trace != request.TraceOff && n.kernel.Work {
		n.cost, err = n.measureTracing()
		if errors.Is(err, errCostTrace) {
			n.warn(result.TracingCost, err.Error())
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (n *native) schedule(s runtimes.Scheduler) *schedule {
	workers := n.workersOf(&s)
	return &schedule{s, &result.Measured{
		Scheduler: s.Name, Workers: workers, Substrate: loi.Native, Machine: n.machine(),
		Resolved: n.plan.Resolved, CPUs: n.place.Available, NoData: !n.registry.Accesses(),
	}}
}

// announceTraces returns how large the traces will be, and refuses those that cannot fit: of some
// kernels that is known only now.
func (n *native) announceTraces(free int64) error {
	need := n.traceBytes(n.growing)
	if need == 0 || len(n.registry.Kernels) == 0 {
		return nil
	}
	if free >= 0 && need > uint64(free) {
		return noDiskFor(need, free, n.dir.Partial())
	}
	if n.notice != nil && n.plan.Executions > 0 {
		n.notice(fmt.Sprintf("traces of up to %s in all, %d kernel executions a run, at %s grain",
			units.Bytes(need), n.plan.Executions, n.asked.Grain))
	}
	return nil
}

func (n *native) machine() result.Machine {
	m := result.Machine{Machine: n.topo.Machine(), TimeSource: n.clock.Source,
		Computer: hw.ComputerID()}
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
	if slices.ContainsFunc(n.schedulers, runtimes.Scheduler.ThreadsOnly) {
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
		n.warn(result.ClocksNotCompared, err.Error())
	}
	for _, o := range offsets {
		if o.Seen() {
			n.offsets[o.CPU] = o.Ticks
		}
	}
}

func (n *native) warn(code result.Code, args ...any) {
	n.warnings = append(n.warnings, result.Warn(code, args...))
}

// measure does all repetitions, and those that were disturbed again. Complete repetitions stay in n
// when it fails.
func (n *native) measure() error {
	c := &n.asked
	n.total = (c.Warmup + c.Reps) * (1 + len(n.schedules))
	if c.Trace == request.TraceDefault && n.traces() {
		n.total += len(n.schedules)
	}
	tracing := runtimes.TraceProfile
	switch c.Trace {
	case request.TraceOff:
		tracing = runtimes.TraceOff
	case request.TraceFull, request.TraceKRD:
		if n.traces() {
			tracing = runtimes.TraceFull
		}
	}
	n.baseline = n.schedule(request.SerialScheduler())
	all := append([]*schedule{n.baseline}, n.schedules...)
	defer n.sumUp()
	for rep := -c.Warmup; rep < c.Reps; rep++ {
		if rep == 0 {
			n.measured = nil
			for _, s := range n.schedules {
				n.measured = append(n.measured, s.Measured)
			}
		}
		for _, s := range all {
			what := "warm-up"
			if rep >= 0 {
				what = fmt.Sprintf("repetition %d of %d", rep+1, c.Reps)
			}
			n.tell(s, what)
			r, err := n.repetition(s, rep, n.tracingOf(s, rep, tracing))
			if err != nil {
				return err
			}
			n.done++
			if rep < 0 {
				continue
			}
			reps, _ := n.repetitionsOf(s)
			*reps = append(*reps, *r)
			if n.failed(s) {
				return nil // the caller sees the failed check
			}
		}
	}
	if passed, err := n.again(all, tracing); err != nil || !passed {
		return err
	}
	if c.Trace != request.TraceDefault || !n.traces() {
		return nil
	}
	for _, s := range n.schedules {
		n.tell(s, "traced")
		if _, err := n.repetition(s, c.Reps, runtimes.TraceFull); err != nil {
			return err
		}
		n.done++
	}
	n.progress(n.done, n.total, "", "")
	return nil
}

// tell returns what is done next.
func (n *native) tell(s *schedule, what string) {
	n.progress(n.done, n.total, s.Measured.Scheduler, what)
}

// tracingOf returns how a repetition is traced: serial ones and warm-ups are not traced in full.
func (n *native) tracingOf(s *schedule, rep int, tracing runtimes.Tracing) runtimes.Tracing {
	if tracing == runtimes.TraceFull && (s == n.baseline || rep < 0) {
		return runtimes.TraceProfile
	}
	return tracing
}

// failed reports whether the last check of s failed; if that was the serial run, all have failed.
func (n *native) failed(s *schedule) bool {
	if s.Check == nil || s.Check.Passed {
		return false
	}
	if s == n.baseline {
		for _, m := range n.measured {
			m.Check = s.Check
		}
	}
	return true
}

// sumUp gives every scheduler what it shares with the others.
func (n *native) sumUp() {
	n.judge(n.baseline)
	for _, s := range n.schedules {
		n.judge(s)
	}
	for _, m := range n.measured {
		m.Serial, m.SerialSetAside = n.serial, n.serialAside
		m.HideModel()
		if n.asked.Trace.None() {
			n.notReplayed(m, fmt.Sprintf("no trace is taken with --trace %s", n.asked.Trace))
		}
		m.Warnings = append(slices.Clone(n.warnings), m.Warnings...)
	}
}

// nodesOf returns the topology that the workers' nodes are of.
func (n *native) nodesOf() *hw.Topology {
	if n.synthetic != nil {
		return n.synthetic
	}
	return n.topo
}

// repetition runs s once and checks the result. rep -1 and below is warm-up.
func (n *native) repetition(s *schedule, rep int, tracing runtimes.Tracing) (*result.Repetition,
	error) {
	if err := n.ctx.Err(); err != nil {
		return nil, err
	}
	rules := s.Rules()
	if _, err := await(n.ctx, &n.left, func() (bool, error) {
		n.in.Reset(rules.Hints)
		return true, nil
	}); err != nil {
		return nil, err
	}
	counters, watch := n.newCounters(s), n.newWatch(s)
	cfg := runtimes.Config{
		Policy: s.Policy, CPUs: n.place.CPUs[:s.Workers], Nodes: n.nodes[:s.Workers],
		Distance: n.nodesOf().Distance, Socket: n.nodesOf().Socket,
		LLCBytes: uint64(n.topo.Machine().LLCBytes),
		Seed:     n.repetitionSeed(rep + n.asked.Warmup), Tracing: tracing,
		Kernels: n.registry.Kernels, Clock: n.clock, TaskGrain: n.asked.Grain == request.GrainTask,
	}
	if !s.ThreadsOnly() {
		cfg.Attach = func(worker int) (func(), error) { return watch.attach(worker, counters) }
	}
	var trace *traceFile
	if tracing == runtimes.TraceFull {
		var err error
		if trace, err = n.createTrace(s, rep); err != nil {
			return nil, err
		}
		cfg.Recorders, cfg.Structure = trace.recorders(), n.asked.Structure
	}
	watch.begin()
	measured, err := runtimes.Run(n.ctx, cfg, n.in)
	watch.end()
	if trace != nil {
		if terr := trace.close(); terr != nil && err == nil {
			err = terr
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Measured.Scheduler, err)
	}
	r := n.repetitionOf(s, measured, counters)
	watch.report(r)
	check, err := await(n.ctx, &n.left, func() (kernel.Check, error) { return n.in.Check(), nil })
	if err != nil {
		return nil, err
	}
	if phased, ok := n.in.(kernel.Phased); ok {
		s.Phases = phased.Phases()
	}
	if s.Check == nil || s.Check.Passed {
		s.Check = n.check(n.in, measured, &check)
	}
	if trace != nil {
		if err := n.analyse(s, trace, r); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// repetitionOf translates what a run measured.
func (n *native) repetitionOf(s *schedule, r *runtimes.Result,
	counters *threadCounters) *result.Repetition {
	rep := repetitionFrom(r, s.Scheduler)
	rep.Counters = counters.sum()
	if misses := rep.Counters.LLCMisses; misses.Value != nil {
		s.LLCSource = hw.SourcePerf
	} else {
		s.LLCReason = misses.Reason
	}
	return rep
}
