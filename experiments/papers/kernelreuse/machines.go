package kernelreuse

import (
	"slices"

	"krdlab/experiments/papers/claims"
	"krdlab/experiments/papers/steps"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/experiments/run/stats"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
)

// machineSizes are the programs by scale; FMM runs on all cores of a machine only.
var machineSizes = map[steps.Scale]struct {
	matmul, fmm  kernel.Params
	seeds, draws int
}{
	steps.Smoke: {asPaper(128), kernel.Params{"bodies": 300}, 6, 1},
	steps.Quick: {asPaper(2048), kernel.Params{"bodies": 30_000}, 6, mostMachineDraws},
	steps.Paper: {asPaper(4096), kernel.Params{"bodies": 100_000}, 6, mostMachineDraws},
}

// MachinesPlan returns the requests that ask the paper's conclusions of machines: the schedulers of
// the evaluation on the cores of one last-level cache, on half of the caches and on all; and the
// matrix product, with one seed, on draws of each machine whose guesses have ranges.
func MachinesPlan(scale steps.Scale, machines []*machine.Machine) ([]request.Request, error) {
	size, err := sized(machineSizes, scale)
	if err != nil {
		return nil, err
	}
	under := schedulers(Schedulers)
	var plan requests
	for _, m := range machines {
		for _, n := range coresOf(m) {
			plan.add("matmul", size.matmul, m, n, size.seeds, under)
		}
		plan.add("fmm", size.fmm, m, m.Cores(), size.seeds, under)
		drawn, err := drawnMachines(m, size.draws)
		if err != nil {
			return nil, err
		}
		for _, d := range drawn {
			plan.add("matmul", size.matmul, d, d.Cores(), 1, under)
		}
	}
	return plan, nil
}

// coresOf are the cores of one node, of half of the nodes and of all.
func coresOf(m *machine.Machine) []int {
	return slices.Compact([]int{m.CoresPerNode, (m.Nodes + 1) / 2 * m.CoresPerNode, m.Cores()})
}

// A conclusion is what the paper concludes of its machine, as a question to any.
type conclusion struct {
	id, says, where string
	judge           func(s *site) claims.Verdict
}

// A site is a program on so many cores of a machine.
type site struct {
	group *dataset.Group
	cores int
	exact bool   // of a draw: its values are taken as they are
	draws []site // the same program on as many cores of draws of the machine
}

func (s *site) machine() string { return s.group.Cells[0].MachineName() }

// of is a measure under a scheduler; unknown where that was not run.
func (s *site) of(m stats.Measure, scheduler string) result.Quantity {
	r := s.group.At(scheduler, s.cores)
	switch {
	case r == nil:
		return result.Quantity{}
	case s.exact:
		return claims.Exactly(m.Of(r).Median.Float())
	}
	return m.Of(r)
}

// least reports whether a scheduler has less of a measure than the paper's others, most whether it
// has more.
func least(m stats.Measure, scheduler string) func(s *site) claims.Verdict {
	return beside(scheduler, func(o string) func(s *site) claims.Verdict {
		return fewer(m, scheduler, o)
	})
}

func most(m stats.Measure, scheduler string) func(s *site) claims.Verdict {
	return beside(scheduler, func(o string) func(s *site) claims.Verdict {
		return fewer(m, o, scheduler)
	})
}

// beside is the verdict on a scheduler beside each of the paper's others.
func beside(scheduler string,
	f func(other string) func(s *site) claims.Verdict) func(s *site) claims.Verdict {
	return func(s *site) claims.Verdict {
		var verdicts []claims.Verdict
		for _, o := range papers {
			if o != scheduler {
				verdicts = append(verdicts, f(o)(s))
			}
		}
		return claims.All(verdicts...)
	}
}

// fewer reports whether one scheduler has less than another.
func fewer(m stats.Measure, a, b string) func(s *site) claims.Verdict {
	return func(s *site) claims.Verdict { return less(s.of(m, a), s.of(m, b)) }
}

// conclusions are what is asked. Programs, core counts and sizes of caches are others than the
// paper's, so that they are no claims: an order is that of the intervals.
var conclusions = []conclusion{
	{"socket-reuse", "QTH/Socket has the fewest accesses beyond the LLC", "IV-A",
		least(stats.BeyondLLC, qts)},
	{"tbb-reuse", "TBB has the most of them", "IV-A", most(stats.BeyondLLC, tbb)},
	{"sharing", "QTH/Socket misses less than QTH/Core: one LIFO for a cache pays", "table I",
		fewer(stats.Misses, qts, qtc)},
	{"mth-misses", "MTH has the fewest LLC misses", "table I", least(stats.Misses, mth)},
	{"mth-wti", "MTH inflates work least", "table I", least(stats.WTI, mth)},
	{"socket-wti", "QTH/Socket inflates work most", "table I", most(stats.WTI, qts)},
	{"tbb-wti", "TBB inflates work more than MTH", "II-C", fewer(stats.WTI, mth, tbb)},
	{"tbb-ovr", "TBB has more overhead than MTH", "II-C", fewer(stats.OVR, mth, tbb)},
	{"mth-fastest", "MTH is the fastest", "II-C", least(stats.Time, mth)},
}

// sites are those of an experiment: program by program, machines in the order of its plan, cores
// ascending; draws of a machine are within its own.
func sites(e *dataset.Experiment) (list []site, err error) {
	of, err := drawsIn(e)
	if err != nil {
		return nil, err
	}
	groups := e.Groups()
	var programs []string
	for i := range groups {
		g := &groups[i]
		if of[hashOf(g)] != "" {
			continue
		}
		programs = with(programs, programOf(g))
		for _, n := range g.Cores() {
			s := site{group: g, cores: n}
			for j := range groups {
				if d := &groups[j]; of[hashOf(d)] != "" && of[hashOf(d)] == hashOf(g) &&
					programOf(d) == programOf(g) && slices.Contains(d.Cores(), n) {
					s.draws = append(s.draws, site{group: d, cores: n, exact: true})
				}
			}
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b site) int {
		return slices.Index(programs, programOf(a.group)) - slices.Index(programs, programOf(b.group))
	})
	return list, nil
}

// programOf is what tells programs apart.
func programOf(g *dataset.Group) string { return g.Kernel + " " + g.Params }

// over is a measure under a scheduler over that under MTH, as far apart as the intervals allow.
func (s *site) over(m stats.Measure, scheduler string) result.Quantity {
	return ratio(s.of(m, scheduler), s.of(m, mth))
}
