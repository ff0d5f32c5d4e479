package sweep_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/sweep"
)

// Merging keeps every native measurement and each simulated cell once, takes a cell from where it
// is done, and reports cells that are done nowhere.
func TestMerge(t *testing.T) {
	m := paper(t)
	other := *m
	other.LLC.Bytes *= 2 // of the same name
	opt, _ := fake(t, nil)
	sweepIt := func(configs ...request.Request) string {
		dir := create(t, plan(t, configs...))
		if _, err := sweep.Run(context.Background(), dir, read(t, dir), opt); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	a := sweepIt(config(t, nil, 2), config(t, m, 1), config(t, m, 6), config(t, m, 12),
		config(t, m, 24))
	b := sweepIt(config(t, m, 6), config(t, nil, 2), config(t, &other, 6), config(t, m, 12))
	remove := func(dir, cell string) {
		if err := os.RemoveAll(filepath.Join(dir, "cells", cell)); err != nil {
			t.Fatal(err)
		}
	}
	remove(a, "0003-matmul-n64-c12-s1") // b has it
	remove(a, "0004-matmul-n64-c24-s1")
	// damaged, but b has it
	if err := os.Truncate(filepath.Join(a, "cells", "0002-matmul-n64-c6-s1", "result.json"),
		10); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(a, "cells", "0004-matmul-n64-c24-s1.failed.json"),
		[]byte(`{"schema_version":1,"error":"no luck","exit_code":1}`), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	if err := sweep.Merge(context.Background(), []string{a, b}, out,
		dataset.Info{Kind: "sweep"}); err != nil {
		t.Fatal(err)
	}
	e, err := dataset.Load(out)
	if err != nil {
		t.Fatal(err)
	}
	// From a: native 2, simulated 1, 6, 12, 24; from b: native 2, the other machine's 6.
	if len(e.Plan) != 7 || len(e.Cells) != 12 || len(e.Problems) != 1 ||
		e.Problems[0].Kind != dataset.Failed || e.Problems[0].Detail != "no luck" {
		t.Errorf("%d planned, %d cells of two schedulers, %v", len(e.Plan), len(e.Cells),
			e.Problems)
	}
	p := read(t, out)
	if len(p.Machines) != 2 || p.Machines[p.Cells[6].Machine].LLC.Bytes != other.LLC.Bytes {
		t.Errorf("machines %v, cells %+v", p.Machines, p.Cells)
	}
	for i := range e.Cells {
		if c := &e.Cells[i]; c.Result.Cores != p.Cells[indexOf(p, c.ID)].Cores {
			t.Errorf("cell %s has %d cores", c.ID, c.Result.Cores)
		}
	}
	if err := sweep.Merge(context.Background(), []string{a}, out, dataset.Info{}); !errors.Is(err,
		result.ErrExists) {
		t.Errorf("into a folder that is there: %v", err)
	}
	if _, err := sweep.WriteTables(out); err != nil {
		t.Error(err)
	}
}

func indexOf(p *sweep.Plan, id string) int {
	for i, c := range p.Cells {
		if c.ID == id {
			return i
		}
	}
	return -1
}
