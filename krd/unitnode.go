package krd

import (
	"cmp"
	"slices"

	"krdlab/krd/approx"
	"krdlab/krd/causes"
	"krdlab/krd/stack"
	"krdlab/loi"
)

// unitNode analyses the accesses of the workers of one node, one by one: where an access covers
// several atoms, and where more is asked for than distances.
//
// The bytes of one access are simultaneous. As a whole it has the distance of its farthest atom,
// and is cold if one of them is: a cache serves it if it has all of it. Where bytes are weighed,
// each atom counts its own at its own distance, and a cache serves it that has it and what of the
// access was last touched with it.
type unitNode struct {
	units  *numbering
	online *stack.Online
	tree   *approx.ScaleTree // instead of online; whole blocks only
	causes *causes.Counter   // nil: nobody asks
	paths  *paths            // likewise
	tally  *tally
	by     []uint32 // by unit: the worker that accessed it last, plus 1

	bytes, dist []uint64
	split       []piece
}

// A piece is the part of an access with one distance: it was last touched by one access.
type piece struct{ dist, bytes uint64 }

// pieces returns the pieces of the access in bytes and dist, the nearest first, valid until the
// next call.
func (n *unitNode) pieces() []piece {
	s := n.split[:0]
	for i, b := range n.bytes {
		s = append(s, piece{n.dist[i], b})
	}
	slices.SortFunc(s, func(a, b piece) int { return cmp.Compare(a.dist, b.dist) })
	to := 0
	for _, p := range s[1:] {
		if p.dist == s[to].dist {
			s[to].bytes += p.bytes
		} else {
			to++
			s[to] = p
		}
	}
	n.split = s
	return s[:to+1]
}

func (n *unitNode) kernel(x *loi.Event) error {
	if x.Type == loi.EventRecord {
		n.paths.event(x)
		return nil
	}
	if n.paths != nil {
		n.causes.In(n.paths.at(x))
	}
	list := x.Accesses()
	for i := range list {
		if err := n.access(x, &list[i]); err != nil {
			return err
		}
	}
	return nil
}

func (n *unitNode) access(x *loi.Event, a *loi.Access) error {
	found, err := n.units.of(a)
	if err != nil {
		return err
	}
	shared := n.seen(found, uint32(x.Worker)+1)
	n.bytes, n.dist = n.bytes[:0], grow(n.dist, len(found))
	var size uint64
	for _, u := range found {
		n.bytes = append(n.bytes, n.units.bytes[u])
		size += n.units.bytes[u]
	}
	switch {
	case n.tree != nil:
		n.dist[0] = n.tree.Access(found[0], size)
	case len(found) == 1:
		n.dist[0] = n.online.Access(found[0], size)
	default:
		n.online.AccessAll(found, n.bytes, n.dist)
	}
	t := n.tally
	t.count++
	far, needs := WholeDistance(n.bytes, n.dist)
	if t.weighBytes {
		for _, p := range n.pieces() {
			t.one(p.dist, p.dist+p.bytes, p.bytes)
		}
	} else {
		t.one(far, needs, 1)
	}
	t.reach(needs, size)
	t.predict(needs, size)
	if shared && far != stack.Cold {
		t.addShared(size)
	}
	if n.causes != nil {
		n.causes.AccessAll(int(x.Kernel), int(a.Object), found, n.bytes)
	}
	return nil
}

// seen makes worker the last one to access the units and reports whether another was before, for
// one of them.
func (n *unitNode) seen(found []uint32, worker uint32) (shared bool) {
	for _, u := range found {
		for int(u) >= len(n.by) {
			n.by = append(n.by, 0)
		}
		last := n.by[u]
		n.by[u] = worker
		shared = shared || last != 0 && last != worker
	}
	return shared
}

func (n *unitNode) flush() error { return nil }

// WholeDistance returns the distance of an access to several units at once, that of the farthest,
// and the size of the smallest cache that has them all: the bytes above the farthest, those of this
// access at the same distance included. Units last accessed later are among those above it.
func WholeDistance(bytes, dist []uint64) (far, needs uint64) {
	var last uint64
	for i, d := range dist {
		if d > far {
			far, last = d, 0
		}
		if d == far {
			last += bytes[i]
		}
	}
	if far == stack.Cold {
		return stack.Cold, stack.Cold
	}
	return far, far + last
}
