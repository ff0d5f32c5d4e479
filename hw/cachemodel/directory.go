package cachemodel

import (
	"math/bits"
	"slices"
)

// directory has an entry for each unit (block or line) with the places where copies of it may be.
// Its first word, from bit 0 on:
//
//	a bit for each node    its LLC holds the unit
//	a bit for each core    its L2 holds the unit
//	the owner              0: memory has the present data. Otherwise 1 + the core that wrote the unit last: no other node has a copy,
//	                       and the present data are in caches of its node
//	bit 63                 only that core's L2 has the present data, if it still holds the unit; otherwise they are in the LLC
//
// The bits of the cores of a node are side by side, of more than 64 in several words. Nodes whose
// cores have no room in the first word have them in words behind it. With lines and an inclusive LLC an L2 evicts without notice,
// as processors do, and a bit may be too many: code that acts on it looks into the L2. Otherwise
// bits are exact.
type directory struct {
	entries    []uint64
	stride     int // words of an entry
	ownerShift uint
	ownerMask  uint64
	present    uint64    // the bits of the nodes
	coreWord   []int32   // by core: the word with its bit
	coreBit    []uint64  // and the bit
	parts      []segment // of all nodes, in their order
	partOf     []int32   // by node: its first part; and how many parts there are, at the end
	// the bits of nodes and cores in the first word; those behind it have nothing else
	holders uint64
}

// A segment is the cores of a node that have their bits in one word.
type segment struct {
	node, first int // core
	word        int32
	mask        uint64
}

// partsOf returns the parts of a node.
func (d *directory) partsOf(node int) []segment { return d.parts[d.partOf[node]:d.partOf[node+1]] }

const (
	maxNodes = 48
	maxCores = 1<<15 - 2
	newest   = 1 << 63
)

func (d *directory) ownerOf(s uint64) int { return int(s&d.ownerMask>>d.ownerShift) - 1 }

// ownedBy returns the bits of the first word that say that core is the owner and its L2 has the
// present data.
func (d *directory) ownedBy(core int) uint64 { return uint64(core+1)<<d.ownerShift | newest }

func newDirectory(units uint64, nodes, perNode int) directory {
	owner := uint(bits.Len(uint(nodes * perNode)))
	d := directory{ownerShift: 63 - owner, ownerMask: (1<<owner - 1) << (63 - owner),
		present: 1<<nodes - 1, stride: 1}
	d.holders = 1<<d.ownerShift - 1
	free, end := nodes, int(d.ownerShift)
	for node := range nodes {
		d.partOf = append(d.partOf, int32(len(d.parts)))
		for first := 0; first < perNode; first += 64 {
			cores := min(64, perNode-first)
			if free+cores > end {
				d.stride++
				free, end = 0, 64
			}
			d.parts = append(d.parts, segment{node, node*perNode + first, int32(d.stride - 1), (1<<cores - 1) << free})
			for c := range cores {
				d.coreWord = append(d.coreWord, int32(d.stride-1))
				d.coreBit = append(d.coreBit, 1<<(free+c))
			}
			free += cores
		}
	}
	d.partOf = append(d.partOf, int32(len(d.parts)))
	d.entries = make([]uint64, units*uint64(d.stride))
	return d
}

func (d *directory) entry(u uint32) []uint64 {
	return d.entries[int(u)*d.stride:][:d.stride]
}

// write makes the requester the only holder of u and the owner of its data, which it writes. held:
// its L2 holds u. Copies elsewhere are invalidated; where the answer of the farthest takes longer
// than paidPS, which the request for u itself took for each line (0: u was in the L2), the rest is
// waited for.
func (m *Model) write(by *requester, u uint32, lines uint64, held bool, paid cost) {
	e := m.entry(u)
	if m.frees(u, FreeCoherence) {
		e[0] = e[0]&^(m.ownerMask|newest) | by.mine&^newest
		return
	}
	if len(e) > 1 || e[0]&m.holders&^(by.nodeBit|by.bit) != 0 {
		if far := m.invalidateOthers(by, e, u, lines); far.rows != 0 {
			if paid.rows == 0 {
				m.stat.Upgrades += lines
			}
			m.fetch.cache.add(lines, far.beyond(paid))
		}
	}
	s := e[0]&^(m.ownerMask|newest) | by.mine
	if !held {
		s &^= newest
	} else if !m.inclusive && s&m.present != 0 { // a copy in a victim cache is out of date, and of no use
		m.drop(by.llc, u, lines)
		s &^= m.present
	}
	e[0] = s
}

// invalidateOthers takes u from all L2s but the requester's and all LLCs but its node's, and
// returns how long the farthest of them needs to say so, 0 if there was none.
func (m *Model) invalidateOthers(by *requester, e []uint64, u uint32, lines uint64) (far cost) {
	own := e[by.word] & by.bit
	e[by.word] ^= own
	others := e[0] & m.holders &^ by.nodeBit
	for _, held := range e[1:] {
		others |= held
	}
	if others != 0 {
		answers := m.node[by.node*m.nodes:]
		if m.frees(u, FreeLatency) {
			answers = slices.Repeat([]cost{answers[by.node]}, m.nodes)
		}
		for s := e[0] & m.present &^ by.nodeBit; s != 0; s &= s - 1 {
			k := bits.TrailingZeros64(s)
			m.drop(&m.shared[k], u, lines)
			m.stat.Invalidations += lines
			far = farther(far, answers[k])
		}
		e[0] &^= m.present &^ by.nodeBit
		for i := range m.parts {
			p := &m.parts[i]
			held := e[p.word] & p.mask
			e[p.word] ^= held
			if dropped := m.dropFromL2s(p, held, u, lines); dropped != 0 {
				m.stat.Invalidations += dropped
				if p.node == by.node {
					far = farther(far, m.llc)
				} else {
					far = farther(far, answers[p.node])
				}
			}
		}
	}
	e[by.word] |= own
	return far
}

// holder returns the core of the lowest bit of held, which has bits of cores of a part.
func (p *segment) holder(held uint64) int {
	return p.first + bits.TrailingZeros64(held) - bits.TrailingZeros64(p.mask)
}
