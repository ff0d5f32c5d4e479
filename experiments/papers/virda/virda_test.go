package virda

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/goprogram"
	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/study"
	"krdlab/experiments/sweep"
	"krdlab/hw"
	"krdlab/krd"
	"krdlab/krd/analysis/components"
	"krdlab/krd/doc"
	"krdlab/loi/front/corpus"
)

// TestMain links programs by package corpus.
func TestMain(m *testing.M) {
	if err := corpus.Linking(); err != nil {
		panic(err)
	}
	m.Run()
}

// The whole way on tiny programs, interrupted once and gone on with: no step is done twice, and the
// tables have the paper's numbers.
func TestSmoke(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("Go programs are traced on linux/amd64")
	}
	host, err := hw.Host()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "v")
	f, created, err := Study.Open(dir, study.Smoke)
	if err != nil || !created {
		t.Fatalf("created %v, %v", created, err)
	}
	var done []string
	ctx, cancel := context.WithCancel(t.Context())
	err = f.Run(ctx, sweep.Options{Host: host, Argv: []string{"krdlab"}}, func(n, all int, next string) {
		if done = append(done, next); len(done) == 6 { // a traced step
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, expected that of the interrupt", err)
	}
	if n, _ := f.Done(); n != 5 {
		t.Fatalf("%d steps are done, expected 5", n)
	}
	if _, err := outcomeOf(f); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the result of some steps: %v", err)
	}
	if f, created, err = Study.Open(dir, study.Smoke); err != nil || created {
		t.Fatalf("created %v, %v", created, err)
	}
	done = done[:5] // the sixth was not finished
	err = f.Run(t.Context(), sweep.Options{Host: host, Argv: []string{"krdlab"}},
		func(_, _ int, next string) { done = append(done, next) })
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, s := range f.Steps {
		want = append(want, s.Name)
	}
	if !slices.Equal(done, want) {
		t.Errorf("done: %q, expected each step once: %q", done, want)
	}
	r, err := outcomeOf(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Write(r); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := r.View().Text(doc.NewPage(&text, 0)); err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(text.String())
	for _, number := range []string{"6.00", "1.70", "3.00", "91.7", "97.7", "94.4", "mostly",
		"transform_internal", "matmult", "execute"} {
		if !slices.Contains(words, number) {
			t.Errorf("the text has no %s:\n%s", number, &text)
		}
	}
	for _, name := range []string{study.ReportText, study.ReportHTML, study.ResultJSON, "predictions.csv", "causes.csv",
		"interchange.csv", "misses.csv", "table2.csv", "simulated.csv", "figures/misses.svg",
		"figures/interchange.svg", "figures/fft-1024.svg"} {
		if x, err := os.Stat(filepath.Join(dir, name)); err != nil || x.Size() < 50 {
			t.Errorf("%s: %v", name, err)
		}
	}
	checkJSON(t, r)
	checkUpdates(t, f)
	// A step's file that is cut off is an error with its name.
	if err := os.WriteFile(f.Path(want[0]), []byte(`{"operations":`), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := outcomeOf(f); !errors.Is(err, study.ErrStep) || !strings.Contains(err.Error(), want[0]) {
		t.Errorf("error %v, expected %v", err, study.ErrStep)
	}
}

// checkUpdates checks that FFT's updates, of transform and normalise, are a load and a store more
// where they are to be, at distance 0 the one of the other.
func checkUpdates(t *testing.T, f *study.Folder) {
	t.Helper()
	const n, log = 512, 9 // of the small inputs
	one, err := traced(f, tracedName("fft", original, n, goprogram.Data))
	if err != nil {
		t.Fatal(err)
	}
	two, err := traced(f, apartName("fft", n))
	if err != nil {
		t.Fatal(err)
	}
	const updates = 2*2*n/2*log + 2*n
	if two.Accesses-one.Accesses != updates || two.KRD.Histogram.Bins[0].Count-one.KRD.Histogram.Bins[0].Count != updates {
		t.Errorf("%d and %d accesses, expected %d more, all at distance 0", one.Accesses, two.Accesses, updates)
	}
	for _, loops := range []string{original, interchanged} {
		m, err := cached(f, "fft", loops, n)
		if err != nil {
			t.Fatal(err)
		}
		if one := two.Accesses; m.Operations <= one || m.Misses[1] < 2*16*n/lineBytes {
			t.Errorf("%s: %+v, expected more than %d operations, and the lines of two arrays", loops, m, one)
		}
	}
}

// checkJSON checks the paper's numbers in the document.
func checkJSON(t *testing.T, r *study.Outcome) {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Predictions []struct {
			Kernel     string
			PaperError float64 `json:"paper_error_percent"`
			Error      float64 `json:"error_percent"`
			Shifts     string  `json:"paper_shifts"`
		}
		Causes []struct {
			Share float64
		}
		Simulated []any
		Claims    []any
		Judged    int
		Misses    []any
		Table2    []struct{ Size *string }
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	if d.Judged != 0 || len(d.Claims) < 15 || len(d.Misses) != 1 || len(d.Table2) != 8 ||
		*d.Table2[1].Size != "32" || d.Table2[4].Size != nil {
		t.Errorf("%s", text)
	}
	if len(d.Predictions) != 4 || len(d.Causes) != 6 || len(d.Simulated) != 8 {
		t.Fatalf("%d predictions, %d causes, %d simulated", len(d.Predictions), len(d.Causes),
			len(d.Simulated))
	}
	for i, want := range []float64{6, 1.7, 1.7, 3} {
		if p := d.Predictions[i]; p.PaperError != want || p.Error <= 0 {
			t.Errorf("%+v, expected %v", p, want)
		}
	}
	if d.Predictions[1].Shifts != "fixed +1 +2" {
		t.Errorf("%+v", d.Predictions[1])
	}
	for _, c := range d.Causes {
		if c.Share <= 0 || c.Share > 1 {
			t.Errorf("a share of %v", c.Share)
		}
	}
}

// A folder of something else, or of another scale, is not taken.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	if _, created, err := Study.Open(dir, study.Smoke); err != nil || !created {
		t.Fatalf("an empty folder: created %v, %v", created, err)
	}
	if _, _, err := Study.Open(dir, study.Quick); !errors.Is(err, study.ErrFolder) {
		t.Errorf("another scale: %v", err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "mine"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Study.Open(other, study.Smoke); !errors.Is(err, study.ErrFolder) {
		t.Errorf("a folder of something else: %v", err)
	}
}

// Without the go command the error names it.
func TestNoToolchain(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	host, err := hw.Host()
	if err != nil {
		t.Fatal(err)
	}
	f, _, err := Study.Open(t.TempDir(), study.Smoke)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Run(t.Context(), sweep.Options{Host: host}, func(int, int, string) {}); !errors.Is(err, study.ErrToolchain) {
		t.Errorf("error %v, expected %v", err, study.ErrToolchain)
	}
}

// Steps have names of their own at each scale, and sizes of the inputs that components are found in
// double, so that shifts are whole.
func TestPlan(t *testing.T) {
	for _, scale := range study.Scales {
		seen := map[string]bool{}
		for _, s := range plan(scale) {
			if seen[s.Name] {
				t.Errorf("%s: %s twice", scale, s.Name)
			}
			seen[s.Name] = true
		}
		for name, in := range sizes(scale).of {
			if len(in.small) != 2 || in.small[1] != 2*in.small[0] || len(in.targets) == 0 {
				t.Errorf("%s: %s has %+v", scale, name, in)
			}
		}
	}
	if n := len(sizes(study.Quick).of["lu"].targets); n != 1 {
		t.Errorf("scale quick has %d targets: that of paper changes it", n)
	}
}

// A judgement sees what disagrees: a function with another share, none that moves so.
func TestCause(t *testing.T) {
	one, zero := 1.0, 0.0
	list := []components.Moved{{Component: components.Component{FromBin: 3, ToBin: 4}, Shift: &zero},
		{Component: components.Component{FromBin: 10, ToBin: 11}, Shift: &one}}
	part := func(name string, from, count uint64) goprogram.Part {
		return goprogram.Part{Name: name, Bins: []krd.Bin{{FromBytes: 4, Count: 1000},
			{FromBytes: from, ToBytes: 2 * from, Count: count}}}
	}
	d := &goprogram.Document{Parts: krd.Parts{Functions: []goprogram.Part{part("f", 512, 80),
		part("g", 1024, 20)}}}
	for _, c := range []struct {
		cause
		want claims.Verdict
		all  float64
	}{
		{cause{"second", 1, "f", "f", 0.88, ""}, claims.Agree, 0.8},
		{cause{"second", 1, "f", "f", 0.89, ""}, claims.Disagree, 0.8},
		{cause{"second", 1, "g", "g", 0, mostly}, claims.Disagree, 0.2},
		{cause{"second", 1, "f", "f", 0, mostly}, claims.Agree, 0.8},
		{cause{"second", 1, "f", "f", 0, fromIt}, claims.Disagree, 0.8},
		{cause{"third", 2, "f", "f", 0.8, ""}, claims.Disagree, 0},
	} {
		r := &result{Outcome: &study.Outcome{}}
		x := r.table("causes", "", 0)
		r.cause(x, &program{kernel: "k"}, &c.cause, list, d, d, 0)
		row := x.Rows[0]
		share := 0.0
		if n, ok := row[7].(doc.Number); ok {
			share = n.Float()
		}
		if row[8] != string(c.want) || share != c.all || r.Claims[0].Verdict != c.want {
			t.Errorf("%+v: %v, %v", c, row, r.Claims)
		}
	}
}

// Shifts agree in both ways to count updates, in one, or in none.
func TestShifts(t *testing.T) {
	fft, sparse := &programs[0], &programs[2]
	for _, c := range []struct {
		p        *program
		one, two []float64
		want     claims.Verdict
	}{
		{fft, []float64{0, 0, 1}, []float64{0, 0, 1}, claims.Agree},
		{fft, []float64{0, 1}, []float64{0, 0, 1}, claims.Depends},
		{fft, []float64{0, 0, 1}, []float64{0, 0, 0, 1}, claims.Depends},
		{fft, []float64{0, 1}, []float64{0, 1}, claims.Disagree},
		{sparse, []float64{0, 1}, nil, claims.Agree},
		{sparse, []float64{0, 0, 1}, nil, claims.Disagree},
	} {
		r := &result{Outcome: &study.Outcome{}}
		if v := r.shifts(c.p, "", c.one, c.two); v != string(c.want) || r.Claims[0].Verdict != c.want {
			t.Errorf("%v and %v: %s, expected %s", c.one, c.two, v, c.want)
		}
	}
}
