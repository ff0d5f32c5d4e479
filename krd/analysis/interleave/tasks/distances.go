package tasks

import (
	"math/bits"

	"krdlab/krd"
	"krdlab/krd/stack"
)

// bins are those of [krd.Histogram]: 0, then [2^(k-1), 2^k).
const bins = 65

// An Outcome counts the distances of a schedule, by object.
type Outcome struct {
	Far  []uint64 // reuses with distance + size beyond the LLC
	Cold []uint64 // first accesses on a node
}

// Beyond returns how many accesses of an object are far or cold, of all objects if it is negative.
func (o *Outcome) Beyond(object int) (n uint64) { return o.sum(object, true) }

// FarOf returns how many reuses of an object are far, of all objects if it is negative.
func (o *Outcome) FarOf(object int) (n uint64) { return o.sum(object, false) }

func (o *Outcome) sum(object int, withCold bool) (n uint64) {
	for i := range o.Far {
		if object < 0 || i == object {
			n += o.Far[i]
			if withCold {
				n += o.Cold[i]
			}
		}
	}
	return n
}

// A meter computes the distances of schedules, a stack for each node of workers.
type meter struct {
	*DAG
	nodeOf  []int // of each worker
	batches [][]uint32
	engines []*stack.Dense // by node, once it is used
	dist    []uint64
	// what all schedules came to: by object and bin, the last one cold ones
	counts [][bins + 1]uint64
	run    [][bins + 1]uint64 // of the last schedule
	// by block: the least and the largest finite distance; 0 is none, others are 1 more
	least, most []uint64
}

func newMeter(d *DAG, nodeOf []int) *meter {
	nodes := 0
	for _, n := range nodeOf {
		nodes = max(nodes, n+1)
	}
	return &meter{DAG: d, nodeOf: nodeOf, batches: make([][]uint32, nodes),
		engines: make([]*stack.Dense, nodes),
		counts:  make([][bins + 1]uint64, len(d.Objects)), run: make([][bins + 1]uint64, len(d.Objects)),
		least: make([]uint64, len(d.sizes)), most: make([]uint64, len(d.sizes))}
}

// measure returns what s comes to. Cost: that of [stack.Dense] for the accesses.
func (m *meter) measure(s *Schedule) Outcome {
	n := len(m.Objects)
	both := make([]uint64, 2*n)
	out := Outcome{both[:n:n], both[n:]}
	clear(m.run)
	if m.more != nil {
		m.atOnce(s, &out)
	} else {
		m.batched(s, &out)
	}
	for o := range m.run {
		for k, n := range m.run[o] {
			m.counts[o][k] += n
		}
	}
	return out
}

// batched measures accesses of one unit each.
func (m *meter) batched(s *Schedule, out *Outcome) {
	for i := range m.batches {
		m.batches[i] = m.batches[i][:0]
	}
	for _, v := range s.Order {
		b := &m.batches[m.nodeOf[s.Worker[v]]]
		*b = append(*b, m.units[m.from[v]:m.from[v+1]]...)
	}
	for i, batch := range m.batches {
		if len(batch) == 0 {
			continue
		}
		if m.engines[i] == nil {
			m.engines[i] = stack.NewDense(m.sizes)
		} else {
			m.engines[i].Reset()
		}
		if len(m.dist) < len(batch) {
			m.dist = make([]uint64, len(batch))
		}
		m.engines[i].Distances(batch, m.dist)
		for i, u := range batch {
			m.count(u, m.dist[i], m.dist[i]+m.sizes[u], out)
		}
	}
}

// atOnce measures accesses whose units are touched at once.
func (m *meter) atOnce(s *Schedule, out *Outcome) {
	engines := make([]*stack.Online, len(m.batches))
	for i := range engines {
		engines[i] = stack.NewOnline()
	}
	var sizes, dist []uint64
	for _, v := range s.Order {
		list := m.units[m.from[v]:m.from[v+1]]
		more := m.more[m.from[v]:m.from[v+1]]
		for len(list) > 0 {
			n := int(more[0]) + 1
			sizes, dist = sizes[:0], append(dist[:0], make([]uint64, n)...)
			for _, u := range list[:n] {
				sizes = append(sizes, m.sizes[u])
			}
			engines[m.nodeOf[s.Worker[v]]].AccessAll(list[:n], sizes, dist)
			far, needs := krd.WholeDistance(sizes, dist)
			m.count(list[0], far, needs, out)
			list, more = list[n:], more[n:]
		}
	}
}

// count counts an access at a distance that a cache of needs bytes serves. Of several units the
// first stands for all.
func (m *meter) count(u uint32, d, needs uint64, out *Outcome) {
	o := m.objectOf[u]
	if d == stack.Cold {
		out.Cold[o]++
		m.run[o][bins]++
		return
	}
	if needs > m.LLCBytes {
		out.Far[o]++
	}
	m.run[o][bits.Len64(d)]++
	if m.least[u] == 0 || d < m.least[u]-1 {
		m.least[u] = d + 1
	}
	m.most[u] = max(m.most[u], d+1)
}
