package shadow

import "math/bits"

// A vcache is VCache: the vectors of recent addresses, direct mapped (section 4 and figure 6b of
// the paper). A line is the version and the vector of one datum; its neighbours are not fetched
// with it. All lines have room for the same number of levels, which doubles when the depth outgrows
// it.
//
// Departures: a line does not record the size of its vector, since its version gives how many
// levels are valid (Theorem 1: a level that was not open when it was written began later). A line
// that was only read is not written back.
type vcache[T comparable] struct {
	levels  *Levels
	storage *vstorage[T]
	heads   []head
	tags    []T // line i has tags[i*width:(i+1)*width]
	width   int
	shift   int // datum of an address: addr >> shift

	hits, misses, evictions uint64
}

// A head is the part of a line beside its tags.
type head struct {
	datum   uint64
	version Version // with dirty; 0: the line is empty
}

// dirty marks the version of a line that the storage does not have.
const dirty Version = 1 << 63

// firstWidth is the levels that lines have room for at first.
const firstWidth = 8

func newVCache[T comparable](s *vstorage[T], lines int) *vcache[T] {
	c := &vcache[T]{levels: s.levels, storage: s, heads: make([]head, lines),
		shift: bits.TrailingZeros(uint(s.opt.Datum))}
	s.usage.add(&s.usage.Versions, lines*sizeOf[Version]())
	s.usage.add(&s.usage.Cache, lines*(sizeOf[head]()-sizeOf[Version]()))
	c.widen(firstWidth)
	return c
}

// widen makes room for width levels in each line.
func (c *vcache[T]) widen(width int) {
	old, lines, u := c.tags, len(c.heads), &c.storage.usage
	u.add(&u.Cache, lines*width*sizeOf[T]())
	c.tags = make([]T, lines*width)
	for i := range c.heads {
		if c.heads[i].version != 0 {
			copy(c.tags[i*width:], old[i*c.width:][:c.width])
		}
	}
	u.add(&u.Cache, -len(old)*sizeOf[T]())
	c.width = width
}

// load returns the vector of an address, which is its line.
func (c *vcache[T]) load(addr uint64) []T {
	open := c.levels.open
	if len(open) == 0 {
		return nil
	}
	h, line := c.line(addr, len(open))
	now := open[len(open)-1]
	if h.datum != addr>>c.shift || h.version == 0 {
		c.misses++
		c.evict(h, line)
		c.storage.read(addr, line)
		*h = head{addr >> c.shift, now}
		return line
	}
	c.hits++
	if v := h.version &^ dirty; v != now {
		clear(line[c.levels.Valid(v):])
		h.version = now | h.version&dirty
	}
	return line
}

// store writes the vector of an address into its line.
func (c *vcache[T]) store(addr uint64, tags []T) {
	if len(tags) == 0 {
		return
	}
	h, line := c.line(addr, len(tags))
	if h.datum != addr>>c.shift || h.version == 0 {
		c.misses++
		c.evict(h, line)
	} else {
		c.hits++
	}
	copy(line, tags)
	*h = head{addr >> c.shift, c.levels.open[len(tags)-1] | dirty}
}

// forget empties the lines of addresses from one up to another.
func (c *vcache[T]) forget(from, to uint64) {
	from, to = from>>c.shift, to>>c.shift
	for i := range min(to-from, uint64(len(c.heads))) {
		h := &c.heads[(from+i)%uint64(len(c.heads))]
		if h.datum-from < to-from {
			h.version = 0
		}
	}
}

// line returns the line that an address is kept in, with room for depth levels.
func (c *vcache[T]) line(addr uint64, depth int) (*head, []T) {
	if depth > c.width {
		c.widen(1 << bits.Len(uint(depth-1)))
	}
	i := int(addr>>c.shift) & (len(c.heads) - 1)
	return &c.heads[i], c.tags[i*c.width:][:depth:depth]
}

// evict writes the valid levels of a line to the storage. The storage's other levels are not valid
// either: the regions open there began after the line was written, so after all it replaced.
func (c *vcache[T]) evict(h *head, line []T) {
	if h.version&dirty == 0 {
		return
	}
	v := h.version &^ dirty
	if n := c.levels.Valid(v); n > 0 {
		c.evictions++
		c.storage.write(h.datum<<c.shift, line[:n], v)
	}
}
