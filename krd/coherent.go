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
// The atoms of one access are simultaneous as far as stacks with an order can tell: those that the
// node touched last with the same access are taken together, which needs the cache that the deepest
// of them does, and the distance is that less their bytes. Where an access takes a part of what an
// earlier one touched, the rest of that may lie above the part and is counted, which unitNode does
// not do.
type coherent struct {
	units   *numbering
	stacks  *coherence.Stacks
	nodeOf  []int // by worker: index of its node
	tallies []*tally
	seen    [][]seenUnit // by node, by unit
	now     uint64       // number of the access
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

func (c *coherent) kernel(x *Execution) error {
	for i := range x.Accesses {
		if err := c.access(x, &x.Accesses[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *coherent) access(x *Execution, a *loi.Access) error {
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
	if len(found) > 1 {
		c.order(node, found)
	}
	shared, worst, far, needs := false, coherence.Hit, uint64(0), uint64(0)
	for len(found) > 0 {
		n := c.together(node, found)
		var bytes, deepest uint64
		var kind coherence.Kind
		for _, u := range found[:n] {
			var d uint64
			b := c.units.bytes[u]
			d, kind = c.stacks.Access(node, u, b, a.Mode&loi.Out != 0)
			bytes += b
			if kind == coherence.Hit {
				deepest = max(deepest, d+b)
				shared = shared || seen[u].worker != uint32(x.Worker)
			}
			seen[u] = seenUnit{c.now, uint32(x.Worker)}
		}
		found = found[n:]
		if t.weighBytes {
			t.coherentOne(kind, deepest-bytes, deepest, bytes)
		}
		switch {
		case kind == coherence.Hit:
			far, needs = deepest-bytes, max(needs, deepest)
		case worst != coherence.Cold:
			worst = kind
		}
	}
	if worst != coherence.Hit {
		far, needs = stack.Cold, stack.Cold
	}
	t.predict(needs, size)
	if !t.weighBytes {
		t.coherentOne(worst, far, needs, size)
	}
	if shared && worst == coherence.Hit {
		t.addShared(size)
	}
	return nil
}

// order sorts units so that those that the node holds come first, and of these the ones touched
// later, so that what the access finds of a unit does not depend on what it brings in.
func (c *coherent) order(node int, found []uint32) {
	seen := c.seen[node]
	slices.SortFunc(found, func(a, b uint32) int {
		if h := c.stacks.Holds(node, a); h != c.stacks.Holds(node, b) {
			if h {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(seen[b].at, seen[a].at), cmp.Compare(a, b))
	})
}

// together returns how many of the units, in order, the node holds and has touched last with one
// access; 1 of those that it does not hold.
func (c *coherent) together(node int, found []uint32) int {
	if len(found) == 1 || !c.stacks.Holds(node, found[0]) {
		return 1
	}
	seen := c.seen[node]
	n := 1
	for n < len(found) && seen[found[n]].at == seen[found[0]].at && c.stacks.Holds(node, found[n]) {
		n++
	}
	return n
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
