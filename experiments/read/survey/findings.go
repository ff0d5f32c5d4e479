package survey

import (
	"fmt"
	"math"

	"krdlab/experiments/read/compare"
	"krdlab/krd/doc"
)

// The codes of findings, with what their arguments are.
const (
	// severalHave: no argument.
	severalHave doc.Code = "several_experiments_have_it"
	// bestTold: rows, of how many.
	bestTold doc.Code = "best_told"
	// tied: rows, of how many; the least and the most that would have been seen, in per cent.
	tied doc.Code = "best_tied"
	// tooFew: rows, of how many; repetitions that there are, that are needed.
	tooFew doc.Code = "too_few_to_tell_best"
	// unlikeRows: rows that all have, of how many.
	unlikeRows doc.Code = "unlike_rows"
)

func init() {
	doc.Catalogue(map[doc.Code]doc.Entry{
		severalHave: {Level: doc.Note, Words: "several experiments have it; the first is used"},
		bestTold: {Level: doc.Answer, Example: []any{3, 5}, Words: "the best is told from all others in %v of %v rows",
			Needs: doc.Needs{N: compare.MinSample, P: compare.Alpha}},
		tied: {Level: doc.Answer, Example: []any{2, 5, 0.4, 3.0}, Needs: doc.Needs{N: compare.MinSample},
			Say: func(a doc.Args) string {
				by := doc.Digits(a.Number(2), 2)
				if most := doc.Digits(a.Number(3), 2); most != by {
					by += " to " + most
				}
				return fmt.Sprintf("a tie in %d of %d rows, where a difference of %s %% would have been seen",
					a.Whole(0), a.Whole(1), by)
			}},
		tooFew: {Level: doc.Limit, Example: []any{2, 5, 3, 6}, Next: "--reps", Words: "too few to tell the best in %v of " +
			"%v rows: %v repetitions of a scheduler are there, and %v are needed: --reps %[4]v"},
		unlikeRows: {Level: doc.Limit, Example: []any{3, 5}, Words: "schedulers are compared over %v of %v rows: not all " +
			"have the others"},
	})
}

// conclude says of all rows in how many the best is told, is a tie, and cannot be told.
func (r *Report) conclude() {
	all, told, ties, few, needed := 0, 0, 0, 0, 0
	best, tie, least := doc.Evidence{N: math.MaxInt}, doc.Evidence{N: math.MaxInt}, math.MaxInt
	low, high := math.Inf(1), 0.0
	for i := range r.Places {
		for j := range r.Places[i].Prices {
			p := &r.Places[i].Prices[j]
			best.Looks = max(best.Looks, len(p.Rows))
			for k := range p.Rows {
				row, n := &p.Rows[k], math.MaxInt
				for l := range p.times[k] {
					n = min(n, p.times[k][l].n())
				}
				switch all++; {
				case row.Told:
					told++
					best.N, best.P = min(best.N, n), max(best.P, row.HolmP.Float())
				case len(row.Few) > 0:
					few++
					least, needed = min(least, n), max(needed, compare.Needed(compare.Alpha/float64(len(p.Rows))))
				default:
					ties++
					tie.N = min(tie.N, n)
					low, high = min(low, row.Seen.Float()), max(high, row.Seen.Float())
				}
			}
		}
	}
	if told > 0 {
		f := doc.Find(bestTold, told, all)
		f.Evidence = &best
		r.Conclude(f)
	}
	if ties > 0 {
		f := doc.Find(tied, ties, all, 100*low, 100*high)
		f.Evidence = &tie
		r.Conclude(f)
	}
	if few > 0 {
		r.Find(tooFew, few, all, least, needed)
	}
	for i := range r.Places {
		if p := &r.Places[i]; len(p.Held) > 0 {
			n := 0
			for _, v := range p.Prices {
				for _, s := range v.Schedulers {
					n = s.Rows
				}
			}
			if n < len(p.Held) {
				r.Conclude(doc.Find(unlikeRows, n, len(p.Held)).About(p.title()))
			}
		}
	}
}
