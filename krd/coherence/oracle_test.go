package coherence

import (
	"fmt"
	"slices"
)

// oracle simulates, byte by byte, an invalidating LRU cache of every size from 0 to the sum of the
// unit's sizes on every node.
type oracle struct {
	nodes, total int
	first        []int   // by unit: its first byte; one more at the end
	held         []uint8 // by node and size: how many bytes the cache holds
	// by node and size: total bytes of room, those held first, the most recent first
	list []uint8
	seen []bool // by node and unit
}

func newOracle(nodes int, sizes []uint64) *oracle {
	o := &oracle{nodes: nodes, first: []int{0}, seen: make([]bool, nodes*len(sizes))}
	for _, s := range sizes {
		o.total += int(s)
		o.first = append(o.first, o.total)
	}
	o.held = make([]uint8, nodes*(o.total+1))
	o.list = make([]uint8, len(o.held)*o.total)
	return o
}

func (o *oracle) copyFrom(p *oracle) {
	copy(o.held, p.held)
	copy(o.list, p.list)
	copy(o.seen, p.seen)
}

// cache returns what the cache of c bytes holds, the most recent first, with room for one more byte
// if the cache has any.
func (o *oracle) cache(node, c int) []uint8 {
	i := node*(o.total+1) + c
	return o.list[i*o.total:][:o.held[i]:o.total]
}

func (o *oracle) set(node, c int, held []uint8) {
	i := node*(o.total+1) + c
	o.held[i] = uint8(len(held))
	copy(o.list[i*o.total:], held)
}

// access returns the smallest cache size that hits, -1 if none does, and the kind. The bytes of the
// unit are touched in ascending order, or in descending. An error is a violation of inclusion: a
// cache that hits and a larger one that does not.
func (o *oracle) access(node int, unit uint32, write, descending bool) (smallest int, kind Kind,
	err error) {
	from, to := o.first[unit], o.first[unit+1]
	smallest = -1
	for c := range o.total + 1 {
		held := o.cache(node, c)
		hit := true
		for b := from; b < to; b++ {
			hit = hit && slices.Contains(held, uint8(b))
		}
		if hit && smallest < 0 {
			smallest = c
		}
		if !hit && smallest >= 0 {
			return 0, 0, fmt.Errorf("the cache of %d bytes hits and that of %d does not", smallest,
				c)
		}
		for i := range to - from {
			b := uint8(from + i)
			if descending {
				b = uint8(to - 1 - i)
			}
			held = touch(held, b, c)
		}
		o.set(node, c, held)
	}
	if smallest < 0 {
		kind = Cold
		if o.seen[node*(len(o.first)-1)+int(unit)] {
			kind = Invalidated
		}
	}
	o.seen[node*(len(o.first)-1)+int(unit)] = true
	for other := range o.nodes {
		if !write || other == node {
			continue
		}
		for c := range o.total + 1 {
			o.set(other, c, slices.DeleteFunc(o.cache(other, c),
				func(b uint8) bool { return from <= int(b) && int(b) < to }))
		}
	}
	return smallest, kind, nil
}

// touch is the access to one byte in an LRU cache of c bytes.
func touch(held []uint8, b uint8, c int) []uint8 {
	if c == 0 {
		return held
	}
	at := slices.Index(held, b)
	if at < 0 {
		if len(held) == c {
			held = held[:c-1]
		}
		at = len(held)
		held = append(held, b)
	}
	copy(held[1:at+1], held[:at])
	held[0] = b
	return held
}

// included reports whether every cache of the node holds what the next smaller one does.
func (o *oracle) included(node int) bool {
	for c := range o.total {
		larger := o.cache(node, c+1)
		for _, b := range o.cache(node, c) {
			if !slices.Contains(larger, b) {
				return false
			}
		}
	}
	return true
}

// fillRule selects how a model fills holes.
type fillRule int

const (
	topmost  fillRule = iota // fill the topmost
	oldest                   // fill the oldest: the lowest of those above the unit's old place
	deletion                 // have none: take out what is invalidated
)

// model is the stack of the package comment as a plain list of units and holes, with the rejected
// rules too.
type model struct {
	rule   fillRule
	stacks [][]place // by node; top first
	seen   []map[uint32]bool
}

type place struct {
	unit  uint32
	hole  bool
	bytes uint64
}

func newModel(nodes int, rule fillRule) *model {
	m := &model{rule: rule, stacks: make([][]place, nodes)}
	for range nodes {
		m.seen = append(m.seen, map[uint32]bool{})
	}
	return m
}

func (m *model) access(node int, unit uint32, bytes uint64, write bool) (distance uint64,
	kind Kind) {
	st := m.stacks[node]
	at := slices.IndexFunc(st, func(p place) bool { return !p.hole && p.unit == unit })
	switch {
	case at >= 0:
		for _, p := range st[:at] {
			distance += p.bytes
		}
	case m.seen[node][unit]:
		distance, kind = 1<<64-1, Invalidated
	default:
		distance, kind = 1<<64-1, Cold
	}
	m.seen[node][unit] = true
	above, below := st, []place(nil)
	if at >= 0 {
		above, below = st[:at], st[at+1:]
	}
	above = slices.Clone(above)
	var filled uint64
	for n := range above {
		i := n
		if m.rule == oldest {
			i = len(above) - 1 - n
		}
		if p := &above[i]; p.hole {
			take := min(p.bytes, bytes-filled)
			p.bytes -= take
			filled += take
		}
	}
	st = append([]place{{unit: unit, bytes: bytes}}, above...)
	if at >= 0 {
		st = append(st, place{hole: true, bytes: filled})
	}
	st = append(st, below...)
	m.stacks[node] = slices.DeleteFunc(st, func(p place) bool { return p.hole && p.bytes == 0 })
	for other, st := range m.stacks {
		if !write || other == node {
			continue
		}
		for i := range st {
			if !st[i].hole && st[i].unit == unit {
				st[i].hole = true
			}
		}
		if m.rule == deletion {
			m.stacks[other] = slices.DeleteFunc(st, func(p place) bool { return p.hole })
		}
	}
	return distance, kind
}
