package shadow

import (
	"math/bits"
	"unsafe"
)

// bulk is Runs with one version for each table (BulkTV, 3.3): before a table is used in another
// region than the last time, all of its tags are cut down to the levels that still hold. Memory: a
// byte for each datum of a table that is touched, two from 128 levels on.
//
// Departure: a table has blocks, and the largest tag that there may be in each of these is known.
// Blocks without a larger one are not cut down: short regions cost what they touch.
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
func (m *bulk) Touch(addrs []uint64, fresh []uint64) { m.Accesses(addrs, nil, fresh) }

// Accesses implements [Runs].
func (m *bulk) Accesses(places []uint64, bytes []uint32, fresh []uint64) {
	if m.narrow != nil && m.levels.Depth() <= narrowDepth {
		m.narrow.accesses(places, bytes, fresh)
		return
	}
	m.widen()
	m.wide.accesses(places, bytes, fresh)
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
		for i := range w.tops { // which has no more for whole words
			w.tops[i] = uint16(t.tops[i])
		}
		w.version = t.version
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
	ready  [64]ready[T]   // by the lower bits of the number
	block  uint           // shift of an index: data of a block
	tops   int            // blocks of a table, rounded up to whole words of tags
	usage  Usage
	pack   *packer[T] // nil: tables are not compressed
}

// A tagTable is the tags of the data of a table.
type tagTable[T uint8 | uint16] struct {
	version Version
	number  uint64
	tags    []T // nil: they are in packed
	tops    []T // by block: no tag of it is larger
	packed  []byte
	used    bool // since the hand of the clock came by
}

// A ready is a table with its tags. They hold in its version, and in each region that is open since
// before that: levels within, which the tags may count too, are those of regions that ended.
type ready[T uint8 | uint16] struct {
	version    Version
	number     uint64
	tags, tops []T
	table      *tagTable[T] // nil: none
}

// blocks is how many blocks a table has, if they have at least leastTable data.
const blocks = 64

func newTags[T uint8 | uint16](l *Levels, s shape, opt RunsOptions) *tags[T] {
	m := &tags[T]{levels: l, shape: s}
	m.block = uint(bits.TrailingZeros(uint(max(m.len()/blocks, leastTable))))
	m.tops = max(m.len()>>m.block, 8/sizeOf[T]())
	if opt.Compress {
		m.pack = newPacker[T](max(2, int(opt.Uncompressed/opt.Table)))
	}
	return m
}

// accesses works like Accesses, and like Touch where bytes is nil.
func (m *tags[T]) accesses(places []uint64, bytes []uint32, fresh []uint64) {
	depth, version := T(m.levels.Depth()), m.levels.Innermost()
	if depth == 0 {
		return
	}
	datum, shift, block := m.datum&63, (m.shape.table-m.datum)&63, m.block&63 // & spares a comparison
	within := uint64(1)<<shift - 1
	// neighbours have the same tag: run data so far, of tag last
	level, run := depth, uint64(0)
	for n, place := range places {
		last := place
		if bytes != nil {
			last += uint64(max(bytes[n], 1)) - 1
		}
		last >>= datum
		for d := place >> datum; ; d++ {
			table, i := d>>shift, d&within
			t := &m.ready[table%uint64(len(m.ready))]
			if t.number != table || t.version < version {
				m.use(table)
			}
			if x := t.tags[i]; x < depth {
				t.tags[i] = depth
				top := &t.tops[i>>block]
				*top = max(*top, depth)
				if x != level {
					count(fresh[level:depth], run)
					level, run = x, 0
				}
				run++
				if x == 0 {
					m.add(d << datum)
				}
			}
			if d == last {
				break
			}
		}
	}
	count(fresh[level:depth], run)
}

// span works like Touch, for consecutive data. Runs of equal tags are found word by word.
func (m *tags[T]) span(addr, bytes uint64, fresh []uint64) {
	depth := T(m.levels.Depth())
	last, end := m.at(addr + bytes - 1)
	table, i := m.at(addr)
	for ; ; table, i = table+1, 0 {
		t, to := m.use(table), uint64(m.len()-1)
		if table == last {
			to = end
		}
		for from := i; from <= to; {
			x := t.tags[from]
			n := uint64(same(t.tags[from : to+1]))
			if x < depth {
				fill(t.tags[from:from+n], depth)
				for b := from >> m.block; b <= (from+n-1)>>m.block; b++ {
					t.tops[b] = max(t.tops[b], depth)
				}
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
	t := m.use(table)
	before, depth := t.tags[i], T(m.levels.Depth())
	t.tags[i], t.tops[i>>m.block] = depth, max(t.tops[i>>m.block], depth)
	return int(min(before, depth))
}

// use makes a table ready.
func (m *tags[T]) use(n uint64) *ready[T] {
	r := &m.ready[n%uint64(len(m.ready))]
	if r.table == nil || r.number != n {
		t := m.tables.find(n)
		switch {
		case t == nil:
			t = m.make(n)
			t.version = m.levels.Innermost()
		case t.tags == nil:
			m.unpack(t)
		}
		t.used = true
		*r = ready[T]{t.version, n, t.tags, t.tops, t}
	}
	if r.version < m.levels.Innermost() {
		m.scrub(r.table)
		r.version = r.table.version
	}
	return r
}

// unready has the next use of a table look at it.
func (m *tags[T]) unready(t *tagTable[T]) {
	if r := &m.ready[t.number%uint64(len(m.ready))]; r.table == t {
		*r = ready[T]{}
	}
}

// make makes a table without tags.
func (m *tags[T]) make(n uint64) *tagTable[T] {
	t := &tagTable[T]{number: n, tops: make([]T, m.tops)}
	t.tags = m.room(t)
	m.tables.add(n, t)
	m.list = append(m.list, t)
	version := sizeOf[Version]()
	m.usage.add(&m.usage.Versions, version)
	m.usage.set(&m.usage.Tables, m.tables.bytes()+
		uint64(len(m.list)*(sizeOf[tagTable[T]]()-version+m.tops*sizeOf[T]())))
	return t
}

// scrub cuts the tags of a table down to the levels that hold (figure 5), in the blocks that have
// larger ones.
func (m *tags[T]) scrub(t *tagTable[T]) {
	valid := T(m.levels.Valid(t.version))
	t.version = m.levels.Innermost()
	m.usage.Scrubs++
	lanes := ^uint64(0) / (1<<(8*sizeOf[T]()) - 1) // 1 in each
	more := (lanes<<(8*sizeOf[T]()-1) - lanes) - lanes*uint64(valid)
	upper := lanes << (8*sizeOf[T]() - 1)
	each := 8 / sizeOf[T]()
	for at := 0; at < len(t.tops); at += each {
		word := *(*uint64)(unsafe.Pointer(&t.tops[at]))
		// a lane's upper bit is set where it is larger than valid
		for larger := (word + more) & upper; larger != 0; larger &= larger - 1 {
			b := at + bits.TrailingZeros64(larger)/(8*sizeOf[T]())
			cut(t.tags[b<<m.block:min((b+1)<<m.block, len(t.tags))], valid)
			t.tops[b] = valid
		}
	}
}
