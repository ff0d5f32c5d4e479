package shadow

// scrub makes all tags of a segment valid at present: BulkTV (3.3 and figure 5 of the paper).
// Levels from the first that is not valid on are set to zero, at all addresses of the segment; with
// Collect their tables are freed. Levels not written since they were clear are passed over.
func (m *vstorage[T]) scrub(s *segment[T]) {
	now := m.levels.Innermost()
	if s.version == now {
		return
	}
	n := m.levels.Valid(s.version)
	s.version = now
	if n >= s.used {
		return
	}
	m.usage.Scrubs++
	for level, table := range s.tags[n:s.used] {
		switch {
		case table == nil:
		case m.opt.Collect:
			m.freeTags(table)
			m.usage.Freed++
			s.tags[n+level] = nil
		default:
			clear(table)
			m.usage.ScrubbedTags += uint64(len(table))
		}
	}
	s.used = n
}

// newTags returns a tag table that is clear: one that waits for its next use, one of a level that
// ended, or a new one.
func (m *vstorage[T]) newTags() []T {
	if len(m.free) == 0 && m.opt.Sweep && m.opt.Collect && m.opt.Validation == Bulk {
		m.advance()
	}
	bytes := m.tableTags * sizeOf[T]()
	if last := len(m.free) - 1; last >= 0 {
		table := m.free[last]
		m.free = m.free[:last]
		m.usage.move(&m.usage.Free, &m.usage.Tags, bytes)
		clear(table)
		return table
	}
	m.usage.add(&m.usage.Tags, bytes)
	return make([]T, m.tableTags)
}

// freeTags lets a tag table wait for its next use.
func (m *vstorage[T]) freeTags(table []T) {
	m.free = append(m.free, table)
	m.usage.move(&m.usage.Tags, &m.usage.Free, m.tableTags*sizeOf[T]())
}

// newVersions returns a table of versions, with any contents: the tags beside it are zero.
func (m *vstorage[T]) newVersions() []Version {
	bytes := m.tableTags * sizeOf[Version]()
	if last := len(m.freeVersions) - 1; last >= 0 {
		table := m.freeVersions[last]
		m.freeVersions = m.freeVersions[:last]
		m.usage.move(&m.usage.Free, &m.usage.Versions, bytes)
		return table
	}
	m.usage.add(&m.usage.Versions, bytes)
	return make([]Version, m.tableTags)
}

// freeVersionTable lets a table of versions wait for its next use.
func (m *vstorage[T]) freeVersionTable(table []Version) {
	m.freeVersions = append(m.freeVersions, table)
	m.usage.move(&m.usage.Versions, &m.usage.Free, m.tableTags*sizeOf[Version]())
}

// steps is how many segments the hand of the sweep passes for a new tag table at most.
const steps = 4

// advance moves the hand of the sweep over segments until it has freed a table.
//
// Departure: in the paper only an access to a segment frees its tables, so that a program that goes
// through much memory once keeps a table for each level it was in. The hand looks at segments where
// more memory would be taken, and costs nothing where tables wait for their next use. While it goes
// around once, at most one table is made for every four segments.
func (m *vstorage[T]) advance() {
	for range min(steps, len(m.segments)) {
		if m.hand >= len(m.segments) {
			m.hand = 0
		}
		if !m.sweepAt(m.hand) {
			m.hand++
		}
		if len(m.free) > 0 {
			return
		}
	}
}

// sweepAt frees the tables of levels that ended in the segment at i of the list of all. It reports
// whether none was left, so that the segment is gone. Compressed tables with a valid level stay,
// and so does a segment that is being written: its used levels are set before its tables are made.
func (m *vstorage[T]) sweepAt(i int) bool {
	s := m.segments[i]
	if s.packed != nil {
		if m.levels.Valid(s.version) > 0 {
			return false
		}
		m.discard(s)
	} else {
		m.scrub(s)
	}
	if s.used > 0 {
		return false
	}
	m.remove(i)
	return true
}

// sweep frees the tables of all levels that ended, and those that wait for their next use.
func (m *vstorage[T]) sweep() {
	if m.opt.Validation == Bulk && m.opt.Collect {
		for i := 0; i < len(m.segments); {
			if !m.sweepAt(i) {
				i++
			}
		}
	}
	u := &m.usage
	u.add(&u.Free, -len(m.free)*m.tableTags*sizeOf[T]())
	u.add(&u.Free, -len(m.freeVersions)*m.tableTags*sizeOf[Version]())
	m.free, m.freeVersions = nil, nil
	if m.cold != nil {
		m.cold.release(u)
	}
}
