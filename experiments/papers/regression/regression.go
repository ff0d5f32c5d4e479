// Package regression redoes the evaluation of the regression paper ("Using Statistical Models for
// Embedded Java Performance Analysis", sections II-B, II-C and IV) with krdlab's own kernels and
// schedulers: linear models of orders one to three, pruning by BIC, F-tests, cross-validation,
// clusters and strengths. The analysis is package model.
//
//	plan -> a sweep -> explain, for each response -> statements -> study.Outcome
package regression

import (
	"context"
	"maps"
	"path/filepath"

	"krdlab/experiments/papers/study"
	"krdlab/experiments/read/model"
	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/kernels/kernel"
)

// Study is the evaluation of the paper.
var Study = &study.Study{
	Name: "regression",
	Paper: "Using Statistical Models for Embedded Java Performance Analysis (Rao, Murakami; the regression " +
		"paper)",
	Short: "Redo the procedure of the regression paper over krdlab's kernels and schedulers",
	Long: "Sweep all kernels under all schedulers on 1, 6, 12 and 24 cores of the simulated machine " +
		request.DefaultMachine + ", and explain work time inflation and the time by regression with " +
		"interactions, as the regression paper explains cycles: models of orders one to three, pruning by " +
		"BIC, F-tests, cross-validation, clusters and strengths of predictors. The paper's data was not " +
		"published: its statements are judged on other programs and another machine.\n\n" +
		"The cells are an experiment of their own, DIR/" + cells + ", for krdlab model.",
	Takes: "smoke (seconds: three kernels, too few rows for products), quick (four minutes on two CPUs: " +
		"one size of each kernel) or paper (two sizes)",
	Steps: plan,
	Of:    outcomeOf,
}

// cells is the step of the sweep, and its folder.
const cells = "cells"

// A program is a kernel in two sizes.
type program struct {
	kernel        string
	common        kernel.Params
	small, larger kernel.Params
	perKernel     bool // traced by kernels, not by tasks
}

// programs are all kernels. Sizes are those of docs/model.toml, or the class small and one larger.
var programs = []program{
	{kernel: "matmul", common: kernel.Params{"layout": "row"}, small: kernel.Params{"n": 1024},
		larger: kernel.Params{"n": 2048, "leaf": "64x64x128"}},
	{kernel: "fib", small: kernel.Params{"n": 20}, larger: kernel.Params{"n": 22}},
	{kernel: "fmm", common: kernel.Params{"ncrit": 64}, small: kernel.Params{"bodies": 5000},
		larger: kernel.Params{"bodies": 20_000}, perKernel: true},
	{kernel: "triad", common: sweeps, small: kernel.Params{"n": 1 << 20}, larger: kernel.Params{"n": 1 << 22}},
	{kernel: "heat", common: kernel.Params{"steps": 8}, small: kernel.Params{"n": 1024},
		larger: kernel.Params{"n": 2048}},
	{kernel: "sor", common: sweeps, small: kernel.Params{"n": 1000}, larger: kernel.Params{"n": 2000}},
	{kernel: "spmv", common: sweeps, small: kernel.Params{"n": 50_000}, larger: kernel.Params{"n": 200_000}},
	{kernel: "cilksort", small: kernel.Params{"n": 1 << 21}, larger: kernel.Params{"n": 1 << 23}},
	{kernel: "fft", small: kernel.Params{"n": 1 << 18}, larger: kernel.Params{"n": 1 << 20}},
	{kernel: "lu", common: blocks, small: kernel.Params{"n": 1024}, larger: kernel.Params{"n": 2048}},
	{kernel: "cholesky", common: blocks, small: kernel.Params{"n": 1024}, larger: kernel.Params{"n": 2048}},
	{kernel: "sparselu", common: kernel.Params{"block": 50}, small: kernel.Params{"n": 32},
		larger: kernel.Params{"n": 50}},
	{kernel: "strassen", common: kernel.Params{"block": 64, "cutoff": 256}, small: kernel.Params{"n": 1024},
		larger: kernel.Params{"n": 2048}},
	{kernel: "nqueens", small: kernel.Params{"n": 12}, larger: kernel.Params{"n": 13}},
	{kernel: "uts", common: kernel.Params{"m": 4, "q": "0.2475"}, small: kernel.Params{"root": 250},
		larger: kernel.Params{"root": 500}},
	{kernel: "knapsack", small: kernel.Params{"items": 50}, larger: kernel.Params{"items": 60}},
}

var (
	sweeps = kernel.Params{"sweeps": 4}
	blocks = kernel.Params{"block": 128}
)

// smoke are the programs of the smallest scale, and what they run under.
var (
	smoke = []program{{kernel: "matmul", small: kernel.Params{"n": 128}},
		{kernel: "heat", small: kernel.Params{"n": 128, "steps": 2}}, {kernel: "lu",
			small: kernel.Params{"n": 128, "block": 32}}}
	smokeSchedulers = "workfirst,helpfirst,shepherd-socket"
)

// plan lists the steps: one, the sweep.
func plan(scale study.Scale) ([]study.Step, error) {
	return []study.Step{{Name: cells, Do: func(ctx context.Context, w *study.Worker) (any, error) {
		_, err := w.Sweep(ctx, cells, func() ([]request.Request, error) {
			return requests(ctx, scale, &request.Machines{Host: w.Host})
		})
		return nil, err
	}}}, nil
}

// requests returns those of a scale. A kernel without work of its own has no accesses to trace.
func requests(ctx context.Context, scale study.Scale, machines *request.Machines) (list []request.Request,
	err error) {
	under, cores, of := request.AllSchedulers, []uint64{1, 6, 12, 24}, programs
	if scale == study.Smoke {
		under, cores, of = smokeSchedulers, []uint64{6, 24}, smoke
	}
	for _, p := range of {
		k, err := request.FindKernel(p.kernel)
		if err != nil {
			return nil, err
		}
		d := request.Draft{Request: request.New(k), AllSchedulers: true}
		if d.Schedulers, err = request.ParseSchedulers(under); err != nil {
			return nil, err
		}
		d.Reps, d.CacheModel, d.Trace = 1, request.CacheLines, request.TraceOff
		if k.Work {
			d.NUMA, d.Trace, d.Reuse = request.NUMADealt, request.TraceKRD, request.Reuse{Cores: true, Coherence: true}
		}
		if p.perKernel {
			d.Grain = request.GrainKernel
		}
		s := request.Sweep{Draft: d, Places: []string{request.DefaultMachine}, Seeds: []uint64{1}, Cores: cores,
			Params: []kernel.Params{p.in(k, p.small)}}
		if scale == study.Paper {
			s.Params = append(s.Params, p.in(k, p.larger))
		}
		more, err := s.Requests(ctx, machines)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// in returns the parameters of a size.
func (p *program) in(k *kernel.Kernel, size kernel.Params) kernel.Params {
	all := maps.Clone(p.common)
	if all == nil {
		all = kernel.Params{}
	}
	maps.Copy(all, size)
	return k.With(all)
}

// outcomeOf fits the models to the cells.
func outcomeOf(f *study.Folder) (*study.Outcome, error) {
	e, err := dataset.Load(filepath.Join(f.Dir, cells))
	if err != nil {
		return nil, err
	}
	var all []*explained
	for _, r := range responses {
		t, err := model.OfExperiments([]*dataset.Experiment{e}, false, "")
		if err != nil {
			return nil, err
		}
		all = append(all, explain(t, r))
	}
	o := &study.Outcome{Scale: f.Scale, Tiny: true, Says: says, Claims: judge(all, f.Scale),
		Title:  "The regression paper's procedure over kernels and schedulers",
		Tables: tables(all), Data: data(all), Figures: figures(all)}
	o.Conclude(all[0].table.Findings...)
	return o, nil
}

// says explains what stands for what in the paper.
var says = []string{
	"The paper's data (nine Java programs on an MPC7447A) was not published. What it states in words, and " +
		"the numbers of table IV, are judged on a simulated machine, whose times are those of a model.",
	"A row is a kernel in a size under a scheduler on a number of cores. For processor cycles stand work time " +
		"inflation, and the logarithm of the core time (cores x time over the serial time), each a reading of " +
		"its own; for counted events the lines beyond the L2 and beyond the LLC, spawns, steals and idle time; " +
		"for the paper's L2, its last cache before memory, the LLC. fib, which has no " +
		"kernels in the sense of the KRD paper, has no rows, and uts no inflation.",
	"Errors are of rows left out in ten folds: of inflation the mean of |y - predicted| / |y| as in the paper, " +
		"of the logarithm its root mean square, about such a share. Intervals are over six deals of rows to folds; " +
		"all else is the same in each run. A first sweep had been seen when the tests were written.",
}
