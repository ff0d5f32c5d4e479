package reproduce

import (
	"slices"
	"testing"

	"krdlab/experiments/request"
	"krdlab/hw"
)

// Every scale holds what the claims and figures need: one core, one socket, two, four; all of the
// paper's schedulers; what can be run here; each configuration is possible.
func TestPlan(t *testing.T) {
	host, err := hw.Synthetic("1x2")
	if err != nil {
		t.Fatal(err)
	}
	for _, scale := range Scales {
		plan, err := Plan(scale, 2)
		if err != nil {
			t.Fatal(err)
		}
		cores := map[string][]int{}
		for i := range plan {
			c := &plan[i]
			topo, what := host, "native "
			if c.Machine != nil {
				what = "simulated "
				if topo, err = c.Machine.Topology(); err != nil {
					t.Fatal(err)
				}
				if c.Reps < 6 {
					t.Errorf("%s: %d seeds have no interval", scale, c.Reps)
				}
				for _, s := range papers {
					if !slices.Contains(request.Names(c.Schedulers), s) {
						t.Errorf("%s: %s is not among %v", scale, s, request.Names(c.Schedulers))
					}
				}
			}
			if err := c.Validate(topo); err != nil {
				t.Errorf("%s, cell %d: %v", scale, i, err)
			}
			if !slices.Equal(request.Names(c.Schedulers), []string{"serial"}) {
				cores[what+c.Kernel.Name] = append(cores[what+c.Kernel.Name], c.Cores)
			} else if c.Trace != request.TraceKRD {
				t.Errorf("%s: what tracing costs is measured without a trace", scale)
			}
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
	if _, err := ParseScale("large"); err == nil {
		t.Error("a scale that does not exist")
	}
	if n := nativeCores(6); !slices.Equal(n, []int{1, 2, 4, 6}) {
		t.Errorf("cores of 6: %v", n)
	}
	if n := nativeCores(64); n[len(n)-1] != 24 {
		t.Errorf("cores of 64: %v", n)
	}
}
