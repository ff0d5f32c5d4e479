package kernelreuse

import (
	"slices"
	"strings"
	"testing"

	"krdlab/experiments/papers/steps"
	"krdlab/experiments/run/request"
)

// An ablation has the paper's schedulers and each with one rule changed, and its cells are possible.
func TestAblationPlan(t *testing.T) {
	for _, scale := range steps.Scales {
		plan, err := AblationPlan(scale)
		if err != nil {
			t.Fatal(err)
		}
		possible(t, scale, plan, nil)
		for i := range plan {
			c := &plan[i]
			names := request.Names(c.Schedulers)
			for _, want := range []string{"workfirst", "helpfirst:join-last=1", "shepherd-core",
				"shepherd-core:share=1", "shepherd-socket:cache=0"} {
				if !slices.Contains(names, want) {
					t.Errorf("%s, cell %d: no %s among %v", scale, i, want, names)
				}
			}
			for _, s := range c.Schedulers {
				if strings.Count(s.Name, "=") > 1 {
					t.Errorf("%s changes several rules", s.Name)
				}
			}
			if c.Reps < 6 {
				t.Errorf("%s: %d seeds have no interval", scale, c.Reps)
			}
		}
	}
}
