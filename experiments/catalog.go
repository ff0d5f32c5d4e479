package experiments

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Scheduler is one that can be asked for, by name (design, section 3).
type Scheduler struct {
	Name    string `json:"name"`
	Paper   string `json:"paper"` // the paper's name of it, or ""
	Summary string `json:"summary"`
}

var schedulers = []Scheduler{
	{"serial", "", "plain recursion on one worker; gives the serial time and work"},
	{"workfirst", "MTH", "the child runs, the rest of the parent is queued; steals the oldest of a random victim"},
	{"helpfirst", "TBB", "the child is queued, the parent goes on; a started task never migrates"},
	{"helpfirst-locality", "TBB with affinity", "as helpfirst, with mailboxes for tasks that prefer another worker"},
	{"shepherd-core", "QTH/Core", "the child is queued, one queue per core; steals half of the nearest victim's"},
	{"shepherd-socket", "QTH/Socket", "as shepherd-core, one queue per last-level cache, shared by its workers"},
	{"go", "", "a go statement per task: Go's own scheduler"},
}

// Schedulers returns every scheduler, serial first.
func Schedulers() []Scheduler { return slices.Clone(schedulers) }

// SchedulerNames returns the names of [Schedulers].
func SchedulerNames() []string {
	names := make([]string, len(schedulers))
	for i, s := range schedulers {
		names[i] = s.Name
	}
	return names
}

// FindScheduler returns the scheduler of that name, or a [*ConfigError] that suggests the nearest.
func FindScheduler(name string) (*Scheduler, error) {
	for i := range schedulers {
		if schedulers[i].Name == name {
			return &schedulers[i], nil
		}
	}
	return nil, &ConfigError{"sched", name, "there is no such scheduler; " + Suggest(name, append(SchedulerNames(), "all"))}
}

// Params holds the values of a kernel's parameters by name: int for [IntParam], string for the others.
type Params map[string]any

// A ParamKind is the type of a parameter's value.
type ParamKind int

// The kinds of parameters.
const (
	IntParam   ParamKind = iota // an int within Min and Max
	WordParam                   // one of Choices
	ShapeParam                  // three positive numbers MxNxK, or one of Choices
)

// A Param declares one parameter of a kernel. It becomes a flag of `krdlab run KERNEL` and a key of "params" in results.
type Param struct {
	Name     string    `json:"name"`
	Kind     ParamKind `json:"-"`
	Default  any       `json:"default"`
	Min, Max int       `json:"-"`
	Choices  []string  `json:"choices,omitempty"`
	Help     string    `json:"help"`
}

// A Kernel is one that can be asked for, with its parameters in the order in which they are shown.
type Kernel struct {
	Name    string  `json:"name"`
	Summary string  `json:"summary"`
	Work    bool    `json:"work"` // false: it has no kernels in the paper's sense, so that OVR and WTI are null
	Params  []Param `json:"params"`
}

var kernels = []Kernel{
	{"matmul", "dense matrix multiply, C += A B in single precision, divide and conquer", true, []Param{
		{Name: "n", Kind: IntParam, Default: 4096, Min: 1, Max: 1 << 17,
			Help: "rows and columns of each matrix; any size"},
		{Name: "leaf", Kind: ShapeParam, Default: "32x32x64", Choices: []string{"paper-block", "paper-grain", "l1"},
			Help: "largest leaf as rows of C x columns of C x inner dimension, or a preset: paper-block (32x32x64, the paper's access " +
				"counts), paper-grain (about 17 us a leaf, the paper's task size), l1 (the fastest that fits the L1 data cache)"},
		{Name: "layout", Kind: WordParam, Default: "tiled", Choices: []string{"row", "tiled"},
			Help: "how matrices lie in memory: row (row-major) or tiled (leaf-sized tiles in Z-order)"},
		{Name: "isa", Kind: WordParam, Default: "auto", Choices: []string{"auto", "avx512", "avx2", "portable"},
			Help: "instruction set of the leaf; auto takes the best that this CPU has"},
		{Name: "inputs", Kind: WordParam, Default: "integers", Choices: []string{"integers", "uniform"},
			Help: "integers in [-8, 8], whose product is exact and is checked exactly, or uniform in [-1, 1), checked to a statistical bound"},
	}},
	{"fib", "Fibonacci numbers by plain recursion, no cut-off: the cost of a spawn", false, []Param{
		{Name: "n", Kind: IntParam, Default: 32, Min: 0, Max: 60, Help: "which number; each step takes 1.6 times as long"},
	}},
}

// Kernels returns every kernel.
func Kernels() []Kernel { return slices.Clone(kernels) }

// KernelNames returns the names of [Kernels].
func KernelNames() []string {
	names := make([]string, len(kernels))
	for i, k := range kernels {
		names[i] = k.Name
	}
	return names
}

// FindKernel returns the kernel of that name, or a [*ConfigError] that suggests the nearest.
func FindKernel(name string) (*Kernel, error) {
	for i := range kernels {
		if kernels[i].Name == name {
			return &kernels[i], nil
		}
	}
	return nil, &ConfigError{"kernel", name, "there is no such kernel; " + Suggest(name, KernelNames())}
}

// Defaults returns a value for every parameter of k.
func (k *Kernel) Defaults() Params {
	p := Params{}
	for _, d := range k.Params {
		p[d.Name] = d.Default
	}
	return p
}

// Check returns a [*ConfigError] for the first of k's parameters whose value in p is missing or not allowed, or for a name that k
// does not have.
func (k *Kernel) Check(p Params) error {
	for i := range k.Params {
		d := &k.Params[i]
		v, ok := p[d.Name]
		if !ok {
			return &ConfigError{d.Name, "(none)", k.Name + " needs it"}
		}
		if err := d.check(v); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if !slices.ContainsFunc(k.Params, func(d Param) bool { return d.Name == name }) {
			return &ConfigError{name, fmt.Sprint(p[name]), k.Name + " has no such parameter"}
		}
	}
	return nil
}

func (d *Param) check(v any) error {
	got := fmt.Sprint(v)
	switch d.Kind {
	case IntParam:
		n, ok := v.(int)
		if ok && n >= d.Min && n <= d.Max {
			return nil
		}
		return &ConfigError{d.Name, got, fmt.Sprintf("it must be a whole number from %d to %d", d.Min, d.Max)}
	case ShapeParam:
		if _, ok := parseDims(got, 3); ok || slices.Contains(d.Choices, got) {
			return nil
		}
		return &ConfigError{d.Name, got, fmt.Sprintf("write it as MxNxK, such as %v, or choose %s", d.Default, strings.Join(d.Choices, ", "))}
	}
	if slices.Contains(d.Choices, got) {
		return nil
	}
	return &ConfigError{d.Name, got, "choose " + strings.Join(d.Choices, " or ")}
}

// Describe returns the parameters in the order of k's declaration, as n=4096 leaf=32x32x64.
func (k *Kernel) Describe(p Params) string {
	parts := make([]string, 0, len(k.Params))
	for _, d := range k.Params {
		v := p[d.Name]
		if f, ok := v.(float64); ok && f == math.Trunc(f) { // read back from JSON
			v = strconv.FormatFloat(f, 'f', 0, 64)
		}
		parts = append(parts, fmt.Sprintf("%s=%v", d.Name, v))
	}
	return strings.Join(parts, " ")
}
