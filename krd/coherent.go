package krd

import (
	"krdlab/krd/coherence"
	"krdlab/krd/stack"
	"krdlab/loi"
)

// coherent analyses the accesses of all nodes together, in the order of time: a write on one node takes its block from the
// others (package coherence). The atoms of one access are taken one after the other there, in the order of their numbers.
type coherent struct {
	units   *units
	stacks  *coherence.Stacks
	nodeOf  []int // by worker: index of its node
	tallies []*tally
	by      [][]uint32 // by node, by unit: the worker that accessed it last, plus 1
}

func newCoherent(u *units, nodeOf []int, tallies []*tally) *coherent {
	return &coherent{units: u, stacks: coherence.New(len(tallies)), nodeOf: nodeOf, tallies: tallies, by: make([][]uint32, len(tallies))}
}

func (c *coherent) kernel(x *kernelRun) error {
	for i := range x.list {
		if err := c.access(x, &x.list[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *coherent) access(x *kernelRun, a *loi.Access) error {
	found, err := c.units.of(a)
	if err != nil {
		return err
	}
	node := c.nodeOf[x.worker]
	t := c.tallies[node]
	t.count++
	var size uint64
	for _, u := range found {
		size += c.units.bytes[u]
	}
	shared, worst, far := false, coherence.Hit, uint64(0)
	me := uint32(x.worker) + 1
	for _, u := range found {
		bytes := c.units.bytes[u]
		d, kind := c.stacks.Access(node, u, bytes, a.Mode&loi.Out != 0)
		for int(u) >= len(c.by[node]) {
			c.by[node] = append(c.by[node], 0)
		}
		last := c.by[node][u]
		c.by[node][u] = me
		shared = shared || kind == coherence.Hit && last != me
		if t.weighBytes {
			t.coherentOne(kind, d, size, bytes, bytes)
		}
		if kind == coherence.Hit {
			far = max(far, d)
		} else if worst != coherence.Cold {
			worst = kind
		}
	}
	if worst == coherence.Hit {
		t.predict(far, size)
	} else {
		t.predict(stack.Cold, size)
	}
	if !t.weighBytes {
		t.coherentOne(worst, far, size, size, 1)
	}
	if shared && worst == coherence.Hit {
		t.addShared(size)
	}
	return nil
}

func (c *coherent) flush() error { return nil }

// coherentOne counts an access, or a piece of one, of the kind given. whole is the size of the access.
func (t *tally) coherentOne(kind coherence.Kind, d, whole, bytes, weight uint64) {
	switch kind {
	case coherence.Invalidated:
		t.addInvalidated(bytes)
	case coherence.Cold:
		t.one(stack.Cold, stack.Cold, bytes, weight)
	default:
		t.one(d, d+whole, bytes, weight)
	}
}
