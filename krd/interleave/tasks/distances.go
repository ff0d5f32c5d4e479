package tasks

import (
	"math/bits"

	"krdlab/krd/stack"
)

// bins are those of [krd.Histogram]: 0, then [2^(k-1), 2^k).
const bins = 65

// An Outcome is what a schedule comes to, by object.
type Outcome struct {
	Far  []uint64 // reuses with distance + size beyond the LLC
	Cold []uint64 // first accesses on a node
}

// Beyond is how many accesses of an object are far or cold, of all objects if it is negative.
func (o *Outcome) Beyond(object int) (n uint64) { return o.sum(object, true) }

// FarOf is how many reuses of an object are far, of all objects if it is negative.
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
		counts: make([][bins + 1]uint64, len(d.Objects)), run: make([][bins + 1]uint64, len(d.Objects)),
		least: make([]uint64, len(d.sizes)), most: make([]uint64, len(d.sizes))}
}

// measure returns what s comes to. Cost: that of [stack.Dense] for the accesses.
func (m *meter) measure(s *Schedule) Outcome {
	for i := range m.batches {
		m.batches[i] = m.batches[i][:0]
	}
	for _, v := range s.Order {
		b := &m.batches[m.nodeOf[s.Worker[v]]]
		*b = append(*b, m.accesses[m.from[v]:m.from[v+1]]...)
	}
	out := Outcome{make([]uint64, len(m.Objects)), make([]uint64, len(m.Objects))}
	clear(m.run)
	for _, batch := range m.batches {
		if len(batch) == 0 {
			continue
		}
		if len(m.dist) < len(batch) {
			m.dist = make([]uint64, len(batch))
		}
		stack.NewDense(m.sizes).Distances(batch, m.dist)
		m.count(batch, &out)
	}
	for o := range m.run {
		for k, n := range m.run[o] {
			m.counts[o][k] += n
		}
	}
	return out
}

// count counts the distances of a node.
func (m *meter) count(batch []uint32, out *Outcome) {
	for i, b := range batch {
		d, o := m.dist[i], m.objectOf[b]
		if d == cold {
			out.Cold[o]++
			m.run[o][bins]++
			continue
		}
		if d+m.sizes[b] > m.LLCBytes {
			out.Far[o]++
		}
		m.run[o][bits.Len64(d)]++
		if m.least[b] == 0 || d < m.least[b]-1 {
			m.least[b] = d + 1
		}
		m.most[b] = max(m.most[b], d+1)
	}
}
