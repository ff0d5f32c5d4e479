package experiments

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/hw"
	"krdlab/kernels/kernel"
	"krdlab/krd"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// madeUp returns what a scheduler might have done with matmul on 4 workers of 2 nodes. Numbers are invented for layout only.
func madeUp(scheduler string, factor float64) *Measured {
	m := &Measured{
		Scheduler: scheduler, Substrate: "native", CPUs: 4, Resolved: kernel.Params{"isa": "avx512", "leaf": "32x32x64"},
		Machine: Machine{Machine: hw.Machine{Name: "Made-up CPU", Nodes: 2, CoresPerNode: 2,
			L1dBytes: 32 << 10, L2Bytes: 256 << 10, LLCBytes: 18 << 20}, TimeSource: "tsc"},
		Check: &Check{Passed: true, Error: Some(0), Tolerance: Some(0), Method: "Freivalds, exact"},
		Trace: &Trace{Path: TraceFile(scheduler), Records: 1 << 20, OverheadNS: Some(12.3), ProfileNS: Some(18.4),
			TimeNS: Some(0.62e9 * factor), SlowdownOverMedian: Some(1.031)},
		LLCReason: "no PMU here: perf_event_open says ENOENT, as in most virtual machines",
	}
	n := func(v float64) *int64 { return ptr(int64(v)) }
	for i := range 10 {
		jitter := 1 + 0.002*float64(i*i%7)
		m.Serial = append(m.Serial, Repetition{TimeNS: int64(2e9 * jitter), WorkNS: n(1.95e9 * jitter), Kernels: n(1 << 20)})
		rep := Repetition{TimeNS: int64(0.6e9 * factor * jitter), WorkNS: n(2.05e9 * factor * jitter), Kernels: n(1 << 20)}
		for w := range 4 {
			f := float64(w)
			work := 0.5e9 * factor * jitter
			rep.Workers = append(rep.Workers, Worker{CPU: w, Node: w / 2, WorkNS: n(work), SchedNS: n(0.06e9 * factor),
				IdleNS: n(float64(rep.TimeNS) - work - 0.06e9*factor), Spawns: n(262144 + 1000*f), Tasks: n(1.3e6),
				StealsLocal: n(10 + f), StealsRemote: n(f), StealsFailed: n(40000 * f)})
		}
		m.Repetitions = append(m.Repetitions, rep)
	}
	h := krd.Histogram{Accesses: 3145728, Cold: 32768, Close: ptr(uint64(2359296)), Near: ptr(uint64(688128)), Far: ptr(uint64(65536)),
		Bins: []krd.Bin{{FromBytes: 0, ToBytes: 1, Count: 3063816}, {FromBytes: 32 << 20, ToBytes: 64 << 20, Count: 49144}}}
	m.KRD = &krd.Report{Histogram: h}
	return m
}

func golden(t *testing.T, name string, results ...Result) {
	t.Helper()
	var got bytes.Buffer
	if err := WriteTable(&got, results); err != nil {
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
		if len(line) > 100 && !strings.Contains(line, ": ") && line[0] != '[' { // only sentences may be longer
			t.Errorf("%d columns: %q", len(line), line)
		}
		if strings.HasSuffix(line, " ") {
			t.Errorf("spaces at the end of %q", line)
		}
	}
}

func fourCores(t *testing.T) *Config {
	c := validConfig(t)
	c.Cores = 4
	return &c
}

func TestTableOne(t *testing.T) {
	golden(t, "one", Summarise(fourCores(t), madeUp("workfirst", 1)))
}

// Three schedulers, one without workers, one with counters, losses, a failed check and a long name.
func TestTableSeveral(t *testing.T) {
	c := fourCores(t)
	c.Schedulers = []string{"workfirst", "helpfirst-locality", "go"}
	hl := madeUp("helpfirst-locality", 1.21)
	hl.LLCSource = "perf_event"
	for i := range hl.Repetitions {
		hl.Repetitions[i].Counters.LLCMisses.Value = ptr(int64(4 * 1829000))
	}
	hl.Trace.Discarded = 17
	hl.Check = &Check{Error: Some(64), Tolerance: Some(0), Method: "Freivalds, exact"}
	g := madeUp("go", 1.5)
	for i := range g.Repetitions {
		for j := range g.Repetitions[i].Workers {
			w := &g.Repetitions[i].Workers[j]
			*w = Worker{CPU: w.CPU, Node: w.Node, WorkNS: w.WorkNS, Tasks: w.Tasks}
		}
	}
	g.KRD.Close, g.KRD.Near, g.KRD.Far = nil, nil, nil
	g.Machine.Synthetic = true
	golden(t, "several", Summarise(c, madeUp("workfirst", 1)), Summarise(c, hl), Summarise(c, g))
}

// Little is known: one repetition of fib with tracing off, and a scheduler that was interrupted before it finished any.
func TestTableLittle(t *testing.T) {
	k, err := FindKernel("fib")
	if err != nil {
		t.Fatal(err)
	}
	c := NewConfig(k)
	c.Cores, c.Reps, c.Warmup, c.Trace = 1, 1, 0, TraceOff
	m := &Measured{Scheduler: "workfirst", Substrate: "simulated",
		Serial: []Repetition{{TimeNS: 999}}, Repetitions: []Repetition{{TimeNS: 2_000_000_000_000, Workers: []Worker{{CPU: -1}}}}}
	golden(t, "little", Summarise(&c, m), Summarise(&c, &Measured{Scheduler: "go", Substrate: "simulated"}))
}

// Beyond 48 workers there is a row for each node.
func TestTableManyWorkers(t *testing.T) {
	c := fourCores(t)
	c.Cores = 96
	m := madeUp("shepherd-socket", 1)
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
	golden(t, "many", Summarise(c, m))
}

func TestFormat(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{formatNS(Some(1.6421e9)), "1.642 s"},
		{formatNS(Some(17441)), "17.44 us"},
		{formatNS(Some(0.5)), "0.5000 ns"},
		{formatNS(Some(0)), "0.000 ns"},
		{formatNS(Number{}), "n/a"},
		{digits(97312.4, 4), "97312"},
		{digits(1.00049, 4), "1.000"},
		{formatCount(Some(999999)), "999999"},
		{formatCount(Some(1829000)), "1.83e6"},
		{formatCount(Some(3e12)), "3.00e12"},
		{formatCount(Number{}), "n/a"},
		{formatSize(18 << 20), "18 MiB"},
		{formatSize(0), "n/a"},
		{percent(49144, 3145728, 4), "1.5622"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}
