package kernelreuse

import (
	"slices"
	"testing"

	"krdlab/experiments/papers/study"
	"krdlab/experiments/run/request"
	"krdlab/hw"
)

// possible is an error for each request that its machine, or host, cannot do.
func possible(t *testing.T, scale study.Scale, plan []request.Request, host *hw.Topology) {
	t.Helper()
	for i := range plan {
		c, topo := &plan[i], host
		if c.Machine != nil {
			var err error
			if topo, err = c.Machine.Topology(); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Validate(topo); err != nil {
			t.Errorf("%s, cell %d: %s on %d cores: %v", scale, i, c.Kernel.Name, c.Cores, err)
		}
	}
}

// Every scale holds what the claims and figures need: one core, one socket, two, four; all of the
// paper's schedulers; what can be run here; each configuration is possible.
func TestPlan(t *testing.T) {
	host, err := hw.Synthetic("1x2")
	if err != nil {
		t.Fatal(err)
	}
	for _, scale := range study.Scales {
		plan, err := Plan(scale, 2)
		if err != nil {
			t.Fatal(err)
		}
		possible(t, scale, plan, host)
		cores, rule := map[string][]int{}, map[bool][]int{}
		for i := range plan {
			c := &plan[i]
			what := "native "
			if c.Machine != nil {
				what = "simulated "
				if c.Reps < 6 {
					t.Errorf("%s: %d seeds have no interval", scale, c.Reps)
				}
				of := papers
				if c.Params["layout"] == cellLayout { // for M2L alone
					of = []string{mth, tbb}
					if c.CacheModel != request.CacheLines || c.Cores != 24 {
						t.Errorf("%s: cells in one structure, %s, on %d cores", scale, c.CacheModel,
							c.Cores)
					}
				}
				for _, s := range of {
					two := (s == qtc || s == qts) && c.Params["tasks"] != exaTasks &&
						slices.Contains(bySorted[c.Kernel.Name], c.Cores)
					for _, list := range []string{nearRule, overrunRule} {
						if slices.Contains(request.Names(c.Schedulers), s+list) != two {
							t.Errorf("%s: %s%s on %d cores: %t", scale, s, list, c.Cores, !two)
						}
					}
					if !slices.Contains(request.Names(c.Schedulers), s) {
						t.Errorf("%s: %s is not among %v", scale, s, request.Names(c.Schedulers))
					}
				}
			}
			if c.Params["tasks"] == exaTasks {
				literal := c.Params["cutoff"] == literalCutoff
				rule[literal] = append(rule[literal], c.Cores)
				if bodies.has(c.Params) != literal || perTask.has(c.Params) == literal ||
					plain.has(c.Params) {
					t.Errorf("%s: %v is in the wrong reading", scale, c.Params)
				}
				continue
			}
			if !slices.Equal(request.Names(c.Schedulers), []string{"serial"}) {
				cores[what+c.Kernel.Name] = append(cores[what+c.Kernel.Name], c.Cores)
			} else if c.Trace != request.TraceKRD {
				t.Errorf("%s: what tracing costs is measured without a trace", scale)
			}
		}
		if !slices.Equal(rule[true], byRule) || !slices.Equal(rule[false], byRule) {
			t.Errorf("%s: exaFMM's tasks on %v cores", scale, rule)
		}
		for _, k := range []string{"matmul", "fmm"} {
			for _, n := range []int{1, 6, 12, 24} {
				if !slices.Contains(cores["simulated "+k], n) {
					t.Errorf("%s: %s is not simulated on %d cores", scale, k, n)
				}
			}
			if !slices.Equal(cores["native "+k], []int{1, 2}) {
				t.Errorf("%s: %s is run here on %v cores", scale, k, cores["native "+k])
			}
		}
	}
	_, flag := study.ParseScale("large")
	_, evaluation := Plan("large", 2)
	if flag == nil || evaluation == nil {
		t.Error("a scale that does not exist")
	}
	if n := nativeCores(6); !slices.Equal(n, []int{1, 2, 4, 6}) {
		t.Errorf("cores of 6: %v", n)
	}
	if n := nativeCores(64); n[len(n)-1] != 24 {
		t.Errorf("cores of 64: %v", n)
	}
}
