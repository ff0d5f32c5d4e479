package coherence

import "krdlab/krd/stack"

// lru is the stack of one node. Every place is a slot, the higher the nearer to the top: a unit
// that is held, a hole, or nothing.
type lru struct {
	bytes []uint64 // by slot: of the unit or hole there now
	// by slot: the unit there, none if it is a hole (bytes not 0) or nothing; up to top
	units []uint32
	top   int   // the next free slot
	holes holes // slots of the holes
	min   int   // slots there are at least

	// The bytes above a slot now are those that came in above it, ends[top-1] - ends[slot], less
	// those that have gone from there since. So only bytes that go are entered in the hierarchy,
	// and bytes that come in on the top cost nothing there.
	ends []uint64 // by slot: bytes that came in there and below, since the last renumbering
	// by slot: bytes that came in there and went elsewhere, up or, from holes, away
	gone stack.Weights

	pages []*page // by unit / pageLen
}

// A page holds the state of pageLen units: never seen, lost to a write, or the slot plus inStack.
type page [pageLen]uint32

const (
	pageLen = 1 << 10

	never   = 0
	lost    = 1
	inStack = 2

	none = 1<<32 - 1 // no unit
)

func newLRU(slots int) *lru {
	s := &lru{min: slots}
	s.resize(slots)
	return s
}

// access returns the distance of an access and moves the unit to the top.
func (s *lru) access(unit uint32, bytes uint64) (distance uint64, kind Kind) {
	if s.top == len(s.bytes) {
		s.renumber()
	}
	at := s.state(unit)
	switch *at {
	case never:
		distance, kind = stack.Cold, Cold
		s.fill(-1, bytes)
	case lost:
		distance, kind = stack.Cold, Invalidated
		s.fill(-1, bytes)
	default:
		old := int(*at - inStack)
		if old == s.top-1 {
			return 0, Hit // it is at the top already
		}
		distance = s.above(old)
		bytes = s.bytes[old]
		filled := s.fill(old, bytes)
		s.bytes[old], s.units[old] = filled, none
		if filled > 0 {
			s.holes.insert(old)
		}
		if filled != bytes {
			s.gone.Add(old, bytes-filled)
		}
	}
	s.push(unit, bytes)
	*at = uint32(s.top-1) + inStack
	return distance, kind
}

// push puts a unit or hole on the top. There must be a free slot.
func (s *lru) push(unit uint32, bytes uint64) {
	below := uint64(0)
	if s.top > 0 {
		below = s.ends[s.top-1]
	}
	s.bytes[s.top], s.units[s.top], s.ends[s.top] = bytes, unit, below+bytes
	s.top++
}

// fill takes up to want bytes from the holes above a slot, the topmost first, and returns how many
// it found.
func (s *lru) fill(slot int, want uint64) (filled uint64) {
	for filled < want {
		h := s.holes.last()
		if h <= slot {
			break
		}
		n := min(s.bytes[h], want-filled)
		filled += n
		s.gone.Add(h, n)
		s.bytes[h] -= n
		if s.bytes[h] == 0 {
			s.holes.remove(h)
		}
	}
	return filled
}

// invalidate makes a unit that is in the stack a hole.
func (s *lru) invalidate(unit uint32) {
	at := s.state(unit)
	slot := int(*at - inStack)
	s.units[slot] = none
	if s.bytes[slot] > 0 {
		s.holes.insert(slot)
	}
	*at = lost
}

func (s *lru) state(unit uint32) *uint32 {
	p := int(unit / pageLen)
	if p >= len(s.pages) {
		s.pages = append(s.pages, make([]*page, p+1-len(s.pages))...)
	}
	if s.pages[p] == nil {
		s.pages[p] = new(page)
	}
	return &s.pages[p][unit%pageLen]
}

// find returns the distance of a unit.
func (s *lru) find(unit uint32) (distance uint64, kind Kind) {
	p := int(unit / pageLen)
	if p >= len(s.pages) || s.pages[p] == nil {
		return stack.Cold, Cold
	}
	switch at := s.pages[p][unit%pageLen]; at {
	case never:
		return stack.Cold, Cold
	case lost:
		return stack.Cold, Invalidated
	default:
		return s.above(int(at - inStack)), Hit
	}
}

// above returns the bytes above a slot.
func (s *lru) above(slot int) uint64 {
	return s.ends[s.top-1] - s.ends[slot] - s.gone.After(slot)
}

// renumber moves the units and holes to the slots 0, 1, ..., in order, and makes at least as many
// free slots. Holes next to each other become one, and those below all units are dropped; that
// changes no distance (see the package comment). So there are at most twice as many slots in use as
// there are units.
func (s *lru) renumber() {
	used := s.top
	s.top = 0
	for i, unit := range s.units[:used] {
		bytes := s.bytes[i]
		switch {
		case unit != none:
			*s.state(unit) = uint32(s.top) + inStack
			s.push(unit, bytes)
		case bytes == 0 || s.top == 0:
		case s.units[s.top-1] == none:
			s.bytes[s.top-1] += bytes
			s.ends[s.top-1] += bytes
		default:
			s.push(none, bytes)
		}
	}
	s.resize(max(s.min, 2*s.top))
}

// resize makes it n slots and puts the hierarchies in order. Nothing may have gone from the slots
// below top.
func (s *lru) resize(n int) {
	s.bytes, s.units, s.ends = resized(s.bytes, n), resized(s.units, n), resized(s.ends, n)
	s.gone.Reset(n)
	s.holes.reset(n)
	for i, unit := range s.units[:s.top] {
		if unit == none {
			s.holes.insert(i)
		}
	}
}

// resized returns a with length n, keeping what it holds.
func resized[E any](a []E, n int) []E {
	if n <= cap(a) {
		return a[:n]
	}
	b := make([]E, n)
	copy(b, a)
	return b
}
