package over

import (
	"slices"
	"testing"

	"krdlab/experiments/run/result"
	"krdlab/experiments/test/datasettest"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// column returns a column of a table, by its key, for the rows of a scheduler.
func column(t *testing.T, x *doc.Table, key, scheduler string) (list []any) {
	t.Helper()
	of := func(key string) int {
		i := slices.IndexFunc(x.Columns, func(c doc.Column) bool { return c.Key == key })
		if i < 0 {
			t.Fatalf("no column %s", key)
		}
		return i
	}
	for _, row := range x.Rows {
		if row[of("scheduler")] == scheduler {
			list = append(list, row[of(key)])
		}
	}
	return list
}

// A scheduler with a changed rule that takes half as long is 0.5 of its base, and nothing is said of
// those that have none; over a scheduler, it is 1 of itself.
func TestOver(t *testing.T) {
	e := datasettest.Small()
	for _, c := range e.Cells {
		if c.Result.Scheduler != "workfirst" {
			continue
		}
		r := *c.Result
		r.Scheduler = "workfirst:near=1"
		for _, n := range []*result.Number{&r.Summary.TimeNS.Median, &r.Summary.TimeNS.Low, &r.Summary.TimeNS.High} {
			*n = result.Some(n.Float() / 2)
		}
		c.Result = &r
		e.Cells = append(e.Cells, c)
	}
	x := Of(e, Base)
	for _, v := range column(t, x.Table(), "time_over", "workfirst:near=1") {
		if q := v.(result.Quantity); q.Median.Float() != 0.5 || q.Low.Float() > 0.5 || q.High.Float() < 0.5 {
			t.Errorf("%+v, expected 0.5", q)
		}
	}
	if f := x.Figure(); f == nil || len(f.Panels) != 1 {
		t.Errorf("figure %+v", f)
	}
	for _, v := range column(t, Of(e, "helpfirst").Table(), "time_over", "helpfirst") {
		if q := v.(result.Quantity); q.Median.Float() != 1 {
			t.Errorf("over itself: %+v", q)
		}
	}
	if n := len(Of(e, "laws").Table().Rows); n > 0 {
		t.Errorf("%d rows over a scheduler that did not run", n)
	}
	for what, good := range map[string]bool{Base: true, Simulated: true, "helpfirst": true, "fastest": false} {
		if err := Check(what); (err == nil) != good {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A native result is set over each simulated machine that ran the same, with its name, and over none
// that ran another size.
func TestSimulated(t *testing.T) {
	e := datasettest.Small()
	for _, c := range e.Cells[:len(datasettest.Schedulers)] {
		r := *c.Result
		r.Substrate, r.Machine.Model = loi.Native, nil
		c.Result = &r
		e.Cells = append(e.Cells, c)
	}
	x := Of(e, Simulated)
	if n := len(x.Table().Rows); n != len(datasettest.Schedulers) {
		t.Errorf("%d rows", n)
	}
	for _, v := range column(t, x.Table(), "over", "workfirst") {
		if v != "made-4s" {
			t.Errorf("over %v", v)
		}
	}
	for i := range e.Cells {
		if r := e.Cells[i].Result; r.Substrate == loi.Native {
			r.Params = map[string]any{"n": 1}
		}
	}
	if n := len(Of(e, Simulated).Table().Rows); n > 0 {
		t.Errorf("%d rows over another size", n)
	}
}
