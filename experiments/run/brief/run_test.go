package brief

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/kernels/kernel"
	"krdlab/krd"
	"krdlab/krd/doc"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// madeUp returns what a scheduler might have done with matmul on 4 workers of 2 nodes. Numbers are
// invented for layout only.
func madeUp(scheduler string, factor float64) *result.Measured {
	m := &result.Measured{
		Scheduler: scheduler, Workers: 4, Substrate: "native", CPUs: 4,
		Resolved: kernel.Params{"isa": "avx512",
			"leaf": "32x32x64"},
		Machine: result.Machine{Machine: hw.Machine{Name: "Made-up CPU", Nodes: 2, CoresPerNode: 2,
			L1dBytes: 32 << 10, L2Bytes: 256 << 10, LLCBytes: 18 << 20}, TimeSource: "tsc"},
		Check: &result.Check{Passed: true, Error: result.Some(0), Tolerance: result.Some(0),
			Method: "Freivalds, exact"},
		Trace: &result.Trace{Path: result.TraceFile(scheduler), Records: 1 << 20,
			OverheadNS: result.Some(12.3),
			ProfileNS:  result.Some(18.4),
			TimeNS:     result.Some(0.62e9 * factor), SlowdownOverMedian: result.Some(1.031)},
		LLCReason: "no PMU here: perf_event_open says ENOENT, as in most virtual machines",
	}
	n := func(v float64) *int64 { return ptr(int64(v)) }
	for i := range 10 {
		jitter := 1 + 0.002*float64(i*i%7)
		m.Serial = append(m.Serial, result.Repetition{TimeNS: int64(2e9 * jitter),
			WorkNS: n(1.95e9 * jitter), Kernels: n(1 << 20)})
		rep := result.Repetition{TimeNS: int64(0.6e9 * factor * jitter),
			WorkNS: n(2.05e9 * factor * jitter), Kernels: n(1 << 20)}
		for w := range 4 {
			f := float64(w)
			work := 0.5e9 * factor * jitter
			rep.Workers = append(rep.Workers, result.Worker{CPU: w, Node: w / 2, WorkNS: n(work),
				SchedNS: n(0.06e9 * factor),
				IdleNS:  n(float64(rep.TimeNS) - work - 0.06e9*factor), Spawns: n(262144 + 1000*f),
				Tasks:       n(1.3e6),
				StealsLocal: n(10 + f), StealsRemote: n(f), StealsFailed: n(40000 * f)})
		}
		m.Repetitions = append(m.Repetitions, rep)
	}
	h := krd.Histogram{Accesses: 3145728, Cold: 32768, Close: ptr(uint64(2359296)),
		Near: ptr(uint64(688128)), Far: ptr(uint64(65536)),
		Bins: []krd.Bin{{FromBytes: 0, ToBytes: 1, Count: 3063816},
			{FromBytes: 32 << 20, ToBytes: 64 << 20, Count: 49144}}}
	m.KRD = &krd.Report{Histogram: h}
	return m
}

func golden(t *testing.T, name string, results ...result.Result) {
	t.Helper()
	var got bytes.Buffer
	if err := WriteTable(doc.NewPage(&got, 0), results); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, &got, want)
	}
	for line := range strings.Lines(got.String()) {
		line = strings.TrimSuffix(line, "\n")
		// only sentences may be longer
		if len(line) > 110 && !strings.Contains(line, ": ") && line[0] != '[' {
			t.Errorf("%d columns: %q", len(line), line)
		}
		if strings.HasSuffix(line, " ") {
			t.Errorf("spaces at the end of %q", line)
		}
	}
}

// fourCores returns a request to run a kernel on four cores.
func fourCores(t *testing.T, name string) request.Request {
	t.Helper()
	k, err := request.FindKernel(name)
	if err != nil {
		t.Fatal(err)
	}
	r := request.New(k)
	r.Cores = 4
	return r
}

// asked returns a request to run matmul.
func asked(t *testing.T) request.Asked {
	r := fourCores(t, "matmul")
	return r.Asked()
}

func ptr[T any](v T) *T { return &v }

func TestTableOne(t *testing.T) {
	golden(t, "one", result.Summarise(asked(t), madeUp("workfirst", 1)))
}

// Three schedulers, one without workers, one with counters, losses, a failed check and a long name.
func TestTableSeveral(t *testing.T) {
	c := asked(t)
	hl := madeUp("helpfirst-locality", 1.21)
	hl.LLCSource = "perf_event"
	for i := range hl.Repetitions {
		hl.Repetitions[i].Counters.LLCMisses.Value = ptr(int64(4 * 1829000))
	}
	hl.Trace.Discarded = 17
	hl.Check = &result.Check{Error: result.Some(64), Tolerance: result.Some(0),
		Method: "Freivalds, exact"}
	g := madeUp("go", 1.5)
	for i := range g.Repetitions {
		for j := range g.Repetitions[i].Workers {
			w := &g.Repetitions[i].Workers[j]
			*w = result.Worker{CPU: w.CPU, Node: w.Node, WorkNS: w.WorkNS, Tasks: w.Tasks}
		}
	}
	g.KRD.Close, g.KRD.Near, g.KRD.Far = nil, nil, nil
	g.Machine.Synthetic = true
	golden(t, "several", result.Summarise(c, madeUp("workfirst", 1)), result.Summarise(c, hl),
		result.Summarise(c, g))
}

// Little is known: one repetition of fib with tracing off, and a scheduler that was interrupted
// before it finished any.
func TestTableLittle(t *testing.T) {
	r := fourCores(t, "fib")
	r.Cores, r.Reps, r.Warmup, r.Trace = 1, 1, 0, request.TraceOff
	a := r.Asked()
	m := &result.Measured{Scheduler: "workfirst", Workers: 1, Substrate: "simulated",
		Serial: []result.Repetition{{TimeNS: 999}},
		Repetitions: []result.Repetition{{TimeNS: 2_000_000_000_000,
			Workers: []result.Worker{{CPU: -1}}}}}
	golden(t, "little", result.Summarise(a, m),
		result.Summarise(a, &result.Measured{Scheduler: "go", Workers: 1, Substrate: "simulated"}))
}

// Beyond 48 workers there is a row for each node.
func TestTableManyWorkers(t *testing.T) {
	m := madeUp("shepherd-socket", 1)
	m.Workers = 96
	for i := range m.Repetitions {
		rep := &m.Repetitions[i]
		four := rep.Workers
		rep.Workers = nil
		for w := range 96 {
			worker := four[w%4]
			worker.CPU, worker.Node = w, w/24
			rep.Workers = append(rep.Workers, worker)
		}
	}
	golden(t, "many", result.Summarise(asked(t), m))
}

// modelledMisses gives a made-up result misses by node and kernel.
func modelledMisses(m *result.Measured, nodes int) {
	one := &result.LLCMisses{Kernels: []result.KernelMisses{{Name: "gemm"}}}
	for node := range nodes {
		n := result.NodeMisses{Node: node, Workers: 2,
			Misses: int64(1000 * (1 + node*7%nodes))}
		one.Nodes, one.Total = append(one.Nodes, n), one.Total+n.Misses
	}
	one.Kernels[0].Misses = one.Total
	m.LLCSource, m.LLCModel = result.LLCSourceModel, &result.LLCModel{Machine: "host",
		CacheModel: request.CacheBlocks,
		Replayed:   true, Traced: []*result.LLCMisses{one}}
}

// Misses by node: all nodes, and beyond eight the least and the most; a scheduler that has none
// beside.
func TestTableOfModelledMisses(t *testing.T) {
	c := asked(t)
	wf, hf := madeUp("workfirst", 1), madeUp("helpfirst", 1.2)
	modelledMisses(wf, 2)
	for _, m := range []*result.Measured{wf, hf} {
		for i := range m.Repetitions {
			m.Repetitions[i].KernelTimes = []result.KernelTime{{Name: "gemm", Count: 1 << 20,
				TotalNS: ptr(int64(2e9))}, {Name: "add", Count: 4, TotalNS: ptr(int64(2e3))}}
		}
	}
	golden(t, "modelled", result.Summarise(c, wf), result.Summarise(c, hf))

	modelledMisses(wf, 12)
	var table bytes.Buffer
	if err := WriteTable(doc.NewPage(&table, 0), []result.Result{result.Summarise(c, wf)}); err != nil {
		t.Fatal(err)
	}
	if row := regexp.MustCompile(`workfirst +500 +0 +6000 +5\n`); !row.MatchString(
		table.String()) {
		t.Errorf("no %v in\n%s", row, &table)
	}
}
