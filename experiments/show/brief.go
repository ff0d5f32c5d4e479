package show

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"krdlab/experiments/request"
	"krdlab/experiments/result"
	"krdlab/hw/machine"
	"krdlab/hw/units"
	"krdlab/kernels"
	"krdlab/loi"
)

// BriefWidth is how many columns a line of [WriteBrief] has at most, but for words that are longer
// and tables, which need it all.
const BriefWidth = 80

// WriteBrief writes what a run found, for a person at a terminal: what was run and where, a row for
// each scheduler, what follows from it, and what is doubtful, about 25 lines for six schedulers.
// [WriteTable] has the rest. Sentences are wrapped at width columns, at [BriefWidth] if that is less.
// All results are of one configuration; there is at least one.
func WriteBrief(w io.Writer, results []result.Result, width int) error {
	var b strings.Builder
	line := func(s string) { b.WriteString(Wrap(s, min(width, BriefWidth), 2) + "\n") }
	r := &results[0]
	line(r.Kernel + " " + describe(r))
	line(where(results))
	all := make([]*result.Result, len(results))
	for i := range results {
		all[i] = &results[i]
	}
	line(fmt.Sprintf("serial %s; %s", Time(r.Serial.TimeNS), Sampled(all)))
	b.WriteString("\n" + Summaries(all, false) + "\n")
	for _, s := range slices.Concat(conclusions(results), briefRemarks(results)) {
		line(s)
	}
	_, err := io.WriteString(w, b.String())
	return err
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
		name string
		size fmt.Stringer
		some bool
	}{{"L2", m.L2Bytes, m.L2Bytes != 0}, {"LLC", m.LLCBytes, m.LLCBytes != 0}} {
		if c.some {
			caches += fmt.Sprintf(", %s %s", c.name, c.size)
		}
	}
	if r.Substrate != loi.Simulated {
		return fmt.Sprintf("measured on %s, %s%s", orNA(m.Name), cores, caches)
	}
	s := fmt.Sprintf("SIMULATED, no measurement: %s, %s%s, caches by %s", orNA(m.Name), cores, caches,
		r.Settings.CacheModel)
	if m.Model == nil {
		return s
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
	if len(ovr) > 0 {
		parts = append(parts, "OVR of "+strings.Join(ovr, ", "))
	}
	return strings.Join(parts, " and ")
}

// Sampled says what the numbers of [Summaries] are.
func Sampled(results []*result.Result) string {
	n, confidence, fixed := 0, 0.0, 0
	for _, r := range results {
		q := r.Summary.TimeNS
		switch {
		case q.Reason == result.Deterministic:
			fixed++
		case q.Median.Known():
			n = max(n, q.N)
			confidence = max(confidence, q.Confidence.Float())
		}
	}
	const exact = "=: exact, nothing is drawn at random and every repetition is the same"
	switch {
	case n == 0 && fixed > 0:
		return exact
	case n == 0:
		return "no repetition was finished"
	}
	s := "medians of " + units.Count(n, "repetition")
	if confidence > 0 {
		s += fmt.Sprintf("; ±: reach of the %.0f %% interval", 100*result.Confidence)
	} else {
		s += fmt.Sprintf(", too few for intervals (%d are needed)", result.MinSample)
	}
	if fixed > 0 {
		s += "; " + exact
	}
	return s
}

// A briefColumn is one of the table; it is left out where no result has it.
type briefColumn struct {
	head  string
	of    func(*result.Result) result.Quantity
	cells func([]result.Quantity) []string
}

// Summaries has a row for each result: medians, how far intervals reach, and the share of accesses
// beyond the LLC, without columns that no result has. With cores, a second column has their number,
// and reaches are those of time and WTI alone.
func Summaries(results []*result.Result, cores bool) string {
	unit, size := TimeUnit(longest(results))
	columns := []briefColumn{
		{"time, " + unit, func(r *result.Result) result.Quantity { return r.Summary.TimeNS },
			func(q []result.Quantity) []string { return Aligned(q, 1/size, true) }},
		{"speed-up", func(r *result.Result) result.Quantity { return r.Summary.Speedup },
			func(q []result.Quantity) []string { return Aligned(q, 1, !cores) }},
		{"OVR", func(r *result.Result) result.Quantity { return r.Summary.OVR },
			func(q []result.Quantity) []string { return Aligned(q, 1, !cores) }},
		{"WTI", func(r *result.Result) result.Quantity { return r.Summary.WTI },
			func(q []result.Quantity) []string { return Aligned(q, 1, true) }},
		{"LLC\nmisses\nper core" + briefSource(results),
			func(r *result.Result) result.Quantity { return r.Summary.LLCMissesPerCore }, counts},
		{"beyond\nLLC, %", BeyondLLC, func(q []result.Quantity) []string {
			return Aligned(q, 100, false)
		}},
	}
	head := []string{"scheduler"}
	if cores {
		head = append(head, "cores")
	}
	rows := make([][]string, len(results))
	for i, r := range results {
		rows[i] = []string{SchedulerOf(r)}
		if cores {
			rows[i] = append(rows[i], strconv.Itoa(r.Cores))
		}
	}
	for _, c := range columns {
		var values []result.Quantity
		for _, r := range results {
			values = append(values, c.of(r))
		}
		if !slices.ContainsFunc(values, func(q result.Quantity) bool { return q.Median.Known() }) {
			continue
		}
		head = append(head, c.head)
		for i, cell := range c.cells(values) {
			rows[i] = append(rows[i], cell)
		}
	}
	return Columns(1, head, rows) + noteDisturbed(results)
}

func counts(q []result.Quantity) []string {
	largest := 0.0
	for _, x := range q {
		if x.Median.Known() {
			largest = max(largest, x.Median.Float())
		}
	}
	name, size := countUnit(largest)
	cells := Aligned(q, 1/size, false)
	for i, q := range q {
		if q.Median.Known() {
			cells[i] += name
		}
	}
	return cells
}

// longest is the largest median time.
func longest(results []*result.Result) float64 {
	ns := 0.0
	for _, r := range results {
		if m := r.Summary.TimeNS.Median; m.Known() {
			ns = max(ns, m.Float())
		}
	}
	return ns
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

// BeyondLLC is the share of the accesses of traced repetitions whose data the last-level cache
// cannot have kept: farther than its size, or cold (KRD paper, III-A).
func BeyondLLC(r *result.Result) result.Quantity {
	if r.KRD == nil || r.KRD.Accesses == 0 || r.KRD.Far == nil {
		return result.Quantity{}
	}
	return r.Quantity([]float64{float64(*r.KRD.Far+r.KRD.Cold) / float64(r.KRD.Accesses)})
}

// Aligned prints the medians of a column of quantities, times scale, so that their points stand
// below each other, each with as many digits as mean something. A quantity that is not known is
// n/a. Where reach is set, a second number says how far the interval reaches at most, in per cent
// of the median, rounded up; or = that the value is exact.
func Aligned(column []result.Quantity, scale float64, reach bool) []string {
	cells, ends := make([]string, len(column)), make([]string, len(column))
	behind, widest := 0, 0 // the point; the number
	for i, q := range column {
		if !q.Median.Known() {
			continue
		}
		cells[i] = strconv.FormatFloat(q.Median.Float()*scale, 'f', meaningful(q, scale), 64)
		behind = max(behind, fraction(cells[i]))
		low, high, ok := q.Bounds()
		switch m := q.Median.Float(); {
		case reach && q.Reason == result.Deterministic:
			ends[i] = "="
		case reach && ok && m != 0:
			ends[i] = fmt.Sprintf("±%.0f%%", max(1, math.Ceil(100*max(m-low, high-m)/math.Abs(m)-rounding)))
		}
		widest = max(widest, utf8.RuneCountInString(ends[i]))
	}
	pad := func(n int) string { return strings.Repeat(" ", n) }
	for i, c := range cells {
		if c == "" {
			cells[i] = NotAvailable
			continue
		}
		cells[i] += pad(behind-fraction(c)) + ends[i] +
			pad(widest-utf8.RuneCountInString(ends[i]))
	}
	return cells
}

// rounding is what a percentage may be too large by.
const rounding = 1e-6

// fraction is how many characters of a number its point and what is behind it take.
func fraction(s string) int {
	if i := strings.IndexByte(s, '.'); i >= 0 {
		return len(s) - i
	}
	return 0
}

// meaningful is how many decimals of the median of q, times scale, mean something: down to the first
// digit of how far its interval reaches, the second if the first is 1; between two and four digits
// in all. Four digits of a deterministic value, and three where there is no interval.
func meaningful(q result.Quantity, scale float64) int {
	v := math.Abs(q.Median.Float() * scale)
	if !q.Median.Known() || v == 0 {
		return 0
	}
	first := int(math.Floor(math.Log10(v))) // the place of the first digit
	digits := 3
	low, high, ok := q.Bounds()
	switch {
	case q.Reason == result.Deterministic:
		digits = 4
	case ok:
		digits = 4
		if far := scale * max(high-q.Median.Float(), q.Median.Float()-low); far > 0 {
			digits = first - int(math.Floor(math.Log10(far/2))) + 1
		}
	}
	return max(0, min(max(digits, 2), 4)-1-first)
}

// conclusions are the sentences that follow from the table: who was fastest, where the time went,
// and what the reuse distances say.
func conclusions(results []result.Result) []string {
	var lines []string
	pick := func(of func(*result.Result) result.Quantity, lowest bool) ([]result.Quantity,
		result.Ranking) {
		var list []result.Quantity
		for i := range results {
			q := of(&results[i])
			if results[i].Scheduler == request.SerialScheduler().Name && len(results) > 1 {
				q = result.Quantity{} // it has one core, whatever the others have
			}
			list = append(list, q)
		}
		return list, result.Rank(list, lowest)
	}
	names := func(list []int) string {
		var names []string
		for _, i := range list {
			names = append(names, results[i].Scheduler)
		}
		return strings.Join(names, ", ")
	}
	q, rank := pick(func(r *result.Result) result.Quantity { return r.Summary.TimeNS }, true)
	if len(rank.Order) > 1 {
		first, next := rank.Order[0], rank.Order[1]
		switch ahead := 100 * (q[next].Median.Float()/q[first].Median.Float() - 1); {
		case !rank.Sure:
			lines = append(lines, fmt.Sprintf("Fastest by its median: %s. Without intervals for all, "+
				"it is not shown to be.", results[first].Scheduler))
		case len(rank.Tied) > 0:
			lines = append(lines, fmt.Sprintf("No scheduler is shown to be the fastest: the interval "+
				"of %s overlaps with that of %s.", results[first].Scheduler, names(rank.Tied)))
		default:
			lines = append(lines, fmt.Sprintf("Fastest: %s; the next, %s, takes %s %% longer "+
				"(intervals apart).", results[first].Scheduler, results[next].Scheduler,
				Digits(ahead, 2)))
		}
	}
	if len(rank.Order) > 0 {
		var parts []string
		ends := []int{rank.Order[0], rank.Order[len(rank.Order)-1]}
		for _, i := range slices.Compact(ends) {
			s := &results[i].Summary
			if s.OVR.Median.Known() && s.WTI.Median.Known() {
				parts = append(parts, fmt.Sprintf("%s %s overhead, %s inflation of work",
					results[i].Scheduler, more(s.OVR), more(s.WTI)))
			}
		}
		if len(parts) > 0 {
			lines = append(lines, "Beyond an even share of the serial time: "+
				strings.Join(parts, "; ")+".")
		}
	}
	q, rank = pick(BeyondLLC, true)
	if n := len(rank.Order); n > 1 {
		first, last := rank.Order[0], rank.Order[n-1]
		one := ""
		if !rank.Sure {
			one = " (one trace each: no intervals)"
		}
		lines = append(lines, fmt.Sprintf("Fewest accesses beyond the LLC: %s, %s %%; most: %s, "+
			"%s %%%s.", results[first].Scheduler, Digits(100*q[first].Median.Float(), 3),
			results[last].Scheduler, Digits(100*q[last].Median.Float(), 3), one))
	}
	return lines
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

// briefRemarks are failed and passed checks in a line, and each kind of warning once.
func briefRemarks(results []result.Result) []string {
	var lines []string
	passed, failed := 0, 0
	for i := range results {
		if c := results[i].Check; c != nil && c.Passed {
			passed++
		} else if c != nil { // a warning says it
			failed++
		}
	}
	if passed > 0 && failed == 0 {
		lines = append(lines, "The results were checked, and are right.")
	}
	r := &results[0]
	if r.Settings.Counters != request.CountersOff && !anyOf(results, func(r *result.Result) bool {
		return r.LLCSource != nil
	}) {
		lines = append(lines, "no LLC misses: "+strings.TrimPrefix(whyNoLLC(r), "LLC misses: "))
	}
	if k, ok := kernels.ByName(r.Kernel); ok && k.Work && !r.Settings.Trace.None() &&
		!anyOf(results, func(r *result.Result) bool { return BeyondLLC(r).Median.Known() }) {
		why := "the cache sizes of this machine are not known"
		if r.KRD == nil || r.KRD.Accesses == 0 {
			why = whyNoKRD(r)
		}
		lines = append(lines, "no share beyond the LLC: "+why)
	}
	var codes []result.Code
	first, of := map[result.Code]string{}, map[result.Code][]string{}
	more := map[result.Code]map[string]bool{} // other sentences of the kind
	for i := range results {
		for _, w := range results[i].WarningCodes {
			if w.Code == result.NoIntervals {
				continue // said above
			}
			sentence := Sentences([]result.Warning{w})[0]
			if _, seen := first[w.Code]; !seen {
				codes = append(codes, w.Code)
				first[w.Code], more[w.Code] = sentence, map[string]bool{}
			} else if sentence != first[w.Code] {
				more[w.Code][sentence] = true
			}
			if list := of[w.Code]; !slices.Contains(list, results[i].Scheduler) {
				of[w.Code] = append(list, results[i].Scheduler)
			}
		}
	}
	for _, code := range codes {
		s := "warning: " + first[code]
		if n := len(of[code]); len(results) > 1 && n < len(results) {
			s += " (" + strings.Join(of[code], ", ") + ")"
		}
		if n := len(more[code]); n > 0 {
			s += fmt.Sprintf(" (and %d more of the kind: --verbose)", n)
		}
		lines = append(lines, s)
	}
	return lines
}
