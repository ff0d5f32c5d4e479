package flow

import "krdlab/loi"

// An Iteration is one of a loop, in an iteration of the loop around it; nil is none.
type Iteration struct {
	Parent  *Iteration
	Context *Context
	Number  int64 // from 0

	instance uint64 // which of all loops that were entered
}

// A Context is a loop of the source in those around it, as they are executed: in a function that is
// called in loops there are several. nil: in none.
type Context struct {
	Parent *Context
	Loop   loi.RegionID
	Depth  int // how many are around it

	within map[loi.RegionID]*Context
}

// Loops returns how many loops there are, with this one.
func (c *Context) Loops() int {
	if c == nil {
		return 0
	}
	return c.Depth + 1
}

// In returns the context of an iteration; nil of none.
func (n *Iteration) In() *Context {
	if n == nil {
		return nil
	}
	return n.Context
}

// inner returns the context of a loop that stands in iteration n; outermost has those of the loops
// that stand in none.
func (n *Iteration) inner(outermost map[loi.RegionID]*Context, loop loi.RegionID) *Context {
	up := n.In()
	list := outermost
	if up != nil {
		list = up.within
	}
	c := list[loop]
	if c == nil {
		c = &Context{Parent: up, Loop: loop, Depth: up.Loops(), within: map[loi.RegionID]*Context{}}
		list[loop] = c
	}
	return c
}

// Follows reports that an iteration is the next one of a loop after another.
func (n *Iteration) Follows(m *Iteration) bool {
	return m != nil && m.Context == n.Context && m.instance == n.instance && m.Number+1 == n.Number
}

// Common compares two iterations: they are in the same iterations of so many loops, from the
// outermost on; and in others, from and to, of one more, which was entered once for both. nil: of
// no other. That loop carries the dependences between them.
func Common(w, r *Iteration) (same int, from, to *Iteration) {
	a, b := w.In().Loops(), r.In().Loops()
	for ; a > b; a-- {
		w = w.Parent
	}
	for ; b > a; b-- {
		r = r.Parent
	}
	for w != r && w.instance != r.instance {
		w, r, a = w.Parent, r.Parent, a-1
	}
	if w == r {
		return a, nil, nil
	}
	return a - 1, w, r
}

// Carrier returns the iterations of the loop that carries a dependence of one iteration on another:
// see [Common].
func Carrier(w, r *Iteration) (from, to *Iteration) {
	_, from, to = Common(w, r)
	return from, to
}

// Decides reports whether an operand of a step counts; [Carrier] returned the iteration of the step
// for it. A condition counts in the iteration in which it was evaluated, and in the head of the
// next one of its own loop: earlier decisions have come through the heads of loops.
func (s *Step) Decides(x *loi.Operand, to *Iteration) bool {
	return !x.Control || to == nil || s.Kind == loi.Head && to == s.At
}
