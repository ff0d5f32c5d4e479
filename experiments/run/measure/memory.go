package measure

import (
	"fmt"

	"krdlab/experiments/run/replay"
	"krdlab/experiments/run/request"
	"krdlab/hw/cachemodel"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/hw/ops"
	"krdlab/kernels/kernel"
	"krdlab/loi"
)

// memory prices kernels on a simulated machine: the time of their work, and the stalls of their
// accesses.
type memory struct {
	model   *cachemodel.Model
	in      kernel.Modelled
	machine *machine.Machine
	kinds   []kind // by kernel
	cores   []int  // by worker
	drawn   bool   // the seed decides where pages lie
	err     error  // the first
	kernels []loi.Kernel
	base    []uint32 // by object: its first block in the model
	blocks  int      // of all objects
	dealers []int    // nodes that touch all data first; none: whoever touches it in the run
	first   uint32   // the first structure of the runtime, which is number 1
}

// Add makes a structure of the runtime ([runtimes.Data]).
func (m *memory) Add(worker int, bytes uint64) uint32 {
	return m.model.Add(m.cores[worker], bytes) - m.first + 1
}

// Touch accesses a structure of the runtime ([runtimes.Data]), in picoseconds.
func (m *memory) Touch(worker int, now uint64, structure uint32, write bool) uint64 {
	return m.model.Touch(m.cores[worker], len(m.kernels), now, m.first+structure-1, write)
}

// kind is a kernel of the registry, resolved.
type kind struct {
	params   []param
	limits   []uint32            // of the arguments
	accesses []cachemodel.Access // of its last execution, by parameter
	ops      ops.Count           // of its last execution: most have equally many
	workPS   uint64              // what they take
	uniform  bool                // all executions have these
	asked    bool                // of a uniform kernel
}

// param is a parameter of a kernel.
type param struct {
	base uint32 // the number of block 0 of its object in the model
	arg  int    // which argument holds its block
}

// newMemory returns the memory of one run. A program whose kernels touch no data that is placed has
// none; its kernels cost nothing.
func (s *simulation) newMemory(in kernel.Instance, r *loi.Registry, workers int,
	seed uint64) (*memory, error) {
	m := &memory{machine: s.machine, cores: s.place.CPUs[:workers], kernels: r.Kernels}
	if len(r.Kernels) == 0 {
		if !s.asked.RuntimeData {
			return m, nil
		}
		return m, m.newModel(s, &cachemodel.Layout{}, seed)
	}
	var ok bool
	if m.in, ok = in.(kernel.Modelled); !ok {
		return nil, &request.Error{Flag: "machine", Got: s.machine.Name,
			Want: fmt.Sprintf("%s cannot be simulated: it does not tell the work and the places "+
				"of its kernels; add --machine native", s.kernel.Name)}
	}
	base, layout := replay.Layout(r, m.in)
	gathering, _ := in.(kernel.Gathering)
	uniform, _ := in.(kernel.Uniform)
	for i := range r.Kernels {
		k := &r.Kernels[i]
		x := kind{limits: r.Limits(loi.KernelID(i)), uniform: uniform != nil && uniform.Uniform(loi.KernelID(i))}
		for j, p := range k.Params {
			x.params = append(x.params, param{base[p.Object], k.ArgOf(j)})
			x.accesses = append(x.accesses, cachemodel.Access{Write: p.Mode&loi.Out != 0,
				Gather: gathering != nil && gathering.Gathers(loi.KernelID(i), j)})
		}
		m.kinds = append(m.kinds, x)
	}
	if err := m.newModel(s, layout, seed); err != nil {
		return nil, err
	}
	m.base = base
	switch s.asked.NUMA {
	case request.NUMANode0:
		m.dealers = s.place.Nodes[:1]
	case request.NUMADealt:
		m.dealers = s.place.Nodes[:workers]
	}
	m.initialize()
	return m, nil
}

// newModel makes the caches, of data with that layout.
func (m *memory) newModel(s *simulation, layout *cachemodel.Layout, seed uint64) (err error) {
	m.drawn = s.asked.CacheModel == request.CacheLines
	m.blocks, m.first = len(layout.Blocks), uint32(len(layout.Blocks))
	m.model, err = replay.Caches(s.machine, layout, replay.CacheOptions{Model: s.asked.CacheModel,
		NUMA: s.asked.NUMA, Kernels: len(m.kernels) + 1, Seed: seed, Structures: s.asked.RuntimeData})
	return err
}

// reset empties the caches, and places the data as at first.
func (m *memory) reset() {
	if m.model != nil {
		m.model.Reset()
		m.initialize()
	}
}

// initialize makes the workers of the dealers' nodes touch all data first, each an equal part of
// the blocks of each object, before the timed run: one worker, as programs do whose initialisation
// is not parallel (here matmul fills its matrices on one goroutine, FMM its bodies and locals), or
// all, as those do that initialise in parallel loops. Without it the timed run itself would lay out
// the pages, each scheduler to its own advantage. A page with blocks of several is touched first by
// that of the first.
func (m *memory) initialize() {
	nodes := m.dealers
	for o := range m.base {
		from, to := m.blocksOf(o)
		n := to - from
		for b := n - 1; b >= 0 && len(nodes) > 0; b-- {
			m.model.Place(nodes[b*len(nodes)/n], uint32(from+b))
		}
	}
}

// blocksOf returns the blocks of an object in the model, as a half-open range.
func (m *memory) blocksOf(object int) (from, to int) {
	if to = m.blocks; object+1 < len(m.base) {
		to = int(m.base[object+1])
	}
	return int(m.base[object]), to
}

// kernel returns the time of an execution in picoseconds.
func (m *memory) kernel(worker int, now uint64, k loi.KernelID, blocks []uint32) uint64 {
	kind := &m.kinds[k]
	if wrong := m.kernels[k].CheckArgs(blocks, kind.limits); wrong != "" {
		if m.err == nil {
			m.err = failure.New(failure.Check, wrong)
		}
		return 0
	}
	if !kind.asked {
		if n := m.in.Work(k, blocks); n != kind.ops {
			ps, err := m.machine.WorkPS(n)
			if err != nil && m.err == nil {
				m.err = err
			}
			kind.ops, kind.workPS = n, ps
		}
		kind.asked = kind.uniform
	}
	for i, p := range kind.params {
		kind.accesses[i].Block = p.base + blocks[p.arg]
	}
	return m.model.Kernel(m.cores[worker], int(k), now, kind.workPS, kind.accesses)
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
