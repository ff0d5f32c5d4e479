package kernelreuse

import (
	"math"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
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
	list string                     // of Qthreads' victims, a parameter; "": in random order
	rule func(p kernel.Params) bool // of FMM's tasks and cells; nil: the plain ones
}

// literalCutoff is the paper's: recursion stops below so many bodies (II-A).
const literalCutoff = 300

var (
	plain   = world{name: "plain"}
	nearest = world{name: "near=1", list: nearRule}
	overrun = world{name: "overrun=1", list: overrunRule}
	bodies  = world{name: "exafmm, 300 bodies", rule: exaFMM(true)}
	perTask = world{name: "exafmm, 3.25 us a spawn", rule: exaFMM(false)}
	byCells = world{name: "cells, by lines", rule: func(p kernel.Params) bool {
		return p["tasks"] != exaTasks && p["layout"] == cellLayout
	}}

	victims   = []world{plain, nearest, overrun}                  // of victims
	rules     = []world{plain, bodies, perTask}                   // of FMM's tasks
	allOfThem = []world{plain, nearest, overrun, bodies, perTask} // both
)

// cellLayout is exaFMM's: what a cell has lies in one structure. Whole blocks do not tell it from
// arrays, so its runs are by lines.
const cellLayout = "cell"

func exaFMM(literal bool) func(kernel.Params) bool {
	return func(p kernel.Params) bool {
		return p["tasks"] == exaTasks && (p["cutoff"] == literalCutoff) == literal
	}
}

// has reports whether FMM with these parameters is of the world.
func (w *world) has(p kernel.Params) bool {
	if w.rule == nil {
		return p["tasks"] != exaTasks && p["layout"] != cellLayout
	}
	return w.rule(p)
}

// scheduler returns the name of the one that stands for s. On one core there are no victims.
func (w *world) scheduler(s string, cores int) string {
	if cores > 1 && (s == qtc || s == qts) {
		return s + w.list
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

// in returns the view of another world.
func (v *view) in(w world) *view { return &view{groups: v.groups, world: w} }

// drawn returns the view of a draw.
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

// A quantity is a measure in the unit in which the paper has it.
type quantity struct {
	id       string // in drawsFile; "" is in no draw
	unit     string // there; "" of a ratio
	of       func(*result.Result) result.Quantity
	scale    float64 // how many of it one of the catalogue's unit is
	decimals int
}

// The quantities of the claims.
var (
	qTime    = quantity{"time", "s", stats.Time.Of, 1e-9, 3}
	qSpeedup = quantity{"speedup", "", stats.Speedup.Of, 1, 2}
	qOVR     = quantity{"ovr", "", stats.OVR.Of, 1, 3}
	qWTI     = quantity{"wti", "", stats.WTI.Of, 1, 4}
	qWork    = quantity{"work", "ns", stats.KernelTime.Of, 1, 0}
	qMisses  = quantity{"llc_misses_per_core", "M", stats.Misses.Of, 1e-6, 3}
	qFar     = beyond(far).called("beyond_32mib")
	qFinite  = inPerCent(stats.FinitePaper).called("beyond_32mib_finite")
	qFar128  = beyond(128 << 20).called("beyond_128mib")
	qCold    = inPerCent(stats.ColdShare).called("cold")
	qM2L     = quantity{"wti_m2l", "", kernelWTI("m2l"), 1, 3}
	qIdle    = quantity{"idle", "%", stats.IdleShare.Of, 100, 1}
	qOutside = quantity{"outside_kernels", "%", outside, 100, 1}
)

// drawnQuantities are those that a study of draws keeps of each result.
var drawnQuantities = []quantity{qTime, qSpeedup, qOVR, qWTI, qWork, qMisses, qFar, qFinite,
	qFar128, qCold, qM2L, qIdle, qOutside}

func (q quantity) called(id string) quantity {
	q.id = id
	return q
}

func inPerCent(m stats.Measure) quantity { return quantity{"", "%", m.Of, 100, 2} }

// beyond returns the share of the accesses with a distance of at least limit, cold ones included.
func beyond(limit uint64) quantity { return inPerCent(stats.At(limit, true).Measure("", "", "")) }

// closer returns the share with a finite distance below limit.
func closer(limit uint64) quantity {
	q := beyond(limit)
	q.of = func(r *result.Result) result.Quantity {
		values := stats.At(limit, true).Values(r)
		for i := range values {
			values[i] = 1 - values[i]
		}
		return r.Quantity(values)
	}
	return q
}

// value returns the quantity of a result.
func (q quantity) value(r *result.Result) result.Quantity { return times(q.of(r), q.scale) }

// value returns a simulated quantity; not known where it was not run, or not drawn.
func (v *view) value(q quantity, kernel string, cores int, scheduler string) result.Quantity {
	if v.bands != nil {
		if q.id == "" || v.world.list != "" || v.world.rule != nil && kernel == "fmm" {
			return result.Quantity{}
		}
		x, ok := v.bands.At(v.draw, kernel, cores, scheduler, q.id)
		if !ok {
			return result.Quantity{}
		}
		return claims.Exactly(x)
	}
	if r := v.at(loi.Simulated, kernel, v.world.scheduler(scheduler, cores), cores); r != nil {
		return q.value(r)
	}
	return result.Quantity{}
}

// kernelWTI returns the mean time of one kernel over that in the serial run, repetition by
// repetition.
func kernelWTI(name string) func(*result.Result) result.Quantity {
	return func(r *result.Result) result.Quantity {
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
		return r.Quantity(values)
	}
}

// outside returns the share of all cores' time that is in no kernel: search of work, and
// scheduling, which includes spawns, joins and the waits for the locks of queues.
func outside(r *result.Result) result.Quantity {
	var values []float64
	for i := range r.Repetitions {
		p := &r.Repetitions[i]
		work := stats.Workers(p, func(w *result.Worker) *int64 { return w.WorkNS })
		if share := result.SomeInt(work).Float() / float64(p.TimeNS) / float64(r.Cores); !math.IsNaN(share) {
			values = append(values, 1-share)
		}
	}
	return r.Quantity(values)
}

// mean returns the mean time of a kernel, NaN where it was not timed.
func mean(p *result.Repetition, kernel string) float64 {
	for _, k := range p.KernelTimes {
		if k.Name == kernel && k.Count > 0 {
			return result.SomeInt(k.TotalNS).Float() / float64(k.Count)
		}
	}
	return result.Number{}.Float()
}

// limits returns the powers of two that the paper's figures 4 and 5 have on their axis: those of a
// histogram from 1 KiB to 256 MiB.
func limits() []uint64 {
	var list []uint64
	for b := uint64(1 << 10); b <= 256<<20; b *= 2 {
		list = append(list, b)
	}
	return list
}

// tracing returns the time of traced serial runs over that of profiled ones, which they ran beside,
// on this computer.
func (v *view) tracing(kernel string) result.Quantity {
	r := v.at(loi.Native, kernel, "serial", 1)
	if r == nil || r.Settings.Trace != request.TraceKRD &&
		r.Settings.Trace != request.TraceFull {
		return result.Quantity{}
	}
	return ratio(claims.Exactly(1), stats.Speedup.Of(r))
}

// paperSizes are the paper's sizes of its programs (II-A).
var paperSizes = map[string]any{"matmul": 4096, "fmm": 1_000_000}

// onPaperSize reports whether the simulated runs of a kernel are of the paper's size.
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
