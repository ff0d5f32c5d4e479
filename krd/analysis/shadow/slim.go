package shadow

// slim is Runs with one version for each address (SlimTV, 3.2): that of the innermost region when a
// datum was touched last. [Levels.Valid] returns the levels that touched it. Memory: 8 bytes for
// each datum of a table that is touched.
//
// Departure: the paper keeps the tag too, in 8 of the 64 bits. It is never less than the number
// that follows from the version: a region that is open now and was not when the datum was touched
// began later.
type slim struct {
	shape
	firsts
	levels *Levels
	tables directory[[]Version]
	last   uint64
	recent []Version // table last; nil: none yet
	usage  Usage
}

// Touch implements [Runs].
func (m *slim) Touch(addrs []uint64, fresh []uint64) {
	now, depth := m.levels.Innermost(), m.levels.Depth()
	table, recent := m.last, m.recent
	// neighbours were touched by the same region before: run data so far, of version last
	last, run := now, uint64(0)
	for _, a := range addrs {
		n, i := m.at(a)
		if n != table || recent == nil {
			table, recent = n, m.table(n)
		}
		before := recent[i]
		recent[i] = now
		if before == now {
			continue
		}
		if before != last {
			if run > 0 {
				count(fresh[m.before(last):depth], run)
			}
			last, run = before, 0
		}
		run++
		if before < m.levels.open[0] {
			m.add(a &^ (1<<m.datum - 1))
		}
	}
	if run > 0 {
		count(fresh[m.before(last):depth], run)
	}
	m.last, m.recent = table, recent
}

// count adds n to each of list.
func count(list []uint64, n uint64) {
	for i := range list {
		list[i] += n
	}
}

// Accesses implements [Runs].
func (m *slim) Accesses(places []uint64, bytes []uint32, fresh []uint64) {
	accesses(m, 1<<m.datum, places, bytes, fresh)
}

// Span implements [Runs].
func (m *slim) Span(addr, bytes uint64, fresh []uint64) {
	span(m, 1<<m.datum, addr, bytes, fresh)
}

// Mark implements [Runs].
func (m *slim) Mark(addr uint64) int {
	n, i := m.at(addr)
	if n != m.last || m.recent == nil {
		m.last, m.recent = n, m.table(n)
	}
	before := m.before(m.recent[i])
	m.recent[i] = m.levels.Innermost()
	return before
}

// before returns how many levels that are open have touched a datum of this version; 0: nothing
// has.
func (m *slim) before(v Version) int {
	if v == 0 {
		return 0
	}
	return m.levels.Valid(v)
}

func (m *slim) table(n uint64) []Version {
	p := m.tables.find(n)
	if p == nil {
		t := make([]Version, m.len())
		p = &t
		m.tables.add(n, p)
		m.usage.add(&m.usage.Versions, len(t)*8)
		m.usage.set(&m.usage.Tables, m.tables.bytes())
	}
	return *p
}

// Usage implements [Runs].
func (m *slim) Usage() Usage { return m.usage }
