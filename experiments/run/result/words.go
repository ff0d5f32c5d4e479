package result

import (
	"fmt"
	"math"

	"krdlab/experiments/run/estimate"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// levels are those of the codes, with arguments for the catalogue.
var levels = map[Code]doc.Entry{
	NoIntervals:       {Level: doc.Limit, Example: []any{3, estimate.MinSample}, Next: "--reps 6"},
	Interrupted:       {Level: doc.Limit, Example: []any{4, 10}},
	SharedCPUs:        {Level: doc.Doubt, Example: []any{4, 2}},
	StampedOverCPU:    {Level: doc.Doubt, Example: []any{Parallel, 12.0}},
	LostCPU:           {Level: doc.Doubt, Example: []any{SerialRun, 30.0}},
	CPUTaken:          {Level: doc.Doubt, Example: []any{0.8}},
	FrequencyMoved:    {Level: doc.Doubt, Example: []any{1, 0.2}},
	ClockMoved:        {Level: doc.Doubt, Example: []any{1, 300.0}},
	DisturbedRuns:     {Level: doc.Doubt, Example: []any{Parallel, 2, 10, string(CPUTaken), 0.8}},
	DoneAgain:         {Level: doc.Note, Example: []any{Parallel, 2}},
	HandoverMoved:     {Level: doc.Doubt, Example: []any{0, 1, 40.0, 400.0}},
	Impossible:        {Level: doc.Doubt, Example: []any{"speedup", 2.4, 2.0, 2, false}},
	FlaggedKernels:    {Level: doc.Doubt, Example: []any{12.0, 4096.0}},
	SyntheticTopology: {Level: doc.Note},
	NoKRD:             {Level: doc.Limit, Example: []any{"workfirst.loi", 10, 1000}, Next: "--trace-limit"},
	TraceLost:         {Level: doc.Doubt, Example: []any{"workfirst.loi", 10, 1000, "the disk was full"}},
	MixedPrices:       {Level: doc.Doubt, Example: []any{"a scheduler", "another"}},
	CheckFailed:       {Level: doc.Doubt, Example: []any{1e-3, 1e-6}},
	ClocksNotCompared: {Level: doc.Limit, Example: []any{"one CPU"}},
	TracingCost:       {Level: doc.Limit, Example: []any{"what tracing costs is not known"}},
	PlacesUnknown:     {Level: doc.Limit, Example: []any{"no addresses"}},
	ReplayLost:        {Level: doc.Doubt, Example: []any{10}},
	ReplayLossUnknown: {Level: doc.Doubt, Example: []any{1, 4}},
	UnfinishedRun:     {Level: doc.Limit, Example: []any{"run.partial"}},
	SettingDiffers:    {Level: doc.Doubt, Example: []any{"numa", "node0", "interleave"}},
	OtherComputer:     {Level: doc.Doubt, Example: []any{"CPU"}},
	OtherMachine:      {Level: doc.Doubt, Example: []any{"westmere-ex-4s"}},
	OtherModel:        {Level: doc.Doubt, Example: []any{"westmere-ex-4s", "0123456789", "9876543210"}},
	OneConfiguration:  {Level: doc.Limit},
	SeveralSources:    {Level: doc.Note},
	NoMisses:          {Level: doc.Limit},
	WithoutKRD:        {Level: doc.Limit, Example: []any{2, 12}},
	OneTrace:          {Level: doc.Limit, Example: []any{2, 12}, Next: "--trace krd"},
	SameShares:        {Level: doc.Note, Example: []any{2, 12}},
}

func init() {
	entries := map[doc.Code]doc.Entry{}
	for code, words := range sentences {
		e := levels[code]
		e.Say = words
		entries[code] = e
	}
	doc.Catalogue(entries)
}

// sentences are the words of each code. Arguments are those that [Code] documents.
var sentences = map[Code]func(a doc.Args) string{
	NoIntervals: func(a doc.Args) string {
		return fmt.Sprintf("no intervals: %s, and %d are needed for 95 %% confidence",
			units.Count(a.Whole(0), "repetition"), a.Whole(1))
	},
	Interrupted: func(a doc.Args) string {
		return fmt.Sprintf("ended after %d of %d repetitions", a.Whole(0), a.Whole(1))
	},
	SharedCPUs: func(a doc.Args) string {
		return fmt.Sprintf("WTI is unreliable: %d workers share %d CPUs", a.Whole(0), a.Whole(1))
	},
	StampedOverCPU: func(a doc.Args) string {
		return fmt.Sprintf("%s: kernels took %.0f %% longer by their stamps than the workers had "+
			"a CPU", disturbed(a), a.Number(1))
	},
	LostCPU: func(a doc.Args) string {
		return fmt.Sprintf("%s: a worker lost its CPU %.0f times in a repetition", disturbed(a),
			a.Number(1))
	},
	CPUTaken:       taken,
	FrequencyMoved: frequencyMoved,
	ClockMoved:     clockMoved,
	DisturbedRuns: func(a doc.Args) string {
		s := fmt.Sprintf("disturbed: %d of %s", a.Whole(1), repetitionsOf(a, a.Whole(2)))
		if cause, ok := reasonWords[Code(a.Text(3))]; ok {
			s += "; at worst " + cause(a[4:])
		}
		return s
	},
	DoneAgain: func(a doc.Args) string {
		return fmt.Sprintf("%s disturbed and done again; the disturbed are set aside in the "+
			"document", repetitionsOf(a, a.Whole(1))+wasOrWere(a.Whole(1)))
	},
	HandoverMoved: func(a doc.Args) string {
		return fmt.Sprintf("a cache line took from %.0f to %.0f ns from CPU %d to CPU %d and back: "+
			"the speed of schedulers that share queues follows it", a.Number(2), a.Number(3),
			a.Whole(0), a.Whole(1))
	},
	Impossible: impossible,
	FlaggedKernels: func(a doc.Args) string {
		return fmt.Sprintf("%.0f of %.0f kernels were stopped or moved to another CPU while they "+
			"ran, and their times include that", a.Number(0), a.Number(1))
	},
	SyntheticTopology: func(doc.Args) string {
		return "synthetic topology: which workers share a node was given by --topology, not by " +
			"the hardware"
	},
	NoKRD: func(a doc.Args) string {
		return "no KRD: " + LostRecords(a.Text(0), int64(a.Whole(1)), int64(a.Whole(2)))
	},
	TraceLost: func(a doc.Args) string {
		return fmt.Sprintf("%s lost %d of its %d records: %s", a.Text(0), a.Whole(1), a.Whole(2),
			a.Text(3))
	},
	MixedPrices: func(a doc.Args) string {
		return fmt.Sprintf("do not compare them: the runtime's prices were fitted for %s, and are "+
			"guesses or measurements for %s", a.Text(0), a.Text(1))
	},
	CheckFailed: func(a doc.Args) string {
		return fmt.Sprintf("the check failed: error %g, tolerance %g", a.Number(0),
			a.Number(1))
	},
	ClocksNotCompared: func(a doc.Args) string {
		return fmt.Sprintf("the clocks of the CPUs could not be compared (%s): the order of "+
			"kernels on different CPUs is as they stamped it", a.Text(0))
	},
	TracingCost: func(a doc.Args) string { return a.Text(0) },
	PlacesUnknown: func(a doc.Args) string {
		return fmt.Sprintf("the addresses of blocks are not known (%s): blocks are taken as contiguous",
			a.Text(0))
	},
	ReplayLost: func(a doc.Args) string {
		return fmt.Sprintf("%d records were discarded while tracing, or were damaged: their effect "+
			"on the caches is missing", a.Whole(0))
	},
	ReplayLossUnknown: func(a doc.Args) string {
		return fmt.Sprintf("the trace was recovered, and the number of missing records is not known "+
			"for %d of its %d workers: their effect on the caches is missing", a.Whole(0),
			a.Whole(1))
	},
	UnfinishedRun: func(a doc.Args) string {
		return fmt.Sprintf("%s is of a run that did not finish: traces of schedulers and of "+
			"repetitions may be missing", a.Text(0))
	},
	SettingDiffers: func(a doc.Args) string {
		return fmt.Sprintf("the setting %s differs: %s in A, %s in B", a.Text(0), a.Text(1),
			a.Text(2))
	},
	OtherComputer: func(a doc.Args) string {
		return fmt.Sprintf("the %s of B is another computer than that of A: differences may come "+
			"from the computers", a.Text(0))
	},
	OtherMachine: func(a doc.Args) string {
		return fmt.Sprintf("the machine %s is described differently in A and B (cores, caches or "+
			"source of time)", a.Text(0))
	},
	OtherModel: func(a doc.Args) string {
		return fmt.Sprintf("the simulated machine %s is not the same in A and B: its numbers "+
			"differ (hash %.8s in A, %.8s in B)", a.Text(0), a.Text(1), a.Text(2))
	},
	OneConfiguration: func(doc.Args) string {
		return "there is only one configuration, with nothing to compare it with; sweep more " +
			"schedulers, core counts or sizes"
	},
	SeveralSources: func(doc.Args) string {
		return "LLC misses are of several sources (perf_event, model); they are correlated apart"
	},
	NoMisses: func(doc.Args) string {
		return "no LLC misses: neither hardware counters nor a model"
	},
	WithoutKRD: func(a doc.Args) string { return configurations(a) + " have no KRD" },
	OneTrace: func(a doc.Args) string {
		return configurations(a) + " have one traced repetition only: no interval of their KRD; " +
			"--trace krd traces all"
	},
	SameShares: func(a doc.Args) string {
		return configurations(a) + " have all their KRD shares equal to another's of the same " +
			"cores and size: n counts them all"
	},
}

// reasonWords are the words of what disturbed a repetition.
var reasonWords = map[Code]func(a doc.Args) string{
	CPUTaken: taken, FrequencyMoved: frequencyMoved, ClockMoved: clockMoved,
}

func taken(a doc.Args) string {
	return fmt.Sprintf("a worker had a CPU for %.0f %% of the time in which it could run",
		100*a.Number(0))
}

func frequencyMoved(a doc.Args) string {
	return fmt.Sprintf("a clock cycle of CPU %d became %+.0f %% longer", a.Whole(0), 100*a.Number(1))
}

func clockMoved(a doc.Args) string {
	if by := a.Number(1); !math.IsNaN(by) {
		return fmt.Sprintf("the clock of CPU %d moved by %.0f ns against the first worker's",
			a.Whole(0), by)
	}
	return fmt.Sprintf("the clock of CPU %d drifted or jumped", a.Whole(0))
}

// repetitionsOf counts repetitions of the kind that a warning is about.
func repetitionsOf(a doc.Args, n int) string {
	if a.Text(0) == SerialRun {
		return units.Count(n, "serial repetition")
	}
	return units.Count(n, "repetition")
}

func wasOrWere(n int) string {
	if n == 1 {
		return " was"
	}
	return " were"
}

// ratioNames are the quantities that can be impossible, with what would explain them but a serial
// run that was slowed down.
var ratioNames = map[string]struct{ name, relation, unless string }{
	"speedup": {"speed-up", "above", "the workers' caches together hold more of the data than one " +
		"cache did"},
	"wti": {"WTI", "below", "the caches serve this order of tasks better"},
	"ovr": {"OVR", "below", "the code between kernels profits from more caches"},
}

// impossible returns what caches and a disturbed serial run have to do with a ratio that cores
// cannot give: the serial run is blamed only where it is known to be disturbed.
func impossible(a doc.Args) string {
	q := ratioNames[a.Text(0)]
	s := fmt.Sprintf("%s %s on %s is %s %s: impossible", q.name, doc.Digits(a.Number(1), 4),
		units.Count(a.Whole(3), "core"), q.relation, doc.Digits(a.Number(2), 3))
	if disturbed, _ := a.At(4).(bool); disturbed {
		return s + ": the serial runs were disturbed"
	}
	return s + " unless " + q.unless + ", or an unseen disturbance slowed the serial runs"
}

// configurations returns how many of how many.
func configurations(a doc.Args) string {
	return fmt.Sprintf("%d of %s", a.Whole(0), units.Count(a.Whole(1), "configuration"))
}

func disturbed(a doc.Args) string {
	what := "the repetitions"
	if a.Text(0) == SerialRun {
		what = "the serial run"
	}
	return "WTI is unreliable: other programs disturbed " + what
}

// LostRecords returns why a trace with losses gives no KRD, and what to do about it.
func LostRecords(trace string, lost, all int64) string {
	return fmt.Sprintf("the trace %s lost %d of %d records; krdlab krd --allow-loss analyses what "+
		"there is", trace, lost, all)
}
