package reproduce

import (
	"fmt"
	"slices"

	"krdlab/experiments/dataset"
	"krdlab/experiments/request"
	"krdlab/experiments/stats"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
)

// Names of what WriteMachines leaves in the folder of the experiment.
const (
	MachinesText   = "machines.txt"
	MachinesCSV    = "machines.csv"
	ConclusionsCSV = "conclusions.csv"
	MachinesFigure = "machines"
)

// machineSizes are the programs by scale; FMM runs on all cores of a machine only.
var machineSizes = map[Scale]struct {
	matmul, fmm  kernel.Params
	seeds, draws int
}{
	Smoke: {kernel.Params{"n": 128}, kernel.Params{"bodies": 300}, 6, 1},
	Quick: {kernel.Params{"n": 2048}, kernel.Params{"bodies": 30_000}, 6, mostMachineDraws},
	Paper: {kernel.Params{"n": 4096}, kernel.Params{"bodies": 100_000}, 6, mostMachineDraws},
}

// MachinesPlan returns the requests that ask the paper's conclusions of machines: the schedulers of
// the evaluation on the cores of one last-level cache, on half of the caches and on all; and the
// matrix product, with one seed, on draws of each machine whose guesses have ranges.
func MachinesPlan(scale Scale, machines []*machine.Machine) ([]request.Request, error) {
	size, ok := machineSizes[scale]
	if !ok {
		return nil, fmt.Errorf("there is no scale %q", scale)
	}
	schedulers, err := request.FindSchedulers(Schedulers)
	if err != nil {
		return nil, err
	}
	var plan []request.Request
	add := func(name string, params kernel.Params, m *machine.Machine, cores, seeds int) error {
		k, err := request.FindKernel(name)
		if err != nil {
			return err
		}
		c := request.New(k)
		for name, v := range params {
			c.Params[name] = v
		}
		c.Machine, c.Cores, c.Schedulers, c.Reps = m, cores, schedulers, seeds
		c.Warmup, c.Trace = 0, request.TraceKRD
		plan = append(plan, c)
		return nil
	}
	for _, m := range machines {
		for _, n := range coresOf(m) {
			if err := add("matmul", size.matmul, m, n, size.seeds); err != nil {
				return nil, err
			}
		}
		if err := add("fmm", size.fmm, m, m.Cores(), size.seeds); err != nil {
			return nil, err
		}
		drawn, err := drawnMachines(m, size.draws)
		if err != nil {
			return nil, err
		}
		for _, d := range drawn {
			if err := add("matmul", size.matmul, d, d.Cores(), 1); err != nil {
				return nil, err
			}
		}
	}
	return plan, nil
}

// coresOf are the cores of one node, of half of the nodes and of all.
func coresOf(m *machine.Machine) []int {
	return slices.Compact([]int{m.CoresPerNode, (m.Nodes + 1) / 2 * m.CoresPerNode, m.Cores()})
}

// beyondLLC is the share of the accesses that no last-level cache of the machine's size holds, in %.
var beyondLLC = share(stats.FarOrCold)

// A conclusion is what the paper concludes of its machine, as a question to any.
type conclusion struct {
	id, says, where string
	judge           func(s *site) Verdict
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
func (s *site) of(m measure, scheduler string) interval {
	r := s.group.At(scheduler, s.cores)
	switch {
	case r == nil:
		return interval{}
	case s.exact:
		return m(r).exactly()
	}
	return m(r)
}

// least says whether a scheduler has less of a measure than the paper's others.
func least(m measure, scheduler string) func(s *site) Verdict {
	return func(s *site) Verdict {
		var others []interval
		for _, o := range papers {
			if o != scheduler {
				others = append(others, s.of(m, o))
			}
		}
		return below(s.of(m, scheduler), others...)
	}
}

// most says whether it has more than each of them.
func most(m measure, scheduler string) func(s *site) Verdict {
	return func(s *site) Verdict {
		var verdicts []Verdict
		for _, o := range papers {
			if o != scheduler {
				verdicts = append(verdicts, less(s.of(m, o), s.of(m, scheduler)))
			}
		}
		return all(verdicts...)
	}
}

// conclusions are what is asked. Programs, core counts and sizes of caches are others than the
// paper's, so that they are no claims.
var conclusions = []conclusion{
	{"socket-reuse", "QTH/Socket has the fewest accesses beyond the LLC", "IV-A",
		least(beyondLLC, qts)},
	{"tbb-reuse", "TBB has the most of them", "IV-A", most(beyondLLC, tbb)},
	{"sharing", "QTH/Socket misses less than QTH/Core: one LIFO for a cache pays", "table I",
		func(s *site) Verdict { return less(s.of(misses, qts), s.of(misses, qtc)) }},
	{"mth-misses", "MTH has the fewest LLC misses", "table I", least(misses, mth)},
	{"mth-wti", "MTH inflates work least", "table I", least(wti, mth)},
	{"socket-wti", "QTH/Socket inflates work most", "table I", most(wti, qts)},
	{"tbb-wti", "TBB inflates work more than MTH", "II-C",
		func(s *site) Verdict { return less(s.of(wti, mth), s.of(wti, tbb)) }},
	{"tbb-ovr", "TBB has more overhead than MTH", "II-C",
		func(s *site) Verdict { return less(s.of(ovr, mth), s.of(ovr, tbb)) }},
	{"mth-fastest", "MTH is the fastest", "II-C", least(milliseconds, mth)},
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
		if p := programOf(&groups[i]); !slices.Contains(programs, p) {
			programs = append(programs, p)
		}
	}
	for _, program := range programs {
		var drawn []*dataset.Group
		for i := range groups {
			if g := &groups[i]; programOf(g) == program && of[hashOf(g)] != "" {
				drawn = append(drawn, g)
			}
		}
		for i := range groups {
			g := &groups[i]
			if programOf(g) != program || of[hashOf(g)] != "" {
				continue
			}
			for _, n := range g.Cores() {
				s := site{group: g, cores: n}
				for _, d := range drawn {
					if of[hashOf(d)] == hashOf(g) && slices.Contains(d.Cores(), n) {
						s.draws = append(s.draws, site{group: d, cores: n, exact: true})
					}
				}
				list = append(list, s)
			}
		}
	}
	return list, nil
}

// programOf is what tells programs apart.
func programOf(g *dataset.Group) string { return g.Kernel + " " + g.Params }

// over is a measure under a scheduler over that under MTH, as far apart as the intervals allow.
func (s *site) over(m measure, scheduler string) interval {
	return ratio(s.of(m, scheduler), s.of(m, mth))
}
