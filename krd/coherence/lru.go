package coherence

import "krdlab/krd/stack"

// lru is the stack of one node. Every place is a slot, the higher the nearer to the top: a unit that is held, a hole, or nothing.
type lru struct {
	weights stack.Weights
	bytes   []uint64 // by slot: what is in weights
	units   []uint32 // by slot: the unit there, none if it is a hole (bytes not 0) or nothing; up to top
	top     int      // the next free slot
	holes   holes    // slots of the holes
	min     int      // slots there are at least

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

// access returns the distance of an access, moves the unit to the top, and tells how many bytes of holes that filled.
func (s *lru) access(unit uint32, bytes uint64) (distance, filled uint64, kind Kind) {
	if s.top == len(s.bytes) {
		s.renumber()
	}
	at := s.state(unit)
	switch *at {
	case never:
		distance, kind = stack.Cold, Cold
		filled = s.fill(-1, bytes)
	case lost:
		distance, kind = stack.Cold, Invalidated
		filled = s.fill(-1, bytes)
	default:
		old := int(*at - inStack)
		if old == s.top-1 {
			return 0, 0, Hit // it is at the top already
		}
		distance = s.weights.After(old)
		bytes = s.bytes[old]
		filled = s.fill(old, bytes)
		s.bytes[old], s.units[old] = filled, none
		if filled > 0 {
			s.holes.insert(old)
		}
		if filled != bytes {
			s.weights.Add(old, filled-bytes)
		}
	}
	s.weights.Add(s.top, bytes)
	s.bytes[s.top], s.units[s.top] = bytes, unit
	*at = uint32(s.top) + inStack
	s.top++
	return distance, filled, kind
}

// fill takes up to want bytes from the holes above a slot, the topmost first, and returns how many it found.
func (s *lru) fill(slot int, want uint64) (filled uint64) {
	for filled < want {
		h := s.holes.last()
		if h <= slot {
			break
		}
		n := min(s.bytes[h], want-filled)
		filled += n
		s.weights.Add(h, -n)
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

// renumber moves the units and holes to the slots 0, 1, ..., in order, and makes at least as many free slots. Holes next to each
// other become one, and those below all units are dropped; the package comment says why that changes no distance. So there are
// at most twice as many slots in use as there are units.
func (s *lru) renumber() {
	k := 0
	for i, unit := range s.units[:s.top] {
		bytes := s.bytes[i]
		if unit == none {
			if bytes == 0 || k == 0 {
				continue
			}
			if s.units[k-1] == none {
				s.bytes[k-1] += bytes
				continue
			}
		} else {
			*s.state(unit) = uint32(k) + inStack
		}
		s.bytes[k], s.units[k] = bytes, unit
		k++
	}
	s.top = k
	s.resize(max(s.min, 2*k))
}

// resize makes it n slots, those from top on with nothing in them, and puts the weights and the holes in order.
func (s *lru) resize(n int) {
	if n > cap(s.bytes) {
		s.bytes = append(make([]uint64, 0, n), s.bytes[:s.top]...)
		s.units = append(make([]uint32, 0, n), s.units[:s.top]...)
	}
	s.bytes, s.units = s.bytes[:n], s.units[:n]
	clear(s.bytes[s.top:])
	s.weights.Set(s.bytes)
	s.holes.reset(n)
	for i, unit := range s.units[:s.top] {
		if unit == none {
			s.holes.insert(i)
		}
	}
}
