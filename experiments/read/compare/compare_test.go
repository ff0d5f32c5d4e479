package compare_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/read/compare"
	"krdlab/experiments/run/brief"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/test/datasettest"
	"krdlab/krd/doc"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// changed is the made experiment with every result edited and summed up anew.
func changed(edit func(*result.Result)) *dataset.Experiment {
	e := datasettest.Small()
	for i := range e.Cells {
		r := e.Cells[i].Result
		edit(r)
		m := &result.Measured{
			Scheduler: r.Scheduler, Workers: r.Cores, Substrate: r.Substrate, Machine: r.Machine,
			Serial: r.Serial.Repetitions, Repetitions: r.Repetitions, KRD: r.KRD,
		}
		if r.LLCSource != nil {
			m.LLCSource = *r.LLCSource
		}
		a := request.Asked{Kernel: r.Kernel, Params: r.Params, Seed: r.Seed,
			Settings: request.Settings{Reps: len(r.Repetitions)}}
		sum := result.Summarise(a, m)
		r.Summary = sum.Summary
	}
	return e
}

// slower makes one scheduler slower on 6 cores and more, by the overhead.
func slower(r *result.Result) {
	if r.Scheduler != "helpfirst" || r.Cores < 6 {
		return
	}
	for i := range r.Repetitions {
		r.Repetitions[i].TimeNS += r.Repetitions[i].TimeNS / 20
	}
}

func report(t *testing.T, a, b *dataset.Experiment) *compare.Report {
	t.Helper()
	r, err := compare.Of(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func text(t *testing.T, r *compare.Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.View().Text(doc.NewPage(&b, 1000)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func expect(t *testing.T, got string, want ...string) {
	t.Helper()
	words := strings.Join(strings.Fields(got), " ") // whatever the lines are
	for _, w := range want {
		if !strings.Contains(got, w) && !strings.Contains(words, w) {
			t.Errorf("%q is not in\n%s", w, got)
		}
	}
}

func find(t *testing.T, r *compare.Report, scheduler string, cores int,
	quantity string) compare.Comparison {
	t.Helper()
	for _, p := range r.Pairs {
		for _, c := range p.Quantities {
			if p.Scheduler == scheduler && p.Cores == cores && c.Quantity == quantity {
				return c
			}
		}
	}
	t.Fatalf("no %s of %s on %d cores", quantity, scheduler, cores)
	return compare.Comparison{}
}

// A configuration that was disturbed on a side has the mark and the note, and no other has.
func TestDisturbed(t *testing.T) {
	b := changed(slower)
	for i := range b.Cells {
		if r := b.Cells[i].Result; r.Scheduler == "helpfirst" && r.Cores == 6 {
			r.Disturbances = &result.Disturbances{Repetitions: 1}
		}
	}
	r := report(t, datasettest.Small(), b)
	for _, p := range r.Pairs {
		if p.DisturbedA || p.DisturbedB != (p.Scheduler == "helpfirst" && p.Cores == 6) {
			t.Errorf("%s: A %v, B %v", p.Config, p.DisturbedA, p.DisturbedB)
		}
	}
	got := text(t, r)
	expect(t, got, "\nhelpfirst ~          6 ", "\nhelpfirst           12 ", "\n"+brief.DisturbedNote)
	if n := strings.Count(got, "helpfirst ~"); n != strings.Count(got, brief.DisturbedNote) || n == 0 {
		t.Errorf("%d marks\n%s", n, got)
	}
}

func TestGolden(t *testing.T) {
	b := changed(slower)
	b.Cells = slices.DeleteFunc(b.Cells, func(c dataset.Cell) bool {
		return c.Result.Cores == 24 &&
			c.Result.Scheduler == "workfirst"
	})
	b.Name = "after"
	got := text(t, report(t, datasettest.Small(), b))
	path := filepath.Join("testdata", "slower.golden")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; go test -update rewrites it\n%s", path, got)
	}
}

// A change is found, in its direction, and nothing else.
func TestChange(t *testing.T) {
	r := report(t, datasettest.Small(), changed(slower))
	for _, p := range r.Pairs {
		for _, c := range p.Quantities {
			edited := p.Scheduler == "helpfirst" && p.Cores >= 6 &&
				slices.Contains([]string{"time_ns", "speedup", "ovr"}, c.Quantity)
			switch {
			case edited && (c.Verdict != compare.Worse || c.HolmP.Float() < c.P.Float()):
				t.Errorf("%s, %s, %d cores: %+v", c.Quantity, p.Scheduler, p.Cores, c)
			case !edited && c.Verdict != compare.Same:
				t.Errorf("%s, %s, %d cores was not touched: %+v", c.Quantity, p.Scheduler, p.Cores,
					c)
			}
		}
	}
	if r.Tests != 9 || r.Below != 9 || r.Hold != 9 {
		t.Errorf("%d tests, %d below, %d hold; expected 9", r.Tests, r.Below, r.Hold)
	}
	// Eight against eight without overlap: 2 of C(16, 8) = 12870 ways.
	c := find(t, r, "helpfirst", 12, "time_ns")
	if math.Abs(c.P.Float()-2.0/12870) > 1e-12 || math.Abs(c.ChangePercent.Float()-5) > 0.01 {
		t.Errorf("time: %+v", c)
	}
	if back := find(t, report(t, changed(slower), datasettest.Small()), "helpfirst", 12,
		"time_ns"); back.Verdict != compare.Better {
		t.Errorf("the other way round: %+v", back)
	}
}

// Runs that are the same have no difference, and no test is made of them.
func TestSame(t *testing.T) {
	r := report(t, datasettest.Small(), datasettest.Small())
	if r.Tests != 0 || r.Hold != 0 || len(r.Pairs) != 16 {
		t.Errorf("%d tests of %d pairs", r.Tests, len(r.Pairs))
	}
	expect(t, text(t, r), "No test was made: A and B are equal in every value that both have",
		"time: the same in all 16")
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b, []byte("NaN")) {
		t.Error("NaN in JSON")
	}
}

// Three repetitions cannot be tested.
func TestTooFew(t *testing.T) {
	few := changed(func(r *result.Result) {
		slower(r)
		r.Repetitions, r.Serial.Repetitions = r.Repetitions[:3], r.Serial.Repetitions[:3]
	})
	r := report(t, datasettest.Small(), few)
	if c := find(t, r, "helpfirst", 12, "time_ns"); c.Verdict != compare.TooFew || c.P.Known() ||
		!c.ChangePercent.Known() {
		t.Errorf("three repetitions: %+v", c)
	}
	expect(t, text(t, r), "No test was made: there are fewer than 4 repetitions",
		"n = 8 and 3: with fewer than 4 on a side")
}

// Simulated results are not compared with measured ones, nor those of one machine with another's.
func TestNothingInCommon(t *testing.T) {
	for want, edit := range map[string]func(*result.Result){
		"they differ in the substrate: simulated in A, native in B; what is simulated is never compared with what is measured": func(r *result.Result) { r.Substrate = "native" },
		"they differ in the machine: made-4s in A, another in B":                                                               func(r *result.Result) { r.Machine.Name = "another" },
		"they differ in settings: cache model blocks in A, cache model lines in B":                                             func(r *result.Result) { r.Settings.CacheModel = request.CacheLines },
		"they differ in the kernel: matmul in A, other in B":                                                                   func(r *result.Result) { r.Kernel = "other" },
	} {
		b := datasettest.Small()
		for i := range b.Cells {
			edit(b.Cells[i].Result)
		}
		if _, err := compare.Of(datasettest.Small(), b); !errors.Is(err,
			compare.ErrNothingInCommon) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}

// Half of an experiment that is native is listed, and the other half compared.
func TestMixed(t *testing.T) {
	b := datasettest.Small()
	for i := range b.Cells {
		if b.Cells[i].Result.Cores == 1 {
			b.Cells[i].Result.Substrate = "native"
		}
	}
	r := report(t, datasettest.Small(), b)
	if len(r.Pairs) != 12 || len(r.OnlyA) != 4 || len(r.OnlyB) != 4 {
		t.Errorf("%d pairs, %d and %d alone", len(r.Pairs), len(r.OnlyA), len(r.OnlyB))
	}
	expect(t, text(t, r), "only in A: matmul n=512", "only in B: matmul n=512", "native on made-4s")
}

// LLC misses of two sources are two things.
func TestSources(t *testing.T) {
	perf := "perf_event"
	b := datasettest.Small()
	for i := range b.Cells {
		b.Cells[i].Result.LLCSource = &perf
	}
	r := report(t, datasettest.Small(), b)
	if c := find(t, r, "workfirst", 6, "llc_misses_per_core"); c.Verdict != compare.Unmeasured ||
		c.P.Known() || c.A.Median.Known() {
		t.Errorf("misses of the model and of hardware: %+v", c)
	}
	expect(t, text(t, r), "LLC misses of different sources ([model] in A, [perf_event] in B) are "+
		"not compared")
	for i := range b.Cells {
		b.Cells[i].Result.LLCSource = nil
		for j := range b.Cells[i].Result.Repetitions {
			b.Cells[i].Result.Repetitions[j].LLCMissesPerCore = result.Number{}
		}
		b.Cells[i].Result.Summary.LLCMissesPerCore = result.Quantity{}
	}
	expect(t, text(t, report(t, datasettest.Small(), b)),
		"LLC misses per core (model): not measured in B")
}

// Differences of settings, machines and problems are told.
func TestWarnings(t *testing.T) {
	dirs := []string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")}
	var list []*dataset.Experiment
	for i, dir := range dirs {
		if err := datasettest.Write(datasettest.Small(), dir); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			if err := os.RemoveAll(filepath.Join(dir, dataset.CellsDir,
				"0001-matmul-c6")); err != nil {
				t.Fatal(err)
			}
		}
		e, err := dataset.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	for i := range list[1].Cells {
		list[1].Cells[i].Result.Settings.NUMA = request.NUMAInterleave
		list[1].Cells[i].Result.Machine.Model = &result.Model{Hash: "89abcdef01"}
	}
	for i := range list[0].Cells {
		list[0].Cells[i].Result.Machine.Model = &result.Model{Hash: "0123456789"}
	}
	expect(t, text(t, report(t, list[0], list[1])),
		"warning: the simulated machine made-4s is not the same in A and B: its numbers differ (hash 01234567 in A, 89abcdef in B) (12 times)",
		"warning: the setting numa differs: node0 in A, interleave in B (12 times)",
		"warning: B: cell 0001-matmul-c6 missing: it has not been run", "only in A: matmul n=512")
}

// Where so many tests are made of so few repetitions that nothing can hold after the correction,
// that is said, and otherwise not.
func TestNothingCanHold(t *testing.T) {
	first := func(n int, slow int64) *dataset.Experiment {
		return changed(func(r *result.Result) {
			r.Repetitions, r.Serial.Repetitions = r.Repetitions[:n], r.Serial.Repetitions[:n]
			for i := range r.Repetitions {
				r.Repetitions[i].TimeNS *= slow
			}
		})
	}
	few := report(t, first(4, 1), first(4, 2)) // 4 and 4: 2 / 70
	if got := text(t, few); few.Hold != 0 || !strings.Contains(got, "no change can be significant "+
		"here: 4 and 4 repetitions have a p of at least 0.029") {
		t.Errorf("%d hold\n%s", few.Hold, got)
	}
	enough := report(t, first(8, 1), first(8, 2))
	if got := text(t, enough); enough.Hold == 0 || strings.Contains(got, "no change can be "+
		"significant") {
		t.Errorf("%d hold\n%s", enough.Hold, got)
	}
}
