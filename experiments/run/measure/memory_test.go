package measure

import (
	"testing"

	"krdlab/experiments/run/request"
	"krdlab/hw"
	"krdlab/hw/cachemodel"
	"krdlab/hw/machine"
	"krdlab/kernels"
	"krdlab/kernels/kernel"
)

// On node 0 data are on the node of the thread that initialized them, whoever uses them;
// interleaved they are on all nodes, and dealt on that of the worker whose part of the object they
// are in.
func TestInitialPlacement(t *testing.T) {
	k, _ := kernels.ByName("matmul")
	for _, placement := range request.NUMAPolicies {
		m, err := machine.ByName(request.DefaultMachine)
		if err != nil {
			t.Fatal(err)
		}
		topo, err := m.Topology()
		if err != nil {
			t.Fatal(err)
		}
		in, err := k.New(k.With(kernel.Params{"n": 512}), kernel.Env{Dry: true})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		r := in.Registry()
		for _, granularity := range []request.CacheModel{request.CacheBlocks, request.CacheLines} {
			s := &simulation{machine: m, setup: setup{topo: topo}}
			s.asked.CacheModel, s.asked.NUMA = granularity, placement
			if s.place, err = topo.Place(12, hw.Binding{}, false); err != nil {
				t.Fatal(err)
			}
			x, err := s.newMemory(in, &r, 12, 1)
			if err != nil {
				t.Fatal(err)
			}
			if placement == request.NUMADealt {
				for _, object := range []int{0, 1, 2} {
					n := uint32(r.Objects[object].Len())
					for _, block := range []uint32{n/2 - n/8, n / 2, n - 1} {
						before := x.model.Total()
						list := []cachemodel.Access{{Block: x.kinds[0].params[object].base + block}}
						x.model.Kernel(11, 0, uint64(block)*1e9, 0, list)
						c := x.model.Total()
						if own := block >= n/2; (c.Local > before.Local) != own ||
							(c.Remote > before.Remote) == own {
							t.Errorf("%s: block %d of %d of object %d: %d local, %d remote", granularity, block, n,
								object, c.Local-before.Local, c.Remote-before.Remote)
						}
					}
				}
				continue
			}
			for i := range uint32(64) {
				// the last worker, on the second node
				x.kernel(11, uint64(i)*1e9, 0, []uint32{i, 100 - i, i})
			}
			c := x.model.Total()
			if placement == request.NUMANode0 && (c.Local != 0 || c.Remote == 0) ||
				placement == request.NUMAInterleave && (c.Local == 0 || c.Remote < 2*c.Local) {
				t.Errorf("%s, %s: %d lines from the memory of the worker's node, %d from others",
					placement, granularity, c.Local, c.Remote)
			}
		}
	}
}
