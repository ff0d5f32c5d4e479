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

// plan returns the loops that bring most if they are parallel on so many cores, the best first,
// none of which is within another: of a loop and those within, whatever saves more work (Kremlin's
// planner for OpenMP, PLDI 2011, section 5). A loop of work w and self-parallelism SP takes w /
// min(SP, cores) then, and for each instance and core the cost of a spawn. Other regions are left
// out: the parallelism of a function or an iteration by itself is that of instructions, and tasks
// are parallel.
func plan(list []Region, opt *Options) []Planned {
	all, deepest := 0.0, 0
	for i := range list {
		if deepest = max(deepest, len(list[i].Path)); len(list[i].Path) == 1 {
			all += float64(list[i].Work)
		}
	}
	// from the innermost out: by depth, what the best of those there saves, within the next one out
	within := make([]float64, deepest+2)
	saved := make([]float64, len(list)) // by the region alone, if that is best
	for i, r := range slices.Backward(list) {
		depth := len(r.Path)
		alone := r.saved(opt)
		if alone > 0 && alone >= within[depth+1] {
			saved[i] = alone
		}
		within[depth] += max(alone, within[depth+1])
		within[depth+1] = 0
	}
	chosen := []Planned{}
	for i := 0; i < len(list); i++ {
		if saved[i] == 0 {
			continue
		}
		r := &list[i]
		if speedup := all / (all - saved[i]); speedup >= opt.LeastSpeedup {
			chosen = append(chosen, Planned{r.Path, speedup, r.Class})
		}
		for depth := len(r.Path); i+1 < len(list) && len(list[i+1].Path) > depth; {
			i++ // what is within
		}
	}
	slices.SortStableFunc(chosen, func(a, b Planned) int { return cmp.Compare(b.Speedup, a.Speedup) })
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
