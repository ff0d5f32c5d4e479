package shadow

// bulk is Runs with one version for each table (BulkTV, 3.3): before a table is used in another
// region than the last time, all of its tags are cut down to the levels that still hold. Memory: a
// byte for each datum of a table that is touched, two from 128 levels on.
//
// Departure: where tags were set since the table was last cut down is known, and the others are cut
// down only where they may be larger: short regions cost what they touch.
type bulk struct {
	levels *Levels
	narrow *tags[uint8] // nil: there were more than narrowDepth levels
	wide   *tags[uint16]
	past   Usage // of narrow, if there is wide
	opt    RunsOptions
	shape
}

const narrowDepth = 1<<7 - 1

func newBulk(l *Levels, s shape, opt RunsOptions) *bulk {
	return &bulk{levels: l, narrow: newTags[uint8](l, s, opt), opt: opt, shape: s}
}

// Touch implements [Runs].
func (m *bulk) Touch(addrs []uint64, fresh []uint64) {
	if m.narrow != nil && m.levels.Depth() <= narrowDepth {
		m.narrow.touch(addrs, fresh)
		return
	}
	m.widen()
	m.wide.touch(addrs, fresh)
}

// Span implements [Runs].
func (m *bulk) Span(addr, bytes uint64, fresh []uint64) {
	if m.narrow != nil && m.levels.Depth() <= narrowDepth {
		m.narrow.span(addr, bytes, fresh)
		return
	}
	m.widen()
	m.wide.span(addr, bytes, fresh)
}

// Mark implements [Runs].
func (m *bulk) Mark(addr uint64) int {
	if m.narrow != nil && m.levels.Depth() <= narrowDepth {
		return m.narrow.mark(addr)
	}
	m.widen()
	return m.wide.mark(addr)
}

// First implements [Runs].
func (m *bulk) First() []uint64 {
	if m.narrow != nil {
		return m.narrow.First()
	}
	return m.wide.First()
}

// widen gives tags 16 bits.
func (m *bulk) widen() {
	if m.wide != nil {
		return
	}
	if m.levels.Depth() > MaxDepth {
		panic("shadow: too many levels")
	}
	m.wide = newTags[uint16](m.levels, m.shape, m.opt)
	m.wide.firsts = m.narrow.firsts
	for _, t := range m.narrow.list {
		list := t.tags
		if list == nil {
			list = make([]uint8, m.len())
			t.into(list)
		}
		w := m.wide.make(t.number)
		for i, x := range list {
			w.tags[i] = uint16(x)
		}
		w.version, w.base, w.low, w.high = t.version, uint16(t.base), t.low, t.high
	}
	m.past, m.narrow = m.narrow.usage, nil
}

// Usage implements [Runs].
func (m *bulk) Usage() Usage {
	if m.narrow != nil {
		return m.narrow.usage
	}
	u := m.wide.usage
	u.Total.Peak = max(u.Total.Peak, m.past.Total.Peak)
	u.Scrubs += m.past.Scrubs
	u.Compressions += m.past.Compressions
	u.Expansions += m.past.Expansions
	return u
}

// tags is bulk for tags of some bits.
type tags[T uint8 | uint16] struct {
	shape
	firsts
	levels *Levels
	tables directory[tagTable[T]]
	list   []*tagTable[T] // all
	last   uint64
	recent *tagTable[T] // table last; nil: none yet
	usage  Usage
	pack   *packer[T] // nil: tables are not compressed
}

// A tagTable is the tags of the data of a table.
type tagTable[T uint8 | uint16] struct {
	version Version
	number  uint64
	tags    []T // nil: they are in packed
	packed  []byte
	base    T // the largest tag that there may be outside low to high
	low     uint32
	high    uint32
	used    bool // since the hand of the clock came by
}

func newTags[T uint8 | uint16](l *Levels, s shape, opt RunsOptions) *tags[T] {
	m := &tags[T]{levels: l, shape: s}
	if opt.Compress {
		m.pack = newPacker[T](max(2, int(opt.Uncompressed/opt.Table)))
	}
	return m
}

func (m *tags[T]) touch(addrs []uint64, fresh []uint64) {
	depth, version := T(m.levels.Depth()), m.levels.Innermost()
	t, last := m.recent, m.last
	if t != nil && t.version != version {
		m.scrub(t)
	}
	// neighbours have the same tag: run data so far, of tag last
	level, run := depth, uint64(0)
	for _, a := range addrs {
		table, i := m.at(a)
		if table != last || t == nil {
			t, last = m.use(table), table
		}
		x := t.tags[i]
		if x >= depth {
			continue
		}
		t.tags[i] = depth
		t.low, t.high = min(t.low, uint32(i)), max(t.high, uint32(i)+1)
		if x != level {
			count(fresh[level:depth], run)
			level, run = x, 0
		}
		run++
		if x == 0 {
			m.add(a)
		}
	}
	count(fresh[level:depth], run)
	m.recent, m.last = t, last
}

// span works like touch, for consecutive data. Runs of equal tags are found word by word.
func (m *tags[T]) span(addr, bytes uint64, fresh []uint64) {
	depth := T(m.levels.Depth())
	last, end := m.at(addr + bytes - 1)
	table, i := m.at(addr)
	for ; ; table, i = table+1, 0 {
		if table != m.last || m.recent == nil {
			m.recent, m.last = m.use(table), table
		} else if m.recent.version != m.levels.Innermost() {
			m.scrub(m.recent)
		}
		t, to := m.recent, uint64(m.len()-1)
		if table == last {
			to = end
		}
		for from := i; from <= to; {
			x := t.tags[from]
			n := uint64(same(t.tags[from : to+1]))
			if x < depth {
				fill(t.tags[from:from+n], depth)
				t.low, t.high = min(t.low, uint32(from)), max(t.high, uint32(from+n))
				count(fresh[x:depth], n)
			}
			if x == 0 {
				for j := from; j < from+n; j++ {
					m.add(table<<m.shape.table + j<<m.datum)
				}
			}
			from += n
		}
		if table == last {
			return
		}
	}
}

func (m *tags[T]) mark(addr uint64) int {
	table, i := m.at(addr)
	if table != m.last || m.recent == nil {
		m.recent, m.last = m.use(table), table
	} else if m.recent.version != m.levels.Innermost() {
		m.scrub(m.recent)
	}
	t := m.recent
	before := t.tags[i]
	t.tags[i] = T(m.levels.Depth())
	t.low, t.high = min(t.low, uint32(i)), max(t.high, uint32(i+1))
	return int(before)
}

// use returns a table whose tags hold.
func (m *tags[T]) use(n uint64) *tagTable[T] {
	t := m.tables.find(n)
	switch {
	case t == nil:
		t = m.make(n)
		t.version = m.levels.Innermost()
	case t.tags == nil:
		m.unpack(t)
	}
	t.used = true
	if t.version != m.levels.Innermost() {
		m.scrub(t)
	}
	return t
}

// make makes a table without tags.
func (m *tags[T]) make(n uint64) *tagTable[T] {
	t := &tagTable[T]{number: n, low: uint32(m.len())}
	t.tags = m.room(t)
	m.tables.add(n, t)
	m.list = append(m.list, t)
	version := sizeOf[Version]()
	m.usage.add(&m.usage.Versions, version)
	m.usage.set(&m.usage.Tables, m.tables.bytes()+
		uint64(len(m.list)*(sizeOf[tagTable[T]]()-version)))
	return t
}

// scrub cuts the tags of a table down to the levels that hold (figure 5).
func (m *tags[T]) scrub(t *tagTable[T]) {
	valid := T(m.levels.Valid(t.version))
	t.version = m.levels.Innermost()
	m.usage.Scrubs++
	if valid < t.base {
		cut(t.tags, valid)
	} else if t.low < t.high {
		from, to := t.low&^(leastTable-1), min((t.high+leastTable-1)&^(leastTable-1),
			uint32(len(t.tags)))
		cut(t.tags[from:to], valid)
	}
	t.base, t.low, t.high = valid, uint32(len(t.tags)), 0
}
