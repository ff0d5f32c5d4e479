package regions

import (
	"cmp"
	"slices"

	"krdlab/loi"
)

// A Planned is a loop whose execution in parallel pays.
type Planned struct {
	Path []string `json:"path"`
	// Speedup is how much faster the whole program gets if this region alone is parallel.
	Speedup float64 `json:"speedup"`
	Class   *string `json:"class"`
}

// plan returns the loops that bring most if they are parallel on so many cores, the best first, none of
// which is within another: of a loop and those within, whatever saves more work (Kremlin's planner for
// OpenMP, PLDI 2011, section 5). A loop of work w and self-parallelism SP takes w / min(SP, cores)
// then, and for each instance and core the cost of a spawn. Other regions are left out: the parallelism
// of a function or an iteration by itself is that of instructions, and tasks are parallel.
func plan(list []Region, opt *Options) []Planned {
	chosen, all := []Planned{}, 0.0
	for i := range list {
		if len(list[i].Path) == 1 {
			all += float64(list[i].Work)
		}
	}
	saved := make([]float64, len(list))  // by the region alone
	best := make([]float64, len(list)+1) // by it, or the best of those within
	var within []int                     // of those that are open: the path that is gone down
	sums := make([]float64, len(list))
	end := func(depth int) {
		for len(within) > depth {
			i := within[len(within)-1]
			within = within[:len(within)-1]
			best[i] = max(saved[i], sums[i])
			if len(within) > 0 {
				sums[within[len(within)-1]] += best[i]
			}
		}
	}
	for i := range list {
		end(len(list[i].Path) - 1)
		saved[i] = list[i].saved(opt)
		within = append(within, i)
	}
	end(0)
	type choice struct {
		saved float64
		Planned
	}
	var choices []choice
	for i := 0; i < len(list); i++ {
		r := &list[i]
		if saved[i] <= 0 || saved[i] < best[i] {
			continue
		}
		if speedup := all / (all - saved[i]); speedup >= opt.LeastSpeedup {
			choices = append(choices, choice{saved[i], Planned{r.Path, speedup, r.Class}})
		}
		for depth := len(r.Path); i+1 < len(list) && len(list[i+1].Path) > depth; {
			i++ // what is within
		}
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return cmp.Compare(b.saved, a.saved) })
	for _, c := range choices {
		chosen = append(chosen, c.Planned)
	}
	return chosen
}

// saved is how much of the work of a region its execution in parallel saves.
func (r *Region) saved(opt *Options) float64 {
	if r.SelfParallelism == nil || r.Kind != loi.Loop.String() {
		return 0
	}
	cores := float64(opt.PlanCores)
	spawns := float64(r.Instances) * cores * float64(opt.SpawnCost)
	return float64(r.Work) - float64(r.Work)/min(*r.SelfParallelism, cores) - spawns
}
