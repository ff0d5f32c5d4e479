package correlate_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"krdlab/experiments/read/correlate"
	"krdlab/experiments/run/brief"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/experiments/test/datasettest"
	"krdlab/kernels/kernel"
	"krdlab/krd/doc"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// small is the report of the made experiment, which no test changes.
var small = sync.OnceValue(func() *correlate.Report { return correlate.Of(datasettest.Small()) })

func text(t *testing.T, r *correlate.Report, full bool) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.View(full).Text(doc.NewPage(&b, 1000)); err != nil {
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

func TestGolden(t *testing.T) {
	for name, all := range map[string]bool{"small": false, "small-all": true} {
		got := text(t, small(), all)
		path := filepath.Join("testdata", name+".golden")
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
}

// cells keeps those of the made experiment that f selects, each with a result of its own to change.
func cells(f func(*result.Result) bool) *dataset.Experiment {
	e := datasettest.Small()
	e.Cells = slices.DeleteFunc(e.Cells, func(c dataset.Cell) bool { return !f(c.Result) })
	return e
}

func find(t *testing.T, f *correlate.Family, kind correlate.Kind,
	o correlate.Outcome) *correlate.Association {
	t.Helper()
	for i := range f.Scopes {
		for j := range f.Scopes[i].Associations {
			if a := &f.Scopes[i].Associations[j]; f.Scopes[i].Kind == kind && a.Outcome == o {
				return a
			}
		}
	}
	t.Fatalf("no %s of %s", o, kind)
	return nil
}

func of(t *testing.T, a *correlate.Association, point string) correlate.Coefficients {
	t.Helper()
	for _, c := range a.Coefficients {
		if c.Point == point {
			return c
		}
	}
	t.Fatalf("no coefficients of %q", point)
	return correlate.Coefficients{}
}

// The order of the cells is nothing that can be seen.
// A configuration that was disturbed has the mark and the note in the tables, and counts in the
// answer.
func TestDisturbed(t *testing.T) {
	e := datasettest.Small()
	for i := range e.Cells {
		if r := e.Cells[i].Result; r.Scheduler == "helpfirst" && r.Cores == 6 {
			r.Disturbances = &result.Disturbances{Serial: 1}
		}
	}
	expect(t, text(t, correlate.Of(e), true), "\nhelpfirst ~          6 ", "\nhelpfirst           12 ",
		"\n"+brief.DisturbedNote+"\n")
	expect(t, strings.Join(strings.Fields(text(t, correlate.Of(e), false)), " "),
		"serial run: 1 of 16 configurations")
	if got := text(t, small(), true); strings.Contains(got, brief.DisturbedMark+" ") {
		t.Errorf("a mark without a disturbed configuration:\n%s", got)
	}
}

func TestOrder(t *testing.T) {
	want, err := json.Marshal(small())
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for range 2 {
		e := datasettest.Small()
		rng.Shuffle(len(e.Cells), func(i, j int) {
			e.Cells[i], e.Cells[j] = e.Cells[j],
				e.Cells[i]
		})
		got, err := json.Marshal(correlate.Of(e))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatal("another order of the cells gives another report")
		}
	}
}

// n counts configurations: seeds and repetitions measure the same again.
func TestWhatNIs(t *testing.T) {
	e := datasettest.Small()
	for _, c := range datasettest.Small().Cells {
		c.Result.Seed = 2
		e.Cells = append(e.Cells, c)
	}
	f := &correlate.Of(e).Families[0]
	if a := find(t, f, correlate.AllConfigurations, correlate.WTI); a.N != 16 || a.Units != 16 ||
		a.PMethod != correlate.PStudent {
		t.Errorf("two seeds of 16 configurations: n = %d, %d units, p by %q", a.N, a.Units,
			a.PMethod)
	}
	if c := f.Configurations[0]; c.TimeNS.N != 2*datasettest.Reps || len(c.Seeds) != 2 ||
		c.Shares[0].N != 2*datasettest.Reps {
		t.Errorf("a configuration of two seeds: %+v", c)
	}
	if a := find(t, f, correlate.Pooled, correlate.WTI); a.N != 4 || a.Units != 4 ||
		a.PMethod != correlate.PExact {
		t.Errorf("means over schedulers: n = %d, %d units, p by %q", a.N, a.Units, a.PMethod)
	}
	if a := find(t, f, correlate.EqualCores, correlate.WTI); a.N != 12 || a.Units != 3 {
		t.Errorf("at equal cores n = %d in %d strata; one core is left out", a.N, a.Units)
	}
	if a := find(t, f, correlate.WithinConfigurations, correlate.WTI); a.N != 32*datasettest.Reps ||
		a.Units != 16 {
		t.Errorf("repetitions: n = %d in %d", a.N, a.Units)
	}
}

// Sizes are pooled, and looked at one by one; other parameters, kernels, machines and substrates
// never are.
func TestFamilies(t *testing.T) {
	e := datasettest.Small()
	for _, change := range []func(*result.Result){
		func(r *result.Result) { r.Params = with(r.Params, "n", 1024) },
		func(r *result.Result) { r.Params = with(r.Params, "leaf", "64x64x64") },
		func(r *result.Result) { r.Substrate = "native" },
		func(r *result.Result) { r.Machine.Name = "another" },
		func(r *result.Result) { r.Settings.CacheModel = request.CacheLines },
	} {
		for _, c := range datasettest.Small().Cells {
			change(c.Result)
			e.Cells = append(e.Cells, c)
		}
	}
	e.Cells = slices.DeleteFunc(e.Cells, func(c dataset.Cell) bool { return c.Result.Cores > 6 })
	r := correlate.Of(e)
	if len(r.Families) != 5 {
		t.Fatalf("%d families, expected 5", len(r.Families))
	}
	for _, f := range r.Families {
		sizes := 0
		for _, s := range f.Scopes {
			if s.Kind == correlate.OneSize {
				sizes++
			}
		}
		if n := len(f.Configurations); n != 8 && (n != 16 || sizes != 2) {
			t.Errorf("%s: %d configurations, %d sizes", &f, n, sizes)
		}
	}
	var b bytes.Buffer
	if err := r.View(true).Text(doc.NewPage(&b, 1000)); err != nil {
		t.Fatal(err)
	}
	expect(t, b.String(), "nothing is pooled across them")
}

func with(p kernel.Params, name string, v any) kernel.Params {
	out := kernel.Params{}
	for k, x := range p {
		out[k] = x
	}
	out[name] = v
	return out
}

// Misses of the model and of hardware are two outcomes.
func TestSources(t *testing.T) {
	e := datasettest.Small()
	perf := "perf_event"
	for i := range e.Cells {
		if i%2 == 0 {
			e.Cells[i].Result.LLCSource = &perf
		}
	}
	f := &correlate.Of(e).Families[0]
	seen := map[string]int{}
	for _, a := range f.Scopes[0].Associations {
		if a.Outcome == correlate.MissesPerCore {
			seen[*a.LLCSource] = a.N
		} else if a.Outcome == correlate.WTI && (a.LLCSource != nil || a.N != 16) {
			t.Errorf("WTI from %v, n = %d", a.LLCSource, a.N)
		}
	}
	if seen["model"] != 8 || seen[perf] != 8 {
		t.Errorf("pairs by source: %v, expected 8 each", seen)
	}
	expect(t, text(t, correlate.Of(e), true), "LLC misses are of several sources",
		"LLC misses per core (perf_event)", "LLC misses per core (model)")

	// Seeds of one configuration that have them from elsewhere leave it without.
	e = datasettest.Small()
	for _, c := range datasettest.Small().Cells {
		c.Result.LLCSource, c.Result.Seed = &perf, 2
		e.Cells = append(e.Cells, c)
	}
	if c := correlate.Of(e).Families[0].Configurations[0]; c.LLCMissesPerCore.N != 0 ||
		c.LLCSource != nil {
		t.Errorf("misses of two sources were pooled: %+v from %v", c.LLCMissesPerCore, *c.LLCSource)
	}
}

// Four schedulers alone cannot be significant.
func TestFourSchedulers(t *testing.T) {
	e := cells(func(r *result.Result) bool { return r.Cores == 12 })
	f := &correlate.Of(e).Families[0]
	a := find(t, f, correlate.AllConfigurations, correlate.MissesPerAccess)
	if a.N != 4 || a.PMethod != correlate.PExact || a.SmallestP.Float() < 0.083 ||
		a.SmallestP.Float() > 0.084 {
		t.Errorf("n = %d, p by %s, smallest %v", a.N, a.PMethod, a.SmallestP)
	}
	c := of(t, a, stats.Far.Name).Spearman
	if c.Value.Float() != 1 || c.P.Float() < 0.083 || c.Low.Known() {
		t.Errorf("far reuses order the four as misses do: %+v", c)
	}
	if a.BestSpearman == nil || a.BestSpearman.Share.Known() || len(a.BestSpearman.Points) < 2 {
		t.Errorf("best of four: %+v", a.BestSpearman)
	}
	expect(t, text(t, correlate.Of(e), true), "n = 4 is too small: the smallest two-sided p that Spearman's "+
		"coefficient can have is 0.083", "a tie with",
		"no resampling: too few")
}

// A single cell has nothing to be set against but its repetitions.
func TestSingleCell(t *testing.T) {
	e := cells(func(r *result.Result) bool {
		return r.Cores == 12 &&
			r.Scheduler == "workfirst"
	})
	got := text(t, correlate.Of(e), true)
	expect(t, got, "there is only one configuration", "repetitions of one configuration")
	if strings.Contains(got, "all configurations") {
		t.Errorf("a scope of one configuration:\n%s", got)
	}
}

// A constant has no coefficient: not 0, and not NaN.
func TestConstant(t *testing.T) {
	e := datasettest.Small()
	for i := range e.Cells {
		r := e.Cells[i].Result
		for j := range r.Repetitions {
			h := *r.Repetitions[j].KRD
			h.Cold = 0
			r.Repetitions[j].KRD = &h
		}
	}
	r := correlate.Of(e)
	c := of(t, find(t, &r.Families[0], correlate.AllConfigurations, correlate.WTI), stats.Cold.Name)
	if c.Pearson.Value.Known() || c.Spearman.Value.Known() || c.Pearson.P.Known() ||
		!strings.Contains(c.Pearson.Why, "the same everywhere") {
		t.Errorf("a constant share: %+v", c)
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b, []byte("NaN")) {
		t.Error("NaN in JSON")
	}
	expect(t, text(t, correlate.Of(e), true), "not defined [1]", "[1] this share is the same everywhere")
}

// Native runs trace one repetition beside the timed ones: its KRD stands for the configuration,
// without an interval.
func TestOneTracedRepetition(t *testing.T) {
	e := datasettest.Small()
	for i := range e.Cells {
		for j := range e.Cells[i].Result.Repetitions {
			e.Cells[i].Result.Repetitions[j].KRD = nil
		}
	}
	r := correlate.Of(e)
	f := &r.Families[0]
	if q := f.Configurations[5].Shares[0]; q.N != 1 || q.Low.Known() || !q.Median.Known() {
		t.Errorf("share of one traced repetition: %+v", q)
	}
	if a := find(t, f, correlate.AllConfigurations, correlate.WTI); a.N != 16 ||
		!of(t, a, stats.Cold.Name).Pearson.Value.Known() {
		t.Errorf("n = %d", a.N)
	}
	if a := find(t, f, correlate.WithinConfigurations, correlate.WTI); a.N != 0 ||
		len(a.Coefficients) != 0 {
		t.Errorf("repetitions without a KRD of their own: n = %d", a.N)
	}
	expect(t, text(t, correlate.Of(e), true), "16 of 16 configurations have one traced repetition only",
		"[1] too few pairs")

	for i := range e.Cells {
		e.Cells[i].Result.KRD = nil
	}
	expect(t, text(t, correlate.Of(e), true), "16 of 16 configurations have no KRD", "n = 0 is too small")
}

// Repetitions that are all the same are no evidence.
func TestDeterministic(t *testing.T) {
	e := datasettest.Small()
	for i := range e.Cells {
		r := e.Cells[i].Result
		if r.Cores != 1 {
			continue
		}
		for j := range r.Repetitions {
			r.Repetitions[j], r.Serial.Repetitions[j] = r.Repetitions[0], r.Serial.Repetitions[0]
		}
	}
	a := find(t, &correlate.Of(e).Families[0], correlate.WithinConfigurations, correlate.WTI)
	if a.Units != 12 || a.N != 12*datasettest.Reps || !reflect.DeepEqual(a.Findings,
		[]doc.Finding{doc.Find("constant_units_left_out", 4)}) || len(a.Notes) != 1 {
		t.Errorf("%d units, n = %d, %v, notes %q", a.Units, a.N, a.Findings, a.Notes)
	}
}

// Cells that failed are told, and the good ones are used.
func TestProblems(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "exp")
	if err := datasettest.Write(datasettest.Small(), dir); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, dataset.CellsDir, "0001-matmul-c6")); err != nil {
		t.Fatal(err)
	}
	e, err := dataset.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, text(t, correlate.Of(e), true), "n = 12 pairs",
		"warning: cell 0001-matmul-c6 missing: it has not been run")
}

// The best point has its share of the resamples, and all shares add up to 1.
func TestBest(t *testing.T) {
	a := find(t, &small().Families[0], correlate.AllConfigurations,
		correlate.WTI)
	for _, b := range []*correlate.Best{a.BestPearson, a.BestSpearman} {
		sum := b.Share.Float()
		for i := range b.Rivals {
			r := &b.Rivals[i]
			sum += r.Share.Float()
			if v := r.Value.Float(); v > b.Value.Float() || v < -b.Value.Float() {
				t.Errorf("%s (%v) is better than the best, %v", r.Point, v, b.Value)
			}
			if r.Distinguishable() && r.BehindHigh.Float() < r.BehindLow.Float() {
				t.Errorf("interval %v to %v", r.BehindLow, r.BehindHigh)
			}
		}
		if sum < 1-1e-9 || sum > 1+1e-9 {
			t.Errorf("shares of resamples add up to %v", sum)
		}
		if len(b.Points) != 1 || b.Points[0] != stats.Cold.Name {
			t.Errorf("best are %v; cold accesses grow with the nodes, as WTI does with the cores",
				b.Points)
		}
	}
}

func TestCSV(t *testing.T) {
	r := small()
	for _, write := range []func(*bytes.Buffer) error{
		func(b *bytes.Buffer) error { return r.Table(correlate.CellsTable).CSV(b) },
		func(b *bytes.Buffer) error { return r.Table(correlate.CoefficientsTable).CSV(b) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		f := r.Families[0]
		want := 1 + len(f.Configurations)*(8+len(f.Points))
		if rows[0][5] == "scope_kind" {
			want = 1
			for _, s := range f.Scopes {
				for _, a := range s.Associations {
					want += 2 * len(a.Coefficients)
				}
			}
		}
		if len(rows) != want {
			t.Errorf("%d rows, expected %d: %q", len(rows), want, rows[0])
		}
	}
}
