package stats

import (
	"fmt"
	"math"

	"krdlab/experiments/run/estimate"
	"krdlab/hw/units"
	"krdlab/krd/doc"
)

// The codes of what rankings conclude, with what their arguments are; the names are of the rows, of one
// row of what is ranked, or "".
const (
	// bestTold: rows, of how many; names.
	bestTold doc.Code = "best_told"
	// bestTied: rows, of how many; the least and the most that would have been seen, in per cent; names.
	bestTied doc.Code = "best_tied"
	// tooFew: rows, of how many; what there is of the smallest sample, and what is needed; names; the
	// noun of what is counted; more options.
	tooFew doc.Code = "too_few_to_tell_best"
)

// ToldNeeds is the evidence that a best one needs.
var ToldNeeds = doc.Needs{N: estimate.MinTested, P: estimate.Alpha}

func init() {
	doc.Catalogue(map[doc.Code]doc.Entry{
		bestTold: {Level: doc.Answer, Example: []any{3, 5, "one for fib, fmm; another for sor"}, Needs: ToldNeeds,
			Say: func(a doc.Args) string {
				return "a single best" + inRows(a) + named(": ", a.Text(2), "")
			}},
		bestTied: {Level: doc.Answer, Example: []any{2, 5, 0.4, 3.0, "lu, triad"},
			Needs: doc.Needs{N: estimate.MinTested}, Say: func(a doc.Args) string {
				low, high := doc.Digits(a.Number(2), 2), doc.Digits(a.Number(3), 2)
				by := ", where a difference of " + low + " to " + high + " % would have been seen"
				switch {
				case a.Number(3) == 0:
					by = ": the same exact value"
				case math.IsNaN(a.Number(3)):
					by = ""
				case low == high:
					by = ", where a difference of " + low + " % would have been seen"
				}
				if a.Whole(1) == 1 {
					return "a tie" + named(" of ", a.Text(4), "") + by
				}
				return "a tie" + inRows(a) + by + named(": ", a.Text(4), "")
			}},
		tooFew: {Level: doc.Limit, Example: []any{2, 5, 3, 6, "lu, triad", "repetition", ""}, Next: "--reps",
			Say: func(a doc.Args) string {
				rows := ""
				if a.Whole(1) > 1 {
					rows = " the best" + inRows(a)
				}
				rows += named(" (", a.Text(4), ")")
				return fmt.Sprintf("too few to tell%s: %s, %d needed: --reps %[3]d%[4]s", rows, units.Count(a.Whole(2),
					a.Text(5)), a.Whole(3), a.Text(6))
			}},
	})
}

// inRows returns the number of rows as text; "" for one row.
func inRows(a doc.Args) string {
	if a.Whole(1) == 1 {
		return ""
	}
	return fmt.Sprintf(" in %d of %d rows", a.Whole(0), a.Whole(1))
}

// named puts a list between others; "": there is none.
func named(before, list, after string) string {
	if list == "" {
		return ""
	}
	return before + list + after
}

// Sampled describes the samples of a ranking: their noun, and the options that give more.
type Sampled struct{ Noun, Options string }

// Repeated are the repetitions of a run, Traced those that were traced.
var (
	Repeated = Sampled{"repetition", ""}
	Traced   = Sampled{"trace", " --trace krd"}
)

// Conclude counts the rankings with a single best, with a tie, and with too few samples. naming
// names some of them, by their indices; nil: they have no names.
func (s Sampled) Conclude(list []estimate.Ranking, naming func(told bool, rows []int) string) (found []doc.Finding) {
	if naming == nil {
		naming = func(bool, []int) string { return "" }
	}
	var told, ties, few []int
	best, tie := doc.Evidence{N: math.MaxInt}, doc.Evidence{N: math.MaxInt}
	least, needed, all := math.MaxInt, 0, 0
	low, high := math.Inf(1), math.Inf(-1)
	for i := range list {
		r := &list[i]
		if len(r.Order) < 2 {
			continue
		}
		switch all++; {
		case r.Told:
			told, best.N, best.P = append(told, i), min(best.N, r.N), max(best.P, r.HolmP)
			best.Looks = max(best.Looks, r.Rows)
		case len(r.Few) > 0:
			few, least, needed = append(few, i), min(least, r.N), max(needed, r.Needed)
		default:
			ties, tie.N = append(ties, i), min(tie.N, r.N)
			if !math.IsNaN(r.Seen) {
				low, high = min(low, r.Seen), max(high, r.Seen)
			}
		}
	}
	if told != nil {
		f := doc.Find(bestTold, len(told), all, naming(true, told))
		f.Evidence = &best
		found = append(found, f)
	}
	if ties != nil {
		f := doc.Find(bestTied, len(ties), all, doc.Some(100*low), doc.Some(100*high), naming(false, ties))
		f.Evidence = &tie
		found = append(found, f)
	}
	if few != nil {
		found = append(found, doc.Find(tooFew, len(few), all, least, needed, naming(false, few), s.Noun, s.Options))
	}
	return found
}
