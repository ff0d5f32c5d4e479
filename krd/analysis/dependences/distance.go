package dependences

import (
	"encoding/binary"

	"krdlab/loi"
)

// A node is an iteration of a loop, in an iteration of the loop around it; nil is none.
type node struct {
	parent    *node
	loop      loi.RegionID
	instance  uint64 // which of all loops that were entered
	iteration int64  // from 0
	depth     int
}

// carrier returns the loop that carries a dependence of what is in an iteration on what was in
// another: the one that both are in, in other iterations of it; nil: there is none, since both are
// in the same iteration, or in no loop together. Of it, from and to are the two iterations.
func carrier(w, r *node) (from, to *node) {
	depth := func(n *node) int {
		if n == nil {
			return -1
		}
		return n.depth
	}
	for depth(w) > depth(r) {
		w = w.parent
	}
	for depth(r) > depth(w) {
		r = r.parent
	}
	for w != r && w.instance != r.instance {
		w, r = w.parent, r.parent
	}
	if w == r {
		return nil, nil
	}
	return w, r
}

// distance returns how many iterations are between what is in iteration w and what is in r, for the
// carrier and the loops in it, the outermost first, as far as both are in the same in the source.
func distance(w, r, from, to *node) []int64 {
	path := func(n, up *node) (list []*node) {
		for ; n != up; n = n.parent {
			list = append(list, n)
		}
		return list
	}
	vector := []int64{to.iteration - from.iteration}
	a, b := path(w, from), path(r, to)
	for i := 1; i <= len(a) && i <= len(b); i++ {
		x, y := a[len(a)-i], b[len(b)-i]
		if x.loop != y.loop {
			break
		}
		vector = append(vector, y.iteration-x.iteration)
	}
	return vector
}

// outer returns how many loops of its function stand around a loop: a vector has as many zeros
// before the distance of that.
func outer(r *loi.Registry, loop loi.RegionID) (n int) {
	for p := r.Regions[loop].Parent; p != loi.NoRegion; p = r.Regions[p].Parent {
		if r.Regions[p].Kind == loi.Loop {
			n++
		}
	}
	return n
}

// packed is a vector as a key of a map.
func packed(vector []int64) string {
	var b []byte
	for _, x := range vector {
		b = binary.AppendVarint(b, x)
	}
	return string(b)
}
