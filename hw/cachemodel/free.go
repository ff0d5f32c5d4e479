package cachemodel

import (
	"fmt"
	"slices"
)

// Free is the set of causes of delay that are taken away from the accesses to a block, as bits.
// Other blocks have no more room for it: a block without [FreeL2] or [FreeLLC] lies in a cache as
// ever, one with it beside the cache.
type Free uint8

// The causes.
const (
	// FreeL2 and FreeLLC keep what was once in the cache there until another writes it.
	FreeL2 Free = 1 << iota
	FreeLLC
	// FreeCoherence: writes take no copies away. Data that another node has modified come from
	// memory, data that another core of the node has modified from the LLC.
	FreeCoherence
	// FreeLatency: all memories, and the caches of all nodes, answer as the node's own memory does.
	FreeLatency
	// FreeBandwidth: memories and links serve at once.
	FreeBandwidth
)

// Free takes causes away from blocks, one entry of list for each block of the layout, and from all
// structures ([Model.Add]), from now on; nil gives all back. Where blocks share a line in line mode it
// has what any of them has. It is called while the caches are empty: before all accesses, or behind
// [Model.Reset]. It panics for a list of another length. Cost: that of going through the lines of the
// blocks in line mode.
func (m *Model) Free(list []Free, structures Free) {
	s := &m.structures
	if list != nil && len(list) != s.first {
		panic(fmt.Sprintf("cachemodel: Free of %d blocks, expected %d", len(list), s.first))
	}
	if s.free = structures; list != nil {
		list = append(slices.Clip(list), slices.Repeat([]Free{structures}, len(m.blocks)-s.first)...)
	}
	m.freeBlocks = list
	if m.free = list; m.byBlocks || list == nil {
		return
	}
	m.free = make([]Free, len(m.entries)/m.stride)
	for i, f := range list {
		if f != 0 {
			m.freeLines(&m.blocks[i], f)
		}
	}
}

// freeLines takes causes away from the lines of a block.
func (m *Model) freeLines(b *Block, f Free) {
	m.eachRow(b, func(first, count uint64) {
		for u := first; u < first+count; u++ {
			m.free[u] |= f
		}
	})
}

// frees reports whether u does not suffer from a cause.
func (m *Model) frees(u uint32, cause Free) bool { return m.free != nil && m.free[u]&cause != 0 }

// accessFreeLines works like [Model.accessLines], for a block from which causes were taken.
func (m *Model) accessFreeLines(by *requester, b *Block, write bool) {
	l2 := by.l2
	m.eachRow(b, func(first, count uint64) {
		for u := uint32(first); u < uint32(first+count); u++ {
			m.stat.Lines += m.group
			m.victims = m.victims[:0]
			hit := false
			if m.frees(u, FreeL2) {
				hit = m.entry(u)[by.word]&by.bit != 0
			} else {
				set, name := l2.where(u)
				var victim uint64
				if victim, hit = l2.use(set, name); victim != 0 && !m.inclusive {
					m.leaveL2(by, l2.place.lineOf(&l2.place.l2, set, victim))
				}
			}
			if !hit {
				m.miss(by, u, m.group, true, write)
				continue
			}
			m.stat.L2Hits += m.group
			m.fetch.cache.add(m.group, m.l2)
			if write && m.entry(u)[0]&(m.ownerMask|newest) != by.mine {
				m.write(by, u, m.group, true, cost{})
			}
		}
	})
}
