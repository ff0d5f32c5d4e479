package experiments

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"krdlab/hw"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
)

// testHost has 2 cores with 2 SMT siblings each.
var testHost = func() *hw.Topology {
	t, err := hw.Synthetic("1x2x2")
	if err != nil {
		panic(err)
	}
	return t
}()

func validConfig(t *testing.T) Config {
	t.Helper()
	k, err := FindKernel("matmul")
	if err != nil {
		t.Fatal(err)
	}
	c := NewConfig(k)
	c.Cores = 2
	if err := c.Validate(testHost); err != nil {
		t.Fatalf("the defaults are refused: %v", err)
	}
	return c
}

func TestValidateRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Config)
		flag   string
		want   string // a part of the message: what to type instead
	}{
		"cores 0":            {func(c *Config) { c.Cores = 0 }, "cores", "there are 2"},
		"cores -1":           {func(c *Config) { c.Cores = -1 }, "cores", "at least 1"},
		"too many cores":     {func(c *Config) { c.Cores = 5 }, "cores", "--oversubscribe"},
		"needs smt":          {func(c *Config) { c.Cores = 3 }, "cores", "--smt"},
		"absurd":             {func(c *Config) { c.Cores, c.Oversubscribe = 1<<20, true }, "cores", "at most"},
		"reps 0":             {func(c *Config) { c.Reps = 0 }, "reps", "at least 1"},
		"warmup":             {func(c *Config) { c.Warmup = -1 }, "warmup", "negative"},
		"n 0":                {func(c *Config) { c.Params["n"] = 0 }, "n", "from 1 to"},
		"leaf":               {func(c *Config) { c.Params["leaf"] = "32x0x64" }, "leaf", "32x32x64"},
		"layout":             {func(c *Config) { c.Params["layout"] = "column" }, "layout", "row or tiled"},
		"missing parameter":  {func(c *Config) { delete(c.Params, "isa") }, "isa", "needs it"},
		"foreign parameter":  {func(c *Config) { c.Params["theta"] = 1 }, "theta", "no such parameter"},
		"kernel":             {func(c *Config) { c.Kernel = "matmull" }, "kernel", "did you mean matmul?"},
		"scheduler":          {func(c *Config) { c.Schedulers = []string{"workfrist"} }, "sched", "did you mean workfirst?"},
		"scheduler twice":    {func(c *Config) { c.Schedulers = []string{"go", "go"} }, "sched", "twice"},
		"no scheduler":       {func(c *Config) { c.Schedulers = nil }, "sched", "workfirst"},
		"trace":              {func(c *Config) { c.Trace = "some" }, "trace", "profile"},
		"grain":              {func(c *Config) { c.Grain = "atom" }, "trace-grain", "kernel or task"},
		"grain of matmul":    {func(c *Config) { c.Grain = GrainTask }, "trace-grain", "stamps of their own"},
		"counters":           {func(c *Config) { c.Counters = "papi" }, "counters", "perf"},
		"numa":               {func(c *Config) { c.NUMA = "local" }, "numa", "interleave"},
		"foreign CPU":        {func(c *Config) { c.Bind = hw.Binding{List: []int{0, 9}} }, "bind", "CPU 9"},
		"too few CPUs":       {func(c *Config) { c.Bind = hw.Binding{List: []int{1}} }, "bind", "lists 1"},
		"topology too small": {func(c *Config) { c.Topology = "1x1" }, "topology", "room for 1"},
		"topology":           {func(c *Config) { c.Topology = "4by6" }, "topology", "4x6"},
	} {
		t.Run(name, func(t *testing.T) {
			c := validConfig(t)
			test.change(&c)
			err := c.Validate(testHost)
			var ce *ConfigError
			if !errors.As(err, &ce) {
				t.Fatalf("got %v, want a ConfigError", err)
			}
			if ce.Flag != test.flag || !strings.Contains(ce.Error(), test.want) || strings.Contains(ce.Error(), "\n") {
				t.Errorf("got --%s: %q, want --%s and %q on one line", ce.Flag, ce, test.flag, test.want)
			}
		})
	}
}

func TestValidateAllows(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"smt":            func(c *Config) { c.Cores, c.SMT = 4, true },
		"oversubscribe":  func(c *Config) { c.Cores, c.Oversubscribe = 24, true },
		"4x6":            func(c *Config) { c.Cores, c.Oversubscribe, c.Topology = 24, true, "4x6" },
		"list":           func(c *Config) { c.Bind = hw.Binding{List: []int{3, 0}} },
		"preset":         func(c *Config) { c.Params["leaf"] = "paper-grain" },
		"every":          func(c *Config) { c.Schedulers = SchedulerNames() },
		"one repetition": func(c *Config) { c.Reps, c.Warmup = 1, 0 },
	} {
		c := validConfig(t)
		change(&c)
		if err := c.Validate(testHost); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParse(t *testing.T) {
	if got := ParseSchedulers("all"); len(got) != len(SchedulerNames())-1 || got[0] != "workfirst" {
		t.Errorf("ParseSchedulers(all) = %v", got)
	}
	if got, want := ParseSchedulers(" go, workfirst,"), []string{"go", "workfirst"}; !reflect.DeepEqual(got, want) {
		t.Errorf("ParseSchedulers = %v, want %v", got, want)
	}
}

func TestSuggest(t *testing.T) {
	names := SchedulerNames()
	for in, want := range map[string]string{"workfrist": "workfirst", "Help-First": "helpfirst", "shepherd": "shepherd-core", "gO": "go"} {
		if got := Suggest(in, names); !strings.HasPrefix(got, "did you mean "+want+"?") {
			t.Errorf("Suggest(%q) = %q, want %s", in, got, want)
		}
	}
	if got := Suggest("foo", []string{"run", "topo", "krd"}); !strings.HasPrefix(got, "there are ") {
		t.Errorf("Suggest(foo) = %q, want a list: most of topo is not foo", got)
	}
	if got := Suggest("zzzzzz", names); !strings.HasPrefix(got, "there are ") {
		t.Errorf("Suggest(zzzzzz) = %q, want a list and no guess", got)
	}
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"ca", "abc", 3}} {
		if got := editDistance(test.a, test.b); got != test.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

func TestCatalog(t *testing.T) {
	for _, k := range kernels.Table {
		if err := checkParams(k, k.Defaults()); err != nil {
			t.Errorf("the defaults of %s are refused: %v", k.Name, err)
		}
	}
	k, _ := FindKernel("matmul")
	if got, want := Describe(k, k.Defaults()), "n=4096 leaf=32x32x64 layout=tiled isa=auto inputs=integers"; got != want {
		t.Errorf("Describe = %q, want %q", got, want)
	}
	if got := Describe(k, kernel.Params{"n": 4096.0, "leaf": "l1"}); !strings.HasPrefix(got, "n=4096 leaf=l1") {
		t.Errorf("Describe of values read from JSON = %q", got)
	}
}
