package request

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"krdlab/hw"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/loi/dag"
	"krdlab/runtimes"
)

// DefaultReps is how many repetitions a run has unless told otherwise. Each simulated one has its
// own seed.
const DefaultReps = 10

// DefaultMachine is the machine that is simulated where no other is named: that of the KRD paper.
const DefaultMachine = "westmere-ex-4s"

// Request describes one run. Use [New] for the defaults and [Request.Validate] before running it.
type Request struct {
	Kernel     *kernel.Kernel
	Params     kernel.Params // the kernel's own parameters, one for each that it declares
	Schedulers []runtimes.Scheduler
	Cores      int // workers; 0 is not valid: [AllCores] resolves "all"
	Seed       uint64
	Settings
	Out string // the run directory; "" for a new one under the folder of runs
	// Machine is the machine that the run is simulated on; nil: it is native.
	Machine *machine.Machine
	// Element records that the run is an element of a job array, on whichever computer the cluster
	// gave it.
	Element bool
	// told before the run what there is to know of it, such as the size of its traces; may be nil
	Notice func(string)
}

// New returns the defaults for a kernel: the default scheduler, 10 repetitions after 1 warm-up,
// seed 1, compact binding, profile and one full trace, counters where there are any. Cores is left
// 0.
func New(k *kernel.Kernel) Request {
	grain := GrainKernel
	if k.TaskGrain {
		grain = GrainTask
	}
	return Request{
		Kernel: k, Params: k.Defaults(), Schedulers: []runtimes.Scheduler{DefaultScheduler()},
		Seed: 1, Settings: Settings{Reps: DefaultReps, Warmup: 1, Trace: TraceDefault, Grain: grain,
			CacheModel: CacheBlocks, Counters: CountersAuto, NUMA: NUMANode0},
	}
}

// Asked is a request as documents say it.
type Asked struct {
	Kernel     string
	Params     kernel.Params
	Schedulers []string
	Cores      int
	Seed       uint64
	Settings   Settings
	Element    bool
	Name       string // of the run: KERNEL-SCHED-cCORES, and the size where the kernel has one
}

// Asked returns what documents say of r.
func (r *Request) Asked() Asked {
	names := Names(r.Schedulers)
	sched := strings.Join(names, "+")
	if len(names) > 2 {
		sched = fmt.Sprintf("%dscheds", len(names))
	}
	name := fmt.Sprintf("%s-%s-c%d", r.Kernel.Name, sched, r.Cores)
	if v, ok := r.Params[r.Kernel.Size]; ok {
		name += fmt.Sprintf("-%c%v", r.Kernel.Size[0], v)
	}
	settings := r.Settings
	if r.Machine == nil {
		settings.CacheModel, settings.RuntimeData = "", false
	}
	return Asked{
		Kernel: r.Kernel.Name, Params: r.Params, Schedulers: names, Cores: r.Cores, Seed: r.Seed,
		Settings: settings, Element: r.Element, Name: name,
	}
}

// Names returns the names of schedulers.
func Names(list []runtimes.Scheduler) []string {
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = s.Name
	}
	return names
}

// An Error is a request that cannot be met as it was made.
type Error struct {
	Flag string // the flag, without dashes, or "kernel"
	Got  string // what was asked
	Want string // what there is and what to type instead
}

// Class implements [failure.Classed].
func (*Error) Class() failure.Class { return failure.Request }

func (e *Error) Error() string {
	if e.Got == "" {
		return fmt.Sprintf("--%s \"\": %s", e.Flag, e.Want)
	}
	if e.Flag == "kernel" {
		return fmt.Sprintf("kernel %q: %s", e.Got, e.Want)
	}
	return fmt.Sprintf("--%s %s: %s", e.Flag, e.Got, e.Want)
}

// Validate returns the first thing in c that cannot be done on the machine t, as an [*Error],
// or nil. It touches no file.
func (r *Request) Validate(t *hw.Topology) error {
	bad := func(flag string, got any, format string, args ...any) error {
		return &Error{flag, fmt.Sprint(got), fmt.Sprintf(format, args...)}
	}
	if err := CheckParams(r.Kernel, r.Params); err != nil {
		return err
	}
	if len(r.Schedulers) == 0 {
		return bad("sched", `""`, "no scheduler named; try --sched %s, or all",
			strings.Join(SchedulerNames(), ","))
	}
	names := Names(r.Schedulers)
	for i, s := range names {
		if slices.Contains(names[:i], s) {
			return bad("sched", strings.Join(names, ","), "%s is named twice", s)
		}
	}
	switch {
	case r.Cores > MaxWorkers && r.fillsTopology():
		return bad("topology", r.Topology, "it has %d cores, and at most %d workers can be run; "+
			"add --cores, or choose a smaller one", r.Cores, MaxWorkers)
	case r.Cores > MaxWorkers:
		return bad("cores", r.Cores, "at most %d workers can be run", MaxWorkers)
	case slices.ContainsFunc(r.Schedulers, func(s runtimes.Scheduler) bool { return !s.Holds(r.Cores) }):
		few := slices.DeleteFunc(slices.Clone(r.Schedulers), func(s runtimes.Scheduler) bool { return s.Holds(r.Cores) })
		return bad("sched", strings.Join(names, ","), "%s cannot have %d workers; use fewer --cores, or other "+
			"schedulers", strings.Join(Names(few), ", "), r.Cores)
	case r.Reps < 1:
		return bad("reps", r.Reps, "at least 1 repetition is needed, and 6 for an interval of 95 "+
			"%%; the default is 10")
	case r.Reps > MaxReps:
		return bad("reps", r.Reps, "at most %d repetitions can be run", MaxReps)
	case r.Warmup < 0:
		return bad("warmup", r.Warmup, "it cannot be negative; 0 skips the warm-up")
	case r.Warmup > MaxReps:
		return bad("warmup", r.Warmup, "at most %d repetitions can be run", MaxReps)
	case !slices.Contains([]TraceMode{TraceDefault, TraceOff, TraceProfile, TraceFull, TraceKRD},
		r.Trace):
		return bad("trace", r.Trace, chooseTrace+"; without it, repetitions "+
			"are profiled and one more is traced")
	case r.Structure.Any() && (r.Trace.None() || r.Trace == TraceKRD):
		return bad("trace", r.Trace, "tasks, regions and decisions are told by traces that are "+
			"kept, and there are none; write full,tasks, or tasks alone for one traced repetition")
	case r.Reuse != Reuse{} && (r.Trace.None() || !r.Kernel.Work):
		return bad("trace", r.Trace, "cores and coherence are of reuse distances, and there are "+
			"none; write krd,cores, or cores alone for one traced repetition, with a kernel that "+
			"accesses data")
	case r.Grain != GrainKernel && r.Grain != GrainTask:
		return bad("trace-grain", r.Grain, "choose kernel or task")
	case r.Grain == GrainTask && !r.Kernel.TaskGrain:
		return bad("trace-grain", r.Grain, "the kernels of %s carry stamps of their own; choose "+
			"kernel, or leave it out", r.Kernel.Name)
	case !slices.Contains([]CounterMode{CountersAuto, CountersPerf, CountersOff}, r.Counters):
		return bad("counters", r.Counters, "choose auto, perf or off")
	case r.CacheModel != CacheBlocks && r.CacheModel != CacheLines:
		return bad("cache-model", r.CacheModel, "choose blocks or lines")
	case !slices.Contains(NUMAPolicies, r.NUMA):
		return bad("numa", r.NUMA, "choose node0, dealt or interleave")
	}
	if r.Follow != "" {
		if err := r.validateFollow(bad); err != nil {
			return err
		}
	}
	if r.Machine != nil {
		if err := r.validateSimulated(bad); err != nil {
			return err
		}
	}
	if r.NUMA != NUMANode0 {
		if err := r.validateNUMA(t, bad); err != nil {
			return err
		}
	}
	if err := r.validateWorkers(t, bad); err != nil || r.Follow == "" {
		return err
	}
	return r.validateFollowed(t, bad)
}

// validateFollowed finds a schedule whose workers are on other nodes than those of the run.
func (r *Request) validateFollowed(t *hw.Topology, bad func(string, any, string,
	...any) error) error {
	place, err := t.Place(r.Cores, r.Bind, r.SMT)
	if err != nil {
		return err
	}
	if s := r.Schedulers[0].Schedule; !slices.Equal(place.Nodes, s.Nodes) {
		return bad("follow", r.Follow, "its workers are on the nodes %v, and those of the run on "+
			"%v; choose --machine, or CPUs by --bind, so that they are the same", s.Nodes,
			place.Nodes)
	}
	return nil
}

// validateFollow finds where a schedule cannot be followed.
func (r *Request) validateFollow(bad func(string, any, string, ...any) error) error {
	s := r.Schedulers[0].Schedule
	program := dag.ProgramOf(&loi.Header{Kernel: r.Kernel.Name, Params: ParamList(r.Kernel, r.Params)})
	switch {
	case s.Program != program:
		return bad("follow", r.Follow, "it is a schedule of %s, and this run is of %s", s.Program,
			program)
	case r.Machine == nil:
		return bad("follow", r.Follow, "schedules are followed in simulated runs alone; name a machine, "+
			"such as --machine %s", DefaultMachine)
	case r.Cores != len(s.Nodes):
		return bad("follow", r.Follow, "it is for %d workers, and the run has %d; leave --cores out",
			len(s.Nodes), r.Cores)
	}
	return nil
}

// validateNUMA finds where pages that are spread over memories would change nothing, or cannot be.
// A machine that spreads them by itself needs no reason.
func (r *Request) validateNUMA(t *hw.Topology, bad func(string, any, string,
	...any) error) error {
	const instead = "leave --numa out"
	memories := len(t.Memories())
	if r.Machine != nil {
		if NUMAPolicy(r.Machine.Memory.Placement) == r.NUMA {
			return nil
		}
		memories = r.Machine.Domains()
	}
	switch {
	case r.Machine == nil && r.NUMA == NUMADealt:
		return bad("numa", r.NUMA,
			"pages are dealt out to workers in simulated runs alone; choose node0 "+
				"or interleave, or name a machine")
	case r.Machine == nil && !r.Kernel.Placed, !r.Kernel.Work:
		return bad("numa", r.NUMA, "it would change nothing: %s takes no memory that is placed; %s",
			r.Kernel.Name, instead)
	case memories < 2:
		return bad("numa", r.NUMA, "it would change nothing: no two memories are known; %s",
			instead)
	}
	return nil
}

// CheckParams returns an [*Error] for the first of k's parameters whose value in p is missing or
// not allowed, or for a name that k does not have.
func CheckParams(k *kernel.Kernel, p kernel.Params) error {
	for i := range k.Params {
		d := &k.Params[i]
		v, ok := p[d.Name]
		if !ok {
			return &Error{d.Name, "(none)", k.Name + " needs it"}
		}
		if err := d.Check(v); err != nil {
			return ParamError(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if !slices.ContainsFunc(k.Params, func(d kernel.Param) bool { return d.Name == name }) {
			return &Error{name, fmt.Sprint(p[name]), k.Name + " has no such parameter"}
		}
	}
	return nil
}

// ParamError makes an [*Error] of a kernel's complaint about a parameter; other errors stay as they
// are.
func ParamError(err error) error {
	if pe, ok := errors.AsType[*kernel.ParamError](err); ok {
		return &Error{pe.Name, pe.Got, pe.Want}
	}
	return err
}

// validateSimulated finds what only real machines have.
func (r *Request) validateSimulated(bad func(string, any, string, ...any) error) error {
	name := r.Machine.Name
	for _, s := range r.Schedulers {
		if s.ThreadsOnly() {
			return bad("sched", strings.Join(Names(r.Schedulers), ","), "%s exists on threads "+
				"only, and %s is simulated; leave it out, or add --machine native", s.Name, name)
		}
	}
	switch {
	case r.Counters == CountersPerf:
		return bad("counters", r.Counters, "%s is simulated and has no hardware counters; leave "+
			"it out, or add --machine native", name)
	case r.Topology != "":
		return bad("topology", r.Topology, "%s is simulated and has a topology; leave it out, or "+
			"add --machine native", name)
	case r.Oversubscribe, r.SMT:
		return bad("machine", name, "it is simulated, and its workers have a core each: leave "+
			"out --oversubscribe and --smt")
	}
	return nil
}

// MaxWorkers is the largest number of workers that can be asked for: it keeps a slip of the
// keyboard from starting a million threads.
const MaxWorkers = 1024

// MaxReps is the largest number of repetitions that can be asked for, as warm-up or timed. Memory
// may allow fewer, which is found when a run begins.
const MaxReps = 1_000_000

// fillsTopology returns whether there is a worker for each core of an imposed topology, as where no
// number of workers is given.
func (r *Request) fillsTopology() bool {
	made, err := hw.Synthetic(r.Topology)
	return err == nil && len(made.CPUs) == r.Cores
}

// validateWorkers finds what the topology, imposed or real, has no place for.
func (r *Request) validateWorkers(t *hw.Topology, bad func(string, any, string,
	...any) error) error {
	if r.Topology != "" {
		s, err := hw.Synthetic(r.Topology)
		if err != nil {
			return bad("topology", r.Topology, "write it as NODESxCORES, such as 4x6")
		}
		if room := len(s.CPUs); room < r.Cores {
			return bad("topology", r.Topology,
				"it has room for %d workers, and --cores asks for %d", room, r.Cores)
		}
	}
	cpus, err := t.Available(r.Bind, r.SMT)
	if err != nil {
		return bad("bind", r.Bind, "%v", err)
	}
	limit, allowed := len(cpus), len(t.Allowed())
	switch {
	case r.Cores < 1:
		return bad("cores", r.Cores, "a run needs at least 1 core; there are %d, which are used "+
			"without the flag", limit)
	case r.Cores <= limit || r.Oversubscribe:
		return nil
	case r.Machine != nil && r.Bind.List == nil:
		return bad("cores", r.Cores, "%s, which is simulated, has %d; use --cores %d, or a "+
			"larger machine (krdlab list machines)", r.Machine.Name, limit, limit)
	case r.Bind.List != nil:
		return bad("bind", r.Bind, "it lists %d of the %d CPUs that --cores %d needs; list more, "+
			"use --cores %d, or add --oversubscribe",
			limit, r.Cores, r.Cores, limit)
	case r.Cores <= allowed:
		return bad("cores", r.Cores, "this process may use %d cores, %d CPUs with their SMT "+
			"siblings; use --cores %d, or add --smt, "+
			"or --oversubscribe", limit, allowed, limit)
	}
	if r.Topology != "" {
		return bad("topology", r.Topology, "this process may use %d CPUs for its %d workers; add "+
			"--cores %d, or --oversubscribe to let workers share them", limit, r.Cores, limit)
	}
	return bad("cores", r.Cores, "this process may use %d; use --cores %d, or add "+
		"--oversubscribe to let workers share them", limit, limit)
}
