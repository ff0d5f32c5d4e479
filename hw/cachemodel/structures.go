package cachemodel

import "fmt"

// structures are the blocks behind those of the layout: data of a runtime, which come into being
// while a program runs.
type structures struct {
	first  int    // their first block
	begin  uint64 // byte addresses: behind the layout; by lines, of all the room that there is
	end    uint64
	next   uint64   // what no core has yet
	arenas []arena  // by core
	recent []recent // by structure
	free   Free     // what is taken away from all
}

// arena is the rest of the latest room of a core.
type arena struct{ next, end uint64 }

// recent is the latest access to a structure that went through the caches.
type recent struct {
	core    int32 // -1: none
	wrote   bool
	l2, llc uint64 // lines that had come into them
}

// structureRoom is how many bytes of structures there are at most by lines; more lie where others
// do. Blocks are bounded by [ErrLimit] alone.
const structureRoom = 4 << 20

// arenaBytes is how much room a core takes at a time: a page, or part of a large one.
const arenaBytes = 4 << 10

// Add returns a new block of so many bytes, 4096 at most, beside those of the same core. Structures
// share no lines. Cost: that of the lists that grow.
func (m *Model) Add(core int, size uint64) uint32 {
	line := uint64(1) << m.lineShift
	size = (size + line - 1) &^ (line - 1)
	if size == 0 || size > arenaBytes {
		panic(fmt.Sprintf("cachemodel: a structure of %d bytes, at most %d", size, arenaBytes))
	}
	s := &m.structures
	a := &s.arenas[core]
	if a.end-a.next < size {
		if !m.byBlocks && s.next+arenaBytes > s.end {
			s.next = s.begin
		}
		*a = arena{s.next, s.next + arenaBytes}
		s.next += arenaBytes
		for m.byBlocks && uint64(len(m.pageDomain))<<(m.pageShift+m.lineShift) < s.next {
			m.pageDomain = append(m.pageDomain, m.homeless(len(m.pageDomain)))
		}
	}
	b := Block{Base: a.next, RowBytes: size, Stride: size, Rows: 1}
	a.next += size
	m.blocks = append(m.blocks, b)
	m.ways = append(m.ways, way{lines: size >> m.lineShift})
	s.recent = append(s.recent, recent{core: -1})
	if m.freeBlocks != nil {
		m.freeBlocks = append(m.freeBlocks, s.free)
	}
	if m.byBlocks {
		m.free = m.freeBlocks
		m.entries = append(m.entries, make([]uint64, m.stride)...)
	} else if m.free != nil {
		m.freeLines(&b, s.free)
	}
	return uint32(len(m.blocks) - 1)
}

// Touch makes a core access a block of [Model.Add] on behalf of a kernel, at a time, and returns how
// much longer that takes than if the core's L2 held the block, all in picoseconds: prices of
// operations were measured with hot lines. The first line of a block is waited for, as it is found
// through others; the rest are as rows ([Rows]).
//
// A core that was the last to touch a block and has had less than half of its L2 come in since
// finds it there, and the L2's order is not changed. Cost: a few loads and
// comparisons then, otherwise that of [Model.Kernel].
func (m *Model) Touch(core, kernel int, now uint64, block uint32, write bool) (longerPS uint64) {
	r := &m.structures.recent[int(block)-m.structures.first]
	by := &m.requesters[core]
	lines := m.ways[block].lines
	stat := &m.counters[core*m.kernels+kernel]
	stat.Accesses++
	if r.core == int32(core) && (r.wrote || !write) && m.byBlocks &&
		2*(by.l2.pushed-r.l2) < by.l2.capacity && 2*(by.llc.pushed-r.llc) < by.llc.capacity {
		stat.Lines += lines
		stat.L2Hits += lines
		return 0
	}
	m.stat, m.fetch = stat, &m.fetches[0]
	f := m.fetch
	switch {
	case m.byBlocks:
		m.accessBlock(by, block, write)
	case m.freeBlocks != nil && m.freeBlocks[block] != 0:
		m.accessFreeLines(by, &m.blocks[block], write)
	default:
		m.accessLines(by, &m.blocks[block], write)
	}
	hot := lines * m.l2.rows >> shareBits
	waits := f.cache.rows >> shareBits
	chained := func(ps uint64) uint64 { return ps * (m.overlap + lines - 1) / lines }
	longerPS = chained(waits - min(waits, hot))
	f.takesPS = chained(f.memory.rows >> shareBits)
	f.cache, f.memory = cost{}, cost{}
	longerPS += m.charge(by.node, now+longerPS, 0)
	stat.StallPS += longerPS
	*r = recent{int32(core), write, by.l2.pushed, by.llc.pushed}
	return longerPS
}

// TouchPS returns what [Model.Touch] returns for a block of so many bytes that another core of the
// node has just written.
func (m *Model) TouchPS(size uint64) uint64 {
	lines := max((size+1<<m.lineShift-1)>>m.lineShift, 1)
	each := m.sibling.rows - min(m.sibling.rows, m.l2.rows)
	return (lines * each >> shareBits) * (m.overlap + lines - 1) / lines
}
