package experiments

import (
	"errors"
	"strings"
	"testing"

	"krdlab/hw"
	"krdlab/kernels/kernel"
)

func TestCheckSpace(t *testing.T) {
	memory := func(free int64) func() (hw.Memory, error) {
		return func() (hw.Memory, error) { return hw.Memory{FreeBytes: free}, nil }
	}
	disk := func(free int64) func(string) (int64, error) {
		return func(string) (int64, error) { return free, nil }
	}
	const much = 1 << 50
	for name, test := range map[string]struct {
		change     func(*Config)
		memory     int64
		disk       int64
		flag, want string // "" if there is room
	}{
		"room":              {func(c *Config) {}, much, much, "", ""},
		"memory":            {func(c *Config) {}, 100 << 20, much, "n", "100 MiB is free"},
		"negative memory":   {func(c *Config) {}, -5, much, "n", "0 B is free"},
		"disk":              {func(c *Config) {}, much, 1 << 20, "out", "--out a: the traces need up to"},
		"disk without need": {func(c *Config) { c.Trace = TraceProfile }, much, 0, "", ""},
		"one trace fits":    {func(c *Config) {}, much, 64 << 20, "", ""},
		"ten do not":        {func(c *Config) { c.Trace = TraceFull }, much, 64 << 20, "out", "64 MiB is free there"},
		"nor do six":        {func(c *Config) { c.Schedulers = ParseSchedulers("all") }, much, 64 << 20, "out", "--trace profile"},
	} {
		c := validConfig(t)
		test.change(&c)
		err := c.checkSpace(testHost, "a", memory(test.memory), disk(test.disk))
		var ce *ConfigError
		if test.flag == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		} else if !errors.As(err, &ce) || ce.Flag != test.flag || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want --%s and %q", name, err, test.flag, test.want)
		}
	}
	// A system that does not tell is not in the way.
	c := validConfig(t)
	none := errors.New("not told")
	if err := c.checkSpace(testHost, "a", func() (hw.Memory, error) { return hw.Memory{}, none }, func(string) (int64, error) { return 0, none }); err != nil {
		t.Error(err)
	}
	c.Params["isa"] = "sse"
	var ce *ConfigError
	if err := c.checkSpace(testHost, "a", memory(much), disk(much)); !errors.As(err, &ce) || ce.Flag != "isa" {
		t.Errorf("got %v, want a complaint about --isa", err)
	}
}

// Recorders begin with room for their share of the records, unless that is too much of the disk.
func TestTraceOptions(t *testing.T) {
	c := validConfig(t)
	plan := kernel.Plan{Executions: 1 << 20, Args: 3} // 32 MiB of records
	for name, test := range map[string]struct {
		free      int64
		limit     uint64
		recorders int
		trace     TraceMode
		want      int
	}{
		"half each, and a quarter more":   {1 << 40, 0, 2, TraceDefault, 20 << 20},
		"no free space is known":          {-1, 0, 2, TraceDefault, 20 << 20},
		"its share":                       {1 << 40, 0, 1, TraceDefault, 40 << 20},
		"a quarter of the disk":           {128 << 20, 0, 2, TraceDefault, 16 << 20},
		"a quarter of the limit":          {1 << 40, 64 << 20, 2, TraceDefault, 8 << 20},
		"many workers":                    {1 << 40, 0, 1024, TraceDefault, 0},
		"more than fits, so as it grows":  {44 << 20, 0, 2, TraceDefault, 0},
		"ten do not fit with such chunks": {500 << 20, 0, 2, TraceFull, 0},
	} {
		c.Trace, c.TraceLimit = test.trace, test.limit
		opt := c.traceOptions(testHost, plan, test.free)(test.recorders)
		if opt.FirstChunkBytes != test.want || opt.MaxBytes != test.limit {
			t.Errorf("%s: first chunk %d, want %d; limit %d, want %d", name, opt.FirstChunkBytes, test.want, opt.MaxBytes, test.limit)
		}
	}
	plan.Executions <<= 5
	c.Trace, c.TraceLimit = TraceDefault, 0
	if opt := c.traceOptions(testHost, plan, 1<<40)(2); opt.FirstChunkBytes != maxFirstChunk {
		t.Errorf("first chunk %d, want at most %d", opt.FirstChunkBytes, maxFirstChunk)
	}
}

// The scheduler go has a recorder for each CPU, however few cores it is given.
func TestRecorders(t *testing.T) {
	host, err := hw.Synthetic("4x6")
	if err != nil {
		t.Fatal(err)
	}
	c := validConfig(t)
	c.Cores = 2
	for s, want := range map[string]int{"workfirst": 2, "serial": 1, "go": 24} {
		if got := c.recordersOf(s, host); got != want {
			t.Errorf("%s: %d recorders, want %d", s, got, want)
		}
	}
}
