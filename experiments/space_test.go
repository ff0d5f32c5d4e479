package experiments

import (
	"errors"
	"strings"
	"testing"

	"krdlab/hw"
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
