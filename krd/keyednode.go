package krd

import (
	"errors"

	"krdlab/krd/stack"
	"krdlab/loi"
)

// keyedNode analyses the accesses of the workers of one node to blocks that are not registered:
// found by their names in a hash table, batch by batch.
type keyedNode struct {
	keyedBatch
	names *names
	trace *loi.Trace
	index []uint32 // by worker: its tag, from 1; nil where the node has one worker only

	objects    []loi.ObjectID
	tags, prev []uint32
}

// maxTags is how many workers of a node tags can distinguish.
const maxTags = 1<<16 - 1

func newKeyedNode(t *loi.Trace, workers []int, cores int, c *tally) *keyedNode {
	n := &keyedNode{keyedBatch: newKeyedBatch(stack.KeyedOptions{Cores: cores}, c),
		names: newNames(len(t.Header.Registry.Objects)), trace: t}
	if len(workers) > 1 {
		n.index = make([]uint32, len(t.Header.Workers))
		for i, w := range workers {
			n.index[w] = uint32(i + 1)
		}
	}
	return n
}

func (n *keyedNode) kernel(x *loi.Event) error {
	var tag uint32
	if n.index != nil {
		tag = n.index[x.Worker]
	}
	list := x.Accesses()
	for i := range list {
		a := &list[i]
		n.add(n.names.of(a), a.Bytes)
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
	if n.index != nil {
		n.prev = grow(n.prev, len(n.keys))
	}
	if err := n.engine.DistancesTagged(n.keys, n.sizes, n.tags, n.room(), n.prev); err != nil {
		return n.explain(err)
	}
	if err := n.count(); err != nil {
		return err
	}
	for i, tag := range n.tags {
		if last := n.prev[i]; last != 0 && last != tag {
			n.tally.addShared(n.sizes[i])
		}
	}
	n.reset()
	n.objects, n.tags = n.objects[:0], n.tags[:0]
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
