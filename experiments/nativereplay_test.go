package experiments

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/run/brief"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/kernels/kernel"
	"krdlab/krd/doc"
)

// Three matrices of 64 x 64 fit every cache: each line misses once on each node that touches it.
const coldLines = 3 * 64 * 64 * 4 / 64

// Without hardware counters the traced repetitions are replayed, and the result records
// the source of its misses.
func TestNativeReplay(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*request.Request)
		n      int // repetitions that have misses
		reason string
	}{
		{"default", func(c *request.Request) { c.Reps = 2 }, 1, ""},
		{"full", func(c *request.Request) { c.Reps, c.Trace = 2, request.TraceFull }, 2, ""},
		{"krd", func(c *request.Request) { c.Reps, c.Trace = 2, request.TraceKRD }, 2, ""},
		{"go", func(c *request.Request) { c.Schedulers = schedulers("go") }, 1,
			"goroutines have no threads of their own"},
		{"counters off", func(c *request.Request) { c.Counters = request.CountersOff }, 0,
			"--counters off"},
		{"counters off, full", func(c *request.Request) {
			c.Counters, c.Trace = request.CountersOff,
				request.TraceFull
		}, 0,
			"--counters off"},
		{"no trace", func(c *request.Request) { c.Trace = request.TraceProfile }, 0,
			"no replay by the cache " +
				"model: no trace is taken with --trace profile"},
		{"lossy", func(c *request.Request) { c.Params["leaf"], c.TraceLimit = "8x8x8", 24<<10 }, 0,
			"no replay by the cache model: the trace lost records"},
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
			if got := r.Summary.LLCMissesPerCore.Median; *r.LLCSource != result.LLCSourceModel ||
				got != result.Some(coldLines/2) {
				t.Errorf("%v misses per core from %s, want %d on one node", got, *r.LLCSource,
					coldLines/2)
			}
			if m := r.LLCModel; !m.Replayed || m.CacheModel != request.CacheBlocks ||
				len(m.Nodes) != 1 ||
				len(m.Kernels) != 1 ||
				m.Kernels[0].Misses.Median != result.Some(coldLines) ||
				m.Nodes[0].MissesPerCore.N != test.n {
				t.Errorf("model %+v", m)
			}
			for i, rep := range r.Repetitions {
				if traced := r.Settings.Trace.Each(); (rep.LLCModel != nil) != traced ||
					rep.LLCMissesPerCore.Known() != traced || rep.Counters.LLCMisses.Value != nil {
					t.Errorf("repetition %d, traced: %v: model %+v, per core %v, hardware %+v", i,
						traced, rep.LLCModel, rep.LLCMissesPerCore, rep.Counters.LLCMisses)
				}
			}
			var table bytes.Buffer
			if err := brief.WriteTable(doc.NewPage(&table, 1000), results); err != nil {
				t.Fatal(err)
			}
			if want := "through LRU caches of this host, blocks; no hardware counts: "; !strings.Contains(table.String(), want) {
				t.Errorf("no %q in\n%s", want, &table)
			}
		})
	}
}

// The nodes of an imposed topology have caches of their own: C is written on both, A and B are read
// on both.
func TestNativeReplayOfImposedNodes(t *testing.T) {
	results, _ := nativeRun(t, func(c *request.Request) {
		c.Topology, c.Schedulers = "2x1", schedulers("shepherd-core")
	}, "matmul", kernel.Params{"n": 256})
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
	if err := brief.WriteTable(doc.NewPage(&table, 1000), results); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"its nodes as 2x1", "LLC misses per core (model)", "node 1"} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("no %q in\n%s", want, &table)
		}
	}
}
