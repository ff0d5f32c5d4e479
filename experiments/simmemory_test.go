package experiments

import (
	"testing"

	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
)

// Where pages are touched first, data are on the node of the thread that initialized them, whoever uses them; interleaved they are on all.
func TestInitialPlacement(t *testing.T) {
	k, _ := kernels.ByName("matmul")
	for _, placement := range []string{machine.FirstTouch, machine.Interleave} {
		m, err := machine.ByName(DefaultMachine)
		if err != nil {
			t.Fatal(err)
		}
		changed := *m
		changed.Memory.Placement = placement
		topo, err := changed.Topology()
		if err != nil {
			t.Fatal(err)
		}
		in, err := k.New(k.With(kernel.Params{"n": 512}), kernel.Env{Dry: true})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		r := in.Registry()
		for _, granularity := range []CacheModel{CacheBlocks, CacheLines} {
			s := &simulation{machine: &changed, c: &Config{CacheModel: granularity}, topo: topo}
			if s.place, err = topo.Place(12, hw.Binding{}, false); err != nil {
				t.Fatal(err)
			}
			x, err := s.newMemory(in, &r, 12, 1)
			if err != nil {
				t.Fatal(err)
			}
			for i := range uint32(64) {
				x.kernel(11, uint64(i)*1e9, 0, []uint32{i, 100 - i, i}) // the last worker, on the second node
			}
			c := x.model.Total()
			if placement == machine.FirstTouch && (c.Local != 0 || c.Remote == 0) || placement == machine.Interleave && (c.Local == 0 || c.Remote < 2*c.Local) {
				t.Errorf("%s, %s: %d lines from the memory of the worker's node, %d from others", placement, granularity, c.Local, c.Remote)
			}
		}
	}
}

// FMM's workers carry out tasks of many kernels in one step, and so ask memories for data ahead of each other. That must not make kernels
// wait: no kernel of a run that asks for little of the bandwidth is much slower than in the serial run.
func TestTasksOfManyKernels(t *testing.T) {
	for _, r := range simulated(t, func(c *Config) {
		k, _ := kernels.ByName("fmm")
		made := NewConfig(k)
		made.Simulated, made.Cores, made.Reps, made.Warmup, made.Out = c.Simulated, 12, 1, 0, c.Out
		made.Schedulers, made.Params["bodies"] = []string{"workfirst", "helpfirst", "shepherd-socket"}, 20000
		*c = made
	}).Results {
		for _, k := range r.Kernels {
			if wti := k.WTI.Float(); !(wti >= 0.99 && wti < 1.5) {
				t.Errorf("%s, %s: WTI %v", r.Scheduler, k.Name, wti)
			}
		}
		if len(r.Kernels) != 3 {
			t.Errorf("%s: %d kernels, want 3", r.Scheduler, len(r.Kernels))
		}
	}
}
