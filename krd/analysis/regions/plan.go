package regions

import (
	"cmp"
	"slices"

	"krdlab/krd/analysis/loops"
)

// A Planned is a loop whose execution in parallel pays.
type Planned struct {
	Path  []string `json:"path"`  // of those it is planned by, the one that saves most
	Paths int      `json:"paths"` // that it is planned by
	// Speedup is how much faster the program gets if this loop alone is parallel, by all of these;
	// Together, if those before it in the plan are too.
	Speedup  float64 `json:"speedup"`
	Together float64 `json:"together"`
	// Measured in this run: a spawn costs as much as so many iterations of IterationWork, their
	// mean.
	Instances     uint64  `json:"instances"`
	Iterations    uint64  `json:"iterations"`
	IterationWork float64 `json:"iteration_work"`
	Class         *string `json:"class"` // by Path
	// Removed lists the changes that it needs.
	Removed []loops.Removal `json:"removed"`

	// Misses are its shares beyond the caches, serially and on several cores; null: not asked for.
	Misses *Misses `json:"misses"`
	// Tried is the result of executing it in other orders; null: not asked for.
	Tried *Tried `json:"tried"`

	// Work: that is saved by all paths, and by Path; all of its own, and of the program.
	saved, most, work, all float64
}

// plan returns the loops that bring most if they are parallel on so many cores, the best first, and
// none within another: of a loop and those within, whatever saves more work (Kremlin's planner for
// OpenMP, PLDI 2011, section 5). A loop of work w and self-parallelism SP takes w / min(SP, cores)
// then, and for each instance and core the cost of a spawn. The saving of a loop is summed over the
// paths that lead to it: it is made parallel once, in its source. Other regions are left out: the
// parallelism of a function or an iteration by itself is that of instructions, and tasks are
// parallel.
func plan(list []Region, opt *Options) []Planned {
	all, deepest := 0.0, 0
	for i := range list {
		if deepest = max(deepest, len(list[i].Path)); len(list[i].Path) == 1 {
			all += float64(list[i].Work)
		}
	}
	// from the innermost out: by depth, the saving of the best of those there, within the next one
	// out
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
	of := map[string]int{} // by the name of a loop, in chosen
	for i := 0; i < len(list); i++ {
		if saved[i] == 0 {
			continue
		}
		r := &list[i]
		name := r.Path[len(r.Path)-1]
		at, seen := of[name]
		if !seen {
			at = len(chosen)
			of[name], chosen = at, append(chosen, Planned{})
		}
		p := &chosen[at]
		p.Instances, p.Iterations = p.Instances+r.Instances, p.Iterations+r.Iterations
		p.work += float64(r.Work)
		if p.Paths, p.saved = p.Paths+1, p.saved+saved[i]; saved[i] > p.most {
			p.Path, p.Class, p.Removed, p.most = r.Path, r.Class, r.Removed, saved[i]
		}
		for depth := len(r.Path); i+1 < len(list) && len(list[i+1].Path) > depth; {
			i++ // what is within
		}
	}
	for i := range chosen {
		chosen[i].Speedup = all / (all - chosen[i].saved)
	}
	chosen = slices.DeleteFunc(chosen, func(p Planned) bool { return p.Speedup < opt.LeastSpeedup })
	slices.SortStableFunc(chosen, func(a, b Planned) int { return cmp.Compare(b.Speedup, a.Speedup) })
	together := 0.0
	for i := range chosen {
		p := &chosen[i]
		together += p.saved
		p.Together, p.IterationWork = all/(all-together), p.work/float64(max(p.Iterations, 1))
		p.all = all
	}
	return chosen
}

// saved returns how much of a region's work its execution in parallel saves.
func (r *Region) saved(opt *Options) float64 {
	if r.SelfParallelism == nil || r.Class == nil || *r.Class != loops.DoAll &&
		*r.Class != loops.Reduced {
		return 0
	}
	cores := float64(opt.PlanCores)
	spawns := float64(r.Instances) * cores * float64(opt.SpawnCost)
	return float64(r.Work) - float64(r.Work)/min(*r.SelfParallelism, cores) - spawns
}
