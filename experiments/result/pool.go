package result

import (
	"krdlab/experiments/request"
)

// measured returns what r was summarised from, without repetitions and warnings.
func (r *Result) measured() *Measured {
	m := &Measured{
		Scheduler: r.Scheduler, Workers: r.Cores, Substrate: r.Substrate, Machine: r.Machine,
		Resolved: r.Resolved, KRD: r.KRD, Check: r.Check, Phases: r.Phases, Trace: r.Trace,
	}
	if r.LLCSource != nil {
		m.LLCSource = *r.LLCSource
	}
	if r.LLCModel != nil {
		m.LLCModel = &LLCModel{Machine: r.LLCModel.Machine, CacheModel: r.LLCModel.CacheModel,
			Replayed: r.LLCModel.Replayed}
	}
	return m
}

// Pool returns the result of several runs of one scheduler under one configuration but for the
// seed: repetitions and serial repetitions in a row, summed up anew; all else is the first's.
// Inputs differ with the seed, so that intervals are of repetitions drawn within each run. A single
// result is returned as it is. Results of which the source of LLC misses differs have none when
// pooled, and a warning says so. Cost: a bootstrap.
func Pool(list []*Result) *Result {
	if len(list) == 1 {
		return list[0]
	}
	first := *list[0]
	m := first.measured()
	reps := 0
	for _, r := range list {
		if m.LLCModel != nil && r.LLCModel != nil {
			m.LLCModel.Traced = append(m.LLCModel.Traced, r.LLCModel.Traced...)
		}
		// The serial repetitions stay beside those that they ran with.
		n := min(len(r.Serial.Repetitions), len(r.Repetitions))
		m.Serial = append(m.Serial, r.Serial.Repetitions[:n]...)
		m.Repetitions = append(m.Repetitions, r.Repetitions[:n]...)
		reps += r.Settings.Reps
		if n > 0 {
			m.strata = append(m.strata, n)
		}
		m.Warnings = append(m.Warnings, r.WarningCodes...)
	}
	for _, r := range list[1:] {
		if (r.LLCSource == nil) != (first.LLCSource == nil) || r.LLCSource != nil &&
			*r.LLCSource != *first.LLCSource {
			m.LLCSource, m.LLCReason, m.LLCModel = "",
				"its runs have their LLC misses from different sources", nil
			for i := range m.Repetitions {
				m.Repetitions[i].Counters.LLCMisses,
					m.Repetitions[i].LLCModel = Count{Reason: m.LLCReason}, nil
			}
			break
		}
	}
	if first.LLCReason != nil && m.LLCReason == "" {
		m.LLCReason = *first.LLCReason
	}
	settings := first.Settings
	settings.Reps = reps
	out := Summarise(request.Asked{Kernel: first.Kernel, Params: first.Params, Seed: first.Seed,
		Settings: settings}, m)
	return &out
}
