// Package experiments runs kernels under schedulers, repeatedly, and says what came out: one configuration ([Config]) gives one
// [Result] per scheduler, with medians, intervals, overhead and work time inflation (KRD paper, I-A), a run directory that is
// complete evidence, and a table for a person.
//
// How the measuring itself is done is a [Measure]; all around it (what may be asked, statistics, documents, directories) does not
// depend on it, so that a native run, a simulated one and a test's made-up one are summed up and written alike.
package experiments

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/krd"
)

// A TraceMode says what the tracer records while repetitions are timed.
type TraceMode string

// The trace modes. With TraceDefault, repetitions are timed in profile mode and one more is traced in full for KRD.
const (
	TraceDefault TraceMode = "default"
	TraceOff     TraceMode = "off"     // nothing is recorded: work, OVR and WTI are null
	TraceProfile TraceMode = "profile" // counts and times of kernels, no trace, no KRD
	TraceFull    TraceMode = "full"    // every repetition is traced
	TraceKRD     TraceMode = "krd"     // every repetition is traced for its KRD; the traces are not kept
)

// each says whether every repetition is traced.
func (t TraceMode) each() bool { return t == TraceFull || t == TraceKRD }

// A TraceGrain says what one pair of stamps covers. Times of the two are never compared.
type TraceGrain string

// The grains.
const (
	GrainKernel TraceGrain = "kernel" // each kernel execution
	GrainTask   TraceGrain = "task"   // a task; its kernels are listed, and one in some is stamped to estimate their mean times
)

// A CounterMode says whether hardware counters are wanted.
type CounterMode string

// The counter modes.
const (
	CountersAuto CounterMode = "auto" // use what there is and say why the rest is missing
	CountersPerf CounterMode = "perf" // perf_event is demanded; without it the run ends with exit code 4
	CountersOff  CounterMode = "off"
)

// A CacheModel is the granularity at which a simulated machine's caches are modelled.
type CacheModel string

// The granularities.
const (
	CacheBlocks CacheModel = "blocks" // whole blocks, LRU by bytes: fast
	CacheLines  CacheModel = "lines"  // cache lines in sets, where the data lies in memory
)

// DefaultReps and SimulatedReps are how many repetitions a run has unless told otherwise. Each simulated one has its own seed.
const (
	DefaultReps   = 10
	SimulatedReps = 20
)

// DefaultMachine is what is simulated where nothing else is named: the machine of the KRD paper.
const DefaultMachine = "westmere-ex-4s"

// A NUMAPolicy says where the memory of a kernel's data is placed.
type NUMAPolicy string

// The placements.
const (
	NUMAFirstTouch NUMAPolicy = "first-touch"
	NUMAInterleave NUMAPolicy = "interleave"
)

// Config is what one run is asked to do. Use [NewConfig] for the defaults and [Config.Validate] before running it.
type Config struct {
	Kernel        string
	Params        kernel.Params // the kernel's own parameters, one for each that it declares
	Schedulers    []string
	Cores         int // workers; 0 is not valid: [AllCores] resolves "all"
	Reps          int // timed repetitions of each scheduler, and of the serial run
	Warmup        int // untimed repetitions of each, before
	Seed          uint64
	Bind          hw.Binding // on which CPU each worker is pinned
	Trace         TraceMode
	Grain         TraceGrain // of profiles and traces
	Counters      CounterMode
	NUMA          NUMAPolicy
	TraceLimit    uint64 // largest size of one trace file, in bytes; 0 for none. Records that do not fit are discarded and counted
	Out           string // the run directory; "" for a new one under krdlab-runs
	Oversubscribe bool   // more workers than CPUs are allowed
	SMT           bool   // SMT siblings are used as cores
	// Simulated is the machine that the run is simulated on; nil: it is native.
	Simulated  *machine.Machine
	CacheModel CacheModel   // of a simulated run
	Notice     func(string) // told before the run what there is to know of it, such as the size of its traces; may be nil
	Topology   string       // a synthetic worker-to-node map, as [hw.Synthetic] takes it; "" for the machine's own
}

// NewConfig returns the defaults for a kernel: scheduler workfirst, 10 repetitions after 1 warm-up, seed 1, compact binding, profile and one
// full trace, counters where there are any. Cores is left 0.
func NewConfig(k *kernel.Kernel) Config {
	grain := GrainKernel
	if k.TaskGrain {
		grain = GrainTask
	}
	return Config{
		Grain:  grain,
		Kernel: k.Name, Params: k.Defaults(), Schedulers: []string{"workfirst"},
		CacheModel: CacheBlocks,
		Reps:       DefaultReps, Warmup: 1, Seed: 1, Trace: TraceDefault, Counters: CountersAuto, NUMA: NUMAFirstTouch,
	}
}

// WorkersOf returns how many workers a scheduler has under c: Cores, and 1 for serial.
func (c *Config) WorkersOf(scheduler string) int {
	if scheduler == "serial" {
		return 1
	}
	return c.Cores
}

// AllCores returns how many workers a machine has CPUs for: one for each physical core that the process may use, or each CPU with smt.
func AllCores(t *hw.Topology, smt bool) int {
	cpus, err := t.Available(hw.Binding{}, smt)
	if err != nil {
		return 0
	}
	return len(cpus)
}

// A ConfigError is a request that cannot be met as it was made.
type ConfigError struct {
	Flag string // the flag, without dashes, or "kernel"
	Got  string // what was asked
	Want string // what there is and what to type instead
}

func (e *ConfigError) Error() string {
	if e.Got == "" {
		return fmt.Sprintf("--%s \"\": %s", e.Flag, e.Want)
	}
	if e.Flag == "kernel" {
		return fmt.Sprintf("kernel %q: %s", e.Got, e.Want)
	}
	return fmt.Sprintf("--%s %s: %s", e.Flag, e.Got, e.Want)
}

// Validate returns the first thing in c that cannot be done on the machine t, as a [*ConfigError], or nil. It touches no file.
func (c *Config) Validate(t *hw.Topology) error {
	bad := func(flag string, got any, format string, args ...any) error {
		return &ConfigError{flag, fmt.Sprint(got), fmt.Sprintf(format, args...)}
	}
	k, err := FindKernel(c.Kernel)
	if err != nil {
		return err
	}
	if err := checkParams(k, c.Params); err != nil {
		return err
	}
	if len(c.Schedulers) == 0 {
		return bad("sched", `""`, "no scheduler named; try --sched %s, or all", strings.Join(SchedulerNames(), ","))
	}
	for i, s := range c.Schedulers {
		if s == "all" {
			return bad("sched", strings.Join(c.Schedulers, ","), "all means every scheduler: name it alone, or leave it out")
		} else if _, err := FindScheduler(s); err != nil {
			return err
		}
		if slices.Contains(c.Schedulers[:i], s) {
			return bad("sched", strings.Join(c.Schedulers, ","), "%s is named twice", s)
		}
	}
	switch {
	case c.Cores < 1:
		return bad("cores", c.Cores, "a run needs at least 1 core; there are %d, which are used without the flag", AllCores(t, c.SMT))
	case c.Cores > MaxWorkers:
		return bad("cores", c.Cores, "at most %d workers can be run", MaxWorkers)
	case c.Reps < 1:
		return bad("reps", c.Reps, "at least 1 repetition is needed, and 6 for an interval of 95 %%; the default is 10")
	case c.Warmup < 0:
		return bad("warmup", c.Warmup, "it cannot be negative; 0 skips the warm-up")
	case !slices.Contains([]TraceMode{TraceDefault, TraceOff, TraceProfile, TraceFull, TraceKRD}, c.Trace):
		return bad("trace", c.Trace, "choose off, profile, full or krd; without it, repetitions are profiled and one more is traced")
	case c.Grain != GrainKernel && c.Grain != GrainTask:
		return bad("trace-grain", c.Grain, "choose kernel or task")
	case c.Grain == GrainTask && !k.TaskGrain:
		return bad("trace-grain", c.Grain, "the kernels of %s carry stamps of their own; choose kernel, or leave it out", k.Name)
	case !slices.Contains([]CounterMode{CountersAuto, CountersPerf, CountersOff}, c.Counters):
		return bad("counters", c.Counters, "choose auto, perf or off")
	case c.CacheModel != CacheBlocks && c.CacheModel != CacheLines:
		return bad("cache-model", c.CacheModel, "choose blocks or lines")
	case c.NUMA != NUMAFirstTouch && c.NUMA != NUMAInterleave:
		return bad("numa", c.NUMA, "choose first-touch or interleave")
	}
	if c.Topology != "" {
		s, err := hw.Synthetic(c.Topology)
		if err != nil {
			return bad("topology", c.Topology, "write it as NODESxCORES, such as 4x6")
		}
		if room := len(s.CPUs); room < c.Cores {
			return bad("topology", c.Topology, "it has room for %d workers, and --cores asks for %d", room, c.Cores)
		}
	}
	if c.Simulated != nil {
		if err := c.validateSimulated(bad); err != nil {
			return err
		}
	}
	return c.validateBinding(t, bad)
}

// validateSimulated finds what only real machines have.
func (c *Config) validateSimulated(bad func(string, any, string, ...any) error) error {
	name := c.Simulated.Name
	switch {
	case slices.Contains(c.Schedulers, krd.SchedulerGo):
		return bad("sched", strings.Join(c.Schedulers, ","), "go is Go's own scheduler and exists on threads only, and %s is simulated; leave it out, or add --machine native", name)
	case c.Counters == CountersPerf:
		return bad("counters", c.Counters, "%s is simulated and has no hardware counters; leave it out, or add --machine native", name)
	case c.Topology != "":
		return bad("topology", c.Topology, "%s is simulated and has a topology; leave it out, or add --machine native", name)
	case c.Oversubscribe, c.SMT:
		return bad("machine", name, "it is simulated, and its workers have a core each: leave out --oversubscribe and --smt")
	}
	return nil
}

// MaxWorkers is the largest number of workers that can be asked for: it keeps a slip of the keyboard from starting a million threads.
const MaxWorkers = 1024

func (c *Config) validateBinding(t *hw.Topology, bad func(string, any, string, ...any) error) error {
	cpus, err := t.Available(c.Bind, c.SMT)
	if err != nil {
		return bad("bind", c.Bind, "%v", err)
	}
	limit, allowed := len(cpus), len(t.Allowed())
	switch {
	case c.Cores <= limit || c.Oversubscribe:
		return nil
	case c.Simulated != nil && c.Bind.List == nil:
		return bad("cores", c.Cores, "%s, which is simulated, has %d; use --cores %d, or a larger machine (krdlab list machines)", c.Simulated.Name, limit, limit)
	case c.Bind.List != nil:
		return bad("bind", c.Bind, "it lists %d of the %d CPUs that --cores %d needs; list more, use --cores %d, or add --oversubscribe",
			limit, c.Cores, c.Cores, limit)
	case c.Cores <= allowed:
		return bad("cores", c.Cores, "this process may use %d cores, %d CPUs with their SMT siblings; use --cores %d, or add --smt, "+
			"or --oversubscribe", limit, allowed, limit)
	}
	return bad("cores", c.Cores, "this process may use %d; use --cores %d, or add --oversubscribe to let workers share them", limit, limit)
}
