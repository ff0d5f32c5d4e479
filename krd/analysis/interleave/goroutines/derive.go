package goroutines

import (
	"slices"
	"sort"

	"krdlab/krd/analysis/interleave/engine"
)

// A section is the pieces and operations between an acquisition of a lock and its release.
type section struct {
	lock, unlock int32 // the piece that begins with the lock, the operation that releases it
	in           int   // which goroutine of the lock it is of
	reads        bool
	begun, ended uint32   // components of the goroutine's clock there; 0: not yet
	before       []uint32 // components of the others of the lock where it begins, while it is open
}

// user is the sections of a goroutine and a lock.
type user struct {
	goroutine int32
	of        [2][]int32 // that write, that read, in program order
	begun     [2]int     // so many of them
}

// sections are those of all locks.
type sections struct {
	list  []section
	begin map[int32]int32 // sections by their piece
	end   map[int32]int32 // by their operation
	locks [][]user
	found []edge
	spare [][]uint32
}

// newSections finds the sections of a program, and sets which locks are released by who holds them: others
// have none.
func newSections(p *Program) *sections {
	s := &sections{begin: map[int32]int32{}, end: map[int32]int32{}, locks: make([][]user, p.locks)}
	p.paired = slices.Repeat([]bool{true}, p.locks)
	type hold struct {
		lock   int32 // the piece
		nested int   // read locks
	}
	lockOf := func(a access) access { return max(a, -a) - 1 }
	for g := range int32(p.workers) {
		held := map[access]*hold{}
		for i := p.first[g]; i < p.first[g+1]; i++ {
			if a := p.takes[i]; a != 0 {
				switch h := held[a]; {
				case h == nil && held[-a] == nil:
					held[a] = &hold{lock: i}
				case h != nil && a < 0:
					h.nested++
				default:
					p.paired[lockOf(a)] = false
				}
			}
			a := p.gives[i]
			switch h := held[a]; {
			case a == 0:
			case h == nil:
				p.paired[lockOf(a)] = false
			case h.nested > 0:
				h.nested--
			default:
				s.add(g, a, h.lock, i)
				delete(held, a)
			}
		}
		for a := range held {
			p.paired[lockOf(a)] = false
		}
	}
	for n := range s.locks {
		if !p.paired[n] {
			s.locks[n] = nil
		}
	}
	return s
}

func (s *sections) add(g int32, a access, lock, unlock int32) {
	users, kind := &s.locks[max(a, -a)-1], 0
	if a < 0 {
		kind = 1
	}
	if n := len(*users); n == 0 || (*users)[n-1].goroutine != g {
		*users = append(*users, user{goroutine: g})
	}
	in := len(*users) - 1
	n := int32(len(s.list))
	(*users)[in].of[kind] = append((*users)[in].of[kind], n)
	s.begin[lock], s.end[unlock] = n, n
	s.list = append(s.list, section{lock: lock, unlock: unlock, in: in, reads: a < 0})
}

// derive adds edges that follow from the exclusion of critical sections: where one of two sections of a lock
// cannot end before the other begins, it comes second as a whole. A schedule that does otherwise cannot end
// with the orders that are kept as recorded. Edges that follow from Go's rules alone are left out: a
// schedule that does otherwise ends in a deadlock of the program. The order is one of all pieces. Cost: a few
// times that of a schedule with clocks, and for each section O(goroutines that use its lock). Memory: as in
// [Program.Unordered]; where there is not enough, fewer edges are added.
func (p *Program) derive(order []int32, memory *engine.Account) {
	s := newSections(p)
	if !slices.ContainsFunc(s.locks, func(u []user) bool { return len(u) > 1 }) ||
		!slices.ContainsFunc(p.edges, func(e edge) bool { return e.why == asKept }) {
		return
	}
	certain, all := *p, *p
	certain.edges = slices.DeleteFunc(slices.Clone(p.edges), func(e edge) bool { return e.why == asKept })
	byGo := s.close(&certain, order, memory)
	all.edges = append(slices.Clone(p.edges), byGo...)
	p.edges = append(p.edges, s.close(&all, order, memory)...)
	p.link()
}

// close adds edges to the program until none can be derived, and returns them.
func (s *sections) close(p *Program, order []int32, memory *engine.Account) (all []edge) {
	for {
		p.link()
		c := newClocks(p, memory, 1)
		if c == nil {
			return all
		}
		s.found, c.sections = s.found[:0], s
		for _, users := range s.locks {
			for u := range users {
				users[u].begun = [2]int{}
			}
		}
		for i := range s.list {
			s.list[i].begun, s.list[i].ended = 0, 0
		}
		r := newRunner(p)
		r.clocks = c
		ended := r.run(func(r *runner) int { return slices.Index(r.enabled, order[len(r.order)]) })
		c.release()
		if len(s.found) == 0 || !ended || c.full {
			return all
		}
		all, p.edges = append(all, s.found...), append(p.edges, s.found...)
	}
}

// acquired takes the begin of a piece that begins with a lock.
func (s *sections) acquired(c *clocks, g, piece int32) {
	n, ok := s.begin[piece]
	if !ok {
		return
	}
	x, kind := &s.list[n], 0
	if x.reads {
		kind = 1
	}
	users := s.locks[max(c.takes[piece], -c.takes[piece])-1]
	if users == nil {
		return
	}
	users[x.in].begun[kind]++
	x.begun = c.now[g][0][g]
	if n := len(s.spare); n > 0 {
		x.before, s.spare = s.spare[n-1][:0], s.spare[:n-1]
	}
	for u := range users {
		x.before = append(x.before, component(c.now[g][0], users[u].goroutine))
	}
}

// released takes the end of a section: those of others that began before it end before it begins.
func (s *sections) released(c *clocks, g, operation int32) {
	n, ok := s.end[operation]
	if !ok || s.list[n].begun == 0 {
		return
	}
	x := &s.list[n]
	x.ended = c.now[g][0][g]
	users := s.locks[max(c.gives[operation], -c.gives[operation])-1]
	for u := range users {
		y := &users[u]
		if u == x.in {
			continue
		}
		at := component(c.now[g][0], y.goroutine)
		for kind := range y.of {
			if kind == 1 && x.reads {
				continue
			}
			// the last of them that began
			k := sort.Search(y.begun[kind], func(k int) bool { return s.list[y.of[kind][k]].begun > at }) - 1
			if k < 0 {
				continue
			}
			if z := &s.list[y.of[kind][k]]; z.ended > 0 && x.before[u] < z.ended {
				s.found = append(s.found, edge{done(z.unlock), x.lock - 1, derived})
			}
		}
	}
	s.spare, x.before = append(s.spare, x.before), nil
}
