package experiments

import (
	"fmt"

	"krdlab/hw/cachemodel"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/loi"
)

// memory prices kernels on a simulated machine: the time of their work, and the stalls of their accesses.
type memory struct {
	model  *cachemodel.Model
	in     kernel.Modelled
	r      *loi.Registry
	base   []uint32 // by object: the number of its block 0 in the model
	cores  []int    // by worker
	workPS func(name string, flops uint64) (uint64, error)
	list   []cachemodel.Access
	err    error // the first
}

// newMemory returns the memory of one run. A program whose kernels touch no data that is placed has none; its kernels cost nothing.
func (s *simulation) newMemory(in kernel.Instance, r *loi.Registry, workers int, seed uint64) (*memory, error) {
	m := &memory{r: r, workPS: s.machine.WorkPS, cores: s.place.CPUs[:workers]}
	if len(r.Kernels) == 0 {
		return m, nil
	}
	var ok bool
	if m.in, ok = in.(kernel.Modelled); !ok {
		return nil, &ConfigError{"machine", s.machine.Name, fmt.Sprintf("%s cannot be simulated: it does not tell the work and the places of its kernels; add --machine native", s.c.Kernel)}
	}
	var layout cachemodel.Layout
	for o := range r.Objects {
		m.base = append(m.base, uint32(len(layout.Blocks)))
		for b := range r.Objects[o].Len() {
			x := m.in.Place(loi.ObjectID(o), uint32(b))
			layout.Blocks = append(layout.Blocks, cachemodel.Block{Base: x.Base, RowBytes: x.Bytes, Stride: x.Stride, Rows: x.Rows})
			layout.End = max(layout.End, x.Base+x.Stride*uint64(x.Rows-1)+x.Bytes)
		}
	}
	opt := cachemodel.Options{Granularity: cachemodel.Blocks, Seed: seed, Kernels: len(r.Kernels)}
	if s.c.CacheModel == CacheLines {
		opt.Granularity = cachemodel.Lines
	}
	var err error
	if m.model, err = cachemodel.New(s.machine, &layout, opt); err != nil {
		return nil, fmt.Errorf("machine %s: %w", s.machine.Name, err)
	}
	if s.machine.Memory.Placement == machine.FirstTouch {
		m.initialize(s.place.Nodes[0], len(layout.Blocks))
	}
	return m, nil
}

// initialize has one thread on a node touch all data first, as programs do whose initialisation, outside the timed run, is not parallel: here
// matmul fills its matrices on one goroutine, FMM its bodies and locals. Without it the timed run itself would lay out the pages, each
// scheduler to its own advantage.
func (m *memory) initialize(node, blocks int) {
	all := make([]uint32, blocks)
	for i := range all {
		all[i] = uint32(i)
	}
	m.model.Place(node, all...)
}

// kernel returns the time of an execution in picoseconds.
func (m *memory) kernel(worker int, now uint64, k loi.KernelID, blocks []uint32) uint64 {
	kind := &m.r.Kernels[k]
	work, err := m.workPS(kind.Name, m.in.Work(k, blocks))
	if err != nil && m.err == nil {
		m.err = err
	}
	m.list = m.list[:0]
	for i, p := range kind.Params {
		m.list = append(m.list, cachemodel.Access{Block: m.base[p.Object] + blocks[kind.ArgOf(i)], Write: p.Mode&loi.Out != 0})
	}
	return work + m.model.Kernel(m.cores[worker], int(k), now, m.list)
}

func (m *memory) locked(node int, now uint64) {
	if m.model != nil {
		m.model.LockOperation(node, now)
	}
}

// misses returns the lines that missed the last-level caches of all nodes.
func (m *memory) misses() uint64 {
	if m.model == nil {
		return 0
	}
	total := m.model.Total()
	return total.LLCMisses
}
