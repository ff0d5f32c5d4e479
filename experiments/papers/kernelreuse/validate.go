package kernelreuse

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/steps"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/machine"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/runtimes"
)

// validateSizes are the programs by scale.
var validateSizes = map[steps.Scale]struct {
	matmul []int
	fmm    int
	reps   int // native; simulated are as many seeds
	// all kernels in these classes, serial and under the default scheduler on all cores
	classes []string
}{
	steps.Smoke: {[]int{64}, 100, 6, nil},
	steps.Quick: {[]int{512, 1024}, 30_000, 10, []string{kernel.SmallClass}},
	steps.Paper: {[]int{512, 1024, 2048}, 100_000, 10, []string{kernel.SmallClass, kernel.DefaultClass}},
}

// kernelReps are how often all kernels are run: the fewest that give intervals.
const kernelReps = 6

// ValidatePlan returns the requests that set this computer beside the machine m that was measured
// on it: each scheduler that exists on both, natively and simulated, on one core, powers of two and
// all hostCores cores.
func ValidatePlan(scale steps.Scale, m *machine.Machine, hostCores int) ([]request.Request, error) {
	size, err := sized(validateSizes, scale)
	if err != nil {
		return nil, err
	}
	both := slices.DeleteFunc(slices.Clone(runtimes.Schedulers), // serial is the first
		func(s runtimes.Scheduler) bool { return s.ThreadsOnly() })
	var plan requests
	add := func(name string, params kernel.Params) {
		for _, n := range nativeCores(hostCores) {
			under := both
			if n > 1 {
				under = both[1:]
			}
			plan.add(name, params, nil, n, size.reps, under)
			plan.add(name, params, m, n, size.reps, under).Trace = request.TraceDefault
		}
	}
	for _, n := range size.matmul {
		add("matmul", kernel.Params{"n": n})
	}
	add("fmm", kernel.Params{"bodies": size.fmm})
	for _, class := range size.classes {
		for _, k := range kernels.Table {
			params, _ := k.InClass(class)
			for _, on := range []struct {
				cores int
				under []runtimes.Scheduler
			}{{1, []runtimes.Scheduler{request.SerialScheduler()}},
				{hostCores, []runtimes.Scheduler{request.DefaultScheduler()}}} {
				plan.add(k.Name, params, nil, on.cores, kernelReps, on.under)
				plan.add(k.Name, params, m, on.cores, kernelReps, on.under).Trace = request.TraceDefault
			}
		}
	}
	return plan, nil
}

// timings are the repetitions of a configuration, as far as they can be used: serial ones apart.
type timings struct {
	cores        int
	time, work   []float64 // work is nil where it is not known of each
	serial, base []float64 // time and work of serial runs
	of           int       // repetitions there were

	median result.Quantity // of time, ns
}

// timingsOf takes the repetitions of r that nothing disturbed; all of a simulated one.
func timingsOf(r *result.Result) timings {
	t := timings{cores: r.Cores, of: len(r.Repetitions)}
	use := func(reps []result.Repetition, time, work *[]float64) {
		all := true
		for i := range reps {
			p := &reps[i]
			if r.Substrate == loi.Native && (p.Disturbed == nil || len(p.Disturbed) > 0) {
				continue
			}
			*time = append(*time, float64(p.TimeNS))
			if all = all && p.WorkNS != nil && *p.WorkNS > 0; all {
				*work = append(*work, float64(*p.WorkNS))
			}
		}
		if !all {
			*work = nil
		}
	}
	use(r.Repetitions, &t.time, &t.work)
	use(r.Serial.Repetitions, &t.serial, &t.base)
	if len(t.time) > 0 {
		t.median = r.Quantity(t.time)
	}
	return t
}

// A validated measure is computed from medians, as summaries are; NaN where something is missing.
type validated struct {
	head, key string
	of        func(t *timings) float64
}

var validatedMeasures = []validated{
	{"time", "time", func(t *timings) float64 { return estimate.Median(t.time) }},
	{"OVR", "ovr", func(t *timings) float64 {
		return float64(t.cores) * estimate.Median(t.time) / estimate.Median(t.serial) *
			estimate.Median(t.base) / estimate.Median(t.work)
	}},
	{"WTI", "wti", func(t *timings) float64 {
		return estimate.Median(t.work) / estimate.Median(t.base)
	}},
}

// known reports whether there is all that a measure other than the time needs.
func (t *timings) known() bool { return len(t.work) > 0 && len(t.base) > 0 }

// nativeOver is a measure of native runs over that of simulated ones, with the central 95 % of
// bootstrap samples of both.
func (m *validated) nativeOver(native, simulated *timings) result.Quantity {
	if min(len(native.time), len(simulated.time)) == 0 ||
		m.key != "time" && !(native.known() && simulated.known()) {
		return result.Quantity{}
	}
	q := result.Quantity{Median: result.Some(m.of(native) / m.of(simulated)),
		N: len(native.time)}
	drawn := func(t *timings) func(*rand.Rand) float64 {
		d := timings{cores: t.cores, time: slices.Clone(t.time), work: slices.Clone(t.work),
			serial: slices.Clone(t.serial), base: slices.Clone(t.base)}
		return func(rng *rand.Rand) float64 { // time and work of a repetition go together
			result.Resample(rng, nil, d.time, t.time, d.work, t.work)
			result.Resample(rng, nil, d.serial, t.serial, d.base, t.base)
			return m.of(&d)
		}
	}
	result.BootstrapRatio(&q, 1, estimate.Resamples, drawn(native), drawn(simulated))
	return ranged(q.Median.Float(), q.Low.Float(), q.High.Float(), true, q.N)
}

// A pair is one configuration natively and simulated.
type pair struct {
	kernel, params    string
	cores             int
	scheduler         string
	native, simulated timings
	ratios            []result.Quantity // of validatedMeasures
}

// pairs are those of an experiment: of each program on so many cores first the serial run, then
// each scheduler.
func pairs(e *dataset.Experiment) (list []pair) {
	groups := e.Groups()
	for i := range groups {
		g := &groups[i]
		if g.Substrate != loi.Native {
			continue
		}
		j := slices.IndexFunc(groups, func(o dataset.Group) bool {
			return o.Substrate != loi.Native && o.Kernel == g.Kernel && o.Params == g.Params
		})
		if j < 0 {
			continue
		}
		for _, cores := range g.Cores() {
			for _, name := range g.Schedulers() {
				a, b := g.At(name, cores), groups[j].At(name, cores)
				if a == nil || b == nil {
					continue
				}
				p := pair{kernel: g.Kernel, params: g.Params, cores: cores, scheduler: name,
					native: timingsOf(a), simulated: timingsOf(b)}
				for k := range validatedMeasures {
					p.ratios = append(p.ratios, validatedMeasures[k].nativeOver(&p.native,
						&p.simulated))
				}
				list = append(list, p)
			}
		}
	}
	return list
}

// validation is a table of native over simulated numbers, how far they go, whether orders are the
// same, and what could not be measured.
func validation(e *dataset.Experiment) (*outcome, error) {
	list := pairs(e)
	t := &doc.Table{Name: "validation", Keys: 3, Columns: slices.Concat(
		[]doc.Column{{Head: "program"}, hidden("kernel"), hidden("params")},
		named(0, "cores"), named(1, "scheduler"), []doc.Column{{Head: "n", Kind: doc.Real},
			hidden("native_repetitions"), hidden("native_undisturbed"), hidden("simulated_seeds")},
		columnsOf(timeMS, timeMS))}
	for i, side := range []string{"native", "simulated"} {
		c := &t.Columns[len(t.Columns)-2+i]
		c.Key, c.Head = side+"_ms", side
	}
	for _, m := range validatedMeasures {
		t.Columns = append(t.Columns, ratioColumn(m.key+"_native_over_simulated", m.head))
	}
	for i := range list {
		x := &list[i]
		n, of := len(x.native.time), x.native.of
		row := []any{x.program(), x.kernel, x.params, x.cores, x.scheduler,
			fmt.Sprintf("%d of %d", n, of), of, n, len(x.simulated.time), x.native.median,
			x.simulated.median}
		for _, q := range x.ratios {
			row = append(row, q)
		}
		t.Row(row...)
	}
	of, figure, says := kernelTimes(list)
	d := &doc.Doc{Parts: []doc.Part{t, doc.Paragraph{"n: repetitions that nothing disturbed, of " +
		"those there are; the others are not used. time, OVR, WTI: native over simulated, with " +
		"95 % of bootstrap samples of both, repetitions here and seeds there; n/a: too few, or " +
		"none"}, doc.Paragraph{}}}
	for k, m := range validatedMeasures {
		if s := spread(list, k); s != "" {
			d.Say("%s, native over simulated: %s", m.head, s)
		}
	}
	tables := []*doc.Table{t}
	if of != nil {
		d.Add(of)
		d.Say("%s", says)
		tables = append(tables, of)
	}
	same, other, unsure := orders(list)
	d.Say("pairs of schedulers, same program and cores, by time: %d are in the same order natively "+
		"and simulated, %d in the other; intervals of %d are not apart on both", same, other, unsure)
	for _, doubt := range unmeasured(e) {
		d.Say("%s", doubt)
	}
	return &outcome{name: "validation", text: d, tables: tables, figure: figure}, nil
}

// beside reports whether two pairs are of one program and core count.
func (p *pair) beside(o *pair) bool {
	return p.kernel == o.kernel && p.params == o.params && p.cores == o.cores
}

// program is the kernel with its size, the first of its parameters.
func (p *pair) program() string {
	size, _, _ := strings.Cut(p.params, " ")
	return p.kernel + " " + size
}

// spread says between what the known ratios lie, and how many are within a tenth of 1.
func spread(list []pair, measure int) string {
	var known []float64
	within := 0
	for i := range list {
		if r := list[i].ratios[measure]; r.Median.Known() {
			v := r.Median.Float()
			known = append(known, v)
			if v >= 0.9 && v <= 1.1 {
				within++
			}
		}
	}
	if len(known) == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f to %.2f, median %.2f; %d of %d within 10 %% of 1", slices.Min(known),
		slices.Max(known), estimate.Median(known), within, len(known))
}

// orders counts pairs of schedulers by whether their times are in the same order natively and
// simulated.
func orders(list []pair) (same, other, unsure int) {
	for i := range list {
		for j := i + 1; j < len(list) && list[i].beside(&list[j]); j++ {
			a, b := &list[i], &list[j]
			native := less(a.native.median, b.native.median)
			simulated := less(a.simulated.median, b.simulated.median)
			apart := func(v claims.Verdict) bool { return v == claims.Agree || v == claims.Disagree }
			switch {
			case !apart(native) || !apart(simulated):
				unsure++
			case native == simulated:
				same++
			default:
				other++
			}
		}
	}
	return same, other, unsure
}

// unmeasured returns what of the machine is guessed, and why native runs have no LLC misses.
func unmeasured(e *dataset.Experiment) (list []string) {
	for i := range e.Cells {
		r := e.Cells[i].Result
		said := ""
		if m := r.Machine.Model; m != nil {
			said = fmt.Sprintf("simulated: this computer as it was measured before; %d of its %d "+
				"numbers are guesses", m.Guessed, m.Parameters)
		} else if r.Substrate == loi.Native && r.LLCReason != nil {
			said = "not measured: LLC misses, so that they are not compared: " + *r.LLCReason
		}
		if said != "" {
			list = with(list, said)
		}
	}
	return list
}
