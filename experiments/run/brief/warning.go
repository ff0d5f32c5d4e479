package brief

import (
	"fmt"
	"math"

	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw/units"
	"krdlab/krd"
	"krdlab/krd/doc"
)

// sentences are the words of each code. Arguments are those that [result.Code] documents.
var sentences = map[result.Code]func(a args) string{
	result.Text: func(a args) string { return a.text(0) },
	result.NoIntervals: func(a args) string {
		return fmt.Sprintf("no intervals: %s, and %d are needed for 95 %% confidence",
			units.Count(a.whole(0), "repetition"), a.whole(1))
	},
	result.Interrupted: func(a args) string {
		return fmt.Sprintf("ended after %d of %d repetitions", a.whole(0), a.whole(1))
	},
	result.SharedCPUs: func(a args) string {
		return fmt.Sprintf("WTI is unreliable: %d workers share %d CPUs", a.whole(0), a.whole(1))
	},
	result.StampedOverCPU: func(a args) string {
		return fmt.Sprintf("%s: kernels took %.0f %% longer by their stamps than the workers had "+
			"a CPU", disturbed(a), a.number(1))
	},
	result.LostCPU: func(a args) string {
		return fmt.Sprintf("%s: a worker lost its CPU %.0f times in a repetition", disturbed(a),
			a.number(1))
	},
	result.CPUTaken:       taken,
	result.FrequencyMoved: frequencyMoved,
	result.ClockMoved:     clockMoved,
	result.DisturbedRuns: func(a args) string {
		s := fmt.Sprintf("disturbed: %d of %s", a.whole(1), repetitionsOf(a, a.whole(2)))
		if cause, ok := reasonWords[result.Code(a.text(3))]; ok {
			s += "; at worst " + cause(a[4:])
		}
		return s
	},
	result.DoneAgain: func(a args) string {
		return fmt.Sprintf("%s disturbed and done again; the disturbed are set aside in the "+
			"document", repetitionsOf(a, a.whole(1))+wasOrWere(a.whole(1)))
	},
	result.HandoverMoved: func(a args) string {
		return fmt.Sprintf("a cache line took from %.0f to %.0f ns from CPU %d to CPU %d and "+
			"back: schedulers that share queues are as fast as that", a.number(2), a.number(3),
			a.whole(0), a.whole(1))
	},
	result.Impossible: impossible,
	result.FlaggedKernels: func(a args) string {
		return fmt.Sprintf("%.0f of %.0f kernels were stopped or moved to another CPU while they "+
			"ran, and their times include that", a.number(0), a.number(1))
	},
	result.SyntheticTopology: func(args) string {
		return "synthetic topology: which workers share a node was given by --topology, not by " +
			"the hardware"
	},
	result.NoKRD: func(a args) string {
		return "no KRD: " + stats.LostRecords(a.text(0), int64(a.whole(1)), int64(a.whole(2)))
	},
	result.TraceLost: func(a args) string {
		return fmt.Sprintf("%s lost %d of its %d records: %s", a.text(0), a.whole(1), a.whole(2),
			a.text(3))
	},
	result.MixedPrices: func(a args) string {
		return fmt.Sprintf("not to be compared: the prices of what the runtime does were fitted "+
			"for %s, and are guesses or measurements for %s", a.text(0), a.text(1))
	},
	result.CheckFailed: func(a args) string {
		return fmt.Sprintf("the check failed: error %g, tolerance %g", a.number(0),
			a.number(1))
	},
	result.ClocksNotCompared: func(a args) string {
		return fmt.Sprintf("the clocks of the CPUs could not be compared (%s): the order of "+
			"kernels on different CPUs is as they stamped it", a.text(0))
	},
	result.TracingCost: func(a args) string { return a.text(0) },
	result.PlacesUnknown: func(a args) string {
		return fmt.Sprintf("where blocks lie is not known (%s): taken as one behind the other",
			a.text(0))
	},
	result.ReplayLost: func(a args) string {
		return fmt.Sprintf("%d records were discarded while tracing, or were damaged: what they "+
			"left in the caches is missing", a.whole(0))
	},
	result.ReplayLossUnknown: func(a args) string {
		return fmt.Sprintf("the trace was recovered, and how many records of %d of its %d workers "+
			"are missing is not known: what they left in the caches is missing", a.whole(0),
			a.whole(1))
	},
	result.UnfinishedRun: func(a args) string {
		return fmt.Sprintf("%s is of a run that did not finish: traces of schedulers and of "+
			"repetitions may be missing", a.text(0))
	},
	result.SettingDiffers: func(a args) string {
		return fmt.Sprintf("the setting %s differs: %s in A, %s in B", a.text(0), a.text(1),
			a.text(2))
	},
	result.OtherComputer: func(a args) string {
		return fmt.Sprintf("the %s of B is another computer than that of A: what differs may "+
			"differ between computers", a.text(0))
	},
	result.OtherMachine: func(a args) string {
		return fmt.Sprintf("the machine %s is described otherwise in A than in B (cores, caches "+
			"or source of time)", a.text(0))
	},
	result.OtherModel: func(a args) string {
		return fmt.Sprintf("the simulated machine %s is not the same in A and B: its numbers "+
			"differ (hash %.8s in A, %.8s in B)", a.text(0), a.text(1), a.text(2))
	},
	result.OneConfiguration: func(args) string {
		return "there is one configuration only: nothing to set it against but its own " +
			"repetitions; sweep more schedulers, core counts or sizes"
	},
	result.SeveralSources: func(args) string {
		return "LLC misses are of several sources (perf_event, model); they are correlated apart"
	},
	result.NoMisses: func(args) string {
		return "no LLC misses: neither hardware counters nor a model"
	},
	result.WithoutKRD: func(a args) string { return configurations(a) + " have no KRD" },
	result.OneTrace: func(a args) string {
		return configurations(a) + " have one traced repetition only: no interval of their KRD; " +
			"--trace krd traces all"
	},
	result.SameShares: func(a args) string {
		return configurations(a) + " have all their KRD shares equal to another's of the same " +
			"cores and size: n counts them all"
	},
}

// reasonWords are the words of what disturbed a repetition.
var reasonWords = map[result.Code]func(a args) string{
	result.CPUTaken: taken, result.FrequencyMoved: frequencyMoved, result.ClockMoved: clockMoved,
}

func taken(a args) string {
	return fmt.Sprintf("a worker had a CPU for %.0f %% of the time in which it could run",
		100*a.number(0))
}

func frequencyMoved(a args) string {
	return fmt.Sprintf("a clock cycle of CPU %d became %+.0f %% longer", a.whole(0), 100*a.number(1))
}

func clockMoved(a args) string {
	if by := a.number(1); !math.IsNaN(by) {
		return fmt.Sprintf("the clock of CPU %d moved by %.0f ns against the first worker's",
			a.whole(0), by)
	}
	return fmt.Sprintf("the clock of CPU %d drifted or jumped", a.whole(0))
}

// repetitionsOf counts repetitions of the kind that a warning is about.
func repetitionsOf(a args, n int) string {
	if a.text(0) == result.SerialRun {
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
	"speedup": {"speed-up", "above", "the caches of the workers hold what one's did not"},
	"wti":     {"WTI", "below", "the caches serve this order of tasks better"},
	"ovr":     {"OVR", "below", "what is done between kernels profits from more caches"},
}

// impossible returns what caches and a disturbed serial run have to do with a ratio that cores
// cannot give: the serial run is blamed only where it is known to be disturbed.
func impossible(a args) string {
	q := ratioNames[a.text(0)]
	s := fmt.Sprintf("%s %s on %s is %s %s: impossible", q.name, doc.Digits(a.number(1), 4),
		units.Count(a.whole(3), "core"), q.relation, doc.Digits(a.number(2), 3))
	if disturbed, _ := a.at(4).(bool); disturbed {
		return s + ": the serial runs were disturbed"
	}
	return s + " unless " + q.unless + ", or the serial runs were slowed down unseen"
}

// configurations returns how many of how many.
func configurations(a args) string {
	return fmt.Sprintf("%d of %s", a.whole(0), units.Count(a.whole(1), "configuration"))
}

func disturbed(a args) string {
	what := "the repetitions"
	if a.text(0) == result.SerialRun {
		what = "the serial run"
	}
	return "WTI is unreliable: other programs disturbed " + what
}

// sentence returns the words of a warning, here or in package krd.
func sentence(w result.Warning) string {
	if words, ok := sentences[w.Code]; ok {
		return words(w.Args)
	}
	return krd.Sentence(w)
}

// Sentences returns the words of warnings, never nil.
func Sentences(list []result.Warning) []string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = sentence(w)
	}
	return words
}

// args are the arguments of a warning, just made or read from a document: what is not there, or of
// another type, is unknown.
type args []any

func (a args) at(i int) any {
	if i < len(a) {
		return a[i]
	}
	return nil
}

func (a args) number(i int) float64 {
	switch x := a.at(i).(type) {
	case result.Number:
		return x.Float()
	case float64:
		return x
	case nil: // an unknown number of a document
		return result.Number{}.Float()
	}
	return float64(a.whole(i))
}

func (a args) whole(i int) int {
	switch x := a.at(i).(type) {
	case int:
		return x
	case int64:
		return int(x)
	case uint64:
		return int(x)
	case float64: // JSON has no other
		return int(x)
	}
	return 0
}

func (a args) text(i int) string {
	s, _ := a.at(i).(string)
	return s
}
