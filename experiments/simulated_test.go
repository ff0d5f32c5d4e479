package experiments

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"krdlab/hw/machine"
	"krdlab/kernels"
	"krdlab/krd"
	"krdlab/loi"
)

// simulated runs matmul on the paper's machine.
func simulated(t *testing.T, change func(*Config)) *Outcome {
	t.Helper()
	k, _ := kernels.ByName("matmul")
	m, err := machine.ByName(DefaultMachine)
	if err != nil {
		t.Fatal(err)
	}
	topo, err := m.Topology()
	if err != nil {
		t.Fatal(err)
	}
	c := NewConfig(k)
	c.Simulated, c.Cores, c.Reps, c.Warmup = m, 12, 6, 0
	c.Schedulers = []string{"serial", "workfirst", "helpfirst", "helpfirst-locality", "shepherd-core", "shepherd-socket"}
	c.Params["n"] = 512
	c.Out = filepath.Join(t.TempDir(), "run")
	change(&c)
	out, err := Run(context.Background(), &c, nil, topo, Simulate(m), nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// digest is a hash of all numbers of the results.
func digest(t *testing.T, out *Outcome) string {
	t.Helper()
	for i := range out.Results {
		if r := &out.Results[i]; r.Trace != nil {
			r.Trace.SlowdownOverMedian = Number{}
		}
		out.Results[i].Resolved = nil // the best instruction set of this computer, say
	}
	text, err := json.Marshal(out.Results)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// A simulated run gives the same bits on every computer, at either granularity of the caches; another seed gives another run.
func TestSimulationIsReproducible(t *testing.T) {
	for model, want := range map[CacheModel]string{CacheBlocks: goldenBlocks, CacheLines: goldenLines} {
		first := digest(t, simulated(t, func(c *Config) { c.CacheModel = model }))
		if first != want {
			t.Errorf("%s: results have the digest %s, want %s: a change of the model, the machine or a policy changes it; anything else must not", model, first, want)
		}
		if again := digest(t, simulated(t, func(c *Config) { c.CacheModel = model })); again != first {
			t.Errorf("%s: digests %s and %s of the same run", model, first, again)
		}
		if other := digest(t, simulated(t, func(c *Config) { c.CacheModel, c.Seed = model, 2 })); other == first {
			t.Errorf("%s: seed 2 gave the same results", model)
		}
	}
}

// The digests of TestSimulationIsReproducible.
const (
	goldenBlocks = "c5c371888ccdd5f5"
	goldenLines  = "0b812566a0f77524"
)

// One core sees the serial order under every policy but for its mirror: the same misses of caches that do not care, the work of the serial
// run, no steals; and the document says what it is.
func TestSimulatedOneCore(t *testing.T) {
	out := simulated(t, func(c *Config) { c.Cores = 1 })
	for _, r := range out.Results {
		if r.Substrate != loi.Simulated || r.LLCSource == nil || *r.LLCSource != LLCSourceModel || r.Check != nil || r.Machine.TimeSource != "virtual" {
			t.Errorf("%s: substrate %s, misses from %v, check %v, time %s", r.Scheduler, r.Substrate, r.LLCSource, r.Check, r.Machine.TimeSource)
		}
		if r.KRD == nil || r.KRD.Accesses != 3*16*16*8 || len(r.Warnings) != 0 {
			t.Errorf("%s: KRD %+v, warnings %q", r.Scheduler, r.KRD, r.Warnings)
		}
		for _, p := range r.Repetitions {
			if s := p.Workers[0].StealsLocal; *s != 0 {
				t.Errorf("%s: %d steals on one core", r.Scheduler, *s)
			}
			if w := p.Workers[0]; *w.WorkNS+*w.SchedNS+*w.IdleNS != p.TimeNS {
				t.Errorf("%s: work %d, scheduling %d and idle %d of %d ns", r.Scheduler, *w.WorkNS, *w.SchedNS, *w.IdleNS, p.TimeNS)
			}
		}
	}
}

// With TraceKRD every repetition has its KRD, the first one that of a default run, and no trace is left. Native runs too.
func TestTraceKRD(t *testing.T) {
	first := simulated(t, func(*Config) {})
	each := simulated(t, func(c *Config) { c.Trace = TraceKRD })
	for i, r := range each.Results {
		want := first.Results[i]
		if !reflect.DeepEqual(r.KRD, want.KRD) || !reflect.DeepEqual(r.Repetitions[0].KRD, want.Repetitions[0].KRD) || r.Repetitions[0].KRD == nil {
			t.Errorf("%s: KRD %+v, of a default run %+v", r.Scheduler, r.KRD, want.KRD)
		}
		for n, p := range r.Repetitions {
			if p.KRD == nil || p.KRD.Accesses != 3*16*16*8 || p.TimeNS != want.Repetitions[n].TimeNS {
				t.Errorf("%s, repetition %d: %d ns, KRD %+v", r.Scheduler, n, p.TimeNS, p.KRD)
			}
			if n > 0 && want.Repetitions[n].KRD != nil {
				t.Errorf("%s: a default run has a KRD of repetition %d", r.Scheduler, n)
			}
		}
		if r.Trace.Path != "" || r.Trace.Records == 0 {
			t.Errorf("%s: trace %+v", r.Scheduler, r.Trace)
		}
	}
	if files, err := filepath.Glob(filepath.Join(each.Dir, "*")); err != nil || len(files) != 2 {
		t.Errorf("files %q, %v; expected the manifest and the result", files, err)
	}
}

// The identity of the measures holds in simulated results too, and more cores are faster.
func TestSimulatedMeasures(t *testing.T) {
	for _, r := range simulated(t, func(*Config) {}).Results {
		s := r.Summary
		if got := float64(r.Cores) / (s.OVR.Median.Float() * s.WTI.Median.Float()); math.Abs(got/s.Speedup.Median.Float()-1) > 1e-9 {
			t.Errorf("%s: N/(OVR x WTI) = %v, speed-up %v", r.Scheduler, got, s.Speedup.Median.Float())
		}
		if r.Scheduler != "serial" && s.Speedup.Median.Float() < 4 {
			t.Errorf("%s: speed-up %v on 12 cores", r.Scheduler, s.Speedup.Median.Float())
		}
		if r.Scheduler != "serial" && s.WTI.Median.Float() < 1 {
			t.Errorf("%s: WTI %v; data from another socket cannot be nearer", r.Scheduler, s.WTI.Median.Float())
		}
	}
}

func TestSimulatedRefusals(t *testing.T) {
	k, _ := kernels.ByName("matmul")
	m, err := machine.ByName(DefaultMachine)
	if err != nil {
		t.Fatal(err)
	}
	topo, err := m.Topology()
	if err != nil {
		t.Fatal(err)
	}
	for flag, change := range map[string]func(*Config){
		"sched":       func(c *Config) { c.Schedulers = []string{"workfirst", krd.SchedulerGo} },
		"counters":    func(c *Config) { c.Counters = CountersPerf },
		"topology":    func(c *Config) { c.Topology = "2x2" },
		"machine":     func(c *Config) { c.SMT = true },
		"cache-model": func(c *Config) { c.CacheModel = "bits" },
		"cores":       func(c *Config) { c.Cores = 25 },
	} {
		c := NewConfig(k)
		c.Simulated, c.Cores = m, 4
		change(&c)
		var e *ConfigError
		if err := c.Validate(topo); !errors.As(err, &e) || e.Flag != flag {
			t.Errorf("%s: error %v, want one of --%s", flag, err, flag)
		}
	}
}
