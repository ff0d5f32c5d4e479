package stack

import (
	"math/bits"
	"unsafe"
)

// Online computes exact byte-weighted stack distances one access at a time, where they are needed
// while the trace grows or where one access touches several units at once. For whole batches of
// single accesses [Dense] and [Keyed] are several times as fast.
//
// Units are numbered by the caller, densely from 0. Each live unit is at a slot; later slots are
// more recent. An access takes the next free slot, and the distance is the weight of the slots
// above the old one. When the slots run out, those in use are renumbered, which costs a pass over
// the units for at least as many accesses as there are live units.
//
// Memory: 12 bytes for the highest unit number and all below it, 18 for each live unit.
type Online struct {
	units []onlineUnit
	live  int // units that are in the stack
	top   int // the next free slot
	slots int
	alone bool // the slot below top holds one unit

	weights Weights
	used    []uint64 // of renumber: a bit for each slot in use
	ranks   []uint32 // of renumber: by word of used, the slots in use before it
}

type onlineUnit struct {
	slot        uint32 // plus 1; 0: not in the stack
	lowSz, hiSz uint32 // size in bytes, in halves, so that a unit is 12 bytes
}

var _ [12]byte = [unsafe.Sizeof(onlineUnit{})]byte{}

func (u *onlineUnit) bytes() uint64 { return uint64(u.hiSz)<<32 | uint64(u.lowSz) }

const minSlots = 1 << 10

// NewOnline returns an engine without units.
func NewOnline() *Online { return &Online{} }

// Live returns the number of units in the stack.
func (o *Online) Live() int { return o.live }

// Bytes returns the sum of the sizes of the units in the stack.
func (o *Online) Bytes() uint64 { return o.weights.Total() }

// Access returns the sum of the sizes of the distinct other units accessed since the last access to
// unit, or Cold if there was none, and moves it to the top. bytes is its size, which counts at the
// first access only: a unit keeps its size. The sizes of all units must add up to less than 1<<63.
func (o *Online) Access(unit uint32, bytes uint64) uint64 {
	if o.top == o.slots {
		o.renumber(1)
	}
	u := o.unit(unit)
	dist := uint64(Cold)
	if u.slot != 0 {
		bytes = u.bytes()
		dist = o.weights.After(int(u.slot) - 1)
		if int(u.slot) == o.top && o.alone {
			return dist // it is at the top already
		}
		o.weights.Add(int(u.slot)-1, -bytes)
	} else {
		u.lowSz, u.hiSz = uint32(bytes), uint32(bytes>>32)
		o.live++
	}
	o.weights.Add(o.top, bytes)
	o.top++
	o.alone = true
	u.slot = uint32(o.top)
	return dist
}

// AccessAll makes one access to several distinct units at once, simultaneous among themselves:
// dist[i] becomes the sum of the sizes of the distinct units that were accessed after the last
// access to units[i], as they all were before this access, or Cold; units of this access count
// where they were above units[i]. Then all take the top of the stack together, none above another.
// bytes[i] is the size of units[i], heeded when it is first seen. The units must be distinct; bytes
// and dist at least as long.
func (o *Online) AccessAll(units []uint32, bytes, dist []uint64) {
	if len(units) == 0 {
		return
	}
	if o.top == o.slots {
		o.renumber(len(units))
	}
	bytes, dist = bytes[:len(units)], dist[:len(units)]
	for i, n := range units {
		dist[i] = Cold
		if u := o.unit(n); u.slot != 0 {
			dist[i] = o.weights.After(int(u.slot) - 1)
		}
	}
	var sum uint64
	for i, n := range units {
		u := o.unit(n)
		if u.slot != 0 {
			o.weights.Add(int(u.slot)-1, -u.bytes())
		} else {
			u.lowSz, u.hiSz = uint32(bytes[i]), uint32(bytes[i]>>32)
			o.live++
		}
		sum += u.bytes()
		u.slot = uint32(o.top) + 1
	}
	o.weights.Add(o.top, sum)
	o.top++
	o.alone = len(units) == 1
}

// Forget takes a unit out of the stack as if it had never been accessed; its number may come back
// with another size.
func (o *Online) Forget(unit uint32) {
	if int(unit) >= len(o.units) || o.units[unit].slot == 0 {
		return
	}
	u := &o.units[unit]
	o.weights.Add(int(u.slot)-1, -u.bytes())
	*u = onlineUnit{}
	o.live--
}

func (o *Online) unit(n uint32) *onlineUnit {
	if int(n) >= len(o.units) {
		o.units = append(o.units, make([]onlineUnit, int(n)+1-len(o.units))...)
	}
	return &o.units[n]
}

// renumber moves the slots in use to 0, 1, ..., in order, and makes as many free ones, at least
// one. more is how many units the access at hand may add.
func (o *Online) renumber(more int) {
	o.used = append(o.used[:0], make([]uint64, (o.top+63)/64)...)
	for i := range o.units {
		if s := o.units[i].slot; s != 0 {
			o.used[(s-1)/64] |= 1 << ((s - 1) % 64)
		}
	}
	o.ranks = o.ranks[:0]
	var used uint32
	for _, word := range o.used {
		o.ranks = append(o.ranks, used)
		used += uint32(bits.OnesCount64(word))
	}
	o.slots = max(minSlots, 2*(o.live+more))
	o.weights.Reset(o.slots)
	sums := o.weights.levels[0]
	for i := range o.units {
		if u := &o.units[i]; u.slot != 0 {
			s := u.slot - 1
			s = o.ranks[s/64] + uint32(bits.OnesCount64(o.used[s/64]&(1<<(s%64)-1)))
			sums[s] += u.bytes()
			u.slot = s + 1
		}
	}
	o.weights.sum()
	o.top = int(used)
}
