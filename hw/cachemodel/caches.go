package cachemodel

import (
	"math"
	"math/bits"

	"krdlab/hw/machine"
)

// cacheOf is one cache of the model, of blocks or, if place is not nil, of lines.
type cacheOf struct {
	lru
	sets
	place  *placement
	shared bool // the LLC of a node
}

func (m *Model) useBlocks(x *machine.Machine) error {
	m.directory = newDirectory(uint64(len(m.blocks)), m.nodes, m.perNode)
	m.byBlocks = true
	for i := range m.blocks {
		m.eachRow(&m.blocks[i], func(_, count uint64) { m.ways[i].lines += count })
	}
	for i := range m.private {
		m.private[i].capacity = x.L2.Bytes >> m.lineShift
	}
	for i := range m.shared {
		m.shared[i].capacity = x.LLC.Bytes >> m.lineShift
		m.shared[i].shared = true
	}
	return nil
}

func (m *Model) useLines(x *machine.Machine, lines uint64, opt Options) error {
	if m.group = 1; !opt.Structures {
		m.groupLines(x)
	}
	lines = (lines + m.group - 1) / m.group
	setsOf := func(c machine.Cache) uint64 { return setsOf(c) / m.group }
	p, err := newPlacement(lines, 1<<m.pageShift, setsOf(x.L2), setsOf(x.LLC), chunkLines/m.group,
		opt)
	if err != nil {
		return err
	}
	m.chunkShift = p.chunkShift
	m.directory = newDirectory(lines, m.nodes, m.perNode)
	for i := range m.private {
		m.private[i] = cacheOf{sets: newSets(int(setsOf(x.L2)), x.L2.Ways), place: p}
	}
	for i := range m.shared {
		m.shared[i] = cacheOf{sets: newSets(int(setsOf(x.LLC)), x.LLC.Ways), place: p, shared: true}
	}
	return nil
}

// groupLines finds the largest groups of lines that no block has a part of. A line means such a
// group from then on.
//
// With groups of g lines, where both numbers of sets and the lines of a page are multiples of g,
// the lines whose numbers are the same modulo g live in sets of their own. Their caches and their
// part of the directory are a system of their own, and each of the g systems sees the same
// accesses, one behind the other. So their states are the same at the end of each access, and one
// is enough: the events of its lines happen g times. Costs are computed for whole accesses, from
// sums.
func (m *Model) groupLines(x *machine.Machine) {
	shift := bits.TrailingZeros64(chunkLines | setsOf(x.L2) | setsOf(x.LLC) | 1<<m.pageShift)
	for i := range m.blocks {
		b := &m.blocks[i]
		edges := b.Base | (b.RowBytes+1<<m.lineShift-1)&^(1<<m.lineShift-1)
		if b.Rows > 1 {
			edges |= b.Stride
		}
		shift = min(shift, max(bits.TrailingZeros64(edges)-int(m.lineShift), 0))
	}
	m.group = 1 << shift
	m.lineShift += uint(shift)
	m.pageShift -= uint(shift)
}

func setsOf(c machine.Cache) uint64 { return c.Bytes / uint64(c.LineBytes) / uint64(c.Ways) }

func (c *cacheOf) reset() {
	c.lru.reset()
	c.sets.reset()
}

// where returns the set and the name of a line.
func (c *cacheOf) where(u uint32) (set int, name uint64) {
	k := &c.place.chunks[u>>c.place.chunkShift]
	offset := int(u & (1<<c.place.chunkShift - 1))
	if c.shared {
		return int(k.llcSet) + offset, uint64(k.llcName)
	}
	return int(k.l2Set) + offset, uint64(k.l2Name)
}

// drop takes u out of the cache, if it is there.
func (m *Model) drop(c *cacheOf, u uint32, lines uint64) {
	if c.shared && m.frees(u, FreeLLC) || !c.shared && m.frees(u, FreeL2) {
		return
	}
	if c.place == nil {
		c.lru.remove(u, lines)
		return
	}
	set, name := c.where(u)
	c.sets.remove(set, name)
}

// dropFromL2s takes u out of the L2s of those cores of a part whose bits are in held, and returns
// how many lines were there.
func (m *Model) dropFromL2s(p *segment, held uint64, u uint32, lines uint64) (dropped uint64) {
	if held == 0 {
		return 0
	}
	if m.frees(u, FreeL2) {
		return uint64(bits.OnesCount64(held)) * lines
	}
	set, name := 0, uint64(0) // the same in all L2s
	if c := &m.private[0]; c.place != nil {
		set, name = c.where(u)
	}
	for ; held != 0; held &= held - 1 {
		c := &m.private[p.holder(held)]
		if c.place == nil {
			c.lru.remove(u, lines)
		} else if !c.sets.remove(set, name) {
			continue
		}
		dropped += lines
	}
	return dropped
}

// holds reports whether the L2 of a core holds u.
func (m *Model) holds(core int, u uint32) bool {
	if c := &m.private[core]; c.place != nil && !m.frees(u, FreeL2) {
		set, name := c.where(u)
		return c.sets.holds(set, name)
	}
	return m.entry(u)[m.coreWord[core]]&m.coreBit[core] != 0
}

// inL2s reports whether an L2 of a node holds the unit of an entry.
func (m *Model) inL2s(e []uint64, node int) bool {
	for _, p := range m.partsOf(node) {
		if e[p.word]&p.mask != 0 {
			return true
		}
	}
	return false
}

// linesOf returns how many lines a unit has.
func (m *Model) linesOf(u uint32) uint64 {
	if !m.byBlocks {
		return m.group
	}
	return m.ways[u].lines
}

// toLLC puts u into the LLC of a node, or brings it to the front there, and evicts what must go. A
// block that is larger than the LLC goes through it: it pushes all else out and does not stay, and
// what was written goes to memory.
func (m *Model) toLLC(node int, u uint32, lines uint64) {
	bit := uint64(1) << node
	e := m.entry(u)
	c := &m.shared[node]
	if m.frees(u, FreeLLC) {
		e[0] |= bit
		return
	}
	if c.place != nil {
		e[0] |= bit
		set, name := c.where(u)
		if victim, hit := c.use(set, name); !hit && victim != 0 {
			m.leaveLLC(node, c.place.lineOf(&c.place.llc, set, victim))
		}
		return
	}
	if e[0]&bit != 0 {
		c.touch(u)
		return
	}
	c.grow(len(m.blocks))
	for c.used+lines > c.capacity && c.used > 0 {
		v := c.oldest()
		c.lru.remove(v, m.ways[v].lines)
		m.leaveLLC(node, v)
	}
	if lines > c.capacity {
		if e[0]&m.ownerMask != 0 {
			m.writeBack(u)
			e[0] &^= m.ownerMask | newest
		}
		return
	}
	c.push(u, lines)
	e[0] |= bit
}

// leaveLLC carries out that the LLC of a node has evicted v. If it is inclusive, the L2s of the
// node lose v too; modified data go to memory.
func (m *Model) leaveLLC(node int, v uint32) {
	e := m.entry(v)
	if m.inclusive {
		parts := m.partsOf(node)
		for i := range parts {
			p := &parts[i]
			held := e[p.word] & p.mask
			e[p.word] ^= held
			m.stat.BackInvalid += m.dropFromL2s(p, held, v, m.linesOf(v))
		}
	}
	s := e[0] &^ (1 << node)
	if owner := m.ownerOf(s); owner >= 0 && int(m.nodeOf[owner]) == node {
		m.writeBack(v)
		s &^= m.ownerMask | newest
	}
	e[0] = s
}

// leaveL2 carries out that the L2 of the requester has evicted v. If the LLC is not inclusive, v
// will go there.
func (m *Model) leaveL2(by *requester, v uint32) {
	e := m.entry(v)
	e[by.word] &^= by.bit
	if e[0]&(m.ownerMask|newest) == by.mine {
		e[0] &^= newest
	}
	if !m.inclusive {
		m.victims = append(m.victims, v)
	}
}

// accessBlock makes one access in block mode.
func (m *Model) accessBlock(by *requester, u uint32, write bool) {
	lines := m.ways[u].lines
	m.stat.Lines += lines
	c := by.l2
	e := m.entry(u)
	free := m.frees(u, FreeL2)
	if e[by.word]&by.bit != 0 {
		if !free {
			c.touch(u)
		}
		m.stat.L2Hits += lines
		m.fetch.cache.add(lines, m.l2)
		if write && e[0]&(m.ownerMask|newest) != by.mine {
			m.write(by, u, lines, true, cost{})
		}
		return
	}
	c.grow(len(m.blocks))
	m.victims = m.victims[:0]
	if free {
		m.miss(by, u, lines, true, write)
		return
	}
	for c.used+lines > c.capacity && c.used > 0 {
		v := c.oldest()
		c.lru.remove(v, m.ways[v].lines)
		m.leaveL2(by, v)
	}
	held := lines <= c.capacity
	if held {
		c.push(u, lines)
	}
	m.miss(by, u, lines, held, write)
}

// accessLines makes one access to a block in line mode. Rows are cut into chunks, whose lines lie
// in consecutive sets and have the same name. The most frequent cases, hits in the L2 and in an
// inclusive LLC that need nothing else, are handled in place.
func (m *Model) accessLines(by *requester, b *Block, write bool) {
	l2, llc := by.l2, by.llc
	eightWays := l2.perSet == 2 && l2.tail == 64
	whose := m.ownerMask | newest
	// the compiler's shifts are shorter where it sees that they are below 64
	lineShift, chunkShift := m.lineShift&63, m.chunkShift&63
	next := uint64(0)
	lines, hits, llcHits := uint64(0), uint64(0), uint64(0)
	for at, rows := b.Base, b.Rows; rows > 0; at, rows = at+b.Stride, rows-1 {
		u, end := max(at>>lineShift, next), (at+b.RowBytes-1)>>lineShift+1
		next = end
		lines += end - u
		for u < end {
			k := &l2.place.chunks[u>>chunkShift]
			offset := int(u & (1<<chunkShift - 1))
			set, name := int(k.l2Set)+offset, uint64(k.l2Name)
			llcSet, llcName := int(k.llcSet)+offset, uint64(k.llcName)
			pattern := name * ones
			words := l2.words[l2.perSet*set:]
			for stop := min(end, (u>>chunkShift+1)<<chunkShift); u < stop; u, set, llcSet = u+
				1, set+1, llcSet+1 {
				var hit bool
				var victim uint64
				if eightWays { // sets.use in place and without a branch
					w := (*[2]uint64)(words)
					words = words[2:]
					x0, x1 := w[0], w[1]
					y0, y1 := x0^pattern, x1^pattern
					z0, z1 := (y0-ones)&^y0&tops, (y1-ones)&^y1&tops
					m0 := z0 ^ (z0 - 1)
					// Nothing, if the name is in the first word: only if it is not, m0 has its top
					// bit and z0 has not.
					m1 := (z1 ^ (z1 - 1)) & uint64(int64(m0&^z0)>>63)
					w[0] = x0&^m0 | (x0<<laneBits|name)&m0
					w[1] = x1&^m1 | (x1<<laneBits|x0>>(64-laneBits))&m1
					victim, hit = x1>>(64-laneBits), z0|z1 != 0
				} else {
					victim, hit = l2.use(set, name)
				}
				if hit {
					hits++
					if write && m.entries[int(u)*m.stride]&whose != by.mine {
						m.write(by, uint32(u), m.group, true, cost{})
					}
					continue
				}
				e := m.entries[int(u)*m.stride:]
				if s := e[0]; m.inclusive && s&by.nodeBit != 0 &&
					(s&newest == 0 || s&whose == by.mine) {
					llcHits++
					if !llc.useFirst(llcSet, llcName) {
						llc.use(llcSet, llcName)
					}
					e[0] = s &^ newest
					e[by.word] |= by.bit
					if write {
						m.write(by, uint32(u), m.group, true, m.llc)
					}
					continue
				}
				m.victims = m.victims[:0]
				if victim != 0 && !m.inclusive {
					m.leaveL2(by, l2.place.lineOf(&l2.place.l2, set, victim))
				}
				m.miss(by, uint32(u), m.group, true, write)
			}
		}
	}
	m.stat.Lines += lines * m.group
	m.stat.L2Hits += hits * m.group
	m.stat.LLCHits += llcHits * m.group
	m.fetch.cache.add(hits*m.group, m.l2)
	m.fetch.cache.add(llcHits*m.group, m.llc)
}

// miss makes an access to a unit that was not in the L2 of the core. The L2 has it now, if held,
// and m.victims lost their places for it. The order is that of one request: the L2 makes room, the
// request looks into the LLC, then elsewhere; the LLC makes room and is filled; if it is not
// inclusive, data that left the L2 go there.
func (m *Model) miss(by *requester, u uint32, lines uint64, held, write bool) {
	e := m.entry(u)
	f := m.fetch
	node := by.node
	paid := m.sibling
	switch owner := m.ownerOf(e[0]); {
	case e[0]&by.nodeBit != 0:
		if e[0]&newest != 0 && owner != by.core && m.holds(owner, u) {
			m.stat.Siblings += lines
		} else {
			m.stat.LLCHits += lines
			paid = m.llc
		}
		f.cache.add(lines, paid)
		e[0] &^= newest
		m.toLLC(node, u, lines)
	case !m.inclusive && m.inL2s(e, node):
		m.stat.Siblings += lines
		f.cache.add(lines, paid)
		e[0] &^= newest
	default:
		paid = cost{math.MaxUint64, math.MaxUint64} // memory does not answer before all nodes have
		f.missedLLC = true
		m.stat.LLCMisses += lines
		if owner >= 0 && !m.frees(u, FreeCoherence) {
			m.stat.Transfers += lines
			from := int(m.nodeOf[owner])
			if m.frees(u, FreeLatency) {
				from = node
			}
			f.memory.add(lines, m.node[node*m.nodes+from])
			if !m.frees(u, FreeBandwidth) {
				f.transfers += lines
			}
			if !write {
				m.writeBack(u)
			}
			e[0] &^= m.ownerMask | newest
		} else {
			m.fromMemory(node, u)
		}
		if m.inclusive {
			m.toLLC(node, u, lines)
		}
	}
	if held {
		e[by.word] |= by.bit
	}
	if write {
		m.write(by, u, lines, held, paid)
	}
	for _, v := range m.victims {
		m.toLLC(node, v, m.linesOf(v))
	}
	switch {
	case held:
	case !m.inclusive:
		m.toLLC(node, u, lines)
	case write && e[0]&m.present == 0:
		m.writeBack(u)
		e[0] &^= m.ownerMask
	}
}
