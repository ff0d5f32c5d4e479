package model

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"krdlab/experiments"
	"krdlab/experiments/read/model/regress"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/sweep"
	"krdlab/experiments/test/datasettest"
	"krdlab/hw/machine"
	"krdlab/kernels"
	"krdlab/runtimes"
)

// Each construction holds in each row of a simulated run: in the table of repetitions that a sweep
// writes, with the measures of an experiment beside it.
func TestConstructions(t *testing.T) {
	k, _ := kernels.ByName("matmul")
	m, err := machine.ByName(request.DefaultMachine)
	if err != nil {
		t.Fatal(err)
	}
	topo, err := m.Topology()
	if err != nil {
		t.Fatal(err)
	}
	c := request.New(k)
	c.Machine, c.Cores, c.Reps, c.Warmup, c.Trace = m, 12, 2, 0, request.TraceKRD
	if c.Schedulers, err = request.ParseSchedulers("workfirst,shepherd-core"); err != nil {
		t.Fatal(err)
	}
	c.Params["n"] = 256
	c.Out = filepath.Join(t.TempDir(), "run")
	if _, err := experiments.Run(context.Background(), &c, nil, topo, nil, nil); err != nil {
		t.Fatal(err)
	}
	e, err := dataset.Load(c.Out)
	if err != nil {
		t.Fatal(err)
	}
	table, err := OfExperiments([]*dataset.Experiment{e}, true, "")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := sweep.NewTable(e).CSV(&text); err != nil {
		t.Fatal(err)
	}
	own, err := readCSV(text.Bytes(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range own.Frame.Columns {
		if table.Frame.Column(column.Name) == nil {
			table.Frame.Columns = append(table.Frame.Columns, column)
		}
	}
	for i := range constructions {
		c := &constructions[i]
		if equal, known := c.in(table.Frame); known != 4 || equal != known {
			t.Errorf("%s: in %d of %d rows, expected 4 of 4", c.why, equal, known)
		}
	}
	// one that does not hold is found out
	table.Frame.Column("wti").Numbers[0] *= 1.1
	if equal, _ := constructions[1].in(table.Frame); equal != 3 {
		t.Errorf("%s with a wrong wti: in %d rows, expected 3", constructions[1].why, equal)
	}
}

func TestConstructedOfExperiment(t *testing.T) {
	table, err := OfExperiments([]*dataset.Experiment{datasettest.Small()}, false, "")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(datasettest.Schedulers) * len(datasettest.Cores); table.Frame.N != n {
		t.Errorf("%d rows, expected %d", table.Frame.N, n)
	}
	var e *ConstructedError
	for _, formula := range []string{"speedup ~ ovr + wti", "log(speedup) ~ log(ovr) * log(wti)",
		"core_time ~ ovr:wti", "wti ~ speedup + ovr + cores", "beyond_llc ~ far + cold + cores"} {
		if _, err := Of(table, Options{Formula: formula}); !errors.As(err, &e) || e.Why == "" {
			t.Errorf("%s: %v; expected a relation by construction", formula, err)
		}
	}
	r := of(t, table, Options{Formula: "wti ~ cores + far", Folds: 4,
		LeaveOne: []string{"scheduler"}})
	if math.IsNaN(r.R2.Float()) || r.CV == nil || len(r.LeaveOne) != 1 || r.Experiment == nil {
		t.Errorf("R2 %v, folds %v, left out %v; expected all", r.R2, r.CV, r.LeaveOne)
	}
}

// Schedulers that do nearly the same are left out together: twins of the table, and one scheduler
// with other parameters.
func TestRooted(t *testing.T) {
	twins := 0
	for _, s := range runtimes.Schedulers {
		want := s.Name
		if s.Twin != "" {
			want = s.Twin
			twins++
		}
		for _, name := range []string{s.Name, s.Name + ":near=1"} {
			if got := rooted(name); got != want {
				t.Errorf("%s is left out with %s, want %s", name, got, want)
			}
		}
	}
	if twins == 0 {
		t.Error("the table has no twins")
	}
}

// The cost of a line by the file of the paper's machine: latencies over three at a time.
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
}

// Prices that were planted within groups are found again, predict what is left out, and are worth
// more than one of them alone.
func TestPlanted(t *testing.T) {
	table := &Table{Frame: &regress.Frame{}}
	for i, name := range []string{"y", "a", "b", "s", "g"} {
		if err := table.Frame.Add(name, i); err != nil {
			t.Fatal(err)
		}
	}
	for g := range 8 {
		for s := range 5 {
			a, b := float64(g*s%7), float64((g+2*s)%5)
			for j, v := range []float64{100*float64(g*g) + 2*a + 3*b, a, b, float64(s), float64(g)} {
				c := &table.Frame.Columns[j]
				c.Numbers = append(c.Numbers, v)
			}
			table.Frame.N++
		}
	}
	r, err := Of(table, Options{Formula: "y ~ a + b | g", Against: []string{"y ~ a | g"},
		LeaveOne: []string{"s"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{2, 3} {
		if got := r.Terms[i].Estimate.Float(); math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", r.Terms[i].Name, got, want)
		}
	}
	one := r.Models[1]
	if all := r.LeaveOne[0]; all.Predicted != 40 || math.Abs(all.R2.Float()-1) > 1e-9 ||
		one.LeaveOne[0].R2.Float() > 0.7 || one.Gain[0].Low.Float() < 0.2 || one.Verdict != "reject" {
		t.Errorf("left out: R2 %v of %d rows, with one predictor %v, gain %+v, %s", all.R2,
			all.Predicted, one.LeaveOne[0].R2, one.Gain[0], one.Verdict)
	}
}

// A second order is tested against the third: y has a product of three, or has none. Of 20 rows
// there are not three for each of eight coefficients, and there is no third order.
func TestThirdOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct {
		rows    int
		product float64
		models  int
		verdict string
	}{{200, 1, 3, "reject"}, {200, 0, 3, "accept"}, {20, 1, 2, ""}} {
		f := &regress.Frame{N: c.rows, Columns: []regress.Column{{Name: "y"}, {Name: "a"}, {Name: "b"}, {Name: "c"}}}
		for range c.rows {
			x := []float64{0, rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
			x[0] = x[1] + 2*x[1]*x[2] + c.product*x[1]*x[2]*x[3] + rng.NormFloat64()
			for i, v := range x {
				f.Columns[i].Numbers = append(f.Columns[i].Numbers, v)
			}
		}
		r := of(t, &Table{Frame: f}, Options{Formula: "y ~ (a + b + c)^2", Folds: 5, Orders: -1})
		second, last := r.Models[1], r.Models[len(r.Models)-1]
		if len(r.Models) != c.models || second.Verdict != c.verdict || second.Order != 2 || r.Noise != nil ||
			r.Models[0].Verdict != "reject" || last.Verdict != "" {
			t.Errorf("%d rows, product %v: %+v", c.rows, c.product, r.Models)
		}
		if c.models == 3 && (last.P != second.P+1 || last.Order != 3 || second.DF1 != 1) {
			t.Errorf("third order %+v", last)
		}
	}
}
