package dataset

import (
	"fmt"
	"slices"
)

// Undisturbed returns e without the results that other programs disturbed
// ([result.Result.Disturbed]), with a note of how many those are, and how many. e is left as it is.
func (e *Experiment) Undisturbed() (*Experiment, int) {
	clean := *e
	clean.Cells = slices.DeleteFunc(slices.Clone(e.Cells),
		func(c Cell) bool { return c.Result.Disturbed() })
	n := len(e.Cells) - len(clean.Cells)
	if n > 0 {
		clean.Notes = append(slices.Clone(e.Notes), fmt.Sprintf("%d of %d results are left out: "+
			"other programs, or the machine, disturbed them", n, len(e.Cells)))
	}
	return &clean, n
}
