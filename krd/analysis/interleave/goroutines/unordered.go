package goroutines

import (
	"cmp"
	"maps"
	"slices"

	"krdlab/krd/analysis/interleave/engine"
	"krdlab/loi"
)

// Conflicts are accesses of two goroutines to the same data, of which one writes. Where nothing orders
// them, a read of another schedule may read another value, and so go another way than the recorded one.
type Conflicts struct {
	// Unordered: neither operations nor the recorded order of critical sections order them.
	Unordered uint64
	// ByLocks: only the order in which locks were acquired does.
	ByLocks uint64
	// Orphans are those of goroutines of which the trace does not tell who started them: they are in no pair,
	// for that may have ordered them.
	Orphans uint64
	Pairs   []Pair // the most frequent first
}

// A Pair is conflicts of an object and two lines, or functions where the trace does not tell lines. In
// the recorded schedule First comes before Then.
type Pair struct {
	Object      string
	Does        Does
	First, Then loi.KernelID
	Unordered   uint64
	ByLocks     uint64
}

// Does names what the accesses of a conflict do, the first one before the other. An update counts as the read
// that it begins with where it comes behind a write, and as a write otherwise.
type Does string

// The kinds of conflicts.
const (
	WriteRead  Does = "write, read"
	ReadWrite  Does = "read, write"
	WriteWrite Does = "write, write"
)

// clocks are vector clocks: component g of a clock is how far goroutine g had come. An access of a
// goroutine is ordered before all whose clock has its component (Mattern, 1989). Of a unit the last write
// is kept, and each goroutine's last read since, by line (as in FastTrack, Flanagan and Freund, PLDI 2009).
type clocks struct {
	*Program
	memory  *engine.Account
	full    bool
	kinds   int              // of each clock; 1: without that of the order of locks
	taken   float64          // from memory
	workers int32            // operations of higher goroutines are joins
	now     []clock          // of goroutines
	waiting map[int32]*clock // of operations that follow others and have not passed
	spare   []*clock
	locks   []struct{ written, read []uint32 }
	last    []touch   // of units, the last write
	reads   [][]touch // of units, since then: the last of each goroutine and line
	pairs   map[Pair]*Pair
	found   Conflicts

	sections *sections   // nil: conflicts are looked for
	depend   *dependence // nil: these alone
}

// A clock is by operations alone, and with the order of locks.
type clock [2][]uint32

// A touch is an access to a unit.
type touch struct {
	by     int32
	at     uint32 // component of the goroutine; 0: none
	kernel loi.KernelID
	access uint32
}

// Unordered looks for unordered conflicts in the recorded schedule; false if the clocks do not fit into
// memory. Cost: O(goroutines) for each operation that another goroutine follows, O(1) an access, and
// for each of a unit that several goroutines or lines read O(readers); memory: 8 bytes for each pair of
// goroutines of which one follows the other, 40 a unit, 16 a reader of a unit.
func (p *Program) Unordered(memory *engine.Account) (*Conflicts, bool) {
	return p.conflicts(memory, nil)
}

// conflicts is Unordered, with the accesses that depend on them; nil: these are not looked for.
func (p *Program) conflicts(memory *engine.Account, depend *dependence) (*Conflicts, bool) {
	c := newClocks(p, memory, 2)
	if c == nil {
		return nil, false
	}
	defer c.release()
	if !c.has(40 * float64(len(p.sizes))) {
		return nil, false
	}
	c.depend = depend
	c.last, c.reads, c.pairs = make([]touch, len(p.sizes)), make([][]touch, len(p.sizes)), map[Pair]*Pair{}
	r := newRunner(p)
	r.clocks = c
	r.run(p.recorded)
	for _, x := range slices.SortedFunc(maps.Values(c.pairs), func(a, b *Pair) int {
		return cmp.Or(cmp.Compare(b.Unordered, a.Unordered), cmp.Compare(b.ByLocks, a.ByLocks),
			cmp.Compare(a.Object, b.Object), cmp.Compare(a.First, b.First), cmp.Compare(a.Then, b.Then),
			cmp.Compare(a.Does, b.Does))
	}) {
		c.found.Pairs = append(c.found.Pairs, *x)
	}
	return &c.found, !c.full
}

// newClocks returns the clocks at the begin of a program; nil if they do not fit into memory.
func newClocks(p *Program, memory *engine.Account, kinds int) *clocks {
	workers := int32(p.workers)
	c := &clocks{Program: p, memory: memory, kinds: kinds, workers: workers, waiting: map[int32]*clock{}}
	if !c.has(100 * float64(workers)) {
		c.release()
		return nil
	}
	c.now, c.locks = make([]clock, workers), make([]struct{ written, read []uint32 }, p.locks)
	for g := range c.now {
		c.tick(int32(g))
	}
	return c
}

// has takes memory, and reports whether there is so much.
func (c *clocks) has(bytes float64) bool {
	c.taken += bytes
	return c.memory.Has(bytes)
}

// release gives the memory back.
func (c *clocks) release() { c.memory.Has(-c.taken) }

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
		c.full = !c.has(8 * float64(n))
	}
	if n := len(*to); n < components && !c.full {
		*to = slices.Grow(*to, components-n)[:components]
		clear((*to)[n:])
	}
	return !c.full
}

// tick lets a goroutine go on from what others follow.
func (c *clocks) tick(g int32) {
	for k := range c.kinds {
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
	if c.sections != nil {
		c.sections.acquired(c, g, i)
		return
	}
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
	for k := c.from[i]; k < c.from[i+1] && !c.full; k++ {
		u, now := c.units[k], touch{g, c.now[g][0][g], c.kernels[k], uint32(k)}
		if c.modes[k]&loi.In != 0 {
			if c.depend != nil && c.depend.tainted[u] {
				c.depend.reads(g, k)
			}
			c.meets(g, k, &c.last[u], WriteRead)
		}
		if c.modes[k]&loi.Out == 0 {
			c.reads[u] = c.read(c.reads[u], now)
			continue
		}
		if c.modes[k]&loi.In == 0 {
			c.meets(g, k, &c.last[u], WriteWrite)
		}
		for r := range c.reads[u] {
			c.meets(g, k, &c.reads[u][r], ReadWrite)
		}
		c.last[u], c.reads[u] = now, c.reads[u][:0]
	}
}

// read adds a read to those since the last write.
func (c *clocks) read(list []touch, now touch) []touch {
	for i := range list {
		if list[i].by != now.by || list[i].kernel != now.kernel {
			continue
		}
		switch {
		case c.depend == nil:
			list[i] = now
			return list
		case list[i].at == now.at: // the first of them counts
			return list
		}
	}
	if len(list) == cap(list) {
		c.full = !c.has(16 * float64(len(list)+1))
	}
	return append(list, now)
}

// meets counts access k of goroutine g, which comes behind another one, if no operation orders them.
func (c *clocks) meets(g int32, k int, before *touch, does Does) {
	if before.at == 0 || before.by == g || before.at <= component(c.now[g][0], before.by) {
		return
	}
	if c.orphans[g] || c.orphans[before.by] {
		c.found.Orphans++
		return
	}
	key := Pair{Object: c.Objects[c.objectOf[c.units[k]]], Does: does, First: before.kernel, Then: c.kernels[k]}
	x := c.pairs[key]
	if x == nil {
		x = &Pair{Object: key.Object, Does: does, First: key.First, Then: key.Then}
		c.pairs[key] = x
	}
	if before.at > component(c.now[g][1], before.by) {
		x.Unordered++
		c.found.Unordered++
		if c.depend != nil {
			c.depends(g, k, before, does)
		}
	} else {
		x.ByLocks++
		c.found.ByLocks++
	}
}

// depends notes what an unordered conflict decides on.
func (c *clocks) depends(g int32, k int, before *touch, does Does) {
	switch {
	case does == WriteRead:
		c.depend.reads(g, k)
	case does == ReadWrite:
		c.depend.reads(before.by, int(before.access))
	default:
		c.depend.tainted[c.units[k]] = true
	}
}

func component(of []uint32, g int32) uint32 {
	if int(g) < len(of) {
		return of[g]
	}
	return 0
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
		if x.why == derived && c.sections == nil {
			continue // no operation orders them
		}
		to := c.wait(x.to)
		for k := range c.kinds {
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
		for k := range c.kinds {
			c.join(&c.now[g][k], w[k])
		}
		c.drop(i)
	}
	if c.sections != nil {
		if c.gives[i] != 0 {
			c.tick(g)
			c.sections.released(c, g, i)
		}
		return
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
