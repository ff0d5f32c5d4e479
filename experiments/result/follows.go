package result

import (
	"fmt"
	"math"
	"slices"

	"krdlab/experiments/request"
)

// Follows checks that the sums of a result that was read follow from its repetitions: whether it
// was interrupted, medians, sizes of samples, intervals of order statistics, means of kernels,
// misses of nodes; and that those of each repetition follow from its workers. Of intervals of
// ratios, which would take a bootstrap, it checks that resamples of the repetitions can give them.
// The error names the first value that does not. Where all repetitions are equal, intervals of no
// width, which older documents have, are made one value. Cost: a few sorts.
func (r *Result) Follows() error {
	m := r.measured()
	m.Repetitions, m.Serial = slices.Clone(r.Repetitions), slices.Clone(r.Serial.Repetitions)
	if r.LLCModel != nil {
		m.LLCModel.Traced = r.LLCModel.Traced
	}
	want := summarise(request.Asked{Settings: r.Settings}, m, true)
	c := &comparison{}
	for i := range r.Repetitions {
		c.workers(fmt.Sprintf("repetitions[%d].", i), &r.Repetitions[i])
	}
	for i := range r.Serial.Repetitions {
		c.workers(fmt.Sprintf("serial.repetitions[%d].", i), &r.Serial.Repetitions[i])
	}
	c.from = "repetitions"
	if r.Interrupted != want.Interrupted {
		c.fail("interrupted", r.Interrupted, want.Interrupted)
	}
	for i := range r.Repetitions {
		c.number(fmt.Sprintf("repetitions[%d].llc_misses_per_core", i),
			r.Repetitions[i].LLCMissesPerCore, want.Repetitions[i].LLCMissesPerCore)
	}
	c.number("serial.time_ns", r.Serial.TimeNS, want.Serial.TimeNS)
	c.number("serial.work_ns", r.Serial.WorkNS, want.Serial.WorkNS)
	c.quantity("summary.time_ns", &r.Summary.TimeNS, want.Summary.TimeNS)
	c.quantity("summary.kernel_ns", &r.Summary.KernelNS, want.Summary.KernelNS)
	c.quantity("summary.llc_misses_per_core", &r.Summary.LLCMissesPerCore,
		want.Summary.LLCMissesPerCore)
	c.optional("summary.spawns", r.Summary.Spawns, want.Summary.Spawns)
	c.optional("summary.work_per_spawn_ns", r.Summary.WorkPerSpawnNS, want.Summary.WorkPerSpawnNS)
	time := ratio(times(m.Serial), times(m.Repetitions))
	work := ratio(works(m.Repetitions), works(m.Serial))
	n := float64(r.Cores)
	c.ratio("summary.speedup", &r.Summary.Speedup, want.Summary.Speedup, time)
	c.ratio("summary.wti", &r.Summary.WTI, want.Summary.WTI, work)
	c.ratio("summary.ovr", &r.Summary.OVR, want.Summary.OVR, bounds{n / (time.high * work.high),
		n / (time.low * work.low)})
	c.kernels(r.Kernels, want.Kernels)
	if r.LLCModel != nil && want.LLCModel != nil {
		c.model(r.LLCModel, want.LLCModel)
	}
	return c.err
}

// bounds are between which a ratio of medians lies, whatever is drawn from the samples.
type bounds struct{ low, high float64 }

func ratio(a, b []float64) bounds {
	if len(a) == 0 || len(b) == 0 {
		return bounds{math.NaN(), math.NaN()}
	}
	return bounds{slices.Min(a) / slices.Max(b), slices.Max(a) / slices.Min(b)}
}

// A comparison keeps the first difference between what a document says and what follows.
type comparison struct {
	from string // of what the values follow
	err  error
}

// rounding is far above that of sums in another order, and below what is printed.
const rounding = 1e-9

// atMost says whether a is at most b, but for rounding.
func atMost(a, b float64) bool { return a <= b+rounding*math.Abs(b) }

func (c *comparison) fail(what string, found, want any) {
	if c.err == nil {
		c.err = fmt.Errorf("%s is %v, and %v follows from its %s", what, found, want, c.from)
	}
}

// workers compares the sums of a repetition with its workers, and those of each worker. What is not
// known, as with the scheduler go, is not compared.
func (c *comparison) workers(what string, p *Repetition) {
	if len(p.Workers) == 0 {
		return
	}
	c.from = "workers"
	c.sum(what+"tasks", p.Tasks, p.Workers, func(w *Worker) *int64 { return w.Tasks })
	c.sum(what+"kernels", p.Kernels, p.Workers, func(w *Worker) *int64 { return w.Kernels })
	for i := range p.Workers {
		w, what := &p.Workers[i], fmt.Sprintf("%sworkers[%d].", what, i)
		if w.WorkNS != nil && w.SchedNS != nil && w.IdleNS != nil {
			c.from = "time_ns, work_ns and sched_ns"
			c.count(what+"idle_ns", *w.IdleNS, p.TimeNS-*w.WorkNS-*w.SchedNS)
		}
		if w.StealsFrom == nil || w.StealsLocal == nil || w.StealsRemote == nil {
			continue
		}
		var local, remote int64
		for node, n := range w.StealsFrom {
			if node == w.Node {
				local = n
			} else {
				remote += n
			}
		}
		c.from = "steals_from_node"
		c.count(what+"steals_local", *w.StealsLocal, local)
		c.count(what+"steals_remote", *w.StealsRemote, remote)
	}
}

// sum compares a count with the sum of those of the workers.
func (c *comparison) sum(what string, found *int64, workers []Worker, of func(*Worker) *int64) {
	var sum int64
	for i := range workers {
		n := of(&workers[i])
		if n == nil {
			return
		}
		sum += *n
	}
	if found != nil {
		c.count(what, *found, sum)
	}
}

func (c *comparison) number(what string, found, want Number) {
	a, b := found.Float(), want.Float()
	if found.Known() != want.Known() || found.Known() && !(atMost(a, b) && atMost(b, a)) {
		c.fail(what, inWords(found), inWords(want))
	}
}

// inWords is a number with all its digits, or null, as in the document.
func inWords(n Number) string {
	if !n.Known() {
		return "null"
	}
	return fmt.Sprint(n.Float())
}

func (c *comparison) count(what string, found, want int64) {
	if found != want {
		c.fail(what, found, want)
	}
}

// settle makes an interval of no width one value where all repetitions are equal: documents of
// before that was done have one.
func settle(q *Quantity, want Quantity) {
	if want.Reason == Deterministic && q.Low.Known() && q.Low == q.High {
		*q = exactly(q.Median.Float(), q.N)
	}
}

func (c *comparison) quantity(what string, found *Quantity, want Quantity) {
	settle(found, want)
	c.count(what+".n", int64(found.N), int64(want.N))
	c.number(what+".median", found.Median, want.Median)
	c.number(what+".low", found.Low, want.Low)
	c.number(what+".high", found.High, want.High)
	c.number(what+".confidence", found.Confidence, want.Confidence)
	c.reason(what, *found, want)
}

// optional compares a quantity that older documents do not have.
func (c *comparison) optional(what string, found, want *Quantity) {
	switch {
	case found == nil:
	case want == nil:
		c.fail(what, inWords(found.Median), "nothing")
	default:
		c.quantity(what, found, *want)
	}
}

// reason compares why there is no interval; documents of before it was said say nothing.
func (c *comparison) reason(what string, found, want Quantity) {
	if found.Reason != "" && !found.Low.Known() && found.Reason != want.Reason {
		c.fail(what+".reason", found.Reason, want.Reason)
	}
}

func (c *comparison) ratio(what string, found *Quantity, want Quantity, of bounds) {
	settle(found, want)
	c.count(what+".n", int64(found.N), int64(want.N))
	c.number(what+".median", found.Median, want.Median)
	c.reason(what, *found, want)
	low, high := found.Low.Float(), found.High.Float()
	if found.Low.Known() && found.High.Known() &&
		!(atMost(of.low, low) && atMost(low, high) && atMost(high, of.high)) {
		c.fail("the interval of "+what, fmt.Sprintf("%v to %v", low, high),
			fmt.Sprintf("one from %v at least to %v at most", of.low, of.high))
	}
}

func (c *comparison) kernels(found, want []KernelSummary) {
	c.count("the number of kernels", int64(len(found)), int64(len(want)))
	for i := range min(len(found), len(want)) {
		f, w := &found[i], &want[i]
		what := fmt.Sprintf("kernels[%d].", i)
		if f.Name != w.Name {
			c.fail(what+"name", f.Name, w.Name)
		}
		c.count(what+"count", f.Count, w.Count)
		c.number(what+"mean_ns", f.MeanNS, w.MeanNS)
		c.number(what+"wti", f.WTI, w.WTI)
	}
}

func (c *comparison) model(found, want *LLCModel) {
	c.count("the number of llc_model.nodes", int64(len(found.Nodes)), int64(len(want.Nodes)))
	for i := range min(len(found.Nodes), len(want.Nodes)) {
		f, w, what := &found.Nodes[i], &want.Nodes[i], fmt.Sprintf("llc_model.nodes[%d].", i)
		c.count(what+"node", int64(f.Node), int64(w.Node))
		c.count(what+"workers", int64(f.Workers), int64(w.Workers))
		c.quantity(what+"misses_per_core", &f.MissesPerCore, w.MissesPerCore)
	}
	c.count("the number of llc_model.kernels", int64(len(found.Kernels)), int64(len(want.Kernels)))
	for i := range min(len(found.Kernels), len(want.Kernels)) {
		f, w, what := &found.Kernels[i], &want.Kernels[i], fmt.Sprintf("llc_model.kernels[%d].", i)
		if f.Name != w.Name {
			c.fail(what+"name", f.Name, w.Name)
		}
		c.quantity(what+"misses", &f.Misses, w.Misses)
	}
}
