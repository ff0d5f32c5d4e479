package matmul

import (
	"fmt"
	"testing"

	"krdlab/hw/ops"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// Each element of the matrices lies at one address, which belongs to its block alone; a leaf does
// its share of 2 n^3 operations.
func TestPlacesAndWork(t *testing.T) {
	for _, p := range []kernel.Params{{"n": 1}, {"n": 70}, {"n": 128}, {"n": 70, "layout": "row"},
		{"n": 128, "layout": "row"}} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			x, err := newInstance(Kernel.With(p), kernel.Env{Dry: true})
			if err != nil {
				t.Fatal(err)
			}
			in := x.(*instance)
			defer in.Close()
			n := in.n
			owner := map[uint64]bool{}
			r := in.Registry()
			for o := range r.Objects {
				sum := uint64(0)
				for b := range r.Objects[o].Len() {
					x := in.Place(loi.ObjectID(o), uint32(b))
					for row := range uint64(x.Rows) {
						for i := uint64(0); i < x.Bytes; i += 4 {
							at := x.Base + row*x.Stride + i
							if owner[at] {
								t.Fatalf("object %d, block %d: address %d has another owner", o, b,
									at)
							}
							owner[at] = true
							sum += 4
						}
					}
				}
				if sum != uint64(4*n*n) {
					t.Errorf("object %d has %d bytes, want %d", o, sum, 4*n*n)
				}
			}
			var work uint64
			_, err = runtimes.Step(runtimes.StepConfig{
				Policy: runtimes.Serial{}, Nodes: []int{0}, Kernels: r.Kernels, Dry: true,
				Costs: runtimes.Costs{Kernel: func(_ int, _ uint64, k loi.KernelID,
					blocks []uint32) uint64 {
					work += in.Work(k, blocks)[ops.Fused]
					return 1
				}},
			}, in)
			if err != nil || work != uint64(2*n*n*n) {
				t.Errorf("%d operations (%v), want %d", work, err, 2*n*n*n)
			}
		})
	}
}

// BenchmarkSimulate is the multiplication of 4096 x 4096 in virtual time at unit costs: the driver
// alone.
func BenchmarkSimulate(b *testing.B) {
	for _, s := range runtimes.Schedulers {
		if s.Rules().Spawn == runtimes.SpawnGo {
			continue
		}
		for _, nodes := range []int{1, 4} {
			workers := 6 * nodes
			if s.Rules().Spawn == runtimes.SpawnCall {
				if nodes > 1 {
					continue
				}
				workers = 1
			}
			b.Run(fmt.Sprintf("sched=%s/cores=%d", s.Name, workers), func(b *testing.B) {
				x, err := newInstance(Kernel.With(kernel.Params{"n": 4096}), kernel.Env{Dry: true})
				if err != nil {
					b.Fatal(err)
				}
				in := x.(*instance)
				defer in.Close()
				c := runtimes.StepConfig{Policy: s, Kernels: in.Registry().Kernels, Seed: 1,
					Dry: true}
				for w := range workers {
					c.Nodes = append(c.Nodes, w/6)
				}
				c.Costs.Kernel = func(int, uint64, loi.KernelID, []uint32) uint64 { return 1000 }
				for b.Loop() {
					in.Reset(s.Rules().Hints)
					if _, err := runtimes.Step(c, in); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)*(1<<20)/b.Elapsed().Seconds()/1e6, "Mkernels/s")
			})
		}
	}
}
