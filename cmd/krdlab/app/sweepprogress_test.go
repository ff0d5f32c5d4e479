package app

import (
	"bytes"
	"fmt"
	"testing"
	"time"
	"unicode/utf8"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/sweep"
)

// Where stderr is no terminal, a long cell is heard of: when it begins, and then each minute.
func TestSweepLines(t *testing.T) {
	var stderr bytes.Buffer
	clock := time.Unix(1000, 0)
	s := newApp(&bytes.Buffer{}, &stderr).newSweepProgress()
	s.now = func() time.Time { return clock }
	cell := &dataset.PlannedCell{ID: "0000-matmul-c6", Kernel: "matmul", Cores: 6}
	for i, step := range []struct {
		after time.Duration
		reps  int
		left  sweep.Left
		want  string
	}{
		{0, 0, sweep.Left{Cells: 4}, "4 cells to run, an estimate follows the first\n"},
		{59 * time.Second, 1, sweep.Left{Cells: 4}, ""},
		{time.Second, 2, sweep.Left{Cells: 4},
			"0000-matmul-c6: 2 of 24 repetitions; 0 of 4 cells, no estimate yet\n"},
		{59 * time.Second, 3, sweep.Left{Cells: 4, Time: 2 * time.Hour, Known: true}, ""},
		{time.Second, 4, sweep.Left{Cells: 4, Time: 2 * time.Hour, Known: true}, "0000-matmul-c6: " +
			"4 of 24 repetitions; 0 of 4 cells, about 2h0m left\n"},
	} {
		stderr.Reset()
		clock = clock.Add(step.after)
		s.progress(sweep.Progress{Cell: cell, Cells: 4, Reps: step.reps, OfReps: 24,
			Left: step.left})
		if got := stderr.String(); got != step.want {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
	stderr.Reset()
	s.finished(sweep.Finished{Cell: cell, Done: 4, Cells: 4, Took: 8 * time.Millisecond})
	if got, want := stderr.String(), "0000-matmul-c6 done in 8ms; 4 of 4 cells\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A text leaves room for its bar, or the line would wrap and be drawn anew below itself.
func TestFitWidth(t *testing.T) {
	text := fmt.Sprintf("%0100d", 0) + "é"
	for _, width := range []int{16, 40, 80, 115, 116, 117, 200} {
		if n := utf8.RuneCountInString(fitWidth(text, width)); n != min(101, width-barRoom) {
			t.Errorf("width %d: %d letters", width, n)
		}
	}
	if fitWidth(text, 0) != text || fitWidth(text, barRoom) != text {
		t.Error("a terminal that does not say its width cuts")
	}
}

func TestRoundTime(t *testing.T) {
	for d, want := range map[time.Duration]string{
		400 * time.Microsecond: "0s", 8 * time.Millisecond: "8ms", 1234 * time.Millisecond: "1.2s",
		83 * time.Second:                "1m23s",
		12*time.Minute + 20*time.Second: "12m", 26*time.Hour + 29*time.Second: "26h0m",
	} {
		if got := sweep.RoundTime(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
