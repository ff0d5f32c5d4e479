package replay

import (
	"fmt"

	"krdlab/experiments/run/request"
	"krdlab/hw/cachemodel"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/loi"
)

// Layout returns where the registered blocks of a program lie in memory, and by object the number
// of its block 0 in a cache model. Without place, objects follow each other, each block in one
// piece.
func Layout(r *loi.Registry, place kernel.Modelled) (base []uint32, layout *cachemodel.Layout) {
	layout = &cachemodel.Layout{}
	for o := range r.Objects {
		object := &r.Objects[o]
		base = append(base, uint32(len(layout.Blocks)))
		if place == nil {
			for _, run := range object.Blocks {
				for range run.Count {
					layout.Add(run.Bytes, 0)
				}
			}
			continue
		}
		for b := range object.Len() {
			x := place.Place(loi.ObjectID(o), uint32(b))
			layout.Blocks = append(layout.Blocks, cachemodel.Block{Base: x.Base, RowBytes: x.Bytes,
				Stride: x.Stride, Rows: x.Rows})
			layout.End = max(layout.End, x.Base+x.Stride*uint64(x.Rows-1)+x.Bytes)
		}
	}
	return base, layout
}

// Caches returns the cache model of m for a program with that layout and so many kernels. seed is
// that of the frames of pages, which matter by lines only. Pages are placed by numa; "": by the
// machine's own policy.
func Caches(m *machine.Machine, layout *cachemodel.Layout, caches request.CacheModel,
	numa request.NUMAPolicy, kernels int, seed uint64) (*cachemodel.Model, error) {
	opt := cachemodel.Options{Granularity: cachemodel.Blocks, Seed: seed, Kernels: kernels,
		Placement: string(numa)}
	if caches == request.CacheLines {
		opt.Granularity = cachemodel.Lines
	}
	model, err := cachemodel.New(m, layout, opt)
	if err != nil {
		return nil, fmt.Errorf("machine %s: %w", m.Name, err)
	}
	return model, nil
}
