package dataset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/loi"
)

// A page shows the trace of the median repetition, or the nearest one that is kept, and names it.
func TestMedianTrace(t *testing.T) {
	type cell struct {
		mode          request.TraceMode
		substrate     string
		deterministic bool
		times         []int64
		apart         float64  // the time of the trace, 0: there is none
		path          string   // in the result
		files         []string // that are there
	}
	full, one := request.TraceFull, request.TraceDefault
	for name, c := range map[string]struct {
		cells      []cell
		cell       int
		file, want string // "": nil
	}{
		"all are kept": {[]cell{{full, loi.Native, false, []int64{50, 10, 30, 20, 40}, 50, "s.1.loi",
			[]string{"s.1.loi", "s.2.loi", "s.3.loi", "s.4.loi", "s.5.loi"}}},
			0, "s.3.loi", "repetition 3, the median of 5 by time"},
		"the faster of the middle two": {[]cell{{full, loi.Simulated, false, []int64{40, 10, 30, 20}, 40,
			"s.1.loi", []string{"s.1.loi", "s.2.loi", "s.3.loi", "s.4.loi"}}},
			0, "s.4.loi", "repetition 4, the median of 4 by time"},
		"equal times": {[]cell{{full, loi.Simulated, false, []int64{10, 20, 20, 20, 30}, 10, "s.1.loi",
			[]string{"s.1.loi", "s.2.loi", "s.3.loi", "s.4.loi", "s.5.loi"}}},
			0, "s.3.loi", "repetition 3, the median of 5 by time"},
		"that of the median was removed": {[]cell{{full, loi.Native, false, []int64{50, 10, 30, 20, 40}, 50,
			"s.1.loi", []string{"s.1.loi", "s.5.loi"}}},
			0, "s.5.loi", "repetition 5, 4th of 5 by time, not the median"},
		"that of the result is one of the timed": {[]cell{{full, loi.Native, false, []int64{10, 20, 30}, 10,
			"s.1.loi", []string{"s.1.loi"}}}, 0, "s.1.loi", "repetition 1, 1st of 3 by time, not the median"},
		"one of a simulated run": {[]cell{{one, loi.Simulated, false, []int64{30, 10, 20}, 30, "s.loi",
			[]string{"s.loi", "s.1.loi"}}}, 0, "s.loi", "repetition 1, 3rd of 3 by time, not the median"},
		"nothing is drawn": {[]cell{{one, loi.Simulated, true, []int64{30}, 30, "s.loi", []string{"s.loi"}}},
			0, "s.loi", "repetition 1, which stands for all: nothing is drawn at random"},
		"one repetition": {[]cell{{full, loi.Native, false, []int64{30}, 30, "s.1.loi", []string{"s.1.loi"}}},
			0, "s.1.loi", "repetition 1, the only one"},
		"one beside native repetitions": {[]cell{{one, loi.Native, false, []int64{30, 10, 20}, 25, "s.loi",
			[]string{"s.loi"}}}, 0, "s.loi",
			"a repetition traced after those that were timed, 3rd of 4 by time, not the median"},
		"which may lie at the median": {[]cell{{one, loi.Native, false, []int64{30, 10, 20}, 15, "s.loi",
			[]string{"s.loi"}}}, 0, "s.loi",
			"a repetition traced after those that were timed, the median of 4 by time"},
		"of several seeds": {[]cell{
			{one, loi.Simulated, false, []int64{90, 10}, 90, "s.loi", []string{"s.loi"}},
			{one, loi.Simulated, false, []int64{30, 20}, 30, "s.loi", []string{"s.loi"}},
			{one, loi.Simulated, false, []int64{40, 50}, 40, "s.loi", nil}},
			1, "s.loi", "repetition 1 of seed 2, the median of 6 by time"},
		"of several native seeds": {[]cell{
			{one, loi.Native, false, []int64{10, 20}, 90, "s.loi", []string{"s.loi"}},
			{one, loi.Native, false, []int64{30, 40}, 25, "s.loi", []string{"s.loi"}}},
			1, "s.loi", "a repetition traced after those that were timed of seed 2, the median of 5 by time"},
		"profiled": {cells: []cell{{request.TraceProfile, loi.Native, false, []int64{30, 10}, 0, "",
			[]string{"s.loi", "s.1.loi"}}}},
		"traces that are not kept": {cells: []cell{{request.TraceKRD, loi.Simulated, false, []int64{30, 10}, 30,
			"", []string{"s.loi"}}}},
		"a path that leaves the folder": {cells: []cell{{one, loi.Simulated, false, []int64{30, 10}, 30,
			"../s.loi", nil}}},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			if err := os.WriteFile(filepath.Join(root, "s.loi"), nil, 0o666); err != nil {
				t.Fatal(err)
			}
			g := &dataset.Group{}
			for i, x := range c.cells {
				dir := filepath.Join(root, fmt.Sprint(i))
				if err := os.Mkdir(dir, 0o777); err != nil {
					t.Fatal(err)
				}
				for _, f := range x.files {
					if err := os.WriteFile(filepath.Join(dir, f), nil, 0o666); err != nil {
						t.Fatal(err)
					}
				}
				r := &result.Result{Scheduler: "s", Cores: 6, Seed: uint64(i + 1), Substrate: x.substrate,
					Deterministic: x.deterministic, Settings: request.Settings{Trace: x.mode}}
				for _, ns := range x.times {
					r.Repetitions = append(r.Repetitions, result.Repetition{TimeNS: ns})
				}
				if x.apart > 0 {
					r.Trace = &result.Trace{Path: x.path, TimeNS: result.Some(x.apart)}
				}
				g.Cells = append(g.Cells, &dataset.Cell{ID: fmt.Sprint("cell", i), Dir: dir, Result: r})
			}
			if g.MedianTrace("other", 6) != nil || g.MedianTrace("s", 12) != nil {
				t.Error("a trace of another scheduler or number of cores")
			}
			got := g.MedianTrace("s", 6)
			if c.want == "" {
				if got != nil {
					t.Errorf("%s (%s), want none", got, got.Path)
				}
				return
			}
			if got == nil {
				t.Fatalf("none, want %s", c.want)
			}
			if got.String() != c.want ||
				got.Path != filepath.Join(root, fmt.Sprint(c.cell), c.file) {
				t.Errorf("%s (%s), want %s (cell %d, %s)", got, got.Path, c.want, c.cell, c.file)
			}
			if view := g.ViewOf(6); view != "views/cell0.html" || g.ViewOf(12) != "" {
				t.Errorf("page %s", view)
			}
		})
	}
}

// The median is that of the results.
func TestMedianTraceIsTheMedian(t *testing.T) {
	e := load(t, written(t))
	g := e.Groups()[0]
	for _, c := range g.Cells {
		c.Result.Settings.Trace = request.TraceFull
		for i := range c.Result.Repetitions {
			name := result.TraceFile(fmt.Sprintf("%s.%d", c.Result.Scheduler, i+1))
			if err := os.WriteFile(filepath.Join(c.Dir, name), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, s := range g.Schedulers() {
		for _, n := range g.Cores() {
			r := g.At(s, n)
			k, want := g.MedianTrace(s, n), result.MedianRepetition(r.Repetitions)
			if !k.Median() || &r.Repetitions[k.Rep] != want {
				t.Errorf("%s on %d cores: %s, want the repetition of %d ns", s, n, k, want.TimeNS)
			}
		}
	}
}
