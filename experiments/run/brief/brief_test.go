package brief

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/krd"
	"krdlab/krd/doc"
	"krdlab/loi"
	"krdlab/runtimes"
)

// six are results of six schedulers, with intervals and all that a run can have.
func six() []result.Result {
	var list []result.Result
	values := func(v float64) []float64 { return []float64{v, 1.01 * v, 0.99 * v, v, 1.02 * v, v} }
	quantity := func(v float64) result.Quantity { return result.QuantityOf(values(v)) }
	for i, name := range []string{"workfirst", "helpfirst", "helpfirst-locality", "shepherd-core",
		"shepherd-socket", "go"} {
		far, v := uint64(10+i), 1+float64(i)/4
		source, model := result.LLCSourceModel, &result.LLCModel{CacheModel: request.CacheBlocks}
		list = append(list, result.Result{
			Kernel: "fib", Params: map[string]any{"n": 4096}, Serial: result.Serial{
				TimeNS: result.Some(2e10)}, Scheduler: name, Cores: 24,
			Substrate: loi.Native, Machine: result.Machine{Machine: hw.Machine{Name: "made"}},
			Summary: result.Summary{TimeNS: quantity(2e9 * v), Speedup: quantity(10 / v),
				OVR: quantity(v), WTI: quantity(1.05), LLCMissesPerCore: quantity(1.19e6)},
			KRD:       &krd.Report{Histogram: krd.Histogram{Accesses: 1000, Cold: 5, Far: &far}},
			LLCSource: &source, LLCModel: model,
			Check:        &result.Check{Passed: true},
			WarningCodes: []result.Warning{result.Warn(result.SharedCPUs, 24, 2)},
			Repetitions:  timed(values(2e9 * v)...),
		})
	}
	return list
}

// timed are repetitions that take so many ns.
func timed(ns ...float64) (list []result.Repetition) {
	for _, v := range ns {
		list = append(list, result.Repetition{TimeNS: int64(v)})
	}
	return list
}

// brief returns the text of results on a terminal of so many columns.
func brief(t *testing.T, results []result.Result, columns int) string {
	t.Helper()
	var b strings.Builder
	if err := WriteBrief(doc.NewPage(&b, columns), results); err != nil {
		t.Fatal(err)
	}
	if columns == 0 {
		columns = doc.TextWidth
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > columns {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	return b.String()
}

// A screen has all that six schedulers did.
func TestBriefFits(t *testing.T) {
	got := brief(t, six(), 0)
	if n := strings.Count(got, "\n"); n > BriefLines {
		t.Errorf("%d lines\n%s", n, got)
	}
	for _, want := range []string{"2.00±2%", "(model)", "workfirst is the fastest on 24 cores, 10.00 (9.90–10.20) times serial: the next, helpfirst, takes 25.0 (23.2–26.9)\u00a0% longer",
		"go +125 % and +5 %\n", "accesses beyond the LLC: 1.50\u00a0% under workfirst to 2.00\u00a0% under go",
		"fewest beyond the LLC: too few to tell: 1 trace, 6 needed: --reps 6 --trace krd",
		"the results were checked", "warning: WTI is unreliable: 24 workers share 2 CPUs\n"} {
		if !strings.Contains(strings.ReplaceAll(got, "\n  ", " "), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, doc.NotAvailable) {
		t.Errorf("n/a where nothing was asked:\n%s", got)
	}
}

// The check is reported for the finished part: after an interruption for some schedulers, or for
// the runs before the first repetition.
func TestCheckedAfterInterruption(t *testing.T) {
	for name, c := range map[string]struct {
		finished, checked int // so many of six
		want              string
	}{
		"all":     {6, 6, "the results were checked, and are right"},
		"nothing": {0, 0, ""},
		"warm-ups": {0, 6, "no repetition was finished; the runs before them were checked, and " +
			"are right"},
		"one":          {1, 6, "the results of workfirst were checked, and are right; no repetition of helpfirst, "},
		"no checks":    {6, 0, ""},
		"some checks":  {6, 1, "the results of workfirst were checked, and are right; no repetition of helpfirst, "},
		"one, of some": {1, 1, "the results of workfirst were checked, and are right; no repetition of helpfirst, "},
	} {
		list := six()
		for i := range list {
			if i >= c.checked {
				list[i].Check = nil
			}
			if i >= c.finished {
				list[i].Summary = result.Summary{}
			}
		}
		got := strings.Join(doc.Sentences(checked(list)), "\n")
		if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, expected %q", name, got, c.want)
		}
		list[0].Check = &result.Check{}
		if got := checked(list); got != nil {
			t.Errorf("%s, and one failed: %v", name, got)
		}
	}
}

// The worst of runs is a screen too: every kind of warning, and all that can be missing. Warnings
// without room are counted, and the text names the flag that shows them.
func TestBriefOfTheWorst(t *testing.T) {
	every := []result.Warning{
		result.Warn(result.NoIntervals, 5, 6), result.Warn(result.Interrupted, 5, 10),
		result.Warn(result.SharedCPUs, 24, 2),
		result.Warn(result.StampedOverCPU, result.SerialRun, 12.0),
		result.Warn(result.LostCPU, result.Parallel, 1234.0),
		result.Warn(result.DisturbedRuns, result.Parallel, 4, 10, string(result.CPUTaken), 0.7),
		result.Warn(result.DisturbedRuns, result.SerialRun, 3, 10, string(result.ClockMoved), 1, 200.0),
		result.Warn(result.DoneAgain, result.Parallel, 9), result.Warn(result.DoneAgain,
			result.SerialRun, 9), result.Warn(result.HandoverMoved, 0, 1, 240.0, 491.0),
		result.Warn(result.Impossible, "speedup", 30.1, 24.0, 24, true),
		result.Warn(result.Impossible, "wti", 0.8, 1.0, 24, false),
		result.Warn(result.FlaggedKernels, 5180.0, 16384.0), result.Warn(result.SyntheticTopology),
		result.Warn(result.NoKRD, "run/workfirst.loi", 5, 1000),
		result.Warn(result.TraceLost, "run/workfirst.loi", 5, 1000, "no space left on device"),
		result.Warn(result.MixedPrices, "workfirst", "go"), result.Warn(result.CheckFailed, 1.0, 0.1),
		result.Warn(result.ClocksNotCompared, "no TSC"), result.Warn(result.TracingCost, "no clock"),
	}
	for _, gravest := range gravity {
		if !slices.ContainsFunc(every, func(w result.Warning) bool { return w.Code == gravest }) {
			t.Errorf("%s is not among them", gravest)
		}
	}
	for name, change := range map[string]func(r *result.Result, i int){
		"everything": func(*result.Result, int) {},
		"without intervals": func(r *result.Result, i int) {
			r.Summary.TimeNS = result.QuantityOf([]float64{2e9, 3e9})
		},
		"nothing known": func(r *result.Result, i int) {
			r.LLCSource, r.LLCModel, r.KRD = nil, nil, nil
			reason := strings.Repeat("a long story ", 30)
			r.LLCReason, r.Summary.LLCMissesPerCore = &reason, result.Quantity{}
		},
		"simulated": func(r *result.Result, i int) {
			r.Substrate = loi.Simulated
			r.Machine.Model = &result.Model{Parameters: 57, Guessed: 20,
				Fitted: []string{machine.FitSerialTime, machine.FitOVR}}
			r.Machine.Machine = hw.Machine{Name: "westmere-ex-4s", Nodes: 4, CoresPerNode: 6,
				L2Bytes: 256 << 10, LLCBytes: 18 << 20}
			if i == 0 {
				r.Deterministic = true
				r.Summary.TimeNS = r.Quantity([]float64{2e9})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			list := six()
			for i := range list {
				r := &list[i]
				r.Kernel, r.Params = "matmul", map[string]any{"n": 4096, "leaf": "32x32x64",
					"layout": "tiled", "isa": "auto", "inputs": "integers"}
				r.Check.Passed = i > 0
				r.Disturbances = &result.Disturbances{Repetitions: 4}
				r.WarningCodes = slices.Clone(every)
				r.WarningCodes[2] = result.Warn(result.SharedCPUs, 24+i, 2) // each its own sentence
				change(r, i)
			}
			got := brief(t, list, 80)
			if n := strings.Count(got, "\n"); n > BriefLines || !strings.Contains(got, "\n\n") ||
				strings.Count(got[:strings.Index(got, "\n\n")+1], "\n") > headLines {
				t.Errorf("%d lines\n%s", n, got)
			}
			if !strings.Contains(got, "--verbose (") {
				t.Errorf("what is left out is not counted:\n%s", got)
			}
			if !strings.Contains(got, "failed check") && !strings.Contains(got, "check failed") ||
				!strings.Contains(got, "~ disturbed") && !strings.Contains(got, "disturbed,") {
				t.Errorf("the gravest are not named:\n%s", got)
			}
			brief(t, list, 40) // more lines, but none is longer
		})
	}
}

// A value that every repetition gives is called exact, and a tie crowns nobody.
func TestBriefSaysNoMore(t *testing.T) {
	list := six()[:2]
	list[1].Summary.TimeNS, list[1].Repetitions = list[0].Summary.TimeNS, list[0].Repetitions
	list[0].Deterministic = true
	list[0].Summary.TimeNS = list[0].Quantity([]float64{2e9})
	list[1].KRD = list[0].KRD
	got := brief(t, list, 0)
	for _, want := range []string{"accesses beyond the LLC: 1.50\u00a0% under workfirst, helpfirst",
		"2.000=", "=: exact, nothing is drawn", "fastest on 24 cores: a tie of " +
			"workfirst, helpfirst, where a difference of 1.0 % would have been seen"} {
		if !strings.Contains(strings.ReplaceAll(got, "\n  ", " "), want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

// After an interruption in each phase a brief and its long form describe the part that was done.
func TestInterrupted(t *testing.T) {
	const right = "the results were checked, and are right"
	for name, c := range map[string]struct {
		reps           [2]int // of two schedulers, of 10
		checked, trace bool
		says, never    []string
	}{
		"before anything": {says: []string{"nothing measured on ", "no repetition was finished",
			"ended after 0 of 10", "0 of 10 repetitions, seed"}, never: []string{"right", "no LLC misses",
			"no share", "fastest", "after 1 warm-up", "one more repetition traced", "check:"}},
		"in warm-up": {checked: true, says: []string{"nothing measured on ", "the runs before them " +
			"were checked", "check: before the first repetition passed"}, never: []string{right, "no LLC misses"}},
		"with one": {reps: [2]int{1, 0}, checked: true, says: []string{"measured on Made-up CPU",
			"the results of workfirst were checked, and are right; no repetition of helpfirst",
			"no share beyond the LLC: no trace was taken", "0 of 10 repetitions after 1 warm-up",
			"no trace was taken\n"}, never: []string{right, "fastest", "nothing measured",
			"neither counters nor a model", "one more repetition traced"}},
		"in the middle": {reps: [2]int{7, 6}, checked: true, says: []string{right,
			"medians of 6 to 7 repetitions", "6 of 10 repetitions", "no trace was taken"},
			never: []string{"medians of 7", "neither counters nor a model"}},
		"before the traces": {reps: [2]int{10, 10}, checked: true, says: []string{right,
			"no share beyond the LLC: no trace was taken"}, never: []string{"ended after",
			"one more repetition traced", "neither counters nor a model"}},
		"in the analysis": {reps: [2]int{10, 10}, checked: true, trace: true, says: []string{right,
			"one more repetition traced"}, never: []string{"ended after", "no trace was taken"}},
	} {
		var list []result.Result
		for i, scheduler := range []string{"workfirst", "helpfirst"} {
			m := madeUp(scheduler, 1+0.2*float64(i))
			m.Repetitions, m.Serial = m.Repetitions[:c.reps[i]], m.Serial[:c.reps[0]]
			if !c.checked {
				m.Check = nil
			}
			if !c.trace || i > 0 {
				m.Trace, m.KRD = nil, nil
			}
			list = append(list, result.Summarise(asked(t), m))
		}
		var all bytes.Buffer
		if err := WriteTable(doc.NewPage(&all, 1000), list); err != nil {
			t.Fatal(err)
		}
		got := brief(t, list, 1000) + all.String()
		for _, s := range c.says {
			if !strings.Contains(got, s) {
				t.Errorf("%s: no %q in\n%s", name, s, got)
			}
		}
		for _, s := range c.never {
			if strings.Contains(got, s) {
				t.Errorf("%s: %q in\n%s", name, s, got)
			}
		}
	}
}

// Missing values have their reason, and recorded traces are named.
func TestStatus(t *testing.T) {
	one := []result.Repetition{{}}
	source := result.LLCSourceModel
	for name, test := range map[string]struct {
		r    result.Result
		want string
	}{
		"no kernels": {result.Result{Repetitions: one, Kernel: "fib"},
			"no OVR, WTI, misses or reuse: fib runs no kernels"},
		"no kernels, counters": {result.Result{Repetitions: one, Kernel: "fib", LLCSource: &source},
			"no OVR, WTI, reuse: fib runs no kernels"},
		"a graph": {result.Result{Repetitions: one, Kernel: "fib", Trace: &result.Trace{},
			Settings: request.Settings{Structure: runtimes.Structure{Tasks: true}}}, "no OVR, WTI, misses or reuse: " +
			"fib runs no kernels; traces have the graph of tasks: krdlab trace info"},
		"not timed": {result.Result{Repetitions: one, Kernel: "matmul", Settings: request.Settings{
			Trace: request.TraceOff}}, "no OVR or WTI: kernels are not timed with --trace off; " +
			"no LLC misses: no counters here, and the model replays a trace"},
		"nothing": {result.Result{Repetitions: one, Kernel: "matmul", Settings: request.Settings{
			Trace: request.TraceKRD}}, "no LLC misses: no counters here, and no trace was taken for the " +
			"model; no share beyond the LLC: no trace was taken"},
		"lost": {result.Result{Repetitions: one, Kernel: "matmul", Trace: &result.Trace{}},
			"no LLC misses: neither counters nor a model here; no share beyond the LLC: no trace that can " +
				"be used"},
		"not begun": {result.Result{Kernel: "matmul"}, ""},
		"profiled": {result.Result{Repetitions: one, Kernel: "matmul", Settings: request.Settings{
			Trace: request.TraceProfile}}, "no LLC misses: no counters here, and the model replays a trace"},
	} {
		if got := strings.Join(doc.Sentences(status([]result.Result{test.r})), "; "); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// The overhead has its share of waiting: of two workers that were idle for a half and a quarter of
// 100 ns, 3/8 of their time.
func TestIdling(t *testing.T) {
	half, quarter := int64(50), int64(25)
	r := result.Result{Repetitions: []result.Repetition{
		{TimeNS: 900, Workers: []result.Worker{{}, {}}},
		{TimeNS: 100, Workers: []result.Worker{{IdleNS: &half}, {IdleNS: &quarter}}},
	}}
	r.Summary.TimeNS.Median = result.Some(500)
	r.Summary.OVR.Median, r.Summary.WTI.Median = result.Some(1.6), result.Some(1)
	for _, want := range []string{"+60 % (idle: 60 %) and +0 %", "+60 % and +0 %"} {
		if got := doc.Sentences(Conclude([]*result.Result{&r}).Findings); !strings.Contains(got[1], want) {
			t.Errorf("%q, expected %q", got, want)
		}
		r.Repetitions[1].Workers[0].IdleNS = nil // not known
	}
}

// A winner is named only where it is told from all others.
func TestConclude(t *testing.T) {
	type times map[string][]float64 // in s
	six := func(v float64) []float64 { return []float64{0.96 * v, 0.98 * v, v, v, 1.02 * v, 1.04 * v} }
	for _, c := range []struct {
		times times
		far   map[string]uint64 // of 100 accesses, in the first of six traces; one more in each
		want  string
	}{
		{times{"a": six(5), "b": six(4)}, nil, "b is the fastest on 6 cores, 2.50 (2.40–2.60) times serial: the " +
			"next, a, takes 25.0 (20.1–30.1)\u00a0% longer"},
		{times{"a": six(4.1), "b": six(4), "c": six(9)}, nil,
			"fastest on 6 cores: a tie of b, a, where a difference of 4.1 % would have been seen"},
		{times{"a": six(5), "b": six(4), "c": {1, 9, 9, 9, 9, 10}}, nil, // one that is not the next
			"fastest on 6 cores: a tie of b, c, where a difference of 764 % would have been seen"},
		{times{"a": six(5)[:3], "b": six(4)}, nil, "fastest on 6 cores: too few to tell: 3 repetitions, 6 needed: --reps 6"},
		{times{"a": six(5)}, nil, "a runs 2.00 (1.90–2.10) times as fast as the serial program on 6 cores"},
		{nil, nil, ""},
		{nil, map[string]uint64{"a": 10, "b": 20, "c": 40}, "fewest accesses beyond the LLC: a, 12.5 " +
			"(10.0–15.0)\u00a0%; most: c, 42.5 (40.0–45.0)\u00a0%"},
		{nil, map[string]uint64{"a": 10, "b": 10, "c": 12, "d": 40}, "accesses beyond the LLC: 12.5 (10.0–15.0)\u00a0% " +
			"under a to 42.5 (40.0–45.0)\u00a0% under d\nfewest beyond the LLC: a tie of a, b, c, where a " +
			"difference of 25 % would have been seen"},
	} {
		var list []*result.Result
		for _, name := range []string{"a", "b", "c", "d"} {
			r := &result.Result{Scheduler: name, Cores: 6}
			if v, ok := c.times[name]; ok {
				r.Summary.TimeNS = r.Quantity(v)
				for i := range v {
					r.Repetitions = append(r.Repetitions, timed(1e9*v[i])...)
				}
				k := 10 / r.Summary.TimeNS.Median.Float()
				r.Summary.Speedup = result.Quantity{Median: result.Some(k), Low: result.Some(k - 0.1), High: result.Some(k + 0.1)}
			}
			for i := range uint64(6) {
				if n, ok := c.far[name]; ok {
					r.Repetitions = append(r.Repetitions, result.Repetition{KRD: &krd.Histogram{Accesses: 100,
						Cold: n + i, Far: new(uint64)}})
				}
			}
			if c.times[name] != nil || c.far != nil {
				list = append(list, r)
			}
		}
		if got := strings.Join(doc.Sentences(Conclude(list).Findings), "\n"); got != c.want {
			t.Errorf("%v %v:\n%s\nexpected\n%s", c.times, c.far, got, c.want)
		}
	}
	// A time without a speed-up has the reason.
	r := &result.Result{Scheduler: "a", Cores: 2, Serial: result.Serial{TimeNS: result.Some(0)}}
	r.Summary.TimeNS.Median = result.Some(2e9)
	if got := doc.Sentences(Conclude([]*result.Result{r}).Findings); got[0] != "no speed-up on 2 cores: the serial "+
		"run takes no time on this machine" {
		t.Error(got)
	}
}
