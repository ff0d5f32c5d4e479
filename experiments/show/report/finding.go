package report

import (
	"fmt"
	"slices"
	"strings"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// A standing is one scheduler at the largest core count of a group.
type standing struct {
	scheduler string
	result    *result.Result
	value     result.Quantity
}

// findings says in sentences what was found in a group: which scheduler is the fastest at the
// largest core count, by how much, and which reuses best. No scheduler is named where intervals
// overlap, or where there are none.
func findings(g *dataset.Group) []string {
	cores := 0
	for _, c := range g.Cells { // serial has one core, whatever the others have
		cores = max(cores, c.Result.Cores)
	}
	var all []standing
	for _, s := range g.Schedulers() {
		if r := g.At(s, cores); r != nil && (s != request.SerialScheduler().Name ||
			len(g.Schedulers()) == 1) {
			all = append(all, standing{scheduler: s, result: r})
		}
	}
	lines := []string{speed(all, cores)}
	if s := reuse(all, cores); s != "" {
		lines = append(lines, s)
	}
	return lines
}

// onCores is "on 1 core", "on 24 cores".
func onCores(n int) string { return "on " + plural(n, "core") }

// speed is the sentence on times.
func speed(all []standing, cores int) string {
	var results []*result.Result
	for i := range all {
		all[i].value = all[i].result.Summary.Speedup
		if all[i].value.Median.Known() {
			results = append(results, all[i].result)
		} else {
			results = append(results, nil)
		}
	}
	known, others, sure := inOrder(all, result.RankByTime(results))
	if len(known) == 0 {
		return noSpeed(all, cores)
	}
	best := known[0]
	is := fmt.Sprintf("%s runs %s times as fast as the serial program%s", best.scheduler,
		doc.Sentence(best.value, doc.Plain), because(best.result))
	switch {
	case len(known) == 1:
		return sentence(onCores(cores) + ", " + is +
			"; there is no other scheduler to compare it with.")
	case !sure:
		return sentence(fmt.Sprintf("%s, the highest median speed-up is that of %s, %s, but "+
			"fewer than %d repetitions give no interval, so that no scheduler is called the "+
			"fastest.",
			onCores(cores), best.scheduler, doc.Sentence(best.value, doc.Plain), estimate.MinSample))
	case len(others) > 0:
		speedups := []string{best.scheduler + " " + doc.Sentence(best.value, doc.Plain)}
		for _, s := range others {
			speedups = append(speedups, s.scheduler+" "+doc.Sentence(s.value, doc.Plain))
		}
		return sentence(fmt.Sprintf("%s, no scheduler can be called the fastest: %s has the least "+
			"median time, but its interval overlaps with that of %s. Their speed-ups: %s.",
			onCores(cores), best.scheduler, names(others), strings.Join(speedups, ", ")))
	}
	next := known[1]
	lead := ratioOf(times(next.result), times(best.result))
	by := doc.Digits(100*(lead.Median.Float()-1), 3) + nbsp + "%"
	if lead.Low.Known() && lead.High.Known() {
		by += fmt.Sprintf(" (%s–%s)", doc.Digits(100*(lead.Low.Float()-1), 3),
			doc.Digits(100*(lead.High.Float()-1), 3))
	}
	return sentence(fmt.Sprintf("%s, %s is the fastest: it %s. The next, %s, takes %s longer.",
		onCores(cores), best.scheduler,
		strings.TrimPrefix(is, best.scheduler+" "), next.scheduler, by))
}

// noSpeed is said instead where no speed-up is known.
func noSpeed(all []standing, cores int) string {
	if len(all) == 0 {
		return "No speed-up is known " + onCores(cores) + "."
	}
	var times []string
	for _, s := range all {
		times = append(times, s.scheduler+" "+doc.Sentence(s.result.Summary.TimeNS, doc.Nanoseconds))
	}
	return fmt.Sprintf("No speed-up is known %s: %s. Times: %s.", onCores(cores),
		stats.Speedup.Why(all[0].result), units.List(times))
}

// because returns what a speed-up is made of, where that is known.
func because(r *result.Result) string {
	o, w := r.Summary.OVR, r.Summary.WTI
	if !o.Median.Known() || !w.Median.Known() {
		return ""
	}
	return fmt.Sprintf(" (non-work overhead OVR %s, work time inflation WTI %s)",
		doc.Digits(o.Median.Float(), 4), doc.Digits(w.Median.Float(), 4))
}

// inOrder returns those that r ranks, the best first, and those whose interval overlaps with that of
// the first; sure is false where one has no interval.
func inOrder(all []standing, r result.Ranking) (known, tied []standing, sure bool) {
	for _, i := range r.Order {
		known = append(known, all[i])
	}
	for _, i := range r.Tied {
		tied = append(tied, all[i])
	}
	return known, tied, r.Sure
}

// times returns those of the repetitions, in ns.
func times(r *result.Result) result.Sample {
	s := result.Sample{Fixed: r.Deterministic}
	for _, p := range r.Repetitions {
		s.Values = append(s.Values, float64(p.TimeNS))
	}
	return s
}

// reuse is the sentence on data reuse: the share of accesses whose data the last-level cache cannot
// have kept. "" where there is no KRD.
func reuse(all []standing, cores int) string {
	var values []result.Quantity
	for i := range all {
		all[i].value = stats.BeyondLLC.Of(all[i].result)
		values = append(values, all[i].value)
	}
	known, others, sure := inOrder(all, result.Rank(values, true))
	if len(known) == 0 {
		return ""
	}
	best := known[0]
	same := 1 // how many have the same median
	for same < len(known) && known[same].value.Median == best.value.Median {
		same++
	}
	const beyond = "data beyond the last-level cache (far or cold)"
	what := fmt.Sprintf("%s of the accesses of %s are to %s", doc.Sentence(best.value, doc.Fraction),
		best.scheduler, beyond)
	smallest, its := what+", the smallest share", "its interval"
	if same > 1 {
		smallest = fmt.Sprintf("%s have the smallest share of accesses to %s, %s",
			names(known[:same]), beyond, doc.Sentence(best.value, doc.Fraction))
		its = "the interval of " + best.scheduler
		others = slices.DeleteFunc(others, func(s standing) bool {
			return s.value.Median == best.value.Median
		})
	}
	few := fmt.Sprintf("of %s each", plural(best.value.N, "traced repetition"))
	if best.value.N == 1 {
		few = "of one traced repetition each"
	}
	switch {
	case len(known) == 1:
		return sentence(onCores(cores) + ", " + what + ".")
	case same == len(known):
		return sentence(fmt.Sprintf("%s, %s of the accesses are to %s, under all %d schedulers.",
			onCores(cores), doc.Sentence(best.value, doc.Fraction), beyond, len(known)))
	case !sure:
		return sentence(fmt.Sprintf("%s, %s; these are shares %s, without intervals, so that no "+
			"scheduler is said to reuse best.", onCores(cores), smallest, few))
	case len(others) > 0:
		return sentence(fmt.Sprintf("%s, %s, but %s overlaps with that of %s.", onCores(cores),
			smallest, its, names(others)))
	case same > 1:
		return sentence(onCores(cores) + ", " + smallest + ".")
	}
	return sentence(fmt.Sprintf("%s reuses best: %s of its accesses are to %s, against %s of %s, "+
		"the next.", best.scheduler,
		doc.Sentence(best.value, doc.Fraction), beyond, doc.Sentence(known[1].value, doc.Fraction), known[1].scheduler))
}

// names lists schedulers: "a, b and c".
func names(all []standing) string {
	var names []string
	for _, s := range all {
		names = append(names, s.scheduler)
	}
	return units.List(names)
}

// sentence puts a capital letter in front of all but the name of a scheduler.
func sentence(s string) string {
	if strings.HasPrefix(s, "on ") {
		return "O" + s[1:]
	}
	return s
}
