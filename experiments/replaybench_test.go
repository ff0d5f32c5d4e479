package experiments

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"krdlab/experiments/run/replay"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw/machine"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
	"krdlab/loi"
)

// BenchmarkReplay replays simulated traces of matmul of n = 1024 (16384 kernels, 49152 accesses) on
// the machine that they are of.
func BenchmarkReplay(b *testing.B) {
	k, _ := kernels.ByName("matmul")
	params := k.With(kernel.Params{"n": 1024})
	in, err := k.New(params, kernel.Env{Seed: 1, Dry: true})
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	for _, cores := range []int{1, 24} {
		out, m := simulatedMatmul(b, params, cores)
		trace, err := loi.Open(filepath.Join(out.Dir, result.TraceFile("workfirst")))
		if err != nil {
			b.Fatal(err)
		}
		for _, caches := range []request.CacheModel{request.CacheBlocks, request.CacheLines} {
			b.Run(fmt.Sprintf("caches=%s/cores=%d", caches, cores), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := replay.Misses(trace, m, replay.Options{CacheModel: caches,
						Place: in.(kernel.Modelled)}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)*16384/b.Elapsed().Seconds()/1e6, "Mkernels/s")
			})
		}
		trace.Close()
	}
}

// simulatedMatmul traces one repetition under workfirst on the paper's machine.
func simulatedMatmul(b *testing.B, params kernel.Params, cores int) (*Outcome, *machine.Machine) {
	m, err := machine.ByName(request.DefaultMachine)
	if err != nil {
		b.Fatal(err)
	}
	topo, err := m.Topology()
	if err != nil {
		b.Fatal(err)
	}
	k, _ := kernels.ByName("matmul")
	c := request.New(k)
	c.Machine, c.Params, c.Cores, c.Reps, c.Warmup, c.Out = m, params, cores, 1, 0,
		filepath.Join(b.TempDir(), "run")
	out, err := Run(context.Background(), &c, nil, topo, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	return out, m
}
