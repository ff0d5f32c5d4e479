package result

import (
	"maps"
	"slices"

	"krdlab/experiments/run/request"
	"krdlab/hw"
	"krdlab/loi"
)

// LLCMisses are the cache lines that missed last-level caches in one repetition, as a cache model
// counted them. A line that another node has is a miss too. Each list adds up to Total.
type LLCMisses struct {
	Total   int64          `json:"total"`
	Workers []int64        `json:"workers"` // by worker; under go, by CPU
	Nodes   []NodeMisses   `json:"nodes"`   // that have workers, ascending
	Kernels []KernelMisses `json:"kernels"` // in the order of the registry
}

// NodeMisses are the misses of the workers of one node.
type NodeMisses struct {
	Node    int   `json:"node"`
	Workers int   `json:"workers"`
	Misses  int64 `json:"misses"`
}

// KernelMisses are the misses of all executions of one kernel.
type KernelMisses struct {
	Name   string `json:"name"`
	Misses int64  `json:"misses"`
}

// RuntimeData is the name in the place of a kernel's for accesses to the runtime's own data.
const RuntimeData = "runtime"

// Nobody is the node of a CPU on which go ran nothing: it is no worker.
const Nobody = -1

// NewLLCMisses adds up count, the misses of one worker in one kernel. nodes has the node of each
// worker.
func NewLLCMisses(nodes []int, kernels []loi.Kernel,
	count func(worker, kernel int) uint64) *LLCMisses {
	m := &LLCMisses{Workers: make([]int64, len(nodes)), Nodes: []NodeMisses{},
		Kernels: make([]KernelMisses, len(kernels))}
	for i, k := range kernels {
		m.Kernels[i].Name = k.Name
	}
	for w, node := range nodes {
		if node == Nobody {
			continue
		}
		i, found := slices.BinarySearchFunc(m.Nodes, node,
			func(n NodeMisses, node int) int { return n.Node - node })
		if !found {
			m.Nodes = slices.Insert(m.Nodes, i, NodeMisses{Node: node})
		}
		m.Nodes[i].Workers++
		for k := range kernels {
			n := int64(count(w, k))
			m.Total += n
			m.Workers[w] += n
			m.Nodes[i].Misses += n
			m.Kernels[k].Misses += n
		}
	}
	return m
}

// ofNode returns the misses of a node, 0 if it has no workers.
func (m *LLCMisses) ofNode(node int) int64 {
	for _, n := range m.Nodes {
		if n.Node == node {
			return n.Misses
		}
	}
	return 0
}

// The sources of LLC misses that are models, as [Result.MissesFrom] names them.
const (
	MissesOfBlocks = "model: fully associative, blocks"
	MissesOfLines  = "model: sets, lines"
)

// MissesFrom returns what counted the LLC misses: "perf_event", [MissesOfBlocks], [MissesOfLines],
// "" where nothing did.
func (r *Result) MissesFrom() string {
	switch {
	case r.LLCSource == nil:
		return ""
	case *r.LLCSource != LLCSourceModel || r.LLCModel == nil:
		return *r.LLCSource
	case r.LLCModel.CacheModel == request.CacheLines:
		return MissesOfLines
	}
	return MissesOfBlocks
}

// MissesByConstruction reports whether the LLC misses were computed from the very trace that the
// reuse distances are computed from, by a stack of whole blocks, as they are: the one follows from
// the other, and their correlation is no evidence about a machine.
func (r *Result) MissesByConstruction() bool {
	return r.LLCModel != nil && r.LLCModel.Replayed && r.MissesFrom() == MissesOfBlocks
}

// LLCModel sums up the misses that a cache model counted, over the repetitions with such a count.
type LLCModel struct {
	Machine    string             `json:"machine"` // whose caches are modelled
	CacheModel request.CacheModel `json:"cache_model"`
	// Replayed records that the repetitions ran natively, and that the model was given their
	// traces; if not, the model was part of the simulated machine.
	Replayed bool `json:"replayed"`
	// of repetitions that are not among the timed ones
	Traced  []*LLCMisses    `json:"traced,omitempty"`
	Nodes   []NodeSummary   `json:"nodes"`
	Kernels []MissesSummary `json:"kernels"`
}

// A NodeSummary is the misses of a node, divided by its workers; under go, by those of its CPUs
// that ran kernels.
type NodeSummary struct {
	Node          int      `json:"node"`
	Workers       int      `json:"workers"`
	MissesPerCore Quantity `json:"misses_per_core"`
}

// A MissesSummary is the misses of a kernel, all executions of a repetition on all cores together.
type MissesSummary struct {
	Name   string   `json:"name"`
	Misses Quantity `json:"misses"`
}

// sumUp fills in the medians of all, which are of one configuration; fixed if nothing was drawn.
func (m *LLCModel) sumUp(all []*LLCMisses, fixed bool) {
	m.Nodes, m.Kernels = []NodeSummary{}, []MissesSummary{}
	if len(all) == 0 {
		return
	}
	workers := map[int]int{} // by node; under go it may be others in each repetition
	for _, one := range all {
		for _, n := range one.Nodes {
			workers[n.Node] = max(workers[n.Node], n.Workers)
		}
	}
	for _, node := range slices.Sorted(maps.Keys(workers)) {
		var v []float64
		for _, one := range all {
			v = append(v, float64(one.ofNode(node))/float64(workers[node]))
		}
		m.Nodes = append(m.Nodes, NodeSummary{node, workers[node], Sample{Values: v, Fixed: fixed}.Quantity()})
	}
	for i, k := range all[0].Kernels {
		var v []float64
		for _, one := range all {
			v = append(v, float64(one.Kernels[i].Misses))
		}
		m.Kernels = append(m.Kernels, MissesSummary{k.Name, Sample{Values: v, Fixed: fixed}.Quantity()})
	}
}

// modelled returns what the cache model counted, and the misses per core of each repetition.
func (m *Measured) modelled(cores int) (sum *LLCModel, perCore []float64) {
	var all []*LLCMisses
	if m.LLCModel != nil {
		all = slices.Clone(m.LLCModel.Traced)
	}
	for i := range m.Repetitions {
		if x := m.Repetitions[i].LLCModel; x != nil {
			all = append(all, x)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	for _, x := range all {
		perCore = append(perCore, float64(x.Total)/float64(cores))
	}
	sum = &LLCModel{}
	if m.LLCModel != nil {
		*sum = *m.LLCModel
	}
	sum.sumUp(all, m.Deterministic)
	return sum, perCore
}

// HideModel forgets the modelled misses of repetitions in which the hardware failed to count, where
// it did count in others.
func (m *Measured) HideModel() {
	if m.LLCSource != hw.SourcePerf {
		return
	}
	for i := range m.Repetitions {
		m.Repetitions[i].LLCModel = nil
	}
}
