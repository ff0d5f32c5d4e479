package experiments

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"krdlab/hw"
	"krdlab/kernels/kernel"
)

// Three matrices of 64 x 64 fit every cache: each line misses once on each node that touches it.
const coldLines = 3 * 64 * 64 * 4 / 64

// Without hardware counters the traced repetitions are replayed, and the result says so.
func TestNativeReplay(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*Config)
		n      int // repetitions that have misses
		reason string
	}{
		{"default", func(c *Config) { c.Reps = 2 }, 1, ""},
		{"full", func(c *Config) { c.Reps, c.Trace = 2, TraceFull }, 2, ""},
		{"krd", func(c *Config) { c.Reps, c.Trace = 2, TraceKRD }, 2, ""},
		{"go", func(c *Config) { c.Schedulers = []string{"go"} }, 1, "goroutines have no threads of their own"},
		{"counters off", func(c *Config) { c.Counters = CountersOff }, 0, "--counters off"},
		{"counters off, full", func(c *Config) { c.Counters, c.Trace = CountersOff, TraceFull }, 0, "--counters off"},
		{"no trace", func(c *Config) { c.Trace = TraceProfile }, 0, "no replay by the cache model: no trace is taken with --trace profile"},
		{"lossy", func(c *Config) { c.Params["leaf"], c.TraceLimit = "8x8x8", 24<<10 }, 0, "no replay by the cache model: the trace lost records"},
	} {
		t.Run(test.name, func(t *testing.T) {
			results, _ := nativeRun(t, test.change, "matmul", kernel.Params{"n": 64})
			r := &results[0]
			if r.LLCSource != nil && *r.LLCSource == hw.SourcePerf {
				if r.LLCModel != nil {
					t.Error("hardware counts, and a model beside them")
				}
				t.Skip("this machine counts LLC misses")
			}
			if r.LLCReason == nil || !strings.Contains(*r.LLCReason, test.reason) {
				t.Errorf("reason %v, want %q", r.LLCReason, test.reason)
			}
			if q := r.Summary.LLCMissesPerCore; q.N != test.n {
				t.Errorf("misses per core %+v, want n = %d", q, test.n)
			}
			if known := test.n > 0; (r.LLCSource != nil) != known || (r.LLCModel != nil) != known {
				t.Fatalf("source %v, model %+v", r.LLCSource, r.LLCModel)
			}
			if test.n == 0 {
				return
			}
			if got := r.Summary.LLCMissesPerCore.Median; *r.LLCSource != LLCSourceModel || got != Some(coldLines/2) {
				t.Errorf("%v misses per core from %s, want %d on one node", got, *r.LLCSource, coldLines/2)
			}
			if m := r.LLCModel; !m.Replayed || m.CacheModel != CacheBlocks || len(m.Nodes) != 1 || len(m.Kernels) != 1 ||
				m.Kernels[0].Misses.Median != Some(coldLines) || m.Nodes[0].MissesPerCore.N != test.n {
				t.Errorf("model %+v", m)
			}
			for i, rep := range r.Repetitions {
				if traced := r.Settings.Trace.each(); (rep.LLCModel != nil) != traced || rep.LLCMissesPerCore.Known() != traced || rep.Counters.LLCMisses.Value != nil {
					t.Errorf("repetition %d, traced: %v: model %+v, per core %v, hardware %+v", i, traced, rep.LLCModel, rep.LLCMissesPerCore, rep.Counters.LLCMisses)
				}
			}
			var table bytes.Buffer
			if err := WriteTable(&table, results); err != nil {
				t.Fatal(err)
			}
			if want := "through LRU caches of this host, blocks; no hardware counts: "; !strings.Contains(table.String(), want) {
				t.Errorf("no %q in\n%s", want, &table)
			}
		})
	}
}

// The nodes of an imposed topology have caches of their own: C is written on both, A and B are read on both.
func TestNativeReplayOfImposedNodes(t *testing.T) {
	results, _ := nativeRun(t, func(c *Config) { c.Topology, c.Schedulers = "2x1", []string{"shepherd-core"} }, "matmul", kernel.Params{"n": 256})
	m := results[0].LLCModel
	if s := results[0].LLCSource; s != nil && *s == hw.SourcePerf {
		t.Skip("this machine counts LLC misses")
	}
	if m == nil {
		t.Fatalf("no model: %s", *results[0].LLCReason)
	}
	nodes := []int{}
	for _, n := range m.Nodes {
		nodes = append(nodes, n.Node)
		if n.Workers != 1 {
			t.Errorf("%d workers on node %d", n.Workers, n.Node)
		}
	}
	if !slices.Equal(nodes, []int{0, 1}) {
		t.Errorf("nodes %v", nodes)
	}
	var table bytes.Buffer
	if err := WriteTable(&table, results); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"its nodes as 2x1", "LLC misses per core (model)", "node 1"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("no %q in\n%s", want, &table)
		}
	}
}

// A computer that does not tell its caches has no model, and says why.
func TestNoModelOfTheHost(t *testing.T) {
	blind := &hw.Topology{Name: "blind", Packages: 1, CPUs: []hw.CPU{{Allowed: true}}, Cores: []hw.Core{{CPUs: []int{0}}},
		Nodes: []hw.Node{{CPUs: []int{0}, Cores: []int{0}}}}
	_, err := modelOf(blind, nil)
	if err == nil || !strings.Contains(err.Error(), "the operating system does not say it") {
		t.Fatalf("got %v", err)
	}
	m := &Measured{LLCReason: "no PMU"}
	n := &native{c: &Config{Counters: CountersAuto}, host: hostModel{err: err}}
	n.replay(&schedule{Measured: m}, nil, nil)
	if m.LLCSource != "" || m.LLCModel != nil || m.LLCReason != "no PMU; no replay by the cache model: "+err.Error() {
		t.Errorf("source %q, model %+v, reason %q", m.LLCSource, m.LLCModel, m.LLCReason)
	}
}

// Where the hardware counted in one repetition and the model was asked in another, the hardware alone is used.
func TestModelBesideHardware(t *testing.T) {
	m := measured(2)
	m.LLCSource = hw.SourcePerf
	m.LLCModel = &LLCModel{Replayed: true, Traced: []*LLCMisses{{Total: 10}}}
	m.Repetitions[0].Counters.LLCMisses = Count{Value: ptr(int64(8))}
	m.Repetitions[1].LLCModel = &LLCMisses{Total: 1000}
	if q := Summarise(twoCores(t, 2), m).Summary.LLCMissesPerCore; q.N != 1 || q.Median != Some(4) {
		t.Errorf("misses %+v, the hardware's are 4 in one repetition", q)
	}
	m.hide()
	r := Summarise(twoCores(t, 2), m)
	if q := r.Summary.LLCMissesPerCore; q.N != 1 || q.Median != Some(4) || r.LLCModel != nil || r.Repetitions[1].LLCModel != nil || r.LLCReason != nil {
		t.Errorf("misses %+v, model %+v, reason %v", q, r.LLCModel, r.LLCReason)
	}
}

// modelledMisses gives a made-up result misses by node and kernel.
func modelledMisses(m *Measured, nodes int) {
	one := &LLCMisses{Kernels: []KernelMisses{{"gemm", 0}}}
	for node := range nodes {
		n := NodeMisses{node, 2, int64(1000 * (1 + node*7%nodes))}
		one.Nodes, one.Total = append(one.Nodes, n), one.Total+n.Misses
	}
	one.Kernels[0].Misses = one.Total
	m.LLCSource, m.LLCModel = LLCSourceModel, &LLCModel{Machine: "host", CacheModel: CacheBlocks, Replayed: true, Traced: []*LLCMisses{one}}
}

// Misses by node: all nodes, and beyond eight the least and the most; a scheduler that has none beside.
func TestTableOfModelledMisses(t *testing.T) {
	c := fourCores(t)
	c.Schedulers = []string{"workfirst", "helpfirst"}
	wf, hf := madeUp("workfirst", 1), madeUp("helpfirst", 1.2)
	modelledMisses(wf, 2)
	for _, m := range []*Measured{wf, hf} {
		for i := range m.Repetitions {
			m.Repetitions[i].KernelTimes = []KernelTime{{Name: "gemm", Count: 1 << 20, TotalNS: ptr(int64(2e9))}, {Name: "add", Count: 4, TotalNS: ptr(int64(2e3))}}
		}
	}
	golden(t, "modelled", Summarise(c, wf), Summarise(c, hf))

	modelledMisses(wf, 12)
	var table bytes.Buffer
	if err := WriteTable(&table, []Result{Summarise(c, wf)}); err != nil {
		t.Fatal(err)
	}
	if row := regexp.MustCompile(`workfirst +500 \(node 0\) +6000 \(node 5\)\n`); !row.MatchString(table.String()) {
		t.Errorf("no %v in\n%s", row, &table)
	}
}
