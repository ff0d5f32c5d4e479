package goroutines

import (
	"math"

	"krdlab/krd/stack"
	"krdlab/loi"
)

// A Measure is a number that a schedule has for an object, a type, a function, or all.
type Measure int

// The measures. A reuse is beyond a cache if its distance and its size are more than the cache has.
const (
	Distance    Measure = iota // sum of the distances of all reuses, in bytes
	BeyondL2                   // reuses beyond the L2
	BeyondLLC                  // reuses beyond the LLC
	Invalidated                // reuses that another goroutine wrote since this one's last access
	Measures
)

// An Outcome has the measures of one of these in a schedule.
type Outcome struct {
	Values      [Measures]uint64
	Reuses      uint64 // accesses that are not the first to their unit
	Least, Most uint64 // distances; Least is more than Most where there is no reuse
}

// meter measures schedules.
type meter struct {
	*Program
	engine *stack.Dense
	batch  []uint32
	by     []loi.KernelID // of the batch
	dist   []uint64
	clock  uint32
	seen   []uint32  // of a pair of goroutine and unit, its last access: the clock, 0 for none
	wrote  [][2]last // of a unit, the last write, and the last of another goroutine than that
	out    []Outcome // by row
}

// last is a write.
type last struct {
	clock uint32
	by    int32
}

func newMeter(p *Program) *meter {
	return &meter{Program: p, engine: stack.NewDense(p.sizes), seen: make([]uint32, p.pairs),
		wrote: make([][2]last, len(p.sizes)), out: make([]Outcome, p.Rows())}
}

// batchAccesses is how many accesses are collected at least before their distances are computed.
const batchAccesses = 1 << 16

// measure returns what an order of pieces comes to, by object, type and function, and last for all, valid
// until the next call. Cost: that of [stack.Dense] for all accesses.
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
	m.batch, m.by = m.batch[:0], m.by[:0]
}

// run takes the accesses of a goroutine from one on, to another.
func (m *meter) run(from, to int, by int32) {
	m.batch, m.by = append(m.batch, m.units[from:to]...), append(m.by, m.kernels[from:to]...)
	m.invalidated(from, to, by)
	if len(m.batch) >= batchAccesses {
		m.distances()
	}
}

func (m *meter) end() []Outcome {
	m.distances()
	types := m.out[len(m.Objects):]
	for i := range m.Objects {
		if t := m.typeOf[i]; t >= 0 {
			types[t].add(&m.out[i])
		}
		m.out[len(m.out)-1].add(&m.out[i])
	}
	return m.out
}

func (o *Outcome) add(x *Outcome) {
	for k, v := range x.Values {
		o.Values[k] += v
	}
	o.Reuses += x.Reuses
	o.Least, o.Most = min(o.Least, x.Least), max(o.Most, x.Most)
}

// function returns the row of the function of a kernel.
func (m *meter) function(k loi.KernelID) *Outcome {
	return &m.out[len(m.Objects)+len(m.Types)+m.functionOf[k]]
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
			m.function(m.kernels[k]).Values[Invalidated]++
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
		far := d + m.sizes[u]
		for _, o := range [2]*Outcome{&m.out[m.objectOf[u]], m.function(m.by[k])} {
			o.Reuses++
			o.Values[Distance] += d
			o.Least, o.Most = min(o.Least, d), max(o.Most, d)
			if far > m.L2Bytes {
				o.Values[BeyondL2]++
			}
			if far > m.LLCBytes {
				o.Values[BeyondLLC]++
			}
		}
	}
	m.batch, m.by = m.batch[:0], m.by[:0]
}
