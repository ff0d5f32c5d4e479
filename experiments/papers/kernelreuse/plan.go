package kernelreuse

import (
	"fmt"
	"maps"
	"slices"

	"krdlab/experiments/papers/study"
	"krdlab/experiments/run/request"
	"krdlab/hw/machine"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// size holds the inputs of a scale.
type size struct {
	cores                   []int
	matmul, fmm             kernel.Params // simulated
	matmulSeeds, fmmSeeds   int
	perTask                 int // exaFMM's cutoff at which a spawn is 3.25 us of FMM's kernels
	nativeMatmul, nativeFMM kernel.Params
	nativeReps              int
}

// asPaper returns the parameters of the paper's product of n x n matrices: rows follow each other,
// as in an array of C. So the rows of a tile are a few lines each, which no prefetcher follows.
func asPaper(n int) kernel.Params { return kernel.Params{"n": n, "layout": "row"} }

var sizes = map[study.Scale]size{
	study.Smoke: {
		cores:  []int{1, 6, 12, 24},
		matmul: asPaper(64), matmulSeeds: 6,
		fmm: kernel.Params{"bodies": 200}, fmmSeeds: 6, perTask: 1200,
		nativeMatmul: kernel.Params{"n": 64}, nativeFMM: kernel.Params{"bodies": 200},
		nativeReps: 2,
	},
	study.Quick: {
		cores:  []int{1, 6, 12, 24},
		matmul: asPaper(4096), matmulSeeds: 6,
		fmm: kernel.Params{"bodies": 100_000}, fmmSeeds: 6, perTask: 1200,
		nativeMatmul: kernel.Params{"n": 1024}, nativeFMM: kernel.Params{"bodies": 100_000},
		nativeReps: 10,
	},
	study.Paper: {
		cores:  []int{1, 2, 4, 6, 12, 18, 24},
		matmul: asPaper(4096), matmulSeeds: 20,
		fmm: kernel.Params{"bodies": 1_000_000}, fmmSeeds: 6, perTask: 1500,
		nativeMatmul: kernel.Params{"n": 4096}, nativeFMM: kernel.Params{"bodies": 300_000},
		nativeReps: 10,
	},
}

// Schedulers are those of the paper, and TBB's with affinity beside them.
var Schedulers = []string{mth, tbb, "helpfirst-locality", qtc, qts}

// The further variants in readings of the paper: Qthreads' victims sorted by distance, rightly and
// as version 1.9 does it, and exaFMM's tasks.
const (
	nearRule    = ":near=1"
	overrunRule = ":overrun=1"
	exaTasks    = "exafmm"
)

// On how many cores: the claims that they are for need no others.
var (
	bySorted = map[string][]int{"matmul": {6, 12, 24}, "fmm": {6, 24}}
	byRule   = []int{1, 6, 24}
)

// sized returns the entry of a scale.
func sized[T any](sizes map[study.Scale]T, scale study.Scale) (T, error) {
	s, ok := sizes[scale]
	if !ok {
		return s, fmt.Errorf("there is no scale %q", scale)
	}
	return s, nil
}

// requests are those of a plan.
type requests []request.Request

// add adds a kernel under schedulers on so many cores: of a simulated machine, traced for its KRD,
// or of this computer where m is nil. It returns the request, to be changed before the next is
// added.
func (p *requests) add(name string, params kernel.Params, m *machine.Machine, cores, reps int,
	under []runtimes.Scheduler) *request.Request {
	k, _ := kernels.ByName(name)
	c := request.New(k)
	maps.Copy(c.Params, params)
	c.Machine, c.Cores, c.Reps, c.Schedulers = m, cores, reps, under
	if m != nil {
		c.Warmup, c.Trace = 0, request.TraceKRD
	}
	*p = append(*p, c)
	return &(*p)[len(*p)-1]
}

// schedulers returns those of names, which the table has.
func schedulers(names []string) []runtimes.Scheduler {
	list, err := request.FindSchedulers(names)
	if err != nil {
		panic(err)
	}
	return list
}

// Plan returns the requests of a scale: the paper's machine simulated, and this computer with
// hostCores cores: on one core, on powers of two and on all.
func Plan(scale study.Scale, hostCores int) ([]request.Request, error) {
	s, err := sized(sizes, scale)
	if err != nil {
		return nil, err
	}
	m, err := machine.ByName(request.DefaultMachine)
	if err != nil {
		return nil, err
	}
	type program struct {
		kernel string
		params kernel.Params
		seeds  int
	}
	paper := schedulers(Schedulers)
	lists := schedulers([]string{qtc + nearRule, qts + nearRule, qtc + overrunRule, qts + overrunRule})
	var plan requests
	for _, p := range []program{{"matmul", s.matmul, s.matmulSeeds}, {"fmm", s.fmm, s.fmmSeeds}} {
		for _, n := range s.cores {
			under := paper
			if slices.Contains(bySorted[p.kernel], n) {
				under = slices.Concat(paper, lists)
			}
			plan.add(p.kernel, p.params, m, n, p.seeds, under)
		}
	}
	for _, cutoff := range []int{literalCutoff, s.perTask} {
		params := kernel.Params{"tasks": exaTasks, "cutoff": cutoff}
		maps.Copy(params, s.fmm)
		for _, n := range byRule {
			plan.add("fmm", params, m, n, s.fmmSeeds, schedulers(papers))
		}
	}
	byLines := kernel.Params{"layout": cellLayout}
	maps.Copy(byLines, s.fmm)
	plan.add("fmm", byLines, m, 24, s.fmmSeeds, schedulers([]string{mth, tbb})).CacheModel =
		request.CacheLines
	for _, p := range []program{{"matmul", s.nativeMatmul, 0}, {"fmm", s.nativeFMM, 0}} {
		for _, n := range nativeCores(hostCores) {
			plan.add(p.kernel, p.params, nil, n, s.nativeReps, slices.Concat(paper, threads()))
		}
		// Traced serial runs beside profiled ones: what tracing costs.
		plan.add(p.kernel, p.params, nil, 1, s.nativeReps,
			[]runtimes.Scheduler{request.SerialScheduler()}).Trace = request.TraceKRD
	}
	return plan, nil
}

// threads returns the schedulers that exist on threads only, beside those of the paper.
func threads() []runtimes.Scheduler {
	return slices.DeleteFunc(slices.Clone(runtimes.Schedulers),
		func(s runtimes.Scheduler) bool { return !s.ThreadsOnly() })
}

// nativeCores returns one, powers of two, and all, up to the 24 of the paper.
func nativeCores(have int) []int {
	have = min(have, 24)
	var list []int
	for n := 1; n < have; n *= 2 {
		list = append(list, n)
	}
	if have > 0 {
		list = append(list, have)
	}
	return list
}
