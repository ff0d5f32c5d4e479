package result

import (
	"encoding/json"
	"strings"
	"testing"
)

// The sums of a result that was written follow from its repetitions; each that was changed does
// not, and is named.
func TestFollows(t *testing.T) {
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
	doc, err := json.Marshal(Summarise(twoCores(7), m))
	if err != nil {
		t.Fatal(err)
	}
	changed := func(change func(*Result)) error {
		var r Result
		if err := json.Unmarshal(doc, &r); err != nil {
			t.Fatal(err)
		}
		change(&r)
		return r.Follows()
	}
	if err := changed(func(*Result) {}); err != nil {
		t.Errorf("as it was written: %v", err)
	}
	if err := changed(func(r *Result) {
		r.Summary.Spawns, r.Summary.WorkPerSpawnNS = nil, nil
	}); err != nil {
		t.Errorf("as older documents are: %v", err)
	}
	if err := changed(func(r *Result) {
		for i := range r.Repetitions {
			r.Repetitions[i].Workers = nil
		}
	}); err == nil || !strings.Contains(err.Error(), "summary.spawns is ") {
		t.Errorf("spawns that nobody made: %v", err)
	}
	more := func(n *Number) { *n = Some(n.Float() * 1.0001) }
	for want, change := range map[string]func(*Result){
		"serial.time_ns is ":                   func(r *Result) { more(&r.Serial.TimeNS) },
		"serial.work_ns is null":               func(r *Result) { r.Serial.WorkNS = Number{} },
		"summary.time_ns.median is ":           func(r *Result) { more(&r.Summary.TimeNS.Median) },
		"summary.time_ns.low is ":              func(r *Result) { more(&r.Summary.TimeNS.Low) },
		"summary.kernel_ns.high is ":           func(r *Result) { more(&r.Summary.KernelNS.High) },
		"summary.spawns.n is 9, and 7 follows": func(r *Result) { r.Summary.Spawns.N = 9 },
		"summary.work_per_spawn_ns.median is ": func(r *Result) {
			more(&r.Summary.WorkPerSpawnNS.Median)
		},
		"summary.speedup.median is ":             func(r *Result) { more(&r.Summary.Speedup.Median) },
		"summary.ovr.median is ":                 func(r *Result) { more(&r.Summary.OVR.Median) },
		"summary.wti.n is 8, and 7 follows":      func(r *Result) { r.Summary.WTI.N = 8 },
		"the interval of summary.wti is 0 to ":   func(r *Result) { r.Summary.WTI.Low = Some(0) },
		"the interval of summary.ovr is ":        func(r *Result) { r.Summary.OVR.High = Some(9) },
		"the interval of summary.speedup is ":    func(r *Result) { r.Summary.Speedup.Low = Some(2) },
		"summary.llc_misses_per_core.median is ": func(r *Result) { more(&r.Summary.LLCMissesPerCore.Median) },
		"repetitions[3].llc_misses_per_core is ": func(r *Result) { more(&r.Repetitions[3].LLCMissesPerCore) },
		"kernels[0].count is 5, and 4 follows":   func(r *Result) { r.Kernels[0].Count = 5 },
		"kernels[0].wti is ":                     func(r *Result) { more(&r.Kernels[0].WTI) },
		"the number of kernels is 0, and 1":      func(r *Result) { r.Kernels = nil },
		"llc_model.nodes[0].misses_per_core.median is ": func(r *Result) {
			more(&r.LLCModel.Nodes[0].MissesPerCore.Median)
		},
		"llc_model.kernels[0].misses.n is 0": func(r *Result) { r.LLCModel.Kernels[0].Misses.N = 0 },
		// a repetition was changed, and the sums were not
		"summary.time_ns.median is 6": func(r *Result) {
			for i := range r.Repetitions {
				r.Repetitions[i].TimeNS += 50
			}
		},
	} {
		if err := changed(change); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
