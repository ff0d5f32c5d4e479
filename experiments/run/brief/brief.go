package brief

import (
	"fmt"
	"math"
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

// WriteBrief writes what a run found, for a person at a terminal: what was run and where, a row for
// each scheduler, what follows from it, and what is doubtful, by kind, the gravest first. What does
// not fit in [BriefLines] is counted; [WriteTable] has all. All results are of one configuration;
// there is at least one.
func WriteBrief(p *doc.Page, results []result.Result) error {
	r := &results[0]
	p.Brief(r.Kernel + " " + describe(r))
	p.Brief(where(results))
	all := pointers(results)
	p.Brief(fmt.Sprintf("serial %s; %s", serialTime(r), Sampled(all)))
	p.Line("")
	p.Table(summaries(all, false))
	p.Line("")
	for _, s := range slices.Concat(conclusions(results), status(results)) {
		p.Brief(s)
	}
	rows := max(0, len(results)-6) // of more schedulers
	for _, s := range fit(p, warningKinds(results), BriefLines+rows-p.Lines()) {
		p.Brief(s)
	}
	return p.Close()
}

func pointers(results []result.Result) []*result.Result {
	all := make([]*result.Result, len(results))
	for i := range results {
		all[i] = &results[i]
	}
	return all
}

// where says on what the run was, and of a simulated machine how far it is to be believed.
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
		r.Settings.CacheModel)
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

// summaries has a row for each result: medians, how far intervals reach, and the share of accesses
// beyond the LLC, without columns that no result has. With cores, a second column has their number,
// and reaches are those of time and WTI alone.
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

// conclusions are the sentences that follow from the table: who was fastest, where the time went,
// and what the reuse distances say.
func conclusions(results []result.Result) []string {
	var lines []string
	ranked := make([]*result.Result, len(results))
	for i := range results {
		if results[i].Scheduler != request.SerialScheduler().Name || len(results) == 1 {
			ranked[i] = &results[i] // serial has one core, whatever the others have
		}
	}
	names := func(list []int) string {
		var names []string
		for _, i := range list {
			names = append(names, results[i].Scheduler)
		}
		return strings.Join(names, ", ")
	}
	rank := result.RankByTime(ranked)
	if len(rank.Order) > 1 {
		first, next := rank.Order[0], rank.Order[1]
		time := func(i int) float64 { return results[i].Summary.TimeNS.Median.Float() }
		switch ahead := 100 * (time(next)/time(first) - 1); {
		case !rank.Sure:
			lines = append(lines, fmt.Sprintf("Fastest by its median: %s; without intervals for all, "+
				"not shown to be.", results[first].Scheduler))
		case len(rank.Tied) > 0:
			lines = append(lines, fmt.Sprintf("None is shown to be the fastest: the interval of %s "+
				"overlaps with that of %s.", results[first].Scheduler, names(rank.Tied)))
		default:
			lines = append(lines, fmt.Sprintf("Fastest: %s; the next, %s, takes %s %% longer "+
				"(intervals apart).", results[first].Scheduler, results[next].Scheduler,
				doc.Digits(ahead, 2)))
		}
	}
	if len(rank.Order) > 0 {
		var parts []string
		ends := []int{rank.Order[0], rank.Order[len(rank.Order)-1]}
		for _, i := range slices.Compact(ends) {
			s := &results[i].Summary
			if s.OVR.Median.Known() && s.WTI.Median.Known() {
				parts = append(parts, fmt.Sprintf("%s %s%s and %s", results[i].Scheduler,
					more(s.OVR), idling(&results[i]), more(s.WTI)))
			}
		}
		if len(parts) > 0 {
			lines = append(lines, "Overhead and inflation of work: "+strings.Join(parts, "; ")+".")
		}
	}
	q := make([]result.Quantity, len(results))
	for i, r := range ranked {
		if r != nil {
			q[i] = stats.BeyondLLC.Of(r)
		}
	}
	rank = result.Rank(q, true)
	if n := len(rank.Order); n > 1 {
		first, last := rank.Order[0], rank.Order[n-1]
		one := ""
		switch {
		case rank.Sure:
		case q[first].N <= 1:
			one = " (one trace each)"
		default:
			one = " (too few traces for intervals)"
		}
		fewest, most := doc.Digits(100*q[first].Median.Float(), 3),
			doc.Digits(100*q[last].Median.Float(), 3)
		if fewest == most {
			all := "each"
			if n < len(results) {
				all = names(rank.Order)
			}
			return append(lines, fmt.Sprintf("Beyond the LLC: %s %% under %s%s.", most, all, one))
		}
		lines = append(lines, fmt.Sprintf("Beyond the LLC: fewest %s, %s %%; most %s, "+
			"%s %%%s.", results[first].Scheduler, fewest, results[last].Scheduler, most, one))
	}
	return lines
}

// idling is how much of the overhead of r are workers without a task, "" below 1 %.
func idling(r *result.Result) string {
	part := math.Round(100 * r.IdleOVR().Float())
	if !(part >= 1) {
		return ""
	}
	return fmt.Sprintf(" (idle: %.0f %%)", part)
}

// more prints a ratio as what it adds: +31 %.
func more(q result.Quantity) string {
	return fmt.Sprintf("%+.0f %%", math.Round(100*(q.Median.Float()-1))+0) // no -0
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
// repetition, or after an interruption what ran before (warm-ups, the serial run). It is empty where
// nothing was checked or something failed, of which a warning tells.
func checked(results []result.Result) string {
	var right, none []string
	any := false
	for i := range results {
		r := &results[i]
		switch c := r.Check; {
		case c != nil && !c.Passed:
			return ""
		case c == nil || !r.Summary.TimeNS.Median.Known():
			none = append(none, r.Scheduler)
		default:
			right = append(right, r.Scheduler)
		}
		any = any || r.Check != nil
	}
	switch {
	case !any:
		return ""
	case len(right) == 0 && len(none) > 0:
		return "No repetition was finished; what ran before them was checked, and is right."
	case len(right) > 0 && len(none) > 0:
		return fmt.Sprintf("The results of %s were checked, and are right; no repetition of %s was "+
			"finished and checked.", units.List(right), units.List(none))
	}
	return "The results were checked, and are right."
}

// status reports whether the results were checked, and what was asked for and is not known.
func status(results []result.Result) []string {
	var parts []string
	if c := checked(results); c != "" {
		parts = append(parts, c)
	}
	r := &results[0]
	k, ok := kernels.ByName(r.Kernel)
	work := !ok || k.Work
	data := !anyOf(results, func(r *result.Result) bool { return r.KRD != nil && r.KRD.Accesses == 0 })
	ran, trace := finished(results), anyOf(results, traced)
	timed := anyOf(results, func(r *result.Result) bool { return r.Summary.OVR.Median.Known() })
	counted := anyOf(results, func(r *result.Result) bool { return r.LLCSource != nil })
	switch {
	case !work && counted:
		parts = append(parts, r.Kernel+" runs no kernels: no OVR, no WTI, no reuse.")
	case !work:
		parts = append(parts, r.Kernel+" runs no kernels: no OVR, WTI, misses or reuse.")
	case !timed && ran && r.Settings.Trace == request.TraceOff:
		parts = append(parts, "No OVR, no WTI: kernels are not timed with --trace off.")
	}
	if !data {
		what := "misses or reuse"
		if counted {
			what = "reuse"
		}
		if timed && !r.Inflates() {
			what = "WTI, " + what
		}
		parts = append(parts, r.Kernel+" accesses no data: no "+what+".")
	}
	if ran && work && data && !counted && r.Settings.Counters != request.CountersOff {
		why := "neither counters nor a model here"
		if r.Settings.Trace.None() {
			why = "no counters here, and the model replays a trace"
		} else if !trace {
			why = "no counters here, and no trace was taken for the model"
		}
		parts = append(parts, "No LLC misses: "+why+".")
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
		parts = append(parts, "No share beyond the LLC: "+why+".")
	}
	if r.Settings.Tasks && anyOf(results, func(r *result.Result) bool { return r.Trace != nil }) {
		parts = append(parts, "Traces have the graph of tasks: krdlab trace info.")
	}
	if parts == nil {
		return nil
	}
	return []string{strings.Join(parts, " ")}
}

// gravity is the order in which kinds of warnings are shown, and what they are called where there
// is no room for their sentences. Kinds that are not in it come last.
var gravity = []struct {
	code result.Code
	name string
}{
	{result.CheckFailed, "failed check"},
	{result.Interrupted, "interrupted"},
	{result.DisturbedRuns, "disturbed"},
	{result.Impossible, "impossible ratios"},
	{result.SharedCPUs, "shared CPUs"},
	{result.MixedPrices, "mixed prices"},
	{result.NoKRD, "lost records"},
	{result.TraceLost, "lost records"},
	{result.StampedOverCPU, "stamps over CPU time"},
	{result.LostCPU, "lost CPUs"},
	{result.SyntheticTopology, "synthetic topology"},
	{result.FlaggedKernels, "stopped kernels"},
	{result.HandoverMoved, "slow hand-over"},
	{result.DoneAgain, "done again"},
	{result.ClocksNotCompared, "clocks"},
	{result.TracingCost, "cost of tracing"},
}

// A warningKind is all warnings of a code.
type warningKind struct{ name, sentence string }

// warningKinds are the kinds of warnings of results, the gravest first, each with the sentence of
// the first and whom it is about.
func warningKinds(results []result.Result) []warningKind {
	var codes []result.Code
	type kind struct {
		first result.Warning
		of    []string
		more  map[string]bool // other sentences
	}
	found := map[result.Code]*kind{}
	for i := range results {
		for _, w := range results[i].WarningCodes {
			if w.Code == result.NoIntervals {
				continue // said above the table
			}
			k := found[w.Code]
			if k == nil {
				k = &kind{first: w, more: map[string]bool{}}
				found[w.Code], codes = k, append(codes, w.Code)
			}
			if s := w.Sentence(); s != k.first.Sentence() {
				k.more[s] = true
			}
			if !slices.Contains(k.of, results[i].Scheduler) {
				k.of = append(k.of, results[i].Scheduler)
			}
		}
	}
	place := func(c result.Code) int {
		for i := range gravity {
			if gravity[i].code == c {
				return i
			}
		}
		return len(gravity)
	}
	slices.SortStableFunc(codes, func(a, b result.Code) int { return place(a) - place(b) })
	var list []warningKind
	if found[result.DisturbedRuns] == nil && anyOf(results, (*result.Result).Disturbed) {
		list = append(list, warningKind{"disturbed", DisturbedNote})
	}
	for _, code := range codes {
		k := found[code]
		s := "warning: " + k.first.Sentence()
		if code == result.DisturbedRuns {
			s = DisturbedMark + " " + k.first.Sentence()
		}
		switch {
		case len(k.more) > 0:
			s += fmt.Sprintf(" (%s; %d more of the kind: --verbose)", k.of[0], len(k.more))
		case len(results) > 1 && len(k.of) < len(results):
			s += " (" + strings.Join(k.of, ", ") + ")"
		}
		name := strings.ReplaceAll(string(code), "_", " ")
		if i := place(code); i < len(gravity) {
			name = gravity[i].name
		}
		list = append(list, warningKind{name, s})
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
		const named = 5
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
