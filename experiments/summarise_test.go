package experiments

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
)

func ptr[T any](v T) *T { return &v }

// measured makes up n repetitions of one kernel on 2 workers, and as many serial ones.
func measured(n int) *Measured {
	m := &Measured{Scheduler: "workfirst", Substrate: "native", CPUs: 2, LLCReason: "no PMU here"}
	for i := range int64(n) {
		m.Serial = append(m.Serial, Repetition{TimeNS: 1000 + i, WorkNS: ptr(900 + i), Kernels: ptr(int64(10)),
			KernelTimes: []KernelTime{{Name: "gemm", Count: 10, TotalNS: ptr(900 + i)}}})
		m.Repetitions = append(m.Repetitions, Repetition{TimeNS: 600 + i, WorkNS: ptr(990 + i), Kernels: ptr(int64(10)),
			KernelTimes: []KernelTime{{Name: "gemm", Count: 10, TotalNS: ptr(990 + i)}},
			Workers:     []Worker{{CPU: 0, WorkNS: ptr(int64(500))}, {CPU: 1}}})
	}
	return m
}

func twoCores(t *testing.T, reps int) *Config {
	c := validConfig(t)
	c.Reps = reps
	return &c
}

func TestSummarise(t *testing.T) {
	m := measured(7)
	for i := range m.Repetitions {
		m.Repetitions[i].Counters.LLCMisses.Value = ptr(int64(1000 + 2*i))
	}
	m.LLCSource = "perf_event"
	r := Summarise(twoCores(t, 7), m)
	for name, q := range map[string]struct{ got, want float64 }{
		"time":         {r.Summary.TimeNS.Median.Float(), 603},
		"serial time":  {r.Serial.TimeNS.Float(), 1003},
		"serial work":  {r.Serial.WorkNS.Float(), 903},
		"speed-up":     {r.Summary.Speedup.Median.Float(), 1003.0 / 603},
		"WTI":          {r.Summary.WTI.Median.Float(), 993.0 / 903},
		"kernel":       {r.Summary.KernelNS.Median.Float(), 99.3},
		"LLC per core": {r.Summary.LLCMissesPerCore.Median.Float(), 503},
		"kernel mean":  {r.Kernels[0].MeanNS.Float(), 99.3},
		"kernel WTI":   {r.Kernels[0].WTI.Float(), 993.0 / 903},
		"count":        {float64(r.Kernels[0].Count), 10},
	} {
		if math.Abs(q.got-q.want) > 1e-9 {
			t.Errorf("%s = %v, want %v", name, q.got, q.want)
		}
	}
	if len(r.Warnings) != 0 || r.Interrupted || *r.LLCSource != "perf_event" || r.LLCReason != nil {
		t.Errorf("warnings %q, interrupted %v, LLC source %v, reason %v", r.Warnings, r.Interrupted, r.LLCSource, r.LLCReason)
	}
}

// Where the work of one repetition is not known, or is none, there are no OVR and WTI, not those of the other repetitions.
func TestSummariseWithoutWork(t *testing.T) {
	for name, change := range map[string]func(m *Measured){
		"unknown once":   func(m *Measured) { m.Repetitions[3].WorkNS = nil },
		"unknown serial": func(m *Measured) { m.Serial[0].WorkNS = nil },
		"none":           func(m *Measured) { m.Serial[0].WorkNS = ptr(int64(0)) },
	} {
		m := measured(7)
		change(m)
		s := Summarise(twoCores(t, 7), m).Summary
		if s.WTI.Median.Known() || s.OVR.Median.Known() || s.WTI.N != 0 || !s.Speedup.Median.Known() {
			t.Errorf("%s: OVR %+v, WTI %+v, speed-up %+v; want only the last", name, s.OVR, s.WTI, s.Speedup)
		}
	}
}

// A few switches, and CPU time that covers the work, are no reason for a warning; nor is one bad repetition.
func TestUndisturbed(t *testing.T) {
	m := measured(7)
	for i := range m.Repetitions {
		r := &m.Repetitions[i]
		r.TimeNS *= 1e6
		*r.WorkNS *= 1e6
		r.Counters = Counters{InvoluntarySwitches: Count{Value: ptr(int64(20))}, TaskClockNS: Count{Value: ptr(*r.WorkNS)}}
	}
	m.Repetitions[2].Counters.InvoluntarySwitches.Value = ptr(int64(10000))
	*m.Repetitions[3].Counters.TaskClockNS.Value /= 3
	if got := disturbance(m.Repetitions, 2); got != "" {
		t.Errorf("got %q", got)
	}
	for i := range m.Repetitions {
		m.Repetitions[i].FlaggedKernels = ptr(int64(i / 6)) // one of seven
	}
	if got := flagged(m.Repetitions) + flagged(measured(7).Repetitions); got != "" {
		t.Errorf("flagged: %q", got)
	}
	short := measured(7) // 600 ns; starting the threads costs them some switches
	for i := range short.Repetitions {
		short.Repetitions[i].Counters.InvoluntarySwitches.Value = ptr(int64(12))
	}
	if got := disturbance(short.Repetitions, 2); got != "" {
		t.Errorf("a short run: %q", got)
	}
	c := twoCores(t, 7) // workers that share CPUs disturb each other
	c.Cores = 24
	for i := range short.Repetitions {
		short.Repetitions[i].Counters.InvoluntarySwitches.Value = ptr(int64(10000))
	}
	for _, w := range Summarise(c, short).Warnings {
		if strings.Contains(w, "other programs") {
			t.Errorf("24 workers on 2 CPUs: %q", w)
		}
	}
	if got := disturbance(nil, 2) + disturbance(measured(7).Repetitions, 2); got != "" {
		t.Errorf("without counters: %q", got)
	}
}

func TestSummariseDoubts(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Config, *Measured)
		want   string
	}{
		"few":         {func(c *Config, m *Measured) { c.Reps, m.Serial = 3, m.Serial[:3] }, "no intervals: 3 repetitions"},
		"interrupted": {func(c *Config, m *Measured) { c.Reps = 9 }, "interrupted after 7 of 9"},
		"oversub":     {func(c *Config, m *Measured) { c.Cores = 24 }, "24 workers share 2 CPUs"},
		"synthetic":   {func(c *Config, m *Measured) { m.Machine.Synthetic = true }, "synthetic topology"},
		"losses":      {func(c *Config, m *Measured) { m.Trace = &Trace{Path: "go.loi", Records: 2, Discarded: 5} }, "no KRD: the trace go.loi lost 5 of 7 records"},
		"check":       {func(c *Config, m *Measured) { m.Check = &Check{Error: Some(3)} }, "check failed: error 3"},
		"switches": {func(c *Config, m *Measured) {
			for i := range m.Repetitions { // 600 ns on 2 workers, counted as half a second
				m.Repetitions[i].Counters.InvoluntarySwitches.Value = ptr(int64(42))
			}
		}, "disturbed the repetitions: a worker lost its CPU 21 times in a repetition"},
		"stolen": {func(c *Config, m *Measured) {
			for i := range m.Serial {
				m.Serial[i].Counters.TaskClockNS.Value = ptr(*m.Serial[i].WorkNS / 2)
			}
		}, "disturbed the serial run: kernels took 1"},
		"own": {func(c *Config, m *Measured) { m.Warnings = []string{"the moon is full"} }, "moon"},
	} {
		c, m := twoCores(t, 7), measured(7)
		test.change(c, m)
		r := Summarise(c, m)
		if !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, test.want) }) {
			t.Errorf("%s: warnings %q, want %q", name, r.Warnings, test.want)
		}
	}
}

// What was not measured is null in the document, never 0, and every field that the format promises is there.
func TestResultJSON(t *testing.T) {
	m := measured(2)
	for i := range m.Repetitions { // tracing off
		m.Repetitions[i].WorkNS, m.Repetitions[i].Kernels, m.Repetitions[i].KernelTimes = nil, nil, nil
	}
	b, err := json.Marshal(Summarise(twoCores(t, 2), m))
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	at := func(path string) any {
		var v any = doc
		for key := range strings.SplitSeq(path, ".") {
			switch x := v.(type) {
			case map[string]any:
				w, ok := x[key]
				if !ok {
					t.Fatalf("%s: there is no %q in %v", path, key, slices.Collect(maps.Keys(x)))
				}
				v = w
			case []any:
				v = x[int(key[0]-'0')]
			}
		}
		return v
	}
	for path, want := range map[string]any{
		"schema_version": 1.0, "kernel": "matmul", "params.n": 4096.0, "scheduler": "workfirst", "cores": 2.0, "seed": 1.0,
		"substrate": "native", "machine.name": "", "machine.l2_bytes": nil, "machine.llc_bytes": nil,
		"serial.time_ns": 1000.5, "serial.work_ns": 900.5,
		"repetitions.0.time_ns": 600.0, "repetitions.0.work_ns": nil, "repetitions.0.tasks": nil, "repetitions.0.kernels": nil,
		"repetitions.0.llc_misses_per_core": nil, "repetitions.0.workers.0.cpu": 0.0, "repetitions.0.workers.0.work_ns": 500.0,
		"repetitions.0.workers.0.sched_ns": nil, "repetitions.0.workers.0.idle_ns": nil, "repetitions.0.workers.0.spawns": nil,
		"repetitions.0.workers.0.steals_local": nil, "repetitions.0.workers.0.steals_remote": nil,
		"repetitions.0.workers.0.steals_failed": nil, "summary.time_ns.median": 600.5, "summary.time_ns.n": 2.0,
		"summary.time_ns.low": nil, "summary.ovr.median": nil, "summary.wti.median": nil, "summary.kernel_ns.median": nil,
		"summary.llc_misses_per_core.median": nil, "llc_source": nil, "llc_reason": "no PMU here", "krd": nil, "check": nil, "trace": nil,
		"warnings.0": "no intervals: 2 repetitions, and 6 are needed for 95 % confidence",
	} {
		if got := at(path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	if k, ok := at("kernels").([]any); !ok || len(k) != 0 {
		t.Errorf("kernels = %v, want []", at("kernels"))
	}
	var back Result
	if err := json.Unmarshal(b, &back); err != nil || back.Summary.TimeNS.Median != Some(600.5) || back.Machine.L2Bytes != 0 {
		t.Errorf("read back: %v, %+v", err, back.Summary)
	}
}
