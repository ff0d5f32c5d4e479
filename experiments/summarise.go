package experiments

import (
	"fmt"

	"krdlab/hw"
	"krdlab/kernels/kernel"
	"krdlab/krd"
	"krdlab/runtimes"
)

// Measured is what a [Measure] found out about one scheduler; [Summarise] makes a [Result] of it.
type Measured struct {
	Scheduler   string
	Substrate   string // "native" or "simulated"
	Machine     Machine
	Resolved    kernel.Params // what presets and "auto" among the parameters stood for; may be nil
	CPUs        int           // that the workers could use; fewer than workers makes WTI unreliable
	Serial      []Repetition
	Repetitions []Repetition
	LLCSource   string    // "perf_event", "model", or "" where LLC misses were not counted
	LLCReason   string    // why not, or not by hardware
	LLCModel    *LLCModel // what a cache model counted beside Repetitions; Summarise fills in the medians
	KRD         *krd.Report
	Check       *Check
	Phases      []kernel.Phase
	Trace       *Trace
	Warnings    []string
	strata      []int // of pooled runs: how many repetitions each has
}

// Summarise returns the result of one scheduler under c: LLC misses per core, medians and intervals of everything, means of each
// kernel, and warnings about what is doubtful. m's repetitions are shared with the result.
func Summarise(c *Config, m *Measured) Result {
	r := Result{
		SchemaVersion: SchemaVersion, Kernel: c.Kernel, Params: c.Params, Resolved: m.Resolved,
		Scheduler: m.Scheduler, Cores: c.WorkersOf(m.Scheduler), Seed: c.Seed,
		Interrupted: min(len(m.Repetitions), len(m.Serial)) < c.Reps,
		Substrate:   m.Substrate, Machine: m.Machine, Settings: c.settings(),
		Repetitions: orEmpty(m.Repetitions), Serial: Serial{Repetitions: orEmpty(m.Serial)},
		LLCSource: orNull(m.LLCSource), KRD: m.KRD, Check: m.Check, Phases: append([]kernel.Phase{}, m.Phases...), Trace: m.Trace,
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

	s := ratioSample{
		cores: r.Cores, seed: c.Seed,
		serialTime: times(m.Serial), parTime: times(m.Repetitions),
		serialWork: works(m.Serial), parWork: works(m.Repetitions),
		strata: m.strata,
	}
	if len(s.serialTime) > 0 {
		r.Serial.TimeNS = Some(median(s.serialTime))
	}
	if len(s.serialWork) > 0 {
		r.Serial.WorkNS = Some(median(s.serialWork))
	}
	r.Summary.TimeNS = quantity(s.parTime)
	r.Summary.Speedup, r.Summary.OVR, r.Summary.WTI = s.quantities()
	r.Summary.KernelNS = quantity(collect(m.Repetitions, func(p *Repetition) Number {
		if p.Kernels == nil || *p.Kernels == 0 {
			return Number{}
		}
		return Some(SomeInt(p.WorkNS).Float() / float64(*p.Kernels))
	}))
	r.Summary.LLCMissesPerCore = quantity(misses)
	r.Kernels = sumKernels(m.Serial, m.Repetitions)
	r.Warnings = append(doubts(c, m, r.Cores), m.Warnings...)
	return r
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

// works returns the work of each repetition, or nil unless all have some: work of 0 cannot be divided by, and means that nothing
// counted as a kernel.
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

// sumKernels returns each kernel's count in a repetition (the same in all, or else the mean), its mean time over all, and the ratio of
// that to the serial one, in the order in which they first appear.
func sumKernels(serial, reps []Repetition) []KernelSummary {
	order, par := totals(reps)
	_, ser := totals(serial)
	sums := []KernelSummary{}
	for _, name := range order {
		t := par[name]
		k := KernelSummary{Name: name, Count: t.count / int64(len(reps)), MeanNS: t.mean(), SampledEvery: 1}
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

// doubts returns what a reader must know before believing the numbers.
func doubts(c *Config, m *Measured, workers int) []string {
	w := []string{}
	n := min(len(m.Repetitions), len(m.Serial))
	if 0 < n && n < minSample {
		w = append(w, fmt.Sprintf("no intervals: %s, and %d are needed for 95 %% confidence", plural(n, "repetition"), minSample))
	}
	if n < c.Reps {
		w = append(w, fmt.Sprintf("interrupted after %d of %d repetitions", n, c.Reps))
	}
	if m.CPUs > 0 && workers > m.CPUs {
		w = append(w, fmt.Sprintf("WTI is unreliable: %d workers share %d CPUs", workers, m.CPUs))
	}
	for _, run := range []struct {
		what    string
		reps    []Repetition
		workers int
	}{{"the repetitions", m.Repetitions, workers}, {"the serial run", m.Serial, 1}} {
		if m.CPUs > 0 && run.workers > m.CPUs {
			continue // they disturb each other: said above
		}
		if why := disturbance(run.reps, run.workers); why != "" {
			w = append(w, fmt.Sprintf("WTI is unreliable: other programs disturbed %s: %s", run.what, why))
		}
	}
	if what := flagged(m.Repetitions); what != "" {
		w = append(w, what)
	}
	if m.Machine.Synthetic {
		w = append(w, "synthetic topology: which workers share a node was given by --topology, not by the hardware")
	}
	if m.Trace != nil && m.Trace.Discarded > 0 {
		w = append(w, "no KRD: "+whyLost(m.Trace))
	}
	if m.Check != nil && !m.Check.Passed {
		w = append(w, fmt.Sprintf("the numerical check failed: error %g, tolerance %g", m.Check.Error.Float(), m.Check.Tolerance.Float()))
	}
	return w
}

// whyLost says why a trace with losses gives no KRD, and what to do about it.
func whyLost(t *Trace) string {
	return fmt.Sprintf("the trace %s lost %d of %d records; krdlab krd --allow-loss analyses what there is", t.Path, t.Discarded, t.Records+t.Discarded)
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
