package shadow

// slim is Runs with one version for each address (SlimTV, 3.2): a word holds the version of the
// region that touched a datum last, and of how many levels it was the innermost. Of these, those
// hold whose regions had begun by then: see [Levels.Valid]. Memory: 8 bytes for each datum of a table
// that is touched.
type slim struct {
	shape
	firsts
	levels *Levels
	tables directory[[]uint64]
	last   uint64
	recent []uint64 // table last; nil: none yet
	usage  Usage
}

// tagBits hold MaxDepth.
const tagBits = 16

// now is the word of a datum that is touched.
func (m *slim) now() uint64 {
	return uint64(m.levels.Innermost())<<tagBits | uint64(m.levels.Depth())
}

// Touch implements [Runs].
func (m *slim) Touch(addrs []uint64, fresh []uint64) {
	now, depth := m.now(), m.levels.Depth()
	for _, a := range addrs {
		table, i := m.at(a)
		if table != m.last || m.recent == nil {
			m.last, m.recent = table, m.table(table)
		}
		word := &m.recent[i]
		if *word == now {
			continue
		}
		level := m.before(*word)
		if level == 0 {
			m.add(a)
		}
		for ; level < depth; level++ {
			fresh[level]++
		}
		*word = now
	}
}

// Mark implements [Runs].
func (m *slim) Mark(addr uint64) int {
	table, i := m.at(addr)
	if table != m.last || m.recent == nil {
		m.last, m.recent = table, m.table(table)
	}
	before := m.before(m.recent[i])
	m.recent[i] = m.now()
	return before
}

// before returns how many levels that are open have touched a datum with this word.
func (m *slim) before(word uint64) int {
	return min(int(word%(1<<tagBits)), m.levels.Valid(Version(word>>tagBits)))
}

func (m *slim) table(n uint64) []uint64 {
	p := m.tables.slot(n)
	if *p == nil {
		t := make([]uint64, m.len())
		*p = &t
		m.tables.list = append(m.tables.list, *p)
		m.usage.Tags += uint64(len(t)) * tagBits / 8
		m.usage.Versions += uint64(len(t)) * (64 - tagBits) / 8
		m.usage.Tables = m.tables.bytes()
		m.usage.took()
	}
	return **p
}

// Usage implements [Runs].
func (m *slim) Usage() Usage { return m.usage }
