package krd

import (
	"errors"

	"krdlab/krd/stack"
	"krdlab/loi"
)

// keyedNode analyses the accesses of the workers of one node to blocks that are not registered: found by their names in a hash
// table, batch by batch.
type keyedNode struct {
	engine *stack.Keyed
	names  *names
	tally  *tally
	trace  *loi.Trace
	want   int

	keys, sizes, dist []uint64
	objects           []loi.ObjectID
}

func newKeyedNode(t *loi.Trace, cores int, c *tally) *keyedNode {
	n := &keyedNode{engine: stack.NewKeyed(stack.KeyedOptions{Cores: cores}), names: newNames(len(t.Header.Registry.Objects)), tally: c, trace: t}
	n.want = n.engine.BatchLen()
	return n
}

func (n *keyedNode) kernel(x *kernelRun) error {
	for i := range x.list {
		a := &x.list[i]
		n.keys = append(n.keys, n.names.of(a))
		n.sizes = append(n.sizes, a.Bytes)
		n.objects = append(n.objects, a.Object)
	}
	if len(n.keys) >= n.want {
		return n.flush()
	}
	return nil
}

func (n *keyedNode) flush() error {
	n.dist = grow(n.dist, len(n.keys))
	if err := n.engine.Distances(n.keys, n.sizes, n.dist); err != nil {
		return n.explain(err)
	}
	t := n.tally
	for i, size := range n.sizes {
		t.one(n.dist[i], n.dist[i]+size, size, t.weight(size))
	}
	if t.misses != nil {
		for i, size := range n.sizes {
			t.predict(n.dist[i], size)
		}
	}
	t.count += uint64(len(n.keys))
	n.keys, n.sizes, n.objects = n.keys[:0], n.sizes[:0], n.objects[:0]
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
