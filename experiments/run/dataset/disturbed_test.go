package dataset

import (
	"slices"
	"testing"

	"krdlab/experiments/run/result"
)

func TestUndisturbed(t *testing.T) {
	cell := func(scheduler string, r result.Result) Cell {
		r.Scheduler = scheduler
		return Cell{Result: &r}
	}
	e := &Experiment{Notes: []string{"a note"}, Cells: []Cell{
		cell("clean", result.Result{Disturbances: &result.Disturbances{SetAside: 3}}),
		cell("disturbed", result.Result{Disturbances: &result.Disturbances{Repetitions: 1}}),
		cell("beside a disturbed serial run",
			result.Result{Disturbances: &result.Disturbances{Serial: 1}}),
		cell("of an old document", result.Result{}),
		cell("of an old document that says so", result.Result{WarningCodes: []result.Warning{
			result.Warn(result.LostCPU, result.SerialRun, 40)}}),
	}}
	clean, n := e.Undisturbed()
	var names []string
	for _, c := range clean.Cells {
		names = append(names, c.Result.Scheduler)
	}
	if n != 3 || !slices.Equal(names, []string{"clean", "of an old document"}) {
		t.Errorf("%d are left out, %q are kept", n, names)
	}
	if len(clean.Notes) != 2 || len(e.Notes) != 1 || len(e.Cells) != 5 {
		t.Errorf("notes %q; of the experiment itself %q and %d cells", clean.Notes, e.Notes,
			len(e.Cells))
	}
}
