package coherence

import (
	"fmt"

	"krdlab/krd/stack"
)

// A Kind is the state that an access finds on its node.
type Kind uint8

const (
	// Hit: the node holds the unit; the distance gives the cache sizes that have it.
	Hit Kind = iota
	// Cold: the node has never accessed the unit.
	Cold
	// Invalidated: the node held the unit, lost it to a write on another node and has not accessed
	// it since. It is a miss in a cache of any size.
	Invalidated
)

// String returns "hit", "cold" or "invalidated".
func (k Kind) String() string {
	switch k {
	case Hit:
		return "hit"
	case Cold:
		return "cold"
	case Invalidated:
		return "invalidated"
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Stacks holds the LRU stacks, with their holes, of the caches of several nodes that keep each
// other coherent by invalidation. It is for one goroutine.
//
// Memory: for each node, 4 bytes for each unit number in pages of 1024 that it has touched, and at
// most 116 bytes for each unit that it holds at once (58 where there are no holes), more while that
// grows; for each unit 8 bytes with up to 64 nodes, beyond that 24 and 4 to 8 for each copy.
type Stacks struct {
	nodes []*lru // nil: not accessed yet
	dir   directory
	slots int // of a new stack
}

// New returns empty stacks for the nodes 0 to nodes-1.
func New(nodes int) *Stacks { return newStacks(nodes, minSlots) }

// minSlots is how many slots a stack has at least. Tests take fewer, to have them renumbered often.
const minSlots = 1 << 10

func newStacks(nodes, slots int) *Stacks {
	return &Stacks{nodes: make([]*lru, nodes), dir: newDirectory(nodes), slots: slots}
}

// Access makes an access of a node to a unit; a write invalidates the copies of all other nodes.
// Accesses are given in the order of time over all nodes.
//
// With Hit, distance is the number of bytes above the unit in the node's stack, holes included: an
// invalidating LRU cache of C bytes has the unit if and only if distance + bytes <= C. Otherwise it
// is [stack.Cold], and no cache has it.
//
// Units are numbered densely from 0, below 1<<32 - 1, and bytes is the size of the unit, the same
// each time (a node keeps the size with which a unit came in). The sizes of all units must add up
// to less than 1<<63. A node may hold fewer than 1<<30 units at once. Access panics if there is no
// such node.
//
// Cost: O(log16 of the units held) for the distance, for the place on the top, and, amortized, for
// at most one hole that is filled wholly or in part; a write adds one step for each copy.
func (s *Stacks) Access(node int, unit uint32, bytes uint64, write bool) (distance uint64,
	kind Kind) {
	n := s.nodes[node]
	if n == nil {
		n = newLRU(s.slots)
		s.nodes[node] = n
	}
	distance, kind = n.access(unit, bytes)
	switch {
	case write:
		s.invalidateOthers(node, unit)
	case kind != Hit:
		s.dir.add(unit, node)
	}
	return distance, kind
}

// Find returns what [Stacks.Access] would, and changes nothing. Cost: O(log16 of the units held).
func (s *Stacks) Find(node int, unit uint32) (distance uint64, kind Kind) {
	if n := s.nodes[node]; n != nil {
		return n.find(unit)
	}
	return stack.Cold, Cold
}

// invalidateOthers makes node, which has just accessed unit, the only one that holds it.
func (s *Stacks) invalidateOthers(node int, unit uint32) {
	for {
		other, ok := s.dir.removeOther(unit, node)
		if !ok {
			break
		}
		s.nodes[other].invalidate(unit)
	}
	s.dir.only(unit, node)
}
