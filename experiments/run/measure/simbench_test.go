package measure

import (
	"context"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"krdlab/experiments/run/request"
	"krdlab/hw/machine"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/runtimes"
)

// BenchmarkSimulate is a repetition of matmul, n = 4096 with leaves of 32x32x64 (2^20 kernels), on
// 24 simulated cores of 4 nodes, without a trace: the driver, the policy and the cache model on one
// core of the host.
func BenchmarkSimulate(b *testing.B) {
	for _, sched := range runtimes.Schedulers {
		if sched.ThreadsOnly() {
			continue
		}
		for _, model := range []request.CacheModel{request.CacheBlocks, request.CacheLines} {
			b.Run(sched.Name+"/"+string(model), func(b *testing.B) {
				benchmarkSimulate(b, sched, model, false)
			})
		}
		b.Run(sched.Name+"/data", func(b *testing.B) {
			benchmarkSimulate(b, sched, request.CacheBlocks, true)
		})
	}
}

func benchmarkSimulate(b *testing.B, sched runtimes.Scheduler, cache request.CacheModel, data bool) {
	k, _ := kernels.ByName("matmul")
	m, err := machine.ByName(request.DefaultMachine)
	if err != nil {
		b.Fatal(err)
	}
	topo, err := m.Topology()
	if err != nil {
		b.Fatal(err)
	}
	c := request.New(k)
	c.Machine, c.Cores, c.CacheModel, c.RuntimeData = m, 24, cache, data
	c.Params["n"] = 4096
	s := &simulation{machine: m}
	if s.setup, err = newSetup(&c, topo, nil, nil); err != nil {
		b.Fatal(err)
	}
	in, err := k.New(c.Params, kernel.Env{Seed: c.Seed, Dry: true})
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	var kernelRuns, misses int64
	began := processCPU(b)
	for b.Loop() {
		j := &job{scheduler: sched, workers: s.workersOf(&sched)}
		if _, err := s.simulate(context.Background(), in, j); err != nil {
			b.Fatal(err)
		}
		kernelRuns += *j.result.Kernels
		misses += *j.result.Counters.LLCMisses.Value
	}
	b.ReportMetric(float64(kernelRuns)/1e6/b.Elapsed().Seconds(), "Mkernels/s")
	// what other programs disturb less
	b.ReportMetric(float64(kernelRuns)/1e6/(processCPU(b)-began).Seconds(), "Mkernels/CPU-s")
	b.ReportMetric(float64(misses)/1e6/float64(b.N), "MLLCmiss/run")
	b.ReportMetric(0, "ns/op")
}

// processCPU is the CPU time that the process has used.
func processCPU(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
