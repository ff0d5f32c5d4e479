package krd

import "krdlab/loi"

// names gives each block one 64-bit name, for the engines that look blocks up by name: registered
// blocks and keyed ones, of any number of objects. The object's number stands above the block's
// where that fits, as it nearly always does; the few keys that are too large are numbered, with the
// highest bit set.
type names struct {
	single bool // one object: the key itself
	large  map[largeKey]uint64
}

type largeKey struct {
	object loi.ObjectID
	key    uint64
}

const (
	nameBits  = 47
	largeName = 1 << 63
)

func newNames(objects int) *names { return &names{single: objects == 1} }

func (n *names) of(a *loi.Access) uint64 {
	if n.single {
		return a.Block
	}
	if a.Block>>nameBits == 0 {
		return uint64(a.Object)<<nameBits | a.Block
	}
	if n.large == nil {
		n.large = make(map[largeKey]uint64)
	}
	k := largeKey{a.Object, a.Block}
	name, ok := n.large[k]
	if !ok {
		name = largeName | uint64(len(n.large))
		n.large[k] = name
	}
	return name
}

// block returns the number of the block with a name, of several objects.
func (n *names) block(name uint64) uint64 {
	if name&largeName == 0 {
		return name & (1<<nameBits - 1)
	}
	for k, v := range n.large {
		if v == name {
			return k.key
		}
	}
	return name
}
