package correlate_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"krdlab/experiments/read/correlate"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/experiments/test/datasettest"
	"krdlab/krd/doc"
)

// The answer has at most 30 lines of 80 columns, of one part of an experiment or of many.
func TestAnswerFits(t *testing.T) {
	many := datasettest.Small()
	for i := range 5 {
		for _, c := range datasettest.Small().Cells {
			c.Result.Machine.Name = "machine-" + strings.Repeat("x", i+1)
			many.Cells = append(many.Cells, c)
		}
	}
	for _, c := range []struct {
		name string
		e    *dataset.Experiment
		more bool
	}{
		{"one", datasettest.Small(), false},
		{"six", many, true},
		{"four schedulers", cells(func(r *result.Result) bool { return r.Cores == 12 }), false},
		{"one scheduler", cells(func(r *result.Result) bool {
			return r.Scheduler == "workfirst"
		}), false},
		{"one cell", cells(func(r *result.Result) bool {
			return r.Cores == 12 && r.Scheduler == "workfirst"
		}), false},
		{"replayed", replayed(), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			if err := correlate.Of(c.e).View(false).Text(doc.NewPage(&b, 80)); err != nil {
				t.Fatal(err)
			}
			got, _, _ := strings.Cut(b.String(), "warning: ")
			lines := strings.Split(strings.TrimSpace(got), "\n")
			if len(lines) > 30 {
				t.Errorf("%d lines", len(lines))
			}
			for _, l := range lines {
				if utf8.RuneCountInString(l) > 80 {
					t.Errorf("%d columns: %s", utf8.RuneCountInString(l), l)
				}
			}
			if more := strings.Contains(got, "more: --all"); more != c.more {
				t.Errorf("parts are left out: %v\n%s", more, got)
			}
			t.Log(got)
		})
	}
}

// Misses per access come before WTI; of points too few for any answer, one is given for all.
func TestAnswerOrder(t *testing.T) {
	var got []string
	for _, a := range small().Families[0].Answers {
		got = append(got, string(a.Scope)+": "+string(a.Outcome))
	}
	want := []string{"equal cores and size: llc_misses_per_access", "equal cores and size: wti",
		"means over schedulers: "} // of four, too few
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("answers to\n%s\nexpected\n%s", strings.Join(got, "\n"),
			strings.Join(want, "\n"))
	}
}

// Four schedulers alone cannot tell, and one scheduler is nothing to compare.
func TestAnswerOfFew(t *testing.T) {
	e := cells(func(r *result.Result) bool { return r.Cores == 12 })
	best := find(t, &correlate.Of(e).Families[0], correlate.EqualCores,
		correlate.MissesPerAccess).BestSpearman
	if p := best.PickedSmallest.Float(); math.Abs(p-2.0/24) > 1e-12 ||
		best.PickedP.Float() < p-1e-12 {
		t.Errorf("p of the best of four: %v, at least %v", best.PickedP, best.PickedSmallest)
	}
	expect(t, text(t, correlate.Of(e), false), "nothing can be told: 4 pairs are too few",
		"one size and core count only")
	e = cells(func(r *result.Result) bool { return r.Scheduler == "workfirst" })
	expect(t, text(t, correlate.Of(e), false), "nothing to compare: each has one scheduler only",
		"Across sizes and cores, one scheduler:")
	e = cells(func(r *result.Result) bool { return r.Cores == 1 })
	expect(t, text(t, correlate.Of(e), false), "on one core, where schedulers have nothing to decide")
}

// replayed is the made experiment as native runs whose misses are a replay of their traces: 1 to
// 4 % above what is far or cold.
func replayed() *dataset.Experiment {
	e := datasettest.Small()
	for i := range e.Cells {
		r := e.Cells[i].Result
		r.Substrate, r.Machine.Name = dataset.Native, "AMD EPYC"
		r.LLCModel = &result.LLCModel{Machine: "host", CacheModel: request.CacheBlocks,
			Replayed: true}
		for j := range r.Repetitions {
			p := &r.Repetitions[j]
			lines := float64(*p.KRD.BeyondBytes) / 64
			p.LLCMissesPerCore = result.Some(lines * (1.01 + 0.01*float64(i%4)) / float64(r.Cores))
		}
	}
	return e
}

// Misses that are computed from the trace of the KRD get no coefficient, no p and no best share, in
// text, JSON and CSV; WTI, which is measured, does.
func TestEqualByConstruction(t *testing.T) {
	r := correlate.Of(replayed())
	f := &r.Families[0]
	for _, s := range f.Scopes {
		for _, a := range s.Associations {
			misses := a.Outcome != correlate.WTI
			if a.ByConstruction != misses || misses && (len(a.Coefficients) > 0 ||
				a.BestPearson != nil || a.BestSpearman != nil || a.SmallestP.Known() ||
				a.PMethod != "") {
				t.Errorf("%s, %s: %+v", s.Name, a.Outcome, a)
			}
			if misses && s.Kind == correlate.AllConfigurations &&
				(math.Abs(a.ExcessLeast.Float()-0.01) > 1e-9 ||
					math.Abs(a.ExcessMost.Float()-0.04) > 1e-9) {
				t.Errorf("%s: excess %v to %v", s.Name, a.ExcessLeast, a.ExcessMost)
			}
			if !misses && s.Kind == correlate.AllConfigurations &&
				!a.Coefficients[0].Spearman.P.Known() {
				t.Error("WTI has no p")
			}
		}
	}
	for _, all := range []bool{false, true} {
		var b bytes.Buffer
		if err := r.View(all).Text(doc.NewPage(&b, 1000)); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(strings.Fields(b.String()), " ")
		expect(t, got, "LLC misses per access (model: fully associative, blocks): equal by "+
			"construction: the misses are computed from the same trace as the KRD, so no coefficient "+
			"is given; they differ from the lines that are far or cold by +1.0 to +4.0 %")
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, string(b), `"equal_by_construction":true`,
		`"miss_source":"model: fully associative, blocks"`)
	var table bytes.Buffer
	if err := r.Table(correlate.CoefficientsTable).CSV(&table); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, row := range rows[1:] {
		if row[7] != string(correlate.WTI) {
			seen++
			if strings.Join(row[11:16], "") != "" || row[18] != "equal by construction" ||
				row[20] == "" {
				t.Errorf("row of misses: %q", row)
			}
		}
	}
	if seen == 0 {
		t.Error("no row says that misses are equal by construction")
	}
	simulated := text(t, small(), false)
	if strings.Contains(simulated, "by construction") {
		t.Errorf("a model of private caches and coherence:\n%s", simulated)
	}
	expect(t, simulated, "Misses (model) differ from the lines that are far or cold by")
}

// Runs in which nothing is drawn are one exact value: in the table, without an interval, and
// without a doubt that they were traced once.
func TestExactValues(t *testing.T) {
	e := datasettest.Small()
	for i := range e.Cells {
		r := e.Cells[i].Result
		r.Deterministic, r.Repetitions = true, r.Repetitions[:1]
		r.Serial.Deterministic, r.Serial.Repetitions = true, r.Serial.Repetitions[:1]
	}
	r := correlate.Of(e)
	f := &r.Families[0]
	if q := f.Configurations[5].Shares[0]; q.N != 1 || q.Reason != result.Deterministic ||
		q.Low.Known() {
		t.Errorf("a share of a run in which nothing is drawn: %+v", q)
	}
	if a := find(t, f, correlate.EqualCores, correlate.WTI); a.N != 12 ||
		!of(t, a, stats.Far.Name).Spearman.Value.Known() {
		t.Errorf("n = %d", a.N)
	}
	got := text(t, correlate.Of(e), true)
	expect(t, got, "deterministic: nothing is drawn")
	if strings.Contains(got, "one traced repetition only") {
		t.Errorf("an exact value is doubted:\n%s", got)
	}
}
