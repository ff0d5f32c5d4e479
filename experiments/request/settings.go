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

// Settings are the parts of a [Request] that change what numbers mean, as documents have them.
type Settings struct {
	Reps          int         `json:"reps"`
	Warmup        int         `json:"warmup"`
	Bind          string      `json:"bind"`
	Trace         TraceMode   `json:"trace"`
	Grain         TraceGrain  `json:"trace_grain"`
	CacheModel    CacheModel  `json:"cache_model,omitempty"` // of a simulated run
	Counters      CounterMode `json:"counters"`
	NUMA          NUMAPolicy  `json:"numa"`
	Oversubscribe bool        `json:"oversubscribe"`
	SMT           bool        `json:"smt"`
	Topology      string      `json:"topology,omitempty"`
	Caches        string      `json:"caches,omitempty"` // as given for a native run
	TraceLimit    uint64      `json:"trace_limit_bytes,omitempty"`
	// traces tell of tasks and of regions, too
	TraceTasks   bool `json:"trace_tasks,omitempty"`
	TraceRegions bool `json:"trace_regions,omitempty"`
	// TraceDecisions implies TraceTasks.
	TraceDecisions bool `json:"trace_decisions,omitempty"`
	// how reuse distances are computed: see Reuse
	KRDCores     bool `json:"krd_cores,omitempty"`
	KRDCoherence bool `json:"krd_coherence,omitempty"`
}

// Reuse says what of reuse distances is computed from traced repetitions.
type Reuse struct {
	Cores     bool // those of each core, too
	Coherence bool // a write invalidates the copies of others
}

// Options are those of the analysis.
func (r Reuse) Options() krd.Options {
	return krd.Options{Cores: r.Cores, Coherence: r.Coherence}
}

// Reuse is what of reuse distances is computed.
func (s *Settings) Reuse() Reuse { return Reuse{s.KRDCores, s.KRDCoherence} }

// Structure is what traces tell beside kernels.
func (s *Settings) Structure() runtimes.Structure {
	return runtimes.Structure{Tasks: s.TraceTasks, Regions: s.TraceRegions,
		Decisions: s.TraceDecisions}
}

// Set takes the settings over from a document.
func (r *Request) Set(s Settings) (err error) {
	r.Bind, err = hw.ParseBinding(s.Bind)
	r.Reps, r.Warmup, r.Trace, r.Grain, r.Counters = s.Reps, s.Warmup, s.Trace, s.Grain, s.Counters
	r.NUMA, r.TraceLimit, r.Topology = s.NUMA, s.TraceLimit, s.Topology
	r.Caches = s.Caches
	r.Oversubscribe, r.SMT = s.Oversubscribe, s.SMT
	r.CacheModel = s.CacheModel
	r.Structure, r.Reuse = s.Structure(), s.Reuse()
	if r.CacheModel == "" {
		r.CacheModel = CacheBlocks
	}
	return err
}

// A TraceMode says what the tracer records while repetitions are timed.
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

// Each says whether every repetition is traced.
func (t TraceMode) Each() bool { return t == TraceFull || t == TraceKRD }

// None says whether no repetition is traced.
func (t TraceMode) None() bool { return t == TraceOff || t == TraceProfile }

// A TraceGrain says what one pair of stamps covers. Times of the two are never compared.
type TraceGrain string

// The grains.
const (
	GrainKernel TraceGrain = "kernel" // each kernel execution
	// a task; its kernels are listed, and one in some is stamped to estimate their mean times
	GrainTask TraceGrain = "task"
)

// A CounterMode says whether hardware counters are wanted.
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

// A NUMAPolicy says where the memory of a kernel's data is placed.
type NUMAPolicy string

// The placements: those of machines.
const (
	NUMAFirstTouch NUMAPolicy = machine.FirstTouch
	NUMAInterleave NUMAPolicy = machine.Interleave
)
