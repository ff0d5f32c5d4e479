package shadow

// baseline is Runs with a version for each tag (3.1): a datum is touched at a level if the version
// that is stored there is that of the region. Memory: 8 bytes for each level, up to the deepest, of
// each datum of a table that is touched. Cost: all levels of each access.
type baseline struct {
	shape
	firsts
	levels *Levels
	room   int // levels for which there is room
	tables directory[[]Version]
	list   []*[]Version // all tables
	last   uint64
	recent []Version // of table last; nil: none yet
	usage  Usage
}

// Touch implements [Runs].
func (m *baseline) Touch(addrs []uint64, fresh []uint64) {
	open := m.levels.open
	fresh = fresh[:len(open)]
	if len(addrs) > 0 {
		m.vector(addrs[0]) // makes room
	}
	table, recent, room := m.last, m.recent, uint64(m.room)
	for _, a := range addrs {
		n, at := m.at(a)
		if n != table {
			m.vector(a)
			table, recent = n, m.recent
		}
		stored := recent[at*room:][:len(open)]
		i := 0
		for i < len(open) && stored[i] == open[i] {
			i++
		}
		if i == 0 {
			m.add(a &^ (1<<m.datum - 1))
		}
		for ; i < len(open); i++ { // what was another region within is another one
			stored[i] = open[i]
			fresh[i]++
		}
	}
}

// Accesses implements [Runs].
func (m *baseline) Accesses(places []uint64, bytes []uint32, fresh []uint64) {
	accesses(m, 1<<m.datum, places, bytes, fresh)
}

// Span implements [Runs].
func (m *baseline) Span(addr, bytes uint64, fresh []uint64) {
	span(m, 1<<m.datum, addr, bytes, fresh)
}

// Mark implements [Runs].
func (m *baseline) Mark(addr uint64) (before int) {
	stored := m.vector(addr)
	for i, v := range m.levels.open {
		if stored[i] == v {
			before++
		}
		stored[i] = v
	}
	return before
}

// vector returns the versions of a datum, of all levels that are open.
func (m *baseline) vector(addr uint64) []Version {
	if len(m.levels.open) > m.room {
		m.grow(len(m.levels.open))
	}
	table, i := m.at(addr)
	if table != m.last || m.recent == nil {
		m.last, m.recent = table, m.table(table)
	}
	at := int(i) * m.room
	return m.recent[at : at+len(m.levels.open)]
}

func (m *baseline) table(n uint64) []Version {
	p := m.tables.find(n)
	if p == nil {
		t := make([]Version, m.len()*m.room)
		p = &t
		m.tables.add(n, p)
		m.list = append(m.list, p)
		m.usage.add(&m.usage.Versions, len(t)*8)
		m.usage.set(&m.usage.Tables, m.tables.bytes())
	}
	return *p
}

// grow makes room for more levels in every table.
func (m *baseline) grow(room int) {
	for _, t := range m.list {
		wide := make([]Version, m.len()*room)
		for i := range m.len() {
			copy(wide[i*room:], (*t)[i*m.room:(i+1)*m.room])
		}
		m.usage.add(&m.usage.Versions, (len(wide)-len(*t))*8)
		*t = wide
	}
	m.room, m.recent = room, nil
}

// Usage implements [Runs].
func (m *baseline) Usage() Usage { return m.usage }
