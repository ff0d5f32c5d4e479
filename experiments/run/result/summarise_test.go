package result

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/run/request"
	"krdlab/hw"
	"krdlab/kernels/kernel"
)

func ptr[T any](v T) *T { return &v }

// measured makes up n repetitions of one kernel on 2 workers, and as many serial ones.
func measured(n int) *Measured {
	m := &Measured{Scheduler: "workfirst", Workers: 2, Substrate: "native", CPUs: 2,
		LLCReason: "no PMU here"}
	for i := range int64(n) {
		m.Serial = append(m.Serial, Repetition{TimeNS: 1000 + i, WorkNS: ptr(900 + i),
			Kernels:     ptr(int64(10)),
			KernelTimes: []KernelTime{{Name: "gemm", Count: 10, TotalNS: ptr(900 + i)}}})
		m.Repetitions = append(m.Repetitions, Repetition{TimeNS: 600 + i, WorkNS: ptr(990 + i),
			Kernels:     ptr(int64(10)),
			KernelTimes: []KernelTime{{Name: "gemm", Count: 10, TotalNS: ptr(990 + i)}},
			Workers:     []Worker{{CPU: 0, WorkNS: ptr(int64(500))}, {CPU: 1}}})
	}
	return m
}

// twoCores returns a request to run matmul on two cores.
func twoCores(reps int) request.Asked {
	return request.Asked{Kernel: "matmul", Params: kernel.Params{"n": 4096}, Seed: 1,
		Settings: request.Settings{Reps: reps}}
}

func TestSummarise(t *testing.T) {
	m := measured(7)
	for i := range m.Repetitions {
		m.Repetitions[i].Counters.LLCMisses.Value = ptr(int64(1000 + 2*i))
	}
	m.LLCSource = "perf_event"
	r := Summarise(twoCores(7), m)
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
	if len(r.WarningCodes) != 0 || r.Interrupted || *r.LLCSource != "perf_event" ||
		r.LLCReason != nil {
		t.Errorf("warnings %v, interrupted %v, LLC source %v, reason %v", r.WarningCodes,
			r.Interrupted,
			r.LLCSource, r.LLCReason)
	}
}

// Where the work of one repetition is not known, or is none, there are no OVR and WTI, not those of
// the other repetitions.
// Spawns are those of all workers, and each has its share of the work; without any, or where one
// worker's are not known, there is nothing.
func TestSpawns(t *testing.T) {
	m := measured(3)
	for i := range m.Repetitions {
		m.Repetitions[i].Workers[0].Spawns = ptr(int64(7))
	}
	if s := Summarise(twoCores(3), m).Summary; s.Spawns != nil || s.WorkPerSpawnNS != nil {
		t.Errorf("one worker's spawns unknown: %+v, %+v", s.Spawns, s.WorkPerSpawnNS)
	}
	for i := range m.Repetitions {
		m.Repetitions[i].Workers[1].Spawns = ptr(int64(2 + 2*i))
	}
	s := Summarise(twoCores(3), m).Summary
	if s.Spawns.Median.Float() != 11 || s.WorkPerSpawnNS.Median.Float() != 991.0/11 {
		t.Errorf("%+v, %+v", s.Spawns, s.WorkPerSpawnNS)
	}
	for i := range m.Repetitions {
		m.Repetitions[i].Workers[0].Spawns = ptr(int64(0))
		m.Repetitions[i].Workers[1].Spawns = ptr(int64(0))
	}
	if s := Summarise(twoCores(3), m).Summary; s.Spawns != nil || s.WorkPerSpawnNS != nil {
		t.Errorf("no spawns: %+v, %+v", s.Spawns, s.WorkPerSpawnNS)
	}
}

func TestSummariseWithoutWork(t *testing.T) {
	for name, change := range map[string]func(m *Measured){
		"unknown once":   func(m *Measured) { m.Repetitions[3].WorkNS = nil },
		"unknown serial": func(m *Measured) { m.Serial[0].WorkNS = nil },
		"none":           func(m *Measured) { m.Serial[0].WorkNS = ptr(int64(0)) },
	} {
		m := measured(7)
		change(m)
		s := Summarise(twoCores(7), m).Summary
		if s.WTI.Median.Known() || s.OVR.Median.Known() || s.WTI.N != 0 ||
			!s.Speedup.Median.Known() {
			t.Errorf("%s: OVR %+v, WTI %+v, speed-up %+v; want only the last", name, s.OVR, s.WTI,
				s.Speedup)
		}
	}
}

// A few switches, and CPU time that covers the work, are no reason for a warning; nor is one bad
// repetition.
func TestUndisturbed(t *testing.T) {
	m := measured(7)
	for i := range m.Repetitions {
		r := &m.Repetitions[i]
		r.TimeNS *= 1e6
		*r.WorkNS *= 1e6
		r.Counters = Counters{InvoluntarySwitches: Count{Value: ptr(int64(20))},
			TaskClockNS: Count{Value: ptr(*r.WorkNS)}}
	}
	m.Repetitions[2].Counters.InvoluntarySwitches.Value = ptr(int64(10000))
	*m.Repetitions[3].Counters.TaskClockNS.Value /= 3
	if got := disturbance(Parallel, m.Repetitions, 2); got != nil {
		t.Errorf("got %v", got)
	}
	for i := range m.Repetitions {
		m.Repetitions[i].FlaggedKernels = ptr(int64(i / 6)) // one of seven
	}
	if got := append(flagged(m.Repetitions), flagged(measured(7).Repetitions)...); got != nil {
		t.Errorf("flagged: %v", got)
	}
	short := measured(7) // 600 ns; starting the threads costs them some switches
	for i := range short.Repetitions {
		short.Repetitions[i].Counters.InvoluntarySwitches.Value = ptr(int64(12))
	}
	if got := disturbance(Parallel, short.Repetitions, 2); got != nil {
		t.Errorf("a short run: %v", got)
	}
	short.Workers = 24 // workers that share CPUs disturb each other
	for i := range short.Repetitions {
		short.Repetitions[i].Counters.InvoluntarySwitches.Value = ptr(int64(10000))
	}
	for _, w := range Summarise(twoCores(7), short).WarningCodes {
		if w.Code == LostCPU || w.Code == StampedOverCPU {
			t.Errorf("24 workers on 2 CPUs: %v", w)
		}
	}
	if got := append(disturbance(Parallel, nil, 2), disturbance(Parallel, measured(7).Repetitions,
		2)...); got != nil {
		t.Errorf("without counters: %v", got)
	}
}

func TestSummariseDoubts(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*request.Asked, *Measured)
		want   Warning
	}{
		"few": {func(a *request.Asked, m *Measured) { a.Settings.Reps, m.Serial = 3, m.Serial[:3] },
			Warn(NoIntervals, 3, 6)},
		"interrupted": {func(a *request.Asked, m *Measured) { a.Settings.Reps = 9 },
			Warn(Interrupted, 7, 9)},
		"oversub": {func(a *request.Asked, m *Measured) { m.Workers = 24 }, Warn(SharedCPUs, 24, 2)},
		"synthetic": {func(a *request.Asked, m *Measured) { m.Machine.Synthetic = true },
			Warn(SyntheticTopology)},
		"losses": {func(a *request.Asked, m *Measured) {
			m.Trace = &Trace{Path: "go.loi", Records: 2, Discarded: 5}
		}, Warn(NoKRD, "go.loi", int64(5), int64(7))},
		"check": {func(a *request.Asked, m *Measured) { m.Check = &Check{Error: Some(3)} },
			Warn(CheckFailed, Some(3), Number{})},
		"switches": {func(a *request.Asked, m *Measured) {
			for i := range m.Repetitions { // 600 ns on 2 workers, counted as half a second
				m.Repetitions[i].Counters.InvoluntarySwitches.Value = ptr(int64(42))
			}
		}, Warn(LostCPU, Parallel, 21.0)},
		"stolen": {func(a *request.Asked, m *Measured) {
			for i := range m.Serial {
				m.Serial[i].Counters.TaskClockNS.Value = ptr(*m.Serial[i].WorkNS / 2)
			}
		}, Warn(StampedOverCPU, SerialRun, 100.0)},
		"flagged": {func(a *request.Asked, m *Measured) {
			for i := range m.Repetitions {
				m.Repetitions[i].FlaggedKernels = ptr(int64(2))
			}
		}, Warn(FlaggedKernels, 2.0, 10.0)},
		"own": {func(a *request.Asked, m *Measured) { m.Warnings = []Warning{Warn(Text, "moon")} },
			Warn(Text, "moon")},
	} {
		a, m := twoCores(7), measured(7)
		test.change(&a, m)
		r := Summarise(a, m)
		if !slices.ContainsFunc(r.WarningCodes, func(w Warning) bool {
			return reflect.DeepEqual(w, test.want)
		}) {
			t.Errorf("%s: warnings %v, want %v", name, r.WarningCodes, test.want)
		}
	}
}

// Values that were not measured are null in the document, never 0, and every field that the format
// promises is there.
func TestResultJSON(t *testing.T) {
	m := measured(2)
	for i := range m.Repetitions { // tracing off
		m.Repetitions[i].WorkNS, m.Repetitions[i].Kernels, m.Repetitions[i].KernelTimes = nil, nil,
			nil
	}
	b, err := json.Marshal(Summarise(twoCores(2), m))
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
		"schema_version": 1.0, "kernel": "matmul", "params.n": 4096.0, "scheduler": "workfirst",
		"cores": 2.0, "seed": 1.0,
		"substrate": "native", "machine.name": "", "machine.l2_bytes": nil,
		"machine.llc_bytes": nil,
		"serial.time_ns":    1000.5, "serial.work_ns": 900.5,
		"repetitions.0.time_ns": 600.0, "repetitions.0.work_ns": nil, "repetitions.0.tasks": nil,
		"repetitions.0.kernels":             nil,
		"repetitions.0.llc_misses_per_core": nil, "repetitions.0.workers.0.cpu": 0.0,
		"repetitions.0.workers.0.work_ns":  500.0,
		"repetitions.0.workers.0.sched_ns": nil, "repetitions.0.workers.0.idle_ns": nil,
		"repetitions.0.workers.0.spawns":       nil,
		"repetitions.0.workers.0.steals_local": nil, "repetitions.0.workers.0.steals_remote": nil,
		"repetitions.0.workers.0.steals_failed": nil, "summary.time_ns.median": 600.5,
		"summary.time_ns.n":   2.0,
		"summary.time_ns.low": nil, "summary.ovr.median": nil, "summary.wti.median": nil,
		"summary.kernel_ns.median":           nil,
		"summary.llc_misses_per_core.median": nil, "llc_source": nil, "llc_reason": "no PMU here",
		"krd": nil, "check": nil, "trace": nil,
		"warning_codes.0.code":   "no_intervals",
		"warning_codes.0.args.1": 6.0,
	} {
		if got := at(path); got != want {
			t.Errorf("%s = %v, want %v", path, got, want)
		}
	}
	if k, ok := at("kernels").([]any); !ok || len(k) != 0 {
		t.Errorf("kernels = %v, want []", at("kernels"))
	}
	var back Result
	if err := json.Unmarshal(b, &back); err != nil || back.Summary.TimeNS.Median != Some(600.5) ||
		back.Machine.L2Bytes != 0 {
		t.Errorf("read back: %v, %+v", err, back.Summary)
	}
}

// Where the hardware counted in one repetition and the model was asked in another, the hardware
// alone is used.
func TestModelBesideHardware(t *testing.T) {
	m := measured(2)
	m.LLCSource = hw.SourcePerf
	m.LLCModel = &LLCModel{Replayed: true, Traced: []*LLCMisses{{Total: 10}}}
	m.Repetitions[0].Counters.LLCMisses = Count{Value: ptr(int64(8))}
	m.Repetitions[1].LLCModel = &LLCMisses{Total: 1000}
	if q := Summarise(twoCores(2), m).Summary.LLCMissesPerCore; q.N != 1 || q.Median != Some(4) {
		t.Errorf("misses %+v, the hardware's are 4 in one repetition", q)
	}
	m.HideModel()
	r := Summarise(twoCores(2), m)
	if q := r.Summary.LLCMissesPerCore; q.N != 1 || q.Median != Some(4) || r.LLCModel != nil ||
		r.Repetitions[1].LLCModel != nil || r.LLCReason != nil {
		t.Errorf("misses %+v, model %+v, reason %v", q, r.LLCModel, r.LLCReason)
	}
}
