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
	"testing/fstest"
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
	for _, key := range []string{"argv", "seed", "settings", "started", "finished", "build", "system", "clock", "machine", "topology", "tracer"} {
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

func TestReadSystem(t *testing.T) {
	fsys := fstest.MapFS{}
	for name, text := range map[string]string{
		"proc/sys/kernel/osrelease":                                       "6.1.0\n",
		"proc/sys/kernel/perf_event_paranoid":                             "2\n",
		"proc/loadavg":                                                    "0.50 1.25 2.00 1/234 5678\n",
		"proc/meminfo":                                                    "MemTotal:  1024 kB\nMemFree: 10 kB\nMemAvailable: 512 kB\n",
		"proc/cpuinfo":                                                    "processor\t: 0\nmodel name\t: Some CPU\nflags\t\t: fpu tsc constant_tsc hypervisor\n\nmodel name\t: Another\n",
		"sys/kernel/mm/transparent_hugepage/enabled":                      "always [madvise] never\n",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor":            "powersave\n",
		"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor":            "performance\n",
		"sys/devices/system/cpu/cpu2/cpufreq/scaling_governor":            "powersave\n",
		"sys/devices/system/cpu/intel_pstate/no_turbo":                    "1\n",
		"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
	} {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	got, err := json.Marshal(ReadSystem(fsys))
	want := `{"kernel_release":"6.1.0","cpu_model":"Some CPU","governors":["powersave","performance"],"boost":false,` +
		`"clock_source":"tsc","clock_sources_available":null,"tsc_flags":["tsc","constant_tsc"],"perf_event_paranoid":2,` +
		`"load_average":[0.5,1.25,2],"memory_total_bytes":1048576,"memory_available_bytes":524288,` +
		`"transparent_huge_pages":"madvise","numa_balancing":null,"smt_control":null,"hypervisor":true}`
	if err != nil || string(got) != want {
		t.Errorf("got\n%s, %v, want\n%s", got, err, want)
	}
	empty := ReadSystem(fstest.MapFS{})
	if empty.PerfParanoid != nil || empty.Boost != nil || empty.MemTotalBytes != nil || empty.Kernel != nil {
		t.Errorf("an empty /proc gave %+v", empty)
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
	m := NewManifest(c, []string{"krdlab"}, testHost, hw.Clock{}, fstest.MapFS{}, time.Now())
	m.finish([]Result{Summarise(c, madeUp("workfirst", 1)), {Scheduler: "go"}}, nil, time.Now())
	if len(m.Tracer) != 1 || m.Tracer[0].Scheduler != "workfirst" || m.Tracer[0].Records != 1<<20 {
		t.Errorf("tracer: %+v", m.Tracer)
	}
}
