package model

import (
	"bytes"
	"context"
	"errors"
	"math"
	"path/filepath"
	"testing"

	"krdlab/experiments"
	"krdlab/experiments/dataset"
	"krdlab/experiments/dataset/datasettest"
	"krdlab/experiments/request"
	"krdlab/experiments/sweep"
	"krdlab/hw/machine"
	"krdlab/kernels"
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
