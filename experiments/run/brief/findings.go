package brief

import (
	"fmt"
	"math"
	"strings"

	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// The codes of findings, with what their arguments are. A share has three: median, low, high.
const (
	// fastest: the scheduler, cores, the next scheduler, the ratio of their times with its interval, the
	// speed-up with its interval.
	fastest doc.Code = "fastest"
	// runsAs: the scheduler, its speed-up with its interval, cores.
	runsAs doc.Code = "speedup"
	// noSpeedup: cores, why.
	noSpeedup doc.Code = "no_speedup"
	// overhead: of each of up to three schedulers its name, OVR, the part of it that is idle, and WTI.
	overhead doc.Code = "overhead"
	// fewestBeyond: the scheduler with the smallest share, the share, that with the largest, its share.
	fewestBeyond doc.Code = "fewest_beyond"
	// beyondRange: the scheduler with the smallest share, the share, that with the largest, its share.
	beyondRange doc.Code = "beyond_llc"
	// beyondAlike: the share, the schedulers.
	beyondAlike doc.Code = "beyond_alike"

	// checkedAll: no argument. checkedBefore: no argument. checkedSome: the schedulers that were
	// checked, those that were not.
	checkedAll    doc.Code = "checked"
	checkedBefore doc.Code = "checked_before"
	checkedSome   doc.Code = "checked_some"
	// notThere: what is not there, why.
	notThere doc.Code = "not_there"
	// tasksTraced: no argument.
	tasksTraced doc.Code = "tasks_traced"
)

func init() {
	beyond := []any{"one", 0.08, 0.07, 0.09, "another", 0.1, 0.1, 0.11}
	doc.Catalogue(map[doc.Code]doc.Entry{
		fastest: {Level: doc.Answer, Needs: stats.ToldNeeds, Example: []any{"one", 24, "another", 1.25, 1.2, 1.3, 22.0, 21.9, 22.1},
			Say: func(a doc.Args) string {
				up := ""
				if !math.IsNaN(a.Number(6)) {
					up = ", " + speedupOf(a, 6) + " times serial"
				}
				return fmt.Sprintf("%s is the fastest on %s%s: the next, %s, takes %s longer", a.Text(0),
					units.Count(a.Whole(1), "core"), up, a.Text(2), span(a, 3, -1))
			}},
		runsAs: {Level: doc.Answer, Example: []any{"one", 5.0, 4.2, 5.1, 6}, Say: func(a doc.Args) string {
			return fmt.Sprintf("%s runs %s times as fast as the serial program on %s", a.Text(0),
				speedupOf(a, 1), units.Count(a.Whole(4), "core"))
		}},
		noSpeedup: {Level: doc.Limit, Example: []any{6, "the serial run takes no time on this machine"},
			Say: func(a doc.Args) string {
				return fmt.Sprintf("no speed-up on %s: %s", units.Count(a.Whole(0), "core"), a.Text(1))
			}},
		overhead: {Level: doc.Answer, Example: []any{"one", 1.3, 0.1, 1.05, "another", 1.4, 0.0, 1.1},
			Say: func(a doc.Args) string {
				var parts []string
				for ; len(a) >= 4; a = a[4:] {
					idle := ""
					if part := math.Round(100 * a.Number(2)); part >= 1 {
						idle = fmt.Sprintf(" (idle: %.0f %%)", part)
					}
					parts = append(parts, fmt.Sprintf("%s %s%s and %s", a.Text(0), more(a.Number(1)), idle,
						more(a.Number(3))))
				}
				return "overhead and inflation of work: " + strings.Join(parts, "; ")
			}},
		fewestBeyond: {Level: doc.Answer, Needs: stats.ToldNeeds, Example: beyond, Say: smallest},
		beyondRange: {Level: doc.Answer, Example: beyond, Say: func(a doc.Args) string {
			return fmt.Sprintf("accesses beyond the LLC: %s under %s to %s under %s", span(a, 1, 0), a.Text(0),
				span(a, 5, 0), a.Text(4))
		}},
		beyondAlike: {Level: doc.Answer, Example: []any{0.08, 0.07, 0.09, "one, another"},
			Say: func(a doc.Args) string {
				return fmt.Sprintf("accesses beyond the LLC: %s under %s", span(a, 0, 0), a.Text(3))
			}},
		checkedAll: {Level: doc.Note, Words: "the results were checked, and are right"},
		checkedBefore: {Level: doc.Note,
			Words: "no repetition was finished; the runs before them were checked, and are right"},
		checkedSome: {Level: doc.Note, Example: []any{"one", "another"}, Words: "the results of %v were " +
			"checked, and are right; no repetition of %v was finished and checked"},
		notThere: {Level: doc.Limit, Example: []any{"LLC misses", "neither counters nor a model here"},
			Words: "no %v: %v"},
		tasksTraced: {Level: doc.Note, Words: "traces have the graph of tasks: krdlab trace info",
			Next: "krdlab trace info"},
	})
}

// smallest names the schedulers with the smallest and the largest share beyond the LLC.
func smallest(a doc.Args) string {
	return fmt.Sprintf("fewest accesses beyond the LLC: %s, %s; most: %s, %s", a.Text(0), span(a, 1, 0),
		a.Text(4), span(a, 5, 0))
}

// speedupOf prints the median with its interval, the arguments from at.
func speedupOf(a doc.Args, at int) string {
	return doc.Sentence(doc.Quantity{Median: doc.Some(a.Number(at)), Low: doc.Some(a.Number(at + 1)),
		High: doc.Some(a.Number(at + 2))}, doc.Plain)
}

// span prints a median with its interval, the arguments from at, plus by, in per cent.
func span(a doc.Args, at int, by float64) string {
	s := doc.Digits(100*(a.Number(at)+by), 3)
	low, high := 100*(a.Number(at+1)+by), 100*(a.Number(at+2)+by)
	if l, h := doc.Digits(low, 3), doc.Digits(high, 3); !math.IsNaN(low) && !math.IsNaN(high) && l != h {
		s += fmt.Sprintf(" (%s–%s)", l, h)
	}
	return s + "\u00a0%"
}

// more prints a ratio as what it adds: +31 %.
func more(ratio float64) string {
	return fmt.Sprintf("%+.0f %%", math.Round(100*(ratio-1))+0) // no -0
}

// Conclude returns what follows from results of one configuration on most cores: who is the fastest,
// where the time went, and who reuses best. A scheduler is named where it is told from all others.
func Conclude(results []*result.Result) *doc.Concluded {
	c, cores := &doc.Concluded{}, 0
	c.Conclude()
	for _, r := range results { // serial has one core, whatever the others have
		cores = max(cores, r.Cores)
	}
	var all []*result.Result
	for _, r := range results {
		if r.Cores == cores && (r.Scheduler != request.SerialScheduler().Name || len(results) == 1) {
			all = append(all, r)
		}
	}
	concludeTime(c, all, cores)
	concludeReuse(c, all)
	return c
}

// conclude adds told, where the first of a ranking is told from all others, or else that in what about
// names it is not.
func conclude(c *doc.Concluded, all []*result.Result, r []estimate.Ranking, of stats.Sampled, about string,
	told func() doc.Finding) {
	for _, f := range of.Conclude(r, func(bool, []int) string {
		if r[0].Tied == nil || r[0].Few != nil {
			return ""
		}
		return names(all, append(r[0].Order[:1:1], r[0].Tied...))
	}) {
		if evidence := f.Evidence; r[0].Told {
			f = told()
			f.Evidence = evidence
		} else {
			f = f.About(about)
		}
		c.Conclude(f)
	}
}

func concludeTime(c *doc.Concluded, all []*result.Result, cores int) {
	samples := make([]estimate.Sample, len(all))
	for i, r := range all {
		samples[i] = stats.Time.Sample(r)
	}
	r := estimate.Rank([][]estimate.Sample{samples})
	order := r[0].Order
	if len(order) == 0 {
		return
	}
	first := all[order[0]]
	conclude(c, all, r, stats.Repeated, "fastest on "+units.Count(cores, "core"), func() doc.Finding {
		q := result.RatioOfMedians(samples[order[1]], samples[order[0]], 1, estimate.Resamples)
		up := first.Summary.Speedup
		return doc.Find(fastest, first.Scheduler, cores, all[order[1]].Scheduler, q.Median, q.Low, q.High,
			up.Median, up.Low, up.High)
	})
	if q := first.Summary.Speedup; !q.Median.Known() {
		c.Find(noSpeedup, cores, stats.Speedup.Why(first))
	} else if len(order) == 1 {
		c.Find(runsAs, first.Scheduler, q.Median, q.Low, q.High, cores)
	}
	var args []any
	some := order // of more than three the first and the last: it is a line
	if len(some) > 3 {
		some = []int{order[0], order[len(order)-1]}
	}
	for _, i := range some {
		if s := &all[i].Summary; s.OVR.Median.Known() && s.WTI.Median.Known() {
			args = append(args, all[i].Scheduler, s.OVR.Median, all[i].IdleOVR(), s.WTI.Median)
		}
	}
	if args != nil {
		c.Find(overhead, args...)
	}
}

func concludeReuse(c *doc.Concluded, all []*result.Result) {
	samples := make([]estimate.Sample, len(all))
	for i, r := range all {
		samples[i] = stats.FarOrCold.Sample(r)
	}
	r := estimate.Rank([][]estimate.Sample{samples})
	order := r[0].Order
	if len(order) == 0 {
		return
	}
	least, most := all[order[0]], all[order[len(order)-1]]
	low, high := stats.BeyondLLC.Of(least), stats.BeyondLLC.Of(most)
	if doc.Digits(100*low.Median.Float(), 3) == doc.Digits(100*high.Median.Float(), 3) {
		c.Find(beyondAlike, low.Median, low.Low, high.High, names(all, order))
		return
	}
	args := []any{least.Scheduler, low.Median, low.Low, low.High, most.Scheduler, high.Median, high.Low, high.High}
	if !r[0].Told {
		c.Find(beyondRange, args...)
	}
	conclude(c, all, r, stats.Traced, "fewest beyond the LLC", func() doc.Finding {
		return doc.Find(fewestBeyond, args...)
	})
}

// names lists the schedulers of some results.
func names(all []*result.Result, of []int) string {
	var names []string
	for _, i := range of {
		names = append(names, all[i].Scheduler)
	}
	return strings.Join(names, ", ")
}
