package sweep

import (
	"testing"
	"time"

	"krdlab/experiments/run/dataset"
)

// A cell that is left takes the mean of those that are done; failed ones are not left.
func TestLeft(t *testing.T) {
	w := newWork(t.TempDir(), &Plan{Cells: make([]dataset.PlannedCell, 6)})
	check := func(what string, got, want Left) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	check("nothing done", w.left(0.5), Left{6, 0, false})
	for i, took := range []time.Duration{10 * time.Second, time.Second} {
		w.done[i] = true
		w.pace.learn(took)
	}
	check("two done", w.left(0), Left{4, 22 * time.Second, true})
	w.failed[4] = true
	check("one failed", w.left(0), Left{3, 16500 * time.Millisecond, true})
	w.done[3], w.done[5] = true, true // by another process
	check("in the last", w.left(0.5), Left{1, 2750 * time.Millisecond, true})
}
