package stack

// FilterSlots is how many data a [Filter] holds.
const FilterSlots = 1 << slotBits

const slotBits = 4

// A Filter holds the data that were accessed last, and answers accesses to them: with the bytes of
// those that were accessed after them. All others are for an engine behind it, [Keyed] with
// KeyedOptions.Filtered, which gets the data that they replace.
//
// It is a list that is searched and shifted from the top in one go. Rejected: a matrix of bits for
// the order, as hardware keeps it for the ways of a cache, without a branch that depends on where a
// datum is found: four times the instructions where that is near the top.
type Filter struct {
	// by recency, the last accessed first
	keys  [FilterSlots]uint64
	sizes [FilterSlots]uint64 // size << slotBits | slot
	slots int
	used  int
}

// InFilter is set in the slot of accesses that a filter has answered.
const InFilter = 1 << 7

// NewFilter returns an empty filter.
func NewFilter() *Filter { return newFilter(FilterSlots) }

// newFilter returns one of fewer slots, at least one.
func newFilter(slots int) *Filter { return &Filter{slots: slots} }

// Accesses takes the next accesses of a stream; sizes are in bytes, up to 1<<40. slots[i] becomes
// the slot of keys[i], with InFilter where the filter has answered, and dist[i] is the distance;
// otherwise keys[i] replaced what was in that slot, and dist[i] is left alone. All are as long as
// keys and none is retained. A datum in the filter whose size changes is a [*SizeError], after
// which the filter is of no use. Cost: some 8 instructions for each datum that is not older than
// the one accessed.
func (f *Filter) Accesses(keys, sizes, dist []uint64, slots []uint8) *SizeError {
	const mask = FilterSlots - 1
	sizes, dist, slots = sizes[:len(keys)], dist[:len(keys)], slots[:len(keys)]
	for i, key := range keys {
		above, k, s := uint64(0), key, uint64(0)
		d := 0
		for ; d < f.used; d++ {
			f.keys[d&mask], k = k, f.keys[d&mask]
			f.sizes[d&mask], s = s, f.sizes[d&mask]
			if k == key {
				break
			}
			above += s >> slotBits
		}
		if d < f.used {
			f.sizes[0] = s
			if s>>slotBits != sizes[i] {
				return &SizeError{Index: i, Key: key, Size: sizes[i], Was: s >> slotBits}
			}
			dist[i], slots[i] = above, InFilter|uint8(s&mask)
			continue
		}
		at := s & mask // of the oldest, which goes
		if f.used < f.slots {
			at = uint64(f.used)
			f.keys[at], f.sizes[at] = k, s
			f.used++
		}
		f.sizes[0] = sizes[i]<<slotBits | at
		slots[i] = uint8(at)
	}
	return nil
}

// Line works like Accesses, for one access where all data have the same size: above is how many
// were accessed after it, if slot has InFilter; otherwise out is the datum that the filter drops,
// if it was full.
func (f *Filter) Line(key, size uint64) (above int, slot uint8, out uint64, full bool) {
	const mask = FilterSlots - 1
	if f.keys[0] == key && f.used > 0 {
		return 0, InFilter | uint8(f.sizes[0]&mask), 0, false
	}
	k, s := key, uint64(0)
	for d := 0; d < f.used; d++ {
		f.keys[d&mask], k = k, f.keys[d&mask]
		f.sizes[d&mask], s = s, f.sizes[d&mask]
		if k == key {
			f.sizes[0] = s
			return d, InFilter | uint8(s&mask), 0, false
		}
	}
	at := s & mask // of the oldest, which goes
	if full = f.used == f.slots; f.used < f.slots {
		at = uint64(f.used)
		f.keys[at], f.sizes[at] = k, s
		f.used++
	}
	f.sizes[0] = size<<slotBits | at
	return 0, uint8(at), k, full
}

// Touch makes keys, which the filter holds, the last accessed, as accesses to them in their order
// would; those that it does not hold are passed over.
func (f *Filter) Touch(keys []uint64) {
	const mask = FilterSlots - 1
	for _, key := range keys {
		if f.keys[0] == key && f.used > 0 {
			continue
		}
		for d := 1; d < f.used; d++ {
			if f.keys[d&mask] != key {
				continue
			}
			s := f.sizes[d&mask]
			for ; d > 0; d-- {
				f.keys[d&mask], f.sizes[d&mask] = f.keys[(d-1)&mask], f.sizes[(d-1)&mask]
			}
			f.keys[0], f.sizes[0] = key, s
			break
		}
	}
}
