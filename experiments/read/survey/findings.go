package survey

import (
	"krdlab/experiments/run/estimate"
	"krdlab/experiments/run/stats"
	"krdlab/krd/doc"
)

// The codes of findings, with what their arguments are.
const (
	// severalHave: no argument.
	severalHave doc.Code = "several_experiments_have_it"
	// unlikeRows: rows that all have, of how many.
	unlikeRows doc.Code = "unlike_rows"
)

func init() {
	doc.Catalogue(map[doc.Code]doc.Entry{
		severalHave: {Level: doc.Note, Words: "several experiments have it; the first is used"},
		unlikeRows: {Level: doc.Limit, Example: []any{3, 5}, Words: "schedulers are compared over %v " +
			"of %v rows: the others lack some scheduler"},
	})
}

// conclude counts, over all rows, those with a single best, with a tie, and with too few
// repetitions.
func (r *Report) conclude() {
	var all []estimate.Ranking
	for _, p := range r.Places {
		for _, v := range p.Prices {
			all = append(all, v.ranks...)
		}
	}
	r.Conclude(stats.Repeated.Conclude(all, nil)...)
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
