package dataset_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"krdlab/experiments"
	"krdlab/experiments/compare"
	"krdlab/experiments/dataset"
	"krdlab/experiments/dataset/made"
)

// where a cell was measured.
type where struct {
	computer string // "": not recorded
	element  bool   // of a job array
	cpus     int
}

// nativeAt is the made experiment as native, its cells of 1, 6, 12 and 24 cores measured at these places, and merged from so many others.
func nativeAt(merged int, places ...where) *dataset.Experiment {
	e := made.Small()
	for i := range e.Plan {
		e.Plan[i].Machine = dataset.Native
	}
	for i := range merged {
		e.Info.Notes = append(e.Info.Notes, fmt.Sprint(dataset.MergedNote, "exp", i))
	}
	for i := range e.Cells {
		c := &e.Cells[i]
		at := places[i/len(made.Schedulers)]
		c.Result.Substrate, c.Result.Machine.Name, c.Result.Machine.Computer = dataset.Native, "AMD EPYC", at.computer
		if at.cpus > 0 {
			c.Result.Machine.CPUs = at.cpus
		}
		if at.element {
			c.Manifest.Argv = []string{"krdlab", "sweep", "exec", "--plan", "p", "--index", "0"}
			c.Manifest.Raw, _ = json.Marshal(c.Manifest.Manifest)
		}
	}
	return e
}

// loaded writes an experiment and reads it.
func loaded(t *testing.T, e *dataset.Experiment) *dataset.Experiment {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "exp")
	if err := made.Write(e, dir); err != nil {
		t.Fatal(err)
	}
	return load(t, dir)
}

var a, b, none = where{computer: "aaaaaaaaaaaa"}, where{computer: "bbbbbbbbbbbb"}, where{}

// Native cells of several computers of one name are groups apart, and what is pooled though it may be of several is told.
func TestComputers(t *testing.T) {
	inArray := func(w where) where { w.element = true; return w }
	for name, test := range map[string]struct {
		e     *dataset.Experiment
		want  []string // machines of the groups, with the number of their core counts
		notes string
	}{
		"one":                 {nativeAt(2, a, a, a, a), []string{"AMD EPYC 4"}, ""},
		"two":                 {nativeAt(0, a, b, b, a), []string{"AMD EPYC (1) 2", "AMD EPYC (2) 2"}, "kept apart: AMD EPYC (1) is computer aaaaaaaa, AMD EPYC (2) is computer bbbbbbbb"},
		"of before":           {nativeAt(0, none, none, none, none), []string{"AMD EPYC 4"}, ""},
		"of before, merged":   {nativeAt(2, none, none, none, none), []string{"AMD EPYC 4"}, "may be of several, and are taken as one machine"},
		"of before, an array": {nativeAt(0, inArray(none), inArray(none), none, none), []string{"AMD EPYC 4"}, "may be of several"},
		"of before, unlike":   {nativeAt(0, none, none, none, where{cpus: 48}), []string{"AMD EPYC 4"}, "may be of several"},
		"gone on with":        {nativeAt(0, none, none, a, a), []string{"AMD EPYC (computer not recorded) 2", "AMD EPYC (1) 2"}, "some do not say of which, AMD EPYC (1) is computer aaaaaaaa"},
		"an array":            {nativeAt(0, inArray(a), inArray(b), a, b), []string{"AMD EPYC 4"}, "ran on 2 computers of the name AMD EPYC, which are taken as one"},
		"an array on one":     {nativeAt(0, inArray(a), inArray(a), a, a), []string{"AMD EPYC 4"}, ""},
		"an array and another": {nativeAt(0, inArray(a), inArray(b), where{computer: "cccccccccccc"}, inArray(b)), []string{"AMD EPYC (1) 3", "AMD EPYC (2) 1"},
			"AMD EPYC (1) is 2 computers of job arrays, AMD EPYC (2) is computer cccccccc"},
	} {
		e := loaded(t, test.e)
		var got []string
		for _, g := range e.Groups() {
			got = append(got, fmt.Sprint(g.Machine, " ", len(g.Cores())))
		}
		notes := strings.Join(e.Notes, "\n")
		if !reflect.DeepEqual(got, test.want) || (test.notes == "") != (notes == "") || !strings.Contains(notes, test.notes) || !e.Complete() {
			t.Errorf("%s: %v, want %v; notes %q, want %q", name, got, test.want, notes, test.notes)
		}
	}
}

// A document without the field, as older versions wrote it, and a simulated one have none.
func TestNoComputer(t *testing.T) {
	dir := written(t)
	b, err := os.ReadFile(filepath.Join(dir, dataset.CellsDir, "0000-matmul-c1", experiments.ResultFile))
	if err != nil || strings.Contains(string(b), `"computer"`) {
		t.Fatalf("a simulated result has a computer, or %v", err)
	}
	if e := load(t, dir); e.Notes != nil || e.Cells[0].MachineName() != "made-4s" {
		t.Errorf("%v, %s", e.Notes, e.Cells[0].MachineName())
	}
}

// compare matches computers where one side has several of a name; one computer against another is compared, and told.
func TestComparedComputers(t *testing.T) {
	one, other, both := loaded(t, nativeAt(0, a, a, a, a)), loaded(t, nativeAt(0, b, b, b, b)), loaded(t, nativeAt(0, b, b, a, a))
	const warning = "the AMD EPYC of B is another computer than that of A"
	report := func(x, y *dataset.Experiment) (*compare.Report, string) {
		t.Helper()
		r, err := compare.Of(x, y)
		if err != nil {
			t.Fatal(err)
		}
		return r, strings.Join(r.Warnings, "\n")
	}
	if r, warned := report(one, other); len(r.Pairs) != 16 || !strings.Contains(warned, warning) || r.Pairs[0].Machine != "AMD EPYC" {
		t.Errorf("two computers: %d pairs, %s", len(r.Pairs), warned)
	}
	if r, warned := report(one, one); len(r.Pairs) != 16 || strings.Contains(warned, "computer") {
		t.Errorf("one computer: %d pairs, %s", len(r.Pairs), warned)
	}
	r, warned := report(one, both) // of both's cells those on 12 and 24 cores are of the same computer, which is (1) here and (2) there
	if len(r.Pairs) != 8 || r.Pairs[0].Cores != 12 || len(r.OnlyA) != 8 || len(r.OnlyB) != 8 || strings.Contains(warned, warning) {
		t.Errorf("one against two: %d pairs, %d and %d alone, %s", len(r.Pairs), len(r.OnlyA), len(r.OnlyB), warned)
	}
	for _, note := range []string{"A: native results of the name AMD EPYC are of several computers, and are kept apart: AMD EPYC (1) is computer aaaaaaaa\n",
		"B: native results of the name AMD EPYC are of several computers, and are kept apart: AMD EPYC (2) is computer bbbbbbbb, AMD EPYC (1) is computer aaaaaaaa"} {
		if !strings.Contains(warned, note) {
			t.Errorf("the numbers are not those of both: %s", warned)
		}
	}
	if both.Cells[0].MachineName() != "AMD EPYC (1)" {
		t.Errorf("compare renamed its argument's machine to %s", both.Cells[0].MachineName())
	}
}
