package sweep_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/measure"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/sweep"
	"krdlab/hw"
)

// fake returns options whose native cells are measured by do, by the number of cores of the cell.
func fake(t *testing.T, do map[int]func() (result.Measured, error)) (opt sweep.Options,
	ran *[]int) {
	t.Helper()
	host, err := hw.Synthetic("1x8")
	if err != nil {
		t.Fatal(err)
	}
	ran = &[]int{}
	opt = sweep.Options{Host: host, ExitCode: func(err error) int {
		if errors.Is(err, sweep.ErrCheck) {
			return 3
		}
		return 1
	}}
	opt.Measure = func(ctx context.Context, c *request.Request, topo *hw.Topology,
		dir *result.RunDir, progress measure.Progress) ([]*result.Measured, error) {
		if c.Machine != nil {
			return measure.Run(ctx, c, topo, dir, progress)
		}
		*ran = append(*ran, c.Cores)
		m, err := result.Measured{}, error(nil)
		if f := do[c.Cores]; f != nil {
			m, err = f()
		}
		var list []*result.Measured
		for _, s := range c.Schedulers {
			one := m
			one.Scheduler, one.Workers, one.Substrate = s.Name, c.Cores, "native"
			for i := range c.Reps {
				one.Serial = append(one.Serial, result.Repetition{TimeNS: int64(1000 + i)})
				one.Repetitions = append(one.Repetitions,
					result.Repetition{TimeNS: int64(500 + i)})
			}
			list = append(list, &one)
		}
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return list, err
	}
	return opt, ran
}

func read(t *testing.T, dir string) *sweep.Plan {
	t.Helper()
	p, err := sweep.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func readCell(t *testing.T, dir string, index int) *sweep.Plan {
	t.Helper()
	p, err := sweep.ReadCell(dir, index)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func status(t *testing.T, dir string) string {
	t.Helper()
	s, err := sweep.NewStatus(dir)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("done %d failed %d in flight %d partial %d missing %d damaged %d",
		len(s.Done), len(s.Failed), len(s.InFlight), len(s.Partial), len(s.Missing), len(s.Damaged))
}

// A cell that fails is recorded and the others are run; going on runs it once more, and nothing
// that is done.
func TestRunGoesOnAfterFailures(t *testing.T) {
	dir := create(t, plan(t, config(t, nil, 1), config(t, nil, 2), config(t, nil, 4),
		config(t, nil, 8)))
	broken := true
	opt, ran := fake(t, map[int]func() (result.Measured, error){
		2: func() (result.Measured, error) {
			return result.Measured{Check: &result.Check{Passed: !broken,
				Error: result.Some(7), Tolerance: result.Some(0)}}, nil
		},
		4: func() (result.Measured, error) {
			if broken {
				return result.Measured{}, errors.New("a leaf fell")
			}
			return result.Measured{}, nil
		},
	})
	sum, err := sweep.Run(context.Background(), dir, read(t, dir), opt)
	if err != nil || len(sum.Done) != 2 || len(sum.Failures) != 2 ||
		sum.Failures[0].ExitCode != 3 || sum.Failures[1].ExitCode != 1 {
		t.Fatalf("%+v, %v", sum, err)
	}
	if got := status(t, dir); got != "done 2 failed 2 in flight 0 partial 0 missing 0 damaged 0" {
		t.Error(got)
	}
	e, err := dataset.Load(dir)
	if err != nil || len(e.Cells) != 4 || len(e.Problems) != 2 ||
		e.Problems[0].Kind != dataset.Failed {
		t.Errorf("%d cells of 2 x 2 schedulers, problems %v, %v", len(e.Cells), e.Problems, err)
	}
	broken = false
	*ran = nil
	sum, err = sweep.Run(context.Background(), dir, read(t, dir), opt)
	if err != nil || len(sum.Before) != 2 || len(sum.Done) != 2 ||
		!slices.Equal(*ran, []int{2, 4}) {
		t.Errorf("%+v, %v; cells of %v cores were run", sum, err, *ran)
	}
	if got := status(t, dir); got != "done 4 failed 0 in flight 0 partial 0 missing 0 damaged 0" {
		t.Error(got)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "cells", "*.*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// A full disk ends the sweep, whether a write fails or a trace loses records; the cells before it
// are kept, and no failure is recorded.
func TestRunEndsOnAFullDisk(t *testing.T) {
	full := fmt.Errorf("write: %w", syscall.ENOSPC)
	for name, do := range map[string]func() (result.Measured, error){
		"write": func() (result.Measured, error) { return result.Measured{}, full },
		"trace": func() (result.Measured, error) {
			return result.Measured{Trace: &result.Trace{Discarded: 3}, NoRoom: full}, nil
		},
	} {
		limited := config(t, nil, 2)
		limited.TraceLimit = 1 << 20
		dir := create(t, plan(t, config(t, nil, 1), limited, config(t, nil, 4)))
		opt, ran := fake(t, map[int]func() (result.Measured, error){2: do})
		sum, err := sweep.Run(context.Background(), dir, read(t, dir), opt)
		if !errors.Is(err, syscall.ENOSPC) || len(sum.Done) != 1 ||
			!slices.Equal(*ran, []int{1, 2}) {
			t.Errorf("%s: %+v, %v; cells of %v cores were run", name, sum, err, *ran)
		}
		if got := status(t,
			dir); got != "done 1 failed 0 in flight 0 partial 0 missing 2 damaged 0" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A cell that is finished and differs from its present line of the plan is reported, and neither
// used nor run again.
func TestRunOfAChangedPlan(t *testing.T) {
	for name, change := range map[string]struct {
		file, from, to string // of the plan, unless a file is named
		why            string
	}{
		"size":    {"", `"n":64`, `"n":65`, "has n 64, planned is 65"},
		"cores":   {"", `"cores":1`, `"cores":6`, "is on 1 cores, planned are 6"},
		"reps":    {"", `"reps":2`, `"reps":3`, "has reps 2, planned is 3"},
		"setting": {"", `"numa":"node0"`, `"numa":"interleave"`, "planned is interleave"},
		"native":  {"", `"machine":"westmere-ex-4s"`, `"machine":"native"`, "is simulated, planned"},
		"machine": {"machines/westmere-ex-4s.toml", `"28ns"`, `"29ns"`,
			"with other numbers of westmere-ex-4s than machines/westmere-ex-4s.toml has"},
	} {
		dir := create(t, plan(t, config(t, paper(t), 1)))
		opt, _ := fake(t, nil)
		if _, err := sweep.Run(t.Context(), dir, read(t, dir), opt); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, cmp.Or(change.file, dataset.PlanFile))
		b, err := os.ReadFile(path)
		if err == nil && !strings.Contains(string(b), change.from) {
			t.Fatalf("%s: there is no %s in\n%s", name, change.from, b)
		}
		if err == nil {
			err = os.WriteFile(path, []byte(strings.Replace(string(b), change.from, change.to, 1)),
				0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
		p := read(t, dir)
		sum, err := sweep.Run(t.Context(), dir, p, opt)
		if err != nil || len(sum.Unused) != 1 || len(sum.Before)+len(sum.Done) > 0 {
			t.Errorf("%s: %+v, %v", name, sum, err)
		}
		c := &p.Cells[0]
		if why := c.Unused(dir, p.Machines[c.Machine]); why == nil || !strings.Contains(why.Detail, change.why) {
			t.Errorf("%s: %v, want %q", name, why, change.why)
		}
		s, err := sweep.NewStatus(dir)
		if err != nil || len(s.Damaged) != 1 || !s.Complete() {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

// Lost records are a failure, unless a limit was set.
func TestRunFailsOnLoss(t *testing.T) {
	limited := config(t, nil, 2)
	limited.TraceLimit = 1 << 20
	dir := create(t, plan(t, config(t, nil, 1), limited))
	lossy := func() (result.Measured, error) {
		return result.Measured{Trace: &result.Trace{Discarded: 3}}, nil
	}
	opt, _ := fake(t, map[int]func() (result.Measured, error){1: lossy, 2: lossy})
	sum, err := sweep.Run(context.Background(), dir, read(t, dir), opt)
	if err != nil || len(sum.Failures) != 1 || len(sum.Done) != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
}

// An interrupt keeps what is done; the cell in flight is left as it is, and run anew. A cell that
// is damaged is not.
func TestRunInterrupted(t *testing.T) {
	dir := create(t, plan(t, config(t, nil, 1), config(t, nil, 2), config(t, nil, 4)))
	ctx, cancel := context.WithCancel(context.Background())
	opt, ran := fake(t, map[int]func() (result.Measured,
		error){2: func() (result.Measured, error) {
		if ctx.Err() != nil {
			return result.Measured{}, nil // the second time
		}
		cancel()
		if got := status(t,
			dir); got != "done 1 failed 0 in flight 1 partial 0 missing 1 damaged 0" {
			t.Error(got)
		}
		return result.Measured{}, nil
	}})
	if _, err := sweep.Run(ctx, dir, read(t, dir), opt); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, expected that it was cancelled", err)
	}
	if got := status(t, dir); got != "done 1 failed 0 in flight 0 partial 1 missing 1 damaged 0" {
		t.Error(got)
	}
	if err := os.Truncate(filepath.Join(dir, "cells", "0000-matmul-n64-c1-s1", "result.json"),
		10); err != nil {
		t.Fatal(err)
	}
	*ran = nil
	if _, err := sweep.Run(context.Background(), dir, read(t, dir), opt); err != nil ||
		!slices.Equal(*ran, []int{2, 4}) {
		t.Errorf("%v; cells of %v cores were run", err, *ran)
	}
	if got := status(t, dir); got != "done 2 failed 0 in flight 0 partial 0 missing 0 damaged 1" {
		t.Error(got)
	}
}

// One sweep at a time works through a plan; single cells go beside it, but never twice.
func TestRunIsAlone(t *testing.T) {
	dir := create(t, plan(t, config(t, nil, 1), config(t, nil, 2)))
	var opt sweep.Options
	inside := 0
	opt, ran := fake(t, map[int]func() (result.Measured,
		error){1: func() (result.Measured, error) {
		inside++
		var busy *sweep.BusyError
		if _, err := sweep.Run(context.Background(), dir, read(t, dir), opt); !errors.As(err,
			&busy) {
			t.Errorf("a second sweep: %v", err)
		}
		if outcome, err := sweep.RunCell(context.Background(), dir, readCell(t, dir, 0),
			opt); outcome != sweep.IsBusy || !errors.As(err, &busy) {
			t.Errorf("the same cell: %v, %v", outcome, err)
		}
		if outcome, err := sweep.RunCell(context.Background(), dir, readCell(t, dir, 1),
			opt); outcome != sweep.IsDone || err != nil {
			t.Errorf("another cell: %v, %v", outcome, err)
		}
		return result.Measured{}, nil
	}})
	sum, err := sweep.Run(context.Background(), dir, read(t, dir), opt)
	if err != nil || inside != 1 || !slices.Equal(*ran, []int{1, 2}) || len(sum.Before) != 1 {
		t.Errorf("%+v, %v; cells of %v cores were run", sum, err, *ran)
	}
	if outcome, err := sweep.RunCell(context.Background(), dir, readCell(t, dir, 1),
		opt); outcome != sweep.WasDone || err != nil {
		t.Errorf("a finished cell: %v, %v", outcome, err)
	}
	var bad *request.Error
	if _, err := sweep.ReadCell(dir, 2); !errors.As(err, &bad) {
		t.Errorf("no such cell: %v", err)
	}
}

// A cell that a run has written is sound; one is not whose documents were changed, or that is not as
// planned.
func TestSound(t *testing.T) {
	m := paper(t)
	dir := create(t, plan(t, config(t, m, 1)))
	opt, _ := fake(t, nil)
	if _, err := sweep.Run(context.Background(), dir, read(t, dir), opt); err != nil {
		t.Fatal(err)
	}
	c := read(t, dir).Cells[0]
	cell := filepath.Join(dir, dataset.CellsDir, c.ID)
	check := func(what string, c dataset.PlannedCell, hash string, want bool) {
		t.Helper()
		if ok, _ := c.Sound(dir, hash); ok != want {
			t.Errorf("%s: %v", what, ok)
		}
		if q := c.Unused(dir, m); want && q != nil {
			t.Errorf("%s: not used: %v", what, q)
		}
	}
	check("as it was written", c, m.Hash(), true)
	check("another machine", c, "", false)
	for what, change := range map[string]func(c *dataset.PlannedCell){
		"seed":       func(c *dataset.PlannedCell) { c.Seed++ },
		"cores":      func(c *dataset.PlannedCell) { c.Cores++ },
		"size":       func(c *dataset.PlannedCell) { c.Params = maps.Clone(c.Params); c.Params["n"] = 7 },
		"settings":   func(c *dataset.PlannedCell) { c.Settings.Reps++ },
		"schedulers": func(c *dataset.PlannedCell) { c.Schedulers = c.Schedulers[:0] },
	} {
		other := c
		change(&other)
		check(what, other, m.Hash(), false)
	}
	for _, name := range []string{result.ResultFile, result.ManifestFile} {
		path := filepath.Join(cell, name)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for what, changed := range map[string][]byte{"half": text[:len(text)/2],
			"a digit": bytes.Replace(text, []byte(`"seed": 1`), []byte(`"seed": 2`), 1)} {
			if err := os.WriteFile(path, changed, 0o666); err != nil {
				t.Fatal(err)
			}
			check(what+" of "+name, c, m.Hash(), false)
		}
		if err := os.WriteFile(path, append(text, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
		check("layout of "+name, c, m.Hash(), true)
	}
}
