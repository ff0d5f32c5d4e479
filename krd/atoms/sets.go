package atoms

import "math/bits"

// A set is a set of numbers below 2^31 in a [sets]: equal sets are the same set.
//
// 0 is the empty set, 2n+1 the set of n alone, and the others are twice the index of a node.
type set uint32

func single(n uint32) set { return set(n<<1 | 1) }

// sets holds sets of small numbers as binary tries without chains (big-endian Patricia trees:
// Okasaki and Gill, Fast Mergeable Integer Maps, ML Workshop 1998). Such a tree is determined by
// its elements, and every node is made once only (hash consing), so that two sets are equal if and
// only if their numbers are. To add or to remove an element makes at most as many new nodes as the
// tree is deep, about log2 of its size and at most 31.
type sets struct {
	nodes []node   // from 1
	slots []uint32 // hash table of the nodes, linear probing, at most half full; 0: free
	limit int      // collect when there are more nodes
	most  int      // room for nodes
}

type node struct {
	// The branching bit is the lowest one of center; those above it are common to all elements.
	// Elements in l have the branching bit clear, those in r have it set.
	center uint32
	l, r   set
	atom   uint32 // of the intervals that this set covers, plus 1; 0: none yet
}

const (
	minLimit = 1 << 6
	maxNodes = 1<<31 - 64 // one toggle makes less than 64
)

// crowded reports whether it is time to collect.
func (s *sets) crowded() bool { return len(s.nodes) > max(s.limit, minLimit) }

// full reports whether another toggle might find no number for a node.
func (s *sets) full() bool { return len(s.nodes) >= s.most }

// toggle returns the set with n added, or taken out if it is there.
func (s *sets) toggle(t set, n uint32) set {
	switch {
	case t == 0:
		return single(n)
	case t == single(n):
		return 0
	case t&1 != 0:
		return s.join(n, t, uint32(t)>>1^n)
	}
	at := s.nodes[t>>1]
	bit := at.center & -at.center
	if differ := (n ^ at.center) &^ (bit<<1 - 1); differ != 0 {
		return s.join(n, t, differ)
	}
	if n&bit == 0 {
		at.l = s.toggle(at.l, n)
	} else {
		at.r = s.toggle(at.r, n)
	}
	switch {
	case at.l == 0:
		return at.r
	case at.r == 0:
		return at.l
	}
	return s.cons(at.center, at.l, at.r)
}

// join returns the union of n and t, whose elements all differ from n in the highest bit of differ,
// and in none above.
func (s *sets) join(n uint32, t set, differ uint32) set {
	bit := uint32(1) << (31 - bits.LeadingZeros32(differ))
	center := n&^(bit<<1-1) | bit
	if n&bit == 0 {
		return s.cons(center, single(n), t)
	}
	return s.cons(center, t, single(n))
}

// cons returns the one node with these children, which determine center.
func (s *sets) cons(center uint32, l, r set) set {
	if 2*len(s.nodes) >= len(s.slots) {
		s.grow()
	}
	mask := len(s.slots) - 1
	i := home(l, r) & mask
	for ; s.slots[i] != 0; i = (i + 1) & mask {
		if at := &s.nodes[s.slots[i]]; at.l == l && at.r == r {
			return set(s.slots[i] << 1)
		}
	}
	s.slots[i] = uint32(len(s.nodes))
	s.nodes = append(s.nodes, node{center: center, l: l, r: r})
	return set(uint32(len(s.nodes)-1) << 1)
}

func home(l, r set) int {
	h := (uint64(l)<<32 | uint64(r)) * 0x9e3779b97f4a7c15
	h = (h ^ h>>32) * 0xbf58476d1ce4e5b9
	return int(h >> 33)
}

func (s *sets) grow() {
	if len(s.nodes) == 0 {
		s.nodes = append(s.nodes, node{})
	}
	s.rehash(max(256, 2*len(s.slots)))
}

// rehash makes a table of so many slots, a power of two and more than twice the nodes.
func (s *sets) rehash(slots int) {
	if len(s.slots) == slots {
		clear(s.slots)
	} else {
		s.slots = make([]uint32, slots)
	}
	mask := slots - 1
	for n := 1; n < len(s.nodes); n++ {
		i := home(s.nodes[n].l, s.nodes[n].r) & mask
		for s.slots[i] != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = uint32(n)
	}
}

// append appends the elements of a set to dst, ascending.
func (s *sets) append(dst []uint32, t set) []uint32 {
	switch {
	case t == 0:
		return dst
	case t&1 != 0:
		return append(dst, uint32(t)>>1)
	}
	return s.append(s.append(dst, s.nodes[t>>1].l), s.nodes[t>>1].r)
}

// collect forgets the sets with an element that is dead, renumbers the others, and returns the new
// number of t, which must be one of them. Cost: in proportion to the nodes; the limit is set to
// twice those that are left, so that it is O(1) for each node made.
func (s *sets) collect(t set, dead func(n uint32) bool) set {
	if len(s.nodes) == 0 {
		return t
	}
	moved := make([]set, len(s.nodes)) // 0: forgotten
	remain := func(c set) set {
		switch {
		case c&1 == 0:
			return moved[c>>1]
		case dead(uint32(c) >> 1):
			return 0
		}
		return c
	}
	left := s.nodes[:1]
	for i, n := range s.nodes {
		if i == 0 {
			continue
		}
		// Children are older than their parents.
		if n.l, n.r = remain(n.l), remain(n.r); n.l != 0 && n.r != 0 {
			moved[i] = set(len(left) << 1)
			left = append(left, n)
		}
	}
	s.nodes = left
	s.limit = max(2*len(left), minLimit)
	s.rehash(2 << bits.Len(uint(s.limit)))
	return remain(t)
}

// reset forgets all nodes. Cost: in proportion to the nodes.
func (s *sets) reset() {
	if len(s.nodes) <= 1 {
		return
	}
	if 16*len(s.nodes) >= len(s.slots) {
		clear(s.slots)
	} else {
		// Newest first: the slots that a node was probed past are still taken when it is looked
		// for.
		mask := len(s.slots) - 1
		for n := len(s.nodes) - 1; n > 0; n-- {
			i := home(s.nodes[n].l, s.nodes[n].r) & mask
			for s.slots[i] != uint32(n) {
				i = (i + 1) & mask
			}
			s.slots[i] = 0
		}
	}
	s.nodes = s.nodes[:1]
}
