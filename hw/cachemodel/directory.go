package cachemodel

import "math/bits"

// directory has an entry for each unit (block or line) that says where copies of it may be. Its first word:
//
//	bits 0-47   nodes whose LLC holds the unit
//	bits 48-62  0: memory has the present data. Otherwise 1 + the core that wrote the unit last: no other node has a copy, and the present
//	            data are in caches of its node
//	bit 63      only that core's L2 has the present data, if it still holds the unit; otherwise they are in the LLC
//
// The words behind it have a bit for each core whose L2 holds the unit, those of a node side by side in one word. With lines and an inclusive
// LLC an L2 evicts without notice, as processors do, and a bit may be too many: whoever acts on it looks into the L2. Otherwise bits are exact.
type directory struct {
	entries  []uint64
	stride   int // words of an entry
	coreWord []int32
	coreBit  []uint64
	nodeWord []int32  // by node: the word with its cores
	nodeMask []uint64 // and their bits
}

const (
	maxNodes   = 48
	maxCores   = 1<<15 - 2
	ownerShift = 48
	present    = 1<<maxNodes - 1
	newest     = 1 << 63
	ownerMask  = (1<<15 - 1) << ownerShift
)

func ownerOf(s uint64) int { return int(s&ownerMask>>ownerShift) - 1 }

func ownedBy(core int) uint64 { return uint64(core+1) << ownerShift }

func newDirectory(units uint64, nodes, perNode int) directory {
	inWord := 64 / perNode // nodes
	d := directory{stride: 1 + (nodes+inWord-1)/inWord}
	d.entries = make([]uint64, units*uint64(d.stride))
	for n := range nodes {
		shift := n % inWord * perNode
		d.nodeWord = append(d.nodeWord, int32(1+n/inWord))
		d.nodeMask = append(d.nodeMask, (1<<perNode-1)<<shift)
		for c := range perNode {
			d.coreWord = append(d.coreWord, int32(1+n/inWord))
			d.coreBit = append(d.coreBit, 1<<(shift+c))
		}
	}
	return d
}

func (d *directory) entry(u uint32) []uint64 {
	return d.entries[int(u)*d.stride:][:d.stride]
}

// write makes core the only holder of u and the owner of its data, which it writes. held tells that its L2 holds u. Copies elsewhere are
// invalidated; where the answer of the farthest takes longer than paidPS, which the request for u itself took for each line (0: u was in
// the L2), the rest is waited for.
func (m *Model) write(core, node int, u uint32, lines uint64, held bool, paidPS uint64) {
	e := m.entry(u)
	others := e[0]&present&^(1<<node) | e[m.coreWord[core]]&^m.coreBit[core]
	if others == 0 && len(e) == 2 {
		// nobody else has it
	} else if far := m.invalidateOthers(core, node, e, u, lines); far != 0 {
		if paidPS == 0 {
			m.stat.Upgrades += lines
		}
		m.fetch.cachePS += lines * (max(far, paidPS) - paidPS)
	}
	s := e[0]&(1<<node) | ownedBy(core)
	if held {
		s |= newest
		if !m.inclusive && s&present != 0 { // a copy in a victim cache is out of date, and of no use
			m.shared[node].drop(u, lines)
			s &^= present
		}
	}
	e[0] = s
}

// invalidateOthers takes u from all L2s but core's and all LLCs but node's, and returns how long the farthest of them needs to say so, 0 if there was none.
func (m *Model) invalidateOthers(core, node int, e []uint64, u uint32, lines uint64) (farPS uint64) {
	for s := e[0] & present &^ (1 << node); s != 0; s &= s - 1 {
		k := bits.TrailingZeros64(s)
		m.shared[k].drop(u, lines)
		m.stat.Invalidations += lines
		farPS = max(farPS, m.nodePS[node*m.nodes+k])
	}
	own := m.coreBit[core]
	for w := 1; w < len(e); w++ {
		held := e[w]
		if w == int(m.coreWord[core]) {
			held &^= own
			e[w] &= own
		} else {
			e[w] = 0
		}
		for ; held != 0; held &= held - 1 {
			k, c := m.holder(w, held)
			if !m.private[c].drop(u, lines) {
				continue
			}
			m.stat.Invalidations += lines
			if k == node {
				farPS = max(farPS, m.llcPS)
			} else {
				farPS = max(farPS, m.nodePS[node*m.nodes+k])
			}
		}
	}
	return farPS
}

// holder returns node and core of the lowest bit of word w of an entry.
func (m *Model) holder(w int, held uint64) (node, core int) {
	inWord := 64 / m.perNode
	bit := bits.TrailingZeros64(held)
	node = (w-1)*inWord + bit/m.perNode
	return node, node*m.perNode + bit%m.perNode
}
