package shadow

import (
	"math/bits"
	"slices"
)

// A vstorage is VStorage: tag tables grouped by level (section 4 and figure 6c of the paper). A
// segment table leads to the segments of its addresses; a segment has a level table, which leads to
// a tag table for each level, so that a level that ended is freed whole. Above the segment tables
// is a map by the upper bits of addresses, since these have 64.
//
// A tag of the zero value needs no table: a level that was not written has none.
type vstorage[T comparable] struct {
	levels *Levels
	opt    VectorOptions
	usage  Usage

	directory directory[segment[T]]

	tableShift, datumShift int
	tableTags              int // tags of a tag table

	free         [][]T       // tag tables to use again, not yet clear
	freeVersions [][]Version // the same of versions
	cold         *cold[T]    // nil: nothing is compressed
}

// A segment is the vectors of the addresses that a tag table covers, with its level table.
type segment[T comparable] struct {
	number  uint64  // the addresses, divided by their count
	version Version // Bulk: of all tags
	used    int     // Bulk: levels from here on are clear

	tags     [][]T       // by level; nil: all zero
	versions [][]Version // Baseline: by level; Slim: one, for all levels; Bulk: none

	packed   []byte // tags and versions, if they are compressed
	packedAt uint64 // uses of vectors before
	slot     int    // in the list of segments that are not; -1: it is in none
	warm     bool   // used since the hand of that list came by
}

func (m *vstorage[T]) init(l *Levels, opt VectorOptions) {
	m.levels, m.opt = l, opt
	m.tableShift = bits.TrailingZeros(uint(opt.TableBytes))
	m.datumShift = bits.TrailingZeros(uint(opt.Datum))
	m.tableTags = opt.TableBytes / opt.Datum
	if opt.Compress {
		m.cold = newCold[T](max(1, opt.Uncompressed/opt.TableBytes))
	}
}

// read sets out, of one tag for each region that is open, to the vector of an address.
func (m *vstorage[T]) read(addr uint64, out []T) {
	s := m.directory.find(addr >> m.tableShift)
	if s == nil || len(out) == 0 {
		clear(out)
		return
	}
	m.touch(s)
	i := int(addr>>m.datumShift) & (m.tableTags - 1)
	n := min(len(out), len(s.tags))
	switch m.opt.Validation {
	case Baseline:
		m.readBaseline(s, i, out[:n])
	case Slim:
		n = min(n, m.levels.Valid(s.versions[0][i]))
		copyTags(out[:n], s.tags, i)
	case Bulk:
		m.scrub(s)
		copyTags(out[:n], s.tags, i)
	}
	clear(out[n:])
}

// copyTags sets out to the tags i of the tables of its levels.
func copyTags[T comparable](out []T, tables [][]T, i int) {
	var zero T
	for level, table := range tables[:len(out)] {
		if table != nil {
			out[level] = table[i]
		} else {
			out[level] = zero
		}
	}
}

// readBaseline sets out to those tags i whose version is that of the region open at their level.
func (m *vstorage[T]) readBaseline(s *segment[T], i int, out []T) {
	var zero T
	for level := range out {
		out[level] = zero
		if s.tags[level] != nil && s.versions[level][i] == m.levels.open[level] {
			out[level] = s.tags[level][i]
		}
	}
}

// write sets the outermost tags of an address, which were valid when the innermost region was
// version and are so now. There are none at the levels within.
func (m *vstorage[T]) write(addr uint64, tags []T, version Version) {
	if len(tags) == 0 {
		return
	}
	var zero T
	s := m.directory.find(addr >> m.tableShift)
	if s == nil {
		if !slices.ContainsFunc(tags, func(tag T) bool { return tag != zero }) {
			return
		}
		s = m.newSegment(addr >> m.tableShift)
	}
	m.touch(s)
	if m.opt.Validation == Bulk {
		m.scrub(s)
		s.used = max(s.used, len(tags))
	}
	if len(s.tags) < len(tags) {
		m.deepen(s, len(tags))
	}
	i := int(addr>>m.datumShift) & (m.tableTags - 1)
	for level, tag := range tags {
		table := s.tags[level]
		if table == nil {
			if tag == zero {
				continue
			}
			table = m.newTags()
			s.tags[level] = table
			if m.opt.Validation == Baseline {
				s.versions[level] = m.newVersions()
			}
		}
		table[i] = tag
		if m.opt.Validation == Baseline {
			s.versions[level][i] = m.levels.open[level]
		}
	}
	if m.opt.Validation == Slim {
		s.versions[0][i] = version
	}
}

// newSegment makes a segment.
func (m *vstorage[T]) newSegment(number uint64) *segment[T] {
	s := &segment[T]{number: number, slot: -1, version: m.levels.Innermost()}
	if m.opt.Validation == Slim {
		s.versions = [][]Version{m.newVersions()}
		m.usage.add(&m.usage.Tables, sizeOf[[]Version]())
	}
	before := m.directory.bytes()
	m.directory.add(number, s)
	m.usage.add(&m.usage.Tables, sizeOf[segment[T]]()+int(m.directory.bytes()-before))
	if m.opt.Validation == Bulk {
		m.usage.move(&m.usage.Tables, &m.usage.Versions, sizeOf[Version]())
	}
	return s
}

// forget takes the segments away whose addresses are all in a range.
func (m *vstorage[T]) forget(from, to uint64) {
	for n := (from + uint64(m.opt.TableBytes) - 1) >> m.tableShift; n < to>>m.tableShift; n++ {
		s := m.directory.find(n)
		if s == nil {
			continue
		}
		if m.opt.Validation == Bulk {
			m.usage.move(&m.usage.Versions, &m.usage.Tables, sizeOf[Version]())
		}
		before := m.directory.bytes()
		m.directory.remove(n)
		m.usage.add(&m.usage.Tables, -sizeOf[segment[T]]()-int(before-m.directory.bytes()))
		m.discard(s)
		m.release(s)
		if s.slot >= 0 {
			m.withdraw(s)
		}
	}
}

// release takes the tables of a segment away.
func (m *vstorage[T]) release(s *segment[T]) {
	for _, table := range s.tags {
		if table != nil {
			m.freeTags(table)
		}
	}
	for _, table := range s.versions {
		if table != nil {
			m.freeVersionTable(table)
		}
	}
	m.usage.add(&m.usage.Tables, -m.levelBytes(s))
	s.tags, s.versions, s.used = nil, nil, 0
}

// deepen makes the level table of a segment one of n levels.
func (m *vstorage[T]) deepen(s *segment[T], n int) {
	before := m.levelBytes(s)
	if n > cap(s.tags) {
		s.tags = append(make([][]T, 0, n+n/4), s.tags...)
	}
	s.tags = s.tags[:n]
	if m.opt.Validation == Baseline {
		if n > cap(s.versions) {
			s.versions = append(make([][]Version, 0, n+n/4), s.versions...)
		}
		s.versions = s.versions[:n]
	}
	m.usage.add(&m.usage.Tables, m.levelBytes(s)-before)
}

// levelBytes returns the bytes of the level table of a segment.
func (m *vstorage[T]) levelBytes(s *segment[T]) int {
	return cap(s.tags)*sizeOf[[]T]() + cap(s.versions)*sizeOf[[]Version]()
}
