package replay

import (
	"fmt"
	"slices"

	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
	"krdlab/hw"
	"krdlab/hw/cachemodel"
	"krdlab/hw/failure"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/loi"
)

// ErrUnsuitable is wrapped by the error of a trace that a machine's cache model cannot replay.
var ErrUnsuitable = failure.New(failure.Request, "the trace cannot be replayed")

// Options of [Misses]. The zero value replays whole blocks.
type Options struct {
	CacheModel request.CacheModel // "" is [request.CacheBlocks]
	// Place records where blocks lie. Without it objects follow each other, each block of the
	// registered size in one piece, which is enough for blocks only.
	Place kernel.Modelled
	// Topology is that of the computer whose CPUs the trace names: those of one core share its L2.
	// nil: each CPU is a core.
	Topology  *hw.Topology
	Seed      uint64 // by lines: of the frames of pages
	AllowLoss bool   // replay a trace with discarded records too
}

// Misses does the accesses of a trace in the cache model of m, and returns the lines that missed
// last-level caches. Executions come in the order in which they began, those of all workers merged:
// ties go to the lower worker and then to program order, as in the KRD (KRD paper, III), but over
// all nodes, since writes on one node take lines from the others. A kernel's accesses are done at
// once, at its start.
//
// Node i of the trace is node i of m. The workers of a node take its cores in the order of their
// CPUs; those with the same CPU share one, but for a map that was imposed ([loi.Header.Synthetic]),
// in which every worker has a core of its own.
//
// Errors: a [*loi.LossError] for a trace with discarded records, a [*loi.OrderError] for a worker
// whose executions are out of order (those of an Unordered trace are sorted, see
// [loi.Trace.Ordered]), a [*loi.FormatError], and ErrUnsuitable where nodes, cores or objects do not
// suit m. t must stay open and is not changed. Cost: see BenchmarkReplay; memory is the model's
// ([cachemodel.New]).
func Misses(t *loi.Trace, m *machine.Machine, opt Options) (*result.LLCMisses, error) {
	loss := t.Loss()
	if loss.Total() > 0 && !opt.AllowLoss {
		return nil, loss
	}
	r := &t.Header.Registry
	if err := suitable(r, opt); err != nil {
		return nil, err
	}
	base, layout := Layout(r, opt.Place)
	model, err := Caches(m, layout, CacheOptions{Model: opt.CacheModel, Kernels: len(r.Kernels), Seed: opt.Seed})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnsuitable, err)
	}
	active, err := activeWorkers(t)
	if err != nil {
		return nil, err
	}
	cores, err := placeWorkers(&t.Header, m, active, coreOf(opt.Topology))
	if err != nil {
		return nil, err
	}
	tickPS := 1.0 // of a clock whose rate is not known: misses do not depend on times
	if hz := t.Header.Clock.Hz; hz > 0 {
		tickPS = 1e12 / hz
	}
	var first int64 // when the first execution began
	none := true
	var accesses []cachemodel.Access
	counts := make([]uint64, len(t.Header.Workers)*len(r.Kernels))
	for x, err := range t.Ordered(loi.Order{AllowLoss: true}) {
		if err != nil {
			return nil, err
		}
		if none {
			first, none = x.Start, false
		}
		accesses = accesses[:0]
		for _, a := range x.Accesses() {
			accesses = append(accesses, cachemodel.Access{Block: base[a.Object] + uint32(a.Block),
				Write: a.Mode&loi.Out != 0})
		}
		core, kernel := cores[x.Worker], int(x.Kernel)
		before := model.Counters(core, kernel).LLCMisses
		model.Kernel(core, kernel, uint64(float64(x.Start-first)*tickPS), 0, accesses)
		counts[x.Worker*len(r.Kernels)+kernel] += model.Counters(core, kernel).LLCMisses - before
	}
	nodes := make([]int, len(t.Header.Workers))
	for i, w := range t.Header.Workers {
		if nodes[i] = w.Node; t.Header.Unordered && !slices.Contains(active, i) {
			nodes[i] = result.Nobody
		}
	}
	return result.NewLLCMisses(nodes, r.Kernels,
		func(worker, k int) uint64 { return counts[worker*len(r.Kernels)+k] }), nil
}

// activeWorkers lists the workers that have executions.
func activeWorkers(t *loi.Trace) (list []int, err error) {
	for w := range t.Header.Workers {
		for _, err := range t.Ordered(loi.Order{Workers: []int{w}, ByWorker: true, AllowLoss: true}) {
			if err != nil {
				return nil, err
			}
			list = append(list, w)
			break
		}
	}
	return list, nil
}

// Suits returns an error that wraps ErrUnsuitable if [Report] cannot replay a trace with this
// header on m.
func Suits(h *loi.Header, m *machine.Machine, caches request.CacheModel) error {
	opt := Options{CacheModel: caches}
	if caches == request.CacheLines {
		if in, err := request.Program(h); err == nil {
			defer in.Close()
			opt.Place = in.(kernel.Modelled)
		}
	}
	if err := suitable(&h.Registry, opt); err != nil || len(h.Workers) == 0 {
		return err
	}
	least := 0 // one of them is active at least
	for i, w := range h.Workers {
		if w.Node < h.Workers[least].Node {
			least = i
		}
	}
	_, err := placeWorkers(h, m, []int{least}, func(cpu int) int { return cpu })
	return err
}

// suitable returns why the accesses of a program cannot be replayed.
func suitable(r *loi.Registry, opt Options) error {
	if opt.Place == nil && opt.CacheModel == request.CacheLines {
		return fmt.Errorf("%w by lines: it is not known where the blocks of its program lie; "+
			"blocks can be replayed", ErrUnsuitable)
	}
	for i := range r.Objects {
		if r.Objects[i].Kind != loi.Partition {
			return fmt.Errorf("%w: object %q has no registered blocks, expected a partition",
				ErrUnsuitable, r.Objects[i].Name)
		}
	}
	if !r.Accesses() {
		return fmt.Errorf("%w: the program accesses no data that the model describes", ErrUnsuitable)
	}
	return nil
}

// placeWorkers returns the core of the model on which each of the active workers ran.
func placeWorkers(h *loi.Header, m *machine.Machine, active []int,
	coreOf func(cpu int) int) ([]int, error) {
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
	for _, w := range active {
		node := h.Workers[w].Node
		if node >= m.Nodes {
			return nil, fmt.Errorf("%w: worker %d is on node %d, and machine %s has %d",
				ErrUnsuitable,
				w, node, m.Name, m.Nodes)
		}
		there[node] = append(there[node], identity(w))
	}
	for node := range m.Nodes {
		list := there[node]
		slices.Sort(list)
		list = slices.Compact(list)
		if len(list) > m.CoresPerNode {
			return nil,
				fmt.Errorf("%w: it is of %d cores on node %d, and machine %s has %d on each",
					ErrUnsuitable, len(list), node, m.Name, m.CoresPerNode)
		}
		there[node] = list
	}
	for _, w := range active {
		node := h.Workers[w].Node
		i, _ := slices.BinarySearch(there[node], identity(w))
		cores[w] = node*m.CoresPerNode + i
	}
	return cores, nil
}

// coreOf returns what finds the physical core of a CPU; one that t does not know is a core of its
// own, and so is each if t is nil.
func coreOf(t *hw.Topology) func(cpu int) int {
	if t == nil {
		return func(cpu int) int { return cpu }
	}
	cores := map[int]int{}
	for _, c := range t.CPUs {
		cores[c.ID] = c.Core
	}
	return func(cpu int) int {
		if c, ok := cores[cpu]; ok {
			return c
		}
		return len(t.Cores) + cpu
	}
}
