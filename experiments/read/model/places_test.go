package model

import (
	"strings"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/test/datasettest"
)

// TestPlaces has cells of two places, where the name of one is a part of the other's: a whole name
// picks its place, and without one the larger is taken and the other named.
func TestPlaces(t *testing.T) {
	e := datasettest.Small()
	plain := placeName(dataset.KeyOf(&e.Cells[0]))
	for i := range e.Cells[:3] {
		r := *e.Cells[i].Result
		r.Settings.Grain = request.GrainTask
		e.Cells[i].Result = &r
	}
	other := placeName(dataset.KeyOf(&e.Cells[0]))
	if !strings.HasPrefix(other, plain) || other == plain {
		t.Fatalf("%q and %q", plain, other)
	}
	list := []*dataset.Experiment{e}
	rows := len(e.Cells) - 3
	for _, c := range []struct {
		place   string
		n       int
		warning string // in one of them
	}{{plain, rows, ""}, {other, 3, ""}, {"task grain", 3, ""},
		{"", rows, "left out: \"" + other + "\" (3 cells)"}} {
		table, err := OfExperiments(list, false, c.place)
		if err != nil || table.Frame.N != c.n {
			t.Fatalf("%q: %v, expected %d rows", c.place, err, c.n)
		}
		if said := strings.Join(table.Warnings, "\n"); !strings.Contains(said, c.warning) ||
			c.warning == "" && strings.Contains(said, "left out") {
			t.Errorf("%q: warnings %q, expected %q", c.place, said, c.warning)
		}
	}
	part := plain[:len(plain)-2]
	for place, want := range map[string]string{part: "a part that only one has", "nowhere": "no cell"} {
		if _, err := OfExperiments(list, false, place); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", place, err, want)
		}
	}
}
