package reproduce

import (
	"fmt"
	"maps"
	"slices"

	"krdlab/experiments/request"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// A Scale is how much of the evaluation is redone.
type Scale string

// The scales. Bounds of the claims do not depend on it.
const (
	Smoke Scale = "smoke" // small programs, to see that all of it works; seconds
	Quick Scale = "quick" // the paper's matrix product with 6 seeds, a small FMM; minutes
	Paper Scale = "paper" // the paper's sizes: 20 seeds, FMM of 1 M bodies with 6; half an hour
)

// Scales are those, the smallest first.
var Scales = []Scale{Smoke, Quick, Paper}

// ParseScale reads the value of --scale.
func ParseScale(s string) (Scale, error) {
	if slices.Contains(Scales, Scale(s)) {
		return Scale(s), nil
	}
	return "", &request.Error{Flag: "scale", Got: s, Want: "choose smoke, quick or paper"}
}

// size is what a scale runs.
type size struct {
	cores                   []int
	matmul, fmm             kernel.Params // simulated
	matmulSeeds, fmmSeeds   int
	perTask                 int // exaFMM's cutoff at which a spawn is 3.25 us of FMM's kernels
	nativeMatmul, nativeFMM kernel.Params
	nativeReps              int
}

var sizes = map[Scale]size{
	Smoke: {
		cores:  []int{1, 6, 12, 24},
		matmul: kernel.Params{"n": 64}, matmulSeeds: 6,
		fmm: kernel.Params{"bodies": 200}, fmmSeeds: 6, perTask: 1200,
		nativeMatmul: kernel.Params{"n": 64}, nativeFMM: kernel.Params{"bodies": 200},
		nativeReps: 2,
	},
	Quick: {
		cores:  []int{1, 6, 12, 24},
		matmul: kernel.Params{"n": 4096}, matmulSeeds: 6,
		fmm: kernel.Params{"bodies": 100_000}, fmmSeeds: 6, perTask: 1200,
		nativeMatmul: kernel.Params{"n": 1024}, nativeFMM: kernel.Params{"bodies": 100_000},
		nativeReps: 10,
	},
	Paper: {
		cores:  []int{1, 2, 4, 6, 12, 18, 24},
		matmul: kernel.Params{"n": 4096}, matmulSeeds: 20,
		fmm: kernel.Params{"bodies": 1_000_000}, fmmSeeds: 6, perTask: 1500,
		nativeMatmul: kernel.Params{"n": 4096}, nativeFMM: kernel.Params{"bodies": 300_000},
		nativeReps: 10,
	},
}

// Schedulers are those of the paper, and TBB's with affinity beside them.
var Schedulers = []string{mth, tbb, "helpfirst-locality", qtc, qts}

// What readings of the paper look at beside those: Qthreads' victims sorted by distance, and
// exaFMM's tasks.
const (
	nearRule = ":near=1"
	exaTasks = "exafmm"
)

// On how many cores: the claims that they are for need no others.
var (
	bySorted = map[string][]int{"matmul": {6, 12, 24}, "fmm": {6, 24}}
	byRule   = []int{1, 6, 24}
)

// Plan returns the requests of a scale: the paper's machine simulated, and this computer with
// hostCores cores: on one core, on powers of two and on all.
func Plan(scale Scale, hostCores int) ([]request.Request, error) {
	s, ok := sizes[scale]
	if !ok {
		return nil, fmt.Errorf("there is no scale %q", scale)
	}
	m, err := machine.ByName(request.DefaultMachine)
	if err != nil {
		return nil, err
	}
	paper, err := request.FindSchedulers(Schedulers)
	if err != nil {
		return nil, err
	}
	near, err := request.FindSchedulers([]string{qtc + nearRule, qts + nearRule})
	if err != nil {
		return nil, err
	}
	var plan []request.Request
	add := func(kernelName string, params kernel.Params, cores int, schedulers []runtimes.Scheduler,
		change func(c *request.Request)) error {
		k, err := request.FindKernel(kernelName)
		if err != nil {
			return err
		}
		c := request.New(k)
		for name, v := range params {
			c.Params[name] = v
		}
		c.Cores, c.Schedulers = cores, schedulers
		change(&c)
		plan = append(plan, c)
		return nil
	}
	for _, p := range []struct {
		kernel string
		params kernel.Params
		seeds  int
	}{{"matmul", s.matmul, s.matmulSeeds}, {"fmm", s.fmm, s.fmmSeeds}} {
		for _, n := range s.cores {
			schedulers := paper
			if slices.Contains(bySorted[p.kernel], n) {
				schedulers = slices.Concat(paper, near)
			}
			if err := add(p.kernel, p.params, n, schedulers, func(c *request.Request) {
				c.Machine, c.Reps, c.Warmup, c.Trace = m, p.seeds, 0, request.TraceKRD
			}); err != nil {
				return nil, err
			}
		}
	}
	for _, cutoff := range []int{literalCutoff, s.perTask} {
		params := kernel.Params{"tasks": exaTasks, "cutoff": cutoff}
		maps.Copy(params, s.fmm)
		for _, n := range byRule {
			if err := add("fmm", params, n, bases(), func(c *request.Request) {
				c.Machine, c.Reps, c.Warmup, c.Trace = m, s.fmmSeeds, 0, request.TraceKRD
			}); err != nil {
				return nil, err
			}
		}
	}
	for _, p := range []struct {
		kernel string
		params kernel.Params
	}{{"matmul", s.nativeMatmul}, {"fmm", s.nativeFMM}} {
		for _, n := range nativeCores(hostCores) {
			if err := add(p.kernel, p.params, n, slices.Concat(paper, threads()),
				func(c *request.Request) {
					c.Reps = s.nativeReps
				}); err != nil {
				return nil, err
			}
		}
		// Traced serial runs beside profiled ones: what tracing costs.
		serial := []runtimes.Scheduler{request.SerialScheduler()}
		if err := add(p.kernel, p.params, 1, serial, func(c *request.Request) {
			c.Reps, c.Trace = s.nativeReps, request.TraceKRD
		}); err != nil {
			return nil, err
		}
	}
	return plan, nil
}

// threads are the schedulers that exist on threads only, beside those of the paper.
func threads() []runtimes.Scheduler {
	return slices.DeleteFunc(slices.Clone(runtimes.Schedulers),
		func(s runtimes.Scheduler) bool { return !s.ThreadsOnly() })
}

// nativeCores are one, powers of two, and all, up to the 24 of the paper.
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
