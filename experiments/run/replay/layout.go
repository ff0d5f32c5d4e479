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

// CacheOptions of [Caches].
type CacheOptions struct {
	Model      request.CacheModel
	NUMA       request.NUMAPolicy // how pages are placed; "": by the machine's own policy
	Kernels    int                // how many there are
	Seed       uint64             // of the frames of pages, which matter by lines only
	Structures bool               // the runtime's own data are accessed too
}

// Caches returns the cache model of m for a program with that layout.
func Caches(m *machine.Machine, layout *cachemodel.Layout, o CacheOptions) (*cachemodel.Model, error) {
	opt := cachemodel.Options{Granularity: cachemodel.Blocks, Seed: o.Seed, Kernels: o.Kernels,
		Placement: string(o.NUMA), Structures: o.Structures}
	if o.Model == request.CacheLines {
		opt.Granularity = cachemodel.Lines
	}
	model, err := cachemodel.New(m, layout, opt)
	if err != nil {
		return nil, fmt.Errorf("machine %s: %w", m.Name, err)
	}
	return model, nil
}
