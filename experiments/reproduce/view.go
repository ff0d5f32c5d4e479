package reproduce

import (
	"slices"

	"krdlab/experiments/dataset"
	"krdlab/experiments/request"
	"krdlab/experiments/result"
	"krdlab/kernels"
	"krdlab/krd"
	"krdlab/loi"
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

// at returns the result of a kernel under a scheduler, nil where there is none. Of several sizes it
// is the first in the plan.
func (v *view) at(substrate, kernel, scheduler string, cores int) *result.Result {
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
type measure func(r *result.Result) interval

func speedup(r *result.Result) interval { return of(r.Summary.Speedup) }
func ovr(r *result.Result) interval     { return of(r.Summary.OVR) }
func wti(r *result.Result) interval     { return of(r.Summary.WTI) }
func seconds(r *result.Result) interval { return of(r.Summary.TimeNS).times(1e-9) }
func milliseconds(r *result.Result) interval {
	return of(r.Summary.TimeNS).times(1e-6)
}
func kernelNS(r *result.Result) interval { return of(r.Summary.KernelNS) }

// misses are LLC misses per core in millions, of the model only: the claims are about simulated
// runs.
func misses(r *result.Result) interval {
	if r.LLCSource == nil || *r.LLCSource != result.LLCSourceModel {
		return interval{}
	}
	return of(r.Summary.LLCMissesPerCore).times(1e-6)
}

// overhead is OVR - 1.
func overhead(r *result.Result) interval { return ovr(r).plus(-1) }

// perHistogram is the interval of the median over the repetitions that have a KRD, in %.
func perHistogram(f func(h *krd.Histogram) result.Number) measure {
	return func(r *result.Result) interval {
		var values []float64
		for _, h := range dataset.Histograms(r) {
			if n := f(h); n.Known() {
				values = append(values, 100*n.Float())
			}
		}
		return of(r.Quantity(values))
	}
}

// beyond is the share of the accesses with a distance of at least limit, cold ones included, in %;
// finite leaves them out.
func beyond(limit uint64) measure {
	return perHistogram(func(h *krd.Histogram) result.Number {
		share, _ := dataset.Share(h, limit)
		return share
	})
}

func finite(limit uint64) measure {
	return perHistogram(func(h *krd.Histogram) result.Number {
		_, share := dataset.Share(h, limit)
		return share
	})
}

// closer is the share with a finite distance below limit, in %.
func closer(limit uint64) measure {
	return perHistogram(func(h *krd.Histogram) result.Number {
		share, _ := dataset.Share(h, limit)
		return result.Some(1 - share.Float())
	})
}

var cold = perHistogram(func(h *krd.Histogram) result.Number {
	return dataset.ShareOf(h,
		&h.Cold)
})

// kernelWTI is the mean time of one kernel over that in the serial run, repetition by repetition.
func kernelWTI(name string) measure {
	return func(r *result.Result) interval {
		var values []float64
		for i := range r.Repetitions {
			serial := r.Serial.At(i)
			if serial == nil {
				break
			}
			q := result.Some(mean(&r.Repetitions[i], name) / mean(serial, name))
			if q.Known() {
				values = append(values, q.Float())
			}
		}
		return of(r.Quantity(values))
	}
}

// mean is NaN where the kernel was not timed.
func mean(p *result.Repetition, kernel string) float64 {
	for _, k := range p.KernelTimes {
		if k.Name == kernel && k.Count > 0 {
			return result.SomeInt(k.TotalNS).Float() / float64(k.Count)
		}
	}
	return result.Number{}.Float()
}

// simulated returns a measure of each of the schedulers; unknown ones where it was not run.
func (v *view) simulated(m measure, kernel string, cores int, schedulers ...string) []interval {
	list := make([]interval, len(schedulers))
	for i, s := range schedulers {
		if r := v.at(loi.Simulated, kernel, s, cores); r != nil {
			list[i] = m(r)
		}
	}
	return list
}

// limits are the powers of two that the paper's figures 4 and 5 have on their axis: those of a
// histogram from 1 KiB to 256 MiB.
func limits() []uint64 {
	var list []uint64
	for b := uint64(1 << 10); b <= 256<<20; b *= 2 {
		list = append(list, b)
	}
	return list
}

// tracing is the time of traced serial runs over that of profiled ones, which they ran beside, on
// this computer.
func (v *view) tracing(kernel string) (interval, bool) {
	r := v.at(loi.Native, kernel, "serial", 1)
	if r == nil || r.Settings.Trace != request.TraceKRD &&
		r.Settings.Trace != request.TraceFull {
		return interval{}, false
	}
	one := interval{mid: 1, low: 1, high: 1, n: 1 << 30, known: true, sure: true}
	return ratio(one, speedup(r)), true
}

// paperSizes are the paper's sizes of its programs (II-A).
var paperSizes = map[string]any{"matmul": 4096, "fmm": 1_000_000}

// onPaperSizes says whether the simulated programs that a claim is about were run on the paper's
// sizes.
func (v *view) onPaperSizes(c Claim) bool {
	for i := range v.groups {
		g := &v.groups[i]
		if g.Substrate != loi.Simulated || !slices.Contains(c.on(), g.Kernel) {
			continue
		}
		r := g.Cells[0].Result
		if k, ok := kernels.ByName(g.Kernel); !ok || r.Params[k.Size] != paperSizes[k.Name] {
			return false
		}
	}
	return true
}
