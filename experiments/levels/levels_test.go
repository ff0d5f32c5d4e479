package levels

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/dataset"
	"krdlab/experiments/request"
	"krdlab/experiments/result"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/krd"
	"krdlab/krd/doc"
	"krdlab/loi"
)

var names = []string{"workfirst", "helpfirst", "shepherd-core", "shepherd-socket"}

const accesses = 1 << 40 // so many that shares are nearly as drawn

// made is an experiment of so many settings under all of names, in which a scheduler decides the
// two shares as much as the setting does; wti and misses follow from them.
func made(settings int, wti, misses func(l2, llc float64, rng *rand.Rand) float64) (
	e *dataset.Experiment) {
	rng := rand.New(rand.NewPCG(7, 7))
	e = &dataset.Experiment{Name: "made"}
	for i := range settings {
		for _, name := range names {
			llc := 0.4 * rng.Float64()
			l2 := llc + 0.5*rng.Float64()
			e.Cells = append(e.Cells, cell(name, fmt.Sprint(100+i), 12, l2, llc,
				wti(l2, llc, rng), misses(l2, llc, rng)))
		}
	}
	return e
}

// cell is a configuration with shares beyond L2 and LLC.
func cell(scheduler, n string, cores int, l2, llc, wti, misses float64) dataset.Cell {
	histogram := func(close, near, far float64) *krd.Histogram {
		of := func(v float64) *uint64 {
			n := uint64(v * accesses)
			return &n
		}
		bytes := uint64(64 * accesses)
		return &krd.Histogram{Accesses: accesses, AccessCount: accesses, Close: of(close),
			Near: of(near), Far: of(far), Bytes: &bytes, BeyondL2Bytes: of(64 * (near + far)),
			BeyondBytes: of(64 * far)}
	}
	source := "model"
	r := &result.Result{Kernel: "matmul", Params: kernel.Params{"n": n}, Scheduler: scheduler,
		Cores: cores, Substrate: loi.Simulated, LLCSource: &source,
		LLCModel: &result.LLCModel{CacheModel: request.CacheBlocks}}
	r.Machine.Name, r.Machine.LineBytes = "made-4s", 64
	r.Settings.CacheModel = request.CacheBlocks
	r.Serial.WorkNS = result.Some(accesses * 2 * workOf(n)) // a line each
	r.Summary.WTI.Median = result.Some(wti)
	r.Summary.LLCMissesPerCore.Median = result.Some(misses * accesses / float64(cores))
	r.Repetitions = []result.Repetition{{KRD: histogram(0.1, 0.9-llc, llc),
		KRDCores: histogram(1-l2, l2, 0)}}
	return dataset.Cell{ID: scheduler + n, Result: r}
}

// workOf makes half of the settings work a quarter as long for a line as the others.
func workOf(n string) float64 {
	if strings.HasSuffix(n, "0") || strings.HasSuffix(n, "2") || strings.HasSuffix(n, "4") {
		return 1
	}
	return 4
}

func find(t *testing.T, r *Report, c Comparison, o Outcome) *Scope {
	t.Helper()
	return findIn(t, r, c, o, Shares)
}

func findIn(t *testing.T, r *Report, c Comparison, o Outcome, u Unit) *Scope {
	t.Helper()
	if len(r.Groups) != 1 {
		t.Fatalf("%d groups", len(r.Groups))
	}
	for i := range r.Groups[0].Scopes {
		if s := &r.Groups[0].Scopes[i]; s.Comparison == c && s.Outcome == o &&
			s.Unit == u {
			return s
		}
	}
	t.Fatalf("no %s of %s", c, o)
	return nil
}

// Where both levels have a price each, both are found, their slopes are the prices, and each
// scheduler left out is predicted; where the LLC alone decides, the L2 adds nothing; where chance
// does, nothing is predicted.
func TestPlantedPrices(t *testing.T) {
	noise := func(rng *rand.Rand) float64 { return 0.002 * rng.NormFloat64() }
	e := made(60, func(l2, llc float64, rng *rand.Rand) float64 {
		return 1 + 0.2*l2 + 0.3*llc + noise(rng)
	}, func(_, llc float64, rng *rand.Rand) float64 { return 0.9*llc + noise(rng) })
	r, err := Of([]*dataset.Experiment{e}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, comparison := range []Comparison{Values, Between} {
		s := find(t, r, comparison, WTI)
		both := s.Fits[2]
		if s.N != 240 || s.Settings != 60 || both.HeldOut.Low.Float() < 0.98 ||
			math.Abs(both.L2.Float()-0.2) > 0.005 || math.Abs(both.LLC.Float()-0.3) > 0.005 {
			t.Errorf("%s: %+v", comparison, s)
		}
		for k := range 2 {
			if s.Fits[k].HeldOut.High.Float() > 0.97 {
				t.Errorf("%s: %s alone predicts %v", comparison, s.Fits[k].Predictors, s.Fits[k])
			}
		}
		if s.Gain.Low.Float() < 0.05 || !strings.Contains(s.String(), "both levels are needed, ") {
			t.Errorf("%s: gain %v: %s", comparison, s.Gain, s)
		}
		for _, l := range both.Left {
			if l.R2.Float() < 0.97 || l.RMSE.Float() > 0.004 {
				t.Errorf("%s: left out %+v", comparison, l)
			}
		}
		m := find(t, r, comparison, Misses)
		if m.Fits[1].HeldOut.Low.Float() < 0.98 || m.Gain.Value.Float() > 0.001 ||
			math.Abs(m.Fits[1].LLC.Float()-0.9) > 0.01 ||
			!strings.Contains(m.String(), "is not shown") {
			t.Errorf("%s: misses %+v", comparison, m)
		}
	}
	if v := find(t, r, Values, WTI).Fits[2].Intercept.Float(); math.Abs(v-1) > 0.005 {
		t.Errorf("the intercept is %v, planted is 1", v)
	}

	chance := func(_, _ float64, rng *rand.Rand) float64 { return 1 + 0.1*rng.Float64() }
	if r, err = Of([]*dataset.Experiment{made(60, chance, chance)}, nil); err != nil {
		t.Fatal(err)
	}
	for _, comparison := range []Comparison{Values, Between} {
		if s := find(t, r, comparison, WTI); s.Fits[2].HeldOut.Value.Float() > 0.02 ||
			s.Gain.Low.Float() > 0 {
			t.Errorf("%s: chance is predicted: %+v", comparison, s)
		}
	}
}

// Where a line beyond a level costs the same time whatever the kernels do, shares cannot tell, and
// lines by the serial work can; slopes are ns.
func TestPricesOfLines(t *testing.T) {
	e := made(40, func(_, _ float64, _ *rand.Rand) float64 { return 1 },
		func(_, _ float64, _ *rand.Rand) float64 { return 0 })
	for i := range e.Cells {
		r := e.Cells[i].Result
		l, ok := krd.LevelsOf(r.Repetitions[0].KRDCores, r.Repetitions[0].KRD)
		if !ok {
			t.Fatal("no levels")
		}
		work := 2 * workOf(r.Params["n"].(string))
		r.Summary.WTI.Median = result.Some(1 + (0.5*(1-l.L2)+3*l.Beyond)/work)
	}
	r, err := Of([]*dataset.Experiment{e}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, comparison := range []Comparison{Values, Between} {
		shares, lines := find(t, r, comparison, WTI), findIn(t, r, comparison, WTI, Lines)
		both := lines.Fits[2]
		if shares.Fits[2].HeldOut.High.Float() > 0.9 || both.HeldOut.Low.Float() < 0.999 ||
			math.Abs(both.L2.Float()-0.5) > 1e-3 || math.Abs(both.LLC.Float()-3) > 1e-3 {
			t.Errorf("%s: shares %+v, lines %+v", comparison, shares.Fits[2], both)
		}
	}
}

// naive is the held-out R2 by both predictors of values, from lists and Gaussian elimination.
func naive(list []Configuration, schedulers []string) float64 {
	residual, total := 0.0, 0.0
	for _, left := range schedulers {
		var a [3][4]float64
		n, sum := 0.0, 0.0
		for _, c := range list {
			if c.Scheduler == left {
				continue
			}
			row := [4]float64{1, c.BeyondL2.Float(), c.BeyondLLC.Float(), c.WTI.Float()}
			for i := range 3 {
				for j := range row {
					a[i][j] += row[i] * row[j]
				}
			}
			n, sum = n+1, sum+c.WTI.Float()
		}
		for i := range 3 {
			for j := range 3 {
				if f := a[j][i] / a[i][i]; j != i {
					for k := range a[j] {
						a[j][k] -= f * a[i][k]
					}
				}
			}
		}
		for _, c := range list {
			if c.Scheduler == left {
				y := c.WTI.Float()
				p := a[0][3]/a[0][0] + a[1][3]/a[1][1]*c.BeyondL2.Float() +
					a[2][3]/a[2][2]*c.BeyondLLC.Float()
				residual += (y - p) * (y - p)
				total += (y - sum/n) * (y - sum/n)
			}
		}
	}
	return 1 - residual/total
}

func TestHeldOutAgainstNaive(t *testing.T) {
	e := made(30, func(l2, llc float64, rng *rand.Rand) float64 {
		return 1 + 0.2*l2 + 0.3*llc + 0.1*rng.Float64()
	}, func(_, llc float64, _ *rand.Rand) float64 { return llc })
	e.Cells = e.Cells[:len(e.Cells)-3] // a setting with one scheduler
	r, err := Of([]*dataset.Experiment{e}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := find(t, r, Values, WTI)
	got, want := s.Fits[2].HeldOut.Value.Float(), naive(r.Groups[0].Configurations, names)
	if math.Abs(got-want) > 1e-9 || want < 0.1 || want > 0.95 {
		t.Errorf("held-out R2 %v, want %v", got, want)
	}
	if b := find(t, r, Between, WTI); s.N != 117 || b.N != 116 || b.Settings != 29 {
		t.Errorf("n %d, between schedulers %d of %d settings; the setting with one is alone", s.N,
			b.N, b.Settings)
	}
}

// What has no levels, or is on one core, is counted; what may not be pooled is not; and schedulers
// can be left out.
func TestWhatIsUsed(t *testing.T) {
	value := func(l2, llc float64, _ *rand.Rand) float64 { return 1 + l2 + llc }
	e := made(8, value, value)
	one := cell(names[0], "1", 1, 0.5, 0.2, 1, 1)
	none := cell(names[0], "2", 6, 0.5, 0.2, 1, 1)
	none.Result.Repetitions[0].KRDCores = nil
	other := cell(names[0], "3", 6, 0.5, 0.2, 1, 1)
	other.Result.Settings.CacheModel = request.CacheLines
	e.Cells = append(e.Cells, one, none, other)
	r, err := Of([]*dataset.Experiment{e}, []string{names[1]})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Groups) != 2 || len(r.Groups[0].Configurations) != 24 || r.Groups[0].OneCore != 1 ||
		r.Groups[0].Unknown != 1 || len(r.Groups[1].Configurations) != 1 {
		t.Errorf("groups %+v", r.Groups)
	}
	if why := r.Groups[1].Scopes[0].Why; !strings.Contains(why, "fewer than 3 schedulers") {
		t.Errorf("one configuration has a fit: %q", why)
	}
	var b strings.Builder
	if err := r.View().Text(doc.NewPage(&b, 0)); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"SIMULATED", "nothing is pooled", "left out: helpfirst",
		"1 on one core", "1 without reuse distances of cores"} {
		if !strings.Contains(strings.Join(strings.Fields(b.String()), " "), words) {
			t.Errorf("the text does not say %q:\n%s", words, b.String())
		}
	}
	if strings.Contains(b.String(), "NaN") {
		t.Error("the text has NaN")
	}
	var bad *request.Error
	if _, err := Of([]*dataset.Experiment{e}, []string{"nobody"}); !errors.As(err, &bad) ||
		bad.Flag != "exclude" {
		t.Errorf("a scheduler that is not there: %v", err)
	}
	var missing *MissingError
	e.Cells = []dataset.Cell{one, none}
	if _, err := Of([]*dataset.Experiment{e}, nil); !errors.As(err, &missing) ||
		missing.Configurations != 2 {
		t.Errorf("no levels: %v", err)
	}
}

// A scheduler that is left out takes its twin out of the fit, and of the mean that differences are
// from; a kernel that is left out takes nobody else.
func TestWhatIsLeftOut(t *testing.T) {
	all := append([]string{"helpfirst-locality"}, names...)
	g := Group{}
	for _, k := range []string{"heat", "lu", "sor"} {
		for i, name := range all {
			g.Configurations = append(g.Configurations, Configuration{Kernel: k, Cores: 6,
				Scheduler: name, BeyondL2: result.Some(float64(i)), BeyondLLC: result.Some(0),
				WTI: result.Some(float64(i))})
		}
	}
	for _, test := range []struct {
		by          LeaveOut
		left        string
		train, test int
	}{
		{Schedulers, "helpfirst", 9, 3}, {Schedulers, "helpfirst-locality", 9, 3},
		{Schedulers, "workfirst", 12, 3}, {Kernels, "lu", 10, 5},
	} {
		for _, comparison := range []Comparison{Values, Between} {
			d := g.observations(&Scope{Comparison: comparison, Outcome: WTI, Unit: Shares,
				LeaveOut: test.by, Schedulers: all})
			i := slices.IndexFunc(d.folds, func(f fold) bool { return f.left == test.left })
			if i < 0 {
				t.Fatalf("%s: no fold", test.left)
			}
			train, held := d.folds[i].sum(nil)
			if train.n != float64(test.train) || held.n != float64(test.test) {
				t.Errorf("%s, %s left out: fitted to %v, predicts %v; expected %d and %d",
					comparison, test.left, train.n, held.n, test.train, test.test)
			}
			// the mean of those that helpfirst's fit sees, 1, 3 and 4, is 8/3
			if want := 3 * (2 - 8.0/3); test.left == "helpfirst" && comparison == Between &&
				math.Abs(held.y-want) > 1e-12 {
				t.Errorf("differences of helpfirst sum up to %v, expected %v", held.y, want)
			}
		}
	}
}

// Parameters make no scheduler that a fit to the others has not seen.
func TestTwin(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"helpfirst", "helpfirst-locality"}: true, {"shepherd-core:near=1", "shepherd-core"}: true,
		{"helpfirst", "workfirst"}: false, {"unknown", "unknown"}: true,
	} {
		if twin(pair[0], pair[1]) != want || twin(pair[1], pair[0]) != want {
			t.Errorf("%v: twins %t, expected %t", pair, !want, want)
		}
	}
}

// What a line costs by the file of the paper's machine: latencies over three at a time.
func TestImplied(t *testing.T) {
	m, err := machine.ByName("westmere-ex-4s")
	if err != nil {
		t.Fatal(err)
	}
	got := implied(m)
	for name, v := range map[string][2]float64{"row L2": {got.RowL2, (28 - 10/1.86) / 3},
		"row LLC": {got.RowLLC, 44}, "remote": {got.RowRemote, 64},
		"stream L2": {got.StreamL2, 64/18.0 - 64/20.0}, "stream": {got.StreamLLC, 10 - 64/18.0}} {
		if math.Abs(v[0]-v[1]) > 0.01 {
			t.Errorf("%s: %v ns, expected %v", name, v[0], v[1])
		}
	}
	if implied(nil) != nil {
		t.Error("no machine implies something")
	}
}
