package kernels

import (
	"testing"

	"krdlab/hw/ops"
	"krdlab/kernels/kernel"
	"krdlab/loi"
	"krdlab/runtimes"
)

// A kernel declared uniform has the same operations in all of its executions; and there are such.
func TestUniform(t *testing.T) {
	found := 0
	for _, k := range Table {
		for _, small := range k.Small {
			made, err := k.New(k.With(small), kernel.Env{Seed: 5, Dry: true})
			if err != nil {
				t.Fatal(err)
			}
			in, ok := made.(kernel.Uniform)
			model, modelled := made.(kernel.Modelled)
			if !ok || !modelled {
				made.Close()
				continue
			}
			first := map[loi.KernelID]ops.Count{}
			made.Reset(false)
			_, err = runtimes.Step(runtimes.StepConfig{Policy: runtimes.Serial{}, Nodes: []int{0},
				Kernels: made.Registry().Kernels, Dry: true,
				Costs: runtimes.Costs{Kernel: func(_ int, _ uint64, id loi.KernelID,
					blocks []uint32) uint64 {
					n := model.Work(id, blocks)
					if was, seen := first[id]; seen && in.Uniform(id) && n != was {
						t.Errorf("%s %v: kernel %d has %v, and %v before", k.Name, small, id, n, was)
					}
					first[id] = n
					return 1
				}}}, made)
			if err != nil {
				t.Error(err)
			}
			for id := range first {
				if in.Uniform(id) {
					found++
				}
			}
			made.Close()
		}
	}
	if found == 0 {
		t.Error("no kernel is uniform")
	}
}
