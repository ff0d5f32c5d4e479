package result

import (
	"cmp"
	"fmt"
	"slices"

	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/request"
	"krdlab/hw"
	"krdlab/kernels/kernel"
	"krdlab/krd"
	"krdlab/loi"
)

// SchemaVersion is the version of the documents that [Result] and [Manifest] marshal to. Fields may
// be added under the same version, never renamed.
const SchemaVersion = 1

// LLCSourceModel is the source of LLC misses that a cache model counted.
const LLCSourceModel = "model"

// A Result is the result of one scheduler under one configuration: the document of `krdlab run
// --json`. Times are in ns, sizes in bytes. Null means that there is no measurement.
type Result struct {
	SchemaVersion int           `json:"schema_version"`
	Kernel        string        `json:"kernel"`
	Params        kernel.Params `json:"params"`
	// what presets and "auto" among the parameters stood for
	Resolved    kernel.Params    `json:"resolved"`
	Scheduler   string           `json:"scheduler"`
	Cores       int              `json:"cores"`
	Seed        uint64           `json:"seed"`
	Interrupted bool             `json:"interrupted"` // fewer repetitions than asked for
	Substrate   string           `json:"substrate"`   // "native" or "simulated"
	Machine     Machine          `json:"machine"`
	Settings    request.Settings `json:"settings"`

	// Deterministic records that nothing was drawn at random, so that each repetition that was
	// asked for would be the one that stands here. Only runs in virtual time can tell.
	Deterministic bool `json:"deterministic"`

	// NoData records that no kernel of the program accesses data that it has named: a simulated
	// machine then counts no misses. Absent where some does.
	NoData bool `json:"no_data,omitempty"`

	Serial      Serial       `json:"serial"`
	Repetitions []Repetition `json:"repetitions"`
	// SetAside are repetitions that were disturbed and done again: no number comes from them.
	SetAside []Repetition `json:"set_aside,omitempty"`
	Summary  Summary      `json:"summary"`
	// Disturbances counts what other programs spoiled; absent where nothing was looked at, as of a
	// simulated run.
	Disturbances *Disturbances   `json:"disturbances,omitempty"`
	Kernels      []KernelSummary `json:"kernels"`

	LLCSource *string `json:"llc_source"` // "perf_event", "model" or null
	// MissSource records what counted the LLC misses, the kind of model too: "perf_event",
	// "model: fully associative, blocks", "model: sets, lines" or null.
	MissSource *string `json:"miss_source"`
	LLCReason  *string `json:"llc_reason"` // why there are no hardware counts
	// misses by node and kernel; null unless the source is "model"
	LLCModel *LLCModel   `json:"llc_model"`
	KRD      *krd.Report `json:"krd"`   // of the traced repetition
	Check    *Check      `json:"check"` // null where nothing was computed
	// Phases are the parts of the program outside the timed run, with the times of the last
	// repetition; empty where there are none.
	Phases   []kernel.Phase `json:"phases"`
	Trace    *Trace         `json:"trace"`
	Warnings []string       `json:"warnings"` // the sentences of WarningCodes
	// WarningCodes are the doubts about the result; absent where there are none.
	WarningCodes []Warning `json:"warning_codes,omitempty"`

	traced []*krd.Histogram // of a pooled result
}

// A Machine is where the numbers come from.
type Machine struct {
	hw.Machine
	TimeSource string `json:"time_source"` // "tsc", "monotonic" or "virtual"
	// Computer identifies this computer among others of the same name ([hw.ComputerID]); "" where
	// that is not known, and of a simulated machine, which is the same everywhere.
	Computer string `json:"computer,omitempty"`
	// Model describes the file of a simulated machine; nil natively.
	Model *Model `json:"model,omitempty"`
}

// A Model holds the data of a simulated machine that belong beside its numbers.
type Model struct {
	Hash       string `json:"hash"`       // of all that decides a result ([machine.Machine.Hash])
	Parameters int    `json:"parameters"` // how many numbers it has
	Guessed    int    `json:"guessed"`    // of these, neither measured nor published
	// Fitted are the quantities of this result, as "ovr", that numbers of the machine were chosen
	// to bring out: here they predict nothing.
	Fitted []string `json:"fitted"`
}

// Serial is the serial run that the others are set against: medians, and the repetitions
// themselves.
type Serial struct {
	TimeNS        Number       `json:"time_ns"`
	WorkNS        Number       `json:"work_ns"`
	Deterministic bool         `json:"deterministic"` // as that of the result
	Repetitions   []Repetition `json:"repetitions"`
	SetAside      []Repetition `json:"set_aside,omitempty"` // as those of the result
}

// At returns the serial repetition beside which repetition i ran, or, where there is but one that
// all would equal, that; nil if there is none.
func (s *Serial) At(i int) *Repetition {
	if s.Deterministic {
		i = 0 // of a run there is one
	}
	if i >= len(s.Repetitions) {
		return nil
	}
	return &s.Repetitions[i]
}

// Quantity returns [QuantityOf] values, of repetitions of r: where nothing was drawn they have no
// interval.
func (r *Result) Quantity(values []float64) Quantity {
	return Sample{Values: values, Fixed: r.Deterministic}.Quantity()
}

// Inflates reports whether work can differ from that of the serial run: WTI is not measured where a
// machine model without data has a constant price for each kernel.
func (r *Result) Inflates() bool { return r.Substrate != loi.Simulated || !r.NoData }

// A Repetition is one run of the kernel from the start of its root task to its end.
type Repetition struct {
	TimeNS int64 `json:"time_ns"`
	// sum of kernel execution times; nil with tracing off or where nothing is a kernel
	WorkNS           *int64 `json:"work_ns"`
	Tasks            *int64 `json:"tasks"`
	Kernels          *int64 `json:"kernels"` // kernel executions
	LLCMissesPerCore Number `json:"llc_misses_per_core"`
	// preempted or moved while they ran; nil where it cannot be told
	FlaggedKernels *int64   `json:"flagged_kernels"`
	Counters       Counters `json:"counters"`
	// CPUTime is the time of the workers on their CPUs; absent in virtual time.
	CPUTime *CPUTime `json:"cpu_time,omitempty"`
	// Disturbed are the reasons why other programs, or the machine, had a part in the times; absent
	// where it was not looked for, [] where there is none.
	Disturbed   []Warning    `json:"disturbed,omitzero"`
	Flags       []string     `json:"flags"` // what makes this repetition doubtful
	Workers     []Worker     `json:"workers"`
	KernelTimes []KernelTime `json:"kernels_by_name"`
	// LLCModel are the misses of this repetition that a cache model counted; nil where it did not.
	LLCModel *LLCMisses `json:"llc_model"`
	// KRD is that of this repetition, summed over the nodes; nil where it was not traced.
	KRD *krd.Histogram `json:"krd"`
	// KRDCores is that of each core's accesses alone, summed over the cores; absent where it was not
	// asked for.
	KRDCores *krd.Histogram `json:"krd_cores,omitempty"`
}

// SetKRD takes over what was computed from the trace of r.
func (r *Repetition) SetKRD(report *krd.Report) {
	r.KRD = &report.Histogram
	if report.PerCore != nil {
		r.KRDCores = &report.PerCore.Histogram
	}
}

// A Worker is the account of one worker in a repetition. Work + scheduling + idle = time of the
// repetition. Pointers are nil where the scheduler has no such thing (go) or it was not measured.
type Worker struct {
	CPU          int    `json:"cpu"` // -1: not pinned
	Node         int    `json:"node"`
	WorkNS       *int64 `json:"work_ns"`
	SchedNS      *int64 `json:"sched_ns"`
	IdleNS       *int64 `json:"idle_ns"`
	Spawns       *int64 `json:"spawns"`
	StealsLocal  *int64 `json:"steals_local"`  // from a worker of the same node
	StealsRemote *int64 `json:"steals_remote"` // from another node
	StealsFailed *int64 `json:"steals_failed"` // attempts at either that got nothing
	// StealsRemoteFailed are those of them at another node.
	StealsRemoteFailed *int64 `json:"steals_remote_failed"`
	// StealsFrom are the successful steals by the node of the victim: element n those from node n.
	// nil where there are none to count (go).
	StealsFrom []int64 `json:"steals_from_node"`
	Tasks      *int64  `json:"tasks"`
	Kernels    *int64  `json:"kernels"`
	// Frames that this worker made for tasks, as none was free; those of all workers together are
	// the frames that the repetition allocated. Absent where it was not counted.
	Frames *int64 `json:"frames,omitempty"`
	// Conditions describe its CPU; absent where the worker has no CPU of its own.
	Conditions *Conditions `json:"conditions,omitempty"`
}

// A KernelTime is how often one kernel ran in a repetition and for how long in all.
type KernelTime struct {
	Name    string `json:"name"`
	Count   int64  `json:"count"`
	TotalNS *int64 `json:"total_ns"` // nil: none was stamped
	// Sampled is how many executions TotalNS is an estimate from, at task grain; 0: it is no
	// estimate.
	Sampled int64 `json:"sampled"`
}

// Counters are those of the operating system and the hardware, summed over the workers of a
// repetition.
type Counters struct {
	LLCMisses       Count `json:"llc_misses"`
	TaskClockNS     Count `json:"task_clock_ns"`
	PageFaults      Count `json:"page_faults"`
	ContextSwitches Count `json:"context_switches"`
	// InvoluntarySwitches are those by which a worker lost its CPU.
	InvoluntarySwitches Count `json:"involuntary_switches"`
	Migrations          Count `json:"migrations"`
}

// A Count is a counter's value, or nil and why there is none.
type Count struct {
	Value  *int64 `json:"value"`
	Reason string `json:"reason,omitempty"`
}

// Summary sums up the repetitions. Speedup = cores / (OVR x WTI) holds for the medians to rounding.
type Summary struct {
	TimeNS  Quantity `json:"time_ns"`
	Speedup Quantity `json:"speedup"`
	OVR     Quantity `json:"ovr"`
	WTI     Quantity `json:"wti"`
	// mean time of a kernel execution, over a repetition
	KernelNS         Quantity `json:"kernel_ns"`
	LLCMissesPerCore Quantity `json:"llc_misses_per_core"`
	// Spawns are the children that were queued, and WorkPerSpawnNS the kernel time for each: the
	// size of a task as the KRD paper has it (II-A), where most tasks are calls. Absent where
	// nothing was spawned, or it was not counted.
	Spawns         *Quantity `json:"spawns,omitempty"`
	WorkPerSpawnNS *Quantity `json:"work_per_spawn_ns,omitempty"`
}

// A KernelSummary sums up one kernel: executions and mean time over all repetitions, and the ratio
// of its mean time to that in the serial run.
type KernelSummary struct {
	Name   string `json:"name"`
	Count  int64  `json:"count"` // in one repetition
	MeanNS Number `json:"mean_ns"`
	WTI    Number `json:"wti"`
	// Estimated records that the times are means of samples, one in about SampledEvery executions:
	// see [request.GrainTask].
	Estimated    bool `json:"estimated"`
	SampledEvery int  `json:"sampled_every"` // 1: each execution was stamped
}

// A Check is the outcome of the numerical check of a computed result.
type Check struct {
	Passed    bool   `json:"passed"`
	Error     Number `json:"error"`
	Tolerance Number `json:"tolerance"`
	Detail    string `json:"detail,omitempty"` // where the error is, after a failure
	Method    string `json:"method,omitempty"` // such as "Freivalds, exact"
	// Lines are further findings of the check.
	Lines []string `json:"lines,omitempty"`
}

// String returns the error, the tolerance and where the error is.
func (c *Check) String() string {
	s := fmt.Sprintf("error %g, tolerance %g", c.Error.Float(), c.Tolerance.Float())
	if c.Detail != "" {
		s += " (" + c.Method + ": " + c.Detail + ")"
	}
	return s
}

// A Trace is the trace file of the traced repetition and what tracing cost.
type Trace struct {
	Path       string `json:"path"`
	Records    int64  `json:"records"`
	Discarded  int64  `json:"discarded"`
	OverheadNS Number `json:"overhead_ns_per_kernel"`
	// cost of the profile mode, in which repetitions are timed
	ProfileNS Number `json:"profile_ns_per_kernel"`
	TimeNS    Number `json:"time_ns"` // time of the traced repetition
	// that over the median of the timed ones
	SlowdownOverMedian Number `json:"slowdown"`
}

// MedianRepetition returns the repetition of median time, the faster of the middle two of an even
// number; nil if there is none.
func MedianRepetition(reps []Repetition) *Repetition {
	if len(reps) == 0 {
		return nil
	}
	order := make([]*Repetition, len(reps))
	for i := range reps {
		order[i] = &reps[i]
	}
	slices.SortStableFunc(order, func(a, b *Repetition) int {
		return cmp.Compare(a.TimeNS, b.TimeNS)
	})
	return order[(len(order)-1)/2]
}

// IdleOVR returns the part of OVR of workers without a task: the share of the workers' time in the
// repetition of median time that they were idle, times OVR. With it, and what scheduling took, OVR
// is W_s / T_s, the share of work in the serial run. Unknown where OVR or an idle time is.
func (r *Result) IdleOVR() Number {
	rep := MedianRepetition(r.Repetitions)
	if rep == nil || len(rep.Workers) == 0 || rep.TimeNS == 0 {
		return Number{}
	}
	idle := 0.0
	for i := range rep.Workers {
		idle += SomeInt(rep.Workers[i].IdleNS).Float()
	}
	return Some(idle / float64(rep.TimeNS) / float64(len(rep.Workers)) *
		r.Summary.OVR.Median.Float())
}

// MedianTime returns the median time of repetitions in ns, unknown if there is none.
func MedianTime(reps []Repetition) Number {
	if len(reps) == 0 {
		return Number{}
	}
	return Some(estimate.Median(times(reps)))
}
