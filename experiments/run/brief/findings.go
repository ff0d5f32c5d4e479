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
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// The codes of findings, with what their arguments are. A share has three: median, low, high.
const (
	// fastest: the scheduler, cores, the next scheduler, the ratio of their times with its interval, the
	// speed-up with its interval.
	fastest doc.Code = "fastest"
	// fastestTied: cores, the scheduler of the least median time, those whose interval overlaps.
	fastestTied doc.Code = "fastest_tied"
	// fastestUntold: cores, the scheduler of the least median time, repetitions there and needed.
	fastestUntold doc.Code = "fastest_untold"
	// runsAs: the scheduler, its speed-up with its interval, cores.
	runsAs doc.Code = "speedup"
	// noSpeedup: cores, why.
	noSpeedup doc.Code = "no_speedup"
	// overhead: of one scheduler or two its name, OVR, the part of it that is idle, and WTI.
	overhead doc.Code = "overhead"
	// fewestBeyond: the scheduler with the smallest share, the share, that with the largest, its share.
	fewestBeyond doc.Code = "fewest_beyond"
	// beyondTied: as fewestBeyond, and those whose interval overlaps with that of the first.
	beyondTied doc.Code = "fewest_beyond_tied"
	// beyondUntold: as fewestBeyond, and traced repetitions.
	beyondUntold doc.Code = "fewest_beyond_untold"
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
	six := doc.Needs{N: estimate.MinSample}
	beyond := []any{"one", 0.08, 0.07, 0.09, "another", 0.1, 0.1, 0.11}
	doc.Catalogue(map[doc.Code]doc.Entry{
		fastest: {Level: doc.Answer, Needs: six, Example: []any{"one", 24, "another", 1.25, 1.2, 1.3, 22.0, 21.9, 22.1},
			Say: func(a doc.Args) string {
				up := ""
				if !math.IsNaN(a.Number(6)) {
					up = ", " + speedupOf(a, 6) + " times serial"
				}
				return fmt.Sprintf("%s is the fastest on %s%s: the next, %s, takes %s longer", a.Text(0),
					units.Count(a.Whole(1), "core"), up, a.Text(2), span(a, 3, -1))
			}},
		fastestTied: {Level: doc.Answer, Needs: six, Example: []any{24, "one", "another"},
			Say: func(a doc.Args) string {
				return fmt.Sprintf("none is shown to be the fastest on %s: the interval of %s overlaps with "+
					"that of %s", units.Count(a.Whole(0), "core"), a.Text(1), a.Text(2))
			}},
		fastestUntold: {Level: doc.Limit, Example: []any{24, "one", 3, 6}, Next: "--reps 6",
			Say: func(a doc.Args) string {
				return fmt.Sprintf("%s has the least median time on %s; which is the fastest cannot be told: "+
					"%s, %d needed: --reps %[4]d", a.Text(1), units.Count(a.Whole(0), "core"),
					units.Count(a.Whole(2), "repetition"), a.Whole(3))
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
		fewestBeyond: {Level: doc.Answer, Needs: six, Example: beyond, Say: smallest},
		beyondTied: {Level: doc.Answer, Needs: six, Example: append(slices.Clone(beyond), "a third"),
			Say: func(a doc.Args) string {
				return smallest(a) + "; the first overlaps with " + a.Text(8)
			}},
		beyondUntold: {Level: doc.Limit, Example: append(slices.Clone(beyond), 1), Next: "--trace krd",
			Say: func(a doc.Args) string {
				return fmt.Sprintf("%s (%s each: no intervals)", smallest(a), units.Count(a.Whole(8), "trace"))
			}},
		beyondAlike: {Level: doc.Answer, Example: []any{0.08, 0.07, 0.09, "one, another"},
			Say: func(a doc.Args) string {
				return fmt.Sprintf("accesses beyond the LLC: %s under %s", span(a, 0, 0), a.Text(3))
			}},
		checkedAll: {Level: doc.Note, Words: "the results were checked, and are right"},
		checkedBefore: {Level: doc.Note,
			Words: "no repetition was finished; what ran before them was checked, and is right"},
		checkedSome: {Level: doc.Note, Example: []any{"one", "another"}, Words: "the results of %v were " +
			"checked, and are right; no repetition of %v was finished and checked"},
		notThere: {Level: doc.Limit, Example: []any{"LLC misses", "neither counters nor a model here"},
			Words: "no %v: %v"},
		tasksTraced: {Level: doc.Note, Words: "traces have the graph of tasks: krdlab trace info",
			Next: "krdlab trace info"},
	})
}

// smallest says who has the smallest share beyond the LLC, and who the largest.
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
// where the time went, and who reuses best. No scheduler is named where intervals overlap, or where
// there are none.
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

func concludeTime(c *doc.Concluded, all []*result.Result, cores int) {
	rank := result.RankByTime(all)
	if len(rank.Order) == 0 {
		return
	}
	first := all[rank.Order[0]]
	quantities := make([]result.Quantity, len(all))
	for i, r := range all {
		quantities[i] = r.Summary.TimeNS
	}
	rests := evidence(rank, quantities)
	answer := func(code doc.Code, args ...any) {
		f := doc.Find(code, args...)
		f.Evidence = rests
		c.Conclude(f)
	}
	switch {
	case len(rank.Order) == 1:
	case !rank.Sure:
		c.Find(fastestUntold, cores, first.Scheduler, rests.N, estimate.MinSample)
	case len(rank.Tied) > 0:
		answer(fastestTied, cores, first.Scheduler, names(all, rank.Tied))
	default:
		next := all[rank.Order[1]]
		q := result.RatioOfMedians(times(next), times(first), 1, estimate.Resamples)
		if !q.Median.Known() {
			q.Median = result.Some(next.Summary.TimeNS.Median.Float() / first.Summary.TimeNS.Median.Float())
		}
		up := first.Summary.Speedup
		answer(fastest, first.Scheduler, cores, next.Scheduler, q.Median, q.Low, q.High, up.Median, up.Low, up.High)
	}
	if q := first.Summary.Speedup; !q.Median.Known() {
		c.Find(noSpeedup, cores, stats.Speedup.Why(first))
	} else if len(rank.Order) == 1 {
		c.Find(runsAs, first.Scheduler, q.Median, q.Low, q.High, cores)
	}
	var args []any
	for _, i := range slices.Compact([]int{rank.Order[0], rank.Order[len(rank.Order)-1]}) {
		if s := &all[i].Summary; s.OVR.Median.Known() && s.WTI.Median.Known() {
			args = append(args, all[i].Scheduler, s.OVR.Median, all[i].IdleOVR(), s.WTI.Median)
		}
	}
	if args != nil {
		c.Find(overhead, args...)
	}
}

func concludeReuse(c *doc.Concluded, all []*result.Result) {
	shares := make([]result.Quantity, len(all))
	for i, r := range all {
		shares[i] = stats.BeyondLLC.Of(r)
	}
	rank := result.Rank(shares, true)
	n := len(rank.Order)
	if n == 0 {
		return
	}
	first, last := rank.Order[0], rank.Order[n-1]
	low, high := shares[first], shares[last]
	if doc.Digits(100*low.Median.Float(), 3) == doc.Digits(100*high.Median.Float(), 3) {
		c.Find(beyondAlike, low.Median, low.Low, high.High, names(all, rank.Order))
		return
	}
	equal := slices.DeleteFunc(slices.Clone(rank.Order), func(i int) bool { return shares[i].Median != low.Median })
	tied := slices.DeleteFunc(rank.Tied, func(i int) bool { return slices.Contains(equal, i) })
	args := []any{names(all, equal), low.Median, low.Low, low.High, all[last].Scheduler, high.Median,
		high.Low, high.High}
	f := doc.Find(fewestBeyond, args...)
	switch {
	case !rank.Sure:
		f = doc.Find(beyondUntold, append(args, low.N)...)
	case len(tied) > 0:
		f = doc.Find(beyondTied, append(args, names(all, tied))...)
	}
	f.Evidence = evidence(rank, shares)
	c.Conclude(f)
}

// evidence is the least sample of those that are ranked: where all have an interval, what is exact
// counts as enough.
func evidence(rank result.Ranking, of []result.Quantity) *doc.Evidence {
	e := &doc.Evidence{N: math.MaxInt}
	for _, i := range rank.Order {
		if q := of[i]; rank.Sure && q.Reason == result.Deterministic {
			e.N = min(e.N, max(q.N, estimate.MinSample))
		} else {
			e.N = min(e.N, q.N)
		}
	}
	return e
}

// names lists the schedulers of some results.
func names(all []*result.Result, of []int) string {
	var names []string
	for _, i := range of {
		names = append(names, all[i].Scheduler)
	}
	return strings.Join(names, ", ")
}

// times returns those of the repetitions, in ns.
func times(r *result.Result) result.Sample {
	s := result.Sample{Fixed: r.Deterministic}
	for _, p := range r.Repetitions {
		s.Values = append(s.Values, float64(p.TimeNS))
	}
	return s
}
