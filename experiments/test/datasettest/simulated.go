// Package datasettest makes a small experiment out of formulas, for tests of what reads
// experiments: the numbers look like those of a simulated matrix product, are the same on every
// computer, and stay as they are when models and machines change.
package datasettest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"krdlab/experiments/run/dataset"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/kernels/kernel"
	"krdlab/krd"
	"krdlab/loi"
)

// Schedulers and Cores are those of [Small].
var (
	Schedulers = []string{"workfirst", "helpfirst", "shepherd-core", "shepherd-socket"}
	Cores      = []int{1, 6, 12, 24}
)

// Reps is how many repetitions each cell of [Small] has.
const Reps = 8

const (
	kernelCount = 4096
	serialNS    = 70_000_000
	coresOfNode = 6
)

// rates are the differences of the schedulers: overhead and inflation for each core beyond the
// first, share of far accesses.
var rates = map[string]struct{ overhead, inflation, far float64 }{
	"workfirst":       {0.0064, 0.0021, 0.036},
	"helpfirst":       {0.0095, 0.0043, 0.045},
	"shepherd-core":   {0.0164, 0.0037, 0.040},
	"shepherd-socket": {0.0261, 0.0068, 0.031},
}

// results are those of [Small] as JSON, since their intervals take long: by core count, of each
// scheduler.
var results = sync.OnceValue(func() (list [][][]byte) {
	for _, cores := range Cores {
		var of [][]byte
		for _, s := range Schedulers {
			doc, err := json.Marshal(resultOf(s, cores))
			if err != nil {
				panic(err) // the document has no values that JSON cannot hold
			}
			of = append(of, doc)
		}
		list = append(list, of)
	}
	return list
})

// Small returns an experiment of four schedulers on 1, 6, 12 and 24 cores of a machine of four
// nodes, each repetition with a KRD, misses and steals. Nothing of it is on disk, and each call
// returns another copy.
func Small() *dataset.Experiment {
	e := &dataset.Experiment{
		Dir: "made", Name: "made",
		Info: &dataset.Info{
			SchemaVersion: dataset.SchemaVersion, Kind: "sweep", Argv: []string{"krdlab", "sweep",
				"matmul"}, Created: Created,
			Build: result.Build{GoVersion: "go1.26", OS: "linux", Arch: "amd64"},
		},
	}
	for i, cores := range Cores {
		id := fmt.Sprintf("%04d-matmul-c%d", i, cores)
		e.Plan = append(e.Plan, dataset.PlannedCell{
			SchemaVersion: dataset.SchemaVersion, Index: i, ID: id, Kernel: "matmul",
			Params: params(), Schedulers: Schedulers, Cores: cores,
			Seed: 1, Machine: "made-4s", Settings: settings(),
		})
		for j := range Schedulers {
			var r result.Result
			if err := json.Unmarshal(results()[i][j], &r); err != nil {
				panic(err)
			}
			r.Params = params() // numbers of JSON have another type
			e.Cells = append(e.Cells, dataset.Cell{ID: id, Dir: filepath.Join("made",
				dataset.CellsDir, id), Result: &r, Manifest: manifest(cores)})
		}
	}
	return e
}

// Created is when the experiment claims to have been made.
var Created = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func params() kernel.Params {
	return kernel.Params{"n": 512, "leaf": "32x32x64", "layout": "tiled", "inputs": "integers",
		"isa": "auto"}
}

func settings() request.Settings {
	return request.Settings{
		Reps: Reps, Trace: request.TraceKRD, Grain: request.GrainKernel,
		CacheModel: request.CacheBlocks, Counters: request.CountersAuto,
		NUMA: request.NUMANode0,
	}
}

func manifest(cores int) *result.Manifest {
	m := &result.Manifest{
		SchemaVersion: result.SchemaVersion, Argv: []string{"krdlab", "sweep", "matmul"},
		Seed: 1, Kernel: "matmul", Params: params(),
		Schedulers: Schedulers, Cores: cores, Settings: settings(), Started: Created,
		Build:  result.Build{GoVersion: "go1.26", OS: "linux", Arch: "amd64"},
		Tracer: []result.TracerCost{},
	}
	finished := Created.Add(time.Second)
	m.Finished = &finished
	return m
}

func resultOf(scheduler string, cores int) result.Result {
	m := &result.Measured{
		Scheduler: scheduler, Workers: cores, Substrate: loi.Simulated,
		Machine: result.Machine{Machine: hw.Machine{
			Name: "made-4s", Nodes: 4, CoresPerNode: coresOfNode, Cores: 24, CPUs: 24,
			L1dBytes: 32 << 10, L2Bytes: 256 << 10, LLCBytes: 18 << 20, LineBytes: 64,
		}, TimeSource: "virtual"},
		LLCSource: result.LLCSourceModel,
	}
	for rep := range Reps {
		m.Serial = append(m.Serial, repetition("serial", 1, rep))
		m.Repetitions = append(m.Repetitions, repetition(scheduler, cores, rep))
	}
	m.KRD = &krd.Report{
		SchemaVersion: 1, Distance: krd.Exclusive, Weight: krd.WeightCount, Engine: "exact",
		Histogram: *m.Repetitions[0].KRD, Warnings: []string{},
	}
	r := result.Summarise(request.Asked{Kernel: "matmul", Params: params(), Seed: 1,
		Settings: settings()}, m)
	r.Warnings = []string{} // the sentences of codes, which no test reads
	return r
}

// jitter returns a number in -4 to 4 that differs from repetition to repetition.
func jitter(scheduler string, cores, rep int) int64 {
	h := uint32(2166136261)
	for _, b := range []byte(fmt.Sprint(scheduler, cores, rep)) {
		h = (h ^ uint32(b)) * 16777619
	}
	return int64(h>>8)%9 - 4
}

func repetition(scheduler string, cores, rep int) result.Repetition {
	rate, j := rates[scheduler], jitter(scheduler, cores, rep)
	more := float64(cores - 1)
	work := int64(float64(serialNS*96/100) * (1 + float64(rate.inflation*more)))
	work += work / 1000 * j
	ovr := 1 + float64(rate.overhead*more)
	time := int64(float64(work) / 0.96 / float64(cores) * ovr)
	if scheduler == "serial" {
		work = serialNS*96/100 + serialNS/2000*j
		time = serialNS + serialNS/2000*j
	}
	nodes := (cores + coresOfNode - 1) / coresOfNode
	kernels := int64(kernelCount)
	tasks := int64(2 * kernelCount)
	misses := int64(float64(20_000*rate.far/0.03) * (1 + float64(0.2*float64(nodes-1))))
	misses += misses / 200 * j
	if scheduler == "serial" {
		misses = 20_000 + 100*j
	}
	p := result.Repetition{
		TimeNS: time, WorkNS: &work, Tasks: &tasks, Kernels: &kernels, Flags: []string{},
		Counters:    result.Counters{LLCMisses: result.Count{Value: &misses}},
		KernelTimes: []result.KernelTime{{Name: "gemm", Count: kernels, TotalNS: &work}},
	}
	for w := range cores {
		p.Workers = append(p.Workers, worker(scheduler, w, cores, nodes, time, work, j))
	}
	if scheduler != "serial" {
		p.KRD = histogram(rate.far, nodes, j)
	}
	return p
}

func worker(scheduler string, w, cores, nodes int, time, work, j int64) result.Worker {
	own := work / int64(cores)
	idle := (time - own) / 3
	sched := time - own - idle
	share := func(n int) int64 { return int64(n*(w+1)/cores - n*w/cores) } // all make n
	spawns, tasks, kernels := int64(kernelCount/cores), share(2*kernelCount), share(kernelCount)
	from := make([]int64, nodes)
	var local, remote int64
	for n := range from {
		from[n] = 10 + j
		if n == w/coresOfNode {
			from[n] *= 4
			local += from[n]
		} else {
			remote += from[n]
		}
	}
	if cores == 1 || scheduler == "serial" {
		from, local, remote = make([]int64, nodes), 0, 0
	}
	failed, far := 3*local, remote
	return result.Worker{
		CPU: w, Node: w / coresOfNode, WorkNS: &own, SchedNS: &sched, IdleNS: &idle,
		Spawns: &spawns, Tasks: &tasks, Kernels: &kernels,
		StealsLocal: &local, StealsRemote: &remote, StealsFailed: &failed, StealsRemoteFailed: &far,
		StealsFrom: from,
	}
}

// histogram returns one with bins from 0 to 64 MiB: much below the L2, a hump around the LLC, cold
// accesses that grow with the nodes.
func histogram(far float64, nodes int, j int64) *krd.Histogram {
	const accesses = 3 * kernelCount
	h := &krd.Histogram{Accesses: accesses, AccessCount: accesses,
		Cold: uint64(int64(256*nodes) + j)}
	farCount := uint64(int64(float64(accesses*far)) + 2*j)
	near := uint64(accesses / 8)
	closeCount := accesses - h.Cold - farCount - near
	h.Close, h.Near, h.Far = &closeCount, &near, &farCount
	h.Shared = new(near / 4)
	beyond := (h.Cold + farCount) * 2048 // bytes
	h.BeyondBytes = &beyond
	h.Bins = append(h.Bins, krd.Bin{FromBytes: 0, ToBytes: 1, Count: closeCount / 2})
	left := closeCount - closeCount/2
	for b := uint64(1); b < 128<<20; b *= 2 {
		bin := krd.Bin{FromBytes: b, ToBytes: 2 * b}
		switch {
		case b >= 16<<10 && b < 128<<10:
			bin.Count = left / 3
		case b == 128<<10:
			bin.Count = left - 3*(left/3)
		case b == 1<<20:
			bin.Count = near / 2
		case b == 8<<20:
			bin.Count = near - near/2
		case b == 32<<20:
			bin.Count = farCount / 2
		case b == 64<<20:
			bin.Count = farCount - farCount/2
		}
		h.Bins = append(h.Bins, bin)
	}
	return h
}

// Write writes the experiment into the new folder dir as a sweep would have left it.
func Write(e *dataset.Experiment, dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, dataset.CellsDir), 0o777); err != nil {
		return err
	}
	if err := writeJSON(filepath.Join(dir, dataset.InfoFile), e.Info); err != nil {
		return err
	}
	var plan []byte
	for _, c := range e.Plan {
		b, err := json.Marshal(c)
		if err != nil {
			return err
		}
		plan = append(append(plan, b...), '\n')
	}
	if err := os.WriteFile(filepath.Join(dir, dataset.PlanFile), plan, 0o666); err != nil {
		return err
	}
	for _, p := range e.Plan {
		var list []*result.Result
		var m *result.Manifest
		for _, c := range e.Cells {
			if c.ID == p.ID {
				list, m = append(list, c.Result), c.Manifest
			}
		}
		if len(list) == 0 {
			continue
		}
		cell := filepath.Join(dir, dataset.CellsDir, p.ID)
		if err := os.Mkdir(cell, 0o777); err != nil {
			return err
		}
		if err := writeJSON(filepath.Join(cell, result.ResultFile), list); err != nil {
			return err
		}
		if err := writeJSON(filepath.Join(cell, result.ManifestFile), m); err != nil {
			return err
		}
	}
	return nil
}

func writeJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(b, '\n'), 0o666)
}
