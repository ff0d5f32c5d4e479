package result

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Sums that were changed in a document have no effect: they are computed from the repetitions.
func TestSummariseAgain(t *testing.T) {
	work := func(n int64) *int64 { return &n }
	rep := func(time, w int64) Repetition {
		return Repetition{TimeNS: time, WorkNS: work(w), Kernels: work(4),
			KernelTimes: []KernelTime{{Name: "leaf", Count: 4, TotalNS: work(w)}},
			LLCModel: &LLCMisses{Total: w, Workers: []int64{w, 0},
				Nodes:   []NodeMisses{{Node: 0, Workers: 2, Misses: w}},
				Kernels: []KernelMisses{{"leaf", w}}},
			Workers: []Worker{{Spawns: work(time % 5)}, {Spawns: work(2)}}}
	}
	m := &Measured{Scheduler: "workfirst", Workers: 2, Substrate: "simulated",
		LLCSource: LLCSourceModel}
	for i := range int64(7) {
		m.Serial = append(m.Serial, rep(1000+7*i%5, 900+3*i))
		m.Repetitions = append(m.Repetitions, rep(600+5*i%7, 950+11*i%13))
	}
	r := Summarise(twoCores(7), m)
	doc, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	read := func(change func(*Result)) string {
		var r Result
		if err := json.Unmarshal(doc, &r); err != nil {
			t.Fatal(err)
		}
		change(&r)
		r.SummariseAgain()
		again, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(again)
	}
	if got := read(func(*Result) {}); got != string(doc) {
		t.Errorf("as it was written:\n%s\nexpected\n%s", got, doc)
	}
	more := func(n *Number) { *n = Some(n.Float() * 1.0001) }
	for what, change := range map[string]func(*Result){
		"serial.time_ns":         func(r *Result) { more(&r.Serial.TimeNS) },
		"serial.work_ns":         func(r *Result) { r.Serial.WorkNS = Number{} },
		"summary.time_ns.median": func(r *Result) { more(&r.Summary.TimeNS.Median) },
		"summary.time_ns.low":    func(r *Result) { more(&r.Summary.TimeNS.Low) },
		"summary.kernel_ns.high": func(r *Result) { more(&r.Summary.KernelNS.High) },
		"summary.spawns.n":       func(r *Result) { r.Summary.Spawns.N = 9 },
		"summary.work_per_spawn_ns.median": func(r *Result) {
			more(&r.Summary.WorkPerSpawnNS.Median)
		},
		"summary.speedup.median":             func(r *Result) { more(&r.Summary.Speedup.Median) },
		"summary.ovr.median":                 func(r *Result) { more(&r.Summary.OVR.Median) },
		"summary.wti.n":                      func(r *Result) { r.Summary.WTI.N = 8 },
		"summary.llc_misses_per_core.median": func(r *Result) { more(&r.Summary.LLCMissesPerCore.Median) },
		"repetitions[3].llc_misses_per_core": func(r *Result) { more(&r.Repetitions[3].LLCMissesPerCore) },
		"kernels[0].count":                   func(r *Result) { r.Kernels[0].Count = 5 },
		"kernels[0].wti":                     func(r *Result) { more(&r.Kernels[0].WTI) },
		"kernels":                            func(r *Result) { r.Kernels = nil },
		"llc_model.nodes[0].misses_per_core.median": func(r *Result) {
			more(&r.LLCModel.Nodes[0].MissesPerCore.Median)
		},
		"llc_model.kernels[0].misses.n": func(r *Result) { r.LLCModel.Kernels[0].Misses.N = 0 },
	} {
		if got := read(change); got != string(doc) {
			t.Errorf("%s: %s\nexpected\n%s", what, got, doc)
		}
	}
	// Intervals of ratios are kept, if they are intervals.
	if got := read(func(r *Result) { r.Summary.WTI.Low = Some(0) }); got == string(doc) {
		t.Error("the interval of WTI was not kept")
	}
	if got := read(func(r *Result) {
		r.Summary.WTI.Low, r.Summary.WTI.High = Some(2), Some(1)
	}); !strings.Contains(got, `"reason":"too few"`) {
		t.Errorf("an interval from 2 to 1 was kept: %s", got)
	}
	// A change of a repetition changes the sums.
	if got := read(func(r *Result) {
		for i := range r.Repetitions {
			r.Repetitions[i].TimeNS += 50
		}
	}); !strings.Contains(got, fmt.Sprintf(`"time_ns":{"median":%v`,
		r.Summary.TimeNS.Median.Float()+50)) {
		t.Errorf("the median of changed repetitions: %s", got)
	}
}
