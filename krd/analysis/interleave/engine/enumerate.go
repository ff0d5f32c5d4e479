package engine

import (
	"fmt"
	"math/bits"

	"krdlab/hw/units"
)

// maxEnumerated is how many bits the number of interleavings may have that are enumerated.
const maxEnumerated = 63

// Enumerate returns what [Exact] does, by going through every interleaving: a depth-first search
// with one LRU stack, as the disconpro paper's DisConSym does for programs without values (section
// 3). Errors: as of [Exact]; [ErrLimit] for more than 2^63 interleavings. Cost: some steps for each
// interleaving.
func Enumerate(p *Program, opt Options) (*Result, error) {
	return overInputs(p, opt, "enumeration", func(g *graph, t *totals, memory *Account) error {
		if t.interleavings.BitLen() > maxEnumerated || t.deadlocks.BitLen() > maxEnumerated {
			return fmt.Errorf("%w: %v interleavings and %v that deadlock, expected less than 2^%d to "+
				"enumerate", ErrLimit, t.interleavings, t.deadlocks, maxEnumerated)
		}
		if err := memory.Take(arrangements(len(p.Objects), g.prefixes(memory.allowed))*
			(bytesOfStack+12*float64(len(p.Objects)))+bytesOfCall*float64(p.Steps()),
			"the stacks of %s", units.Count(len(p.Objects), "object")); err != nil {
			return err
		}
		w := walk{g: g, stacks: newStacks(len(p.Objects)), width: len(p.Objects) + 1}
		w.accesses = make([]uint64, w.width*len(p.Objects))
		w.reached, w.largest = make([]uint64, len(w.accesses)), make([]uint64, len(w.accesses))
		w.count = opt.Reached
		if w.count {
			w.have = make([]uint64, (len(w.accesses)+63)/64)
		}
		w.visit(0, 0)
		for k, n := range w.accesses {
			if n == 0 {
				continue
			}
			x, err := t.hits.of(hit{int32(k / w.width), int32(k%w.width + first)}, memory)
			if err != nil {
				return err
			}
			x.accesses.SetUint64(n)
			x.reached.SetUint64(w.reached[k])
			x.largest.SetUint64(w.largest[k])
		}
		return nil
	})
}

// A walk is a search through all interleavings.
type walk struct {
	g                 *graph
	stacks            *stacks
	width             int
	accesses, reached []uint64 // by object and distance + 1
	largest           []uint64
	count             bool     // of interleavings that have each
	have              []uint64 // which the present one has had, a bit each
}

// visit goes on from a node with a stack, and returns how many interleavings end from there.
func (w *walk) visit(at, stack int32) (ends uint64) {
	x := &w.g.nodes[at]
	for i := range x.edges {
		e := &x.edges[i]
		if e.object == none {
			ends += w.visit(e.to, stack)
			continue
		}
		h := w.stacks.access(stack, e.object)
		k := int(e.object)*w.width + int(h.distance) - first
		if !w.count {
			n := w.visit(e.to, h.to)
			w.accesses[k] += n
			ends += n
			continue
		}
		had := w.have[k>>6]
		w.have[k>>6] |= 1 << (k & 63)
		n := w.visit(e.to, h.to)
		w.have[k>>6] = had
		w.accesses[k] += n
		ends += n
	}
	if x.end == done {
		last := -1 // the largest so far of an object
		for i, b := range w.have {
			for ; b != 0; b &= b - 1 {
				k := i<<6 + bits.TrailingZeros64(b)
				if last >= 0 && last/w.width != k/w.width {
					w.largest[last]++
				}
				w.reached[k]++
				last = k
			}
		}
		if last >= 0 {
			w.largest[last]++
		}
		return 1
	}
	return ends
}
