package figures

import (
	"math"
	"strings"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/loss"
	"krdlab/experiments/run/result"
	"krdlab/experiments/test/datasettest"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// Each bar begins where the one above ends, what is subtracted goes back, and the time begins at 0.
func TestWaterfall(t *testing.T) {
	one := func(v float64) doc.Quantity { return doc.Bare(doc.Some(v)) }
	part := func(key string, ns float64) loss.Part {
		return loss.Part{Key: key, NS: one(ns), Share: one(ns / 2000)}
	}
	l := &loss.Loss{Scheduler: "planted", TimeNS: one(2000), IdealNS: one(1000), Lost: one(0.5),
		Groups:   []loss.Part{part("runtime", 600), part("distance", 700)},
		Parallel: part("parallelism", 0), Rest: part("rest", -200), Serial: part("serial_too", 100)}
	p := waterfall(l, timeAxis(2.6e-6, true), 1000)
	want := map[string][2]float64{"ideal": {0, 1}, "runtime": {1, 1.6}, "distance": {1.6, 2.3}, "parallelism": {2.3, 2.3},
		"rest": {2.3, 2.1}, "serial too": {2.1, 2}, "time": {0, 2}}
	labels := map[string]string{"runtime": "30\u00a0%", "rest": "-10\u00a0%", "serial too": "-5.0\u00a0%"}
	seen := 0
	for _, s := range p.Series {
		for _, v := range s.Points {
			seen++
			w, end := want[v.At], v.From+v.Y.Float()
			if math.Abs(v.From-w[0]) > 1e-9 || math.Abs(end-w[1]) > 1e-9 {
				t.Errorf("%s from %g to %g, expected %v", v.At, v.From, end, w)
			}
			if l, ok := labels[v.At]; ok && v.Label != l {
				t.Errorf("%s is labelled %q, expected %q", v.At, v.Label, l)
			}
		}
	}
	if seen != len(want) || p.Note != "loses 50.0\u00a0%" {
		t.Errorf("%d bars, %q", seen, p.Note)
	}
}

// A figure that takes long is left out unless asked for, and the command is named; so are, always,
// several core counts and runs without stamps.
func TestNoWaterfall(t *testing.T) {
	e := datasettest.Small()
	reason := func(change func(*result.Result), ids ...string) string {
		t.Helper()
		g := dataset.Group{Key: dataset.Key{Substrate: loi.Simulated}}
		for i := range e.Cells {
			c := e.Cells[i]
			if c.Result.Cores == 24 {
				r := *c.Result
				change(&r)
				c.Result, g.Key = &r, dataset.KeyOf(&dataset.Cell{Result: &r})
				g.Cells = append(g.Cells, &c)
			}
		}
		_, skipped := Of(&g, ids)
		for _, s := range skipped {
			if s.ID == whyID {
				return s.Error()
			}
		}
		return ""
	}
	many := func(r *result.Result) {
		n := int64(1e6)
		r.Repetitions = []result.Repetition{{Tasks: &n, Kernels: &n}}
	}
	if s := reason(many); !strings.Contains(s, "a moment to compute: krdlab why made/") {
		t.Error(s)
	}
	if s := reason(many, whyID); strings.Contains(s, "a moment to compute") {
		t.Error(s)
	}
	if s := reason(func(r *result.Result) { r.Substrate, r.Machine.Model = loi.Native, nil }); s != "" {
		t.Errorf("%s; what is measured natively makes a waterfall too", s)
	}
	if s := reason(func(r *result.Result) {
		r.Substrate, r.Machine.Model, r.Repetitions = loi.Native, nil, []result.Repetition{{TimeNS: 1}}
	}); !strings.Contains(s, "whose work was stamped") {
		t.Error(s)
	}
}
