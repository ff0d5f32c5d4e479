package measure

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// setupOf is that of a run of matmul on 2 cores with 2 SMT siblings each.
func setupOf(t *testing.T, change func(*request.Request)) (setup, error) {
	t.Helper()
	host, err := hw.Synthetic("1x2x2")
	if err != nil {
		t.Fatal(err)
	}
	k, err := request.FindKernel("matmul")
	if err != nil {
		t.Fatal(err)
	}
	r := request.New(k)
	r.Cores = 2
	change(&r)
	dir, err := result.CreateRunDir(filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	return newSetup(&r, host, dir, nil)
}

func TestCheckSpace(t *testing.T) {
	memory := func(free int64) func() (hw.Memory, error) {
		return func() (hw.Memory, error) { return hw.Memory{FreeBytes: free}, nil }
	}
	disk := func(free int64) func(string) (int64, error) {
		return func(string) (int64, error) { return free, nil }
	}
	const much = 1 << 50
	m, err := machine.ByName(request.DefaultMachine)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		change     func(*request.Request)
		memory     int64
		disk       int64
		flag, want string // "" if there is room
	}{
		"room":            {func(c *request.Request) {}, much, much, "", ""},
		"memory":          {func(c *request.Request) {}, 100 << 20, much, "n", "100 MiB is free"},
		"negative memory": {func(c *request.Request) {}, -5, much, "n", "0 B is free"},
		"KRD": {func(c *request.Request) { c.Params["n"] = 3500 }, 144 << 20, much, "n",
			"matmul with its KRD needs"},
		"no KRD": {func(c *request.Request) {
			c.Params["n"], c.Trace = 3500, request.TraceOff
		}, 144 << 20, much, "", ""},
		"results": {func(c *request.Request) { c.Reps = request.MaxReps }, 1 << 30, much, "reps",
			"choose fewer"},
		"results that fit": {func(c *request.Request) { c.Reps = 10_000 }, 1 << 30, much, "", ""},
		"simulated": {func(c *request.Request) { c.Params["n"], c.Machine = 1<<17, m }, 1 << 30,
			much, "n", "choose a smaller size"},
		"simulated with room": {func(c *request.Request) {
			c.Params["n"], c.Machine, c.Trace = 1<<13, m, request.TraceOff
		}, 1 << 30, much, "", ""},
		"disk": {func(c *request.Request) {}, much, 1 << 20, "out",
			"a.partial: the traces need up to"},
		"disk without need": {func(c *request.Request) { c.Trace = request.TraceProfile }, much, 0,
			"", ""},
		"one trace fits": {func(c *request.Request) {}, much, 64 << 20, "", ""},
		"ten do not": {func(c *request.Request) { c.Trace = request.TraceFull }, much, 64 << 20,
			"out",
			"64 MiB is free there"},
		"nor do six": {func(c *request.Request) { c.Schedulers = runtimes.Schedulers[1:] }, much,
			64 << 20, "out", "--trace profile"},
	} {
		s, err := setupOf(t, test.change)
		if err == nil {
			err = s.checkSpace(memory(test.memory), disk(test.disk))
		}
		var ce *request.Error
		if test.flag == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		} else if !errors.As(err, &ce) || ce.Flag != test.flag || !strings.Contains(err.Error(),
			test.want) {
			t.Errorf("%s: got %v, want --%s and %q", name, err, test.flag, test.want)
		}
		if full := errors.Is(err, syscall.ENOSPC); full != (test.flag == "out") {
			t.Errorf("%s: got %v, want a full disk: %v", name, err, !full)
		}
	}
	// A system that does not tell is not in the way.
	s, err := setupOf(t, func(*request.Request) {})
	if err != nil {
		t.Fatal(err)
	}
	none := errors.New("not told")
	if err := s.checkSpace(func() (hw.Memory, error) { return hw.Memory{}, none },
		func(string) (int64, error) { return 0, none }); err != nil {
		t.Error(err)
	}
	var ce *request.Error
	if _, err := setupOf(t, func(c *request.Request) { c.Params["isa"] = "sse" }); !errors.As(err,
		&ce) || ce.Flag != "isa" {
		t.Errorf("got %v, want a complaint about --isa", err)
	}
}

// Recorders begin with room for their share of the records, unless that is too much of the disk.
func TestTraceOptions(t *testing.T) {
	s, err := setupOf(t, func(*request.Request) {})
	if err != nil {
		t.Fatal(err)
	}
	s.plan = kernel.Plan{Executions: 1 << 20, Args: 3} // 32 MiB of records
	for name, test := range map[string]struct {
		free      int64
		limit     uint64
		recorders int
		trace     request.TraceMode
		want      int
	}{
		"half each, and a quarter more":   {1 << 40, 0, 2, request.TraceDefault, 20 << 20},
		"no free space is known":          {-1, 0, 2, request.TraceDefault, 20 << 20},
		"its share":                       {1 << 40, 0, 1, request.TraceDefault, 40 << 20},
		"a quarter of the disk":           {128 << 20, 0, 2, request.TraceDefault, 16 << 20},
		"a quarter of the limit":          {1 << 40, 64 << 20, 2, request.TraceDefault, 8 << 20},
		"many workers":                    {1 << 40, 0, 1024, request.TraceDefault, 0},
		"more than fits, so as it grows":  {44 << 20, 0, 2, request.TraceDefault, 0},
		"ten do not fit with such chunks": {500 << 20, 0, 2, request.TraceFull, 0},
	} {
		s.asked.Trace, s.asked.TraceLimit = test.trace, test.limit
		opt := s.traceOptions(test.free)(test.recorders)
		if opt.FirstChunkBytes != test.want || opt.MaxBytes != test.limit {
			t.Errorf("%s: first chunk %d, want %d; limit %d, want %d", name, opt.FirstChunkBytes,
				test.want, opt.MaxBytes, test.limit)
		}
	}
	s.plan.Executions <<= 5
	s.asked.Trace, s.asked.TraceLimit = request.TraceDefault, 0
	if opt := s.traceOptions(1 << 40)(2); opt.FirstChunkBytes != maxFirstChunk {
		t.Errorf("first chunk %d, want at most %d", opt.FirstChunkBytes, maxFirstChunk)
	}
}

// A measurement has a warning with the reason where a trace lost records, and none otherwise.
func TestNoRoom(t *testing.T) {
	for _, test := range []struct {
		name    string
		machine string // "" for none
		trace   request.TraceMode
		limit   uint64
	}{
		{"native", "", request.TraceFull, 24 << 10}, {"native, room", "", request.TraceFull, 0},
		{"simulated", request.DefaultMachine, request.TraceKRD, 24 << 10},
		{"simulated, room", request.DefaultMachine, request.TraceKRD, 0},
	} {
		k, err := request.FindKernel("matmul")
		if err != nil {
			t.Fatal(err)
		}
		r := request.New(k)
		r.Cores, r.Reps, r.Warmup, r.Trace, r.TraceLimit = 1, 1, 0, test.trace, test.limit
		r.Params["n"], r.Params["leaf"] = 64, "8x8x8"
		topo, err := hw.Host()
		if test.machine != "" {
			if r.Machine, err = machine.ByName(test.machine); err == nil {
				topo, err = r.Machine.Topology()
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		dir, err := result.CreateRunDir(filepath.Join(t.TempDir(), "a"))
		if err != nil {
			t.Fatal(err)
		}
		list, err := Run(t.Context(), &r, topo, dir, func(int, int, string, string) {})
		if err != nil || len(list) != 1 || list[0].Trace == nil {
			t.Fatalf("%s: %v, %v", test.name, list, err)
		}
		lost := list[0].Trace.Discarded
		if lossy := test.limit > 0; lossy != (lost > 0) || lossy != (list[0].NoRoom != nil) {
			t.Errorf("%s: %d records lost, because of %v", test.name, lost, list[0].NoRoom)
		}
	}
}

// The scheduler go has a recorder for each CPU, however few cores it is given.
func TestRecorders(t *testing.T) {
	host, err := hw.Synthetic("4x6")
	if err != nil {
		t.Fatal(err)
	}
	s := setup{topo: host, cores: 2}
	for name, want := range map[string]int{"workfirst": 2, "serial": 1, "go": 24} {
		x, _ := runtimes.SchedulerByName(name)
		if got := s.recordersOf(&x); got != want {
			t.Errorf("%s: %d recorders, want %d", name, got, want)
		}
	}
}
