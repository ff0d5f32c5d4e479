package causes

import (
	"fmt"
	"math"

	"krdlab/hw/failure"
	"krdlab/krd/stack"
)

// Unbounded as the upper end of a range of distances: there is none.
const Unbounded = math.MaxUint64

// ErrRange is wrapped by the error of a range that holds no distance.
var ErrRange = failure.New(failure.Request, "empty range of distances")

// ErrDiffer is wrapped by the error of counters that count different things.
var ErrDiffer = failure.New(failure.Failed, "counters differ")

// Options select the counts. The zero value counts each access once, by kernel and by object, cold
// ones apart.
type Options struct {
	Pairs   bool // split distances in the range by object: Result.Pairs
	Sources bool // remember the kernel of the last access: Result.KernelPairs
	Cold    bool // first accesses belong to the range, if it is Unbounded
	// the range is of distances that include the bytes of the access itself, each once
	Inclusive bool
	Bytes     bool // each access counts for its bytes, and each of its units at its own distance
}

// A Counter counts the accesses of one node whose distance is in a range. It is used by one
// goroutine.
//
// Memory: 13 to 46 bytes for each unit for its distance (stack.Online); with Pairs or Sources 16
// more; with Pairs at most 60 more, and some 50 for each pair of objects that occurs.
type Counter struct {
	from, to uint64
	opt      Options

	online stack.Online
	dist   []uint64
	level  map[uint64]uint64 // with Options.Bytes: bytes of the access by distance
	units  []unit
	now    uint64 // number of the access
	stacks stacks

	all         tally
	kernels     []tally
	group       int // of the accesses that follow; -1: none
	groups      []groupTally
	objects     []tally
	pairs       map[pair]*shared // by object accessed, object touched between
	kernelPairs map[pair]uint64  // by kernel of the last access, kernel
	distances   sum              // of the accesses in the range
}

// A unit is Counter's own record of a unit.
type unit struct {
	bytes  uint64
	slot   uint32 // in the stack of its object, plus 1; 0: not accessed
	kernel uint32 // of the last access
}

// A tally counts accesses, or their bytes.
type tally struct{ all, within, cold uint64 }

// A groupTally counts those of a group, and the bytes of the accesses in the range.
type groupTally struct {
	tally
	bytes uint64
}

type pair struct{ a, b uint32 }

type shared struct {
	accesses uint64
	bytes    sum
}

// New returns a counter of distances d with from <= d < to, in bytes, for kernels and objects
// numbered from 0. A range without distances is an error that wraps [ErrRange].
func New(kernels, objects int, from, to uint64, opt Options) (*Counter, error) {
	if from >= to {
		return nil, fmt.Errorf("causes: distances from %d to below %d bytes: %w", from, to,
			ErrRange)
	}
	c := &Counter{from: from, to: to, opt: opt, kernels: make([]tally, kernels),
		objects: make([]tally, objects), group: -1}
	if opt.Pairs {
		c.pairs = make(map[pair]*shared)
		c.stacks.init(objects)
	}
	if opt.Bytes {
		c.level = make(map[uint64]uint64)
	}
	if opt.Sources {
		c.kernelPairs = make(map[pair]uint64)
	}
	return c, nil
}

// In makes the accesses that follow those of a group too, numbered from 0 by the caller, such as
// the path of calls that leads to them. Cost: memory for the highest number, 32 bytes each.
func (c *Counter) In(group int) {
	c.group = group
	c.groups = atLeast(c.groups, group+1)
}

// Renumber gives each group i the number to[i]; those of the same number become one.
func (c *Counter) Renumber(to []int) {
	old := c.groups
	c.groups = nil
	for i, g := range old {
		c.groups = atLeast(c.groups, to[i]+1)
		c.groups[to[i]].merge(g)
	}
}

// Access counts the next access of the node. unit is numbered densely from 0 over all objects,
// belongs to one object and keeps its size. It panics if there is no such kernel or object. Cost:
// that of stack.Online; with Pairs the same again, and, for an access in the range, a binary search
// and a probe for each object touched since the last access: up to 0.1 us each, so that hundreds of
// objects that are touched in turn make it slow.
func (c *Counter) Access(kernel, object int, unit uint32, bytes uint64) {
	c.access(kernel, object, []uint32{unit}, []uint64{bytes})
}

// AccessAll counts an access to several distinct units of one object at once, such as the atoms of
// a range, each of at least 1 byte: it has the distance of its farthest unit, and is cold if one of
// them is; but with Options.Bytes each unit counts at its own distance. No units are no access.
func (c *Counter) AccessAll(kernel, object int, units []uint32, bytes []uint64) {
	if len(units) > 0 {
		c.access(kernel, object, units, bytes)
	}
}

func (c *Counter) access(kernel, object int, units []uint32, bytes []uint64) {
	c.now++
	if len(units) == 1 {
		c.dist = append(c.dist[:0], c.online.Access(units[0], bytes[0]))
	} else {
		c.dist = append(c.dist[:0], make([]uint64, len(units))...)
		c.online.AccessAll(units, bytes, c.dist)
	}
	// Units at the same distance were last touched by the same access. The bytes of nearer ones are
	// in the distance already.
	if c.opt.Bytes {
		clear(c.level)
		for i, d := range c.dist {
			c.level[d] += bytes[i]
		}
		for i, u := range units {
			if c.count(kernel, object, u, c.dist[i], c.level[c.dist[i]], bytes[i]) && c.group >= 0 {
				c.groups[c.group].bytes += bytes[i]
			}
		}
	} else {
		far, size := 0, uint64(0)
		for i, d := range c.dist {
			if d > c.dist[far] {
				far, size = i, 0
			}
			if d == c.dist[far] {
				size += bytes[i]
			}
		}
		if c.count(kernel, object, units[far], c.dist[far], size, 1) && c.group >= 0 {
			for _, b := range bytes {
				c.groups[c.group].bytes += b
			}
		}
	}
	if !c.opt.Pairs && !c.opt.Sources {
		return
	}
	for i, n := range units {
		u := c.unit(n)
		if u.slot == 0 {
			u.bytes = bytes[i]
		}
		u.kernel = uint32(kernel)
	}
	if c.opt.Pairs {
		c.stacks.touch(object, c.now, units, c.units)
	}
}

// count counts one access, whose distance is that of a unit, and reports whether it is in the
// range. size is the bytes of the access at that distance.
func (c *Counter) count(kernel, object int, n uint32, dist, size, weight uint64) bool {
	t, within := tally{all: weight}, false
	if dist == stack.Cold {
		t.cold, within = weight, c.opt.Cold && c.to == Unbounded
	} else {
		d := dist
		if c.opt.Inclusive {
			d += size
		}
		within = d >= c.from && d < c.to
	}
	if within {
		t.within = weight
	}
	c.all.merge(t)
	c.kernels[kernel].merge(t)
	c.objects[object].merge(t)
	if c.group >= 0 {
		c.groups[c.group].merge(groupTally{tally: t})
	}
	if !within || dist == stack.Cold {
		return within
	}
	c.distances.add(dist)
	if c.opt.Sources {
		c.kernelPairs[pair{c.units[n].kernel, uint32(kernel)}] += weight
	}
	if c.opt.Pairs {
		c.split(object, c.units[n].slot, weight)
	}
	return true
}

// split counts the bytes of each object in the distance of an access, in the range, to a unit of an
// object.
func (c *Counter) split(object int, slot uint32, weight uint64) {
	since := c.stacks.list[object].times[slot-1]
	for other := c.stacks.newest; other != none &&
		c.stacks.list[other].last > since; other = c.stacks.list[other].older {
		bytes := c.stacks.list[other].after(since)
		if bytes == 0 {
			continue // its blocks have no bytes
		}
		p := pair{uint32(object), uint32(other)}
		s := c.pairs[p]
		if s == nil {
			s = new(shared)
			c.pairs[p] = s
		}
		s.accesses += weight
		s.bytes.add(bytes)
	}
}

func (c *Counter) unit(n uint32) *unit {
	if int(n) >= len(c.units) {
		c.units = append(c.units, make([]unit, int(n)+1-len(c.units))...)
	}
	return &c.units[n]
}

// Merge adds the counts of other, of another node, to c. They must count the same range of the same
// kernels and objects with the same options: an error wraps [ErrDiffer]. other is not changed.
func (c *Counter) Merge(other *Counter) error {
	switch {
	case c.from != other.from || c.to != other.to:
		return fmt.Errorf(
			"causes: distances from %d to below %d bytes, and from %d to below %d: %w", c.from,
			c.to, other.from, other.to, ErrDiffer)
	case len(c.kernels) != len(other.kernels) || len(c.objects) != len(other.objects):
		return fmt.Errorf("causes: %d kernels and %d objects, and %d and %d: %w", len(c.kernels),
			len(c.objects), len(other.kernels), len(other.objects), ErrDiffer)
	case c.opt != other.opt:
		return fmt.Errorf("causes: options %+v, and %+v: %w", c.opt, other.opt, ErrDiffer)
	}
	c.all.merge(other.all)
	for i := range c.kernels {
		c.kernels[i].merge(other.kernels[i])
	}
	for i := range c.objects {
		c.objects[i].merge(other.objects[i])
	}
	c.groups = atLeast(c.groups, len(other.groups))
	for i := range other.groups {
		c.groups[i].merge(other.groups[i])
	}
	c.distances.merge(other.distances)
	for p, n := range other.kernelPairs {
		c.kernelPairs[p] += n
	}
	for p, s := range other.pairs {
		mine := c.pairs[p]
		if mine == nil {
			mine = new(shared)
			c.pairs[p] = mine
		}
		mine.accesses += s.accesses
		mine.bytes.merge(s.bytes)
	}
	return nil
}

func (t *tally) merge(other tally) {
	t.all += other.all
	t.within += other.within
	t.cold += other.cold
}

func (t *groupTally) merge(other groupTally) {
	t.tally.merge(other.tally)
	t.bytes += other.bytes
}

// atLeast returns list with zero values behind it, so that it has n at least.
func atLeast(list []groupTally, n int) []groupTally {
	return append(list, make([]groupTally, max(0, n-len(list)))...)
}
