package compare_test

import (
	"path/filepath"
	"strings"
	"testing"

	"krdlab/experiments/read/compare"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/test/datasettest"
)

// loaded writes an experiment and reads it.
func loaded(t *testing.T, e *dataset.Experiment) *dataset.Experiment {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "exp")
	if err := datasettest.Write(e, dir); err != nil {
		t.Fatal(err)
	}
	e, err := dataset.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// compare matches computers where one side has several of a name; one computer against another is
// compared, and told.
func TestComparedComputers(t *testing.T) {
	a, b := datasettest.Place{Computer: "aaaaaaaaaaaa"}, datasettest.Place{Computer: "bbbbbbbbbbbb"}
	one, other, both := loaded(t, datasettest.NativeAt(0, a, a, a, a)),
		loaded(t, datasettest.NativeAt(0, b, b, b, b)),
		loaded(t, datasettest.NativeAt(0, b, b, a, a))
	const warning = "the AMD EPYC of B is another computer than that of A"
	report := func(x, y *dataset.Experiment) (*compare.Report, string) {
		t.Helper()
		r, err := compare.Of(x, y)
		if err != nil {
			t.Fatal(err)
		}
		return r, strings.Join(r.Warnings, "\n")
	}
	if r, warned := report(one, other); len(r.Pairs) != 16 || !strings.Contains(warned, warning) ||
		r.Pairs[0].Machine != "AMD EPYC" {
		t.Errorf("two computers: %d pairs, %s", len(r.Pairs), warned)
	}
	if r, warned := report(one, one); len(r.Pairs) != 16 || strings.Contains(warned, "computer") {
		t.Errorf("one computer: %d pairs, %s", len(r.Pairs), warned)
	}
	// of both's cells those on 12 and 24 cores are of the same computer
	r, warned := report(one, both)
	if len(r.Pairs) != 8 || r.Pairs[0].Cores != 12 || len(r.OnlyA) != 8 || len(r.OnlyB) != 8 ||
		strings.Contains(warned, warning) {
		t.Errorf("one against two: %d pairs, %d and %d alone, %s", len(r.Pairs), len(r.OnlyA),
			len(r.OnlyB), warned)
	}
	for _, note := range []string{"A: native results of the name AMD EPYC are of several " +
		"machines, and are kept apart: AMD EPYC (aaaaaaaaaaaa)\n",
		"B: native results of the name AMD EPYC are of several machines, and are kept apart: " +
			"AMD EPYC (bbbbbbbbbbbb), AMD EPYC (aaaaaaaaaaaa)"} {
		if !strings.Contains(warned, note) {
			t.Errorf("the names are not those of both: %s", warned)
		}
	}
	if both.Cells[0].MachineName() != "AMD EPYC (bbbbbbbbbbbb)" {
		t.Errorf("compare renamed its argument's machine to %s", both.Cells[0].MachineName())
	}
}
