package dataset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"krdlab/experiments/dataset"
	"krdlab/experiments/dataset/datasettest"
	"krdlab/experiments/result"
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
		"two": {datasettest.NativeAt(0, a, b, b, a), []string{"AMD EPYC (1) 2",
			"AMD EPYC (2) 2"}, "kept apart: AMD EPYC (1) is computer aaaaaaaa, AMD EPYC (2) is " +
			"computer bbbbbbbb"},
		"of before": {datasettest.NativeAt(0, none, none, none, none), []string{"AMD EPYC 4"}, ""},
		"of before, merged": {datasettest.NativeAt(2, none, none, none, none),
			[]string{"AMD EPYC 4"},
			"may be of several, and are taken as one machine"},
		"of before, an array": {datasettest.NativeAt(0, inArray(none), inArray(none), none, none),
			[]string{"AMD EPYC 4"}, "may be of several"},
		"of before, unlike": {datasettest.NativeAt(0, none, none, none,
			datasettest.Place{CPUs: 48}),
			[]string{"AMD EPYC 4"}, "may be of several"},
		"gone on with": {datasettest.NativeAt(0, none, none, a, a),
			[]string{"AMD EPYC (computer not recorded) 2", "AMD EPYC (1) 2"},
			"some do not say of which, AMD EPYC (1) is computer aaaaaaaa"},
		"an array": {datasettest.NativeAt(0, inArray(a), inArray(b), a, b), []string{"AMD EPYC 4"},
			"ran on 2 computers of the name AMD EPYC, which are taken as one"},
		"an array on one": {datasettest.NativeAt(0, inArray(a), inArray(a), a, a),
			[]string{"AMD EPYC 4"},
			""},
		"an array and another": {datasettest.NativeAt(0, inArray(a), inArray(b),
			datasettest.Place{Computer: "cccccccccccc"}, inArray(b)), []string{"AMD EPYC (1) 3",
			"AMD EPYC (2) 1"},
			"AMD EPYC (1) is 2 computers of job arrays, AMD EPYC (2) is computer cccccccc"},
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

// A document without the field, as older versions wrote it, and a simulated one have none.
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
