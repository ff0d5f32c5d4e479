package dependences

import (
	"encoding/binary"

	"krdlab/krd/analysis/flow"
	"krdlab/loi"
)

// distance returns how many iterations are between what is in iteration w and what is in r, for the
// carrier and the loops in it, the outermost first, as far as both are in the same in the source.
func distance(w, r, from, to *flow.Iteration) []int64 {
	path := func(n, up *flow.Iteration) (list []*flow.Iteration) {
		for ; n != up; n = n.Parent {
			list = append(list, n)
		}
		return list
	}
	vector := []int64{to.Number - from.Number}
	a, b := path(w, from), path(r, to)
	for i := 1; i <= len(a) && i <= len(b); i++ {
		x, y := a[len(a)-i], b[len(b)-i]
		if x.Loop != y.Loop {
			break
		}
		vector = append(vector, y.Number-x.Number)
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
