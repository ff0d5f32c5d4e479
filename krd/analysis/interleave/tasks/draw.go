package tasks

import (
	"math/bits"
	"math/rand/v2"
)

// A random is a source of random numbers that is its own, so that a run depends on its seed and
// number alone.
type random struct{ *rand.PCG }

func newRandom(seed, run uint64) random { return random{rand.NewPCG(seed, run)} }

// below returns a number less than n.
func (r random) below(n uint64) uint64 {
	hi, _ := bits.Mul64(r.Uint64(), n)
	return hi
}

// A riffler draws orders with equal probabilities, or makes the one of a plan.
type riffler struct {
	*DAG
	random
	plan         *plan // nil: draw
	slots, other []int32
}

func newRiffler(d *DAG, r random) *riffler {
	return &riffler{d, r, nil, make([]int32, d.Vertices()), make([]int32, d.Vertices())}
}

// draw sets the order of s. An order of a parallel node is one of each part and a choice of each
// part's places. All choices are equally likely, independent of the orders. Cost: O(n log n) for n
// vertices in a balanced tree, O(n) for each level.
func (d *riffler) draw(s *Schedule) {
	for i := range d.slots {
		d.slots[i] = int32(i)
	}
	s.Order = s.Order[:d.Vertices()]
	d.place(d.root, d.slots, s.Order)
}

// place puts the vertices of a node into slots of the order, which ascend.
func (d *riffler) place(i int32, slots, order []int32) {
	x := &d.nodes[i]
	switch x.kind {
	case leaf:
		order[slots[0]] = x.at
	case series:
		for _, k := range d.of(x) {
			n := d.nodes[k].size
			d.place(k, slots[:n], order)
			slots = slots[n:]
		}
	case parallel:
		list, how := d.of(x), dealRandom
		if d.plan != nil {
			list, how = d.plan.kids[x.at:x.at+x.n], d.plan.deals[i]
		}
		d.deal(list, how, slots, order)
	}
}

// A dealing is how the places of an order are dealt out to parallel nodes.
type dealing uint8

const (
	dealRandom   dealing = iota
	dealInTurn           // one after the other
	dealSequence         // all to the first, then to the next
)

// deal deals slots out to parallel nodes.
func (d *riffler) deal(list []int32, how dealing, slots, order []int32) {
	if len(list) == 1 {
		d.place(list[0], slots, order)
		return
	}
	half := len(list) / 2
	left := 0
	for _, k := range list[:half] {
		left += int(d.nodes[k].size)
	}
	if how != dealSequence {
		other := d.other[:len(slots)]
		need := uint64(left)
		a, b := 0, 0
		for i, slot := range slots {
			slots[a], other[b] = slot, slot
			take := 0
			if how == dealRandom {
				if d.below(uint64(len(slots)-i)) < need {
					take = 1
				}
			} else {
				take = (i+1)*left/len(slots) - i*left/len(slots)
			}
			need -= uint64(take)
			a += take
			b += 1 - take
		}
		copy(slots[left:], other[:b])
	}
	d.deal(list[:half], how, slots[:left], order)
	d.deal(list[half:], how, slots[left:], order)
}
