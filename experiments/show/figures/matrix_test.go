package figures

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/result"
	"krdlab/experiments/test/datasettest"
	"krdlab/hw/units"
	"krdlab/krd/plot"
)

// several is the made experiment with the cells of its kernel again for each of some other names,
// and each of its schedulers again for so many others.
func several(kernels []string, more int) *dataset.Experiment {
	e := datasettest.Small()
	cells, plan := slices.Clone(e.Cells), slices.Clone(e.Plan)
	e.Cells, e.Plan = nil, nil
	for _, kernel := range kernels {
		for _, p := range plan {
			p.ID, p.Kernel, p.Index = kernel+p.ID, kernel, len(e.Plan)
			e.Plan = append(e.Plan, p)
		}
		for _, c := range cells {
			c.ID = kernel + c.ID
			for i := range 1 + more {
				r := *c.Result
				r.Kernel = kernel
				if i > 0 {
					r.Scheduler = fmt.Sprintf("%s-%d", r.Scheduler, i)
				}
				c.Result = &r
				e.Cells = append(e.Cells, c)
			}
		}
	}
	return e
}

// matrixOf returns a figure of an experiment.
func matrixOf(t *testing.T, e *dataset.Experiment, id string) *plot.Figure {
	t.Helper()
	for _, m := range Matrices(e) {
		if m.ID == id {
			return &m.Figure
		}
	}
	t.Fatalf("there is no %s", id)
	return nil
}

// marks are those of a row that has some, by scheduler.
func marks(t *testing.T, f *plot.Figure, kernel string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, s := range f.Panels[0].Series {
		for _, v := range s.Points {
			if s.Name == kernel && v.Mark != "" {
				found[v.At] = v.Mark
			}
		}
	}
	return found
}

func TestMatrix(t *testing.T) {
	e := several([]string{"matmul", "fmm"}, 0)
	e.Info.NativeOnly = []string{"fib", "go"}
	list := Matrices(e)
	var ids []string
	for _, m := range list {
		ids = append(ids, m.ID)
		if m.Headline != (m.ID == "matrix-speedup-24") {
			t.Errorf("%s: headline %v", m.ID, m.Headline)
		}
	}
	if len(ids) != 12 || ids[0] != "matrix-speedup-24" || ids[11] != "matrix-far-1" {
		t.Errorf("%v", ids)
	}
	// The rates of the made schedulers say who is the best.
	for id, best := range map[string]string{"matrix-speedup-24": "workfirst",
		"matrix-wti-24": "workfirst", "matrix-far-24": "shepherd-socket"} {
		f := matrixOf(t, e, id)
		if got := marks(t, f, "fmm"); len(got) != 1 || got[best] != plot.MarkBest {
			t.Errorf("%s: %v", id, got)
		}
		head, rows := f.Panels[0].Fields("%s", "%s")
		if want := append(append([]string{""}, datasettest.Schedulers...), "go"); !slices.Equal(head,
			want) {
			t.Errorf("%s: columns %v, expected %v", id, head, want)
		}
		if len(rows) != 3 || rows[0][0] != "matmul" || rows[1][0] != "fib" || rows[2][0] != "fmm" ||
			slices.ContainsFunc(rows[1][1:], func(s string) bool { return s != units.NotAvailable }) ||
			rows[0][5] != units.NotAvailable || rows[0][1] == units.NotAvailable {
			t.Errorf("%s: %v", id, rows)
		}
		if said := strings.Join(f.Caption, " "); !strings.Contains(said,
			"n/a for fib, go: cannot be simulated.") || !strings.HasPrefix(said, "SIMULATED") {
			t.Errorf("%s: %s", id, said)
		}
	}
	// The shade of a speed-up is its share of the row's highest.
	f := matrixOf(t, e, "matrix-speedup-24")
	for _, s := range f.Panels[0].Series {
		for _, v := range s.Points {
			if best := s.Points[0]; v.Y.Known() && v.Shade != v.Y.Float()/best.Y.Float() {
				t.Errorf("%s under %s: shade %g", s.Name, v.At, v.Shade)
			}
		}
	}
	var b bytes.Buffer
	if err := f.Write(&b, plot.Markdown); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"### Speed-up on 24 cores\n", "| fib | n/a | n/a | ",
		"| matmul | **"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// Schedulers that tie are not called the best.
func TestMatrixUnsure(t *testing.T) {
	e := several([]string{"matmul", "fmm"}, 0)
	of := func(kernel, scheduler string) **result.Result {
		for i := range e.Cells {
			r := e.Cells[i].Result
			if r.Kernel == kernel && r.Scheduler == scheduler && r.Cores == 24 {
				return &e.Cells[i].Result
			}
		}
		t.Fatal(kernel, scheduler)
		return nil
	}
	twin := **of("matmul", "workfirst") // helpfirst has the same numbers
	twin.Scheduler = "helpfirst"
	*of("matmul", "helpfirst") = &twin
	if got := marks(t, matrixOf(t, e, "matrix-speedup-24"), "matmul"); len(got) != 2 ||
		got["workfirst"] != plot.MarkTied || got["helpfirst"] != plot.MarkTied {
		t.Errorf("twins: %v", got)
	}
	all := several([]string{"matmul", "fmm"}, 0)
	for i := range all.Cells {
		if c := &all.Cells[i]; c.Result.Kernel == "matmul" && c.Result.Cores == 24 {
			r := twin
			r.Scheduler = c.Result.Scheduler
			c.Result = &r
		}
	}
	f := matrixOf(t, all, "matrix-speedup-24")
	if got := marks(t, f, "matmul"); len(got) != 0 || !strings.Contains(f.Caption[1],
		"in 1 of 2 rows: workfirst for fmm.") || !strings.Contains(f.Caption[2],
		"A tie in 1 of 2 rows, where a difference of ") || !strings.HasSuffix(f.Caption[2], "seen: matmul.") {
		t.Errorf("all alike: %v, %s", got, f.Caption[1:3])
	}
	few := **of("fmm", "helpfirst")
	few.Repetitions = few.Repetitions[:3]
	*of("fmm", "helpfirst") = &few
	f = matrixOf(t, e, "matrix-far-24")
	if got := marks(t, f, "fmm"); len(got) != 1 || got["shepherd-socket"] != plot.MarkFirst {
		t.Errorf("few repetitions: %v", got)
	}
	if said := strings.Join(f.Caption, " "); !strings.Contains(said,
		"Too few to tell the best in 1 of 2 rows (fmm): 3 traces, 6 needed: --reps 6 --trace krd.") {
		t.Error(said)
	}
	// A deterministic value is an interval of no width: beside the others' it can be the best.
	few.Deterministic = true
	if got := marks(t, matrixOf(t, e, "matrix-far-24"), "fmm"); got["shepherd-socket"] != plot.MarkBest {
		t.Errorf("an exact value: %v", got)
	}
	// Failed cells are n/a, and named.
	e.Cells = slices.DeleteFunc(e.Cells, func(c dataset.Cell) bool {
		return c.Result.Kernel == "fmm" && c.Result.Cores == 24
	})
	f = matrixOf(t, e, "matrix-wti-24")
	if _, rows := f.Panels[0].Fields("%s", "%s"); len(rows) != 2 || rows[1][1] != units.NotAvailable ||
		!strings.Contains(strings.Join(f.Caption, " "), "n/a for fmm: not all of their runs") {
		t.Errorf("failed: %v", rows)
	}
	if n := len(Matrices(datasettest.Small())); n > 0 {
		t.Errorf("%d figures of one kernel", n)
	}
}

// Of 24 schedulers and 16 kernels all numbers are written, and all names.
func TestMatrixLarge(t *testing.T) {
	names := []string{"matmul", "fib", "fmm"}
	for i := range 13 {
		names = append(names, fmt.Sprintf("sparselu%d", i))
	}
	f := matrixOf(t, several(names, 5), "matrix-speedup-24")
	p := &f.Panels[0]
	if len(p.Series) != 16 || len(p.X.Ticks) != 24 {
		t.Fatalf("%d x %d", len(p.Series), len(p.X.Ticks))
	}
	var b bytes.Buffer
	if err := f.Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, s := range p.Series {
		if n := strings.Count(text, ">"+s.Name+"<"); n != 1 {
			t.Errorf("%s is written %d times", s.Name, n)
		}
	}
	for _, v := range p.Series[0].Points {
		if n := strings.Count(text, ">"+v.At+" <"); n != 1 {
			t.Errorf("%s is written %d times", v.At, n)
		}
		if n := strings.Count(text, ">"+v.Label+"<"); n < 16 {
			t.Errorf("%s is written %d times, expected in each row", v.Label, n)
		}
	}
}
