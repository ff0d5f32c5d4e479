package causes

import "krdlab/krd/stack"

const none = -1

// stacks holds a stack for each object, in the order of their last accesses.
type stacks struct {
	list   []objectStack
	newest int // none: no object was accessed
	bytes  []uint64
	ranks  []uint32
}

// An objectStack is the LRU stack of the units of one object. An access takes the next slot for all
// its units; when the slots run out, those in use are renumbered.
type objectStack struct {
	times        []uint64 // by slot: number of the access that took it, ascending
	slots        int
	weights      stack.Weights // by slot: bytes of the units whose last access it is
	units        []uint32
	last         uint64 // number of the last access
	newer, older int    // the objects accessed next after and next before this one
}

const minSlots = 64

func (s *stacks) init(objects int) {
	s.list = make([]objectStack, objects)
	s.newest = none
}

// after returns the bytes of the units accessed after the access number since.
func (o *objectStack) after(since uint64) uint64 {
	// The first slot whose time is later.
	low, high := 0, len(o.times)
	for low < high {
		if mid := int(uint(low+high) >> 1); o.times[mid] > since {
			high = mid
		} else {
			low = mid + 1
		}
	}
	if low == 0 {
		return o.weights.Total()
	}
	return o.weights.After(low - 1)
}

// touch moves units to the top of the stack of their object, and the object to the top of the
// objects.
func (s *stacks) touch(object int, now uint64, units []uint32, states []unit) {
	o := &s.list[object]
	if len(o.times) == o.slots {
		s.renumber(o, len(units), states)
	}
	slot := uint32(len(o.times))
	var sum uint64
	for _, n := range units {
		u := &states[n]
		if u.slot == 0 {
			o.units = append(o.units, n)
		} else {
			o.weights.Add(int(u.slot)-1, -u.bytes)
		}
		u.slot = slot + 1
		sum += u.bytes
	}
	o.weights.Add(int(slot), sum)
	o.times = append(o.times, now)
	first := o.last == 0
	o.last = now
	s.raise(object, first)
}

// raise makes an object the newest; first: it was not in the list.
func (s *stacks) raise(object int, first bool) {
	if s.newest == object {
		return
	}
	o := &s.list[object]
	if !first {
		s.list[o.newer].older = o.older
		if o.older != none {
			s.list[o.older].newer = o.newer
		}
	}
	o.older, o.newer = s.newest, none
	if s.newest != none {
		s.list[s.newest].newer = object
	}
	s.newest = object
}

// renumber moves the slots in use to 0, 1, ..., and makes at least as many free ones; more units
// may come with the access at hand.
func (s *stacks) renumber(o *objectStack, more int, states []unit) {
	s.ranks = append(s.ranks[:0], make([]uint32, len(o.times))...)
	for _, n := range o.units {
		s.ranks[states[n].slot-1] = 1
	}
	used := uint32(0)
	for i, r := range s.ranks {
		if r != 0 {
			o.times[used] = o.times[i]
			used++
			s.ranks[i] = used
		}
	}
	o.times = o.times[:used]
	o.slots = max(minSlots, 2*(len(o.units)+more))
	s.bytes = append(s.bytes[:0], make([]uint64, o.slots)...)
	for _, n := range o.units {
		u := &states[n]
		u.slot = s.ranks[u.slot-1]
		s.bytes[u.slot-1] += u.bytes
	}
	o.weights.Set(s.bytes)
}
