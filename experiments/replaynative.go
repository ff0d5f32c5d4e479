package experiments

import (
	"krdlab/hw"
	"krdlab/hw/machine"
	"krdlab/kernels/kernel"
	"krdlab/loi"
)

// hostModel is the model of the computer that a native run is on, made when it is first needed.
type hostModel struct {
	machine *machine.Machine
	err     error
}

// replay counts the misses of a traced repetition by the cache model of this host, where counters were wanted and the hardware has none.
// What keeps it from doing so is added to the reason why there are no misses.
func (n *native) replay(s *schedule, t *loi.Trace, r *Repetition) {
	if n.c.Counters != CountersAuto || s.LLCSource == hw.SourcePerf {
		return
	}
	misses, err := n.replayed(t)
	if err != nil {
		n.notReplayed(s.Measured, err.Error())
		return
	}
	s.LLCSource = LLCSourceModel
	if s.LLCModel == nil {
		s.LLCModel = &LLCModel{Machine: n.host.machine.Name, CacheModel: CacheBlocks, Replayed: true}
	}
	if n.c.Trace.each() {
		r.LLCModel = misses
	} else {
		s.LLCModel.Traced = append(s.LLCModel.Traced, misses)
	}
}

// notReplayed adds to the reason why there are no misses that the model has none either.
func (n *native) notReplayed(m *Measured, why string) {
	if n.c.Counters == CountersAuto && m.LLCSource == "" && m.LLCReason != "" {
		m.LLCReason += "; no replay by the cache model: " + why
	}
}

func (n *native) replayed(t *loi.Trace) (*LLCMisses, error) {
	if n.host.machine == nil && n.host.err == nil {
		n.host.machine, n.host.err = modelOf(n.topo, n.synthetic)
	}
	if n.host.err != nil {
		return nil, n.host.err
	}
	place, _ := n.in.(kernel.Modelled)
	return Replay(t, n.host.machine, ReplayOptions{Place: place, Topology: n.topo})
}

// modelOf returns the machine of a topology, with the nodes of an imposed one if that is not nil: each then has an LLC like the machine's.
func modelOf(t, imposed *hw.Topology) (*machine.Machine, error) {
	m, err := machine.Host(t)
	if err != nil || imposed == nil {
		return m, err
	}
	m.Nodes, m.NodesPerSocket, m.CoresPerNode = len(imposed.Nodes), 1, 0
	for _, n := range imposed.Nodes {
		m.CoresPerNode = max(m.CoresPerNode, len(n.Cores))
	}
	// One memory for all: where misses go is not asked.
	m.Memory.NodesPerDomain = m.Nodes
	m.Memory.RemotePS = nil
	for range m.Nodes {
		row := make([]uint64, m.Nodes)
		for i := range row {
			row[i] = m.Memory.LocalPS
		}
		m.Memory.RemotePS = append(m.Memory.RemotePS, row)
	}
	return m, m.Validate()
}

// coreOf returns what finds the physical core of a CPU; one that t does not know is a core of its own, and so is each if t is nil.
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

// hide forgets the modelled misses of repetitions in which the hardware failed to count, where it did count in others.
func (m *Measured) hide() {
	if m.LLCSource != hw.SourcePerf {
		return
	}
	for i := range m.Repetitions {
		m.Repetitions[i].LLCModel = nil
	}
}
