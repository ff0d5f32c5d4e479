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
	m.blockLines = make([]uint64, len(m.blocks))
	for i := range m.blocks {
		m.eachRow(&m.blocks[i], func(_, count uint64) { m.blockLines[i] += count })
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
	m.groupLines(x)
	lines = (lines + m.group - 1) / m.group
	setsOf := func(c machine.Cache) uint64 { return setsOf(c) / m.group }
	p, err := newPlacement(lines, 1<<m.pageShift, setsOf(x.L2), setsOf(x.LLC), chunkLines/m.group, opt)
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

// groupLines finds the largest groups of lines that no block has a part of. A line means such a group from then on.
//
// With groups of g lines, where both numbers of sets and the lines of a page are multiples of g, the lines whose numbers are the same modulo g
// live in sets of their own. Their caches and their part of the directory are a system of their own, and each of the g systems sees the same
// accesses, one behind the other. So their states are the same at the end of each access, and one is enough: what happens to its lines
// happens g times. Costs are computed for whole accesses, from sums.
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

// drop takes u out of the cache and tells whether it was there. In block mode it is.
func (c *cacheOf) drop(u uint32, lines uint64) bool {
	if c.place == nil {
		c.lru.remove(u, lines)
		return true
	}
	set, name := c.where(u)
	return c.sets.remove(set, name)
}

// holds tells whether the L2 of a core holds u.
func (m *Model) holds(core int, u uint32) bool {
	if c := &m.private[core]; c.place != nil {
		set, name := c.where(u)
		return c.sets.holds(set, name)
	}
	return m.entry(u)[m.coreWord[core]]&m.coreBit[core] != 0
}

// linesOf returns how many lines a unit has.
func (m *Model) linesOf(u uint32) uint64 {
	if m.blockLines == nil {
		return m.group
	}
	return m.blockLines[u]
}

// toLLC puts u into the LLC of a node, or brings it to the front there, and evicts what must go. A block that is larger than the LLC
// goes through it: it pushes all else out and does not stay, and what was written goes to memory.
func (m *Model) toLLC(node int, u uint32, lines uint64) {
	bit := uint64(1) << node
	e := m.entry(u)
	c := &m.shared[node]
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
		c.lru.remove(v, m.blockLines[v])
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

// leaveLLC says that the LLC of a node has evicted v. If it is inclusive, the L2s of the node lose v too; what was written goes to memory.
func (m *Model) leaveLLC(node int, v uint32) {
	e := m.entry(v)
	if m.inclusive {
		w := m.nodeWord[node]
		for held := e[w] & m.nodeMask[node]; held != 0; held &= held - 1 {
			c := m.holder(node, held)
			if n := m.linesOf(v); m.private[c].drop(v, n) {
				m.stat.BackInvalid += n
			}
		}
		e[w] &^= m.nodeMask[node]
	}
	s := e[0] &^ (1 << node)
	if s&m.ownerMask != 0 {
		m.writeBack(v)
		s &^= m.ownerMask | newest
	}
	e[0] = s
}

// leaveL2 says that the L2 of a core has evicted v. If the LLC is not inclusive, v will go there.
func (m *Model) leaveL2(core int, v uint32) {
	e := m.entry(v)
	e[m.coreWord[core]] &^= m.coreBit[core]
	if e[0]&newest != 0 && m.ownerOf(e[0]) == core {
		e[0] &^= newest
	}
	if !m.inclusive {
		m.victims = append(m.victims, v)
	}
}

// accessBlock is one access in block mode.
func (m *Model) accessBlock(core, node int, u uint32, write bool) {
	lines := m.blockLines[u]
	m.stat.Lines += lines
	c := &m.private[core]
	e := m.entry(u)
	if e[m.coreWord[core]]&m.coreBit[core] != 0 {
		c.touch(u)
		m.stat.L2Hits += lines
		m.fetch.cachePS += lines * m.l2PS
		if write && e[0]&(m.ownerMask|newest) != m.ownedBy(core) {
			m.write(core, node, u, lines, true, 0)
		}
		return
	}
	c.grow(len(m.blocks))
	m.victims = m.victims[:0]
	for c.used+lines > c.capacity && c.used > 0 {
		v := c.oldest()
		c.lru.remove(v, m.blockLines[v])
		m.leaveL2(core, v)
	}
	held := lines <= c.capacity
	if held {
		c.push(u, lines)
	}
	m.miss(core, node, u, lines, held, write)
}

// accessLines is one access to a block in line mode. Rows are cut into chunks, whose lines lie in consecutive sets and have the same name.
func (m *Model) accessLines(core, node int, b *Block, write bool) {
	next := uint64(0)
	for r := range uint64(b.Rows) {
		at := b.Base + r*b.Stride
		first, end := max(at>>m.lineShift, next), (at+b.RowBytes-1)>>m.lineShift+1
		for first < end {
			stop := min(end, (first>>m.chunkShift+1)<<m.chunkShift)
			m.run(core, node, uint32(first), int(stop-first), write)
			first = stop
		}
		next = end
	}
}

// run accesses count lines of a chunk from u on.
func (m *Model) run(core, node int, u uint32, count int, write bool) {
	c := &m.private[core]
	k := &c.place.chunks[u>>m.chunkShift]
	offset := u & (1<<m.chunkShift - 1)
	set, name := int(k.l2Set+offset), uint64(k.l2Name)
	llcSet, llcName := int(k.llcSet+offset), uint64(k.llcName)
	mine, whose := m.ownedBy(core), m.ownerMask|newest
	hits := 0
	if c.perSet == 2 && c.tail == 64 { // eight ways: sets.use in place and without a branch
		w := c.words[2*set:][:2*count]
		pattern := name * ones
		for i := 0; i < len(w)-1; i += 2 {
			x0, x1 := w[i], w[i+1]
			y0, y1 := x0^pattern, x1^pattern
			z0, z1 := (y0-ones)&^y0&tops, (y1-ones)&^y1&tops
			m0 := z0 ^ (z0 - 1)
			// Nothing, if the name is in the first word: only if it is not, m0 has its top bit and z0 has not.
			m1 := (z1 ^ (z1 - 1)) & uint64(int64(m0&^z0)>>63)
			w[i] = x0&^m0 | (x0<<laneBits|name)&m0
			w[i+1] = x1&^m1 | (x1<<laneBits|x0>>(64-laneBits))&m1
			if z0|z1 == 0 {
				m.missLine(core, node, u+uint32(i/2), write, set+i/2, x1>>(64-laneBits), llcSet+i/2, llcName)
			} else {
				hits++
				if write && m.entries[(int(u)+i/2)*m.stride]&whose != mine {
					m.write(core, node, u+uint32(i/2), m.group, true, 0)
				}
			}
		}
	} else {
		for i := range count {
			if victim, hit := c.use(set+i, name); !hit {
				m.missLine(core, node, u+uint32(i), write, set+i, victim, llcSet+i, llcName)
			} else {
				hits++
				if write && m.entries[(int(u)+i)*m.stride]&whose != mine {
					m.write(core, node, u+uint32(i), m.group, true, 0)
				}
			}
		}
	}
	m.stat.Lines += uint64(count) * m.group
	m.stat.L2Hits += uint64(hits) * m.group
	m.fetch.cachePS += uint64(hits) * m.group * m.l2PS
}

// missLine is miss for line u, which has taken the place of victim in a set of the L2. It does itself what is most frequent, a hit in an inclusive LLC
// which no other core has newer.
func (m *Model) missLine(core, node int, u uint32, write bool, set int, victim uint64, llcSet int, llcName uint64) {
	e := m.entries[int(u)*m.stride:][:m.stride]
	if m.inclusive && e[0]&(1<<node) != 0 && (e[0]&newest == 0 || m.ownerOf(e[0]) == core) {
		m.fetch.missedL2 = true
		m.stat.LLCHits += m.group
		m.fetch.cachePS += m.group * m.llcPS
		m.shared[node].use(llcSet, llcName)
		e[0] &^= newest
		e[m.coreWord[core]] |= m.coreBit[core]
		if write {
			m.write(core, node, u, m.group, true, m.llcPS)
		}
		return
	}
	m.victims = m.victims[:0]
	if victim != 0 && !m.inclusive {
		p := m.private[core].place
		m.leaveL2(core, p.lineOf(&p.l2, set, victim))
	}
	m.miss(core, node, u, m.group, true, write)
}

// miss is an access to a unit that was not in the L2 of the core. The L2 has it now, if held, and m.victims lost their places for it.
// The order is that of one request: the L2 makes room, the request looks into the LLC, then elsewhere; the LLC makes room and is filled;
// if it is not inclusive, what left the L2 goes there.
func (m *Model) miss(core, node int, u uint32, lines uint64, held, write bool) {
	e := m.entry(u)
	f := &m.fetch
	f.missedL2 = true
	paid := m.siblingPS
	switch owner := m.ownerOf(e[0]); {
	case e[0]&(1<<node) != 0:
		if e[0]&newest != 0 && owner != core && m.holds(owner, u) {
			m.stat.Siblings += lines
		} else {
			m.stat.LLCHits += lines
			paid = m.llcPS
		}
		f.cachePS += lines * paid
		e[0] &^= newest
		m.toLLC(node, u, lines)
	case !m.inclusive && e[m.nodeWord[node]]&m.nodeMask[node] != 0:
		m.stat.Siblings += lines
		f.cachePS += lines * paid
		e[0] &^= newest
	default:
		paid = math.MaxUint64 // memory does not answer before all nodes have
		f.missedLLC = true
		m.stat.LLCMisses += lines
		if owner >= 0 {
			m.stat.Transfers += lines
			f.transfers += lines
			f.memoryPS += lines * m.nodePS[node*m.nodes+int(m.nodeOf[owner])]
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
		e[m.coreWord[core]] |= m.coreBit[core]
	}
	if write {
		m.write(core, node, u, lines, held, paid)
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
