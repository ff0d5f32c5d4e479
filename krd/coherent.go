package krd

import (
	"cmp"
	"slices"

	"krdlab/krd/coherence"
	"krdlab/krd/stack"
	"krdlab/loi"
)

// coherent analyses the accesses of all nodes together, in the order of time: a write on one node
// takes its block from the others (package coherence).
//
// An access touches its bytes in ascending order, row by row, and it finds the state when it
// begins. So the numbers are exactly those of invalidating LRU caches that take one byte after the
// other: an access hits in a cache that has all its bytes, and only then; where bytes are weighed,
// a piece hits that a cache has all of, a piece being the bytes that the node touched last with the
// same access. The distance is the size of the smallest such cache less the bytes of the piece, and
// of an access as a whole less those of the piece that was touched longest ago. Units are ordered
// atoms ([atoms.Cutter]), so that an access goes through one after the other. A cache has all units
// when the access begins if and only if each hits in its turn: until one misses nothing is evicted.
//
// Without coherence the bytes of an access have no order (unitNode): the rest of what an earlier
// access touched is never between a part of it and the part's next access. Here the rest after the
// part is. Stacks with holes need an order: a hole is filled by one byte.
type coherent struct {
	units   *numbering
	stacks  *coherence.Stacks
	nodeOf  []int // by worker: index of its node
	tallies []*tally
	seen    [][]seenUnit // by node, by unit
	now     uint64       // number of the access
	pieces  []touched
}

// seenUnit is the last access of a node to a unit.
type seenUnit struct {
	at     uint64 // its number; 0: there was none
	worker uint32
}

func newCoherent(u *numbering, nodeOf []int, tallies []*tally) *coherent {
	return &coherent{units: u, stacks: coherence.New(len(tallies)), nodeOf: nodeOf,
		tallies: tallies, seen: make([][]seenUnit, len(tallies))}
}

func (c *coherent) kernel(x *loi.Event) error {
	list := x.Accesses()
	for i := range list {
		if err := c.access(x, &list[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *coherent) access(x *loi.Event, a *loi.Access) error {
	found, err := c.units.of(a)
	if err != nil {
		return err
	}
	c.now++
	node := c.nodeOf[x.Worker]
	t := c.tallies[node]
	t.count++
	var size uint64
	for _, u := range found {
		size += c.units.bytes[u]
		for int(u) >= len(c.seen[node]) {
			c.seen[node] = append(c.seen[node], seenUnit{})
		}
	}
	seen := c.seen[node]
	weighed := t.weighBytes && len(found) > 1
	if weighed {
		c.weigh(t, node, found)
	}
	shared, worst := false, coherence.Hit
	var needs, oldest, bytes uint64 // bytes of what was touched longest ago
	for _, u := range found {
		b := c.units.bytes[u]
		d, kind := c.stacks.Access(node, u, b, a.Mode&loi.Out != 0)
		switch {
		case kind == coherence.Hit:
			needs = max(needs, d+b)
			shared = shared || seen[u].worker != uint32(x.Worker)
			if bytes == 0 || seen[u].at < oldest {
				oldest, bytes = seen[u].at, 0
			}
			if seen[u].at == oldest {
				bytes += b
			}
		case worst != coherence.Cold:
			worst = kind
		}
		seen[u] = seenUnit{c.now, uint32(x.Worker)}
	}
	far := needs - bytes
	if worst != coherence.Hit {
		far, needs = stack.Cold, stack.Cold
	}
	t.reach(needs, size)
	t.predict(needs, size)
	if !weighed {
		t.coherentOne(worst, far, needs, size)
	}
	if shared && worst == coherence.Hit {
		t.addShared(size)
	}
	return nil
}

// A touched is the part of an access that the node touched last with one access.
type touched struct{ at, needs, bytes uint64 }

// weigh counts each piece of an access that has not touched anything yet.
func (c *coherent) weigh(t *tally, node int, found []uint32) {
	list := c.pieces[:0]
	for _, u := range found {
		b := c.units.bytes[u]
		if d, kind := c.stacks.Find(node, u); kind == coherence.Hit {
			list = append(list, touched{c.seen[node][u].at, d + b, b})
		} else {
			t.coherentOne(kind, stack.Cold, stack.Cold, b)
		}
	}
	c.pieces = list
	slices.SortFunc(list, func(a, b touched) int { return cmp.Compare(a.at, b.at) })
	for len(list) > 0 {
		p, n := list[0], 1
		for ; n < len(list) && list[n].at == p.at; n++ {
			p.needs, p.bytes = max(p.needs, list[n].needs), p.bytes+list[n].bytes
		}
		t.coherentOne(coherence.Hit, p.needs-p.bytes, p.needs, p.bytes)
		list = list[n:]
	}
}

func (c *coherent) flush() error { return nil }

// coherentOne counts an access to some bytes, or a part of one, of the kind given; d and needs are
// those of tally.one, if it is a hit.
func (t *tally) coherentOne(kind coherence.Kind, d, needs, bytes uint64) {
	switch kind {
	case coherence.Invalidated:
		t.addInvalidated(bytes)
	case coherence.Cold:
		t.one(stack.Cold, stack.Cold, t.weight(bytes))
	default:
		t.one(d, needs, t.weight(bytes))
	}
}
