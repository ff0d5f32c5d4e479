package goroutines

import (
	"math"

	"krdlab/krd/stack"
	"krdlab/loi"
)

// A Measure is a number that a schedule has for an object.
type Measure int

// The measures. A reuse is beyond a cache if its distance and its size are more than the cache has.
const (
	Distance    Measure = iota // sum of the distances of all reuses, in bytes
	BeyondL2                   // reuses beyond the L2
	BeyondLLC                  // reuses beyond the LLC
	Invalidated                // reuses that another goroutine wrote since this one's last access
	Measures
)

// An Outcome has the measures of an object in a schedule.
type Outcome struct {
	Values      [Measures]uint64
	Least, Most uint64 // distances; Least is more than Most where there is no reuse
}

// meter measures schedules.
type meter struct {
	*Program
	engine *stack.Dense
	batch  []uint32
	dist   []uint64
	clock  uint32
	seen   []uint32  // of a pair of goroutine and unit, its last access: the clock, 0 for none
	wrote  [][2]last // of a unit, the last write, and the last of another goroutine than that
	out    []Outcome // by object, and of all
}

// last is a write.
type last struct {
	clock uint32
	by    int32
}

func newMeter(p *Program) *meter {
	return &meter{Program: p, engine: stack.NewDense(p.sizes), seen: make([]uint32, p.pairs),
		wrote: make([][2]last, len(p.sizes)), out: make([]Outcome, len(p.Objects)+1)}
}

// batchAccesses is how many accesses are collected at least before their distances are computed.
const batchAccesses = 1 << 16

// measure returns what an order of pieces comes to, for each object and for all, valid until the next
// call. Cost: that of [stack.Dense] for all accesses.
func (m *meter) measure(order []int32) []Outcome {
	m.begin()
	for _, i := range order {
		m.run(m.from[i], m.from[i+1], m.of[i])
	}
	return m.end()
}

// recorded works like measure, for the accesses in the order of the trace, which may interrupt pieces.
func (m *meter) recorded() []Outcome {
	m.begin()
	next := make([]int, len(m.first)-1)
	for g := range next {
		next[g] = m.from[m.first[g]]
	}
	for _, x := range m.turns {
		m.run(next[x.by], next[x.by]+int(x.n), x.by)
		next[x.by] += int(x.n)
	}
	return m.end()
}

func (m *meter) begin() {
	m.engine.Reset()
	clear(m.seen)
	clear(m.wrote)
	m.clock = 0
	for i := range m.out {
		m.out[i] = Outcome{Least: math.MaxUint64}
	}
	m.batch = m.batch[:0]
}

// run takes the accesses of a goroutine from one on, to another.
func (m *meter) run(from, to int, by int32) {
	m.batch = append(m.batch, m.units[from:to]...)
	m.invalidated(from, to, by)
	if len(m.batch) >= batchAccesses {
		m.distances()
	}
}

func (m *meter) end() []Outcome {
	m.distances()
	total := &m.out[len(m.Objects)]
	for i := range m.Objects {
		o := &m.out[i]
		for k, v := range o.Values {
			total.Values[k] += v
		}
		total.Least, total.Most = min(total.Least, o.Least), max(total.Most, o.Most)
	}
	return m.out
}

// invalidated counts accesses of a goroutine to what another one wrote since.
func (m *meter) invalidated(from, to int, by int32) {
	for k := from; k < to; k++ {
		m.clock++
		u, seen := m.units[k], &m.seen[m.copies[k]]
		w := &m.wrote[u]
		other := w[0]
		if other.by == by {
			other = w[1]
		}
		if *seen != 0 && other.clock > *seen {
			m.out[m.objectOf[u]].Values[Invalidated]++
		}
		*seen = m.clock
		if m.modes[k]&loi.Out != 0 {
			if w[0].by != by {
				w[1] = w[0]
			}
			w[0] = last{m.clock, by}
		}
	}
}

// distances measures the batch.
func (m *meter) distances() {
	if len(m.dist) < len(m.batch) {
		m.dist = make([]uint64, cap(m.batch))
	}
	m.engine.Distances(m.batch, m.dist)
	for k, u := range m.batch {
		d := m.dist[k]
		if d == stack.Cold {
			continue
		}
		o := &m.out[m.objectOf[u]]
		o.Values[Distance] += d
		o.Least, o.Most = min(o.Least, d), max(o.Most, d)
		if d += m.sizes[u]; d > m.L2Bytes {
			o.Values[BeyondL2]++
		}
		if d > m.LLCBytes {
			o.Values[BeyondLLC]++
		}
	}
	m.batch = m.batch[:0]
}
