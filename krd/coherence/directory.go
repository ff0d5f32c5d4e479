package coherence

import "math/bits"

// A directory lists the nodes that hold each unit. Up to 64 nodes are a mask; beyond, the holders
// are listed, so that memory grows with the copies there are and not with the product of units and
// nodes.
type directory struct {
	mask []uint64   // by unit
	list [][]uint32 // by unit, in no order; instead of mask
	wide bool       // list is used
}

func newDirectory(nodes int) directory { return directory{wide: nodes > 64} }

// add notes that node, which did not hold the unit, holds it now.
func (d *directory) add(unit uint32, node int) {
	if d.wide {
		d.list = reach(d.list, unit)
		d.list[unit] = append(d.list[unit], uint32(node))
		return
	}
	d.mask = reach(d.mask, unit)
	d.mask[unit] |= 1 << node
}

// removeOther takes one holder other than node off the unit, if there is any.
func (d *directory) removeOther(unit uint32, node int) (other int, ok bool) {
	if !d.wide {
		if int(unit) >= len(d.mask) {
			return 0, false
		}
		others := d.mask[unit] &^ (1 << node)
		if others == 0 {
			return 0, false
		}
		other = bits.TrailingZeros64(others)
		d.mask[unit] &^= 1 << other
		return other, true
	}
	if int(unit) >= len(d.list) {
		return 0, false
	}
	holders := d.list[unit]
	for len(holders) > 0 {
		last := len(holders) - 1
		other = int(holders[last])
		holders = holders[:last]
		if other != node {
			d.list[unit] = holders
			return other, true
		}
	}
	d.list[unit] = holders
	return 0, false
}

// only notes that node holds the unit, when removeOther has found no other.
func (d *directory) only(unit uint32, node int) {
	if d.wide {
		d.list = reach(d.list, unit)
		d.list[unit] = append(d.list[unit][:0], uint32(node))
		return
	}
	d.mask = reach(d.mask, unit)
	d.mask[unit] = 1 << node
}

// reach returns s with an element for the unit.
func reach[E any](s []E, unit uint32) []E {
	if int(unit) < len(s) {
		return s
	}
	return append(s, make([]E, int(unit)+1-len(s))...)
}
