package result

import (
	"krdlab/krd"
	"krdlab/krd/doc"
)

// A Warning is a doubt about a result. The catalogue has its sentence (words.go).
type Warning = doc.Finding

// A Code is the kind of a warning.
type Code = doc.Code

// Warn returns a warning.
func Warn(code Code, args ...any) Warning { return doc.Find(code, args...) }

// The codes, with what their arguments are.
const (
	// Text is a sentence without a code of its own: the sentence.
	Text = doc.Uncoded
	// NoIntervals: repetitions that there are, repetitions that are needed.
	NoIntervals Code = "no_intervals"
	// Interrupted: repetitions that there are, repetitions that were asked for.
	Interrupted Code = "interrupted"
	// SharedCPUs: workers, CPUs.
	SharedCPUs Code = "shared_cpus"
	// StampedOverCPU: the repetitions (Parallel or SerialRun), by how many per cent.
	StampedOverCPU Code = "stamped_over_cpu"
	// LostCPU: the repetitions (Parallel or SerialRun), how often a worker in a repetition.
	LostCPU Code = "lost_cpu"
	// CPUTaken of a repetition: the share of a CPU that its worker with the least had.
	CPUTaken Code = "cpu_taken"
	// FrequencyMoved of a repetition: the CPU, by what part its clock cycle became longer.
	FrequencyMoved Code = "frequency_moved"
	// ClockMoved of a repetition: the CPU, by how many ns its clock moved against the first
	// worker's, null where no offset explains its stamps.
	ClockMoved Code = "clock_moved"
	// DisturbedRuns: which repetitions (Parallel or SerialRun), how many stay disturbed, of how
	// many, the code of the gravest cause and its arguments.
	DisturbedRuns Code = "disturbed"
	// DoneAgain: which repetitions (Parallel or SerialRun), how many were disturbed and done again.
	DoneAgain Code = "done_again"
	// HandoverMoved: two CPUs, the shortest and the longest hand-over between them, ns.
	HandoverMoved Code = "handover_moved"
	// Impossible: the quantity (its name in Summary), its value, the bound beyond which it is, the
	// workers, whether serial repetitions stay disturbed.
	Impossible Code = "impossible"
	// FlaggedKernels: how many kernels, of how many.
	FlaggedKernels Code = "flagged_kernels"
	// SyntheticTopology: no argument.
	SyntheticTopology Code = "synthetic_topology"
	// NoKRD: the trace, records that it lost, records in all.
	NoKRD Code = "no_krd_trace_lost"
	// TraceLost: the trace, records that it lost, records in all, why.
	TraceLost Code = "trace_lost"
	// MixedPrices of a simulated run: schedulers whose prices were fitted, schedulers whose prices
	// were not.
	MixedPrices Code = "mixed_prices"
	// CheckFailed: error, tolerance.
	CheckFailed Code = "check_failed"
	// ClocksNotCompared: why.
	ClocksNotCompared Code = "clocks_not_compared"
	// TracingCost: why it could not be measured.
	TracingCost Code = "tracing_cost"
	// PlacesUnknown of a replay: why it is not known where blocks lie.
	PlacesUnknown Code = "places_unknown"
	// ReplayLost of a replay: records that were discarded, or damaged.
	ReplayLost Code = "replay_lost"
	// ReplayLossUnknown of a replay: workers that lost records, of how many.
	ReplayLossUnknown Code = "replay_loss_unknown"
	// Recovered of a replay: no argument.
	Recovered = krd.Recovered
	// UnfinishedRun of a run directory: its name.
	UnfinishedRun Code = "unfinished_run"
	// ImposedNodes of a replay: no argument.
	ImposedNodes = krd.ImposedNodes

	// OneConfiguration of coefficients: no argument.
	OneConfiguration Code = "one_configuration"
	// SeveralSources of coefficients: no argument.
	SeveralSources Code = "several_llc_sources"
	// NoMisses of coefficients: no argument.
	NoMisses Code = "no_llc_misses"
	// WithoutKRD, OneTrace and SameShares of coefficients: how many configurations, of how many.
	WithoutKRD Code = "without_krd"
	OneTrace   Code = "one_trace"
	SameShares Code = "same_shares"

	// SettingDiffers of a comparison: the setting, its values in A and in B.
	SettingDiffers Code = "setting_differs"
	// OtherComputer of a comparison: the name of both computers.
	OtherComputer Code = "other_computer"
	// OtherMachine of a comparison: the machine that A and B describe differently.
	OtherMachine Code = "other_machine"
	// OtherModel of a comparison: the simulated machine that has other numbers in A than in B, the
	// hashes of both.
	OtherModel Code = "other_model"
)

// The repetitions that a warning is about.
const (
	Parallel  = "parallel_run"
	SerialRun = "serial_run"
)
