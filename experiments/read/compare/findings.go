package compare

import (
	"fmt"
	"math"

	"krdlab/experiments/run/estimate"
	"krdlab/krd/doc"
)

// The codes of findings, with what their arguments are.
const (
	// better, worse: where, in how many configurations, of how many, the least and the largest change in
	// per cent.
	better doc.Code = "got_better"
	worse  doc.Code = "got_worse"
	// noneCanHold: repetitions, their least p, tests, the level.
	noneCanHold doc.Code = "no_change_can_hold"
	// noChange: tests.
	noChange doc.Code = "nothing_changed"
	// allTheSame: no argument.
	allTheSame doc.Code = "all_the_same"
	// otherProgram: what each is of.
	otherProgram doc.Code = "other_program"
)

func init() {
	needs := doc.Needs{N: 1, P: estimate.Alpha}
	doc.Catalogue(map[doc.Code]doc.Entry{
		better: {Level: doc.Answer, Needs: needs, Example: []any{"one on 6 cores", 2, 6, -20.0, -10.0}, Say: change(Better)},
		worse:  {Level: doc.Answer, Needs: needs, Example: []any{"one on 6 cores", 1, 6, 10.0, 10.0}, Say: change(Worse)},
		noneCanHold: {Level: doc.Limit, Next: "--reps", Example: []any{"4 and 4 repetitions", 0.029, 10, estimate.Alpha},
			Words: "no change can be significant here: %v have a p of at least %.2g, which is not " +
				"below %[4]v over %[3]v tests; repeat more often, or compare fewer configurations"},
		noChange:   {Level: doc.Answer, Example: []any{10}, Words: "no change is more than chance, in %v tests"},
		allTheSame: {Level: doc.Answer, Words: "A and B are equal in every value that both have"},
		otherProgram: {Level: doc.Doubt, Example: []any{"fft 1024", "fft 512"}, Words: "they are of other programs or " +
			"arguments: %v, and %v"},
	})
}

// change returns the sentence on how much better or worse configurations got.
func change(v Verdict) func(doc.Args) string {
	return func(a doc.Args) string {
		if low := percent(a.Number(3)); a.Whole(1) == 1 && math.IsNaN(a.Number(3)) {
			return fmt.Sprintf("%s for %s (it was 0)", v, a.Text(0))
		} else if a.Whole(1) == 1 {
			return fmt.Sprintf("%s for %s (%s %%)", v, a.Text(0), low)
		}
		return fmt.Sprintf("%s in %d of %d configurations (%s to %s %%)", v, a.Whole(1), a.Whole(2),
			percent(a.Number(3)), percent(a.Number(4)))
	}
}
