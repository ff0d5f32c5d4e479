package measure

import (
	"krdlab/experiments/run/replay"
	"krdlab/experiments/run/request"
	"krdlab/experiments/run/result"
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

// replay counts the misses of a traced repetition by the cache model of this host, where counters
// were wanted and the hardware has none. An obstacle is added to the reason why there are no
// misses.
func (n *native) replay(s *schedule, t *loi.Trace, r *result.Repetition) {
	if n.asked.Counters != request.CountersAuto || s.LLCSource == hw.SourcePerf {
		return
	}
	misses, err := n.replayed(t)
	if err != nil {
		n.notReplayed(s.Measured, err.Error())
		return
	}
	s.LLCSource = result.LLCSourceModel
	if s.LLCModel == nil {
		s.LLCModel = &result.LLCModel{Machine: n.host.machine.Name, CacheModel: request.CacheBlocks,
			Replayed: true}
	}
	if n.asked.Trace.Each() {
		r.LLCModel = misses
	} else {
		s.LLCModel.Traced = append(s.LLCModel.Traced, misses)
	}
}

// notReplayed adds to the reason why there are no misses that the model has none either.
func (n *native) notReplayed(m *result.Measured, why string) {
	if n.asked.Counters == request.CountersAuto && m.LLCSource == "" && m.LLCReason != "" {
		m.LLCReason += "; no replay by the cache model: " + why
	}
}

func (n *native) replayed(t *loi.Trace) (*result.LLCMisses, error) {
	if n.host.machine == nil && n.host.err == nil {
		n.host.machine, n.host.err = modelOf(n.topo, n.synthetic)
	}
	if n.host.err != nil {
		return nil, n.host.err
	}
	place, _ := n.in.(kernel.Modelled)
	return await(n.ctx, &n.left, func() (*result.LLCMisses, error) {
		return replay.Misses(t, n.host.machine, replay.Options{Place: place, Topology: n.topo})
	})
}

// modelOf returns the machine of a topology, with the nodes of an imposed one if that is not nil:
// each then has an LLC like the machine's.
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
