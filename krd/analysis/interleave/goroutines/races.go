package goroutines

import (
	"math"
	"slices"

	"krdlab/krd/analysis/interleave/engine"
)

// dependence finds accesses that another schedule may make otherwise.
type dependence struct {
	from    []int  // of a goroutine: its first such access
	tainted []bool // of units: no operation orders two writes, so that any read may read another value
}

// reads takes that access k of a goroutine may read another value: the accesses behind it depend on it.
func (d *dependence) reads(g int32, k int) { d.from[g] = min(d.from[g], k+1) }

// WithoutRaces returns the program without the accesses that depend on unordered conflicts: those behind a
// read that may read another value in another schedule, in its goroutine and in those that operations order
// behind it. Their operations are left in place. False if there is not enough memory. Cost and memory: those
// of [Program.Unordered], and one more reader for each operation between two reads of a line.
func (p *Program) WithoutRaces(memory *engine.Account) (q *Program, ok bool) {
	d := &dependence{from: slices.Repeat([]int{math.MaxInt}, len(p.first)-1), tainted: make([]bool, len(p.sizes))}
	if _, ok := p.conflicts(memory, d); !ok {
		return nil, false
	}
	p.follows(d)
	c := *p
	q = &c
	q.from, q.units, q.copies, q.modes, q.kernels = []int{0}, nil, nil, nil, nil
	for i := range p.of {
		from := p.from[i]
		to := max(from, min(p.from[i+1], d.from[p.of[i]]))
		q.units, q.copies = append(q.units, p.units[from:to]...), append(q.copies, p.copies[from:to]...)
		q.modes, q.kernels = append(q.modes, p.modes[from:to]...), append(q.kernels, p.kernels[from:to]...)
		q.from = append(q.from, len(q.units))
	}
	q.turns = nil
	next := make([]int, p.workers)
	for g := range next {
		next[g] = p.from[p.first[g]]
	}
	for _, x := range p.turns {
		if n := min(int(x.n), max(0, d.from[x.by]-next[x.by])); n > 0 {
			q.turns = append(q.turns, turn{x.by, int32(n)})
		}
		next[x.by] += int(x.n)
	}
	q.LeftOut = len(p.units) - len(q.units)
	q.choose()
	return q, true
}

// follows adds the accesses that operations order behind those that were found.
func (p *Program) follows(d *dependence) {
	depends := slices.Clone(p.first[1:]) // of a goroutine: its operations from here on
	var todo []int32
	from := func(g, i int32) {
		for ; depends[g] > i; depends[g]-- {
			todo = append(todo, depends[g]-1)
		}
	}
	for g := range p.workers {
		for i := p.first[g]; i < p.first[g+1]; i++ {
			if d.from[g] <= p.from[i+1] {
				from(int32(g), i)
				break
			}
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, e := range p.edges[p.after[come(i)]:p.after[done(i)+1]] {
			g := p.of[e.to]
			from(g, e.to)
			d.from[g] = min(d.from[g], p.from[e.to+1])
		}
	}
}
