package kernels

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"krdlab/hw"
	"krdlab/hw/hwtest/long"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// The conformance suite: every scheduler x kernel x topology, on threads and in virtual time. It
// takes all three from their tables: a new scheduler or kernel is covered without a change here.
// The short shape has every pair of a scheduler and a kernel once, and deals the instances of the
// kernel and the topologies out over the pairs; so each of these meets several schedulers.

// topologies are nodes x workers of each; nodes of a native run are synthetic.
var topologies = [][2]int{{1, 1}, {1, 6}, {4, 6}}

func nodesOf(t [2]int) []int {
	var nodes []int
	for i := range t[0] * t[1] {
		nodes = append(nodes, i/t[1])
	}
	return nodes
}

// dealt returns true for the number at of n that falls to scheduler s and kernel k, which are
// numbers in their tables. others is how many pairs in a row get the same number.
func dealt(at, n, s, k, others int) bool { return (s/others+k)%n == at }

// each calls f for every case that exists: the scheduler serial has one worker. Of schedulers with
// parameters there is a case more for each variant and kernel, in the short shape for each variant
// and one kernel of five.
func each(t *testing.T, f func(t *testing.T, s runtimes.Scheduler, k *kernel.Kernel,
	p kernel.Params, nodes []int)) {
	run := func(s runtimes.Scheduler, k *kernel.Kernel, small kernel.Params, top [2]int) {
		t.Run(fmt.Sprintf("%s/%s/%v/%dx%d", s.Name, k.Name, small, top[0], top[1]),
			func(t *testing.T) {
				f(t, s, k, k.With(small), nodesOf(top))
			})
	}
	for i, s := range runtimes.Schedulers {
		for j, k := range Table {
			for at, v := range s.Variants() {
				if long.Or(dealt(at%5, 5, i, j, 1), true) {
					run(v, k, k.Small[0], topologies[len(topologies)-1])
				}
			}
			tops := topologies
			if s.Serial() {
				tops = tops[:1]
			}
			for at, small := range k.Small {
				for top := range tops {
					if long.Or(dealt(at, len(k.Small), i, j, 1) &&
						dealt(top, len(tops), i, j, len(k.Small)), true) {
						run(s, k, small, tops[top])
					}
				}
			}
		}
	}
}

func instance(t *testing.T, k *kernel.Kernel, p kernel.Params, hints bool) kernel.Instance {
	t.Helper()
	in, err := k.New(p, kernel.Env{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	})
	in.Reset(hints)
	return in
}

// expected are the serial runs, by kernel and parameters.
var expected = map[string]*runtimes.Result{}

// expect are the counts of the serial run in virtual time, which those of any other must equal. One
// run serves all that ask.
func expect(t *testing.T, k *kernel.Kernel, p kernel.Params) *runtimes.Result {
	t.Helper()
	key := fmt.Sprint(k.Name, p)
	if r := expected[key]; r != nil {
		return r
	}
	in := instance(t, k, p, false)
	r, err := runtimes.Step(runtimes.StepConfig{Policy: runtimes.Serial{}, Nodes: []int{0},
		Kernels: in.Registry().Kernels}, in)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := k.Plan(p)
	if err != nil {
		t.Fatal(err)
	}
	if n := executions(r); k.Work && plan.Executions != 0 && n != plan.Executions {
		t.Errorf("%d kernel executions, the plan says %d", n, plan.Executions)
	}
	expected[key] = r
	return r
}

func executions(r *runtimes.Result) (n uint64) {
	for _, k := range r.Kernels {
		n += k.Count
	}
	return n
}

func compare(t *testing.T, in kernel.Instance, got, want *runtimes.Result) {
	t.Helper()
	if c := in.Check(); !c.Passed {
		t.Errorf("check failed: error %g, tolerance %g (%s) %s", c.Error, c.Tolerance, c.Method,
			c.Detail)
	}
	if got.Open != 0 {
		t.Errorf("%d kernel executions have not ended", got.Open)
	}
	if got.Tasks != want.Tasks {
		t.Errorf("%d tasks, the serial run has %d", got.Tasks, want.Tasks)
	}
	if executions(got) != executions(want) {
		t.Errorf("%d kernel executions, the serial run has %d", executions(got), executions(want))
	}
}

// llcBytes are too few for what some of the small instances touch, so that policies that go by them
// have something to cut.
const llcBytes = 64 << 10

// seeds returns the number of seeds of a case: one worker has no victim to choose.
func seeds(nodes []int) uint64 {
	if len(nodes) == 1 {
		return 1
	}
	return long.Or[uint64](1, 3)
}

func TestNative(t *testing.T) {
	// A run begins with a collection, in which procs hand over to each other at each span: a few ms
	// with two, below one with one. The run itself sets as many as it has workers.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	clock := hw.CalibrateClock()
	each(t, func(t *testing.T, s runtimes.Scheduler, k *kernel.Kernel, p kernel.Params,
		nodes []int) {
		want := expect(t, k, p)
		in := instance(t, k, p, s.Rules().Hints)
		cpus := make([]int, len(nodes))
		for i := range cpus {
			cpus[i] = -1
		}
		for seed := range seeds(nodes) {
			in.Reset(s.Rules().Hints)
			got, err := runtimes.Run(context.Background(), runtimes.Config{
				Policy: s, CPUs: cpus, Nodes: nodes, LLCBytes: llcBytes, Seed: seed, Clock: clock,
				Tracing: runtimes.TraceProfile, Kernels: in.Registry().Kernels,
			}, in)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, in, got, want)
		}
	})
}

func TestVirtual(t *testing.T) {
	if testing.Short() {
		t.Skip("on one goroutine")
	}
	each(t, func(t *testing.T, s runtimes.Scheduler, k *kernel.Kernel, p kernel.Params,
		nodes []int) {
		if s.Rules().Spawn == runtimes.SpawnGo {
			t.Skip(runtimes.ErrNoVirtual)
		}
		want := expect(t, k, p)
		in := instance(t, k, p, s.Rules().Hints)
		for seed := range seeds(nodes) {
			in.Reset(s.Rules().Hints)
			got, err := runtimes.Step(runtimes.StepConfig{Policy: s, Nodes: nodes, Seed: seed,
				LLCBytes: llcBytes, Kernels: in.Registry().Kernels}, in)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, in, got, want)
		}
	})
}

// The registry describes objects that the kernels can name: no empty object, no parameter of one
// that is missing.
func TestRegistries(t *testing.T) {
	for _, k := range Table {
		for _, small := range k.Small {
			reg := instance(t, k, k.With(small), false).Registry()
			for _, kern := range reg.Kernels {
				for i, p := range kern.Params {
					if int(p.Object) >= len(reg.Objects) || p.Mode&^loi.InOut != 0 || p.Mode == 0 {
						t.Errorf("%s: kernel %s, parameter %d: %+v with %d objects", k.Name,
							kern.Name, i, p, len(reg.Objects))
					}
				}
			}
			for _, o := range reg.Objects {
				if o.Name == "" || o.Len() == 0 || o.Bytes() == 0 {
					t.Errorf("%s: object %+v", k.Name, o)
				}
			}
		}
	}
}

// The size of a kernel is a parameter of its own that is a number.
func TestSizes(t *testing.T) {
	for _, k := range Table {
		if k.Size != "" && !slices.ContainsFunc(k.Params, func(p kernel.Param) bool {
			return p.Name == k.Size && p.Kind == kernel.IntParam
		}) {
			t.Errorf("%s: its size %q is none of its whole numbers", k.Name, k.Size)
		}
	}
}

// Every kernel has a small class, which is small; every class is one that the kernel takes.
func TestClasses(t *testing.T) {
	for _, k := range Table {
		if _, ok := k.InClass("small"); !ok {
			t.Errorf("%s has no small class", k.Name)
		}
		for _, c := range k.Classes {
			if c.Name == "default" || !slices.Contains(kernel.ClassNames, c.Name) {
				t.Errorf("%s: there is no class %q to define", k.Name, c.Name)
			}
			for name := range c.Params {
				if !slices.ContainsFunc(k.Params, func(p kernel.Param) bool {
					return p.Name == name
				}) {
					t.Errorf("%s, class %s: there is no parameter %q", k.Name, c.Name, name)
				}
			}
			p, _ := k.InClass(c.Name)
			for i := range k.Params {
				if err := k.Params[i].Check(p[k.Params[i].Name]); err != nil {
					t.Errorf("%s, class %s: %v", k.Name, c.Name, err)
				}
			}
			plan, err := k.Plan(p)
			if err != nil {
				t.Fatal(err)
			}
			n := plan.Executions
			if c.Name == "small" && n == 0 && k.Work {
				n = executions(dry(t, k, p))
			}
			if c.Name == "small" && (n > kernel.SmallExecutions || n == 0 && k.Work) {
				t.Errorf("%s: class small has %d kernel executions, want 1 to %d", k.Name, n,
					kernel.SmallExecutions)
			}
		}
	}
}

// dry counts what a run does without computing it.
func dry(t *testing.T, k *kernel.Kernel, p kernel.Params) *runtimes.Result {
	t.Helper()
	in, err := k.New(p, kernel.Env{Seed: 7, Dry: true})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	in.Reset(false)
	r, err := runtimes.Step(runtimes.StepConfig{Policy: runtimes.Serial{}, Nodes: []int{0},
		Kernels: in.Registry().Kernels, Dry: true}, in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
