package reproduce

import (
	"strings"

	"krdlab/experiments"
	"krdlab/experiments/dataset"
	"krdlab/krd"
)

// The paper's runtimes and their schedulers here.
const (
	mth = "workfirst"
	tbb = "helpfirst"
	qtc = "shepherd-core"
	qts = "shepherd-socket"
)

var papers = []string{mth, tbb, qtc, qts}

// short are the paper's names.
var short = map[string]string{mth: "MTH", tbb: "TBB", qtc: "QTH/Core", qts: "QTH/Socket"}

func shorts(schedulers []string) []string {
	var list []string
	for _, s := range schedulers {
		list = append(list, short[s])
	}
	return list
}

// view looks things up in an experiment.
type view struct{ groups []dataset.Group }

func newView(e *dataset.Experiment) *view { return &view{e.Groups()} }

// at returns the result of a kernel under a scheduler, nil where there is none. Of several sizes it is the first in the plan.
func (v *view) at(substrate, kernel, scheduler string, cores int) *experiments.Result {
	for i := range v.groups {
		g := &v.groups[i]
		if g.Substrate == substrate && g.Kernel == kernel {
			if r := g.At(scheduler, cores); r != nil {
				return r
			}
		}
	}
	return nil
}

// A measure is a number of a result.
type measure func(r *experiments.Result) interval

func speedup(r *experiments.Result) interval  { return of(r.Summary.Speedup) }
func ovr(r *experiments.Result) interval      { return of(r.Summary.OVR) }
func wti(r *experiments.Result) interval      { return of(r.Summary.WTI) }
func seconds(r *experiments.Result) interval  { return of(r.Summary.TimeNS).times(1e-9) }
func kernelNS(r *experiments.Result) interval { return of(r.Summary.KernelNS) }

// misses are LLC misses per core in millions, of the model only: the claims are about simulated runs.
func misses(r *experiments.Result) interval {
	if r.LLCSource == nil || *r.LLCSource != experiments.LLCSourceModel {
		return interval{}
	}
	return of(r.Summary.LLCMissesPerCore).times(1e-6)
}

// overhead is OVR - 1.
func overhead(r *experiments.Result) interval { return ovr(r).plus(-1) }

// perHistogram is the interval of the median over the repetitions that have a KRD, in %.
func perHistogram(f func(h *krd.Histogram) experiments.Number) measure {
	return func(r *experiments.Result) interval {
		var values []float64
		for _, h := range dataset.Histograms(r) {
			if n := f(h); n.Known() {
				values = append(values, 100*n.Float())
			}
		}
		return sample(values)
	}
}

// beyond is the share of the accesses with a distance of at least limit, cold ones included, in %; finite leaves them out.
func beyond(limit uint64) measure {
	return perHistogram(func(h *krd.Histogram) experiments.Number {
		share, _ := dataset.Share(h, limit)
		return share
	})
}

func finite(limit uint64) measure {
	return perHistogram(func(h *krd.Histogram) experiments.Number {
		_, share := dataset.Share(h, limit)
		return share
	})
}

// closer is the share with a finite distance below limit, in %.
func closer(limit uint64) measure {
	return perHistogram(func(h *krd.Histogram) experiments.Number {
		share, _ := dataset.Share(h, limit)
		return experiments.Some(1 - share.Float())
	})
}

var cold = perHistogram(func(h *krd.Histogram) experiments.Number { return dataset.ShareOf(h, &h.Cold) })

// kernelWTI is the mean time of one kernel over that in the serial run, repetition by repetition.
func kernelWTI(name string) measure {
	return func(r *experiments.Result) interval {
		var values []float64
		for i := range min(len(r.Repetitions), len(r.Serial.Repetitions)) {
			par, ser := mean(&r.Repetitions[i], name), mean(&r.Serial.Repetitions[i], name)
			if q := experiments.Some(par / ser); q.Known() {
				values = append(values, q.Float())
			}
		}
		return sample(values)
	}
}

// mean is NaN where the kernel was not timed.
func mean(p *experiments.Repetition, kernel string) float64 {
	for _, k := range p.KernelTimes {
		if k.Name == kernel && k.Count > 0 {
			return experiments.SomeInt(k.TotalNS).Float() / float64(k.Count)
		}
	}
	return experiments.Number{}.Float()
}

// simulated returns a measure of each of the schedulers; unknown ones where it was not run.
func (v *view) simulated(m measure, kernel string, cores int, schedulers ...string) []interval {
	list := make([]interval, len(schedulers))
	for i, s := range schedulers {
		if r := v.at("simulated", kernel, s, cores); r != nil {
			list[i] = m(r)
		}
	}
	return list
}

// limits are the powers of two that the paper's figures 4 and 5 have on their axis: those of a histogram from 1 KiB to 256 MiB.
func limits() []uint64 {
	var list []uint64
	for b := uint64(1 << 10); b <= 256<<20; b *= 2 {
		list = append(list, b)
	}
	return list
}

// tracing is the time of traced serial runs over that of profiled ones, which they ran beside, on this computer.
func (v *view) tracing(kernel string) (interval, bool) {
	r := v.at("native", kernel, "serial", 1)
	if r == nil || r.Settings.Trace != experiments.TraceKRD && r.Settings.Trace != experiments.TraceFull {
		return interval{}, false
	}
	one := interval{mid: 1, low: 1, high: 1, n: 1 << 30, known: true, sure: true}
	return ratio(one, speedup(r)), true
}

// paperN and paperBodies are the paper's sizes (II-A).
const (
	paperN      = 4096
	paperBodies = 1_000_000
)

// paperSizes says whether the simulated programs that a claim is about were run on the paper's sizes.
func (v *view) paperSizes(c Claim) bool {
	for i := range v.groups {
		g := &v.groups[i]
		if g.Substrate != "simulated" || !strings.Contains(c.on(), g.Kernel) {
			continue
		}
		r := g.Cells[0].Result
		if r.Params["n"] != paperN && r.Params["bodies"] != paperBodies {
			return false
		}
	}
	return true
}
