package brief

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/hw/units"
	"krdlab/kernels"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// BriefLines is how many lines of [doc.TextWidth] columns [WriteBrief] writes at most for six
// schedulers. With the line for the run directory and what is said before a run, that is a screen.
const BriefLines = 23

// headLines is how many lines stand before the table at most.
const headLines = 12

// WriteBrief writes what a run found, for a person at a terminal: what was run and where, what follows
// from it, what is missing or doubtful, by kind, the gravest first, and a row for each scheduler. Doubts
// that do not fit in headLines are counted; [WriteTable] has all. All results are of one configuration;
// there is at least one.
func WriteBrief(p *doc.Page, results []result.Result) error {
	r := &results[0]
	p.Brief(r.Kernel + " " + describe(r))
	p.Brief(where(results))
	all := pointers(results)
	answers, limits := Conclude(all).Apart()
	for _, s := range answers {
		p.Brief(s)
	}
	p.Brief(fmt.Sprintf("serial %s; %s", serialTime(r), Sampled(all)))
	if limits = append(limits, doc.Sentences(status(results))...); len(limits) > 0 {
		p.Brief(strings.Join(limits, "; "))
	}
	for _, s := range fit(p, warningKinds(results), headLines-p.Lines()) {
		p.Brief(s)
	}
	p.Line("")
	p.Table(summaries(all, false))
	return p.Close()
}

func pointers(results []result.Result) []*result.Result {
	all := make([]*result.Result, len(results))
	for i := range results {
		all[i] = &results[i]
	}
	return all
}

// where returns the place of the run, and for a simulated machine how far to trust it.
func where(results []result.Result) string {
	r := &results[0]
	m := &r.Machine
	cores := units.Count(coresOf(results), "core")
	if m.Nodes > 0 {
		cores = fmt.Sprintf("%d of its %d x %d cores", coresOf(results), m.Nodes, m.CoresPerNode)
	}
	caches := ""
	for _, c := range []struct {
		name  string
		size  hw.Size
		known hw.Known
	}{{"L2", m.L2Bytes, m.CachesKnown.L2}, {"LLC", m.LLCBytes, m.CachesKnown.LLC}} {
		if c.size != 0 {
			caches += fmt.Sprintf(", %s %s", c.name, c.size)
			if c.known != "" {
				caches += " " + string(c.known)
			}
		}
	}
	if r.Substrate != loi.Simulated {
		done := "measured on "
		if !finished(results) {
			done = "nothing measured on "
		}
		return done + fmt.Sprintf("%s, %s%s", nameOf(m), cores, caches)
	}
	s := fmt.Sprintf("SIMULATED, no measurement: %s, %s%s, caches by %s", nameOf(m), cores, caches,
		r.Settings.Modelled())
	if w := r.Settings.NUMA.Words(); w != "" && r.LLCModel != nil {
		s += ", " + w
	}
	if m.Model == nil {
		return s
	}
	if r.Settings.Coherence && anyOf(results, traced) {
		s += ", coherent KRD"
	}
	s += fmt.Sprintf("; %d of its %d numbers are guesses", m.Model.Guessed, m.Model.Parameters)
	if f := fittedTo(results); f != "" {
		s += "; fitted to " + f
	}
	return s
}

// fittedTo names the numbers of the run that the machine was fitted to; "" if there is none.
func fittedTo(results []result.Result) string {
	var parts, ovr []string
	for i := range results {
		m := results[i].Machine.Model
		if m == nil {
			continue
		}
		if slices.Contains(m.Fitted, machine.FitSerialTime) && len(parts) == 0 {
			parts = append(parts, "the serial time")
		}
		if slices.Contains(m.Fitted, machine.FitOVR) {
			ovr = append(ovr, results[i].Scheduler)
		}
	}
	switch len(ovr) {
	case 0:
	case len(results):
		parts = append(parts, "OVR")
	default:
		parts = append(parts, "OVR of "+strings.Join(ovr, ", "))
	}
	return strings.Join(parts, " and ")
}

// Sampled returns what the numbers of [Summaries] are.
func Sampled(results []*result.Result) string {
	least, n, confidence, fixed := 0, 0, 0.0, 0
	for _, r := range results {
		q := r.Summary.TimeNS
		switch {
		case q.Reason == result.Deterministic:
			fixed++
		case q.Median.Known():
			if n = max(n, q.N); least == 0 {
				least = q.N
			}
			least = min(least, q.N)
			confidence = max(confidence, q.Confidence.Float())
		}
	}
	const exact = "=: exact, nothing is drawn at random"
	switch {
	case n == 0 && fixed > 0:
		return exact
	case n == 0:
		return "no repetition was finished"
	}
	s := "medians of "
	if least < n {
		s += fmt.Sprintf("%d to ", least)
	}
	s += units.Count(n, "repetition")
	if confidence > 0 {
		s += fmt.Sprintf("; ±: reach of the %.0f %% interval", 100*estimate.Confidence)
	} else {
		s += fmt.Sprintf(", too few for intervals (%d are needed)", estimate.MinSample)
	}
	if fixed > 0 {
		s += "; " + exact
	}
	return s
}

// Summaries writes a table with a row for each result and number of cores.
func Summaries(p *doc.Page, results []*result.Result) {
	p.Table(summaries(results, true))
	noteDisturbed(p, results)
}

// summaries returns a table with a row for each result: medians, how far intervals reach, and the
// share of accesses beyond the LLC, without columns that no result has. With cores, a second column
// has their number, and reaches are those of time and WTI alone.
func summaries(results []*result.Result, cores bool) *doc.Table {
	reach := doc.Reach
	if cores {
		reach = doc.Hidden
	}
	measures := []stats.Measure{stats.Time, stats.Speedup, stats.OVR, stats.WTI, stats.Misses,
		stats.BeyondLLC}
	t := byScheduler()
	if cores {
		t.Columns, t.Keys = append(t.Columns, doc.Column{Head: "cores", Kind: doc.Whole}), 2
	}
	t.Columns = append(t.Columns, stats.Time.Column(doc.Reach), stats.Speedup.Column(reach),
		stats.OVR.Column(reach), stats.WTI.Column(doc.Reach),
		headed(stats.Misses, "LLC miss\nper core"+briefSource(results), doc.Hidden),
		headed(stats.BeyondLLC, "beyond\nLLC, %", doc.Hidden))
	for i := len(t.Columns) - len(measures); i < len(t.Columns); i++ {
		t.Columns[i].Known = true
	}
	for _, r := range results {
		row := []any{SchedulerOf(r)}
		if cores {
			row = append(row, r.Cores)
		}
		for _, m := range measures {
			row = append(row, m.Of(r))
		}
		t.Row(row...)
	}
	return t
}

// briefSource marks misses that are no measurement.
func briefSource(results []*result.Result) string {
	for _, r := range results {
		if s := r.LLCSource; s != nil && *s == result.LLCSourceModel {
			return "\n(model)"
		}
	}
	return ""
}

func anyOf(results []result.Result, f func(*result.Result) bool) bool {
	for i := range results {
		if f(&results[i]) {
			return true
		}
	}
	return false
}

// finished reports whether any repetition was finished, and traced, whether one of r was traced.
func finished(results []result.Result) bool {
	return anyOf(results, func(r *result.Result) bool { return len(r.Repetitions) > 0 })
}

func traced(r *result.Result) bool { return r.Trace != nil || r.KRD != nil }

// checked reports what was checked and found right: the results of schedulers that finished a
// repetition, or after an interruption the runs before (warm-ups, the serial run). It is empty
// where nothing was checked or something failed, which has a warning.
func checked(results []result.Result) []doc.Finding {
	var right, none []string
	any := false
	for i := range results {
		r := &results[i]
		switch c := r.Check; {
		case c != nil && !c.Passed:
			return nil
		case c == nil || !r.Summary.TimeNS.Median.Known():
			none = append(none, r.Scheduler)
		default:
			right = append(right, r.Scheduler)
		}
		any = any || r.Check != nil
	}
	switch {
	case !any:
		return nil
	case len(right) == 0:
		return []doc.Finding{doc.Find(checkedBefore)}
	case len(none) > 0:
		return []doc.Finding{doc.Find(checkedSome, units.List(right), units.List(none))}
	}
	return []doc.Finding{doc.Find(checkedAll)}
}

// status reports whether the results were checked, and what was asked for and is not known.
func status(results []result.Result) []doc.Finding {
	list := checked(results)
	missing := func(what, why string) { list = append(list, doc.Find(notThere, what, why)) }
	r := &results[0]
	k, ok := kernels.ByName(r.Kernel)
	work := !ok || k.Work
	data := !anyOf(results, func(r *result.Result) bool { return r.KRD != nil && r.KRD.Accesses == 0 })
	ran, trace := finished(results), anyOf(results, traced)
	timed := anyOf(results, func(r *result.Result) bool { return r.Summary.OVR.Median.Known() })
	counted := anyOf(results, func(r *result.Result) bool { return r.LLCSource != nil })
	also := func(what string) string { // of what is missing with reuse
		if counted {
			return what + "reuse"
		}
		return what + "misses or reuse"
	}
	switch {
	case !work:
		missing(also("OVR, WTI, "), r.Kernel+" runs no kernels")
	case !timed && ran && r.Settings.Trace == request.TraceOff:
		missing("OVR or WTI", "kernels are not timed with --trace off")
	}
	if !data {
		what := ""
		if timed && !r.Inflates() {
			what = "WTI, "
		}
		missing(also(what), r.Kernel+" accesses no data")
	}
	if ran && work && data && !counted && r.Settings.Counters != request.CountersOff {
		why := "neither counters nor a model here"
		if r.Settings.Trace.None() {
			why = "no counters here, and the model replays a trace"
		} else if !trace {
			why = "no counters here, and no trace was taken for the model"
		}
		missing("LLC misses", why)
	}
	if ran && work && data && !r.Settings.Trace.None() && !anyOf(results, func(r *result.Result) bool {
		return stats.BeyondLLC.Of(r).Median.Known()
	}) {
		why := "cache sizes unknown"
		if !trace {
			why = "no trace was taken"
		} else if !anyOf(results, func(r *result.Result) bool { return r.KRD != nil }) {
			why = "no trace that can be used"
		}
		missing("share beyond the LLC", why)
	}
	if r.Settings.Tasks && anyOf(results, func(r *result.Result) bool { return r.Trace != nil }) {
		list = append(list, doc.Find(tasksTraced))
	}
	return list
}

// gravity is the order in which kinds of warnings are shown. Kinds that are not in it come last.
var gravity = []result.Code{result.CheckFailed, result.Interrupted, result.DisturbedRuns,
	result.NoKRD, result.TraceLost, result.Impossible, result.SharedCPUs, result.MixedPrices,
	result.StampedOverCPU, result.LostCPU, result.SyntheticTopology, result.FlaggedKernels,
	result.HandoverMoved, result.DoneAgain, result.ClocksNotCompared, result.TracingCost}

// A warningKind is all warnings of a code.
type warningKind struct{ name, sentence string }

// warningKinds returns the kinds of warnings of results, the gravest first, each with the sentence
// of the first and the results that have it.
func warningKinds(results []result.Result) (list []warningKind) {
	var all []doc.Finding
	for i := range results {
		for _, w := range results[i].WarningCodes {
			if w.Code != result.NoIntervals { // said above
				all = append(all, w.About(results[i].Scheduler))
			}
		}
	}
	kinds := doc.ByCode(all)
	place := func(k doc.Alike) int {
		if i := slices.Index(gravity, k.Code); i >= 0 {
			return i
		}
		return len(gravity)
	}
	slices.SortStableFunc(kinds, func(a, b doc.Alike) int { return place(a) - place(b) })
	known := func(k doc.Alike) bool { return k.Code == result.DisturbedRuns }
	if !slices.ContainsFunc(kinds, known) && anyOf(results, (*result.Result).Disturbed) {
		list = append(list, warningKind{"disturbed", DisturbedNote})
	}
	for _, k := range kinds {
		s := "warning: " + k.Text
		if known(k) {
			s = DisturbedMark + " " + k.Text
		}
		switch {
		case k.Others > 0:
			s += fmt.Sprintf(" (%s; %d more of the kind: --verbose)", k.Of[0], k.Others)
		case len(k.Of) < len(results):
			s += " (" + strings.Join(k.Of, ", ") + ")"
		}
		list = append(list, warningKind{strings.ReplaceAll(string(k.Code), "_", " "), s})
	}
	return list
}

// fit returns the sentences of as many kinds as fit in so many lines, and counts the rest.
func fit(p *doc.Page, kinds []warningKind, lines int) []string {
	height := func(s string) int {
		return 1 + strings.Count(doc.Wrap(s, min(p.Width(), doc.TextWidth), 2), "\n")
	}
	rest := func(kinds []warningKind) string {
		var names []string
		for _, k := range kinds {
			if !slices.Contains(names, k.name) {
				names = append(names, k.name)
			}
		}
		const named = 3
		if len(names) > named {
			names = append(names[:named], "...")
		}
		return fmt.Sprintf("warnings of %s more: --verbose (%s)", units.Count(len(kinds), "kind"),
			strings.Join(names, ", "))
	}
	for n := len(kinds); n > 0; n-- {
		var list []string
		used := 0
		for _, k := range kinds[:n] {
			list = append(list, k.sentence)
			used += height(k.sentence)
		}
		if n < len(kinds) {
			list = append(list, rest(kinds[n:]))
			used += height(list[n])
		}
		if used <= lines {
			return list
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	return []string{strings.Replace(rest(kinds), " more:", ":", 1)}
}
