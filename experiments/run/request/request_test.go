package request

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"krdlab/hw"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/loi/dag"
	"krdlab/runtimes"
)

// testHost has 2 cores with 2 SMT siblings each.
var testHost = func() *hw.Topology {
	t, err := hw.Synthetic("1x2x2")
	if err != nil {
		panic(err)
	}
	return t
}()

func valid(t *testing.T) Request {
	t.Helper()
	k, err := FindKernel("matmul")
	if err != nil {
		t.Fatal(err)
	}
	c := New(k)
	c.Cores = 2
	if err := c.Validate(testHost); err != nil {
		t.Fatalf("the defaults are refused: %v", err)
	}
	return c
}

func TestParseTrace(t *testing.T) {
	type what = runtimes.Structure
	for text, want := range map[string]struct {
		mode TraceMode
		what what
		krd  Reuse
	}{
		"full": {mode: TraceFull}, "off": {mode: TraceOff},
		"full,tasks":           {mode: TraceFull, what: what{Tasks: true}},
		"regions, full ,tasks": {mode: TraceFull, what: what{Tasks: true, Regions: true}},
		"tasks":                {mode: TraceDefault, what: what{Tasks: true}},
		"krd,cores":            {mode: TraceKRD, krd: Reuse{Cores: true}},
		"coherence,cores,full,tasks": {TraceFull, what{Tasks: true},
			Reuse{Cores: true, Coherence: true}},
	} {
		if mode, got, krd, err := ParseTrace(text); err != nil || mode != want.mode ||
			got != want.what || krd != want.krd {
			t.Errorf("%q: %v, %+v, %+v, %v", text, mode, got, krd, err)
		}
	}
	for _, text := range []string{"", "full,", "full,krd", "full,full", "default", "task", ","} {
		var bad *Error
		if _, _, _, err := ParseTrace(text); !errors.As(err, &bad) || bad.Flag != "trace" {
			t.Errorf("%q: %v", text, err)
		}
	}
	// The parts recorded in a trace need one that is kept, and are read back from a document.
	c := valid(t)
	for mode, ok := range map[TraceMode]bool{TraceOff: false, TraceProfile: false, TraceKRD: false,
		TraceFull: true, TraceDefault: true} {
		c.Trace, c.Structure = mode, what{Regions: true}
		if err := c.Validate(testHost); (err == nil) != ok {
			t.Errorf("%s with regions: %v", mode, err)
		}
	}
	c.Structure = what{}
	for mode, ok := range map[TraceMode]bool{TraceOff: false, TraceProfile: false, TraceKRD: true,
		TraceFull: true, TraceDefault: true} {
		c.Trace, c.Reuse = mode, Reuse{Cores: true}
		if err := c.Validate(testHost); (err == nil) != ok {
			t.Errorf("%s with cores: %v", mode, err)
		}
	}
	c.Structure.Regions, c.Reuse.Coherence = true, true
	var again Settings
	if text, err := json.Marshal(c.Settings); err != nil {
		t.Error(err)
	} else if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(again,
		c.Settings) {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestValidateRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*Request)
		flag   string
		want   string // a part of the message: what to type instead
	}{
		"cores 0":        {func(c *Request) { c.Cores = 0 }, "cores", "there are 2"},
		"cores -1":       {func(c *Request) { c.Cores = -1 }, "cores", "at least 1"},
		"too many cores": {func(c *Request) { c.Cores = 5 }, "cores", "--oversubscribe"},
		"needs smt":      {func(c *Request) { c.Cores = 3 }, "cores", "--smt"},
		"absurd": {func(c *Request) { c.Cores, c.Oversubscribe = 1<<20, true }, "cores",
			"at most"},
		"reps 0":  {func(c *Request) { c.Reps = 0 }, "reps", "at least 1"},
		"warmup":  {func(c *Request) { c.Warmup = -1 }, "warmup", "negative"},
		"reps":    {func(c *Request) { c.Reps = 4e12 }, "reps", "at most 1000000"},
		"warmups": {func(c *Request) { c.Warmup = math.MaxInt }, "warmup", "at most 1000000"},
		"n 0":     {func(c *Request) { c.Params["n"] = 0 }, "n", "from 1 to"},
		"leaf": {func(c *Request) { c.Params["leaf"] = "32x0x64" }, "leaf",
			"32x32x64"},
		"layout": {func(c *Request) { c.Params["layout"] = "column" }, "layout",
			"row or tiled"},
		"missing parameter": {func(c *Request) { delete(c.Params, "isa") }, "isa", "needs it"},
		"foreign parameter": {func(c *Request) { c.Params["theta"] = 1 }, "theta",
			"no such parameter"},
		"scheduler twice": {func(c *Request) {
			c.Schedulers = append(c.Schedulers, c.Schedulers[0])
		}, "sched", "twice"},
		"no scheduler": {func(c *Request) { c.Schedulers = nil }, "sched", "workfirst"},
		"trace":        {func(c *Request) { c.Trace = "some" }, "trace", "profile"},
		"grain": {func(c *Request) { c.Grain = "atom" }, "trace-grain",
			"kernel or task"},
		"grain of matmul": {func(c *Request) { c.Grain = GrainTask }, "trace-grain",
			"stamps of their own"},
		"counters": {func(c *Request) { c.Counters = "papi" }, "counters", "perf"},
		"numa":     {func(c *Request) { c.NUMA = "local" }, "numa", "interleave"},
		"foreign CPU": {func(c *Request) { c.Bind = hw.Binding{List: []int{0, 9}} }, "bind",
			"CPU 9"},
		"too few CPUs": {func(c *Request) { c.Bind = hw.Binding{List: []int{1}} }, "bind",
			"lists 1"},
		"topology too small": {func(c *Request) { c.Topology = "1x1" }, "topology", "room for 1"},
		"topology":           {func(c *Request) { c.Topology = "4by6" }, "topology", "4x6"},
	} {
		t.Run(name, func(t *testing.T) {
			c := valid(t)
			test.change(&c)
			err := c.Validate(testHost)
			var ce *Error
			if !errors.As(err, &ce) {
				t.Fatalf("got %v, want an Error", err)
			}
			if ce.Flag != test.flag || !strings.Contains(ce.Error(), test.want) ||
				strings.Contains(ce.Error(), "\n") {
				t.Errorf("got --%s: %q, want --%s and %q on one line", ce.Flag, ce, test.flag,
					test.want)
			}
		})
	}
}

func TestValidateAllows(t *testing.T) {
	for name, change := range map[string]func(*Request){
		"smt":           func(c *Request) { c.Cores, c.SMT = 4, true },
		"oversubscribe": func(c *Request) { c.Cores, c.Oversubscribe = 24, true },
		"4x6": func(c *Request) {
			c.Cores, c.Oversubscribe, c.Topology = 24, true,
				"4x6"
		},
		"list":           func(c *Request) { c.Bind = hw.Binding{List: []int{3, 0}} },
		"preset":         func(c *Request) { c.Params["leaf"] = "paper-grain" },
		"every":          func(c *Request) { c.Schedulers = runtimes.Schedulers },
		"one repetition": func(c *Request) { c.Reps, c.Warmup = 1, 0 },
	} {
		c := valid(t)
		change(&c)
		if err := c.Validate(testHost); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParse(t *testing.T) {
	all, err := ParseSchedulers(" all")
	if err != nil || len(all) != len(SchedulerNames())-1 || all[0].Name != "workfirst" {
		t.Errorf("ParseSchedulers(all) = %v, %v", Names(all), err)
	}
	got, err := ParseSchedulers(" go, workfirst,")
	if want := []string{"go", "workfirst"}; err != nil || !reflect.DeepEqual(Names(got), want) {
		t.Errorf("ParseSchedulers = %v, %v, want %v", Names(got), err, want)
	}
	for text, want := range map[string]string{
		"workfrist": "did you mean workfirst?", "go,all": "all means every scheduler",
		"workfirst:speed=9": "speed",
	} {
		var e *Error
		if _, err := ParseSchedulers(text); !errors.As(err, &e) || e.Flag != "sched" ||
			!strings.Contains(e.Error(), want) {
			t.Errorf("ParseSchedulers(%q): %v, want %q", text, err, want)
		}
	}
	var e *Error
	if _, err := FindKernel("matmull"); !errors.As(err, &e) || e.Flag != "kernel" ||
		!strings.Contains(e.Error(), "did you mean matmul?") {
		t.Errorf("FindKernel: %v", err)
	}
}

func TestSuggest(t *testing.T) {
	names := SchedulerNames()
	for in, want := range map[string]string{"workfrist": "workfirst", "Help-First": "helpfirst",
		"shepherd": "shepherd-core", "gO": "go"} {
		if got := Suggest(in, names, "see there"); !strings.HasPrefix(got,
			"did you mean "+want+"? ") || !strings.HasSuffix(got, "? see there") {
			t.Errorf("Suggest(%q) = %q, want %s", in, got, want)
		}
	}
	if got, want := Suggest("skylake", []string{"grace", "native"}, "see there"),
		"there are grace, native; see there"; got != want { // neither is near
		t.Errorf("Suggest(skylake) = %q, want %q", got, want)
	}
	few := []string{"run", "topo", "krd"}
	for in, want := range map[string]string{"foo": "there are run, topo, krd", // not much of topo
		"krt": "did you mean krd? there are run, topo, krd", "": "there are run, topo, krd"} {
		if got := Suggest(in, few, ""); got != want {
			t.Errorf("Suggest(%q) = %q, want %q", in, got, want)
		}
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
		if err := CheckParams(k, k.Defaults()); err != nil {
			t.Errorf("the defaults of %s are refused: %v", k.Name, err)
		}
	}
	k, _ := FindKernel("matmul")
	if got, want := Describe(k, k.Defaults()), "n=4096 leaf=32x32x64 layout=tiled isa=auto "+
		"inputs=integers"; got != want {
		t.Errorf("Describe = %q, want %q", got, want)
	}
	if got, want := Describe(k, kernel.Params{"n": 4096.0, "leaf": "l1"}),
		"n=4096 leaf=l1"; got != want {
		t.Errorf("of a document without the other parameters: %q, want %q", got, want)
	}
}

func TestName(t *testing.T) {
	r := valid(t)
	if got := r.Asked().Name; got != "matmul-workfirst-c2-n4096" {
		t.Errorf("got %s", got)
	}
	r.Schedulers = runtimes.Schedulers[1:]
	if got := r.Asked().Name; !regexp.MustCompile(`^matmul-[0-9]+scheds-c2-n4096$`).MatchString(got) {
		t.Errorf("got %s", got)
	}
}

// A schedule is followed that is of the run's program, machine and workers, and no other.
func TestValidateFollow(t *testing.T) {
	m, err := (&Machines{Host: testHost}).Find(DefaultMachine)
	if err != nil {
		t.Fatal(err)
	}
	topo, err := m.Topology()
	if err != nil {
		t.Fatal(err)
	}
	follow := func(change func(*Request, *dag.Schedule)) error {
		c := valid(t)
		s := &dag.Schedule{Nodes: []int{0, 0}, Program: dag.ProgramOf(&loi.Header{Kernel: c.Kernel.Name,
			Params: ParamList(c.Kernel, c.Params)})}
		c.Follow, c.Machine = "s.txt", m
		c.Schedulers = []runtimes.Scheduler{runtimes.Following(s)}
		change(&c, s)
		return c.Validate(topo)
	}
	for want, change := range map[string]func(*Request, *dag.Schedule){
		"": func(*Request, *dag.Schedule) {},
		"it is a schedule of fib n=3, and": func(_ *Request,
			s *dag.Schedule) {
			s.Program = "fib n=3"
		},
		"in simulated runs alone":              func(c *Request, _ *dag.Schedule) { c.Machine = nil },
		"for 2 workers, and the run has 1":     func(c *Request, _ *dag.Schedule) { c.Cores = 1 },
		"the nodes [0 1], and those of the ru": func(_ *Request, s *dag.Schedule) { s.Nodes[1] = 1 },
	} {
		err := follow(change)
		bad, ok := errors.AsType[*Error](err)
		if want == "" && err != nil || want != "" && (!ok || bad.Flag != "follow" ||
			!strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
