package shadow

// scrub makes all tags of a segment valid at present: BulkTV (3.3 and figure 5 of the paper).
// Levels from the first that is not valid on are zero at all addresses of the segment: their tables
// are freed. A segment that is not accessed again keeps its tables, as in the paper.
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
		if table != nil {
			m.freeTags(table)
			m.usage.Freed++
			s.tags[n+level] = nil
		}
	}
	s.used = n
}

// newTags returns a tag table that is clear: one that waits for its next use, one of a level that
// ended, or a new one.
func (m *vstorage[T]) newTags() []T {
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
