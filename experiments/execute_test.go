package experiments

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"krdlab/hw"
)

// pretend is a Measure that has finished n repetitions of each scheduler when it ends with err.
func pretend(n int, err error) Measure {
	return func(ctx context.Context, c *Config, t *hw.Topology, dir *RunDir, progress Progress) ([]*Measured, error) {
		var all []*Measured
		for _, s := range c.Schedulers {
			if n == 0 {
				break
			}
			m := measured(n)
			m.Scheduler = s
			all = append(all, m)
			progress(n, n, s)
		}
		return all, err
	}
}

func TestRun(t *testing.T) {
	c := twoCores(t, 7)
	c.Out = filepath.Join(t.TempDir(), "run")
	var told int
	out, err := Run(t.Context(), c, []string{"krdlab", "run", "matmul"}, testHost, pretend(7, nil), func(done, total int, next string) { told++ })
	if err != nil || out.Dir != c.Out || len(out.Results) != 1 || told != 1 {
		t.Fatalf("got %+v, %v, progress told %d times", out, err, told)
	}
	var result Result
	readJSON(t, filepath.Join(c.Out, ResultFile), &result)
	if result.Summary.TimeNS.Median != Some(603) {
		t.Errorf("result.json says %+v", result.Summary.TimeNS)
	}
	var m map[string]any
	readJSON(t, filepath.Join(c.Out, ManifestFile), &m)
	for _, key := range []string{"argv", "seed", "settings", "started", "finished", "build", "system", "clock", "memory", "machine", "topology", "tracer"} {
		if m[key] == nil {
			t.Errorf("manifest.json has no %s", key)
		}
	}
	if m["error"] != nil {
		t.Errorf("manifest.json says error %v", m["error"])
	}
	if _, err := Run(t.Context(), c, nil, testHost, pretend(7, nil), nil); !errors.Is(err, ErrExists) {
		t.Errorf("the same --out again: %v, want ErrExists", err)
	}
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
	c.Out, c.Schedulers = filepath.Join(t.TempDir(), "run"), []string{"go", "workfirst"}
	if _, err := Run(t.Context(), c, nil, testHost, pretend(7, nil), nil); err != nil {
		t.Fatal(err)
	}
	var results []Result
	readJSON(t, filepath.Join(c.Out, ResultFile), &results)
	if len(results) != 2 || results[0].Scheduler != "go" || results[1].Scheduler != "workfirst" {
		t.Errorf("result.json holds %+v", results)
	}
}

// What was done before an interrupt is kept, under a name that says so.
func TestRunInterrupted(t *testing.T) {
	c := twoCores(t, 9)
	c.Out = filepath.Join(t.TempDir(), "run")
	out, err := Run(t.Context(), c, nil, testHost, pretend(7, context.Canceled), nil)
	if !errors.Is(err, context.Canceled) || out.Dir != c.Out+".partial" || len(out.Results) != 1 || !out.Results[0].Interrupted {
		t.Fatalf("got %+v, %v", out, err)
	}
	var m Manifest
	readJSON(t, filepath.Join(out.Dir, ManifestFile), &m)
	if m.Error == nil || !strings.Contains(*m.Error, "canceled") || m.Finished == nil {
		t.Errorf("manifest.json says error %v, finished %v", m.Error, m.Finished)
	}
	var result Result
	readJSON(t, filepath.Join(out.Dir, ResultFile), &result)
	if len(result.Repetitions) != 7 {
		t.Errorf("result.json holds %d repetitions, want 7", len(result.Repetitions))
	}
}

// A run that could not begin leaves nothing, and says why.
func TestRunThatCouldNotBegin(t *testing.T) {
	c := twoCores(t, 7)
	c.Out = filepath.Join(t.TempDir(), "run")
	for name, change := range map[string]func(*Config) Measure{
		"capability": func(*Config) Measure { return pretend(0, ErrCapability) },
		"config":     func(c *Config) Measure { c.Cores = 0; return pretend(7, nil) },
	} {
		c := *c
		out, err := Run(t.Context(), &c, nil, testHost, change(&c), nil)
		var ce *ConfigError
		if !errors.Is(err, ErrCapability) && !errors.As(err, &ce) || out.Dir != "" || exists(t, c.Out) || exists(t, c.Out+".partial") {
			t.Errorf("%s: got %+v, %v, and a directory: %v", name, out, err, exists(t, c.Out+".partial"))
		}
	}
	if _, err := Run(t.Context(), c, nil, testHost, pretend(0, nil), nil); err == nil {
		t.Error("a measure without results passed")
	}
}

func TestReadBuild(t *testing.T) {
	b := ReadBuild()
	if b.GoVersion != runtime.Version() || b.GOGC == nil || *b.GOGC <= 0 || b.MemLimit != nil || b.GOMAXPROCS < 1 {
		t.Errorf("got %+v", b)
	}
}

func TestManifestTracer(t *testing.T) {
	c := twoCores(t, 7)
	m := NewManifest(c, []string{"krdlab"}, testHost, time.Now())
	m.finish([]Result{Summarise(c, madeUp("workfirst", 1)), {Scheduler: "go"}}, nil, time.Now())
	if len(m.Tracer) != 1 || m.Tracer[0].Scheduler != "workfirst" || m.Tracer[0].Records != 1<<20 {
		t.Errorf("tracer: %+v", m.Tracer)
	}
}
