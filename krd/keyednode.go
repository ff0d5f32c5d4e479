package krd

import (
	"errors"

	"krdlab/krd/stack"
	"krdlab/loi"
)

// keyedNode analyses the accesses of the workers of one node to blocks that are not registered:
// found by their names in a hash table, batch by batch.
type keyedNode struct {
	engine *stack.Keyed
	names  *names
	tally  *tally
	trace  *loi.Trace
	want   int
	total  uint64   // bytes of the blocks seen
	index  []uint16 // by worker: its tag, from 1; nil where the node has one worker only

	keys, sizes, dist []uint64
	objects           []loi.ObjectID
	tags, prev        []uint16
}

// maxTags is how many workers of a node can be told apart by tags.
const maxTags = 1<<16 - 1

func newKeyedNode(t *loi.Trace, workers []int, cores int, c *tally) *keyedNode {
	n := &keyedNode{engine: stack.NewKeyed(stack.KeyedOptions{Cores: cores}),
		names: newNames(len(t.Header.Registry.Objects)), tally: c, trace: t}
	n.want = n.engine.BatchLen()
	if len(workers) > 1 {
		n.index = make([]uint16, len(t.Header.Workers))
		for i, w := range workers {
			n.index[w] = uint16(i + 1)
		}
	}
	return n
}

func (n *keyedNode) kernel(x *Execution) error {
	var tag uint16
	if n.index != nil {
		tag = n.index[x.Worker]
	}
	for i := range x.Accesses {
		a := &x.Accesses[i]
		n.keys = append(n.keys, n.names.of(a))
		n.sizes = append(n.sizes, a.Bytes)
		n.objects = append(n.objects, a.Object)
		if n.index != nil {
			n.tags = append(n.tags, tag)
		}
	}
	if len(n.keys) >= n.want {
		return n.flush()
	}
	return nil
}

func (n *keyedNode) flush() error {
	n.dist = grow(n.dist, len(n.keys))
	t := n.tally
	var err error
	if n.index == nil {
		err = n.engine.Distances(n.keys, n.sizes, n.dist)
	} else {
		n.prev = grow(n.prev, len(n.keys))
		err = n.engine.DistancesTagged(n.keys, n.sizes, n.tags, n.dist, n.prev)
	}
	if err != nil {
		return n.explain(err)
	}
	for i, tag := range n.tags {
		if last := n.prev[i]; last != 0 && last != tag {
			t.addShared(n.sizes[i])
		}
	}
	for i, size := range n.sizes {
		if n.dist[i] == stack.Cold {
			n.total = sumBytes(n.total, size)
		}
		t.one(n.dist[i], n.dist[i]+size, t.weight(size))
	}
	if n.total >= maxTotal {
		return tooLarge()
	}
	for i, size := range n.sizes {
		t.reach(needs(n.dist[i], size), size)
	}
	if t.misses != nil {
		for i, size := range n.sizes {
			t.predict(needs(n.dist[i], size), size)
		}
	}
	t.count += uint64(len(n.keys))
	n.keys, n.sizes, n.objects, n.tags = n.keys[:0], n.sizes[:0], n.objects[:0], n.tags[:0]
	n.want = n.engine.BatchLen()
	return nil
}

// explain names the block in an error about a name.
func (n *keyedNode) explain(err error) error {
	var e *stack.SizeError
	if !errors.As(err, &e) {
		return err
	}
	block := e.Key
	if !n.names.single {
		block = n.names.block(e.Key)
	}
	return sizeError(n.trace.Header.Registry.Objects[n.objects[e.Index]].Name, block, e.Was, e.Size)
}
