package result

import (
	"krdlab/experiments/run/request"
	"krdlab/krd"
)

// measured returns what r was summarised from, without repetitions and warnings.
func (r *Result) measured() *Measured {
	m := &Measured{
		Scheduler: r.Scheduler, Workers: r.Cores, Substrate: r.Substrate, Machine: r.Machine,
		Resolved: r.Resolved, KRD: r.KRD, Check: r.Check, Phases: r.Phases, Trace: r.Trace,
		NoData:        r.NoData,
		Deterministic: r.Deterministic, SerialDeterministic: r.Serial.Deterministic,
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
// Inputs differ with the seed, so that intervals are of repetitions drawn within each run, and runs
// in which nothing was drawn have none. A single result is returned as it is. Results whose sources
// of LLC misses differ have none when pooled, and there is a warning. Every trace counts
// ([Result.Histograms]). Cost: a bootstrap.
func Pool(list []*Result) *Result {
	if len(list) == 1 {
		return list[0]
	}
	first := *list[0]
	m := first.measured()
	for _, r := range list {
		m.Deterministic = m.Deterministic && r.Deterministic
		m.SerialDeterministic = m.SerialDeterministic && r.Serial.Deterministic
	}
	reps := 0
	for _, r := range list {
		if m.LLCModel != nil && r.LLCModel != nil {
			m.LLCModel.Traced = append(m.LLCModel.Traced, r.LLCModel.Traced...)
		}
		// The serial repetitions stay beside those that they ran with.
		serial, par := r.Serial.Repetitions, r.Repetitions
		if !r.Serial.Deterministic {
			serial = serial[:min(len(serial), len(par))]
		}
		if !r.Deterministic && !r.Serial.Deterministic {
			par = par[:len(serial)]
		}
		m.Serial, m.Repetitions = append(m.Serial, serial...), append(m.Repetitions, par...)
		if r.Deterministic && !m.Deterministic { // beside others that draw, it is one of theirs
			reps += len(par)
		} else {
			reps += r.Settings.Reps
		}
		m.SerialSetAside = append(m.SerialSetAside, r.Serial.SetAside...)
		m.SetAside = append(m.SetAside, r.SetAside...)
		if len(serial) > 0 && len(par) > 0 {
			m.strata.serial = append(m.strata.serial, len(serial))
			m.strata.par = append(m.strata.par, len(par))
		}
		m.Warnings = append(m.Warnings, r.WarningCodes...)
	}
	for _, r := range list[1:] {
		if r.MissesFrom() != first.MissesFrom() {
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
	var traced []*krd.Histogram
	for _, r := range list {
		traced = append(traced, r.Histograms()...)
	}
	out := Summarise(request.Asked{Kernel: first.Kernel, Params: first.Params, Seed: first.Seed,
		Settings: settings}, m)
	out.traced = traced
	return &out
}

// Histograms returns the KRD histograms of r: of each traced repetition, or else the one of the
// run; of a pooled result those of all its runs. None if it has none.
func (r *Result) Histograms() (list []*krd.Histogram) {
	if r.traced != nil {
		return r.traced
	}
	for i := range r.Repetitions {
		if h := r.Repetitions[i].KRD; h != nil {
			list = append(list, h)
		}
	}
	if len(list) == 0 && r.KRD != nil {
		list = append(list, &r.KRD.Histogram)
	}
	return list
}
