package coherence

import (
	"testing"

	"krdlab/krd/stack"
)

// TestRejectedDesigns: deletion and filling the oldest hole contradict the caches, in traces that
// were found by hand. Units are of one byte; node 1 writes what node 0 has read.
func TestRejectedDesigns(t *testing.T) {
	read := func(units ...uint32) (list []access) {
		for _, u := range units {
			list = append(list, access{0, u, false})
		}
		return list
	}
	write := func(units ...uint32) (list []access) {
		for _, u := range units {
			list = append(list, access{1, u, true})
		}
		return list
	}
	for _, c := range []struct {
		name     string
		rule     fillRule
		trace    []access
		smallest int // the smallest cache that has the last access
		wrong    int // by the rejected rule
	}{
		// A cache of 1 byte has pushed out unit 0 for unit 1, which is then invalidated: unit 0 is
		// not in it.
		{"deletion", deletion, append(append(read(0, 1), write(1)...), read(0)...), 2, 1},
		// From the top: hole, unit 1, hole, unit 0. The cache of 2 bytes holds unit 1 and has a
		// free place, which unit 0 takes.
		{"oldest", oldest, append(append(read(0, 2, 1, 3), write(2, 3)...), read(0, 1)...), 2, 3},
	} {
		sizes := []uint64{1, 1, 1, 1}
		o, m, e, rejected := newOracle(2, sizes), newModel(2, topmost), New(2), newModel(2, c.rule)
		for i, a := range c.trace {
			smallest, kind, err := o.access(a.node, a.unit, a.write, false)
			if err != nil {
				t.Fatal(err)
			}
			d, k := e.Access(a.node, a.unit, 1, a.write)
			dm, km := m.access(a.node, a.unit, 1, a.write)
			dr, kr := rejected.access(a.node, a.unit, 1, a.write)
			if !agree(d, k, 1, smallest, kind) || !agree(dm, km, 1, smallest, kind) {
				t.Errorf("%s, %v: got %d, model %d, caches %d", c.name, a, int64(d), int64(dm),
					smallest)
			}
			if i < len(c.trace)-1 {
				continue
			}
			if smallest != c.smallest {
				t.Errorf("%s: the smallest cache that hits has %d bytes, want %d", c.name, smallest,
					c.smallest)
			}
			if kr != Hit || int(dr)+1 != c.wrong {
				t.Errorf("%s: the rejected rule says %v, %d bytes, want %d", c.name, kr, dr+1,
					c.wrong)
			}
		}
	}
	// In random traces as well, and the engine's rule never.
	for _, c := range []struct {
		rule fillRule
		want bool
	}{{topmost, false}, {oldest, true}, {deletion, true}} {
		disagree := false
		for seed := range 20 {
			sizes := []uint64{1, 3, 2, 1, 1}
			next := splitMix(uint64(seed))
			o, m := newOracle(2, sizes), newModel(2, c.rule)
			for _, a := range randomTrace(next, 100, 2, len(sizes), 3) {
				smallest, kind, err := o.access(a.node, a.unit, a.write, false)
				if err != nil {
					t.Fatal(err)
				}
				d, k := m.access(a.node, a.unit, sizes[a.unit], a.write)
				disagree = disagree || !agree(d, k, sizes[a.unit], smallest, kind)
			}
		}
		if disagree != c.want {
			t.Errorf("rule %d contradicts the caches: %v, want %v", c.rule, disagree, c.want)
		}
	}
}

// TestPlain: where no write meets a copy on another node, distances are those of the plain engine
// on each node.
func TestPlain(t *testing.T) {
	for _, c := range []struct {
		name string
		fix  func(a *access)
	}{
		{"reads", func(a *access) { a.write = false }},
		{"private units", func(a *access) { a.unit = a.unit*5 + uint32(a.node) }},
		{"one node", func(a *access) { a.node = 0 }},
	} {
		next := splitMix(11)
		e := New(5)
		plain := make([]*stack.Online, 5)
		for n := range plain {
			plain[n] = stack.NewOnline()
		}
		for i, a := range randomTrace(next, 60_000, 5, 700, 3) {
			c.fix(&a)
			bytes := uint64(a.unit % 7 * 1000)
			d, k := e.Access(a.node, a.unit, bytes, a.write)
			want := plain[a.node].Access(a.unit, bytes)
			if d != want || (k == Cold) != (want == stack.Cold) || k == Invalidated {
				t.Fatalf("%s, access %d, %v: got %d, %v, want %d", c.name, i, a, int64(d), k,
					int64(want))
			}
		}
	}
}

// TestBounded: slots are bounded by the units that a node holds, however many holes were made.
func TestBounded(t *testing.T) {
	const units = 50
	next := splitMix(5)
	e := newStacks(2, 4)
	for i := range 400_000 {
		node, unit := int(next()%2), uint32(next()%units)
		if i%50_000 > 40_000 {
			node = 1 // which takes away all that node 0 has
		}
		e.Access(node, unit, 8+uint64(unit%3), next()%2 == 0)
		for _, n := range e.nodes {
			if n != nil && len(n.bytes) > 4*units {
				t.Fatalf("access %d: %d slots for at most %d units, want at most %d", i,
					len(n.bytes), units, 4*units)
			}
		}
	}
	// A stack of holes alone needs none of them.
	e = newStacks(2, 4)
	for i := range 100_000 {
		e.Access(i%2, 0, 100, true)
	}
	for _, n := range e.nodes {
		if len(n.bytes) > 4 {
			t.Errorf("%d slots for one unit that two nodes write in turn, want 4", len(n.bytes))
		}
	}
	// Many holes that nothing fills, between the lowest unit and three small ones: they become one.
	e = newStacks(2, 4)
	e.Access(0, 0, 7, false)
	for u := range uint32(1000) {
		e.Access(0, 4+u, 100, false)
	}
	for u := range uint32(1000) {
		e.Access(1, 4+u, 100, true)
	}
	for i := range uint32(10_000) {
		e.Access(0, 1+i%3, 1, false)
	}
	if got := len(e.nodes[0].bytes); got > 4*4 {
		t.Errorf("%d slots for 4 units, want at most 16", got)
	}
	if d, k := e.Access(0, 0, 7, false); d != 1000*100 || k != Hit {
		t.Errorf("below the holes: distance %d, %v, want 100000, hit", d, k)
	}
}

// TestByHand: distances in a trace with holes that can be followed by hand.
func TestByHand(t *testing.T) {
	e := New(3)
	for _, step := range []struct {
		access
		bytes    uint64
		distance uint64
		kind     Kind
	}{
		{access{0, 0, false}, 10, stack.Cold, Cold},
		{access{0, 1, false}, 4, stack.Cold, Cold},
		{access{1, 0, false}, 10, stack.Cold, Cold},
		{access{0, 0, true}, 10, 4, Hit}, // node 1 loses unit 0
		// node 0 loses it: 10 bytes of hole above unit 1
		{access{2, 0, true}, 10, stack.Cold, Cold},
		{access{2, 0, true}, 10, 0, Hit},                   // nobody else has it
		{access{0, 1, false}, 4, 10, Hit},                  // fills 4 of the 10, and leaves 4
		{access{0, 0, false}, 10, stack.Cold, Invalidated}, // fills the 6 above and the 4 below
		{access{0, 1, false}, 4, 10, Hit},                  // no hole is left
		{access{1, 0, false}, 10, stack.Cold, Invalidated}, // fills its own old place
		{access{1, 2, false}, 1 << 40, stack.Cold, Cold},   // no hole is left
		{access{1, 0, false}, 10, 1 << 40, Hit},            // under all of that
		{access{0, 2, true}, 1 << 40, stack.Cold, Cold},    // node 1 loses unit 2
		{access{1, 2, false}, 1 << 40, stack.Cold, Invalidated},
	} {
		d, k := e.Access(step.node, step.unit, step.bytes, step.write)
		if d != step.distance || k != step.kind {
			t.Fatalf("%v: got %d, %v, want %d, %v", step.access, int64(d), k, int64(step.distance),
				step.kind)
		}
	}
}

// FuzzStacks reads a trace out of bytes, two for an access, and compares with the caches.
func FuzzStacks(f *testing.F) {
	f.Add([]byte{0, 0}, uint8(1))
	f.Add([]byte{0, 0, 0, 1, 0, 2, 1, 0x81, 1, 0x82, 0, 0, 0, 1, 2, 0x80, 0, 0}, uint8(3))
	f.Add([]byte("a longer seed, in which nodes and units come up again and again"), uint8(7))
	f.Fuzz(func(t *testing.T, data []byte, mix uint8) {
		sizes := make([]uint64, 6)
		for u := range sizes {
			sizes[u] = 1 + uint64(mix)>>u&1*3
		}
		const nodes = 3
		o, e := newOracle(nodes, sizes), newStacks(nodes, 1+int(mix%8))
		for ; len(data) >= 2; data = data[2:] {
			a := access{int(data[0] % nodes), uint32(data[1]&0x7f) % uint32(len(sizes)),
				data[1]&0x80 != 0}
			smallest, want, err := o.access(a.node, a.unit, a.write, data[0] > 0x7f)
			if err != nil {
				t.Fatal(err)
			}
			if d, k := e.Access(a.node, a.unit, sizes[a.unit], a.write); !agree(d, k, sizes[a.unit],
				smallest, want) {
				t.Fatalf("%v: got distance %d, %v; the smallest cache that hits is %d, %v", a,
					int64(d), k, smallest, want)
			}
		}
	})
}
