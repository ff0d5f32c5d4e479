package request

import (
	"cmp"
	"slices"
	"strings"

	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/krd"
	"krdlab/runtimes"
)

// Settings are the parts of a [Request] that change what numbers mean. Documents hold them too.
type Settings struct {
	Reps          int         `json:"reps"`   // timed repetitions of each scheduler, and serial ones
	Warmup        int         `json:"warmup"` // untimed repetitions of each, before
	Bind          hw.Binding  `json:"bind"`   // on which CPU each worker is pinned
	Trace         TraceMode   `json:"trace"`
	Grain         TraceGrain  `json:"trace_grain"`            // of profiles and traces
	CacheModel    CacheModel  `json:"cache_model,omitempty"`  // of a simulated run
	RuntimeData   bool        `json:"runtime_data,omitempty"` // of a simulated run: accesses to the runtime's own data
	Counters      CounterMode `json:"counters"`
	NUMA          NUMAPolicy  `json:"numa"`
	Oversubscribe bool        `json:"oversubscribe"` // more workers than CPUs are allowed
	SMT           bool        `json:"smt"`           // SMT siblings are used as cores
	// Topology is a synthetic worker-to-node map, as [hw.Synthetic] takes it; "" for the machine's
	// own.
	Topology string `json:"topology,omitempty"`
	// Caches are those of the computer of a native run, as [ParseCaches] reads them; "" for what is
	// known of it. Whoever runs the request gives them to the topology.
	Caches string `json:"caches,omitempty"`
	// TraceLimit is the largest size of one trace file, in bytes; 0 for none. Records that do not
	// fit are discarded and counted.
	TraceLimit uint64 `json:"trace_limit_bytes,omitempty"`
	// Follow is the file of the schedule that workers follow; "" where they go by a scheduler.
	Follow             string `json:"follow,omitempty"`
	runtimes.Structure        // recorded beside kernels in traces that are kept
	Reuse                     // computed from traced repetitions
}

// Modelled returns how a simulated machine's caches are modelled, in words; "" natively.
func (s *Settings) Modelled() string {
	if s.RuntimeData {
		return string(s.CacheModel) + ", the runtime's own data too"
	}
	return string(s.CacheModel)
}

// Reuse records what of reuse distances is computed from traced repetitions.
type Reuse struct {
	Cores     bool `json:"krd_cores,omitempty"`     // those of each core, too
	Coherence bool `json:"krd_coherence,omitempty"` // a write invalidates the copies of others
}

// Options returns those of the analysis.
func (r Reuse) Options() krd.Options {
	return krd.Options{Cores: r.Cores, Coherence: r.Coherence}
}

// A TraceMode selects the records of the tracer while repetitions are timed.
type TraceMode string

// The trace modes. With TraceDefault, repetitions are timed in profile mode and one more is traced
// in full for KRD.
const (
	TraceDefault TraceMode = "default"
	TraceOff     TraceMode = "off"     // nothing is recorded: work, OVR and WTI are null
	TraceProfile TraceMode = "profile" // counts and times of kernels, no trace, no KRD
	TraceFull    TraceMode = "full"    // every repetition is traced
	// every repetition is traced for its KRD; the traces are not kept
	TraceKRD TraceMode = "krd"
)

const chooseTrace = "choose off, profile, full or krd, and beside it any of tasks, regions, " +
	"decisions, cores and coherence"

// ParseTrace reads the value of --trace: a mode, TraceDefault if there is none, and beside it what
// else traces tell, as in full,tasks, and is computed from them, as in krd,cores.
func ParseTrace(text string) (mode TraceMode, what runtimes.Structure, reuse Reuse, err error) {
	for word := range strings.SplitSeq(text, ",") {
		switch word = strings.TrimSpace(word); {
		case word == "tasks":
			what.Tasks = true
		case word == "regions":
			what.Regions = true
		case word == "decisions":
			what.Tasks, what.Decisions = true, true
		case word == "cores":
			reuse.Cores = true
		case word == "coherence":
			reuse.Coherence = true
		case mode == "" && slices.Contains([]TraceMode{TraceOff, TraceProfile, TraceFull, TraceKRD},
			TraceMode(word)):
			mode = TraceMode(word)
		default:
			return "", what, reuse, &Error{Flag: "trace", Got: text, Want: chooseTrace}
		}
	}
	return cmp.Or(mode, TraceDefault), what, reuse, nil
}

// Each reports whether every repetition is traced.
func (t TraceMode) Each() bool { return t == TraceFull || t == TraceKRD }

// None reports whether no repetition is traced.
func (t TraceMode) None() bool { return t == TraceOff || t == TraceProfile }

// A TraceGrain selects the code that one pair of stamps covers. Times of the two are never
// compared.
type TraceGrain string

// The grains.
const (
	GrainKernel TraceGrain = "kernel" // each kernel execution
	// a task; its kernels are listed, and one in some is stamped to estimate their mean times
	GrainTask TraceGrain = "task"
)

// A CounterMode selects whether hardware counters are used.
type CounterMode string

// The counter modes.
const (
	CountersAuto CounterMode = "auto" // use what there is and say why the rest is missing
	// perf_event is demanded; without it the run ends with exit code 4
	CountersPerf CounterMode = "perf"
	CountersOff  CounterMode = "off"
)

// A CacheModel is the granularity at which a simulated machine's caches are modelled.
type CacheModel string

// The granularities.
const (
	CacheBlocks CacheModel = "blocks" // whole blocks, LRU by bytes: fast
	CacheLines  CacheModel = "lines"  // cache lines in sets, where the data lies in memory
)

// A NUMAPolicy selects the place of the memory of a kernel's data.
type NUMAPolicy string

// The placements: those of machines, and one that depends on the run.
const (
	// NUMANode0: one thread of the first worker's node touches all data first.
	NUMANode0 NUMAPolicy = machine.Node0
	// NUMADealt: the blocks of each object are dealt out to the workers in equal parts, as static
	// deals a loop, and each touches its own first. Simulated only.
	NUMADealt      NUMAPolicy = "dealt"
	NUMAInterleave NUMAPolicy = machine.Interleave
)

// NUMAPolicies are all of them.
var NUMAPolicies = []NUMAPolicy{NUMANode0, NUMADealt, NUMAInterleave}

// UnmarshalText reads what documents have; those of earlier versions say first-touch for node0.
func (p *NUMAPolicy) UnmarshalText(text []byte) error {
	if *p = NUMAPolicy(text); *p == "first-touch" {
		*p = NUMANode0
	}
	return nil
}

// Words returns the place of pages, for people.
func (p NUMAPolicy) Words() string {
	return map[NUMAPolicy]string{NUMANode0: "all pages on node 0",
		NUMADealt: "pages dealt to the workers", NUMAInterleave: "pages interleaved"}[p]
}
