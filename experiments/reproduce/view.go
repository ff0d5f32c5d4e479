package reproduce

import (
	"krdlab/experiments/dataset"
	"krdlab/experiments/request"
	"krdlab/experiments/result"
	"krdlab/experiments/stats"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
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

// A world is which of the simulated runs a reading looks at: the paper leaves open in what order
// Qthreads' thieves go through their victims, and what one task of FMM is.
type world struct {
	name string
	near bool                         // Qthreads' victims are sorted by distance
	rule func(tasks, cutoff any) bool // of FMM's tasks; nil: the plain one
}

// literalCutoff is the paper's: recursion stops below so many bodies (II-A).
const literalCutoff = 300

var (
	plain   = world{name: "plain"}
	sorted  = world{name: "near=1", near: true}
	bodies  = world{name: "exafmm, 300 bodies", rule: exaFMM(true)}
	perTask = world{name: "exafmm, 3.25 us a spawn", rule: exaFMM(false)}

	victims   = []world{plain, sorted}                  // of victims
	rules     = []world{plain, bodies, perTask}         // of FMM's tasks
	allOfThem = []world{plain, sorted, bodies, perTask} // both
)

func exaFMM(literal bool) func(tasks, cutoff any) bool {
	return func(tasks, cutoff any) bool {
		return tasks == exaTasks && (cutoff == literalCutoff) == literal
	}
}

// has says whether FMM with these parameters is of the world.
func (w *world) has(p kernel.Params) bool {
	if w.rule == nil {
		return p["tasks"] != exaTasks
	}
	return w.rule(p["tasks"], p["cutoff"])
}

// scheduler is the name of the one that stands for s. On one core there are no victims.
func (w *world) scheduler(s string, cores int) string {
	if w.near && cores > 1 && (s == qtc || s == qts) {
		return s + nearRule
	}
	return s
}

// view looks things up in an experiment, or in one draw.
type view struct {
	groups []dataset.Group
	world  world
	bands  *Bands // nil: the experiment
	draw   int
}

func newView(e *dataset.Experiment) *view { return &view{groups: e.Groups()} }

// in is the view of another world.
func (v *view) in(w world) *view { return &view{groups: v.groups, world: w} }

// drawn is the view of a draw.
func (v *view) drawn(b *Bands, i int) *view {
	return &view{groups: v.groups, world: v.world, bands: b, draw: i}
}

// at returns the result of a kernel under a scheduler, nil where there is none. Of several sizes it
// is the first in the plan.
func (v *view) at(substrate, kernel, scheduler string, cores int) *result.Result {
	for i := range v.groups {
		g := &v.groups[i]
		if g.Substrate == substrate && g.Kernel == kernel &&
			(substrate != loi.Simulated || kernel != "fmm" ||
				v.world.has(g.Cells[0].Result.Params)) {
			if r := g.At(scheduler, cores); r != nil {
				return r
			}
		}
	}
	return nil
}

// A quantity is a measure by its key in [DrawnMeasures].
type quantity struct {
	id       string
	decimals int
	of       measure
}

// The quantities of the claims. Those without a key are in no draw.
var (
	qSpeedup = quantity{"speedup", 2, speedup}
	qOVR     = quantity{"ovr", 3, ovr}
	qWTI     = quantity{"wti", 4, wti}
	qWork    = quantity{"work", 0, kernelNS}
	qM2L     = quantity{"wti_m2l", 3, kernelWTI("m2l")}
	qMisses  = quantity{"llc_misses_per_core", 3, misses}
	qFar     = quantity{"beyond_32mib", 2, beyond(far)}
	qFinite  = quantity{"beyond_32mib_finite", 2, finite(far)}
	qFar128  = quantity{"beyond_128mib", 2, beyond(128 << 20)}
	qCold    = quantity{"cold", 2, cold}
)

// value is a simulated quantity; not known where it was not run, or not drawn.
func (v *view) value(q quantity, kernel string, cores int, scheduler string) interval {
	if v.bands != nil {
		if q.id == "" || v.world.near || v.world.rule != nil && kernel == "fmm" {
			return interval{}
		}
		x, ok := v.bands.At(v.draw, kernel, cores, scheduler, q.id)
		if !ok {
			return interval{}
		}
		return interval{mid: x, low: x, high: x, n: 1, known: true, sure: true}.finite()
	}
	if r := v.at(loi.Simulated, kernel, v.world.scheduler(scheduler, cores), cores); r != nil {
		return q.of(r)
	}
	return interval{}
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

// share is the interval of the median over the repetitions that have a KRD, in %.
func share(p stats.Point) measure {
	return func(r *result.Result) interval {
		values := p.Values(r)
		for i := range values {
			values[i] *= 100
		}
		return of(r.Quantity(values))
	}
}

// beyond is the share of the accesses with a distance of at least limit, cold ones included, in %;
// finite leaves them out.
func beyond(limit uint64) measure { return share(stats.At(limit, true)) }
func finite(limit uint64) measure { return share(stats.At(limit, false)) }

// closer is the share with a finite distance below limit, in %.
func closer(limit uint64) measure {
	return func(r *result.Result) interval {
		values := stats.At(limit, true).Values(r)
		for i := range values {
			values[i] = 100 * (1 - values[i])
		}
		return of(r.Quantity(values))
	}
}

var cold = share(stats.Cold)

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

// onPaperSize says whether the simulated runs of a kernel are of the paper's size.
func (v *view) onPaperSize(kernel string) bool {
	for i := range v.groups {
		g := &v.groups[i]
		if g.Substrate != loi.Simulated || g.Kernel != kernel {
			continue
		}
		r := g.Cells[0].Result
		if k, ok := kernels.ByName(kernel); !ok || r.Params[k.Size] != paperSizes[kernel] {
			return false
		}
	}
	return true
}
