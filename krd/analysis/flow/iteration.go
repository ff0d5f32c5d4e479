package flow

import "krdlab/loi"

// An Iteration is one of a loop, in an iteration of the loop around it; nil is none.
type Iteration struct {
	Parent *Iteration
	Loop   loi.RegionID
	Number int64 // from 0
	Depth  int   // how many are around it

	instance uint64 // which of all loops that were entered
}

// next returns an iteration of a loop that stands in iteration n.
func (n *Iteration) next(loop loi.RegionID, instance uint64, number int64) *Iteration {
	x := &Iteration{Parent: n, Loop: loop, Number: number, instance: instance}
	if n != nil {
		x.Depth = n.Depth + 1
	}
	return x
}

// Carrier returns the loop that carries a dependence of what is in an iteration on what was in
// another: the one that both are in, in other iterations of it; nil: there is none, since both are
// in the same iteration, or in no loop together. Of it, from and to are the two iterations.
func Carrier(w, r *Iteration) (from, to *Iteration) {
	depth := func(n *Iteration) int {
		if n == nil {
			return -1
		}
		return n.Depth
	}
	for depth(w) > depth(r) {
		w = w.Parent
	}
	for depth(r) > depth(w) {
		r = r.Parent
	}
	for w != r && w.instance != r.instance {
		w, r = w.Parent, r.Parent
	}
	if w == r {
		return nil, nil
	}
	return w, r
}

// Decides reports that an operand of a step counts, of which [Carrier] returned the iteration of the
// step. A condition counts in the iteration in which it was evaluated, and in the head of the next
// one of its own loop: what was decided earlier has come through the heads of loops.
func (s *Step) Decides(x *loi.Operand, to *Iteration) bool {
	return !x.Control || to == nil || s.Kind == loi.Head && to == s.At
}
