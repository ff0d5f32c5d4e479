package result

import (
	"slices"

	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/request"
	"krdlab/hw"
	"krdlab/kernels/kernel"
	"krdlab/krd"
	"krdlab/runtimes"
)

// Measured holds the measurements of one scheduler; [Summarise] makes a [Result] of it.
type Measured struct {
	Scheduler   string
	Workers     int
	Substrate   string // "native" or "simulated"
	Machine     Machine
	Resolved    kernel.Params // what presets and "auto" among the parameters stood for; may be nil
	CPUs        int           // that the workers could use; fewer than workers makes WTI unreliable
	Serial      []Repetition
	Repetitions []Repetition
	// repetitions that were disturbed and done again
	SerialSetAside, SetAside []Repetition
	// without random choices: one repetition stands for all that were asked for
	SerialDeterministic, Deterministic bool
	NoData                             bool // as that of the result

	LLCSource string // "perf_event", "model", or "" where LLC misses were not counted
	LLCReason string // why not, or not by hardware
	// what a cache model counted beside Repetitions; Summarise fills in the medians
	LLCModel *LLCModel
	KRD      *krd.Report
	Check    *Check
	Phases   []kernel.Phase
	Trace    *Trace
	Warnings []Warning
	NoRoom   error // why a trace got no more room; nil if all had enough
	strata   strata
}

// Summarise returns the result of one scheduler of a run: LLC misses per core, medians and
// intervals of everything, means of each kernel, and warnings about what is doubtful. m's
// repetitions are shared with the result.
func Summarise(a request.Asked, m *Measured) Result { return summarise(a, m, false) }

// SummariseAgain computes anew what follows from the repetitions of a result that was read: whether
// it was interrupted, misses per core, medians and intervals, means of kernels, misses of nodes. It
// keeps the intervals of ratios as they were read, since each takes a bootstrap, and the warnings.
func (r *Result) SummariseAgain() {
	m := r.measured()
	m.Serial, m.Repetitions = r.Serial.Repetitions, r.Repetitions
	if r.LLCModel != nil {
		m.LLCModel.Traced = r.LLCModel.Traced
	}
	s := summarise(request.Asked{Seed: r.Seed, Settings: r.Settings}, m, true)
	keepInterval(&s.Summary.Speedup, r.Summary.Speedup)
	keepInterval(&s.Summary.OVR, r.Summary.OVR)
	keepInterval(&s.Summary.WTI, r.Summary.WTI)
	r.Interrupted, r.MissSource, r.LLCModel = s.Interrupted, s.MissSource, s.LLCModel
	r.Serial.TimeNS, r.Serial.WorkNS = s.Serial.TimeNS, s.Serial.WorkNS
	r.Summary, r.Kernels = s.Summary, s.Kernels
}

// keepInterval gives q the interval that was read, unless its values are too few for one or equal.
func keepInterval(q *Quantity, read Quantity) {
	if q.N >= estimate.MinSample && q.Reason == TooFew && read.Low.Float() <= read.High.Float() {
		q.Low, q.High, q.Confidence, q.Reason = read.Low, read.High, read.Confidence, ""
	}
}

// summarise does as Summarise, or, if pointsOnly, without the intervals of ratios.
func summarise(a request.Asked, m *Measured, pointsOnly bool) Result {
	r := Result{
		SchemaVersion: SchemaVersion, Kernel: a.Kernel, Params: a.Params, Resolved: m.Resolved,
		Scheduler: m.Scheduler, Cores: m.Workers, Seed: a.Seed,
		Interrupted: m.complete(a.Settings.Reps) < a.Settings.Reps,
		Substrate:   m.Substrate, Machine: m.Machine, Settings: a.Settings,
		NoData:        m.NoData,
		Deterministic: m.Deterministic, Repetitions: orEmpty(m.Repetitions),
		Serial: Serial{Deterministic: m.SerialDeterministic, Repetitions: orEmpty(m.Serial),
			SetAside: m.SerialSetAside},
		SetAside: m.SetAside, Disturbances: m.disturbances(),
		LLCSource: orNull(m.LLCSource), KRD: m.KRD, Check: m.Check, Phases: append([]kernel.Phase{},
			m.Phases...), Trace: m.Trace,
	}
	if m.LLCSource != hw.SourcePerf {
		r.LLCReason = orNull(m.LLCReason)
	}
	missesPerCore(m.Serial, 1, m.LLCSource)
	missesPerCore(m.Repetitions, r.Cores, m.LLCSource)
	misses := collect(m.Repetitions, func(p *Repetition) Number { return p.LLCMissesPerCore })
	if m.LLCSource == LLCSourceModel {
		var each []float64
		if r.LLCModel, each = m.modelled(r.Cores); each != nil { // otherwise only totals are known
			misses = each
		}
	}

	r.MissSource = orNull(r.MissesFrom())

	s := ratioSample{
		cores: r.Cores, seed: a.Seed,
		serialTime: times(m.Serial), parTime: times(m.Repetitions),
		serialWork: works(m.Serial), parWork: works(m.Repetitions),
		serialFixed: m.SerialDeterministic, parFixed: m.Deterministic,
		strata: m.strata, pointsOnly: pointsOnly,
	}
	if len(s.serialTime) > 0 {
		r.Serial.TimeNS = Some(estimate.Median(s.serialTime))
	}
	if len(s.serialWork) > 0 {
		r.Serial.WorkNS = Some(estimate.Median(s.serialWork))
	}
	r.Summary.TimeNS = r.Quantity(s.parTime)
	r.Summary.Speedup, r.Summary.OVR, r.Summary.WTI = s.quantities()
	r.Kernels = sumKernels(m.Serial, m.Repetitions)
	if !r.Inflates() {
		r.Summary.WTI = Quantity{}
		for i := range r.Kernels {
			r.Kernels[i].WTI = Number{}
		}
	}
	r.Summary.KernelNS = r.Quantity(collect(m.Repetitions, func(p *Repetition) Number {
		if p.Kernels == nil || *p.Kernels == 0 {
			return Number{}
		}
		return Some(SomeInt(p.WorkNS).Float() / float64(*p.Kernels))
	}))
	r.Summary.LLCMissesPerCore = r.Quantity(misses)
	r.Summary.Spawns = r.quantityOrNil(collect(m.Repetitions, spawns))
	r.Summary.WorkPerSpawnNS = r.quantityOrNil(collect(m.Repetitions, func(p *Repetition) Number {
		return Some(SomeInt(p.WorkNS).Float() / spawns(p).Float())
	}))
	r.WarningCodes = append(append(doubts(a.Settings.Reps, m), r.impossible()...), m.Warnings...)
	return r
}

// quantityOrNil returns Quantity, or nil without values.
func (r *Result) quantityOrNil(values []float64) *Quantity {
	if len(values) == 0 {
		return nil
	}
	q := r.Quantity(values)
	return &q
}

// spawns returns how many children were spawned in a repetition, unknown if there are none.
func spawns(p *Repetition) Number {
	sum := 0.0
	for i := range p.Workers {
		sum += SomeInt(p.Workers[i].Spawns).Float()
	}
	if sum == 0 {
		return Number{}
	}
	return Some(sum)
}

// complete returns how many of the repetitions that were asked for are there, serial ones beside
// them: all where one stands for all.
func (m *Measured) complete(asked int) int {
	return min(complete(m.Repetitions, m.Deterministic, asked),
		complete(m.Serial, m.SerialDeterministic, asked))
}

func complete(reps []Repetition, fixed bool, asked int) int {
	if fixed && len(reps) > 0 {
		return max(asked, 1)
	}
	return len(reps)
}

// collect returns f of each repetition, leaving out those where it is not known.
func collect(reps []Repetition, f func(*Repetition) Number) []float64 {
	var v []float64
	for i := range reps {
		if n := f(&reps[i]); n.Known() {
			v = append(v, n.Float())
		}
	}
	return v
}

func times(reps []Repetition) []float64 {
	return collect(reps, func(r *Repetition) Number { return Some(float64(r.TimeNS)) })
}

// works returns the work of each repetition, or nil unless all have some: work of 0 cannot be
// divided by, and means that nothing counted as a kernel.
func works(reps []Repetition) []float64 {
	v := collect(reps, func(r *Repetition) Number { return SomeInt(r.WorkNS) })
	for _, w := range v {
		if w <= 0 {
			return nil
		}
	}
	if len(v) != len(reps) {
		return nil
	}
	return v
}

// missesPerCore fills in those of source: the hardware's and a model's are never taken together.
func missesPerCore(reps []Repetition, cores int, source string) {
	for i := range reps {
		n := SomeInt(reps[i].Counters.LLCMisses.Value)
		if m := reps[i].LLCModel; m != nil && source == LLCSourceModel {
			n = Some(float64(m.Total))
		}
		reps[i].LLCMissesPerCore = Some(n.Float() / float64(cores))
	}
}

// sumKernels returns each kernel's count in a repetition (the same in all, or else the mean), its
// mean time over all, and the ratio of that to the serial one, in the order in which they first
// appear.
func sumKernels(serial, reps []Repetition) []KernelSummary {
	order, par := totals(reps)
	_, ser := totals(serial)
	sums := []KernelSummary{}
	for _, name := range order {
		t := par[name]
		k := KernelSummary{Name: name, Count: t.count / int64(len(reps)), MeanNS: t.mean(),
			SampledEvery: 1}
		if t.sampled > 0 {
			k.Estimated, k.SampledEvery = true, runtimes.DefaultSampleEvery
		}
		k.WTI = Some(k.MeanNS.Float() / ser[name].mean().Float())
		sums = append(sums, k)
	}
	return sums
}

// kernelTotal adds up one kernel over repetitions.
type kernelTotal struct {
	count, sampled int64
	timed          int64 // executions of repetitions whose time is known
	ns             float64
}

func (t kernelTotal) mean() Number {
	if t.timed == 0 {
		return Number{}
	}
	return Some(t.ns / float64(t.timed))
}

func totals(reps []Repetition) (order []string, byName map[string]kernelTotal) {
	byName = map[string]kernelTotal{}
	for _, r := range reps {
		for _, k := range r.KernelTimes {
			t, seen := byName[k.Name]
			if !seen {
				order = append(order, k.Name)
			}
			t.count += k.Count
			t.sampled += k.Sampled
			if k.TotalNS != nil {
				t.timed += k.Count
				t.ns += float64(*k.TotalNS)
			}
			byName[k.Name] = t
		}
	}
	return order, byName
}

// doubts returns what a reader must know before believing the numbers; asked is how many
// repetitions there should be.
func doubts(asked int, m *Measured) []Warning {
	var w []Warning
	n := m.complete(asked)
	if 0 < n && n < estimate.MinSample && !(m.Deterministic && m.SerialDeterministic) {
		w = append(w, Warn(NoIntervals, n, estimate.MinSample))
	}
	if n < asked {
		w = append(w, Warn(Interrupted, n, asked))
	}
	if m.CPUs > 0 && m.Workers > m.CPUs {
		w = append(w, Warn(SharedCPUs, m.Workers, m.CPUs))
	}
	w = append(w, m.disturbed()...)
	for _, run := range []struct {
		what    string
		reps    []Repetition
		workers int
	}{{Parallel, m.Repetitions, m.Workers}, {SerialRun, m.Serial, 1}} {
		if m.CPUs > 0 && run.workers > m.CPUs {
			continue // they disturb each other: said above
		}
		if !slices.ContainsFunc(w, func(w Warning) bool {
			return w.Code == DisturbedRuns && w.Args[0] == run.what
		}) {
			w = append(w, disturbance(run.what, run.reps, run.workers)...)
		}
	}
	w = append(w, handoverMoved(m.Repetitions)...)
	w = append(w, flagged(m.Repetitions)...)
	if m.Machine.Synthetic {
		w = append(w, Warn(SyntheticTopology))
	}
	if t := m.Trace; t != nil && t.Discarded > 0 {
		w = append(w, Warn(NoKRD, t.Path, t.Discarded, t.Records+t.Discarded))
	}
	if m.Check != nil && !m.Check.Passed {
		w = append(w, Warn(CheckFailed, m.Check.Error, m.Check.Tolerance))
	}
	return w
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func orEmpty(reps []Repetition) []Repetition {
	if reps == nil {
		return []Repetition{}
	}
	return reps
}
