package experiments

import (
	"errors"
	"fmt"
	"slices"

	"krdlab/hw"
	"krdlab/hw/cachemodel"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/krd"
	"krdlab/loi"
)

// ErrReplay is wrapped by the error of a trace that a machine's cache model cannot replay.
var ErrReplay = errors.New("the trace cannot be replayed")

// ReplayOptions of [Replay]. The zero value replays whole blocks.
type ReplayOptions struct {
	CacheModel CacheModel // "" is CacheBlocks
	// Place says where blocks lie. Without it objects follow each other, each block of the registered size in one piece, which is enough
	// for CacheBlocks only.
	Place kernel.Modelled
	// Topology is that of the computer whose CPUs the trace names: those of one core share its L2. nil: each CPU is a core.
	Topology  *hw.Topology
	Seed      uint64 // CacheLines: of the frames of pages
	AllowLoss bool   // replay a trace with discarded records too
}

// Replay has the cache model of m do the accesses of a trace, and returns the lines that missed last-level caches. Executions come in the
// order in which they began, those of all workers merged: ties go to the lower worker and then to program order, as in the KRD (KRD
// paper, III), but over all nodes, since writes on one node take lines from the others. A kernel's accesses are done at once, at its start.
//
// Node i of the trace is node i of m. The workers of a node take its cores in the order of their CPUs; those with the same CPU share
// one, but for a map that was imposed ([loi.Header.Synthetic]), in which every worker has a core of its own.
//
// Errors: a [*krd.LossError] for a trace with discarded records, a [*krd.OrderError] for a worker whose executions are out of order (under
// Go's own scheduler they are sorted, in memory: 40 bytes and 8 for each access), a [*loi.FormatError], and ErrReplay where nodes, cores or
// objects do not suit m. t must stay open and is not changed. Cost: see BenchmarkReplay; memory is the model's ([cachemodel.New]).
func Replay(t *loi.Trace, m *machine.Machine, opt ReplayOptions) (*LLCMisses, error) {
	loss := &krd.LossError{Discarded: t.Discarded()}
	if loss.Total() > 0 && !opt.AllowLoss {
		return nil, loss
	}
	r := &t.Header.Registry
	base, layout, err := layoutOf(r, opt)
	if err != nil {
		return nil, err
	}
	granularity := cachemodel.Blocks
	if opt.CacheModel == CacheLines {
		granularity = cachemodel.Lines
	}
	model, err := cachemodel.New(m, layout, cachemodel.Options{Granularity: granularity, Seed: opt.Seed, Kernels: len(r.Kernels)})
	if err != nil {
		return nil, fmt.Errorf("%w: machine %s: %w", ErrReplay, m.Name, err)
	}
	sources, err := replaySources(t, base)
	if err != nil {
		return nil, err
	}
	cores, err := placeWorkers(&t.Header, m, sources, coreOf(opt.Topology))
	if err != nil {
		return nil, err
	}
	tickPS := 1.0 // of a clock whose rate is not known: misses do not depend on times
	if hz := t.Header.Clock.Hz; hz > 0 {
		tickPS = picosecondHz / hz
	}
	first := firstStart(sources)
	counts := make([]uint64, len(t.Header.Workers)*len(r.Kernels))
	err = mergeSources(sources, func(x *execution) {
		core, k := cores[x.worker], int(x.kernel)
		before := model.Counters(core, k).LLCMisses
		model.Kernel(core, k, uint64(float64(x.start-first)*tickPS), x.accesses)
		counts[x.worker*len(r.Kernels)+k] += model.Counters(core, k).LLCMisses - before
	})
	if err != nil {
		return nil, err
	}
	nodes := make([]int, len(t.Header.Workers))
	for i, w := range t.Header.Workers {
		if nodes[i] = w.Node; underGo(t) && !slices.ContainsFunc(sources, func(s replaySource) bool { return s.current().worker == i }) {
			nodes[i] = nobody
		}
	}
	return newLLCMisses(nodes, r.Kernels, func(worker, k int) uint64 { return counts[worker*len(r.Kernels)+k] }), nil
}

// layoutOf returns where the registered blocks lie, and by object the number of its block 0.
func layoutOf(r *loi.Registry, opt ReplayOptions) (base []uint32, layout *cachemodel.Layout, err error) {
	layout = &cachemodel.Layout{}
	if opt.Place == nil && opt.CacheModel == CacheLines {
		return nil, nil, fmt.Errorf("%w by lines: it is not known where the blocks of its program lie; blocks can be replayed", ErrReplay)
	}
	for o := range r.Objects {
		object := &r.Objects[o]
		if object.Kind != loi.Partition {
			return nil, nil, fmt.Errorf("%w: object %q has no registered blocks, expected a partition", ErrReplay, object.Name)
		}
		base = append(base, uint32(len(layout.Blocks)))
		if opt.Place == nil {
			for _, run := range object.Blocks {
				for range run.Count {
					layout.Add(run.Bytes, 0)
				}
			}
			continue
		}
		for b := range object.Len() {
			x := opt.Place.Place(loi.ObjectID(o), uint32(b))
			layout.Blocks = append(layout.Blocks, cachemodel.Block{Base: x.Base, RowBytes: x.Bytes, Stride: x.Stride, Rows: x.Rows})
			layout.End = max(layout.End, x.Base+x.Stride*uint64(x.Rows-1)+x.Bytes)
		}
	}
	return base, layout, nil
}

// placeWorkers returns the core of the model on which each worker ran. Workers without executions need none.
func placeWorkers(h *loi.Header, m *machine.Machine, sources []replaySource, coreOf func(cpu int) int) ([]int, error) {
	cores := make([]int, len(h.Workers))
	identity := func(w int) int { // workers of a node that share one share a core
		switch cpu := h.Workers[w].CPU; {
		case cpu < 0 || h.Synthetic:
			return -1 - w
		default:
			return coreOf(cpu)
		}
	}
	there := map[int][]int{} // by node
	for _, s := range sources {
		w := s.current().worker
		node := h.Workers[w].Node
		if node >= m.Nodes {
			return nil, fmt.Errorf("%w: worker %d is on node %d, and machine %s has %d", ErrReplay, w, node, m.Name, m.Nodes)
		}
		there[node] = append(there[node], identity(w))
	}
	for node := range m.Nodes {
		list := there[node]
		slices.Sort(list)
		list = slices.Compact(list)
		if len(list) > m.CoresPerNode {
			return nil, fmt.Errorf("%w: it is of %d cores on node %d, and machine %s has %d on each", ErrReplay, len(list), node, m.Name, m.CoresPerNode)
		}
		there[node] = list
	}
	for _, s := range sources {
		w := s.current().worker
		node := h.Workers[w].Node
		i, _ := slices.BinarySearch(there[node], identity(w))
		cores[w] = node*m.CoresPerNode + i
	}
	return cores, nil
}
