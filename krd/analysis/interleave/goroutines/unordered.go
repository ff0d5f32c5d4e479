package goroutines

import (
	"cmp"
	"maps"
	"slices"

	"krdlab/krd/analysis/interleave/engine"
	"krdlab/loi"
)

// Reads are those of data that another goroutine wrote last. Where nothing orders the write before the
// read, another schedule may read another value, and so go another way than the recorded one.
type Reads struct {
	// Unordered: neither operations nor the recorded order of critical sections order the write.
	Unordered uint64
	// ByLocks: only the order in which locks were acquired does.
	ByLocks uint64
	Pairs   []Pair // the most frequent first
}

// A Pair is reads and the writes before them, of an object and two lines, or functions where the trace
// does not tell lines.
type Pair struct {
	Object      string
	Write, Read loi.KernelID
	Unordered   uint64
	ByLocks     uint64
}

// clocks are vector clocks: component g of a clock is how far goroutine g had come. An access of a
// goroutine is ordered before all whose clock has its component (Mattern, 1989; the last write alone
// is kept of a unit, as in FastTrack, Flanagan and Freund, PLDI 2009).
type clocks struct {
	*Program
	memory  *engine.Account
	full    bool
	workers int32            // operations of higher goroutines are joins
	now     []clock          // of goroutines
	waiting map[int32]*clock // of operations that follow others and have not passed
	spare   []*clock
	locks   []struct{ written, read []uint32 }
	last    []written // of units
	pairs   map[Pair]*Pair
	reads   Reads
}

// A clock is by operations alone, and with the order of locks.
type clock [2][]uint32

// written is the last write to a unit.
type written struct {
	by     int32
	at     uint32 // component of the goroutine; 0: none
	kernel loi.KernelID
}

// Unordered looks for unordered reads in the recorded schedule; false if the clocks do not fit into
// memory. Cost: O(goroutines) for each operation that another goroutine follows, O(1) an access;
// memory: 8 bytes for each pair of goroutines of which one follows the other, 12 a unit.
func (p *Program) Unordered(memory *engine.Account) (*Reads, bool) {
	workers := int32(p.workers)
	if !memory.Has(12*float64(len(p.sizes)) + 100*float64(workers)) {
		return nil, false
	}
	c := &clocks{Program: p, memory: memory, workers: workers, now: make([]clock, workers), waiting: map[int32]*clock{},
		locks: make([]struct{ written, read []uint32 }, p.locks), last: make([]written, len(p.sizes)),
		pairs: map[Pair]*Pair{}}
	for g := range c.now {
		c.tick(int32(g))
	}
	r := newRunner(p)
	r.clocks = c
	r.run(p.recorded)
	for _, x := range slices.SortedFunc(maps.Values(c.pairs), func(a, b *Pair) int {
		return cmp.Or(cmp.Compare(b.Unordered, a.Unordered), cmp.Compare(b.ByLocks, a.ByLocks),
			cmp.Compare(a.Object, b.Object), cmp.Compare(a.Write, b.Write), cmp.Compare(a.Read, b.Read))
	}) {
		c.reads.Pairs = append(c.reads.Pairs, *x)
	}
	return &c.reads, !c.full
}

// join makes a clock follow another.
func (c *clocks) join(to *[]uint32, from []uint32) {
	if !c.extend(to, len(from)) {
		return
	}
	for g, at := range from {
		(*to)[g] = max((*to)[g], at)
	}
}

// extend makes a clock have so many components; false if memory is full.
func (c *clocks) extend(to *[]uint32, components int) bool {
	if n := components - cap(*to); n > 0 && !c.full {
		c.full = !c.memory.Has(8 * float64(n))
	}
	if n := len(*to); n < components && !c.full {
		*to = slices.Grow(*to, components-n)[:components]
		clear((*to)[n:])
	}
	return !c.full
}

// tick lets a goroutine go on from what others follow.
func (c *clocks) tick(g int32) {
	for k := range c.now[g] {
		if own := &c.now[g][k]; c.extend(own, int(g)+1) {
			(*own)[g]++
		}
	}
}

// wait returns the clock of what an operation follows.
func (c *clocks) wait(i int32) *clock {
	w := c.waiting[i]
	if w == nil {
		w = &clock{}
		if n := len(c.spare); n > 0 {
			w, c.spare = c.spare[n-1], c.spare[:n-1]
		}
		c.waiting[i] = w
	}
	return w
}

// drop takes the clock back.
func (c *clocks) drop(i int32) {
	w := c.waiting[i]
	w[0], w[1] = w[0][:0], w[1][:0]
	c.spare = append(c.spare, w)
	delete(c.waiting, i)
}

// piece takes the accesses of a piece, which begins with a lock or does not.
func (c *clocks) piece(i int32) {
	g := c.of[i]
	switch a := c.takes[i]; {
	case a > 0:
		c.join(&c.now[g][1], c.locks[a-1].written)
		c.join(&c.now[g][1], c.locks[a-1].read)
	case a < 0:
		c.join(&c.now[g][1], c.locks[-a-1].written)
	}
	if c.full {
		return
	}
	for k := c.from[i]; k < c.from[i+1]; k++ {
		w := &c.last[c.units[k]]
		if c.modes[k]&loi.In != 0 && w.at > 0 && w.by != g && w.at > component(c.now[g][0], w.by) {
			c.found(k, w, w.at > component(c.now[g][1], w.by))
		}
		if c.modes[k]&loi.Out != 0 {
			*w = written{g, c.now[g][0][g], c.kernels[k]}
		}
	}
}

func component(of []uint32, g int32) uint32 {
	if int(g) < len(of) {
		return of[g]
	}
	return 0
}

// found counts a read.
func (c *clocks) found(k int, w *written, unordered bool) {
	key := Pair{Object: c.Objects[c.objectOf[c.units[k]]], Write: w.kernel, Read: c.kernels[k]}
	x := c.pairs[key]
	if x == nil {
		x = &Pair{Object: key.Object, Write: key.Write, Read: key.Read}
		c.pairs[key] = x
	}
	if unordered {
		x.Unordered++
		c.reads.Unordered++
	} else {
		x.ByLocks++
		c.reads.ByLocks++
	}
}

// event lets operations follow an event.
func (c *clocks) event(e event) {
	o := int32(e / 2)
	list, g := c.edges[c.after[e]:c.after[e+1]], c.of[o]
	var from *clock
	switch {
	case g < c.workers:
		from = &c.now[g]
	case len(list) > 0:
		from = c.wait(o)
	}
	for _, x := range list {
		to := c.wait(x.to)
		for k := range to {
			c.join(&to[k], from[k])
		}
	}
	switch {
	case g < c.workers && len(list) > 0:
		c.tick(g)
	case g >= c.workers && len(list) > 0:
		c.drop(o)
	}
}

// pass lets a goroutine follow what its operation does, and others what it does to a lock.
func (c *clocks) pass(i int32) {
	g := c.of[i]
	if g >= c.workers {
		return
	}
	if w := c.waiting[i]; w != nil {
		for k := range w {
			c.join(&c.now[g][k], w[k])
		}
		c.drop(i)
	}
	switch a := c.gives[i]; {
	case a > 0:
		c.join(&c.locks[a-1].written, c.now[g][1])
		c.tick(g)
	case a < 0:
		c.join(&c.locks[-a-1].read, c.now[g][1])
		c.tick(g)
	}
}
