package dataset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/experiments/test/datasettest"
)

// loaded writes an experiment and reads it.
func loaded(t *testing.T, e *dataset.Experiment) *dataset.Experiment {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "exp")
	if err := datasettest.Write(e, dir); err != nil {
		t.Fatal(err)
	}
	return load(t, dir)
}

var a, b, none = datasettest.Place{Computer: "aaaaaaaaaaaa"},
	datasettest.Place{Computer: "bbbbbbbbbbbb"},
	datasettest.Place{}

// Native cells of several computers of one name are groups apart, and what is pooled though it may
// be of several is told.
func TestComputers(t *testing.T) {
	inArray := func(w datasettest.Place) datasettest.Place { w.Element = true; return w }
	for name, test := range map[string]struct {
		e     *dataset.Experiment
		want  []string // machines of the groups, with the number of their core counts
		notes string
	}{
		"one": {datasettest.NativeAt(2, a, a, a, a), []string{"AMD EPYC 4"}, ""},
		"two": {datasettest.NativeAt(0, a, b, b, a), []string{"AMD EPYC (aaaaaaaaaaaa) 2",
			"AMD EPYC (bbbbbbbbbbbb) 2"}, "kept apart: AMD EPYC (aaaaaaaaaaaa), AMD EPYC (bbbbbbbbbbbb)"},
		"not recorded": {datasettest.NativeAt(0, none, none, none, none), []string{"AMD EPYC 4"}, ""},
		"not recorded, merged": {datasettest.NativeAt(2, none, none, none, none),
			[]string{"AMD EPYC 4"},
			"may be of several, and are taken as one machine"},
		"not recorded, an array": {datasettest.NativeAt(0, inArray(none), inArray(none), none, none),
			[]string{"AMD EPYC 4"}, "may be of several"},
		"not recorded, unlike": {datasettest.NativeAt(0, none, none, none,
			datasettest.Place{CPUs: 48}),
			[]string{"AMD EPYC (not recorded, 24 CPUs) 3",
				"AMD EPYC (not recorded, 48 CPUs) 1"}, "are of several machines"},
		"gone on with": {datasettest.NativeAt(0, none, none, a, a),
			[]string{"AMD EPYC (not recorded, 24 CPUs) 2", "AMD EPYC (aaaaaaaaaaaa) 2"},
			"kept apart: AMD EPYC (not recorded, 24 CPUs), AMD EPYC (aaaaaaaaaaaa)"},
		"an array": {datasettest.NativeAt(0, inArray(a), inArray(b), a, b), []string{"AMD EPYC 4"},
			"ran on 2 computers of the name AMD EPYC, which are taken as one"},
		"an array on one": {datasettest.NativeAt(0, inArray(a), inArray(a), a, a),
			[]string{"AMD EPYC 4"},
			""},
		"an array and another": {datasettest.NativeAt(0, inArray(a), inArray(b),
			datasettest.Place{Computer: "cccccccccccc"}, inArray(b)), []string{
			"AMD EPYC (job array) 3", "AMD EPYC (cccccccccccc) 1"},
			"kept apart: AMD EPYC (job array), AMD EPYC (cccccccccccc)"},
	} {
		e := loaded(t, test.e)
		var got []string
		for _, g := range e.Groups() {
			got = append(got, fmt.Sprint(g.Machine, " ", len(g.Cores())))
		}
		notes := strings.Join(e.Notes, "\n")
		if !reflect.DeepEqual(got, test.want) || (test.notes == "") != (notes == "") ||
			!strings.Contains(notes, test.notes) || len(e.Problems) > 0 {
			t.Errorf("%s: %v, want %v; notes %q, want %q", name, got, test.want, notes, test.notes)
		}
	}
}

// A simulated result has no computer.
func TestNoComputer(t *testing.T) {
	dir := written(t)
	b, err := os.ReadFile(filepath.Join(dir, dataset.CellsDir, "0000-matmul-c1",
		result.ResultFile))
	if err != nil || strings.Contains(string(b), `"computer"`) {
		t.Fatalf("a simulated result has a computer, or %v", err)
	}
	if e := load(t, dir); e.Notes != nil || e.Cells[0].MachineName() != "made-4s" {
		t.Errorf("%v, %s", e.Notes, e.Cells[0].MachineName())
	}
}
