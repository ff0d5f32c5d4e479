package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/experiments/run/measure"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/loi"
)

// host has 2 cores with 2 SMT siblings each.
func host(t *testing.T) *hw.Topology {
	t.Helper()
	h, err := hw.Synthetic("1x2x2")
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func twoCores(t *testing.T, reps int) *request.Request {
	t.Helper()
	k, err := request.FindKernel("matmul")
	if err != nil {
		t.Fatal(err)
	}
	r := request.New(k)
	r.Cores, r.Reps = 2, reps
	return &r
}

// measured makes up n repetitions on 2 workers, and as many serial ones.
func measured(n int) *result.Measured {
	m := &result.Measured{Scheduler: "workfirst", Workers: 2, Substrate: loi.Native, CPUs: 2}
	for i := range int64(n) {
		serial, work, kernels := 900_000+1000*i, 990_000+1000*i, int64(10)
		m.Serial = append(m.Serial, result.Repetition{TimeNS: 1_000_000 + 1000*i, WorkNS: &serial,
			Kernels: &kernels})
		m.Repetitions = append(m.Repetitions, result.Repetition{TimeNS: 600_000 + 1000*i,
			WorkNS:  &work,
			Kernels: &kernels})
	}
	return m
}

// pretend is a Measure that has finished n repetitions of each scheduler when it ends with err.
func pretend(n int, err error) measure.Func {
	return func(ctx context.Context, c *request.Request, t *hw.Topology, dir *result.RunDir,
		progress measure.Progress) ([]*result.Measured, error) {
		var all []*result.Measured
		for _, s := range c.Schedulers {
			if n == 0 {
				break
			}
			m := measured(n)
			m.Scheduler = s.Name
			all = append(all, m)
			progress(n, n, s.Name, "pretending")
		}
		return all, err
	}
}

func TestRun(t *testing.T) {
	c := twoCores(t, 7)
	c.Out = filepath.Join(t.TempDir(), "run")
	var told int
	out, err := Run(t.Context(), c, []string{"krdlab", "run", "matmul"}, host(t), pretend(7, nil),
		func(int, int, string, string) { told++ })
	if err != nil || out.Dir != c.Out || len(out.Results) != 1 || told != 1 {
		t.Fatalf("got %+v, %v, progress told %d times", out, err, told)
	}
	var got result.Result
	readJSON(t, filepath.Join(c.Out, result.ResultFile), &got)
	if got.Summary.TimeNS.Median != result.Some(603_000) {
		t.Errorf("result.json says %+v", got.Summary.TimeNS)
	}
	var m map[string]any
	readJSON(t, filepath.Join(c.Out, result.ManifestFile), &m)
	for _, key := range []string{"argv", "seed", "settings", "started", "finished", "build",
		"system", "clock", "memory", "machine", "topology", "tracer"} {
		if m[key] == nil {
			t.Errorf("manifest.json has no %s", key)
		}
	}
	if m["error"] != nil {
		t.Errorf("manifest.json says error %v", m["error"])
	}
	if _, err := Run(t.Context(), c, nil, host(t), pretend(7, nil), nil); !errors.Is(err,
		result.ErrExists) {
		t.Errorf("the same --out again: %v, want ErrExists", err)
	}
}

func exists(t *testing.T, path string) bool {
	t.Helper()
	_, err := os.Stat(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(b, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestRunSeveralIsAnArray(t *testing.T) {
	c := twoCores(t, 7)
	c.Out, c.Schedulers = filepath.Join(t.TempDir(), "run"), schedulers("go,workfirst")
	if _, err := Run(t.Context(), c, nil, host(t), pretend(7, nil), nil); err != nil {
		t.Fatal(err)
	}
	var results []result.Result
	readJSON(t, filepath.Join(c.Out, result.ResultFile), &results)
	if len(results) != 2 || results[0].Scheduler != "go" || results[1].Scheduler != "workfirst" {
		t.Errorf("result.json holds %+v", results)
	}
}

// Results from before an interrupt are kept, under a name that shows it.
func TestRunInterrupted(t *testing.T) {
	c := twoCores(t, 9)
	c.Out = filepath.Join(t.TempDir(), "run")
	out, err := Run(t.Context(), c, nil, host(t), pretend(7, context.Canceled), nil)
	if !errors.Is(err, context.Canceled) || out.Dir != c.Out+".partial" || len(out.Results) != 1 ||
		!out.Results[0].Interrupted {
		t.Fatalf("got %+v, %v", out, err)
	}
	var m result.Manifest
	readJSON(t, filepath.Join(out.Dir, result.ManifestFile), &m)
	if m.Error == nil || !strings.Contains(*m.Error, "canceled") || m.Finished == nil {
		t.Errorf("manifest.json says error %v, finished %v", m.Error, m.Finished)
	}
	var got result.Result
	readJSON(t, filepath.Join(out.Dir, result.ResultFile), &got)
	if len(got.Repetitions) != 7 {
		t.Errorf("result.json holds %d repetitions, want 7", len(got.Repetitions))
	}
}

// A run that could not begin leaves nothing, and returns the reason.
func TestRunThatCouldNotBegin(t *testing.T) {
	c := twoCores(t, 7)
	c.Out = filepath.Join(t.TempDir(), "run")
	for name, change := range map[string]func(*request.Request) measure.Func{
		"capability": func(*request.Request) measure.Func {
			return pretend(0,
				measure.ErrCapability)
		},
		"config": func(c *request.Request) measure.Func { c.Cores = 0; return pretend(7, nil) },
	} {
		c := *c
		out, err := Run(t.Context(), &c, nil, host(t), change(&c), nil)
		var ce *request.Error
		if !errors.Is(err, measure.ErrCapability) && !errors.As(err, &ce) || out.Dir != "" ||
			exists(t, c.Out) || exists(t, c.Out+".partial") {
			t.Errorf("%s: got %+v, %v, and a directory: %v", name, out, err,
				exists(t, c.Out+".partial"))
		}
	}
	if _, err := Run(t.Context(), c, nil, host(t), pretend(0, nil), nil); err == nil {
		t.Error("a measure without results passed")
	}
}
