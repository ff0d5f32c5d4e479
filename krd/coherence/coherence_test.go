package coherence

import (
	"fmt"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/krd/stack"
)

type access struct {
	node  int
	unit  uint32
	write bool
}

func (a access) String() string {
	mode := "r"
	if a.write {
		mode = "w"
	}
	return fmt.Sprintf("%d:%s%d", a.node, mode, a.unit)
}

// splitMix returns a generator of pseudo-random numbers (Steele, Lea and Flood, OOPSLA 2014).
func splitMix(state uint64) func() uint64 {
	return func() uint64 {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
}

// agree reports whether an answer of the engine agrees with the caches: the smallest that hits is
// the one of distance + bytes.
func agree(distance uint64, kind Kind, bytes uint64, smallest int, want Kind) bool {
	if want != Hit {
		return kind == want && distance == stack.Cold
	}
	return kind == Hit && distance+bytes == uint64(smallest)
}

// search goes through all traces up to renaming of units and nodes, in which both are named in
// order of appearance.
type search struct {
	t       *testing.T
	nodes   int
	sizes   []uint64
	oracles []*oracle // by length of the trace
	trace   []access
	want    []int // smallest cache that hits
	kinds   []Kind
	leaves  int
	pages   []*page // of the stacks, to be used again: most of the time went into fresh ones
}

func (s *search) extend(depth, length, units, nodes int) {
	if depth == length {
		s.leaves++
		e := newStacks(s.nodes, 1+s.leaves%5)
		for node := range e.nodes {
			e.nodes[node] = newLRU(e.slots)
			e.nodes[node].pages = []*page{s.pages[node]}
			clear(s.pages[node][:len(s.sizes)]) // nothing else is touched
		}
		for i, a := range s.trace {
			if d, k := e.Access(a.node, a.unit, s.sizes[a.unit], a.write); !agree(d, k,
				s.sizes[a.unit], s.want[i], s.kinds[i]) {
				s.t.Fatalf("sizes %v, trace %v, access %d: got distance %d, %v; the smallest "+
					"cache that hits is %d, %v",
					s.sizes, s.trace, i, int64(d), k, s.want[i], s.kinds[i])
			}
		}
		return
	}
	o := s.oracles[depth+1]
	for unit := range min(units+1, len(s.sizes)) {
		for node := range min(nodes+1, s.nodes) {
			for mode := range 2 {
				a := access{node, uint32(unit), mode == 1}
				o.copyFrom(s.oracles[depth])
				var err error
				s.trace[depth] = a
				s.want[depth], s.kinds[depth], err = o.access(node, a.unit, a.write, depth%2 == 1)
				if err != nil {
					s.t.Fatalf("sizes %v, trace %v: %v", s.sizes, s.trace[:depth+1], err)
				}
				s.extend(depth+1, length, max(units, unit+1), max(nodes, node+1))
			}
		}
	}
}

// TestAllShortTraces: every access of every trace of 6 accesses by 2 nodes to 3 units of 1 or 3
// bytes, against caches of all sizes; and of 5 accesses by 3 nodes. One access less in the short shape.
func TestAllShortTraces(t *testing.T) {
	for _, c := range []struct{ nodes, length int }{{2, 6}, {3, 5}} {
		c.length -= long.Or(1, 0)
		leaves := 0
		for mix := range 8 {
			sizes := []uint64{1 + uint64(mix&1)*2, 1 + uint64(mix>>1&1)*2, 1 + uint64(mix>>2)*2}
			s := &search{t: t, nodes: c.nodes, sizes: sizes, trace: make([]access, c.length),
				want:  make([]int, c.length),
				kinds: make([]Kind, c.length)}
			for range c.nodes {
				s.pages = append(s.pages, new(page))
			}
			for range c.length + 1 {
				s.oracles = append(s.oracles, newOracle(c.nodes, sizes))
			}
			s.extend(0, c.length, 0, 0)
			leaves += s.leaves
		}
		t.Logf("%d nodes, %d accesses: %d traces", c.nodes, c.length, leaves)
	}
}

// randomTrace mixes passes over the units with accesses at random; a write in writes of them.
func randomTrace(next func() uint64, n, nodes, units, writes int) []access {
	trace := make([]access, n)
	for i := range trace {
		a := access{int(next() % uint64(nodes)), uint32(next() % uint64(units)), false}
		if i/64%2 == 1 {
			a.unit = uint32(i % units)
		}
		if writes > 0 {
			a.write = next()%uint64(writes) == 0
		}
		trace[i] = a
	}
	return trace
}

// TestLongTraces: the engine and its model against the caches of all sizes, with the caches'
// inclusion looked at as well.
func TestLongTraces(t *testing.T) {
	for seed := range 400 {
		next := splitMix(uint64(seed))
		nodes, units := 1+int(next()%4), 2+int(next()%7)
		sizes := make([]uint64, units)
		for u := range sizes {
			sizes[u] = 1 + next()%5
		}
		o, m, e := newOracle(nodes, sizes), newModel(nodes, topmost), newStacks(nodes, 1+seed%3*20)
		for i, a := range randomTrace(next, 400, nodes, units, 2+seed%9) {
			bytes := sizes[a.unit]
			smallest, want, err := o.access(a.node, a.unit, a.write, next()%2 == 0)
			if err != nil {
				t.Fatal(seed, i, err)
			}
			if d, k := e.Access(a.node, a.unit, bytes, a.write); !agree(d, k, bytes, smallest,
				want) {
				t.Fatalf("seed %d, access %d, %v: got distance %d, %v; the smallest cache that "+
					"hits is %d, %v",
					seed, i, a, int64(d), k, smallest, want)
			}
			if d, k := m.access(a.node, a.unit, bytes, a.write); !agree(d, k, bytes, smallest,
				want) {
				t.Fatalf("seed %d, access %d, %v: the model says %d, %v; the smallest cache that "+
					"hits is %d, %v",
					seed, i, a, int64(d), k, smallest, want)
			}
			if !o.included(a.node) {
				t.Fatalf("seed %d, access %d, %v: a cache holds what a larger one does not", seed,
					i, a)
			}
		}
	}
}

// TestModel compares with the model where there are many nodes and units, sizes of 0 and of 2^40
// among them.
func TestModel(t *testing.T) {
	for _, c := range []struct{ nodes, units, writes, slots int }{
		{2, 300, 3, 1}, {5, 300, 20, minSlots}, {64, 40, 5, 1}, {65, 40, 5, 1}, {200, 20, 9, 7},
		{3, 2500, 4, 1},
	} {
		next := splitMix(uint64(c.units))
		m, e := newModel(c.nodes, topmost), newStacks(c.nodes, c.slots)
		sizes := []uint64{0, 1, 64, 8192, 1 << 40}
		for i, a := range randomTrace(next, 12000, c.nodes, c.units, c.writes) {
			bytes := sizes[a.unit%5]
			if a.unit%2 == 1 {
				bytes += uint64(a.unit)
			}
			d, k := e.Access(a.node, a.unit, bytes, a.write)
			if want, kind := m.access(a.node, a.unit, bytes, a.write); d != want || k != kind {
				t.Fatalf("%+v, access %d, %v: got %d, %v, want %d, %v", c, i, a, d, k, want, kind)
			}
		}
	}
}
