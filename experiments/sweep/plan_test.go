package sweep_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/sweep"
	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/kernels"
)

// config is a small configuration of matmul, simulated on the paper's machine where m is not nil.
func config(t testing.TB, m *machine.Machine, cores int) request.Request {
	t.Helper()
	k, ok := kernels.ByName("matmul")
	if !ok {
		t.Fatal("there is no matmul")
	}
	c := request.New(k)
	c.Params["n"] = 64
	var err error
	if c.Schedulers, err = request.ParseSchedulers("workfirst,shepherd-socket"); err != nil {
		t.Fatal(err)
	}
	c.Cores, c.Reps, c.Warmup, c.Machine = cores, 2, 0, m
	c.Trace = request.TraceKRD
	return c
}

func paper(t testing.TB) *machine.Machine {
	t.Helper()
	m, err := machine.ByName(request.DefaultMachine)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func plan(t testing.TB, configs ...request.Request) *sweep.Plan {
	t.Helper()
	p, err := sweep.NewPlan(configs)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func create(t testing.TB, p *sweep.Plan) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "exp")
	created, err := sweep.Create(dir, p, dataset.Info{Kind: "sweep",
		Created: time.Unix(0, 0).UTC()})
	if err != nil || !created {
		t.Fatal(created, err)
	}
	return dir
}

// A plan is read back as it was written, and each cell is the configuration that it was made of.
func TestPlanRoundTrip(t *testing.T) {
	native := config(t, nil, 2)
	native.Bind = hw.Binding{List: []int{0, 1}}
	native.Oversubscribe, native.TraceLimit, native.Seed, native.Topology = true, 1<<20, 1<<63+1,
		"4x6"
	configs := []request.Request{config(t, paper(t), 6), native}
	dir := create(t, plan(t, configs...))
	p, err := sweep.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	host, err := hw.Synthetic("1x2")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range configs {
		got, topo, err := p.Request(i, dir, host)
		if err != nil {
			t.Fatal(err)
		}
		if want.Machine != nil {
			if got.Machine == nil || got.Machine.Hash() != want.Machine.Hash() ||
				len(topo.CPUs) != 24 {
				t.Errorf("cell %d: machine %+v on %d CPUs", i, got.Machine, len(topo.CPUs))
			}
		} else if topo != host {
			t.Errorf("cell %d is native and is not placed on the host", i)
		}
		want.Out, want.Machine, got.Machine = filepath.Join(dir, "cells", p.Cells[i].ID), nil,
			nil
		for j := range got.Schedulers { // functions are never equal; the policies that they made are
			got.Schedulers[j].Make = nil
		}
		for j := range want.Schedulers {
			want.Schedulers[j].Make = nil
		}
		if !reflect.DeepEqual(*got, want) {
			t.Errorf("cell %d:\n%+v, expected\n%+v", i, *got, want)
		}
	}
	if e, err := dataset.Load(dir); err != nil || len(e.Problems) != 2 || e.Info == nil {
		t.Errorf("the new folder: %+v, %v", e, err)
	}
}

// A cell that is read by itself is that of the whole plan, whatever the lengths of lines; a bad line
// has the error of the whole plan, and only for its own cell.
func TestReadCell(t *testing.T) {
	var configs []request.Request
	for i := range 40 {
		c := config(t, paper(t), 1+i%12)
		c.Seed, c.Caches = uint64(i), strings.Repeat("x", i%7*i%7*300)
		configs = append(configs, c)
	}
	dir := create(t, plan(t, configs...))
	path := filepath.Join(dir, dataset.PlanFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rewrite := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, end := range []string{"\n", "\n\n  \n"} {
		rewrite(strings.Join(lines, end))
		whole, err := sweep.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range whole.Cells {
			got, err := sweep.ReadCell(dir, i)
			if err != nil || len(got.Cells) != 1 || !reflect.DeepEqual(got.Cells[0], want) ||
				got.Machines[want.Machine].Hash() != whole.Machines[want.Machine].Hash() {
				t.Errorf("cell %d of %d: %+v, %v", i, len(whole.Cells), got, err)
			}
		}
		for _, i := range []int{-1, 40} {
			var bad *request.Error
			if _, err := sweep.ReadCell(dir, i); !errors.As(err, &bad) ||
				!strings.Contains(err.Error(), "cells 0 to 39") {
				t.Errorf("cell %d: %v", i, err)
			}
		}
	}
	lines[7] = strings.Replace(lines[7], `"schema_version":1`, `"schema_version":9`, 1)
	rewrite(strings.Join(lines, "\n"))
	_, want := sweep.Read(dir)
	if _, err := sweep.ReadCell(dir, 7); want == nil || err == nil || err.Error() != want.Error() {
		t.Errorf("its own line: %v, expected %v", err, want)
	}
	if _, err := sweep.ReadCell(dir, 31); err != nil {
		t.Errorf("another cell: %v", err)
	}
}

func TestPlanRefuses(t *testing.T) {
	var bad *request.Error
	if _, err := sweep.NewPlan(nil); !errors.As(err, &bad) || !strings.Contains(err.Error(),
		"no cells") {
		t.Errorf("no cells: %v", err)
	}
	if _, err := sweep.NewPlan([]request.Request{config(t, nil, 2), config(t, nil, 1),
		config(t, nil, 2)}); !errors.As(err, &bad) || !strings.Contains(err.Error(), "twice") {
		t.Errorf("a cell twice: %v", err)
	}
}

// Two machines of one name are two machines.
func TestMachinesOfOneName(t *testing.T) {
	other := *paper(t)
	other.LLC.Bytes *= 2
	p := plan(t, config(t, paper(t), 6), config(t, &other, 6))
	if len(p.Machines) != 2 || p.Cells[0].Machine == p.Cells[1].Machine {
		t.Errorf("machines %v, of cells %s and %s", p.Machines, p.Cells[0].Machine,
			p.Cells[1].Machine)
	}
}

// The same plan goes on in its folder, another is refused with the differences, and a folder that
// is no experiment is left alone.
func TestCreate(t *testing.T) {
	m := paper(t)
	p := plan(t, config(t, m, 1), config(t, m, 6))
	dir := create(t, p)
	if created, err := sweep.Create(dir, plan(t, config(t, m, 1), config(t, m, 6)),
		dataset.Info{}); err != nil || created {
		t.Errorf("the same plan: created %v, %v", created, err)
	}
	more := config(t, m, 6)
	more.Reps = 3
	faster := *m
	faster.CoreHz *= 2
	for want, other := range map[string]*sweep.Plan{
		"cores 1 | 6 there, 1 | 12 asked for": plan(t, config(t, m, 1),
			config(t, m, 12)),
		"repetitions 2 there, 2 | 3 asked for": plan(t, config(t, m, 1), more),
		"the numbers of machine westmere-ex-4s": plan(t, config(t, &faster, 1),
			config(t, &faster, 6)),
		"cores 1 | 6 there, 6 | 1 asked for": plan(t, config(t, m, 6),
			config(t, m, 1)),
		"machines westmere-ex-4s there, native asked for": plan(t, config(t, nil, 1),
			config(t, nil, 6)),
	} {
		_, err := sweep.Create(dir, other, dataset.Info{})
		var different *sweep.DifferentPlanError
		if !errors.As(err, &different) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "thesis.tex"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := sweep.Create(full, p, dataset.Info{}); !errors.Is(err,
		dataset.ErrNotAnExperiment) {
		t.Errorf("a folder with something else: %v", err)
	}
	if _, err := sweep.Create(filepath.Join(full, "thesis.tex"), p, dataset.Info{}); err == nil {
		t.Error("a file was taken for a folder")
	}
	if created, err := sweep.Create(t.TempDir(), p, dataset.Info{}); err != nil || !created {
		t.Errorf("an empty folder: %v, %v", created, err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Names of folders that are made up of the plan change with it.
func TestName(t *testing.T) {
	a, b := plan(t, config(t, paper(t), 1)).Name(), plan(t, config(t, paper(t), 2)).Name()
	if a == b || !strings.HasPrefix(a, "sweep-matmul-") ||
		a != plan(t, config(t, paper(t), 1)).Name() {
		t.Errorf("%s and %s", a, b)
	}
}
