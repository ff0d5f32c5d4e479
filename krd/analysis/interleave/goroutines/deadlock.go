package goroutines

import "slices"

// place is where a goroutine stands.
type place struct {
	operation int32 // that it has not passed
	come      bool  // it has come to it; otherwise it waits for the lock of the piece before
	ended     bool
	lives     bool  // it could go on if nothing were kept
	by        []int // goroutines that it waits for, all of them
}

// deadlocked reports whether goroutines of a schedule that got stuck would wait for each other even if
// nothing were kept as recorded. A goroutine that waits for what is kept could go on otherwise, and with it
// those that wait for it. Cost: O(operations and edges).
func (r *runner) deadlocked() bool {
	places := make([]place, len(r.first)-1)
	for g := range places {
		places[g].ended = true
	}
	for _, i := range r.ready {
		places[r.of[i]] = place{operation: i}
	}
	for i, parked := range r.parked {
		if parked {
			places[r.of[i]] = place{operation: int32(i), come: true}
		}
	}
	writer, readers := make([]int, r.locks), make([][]int, r.locks)
	for n := range writer {
		writer[n] = -1
	}
	for g := range places {
		r.holds(g, &places[g], writer, readers)
	}
	for _, e := range r.edges {
		o, to := int32(e.by/2), &places[r.of[e.to]]
		if e.why != ofGo || !to.come || to.operation != e.to {
			continue
		}
		by := int(r.of[o])
		if x := &places[by]; !x.ended && (x.operation < o || x.operation == o && (e.by == done(o) || !x.come)) {
			to.by = append(to.by, by)
		}
	}
	for g := range places {
		x := &places[g]
		i := x.operation
		if x.come {
			i++
		}
		if x.ended || i == r.first[g+1] {
			continue
		}
		a := r.takes[i]
		if a == 0 || !r.paired[max(a, -a)-1] {
			continue
		}
		if w := writer[max(a, -a)-1]; w >= 0 {
			x.by = append(x.by, w)
		}
		if a > 0 {
			x.by = append(x.by, readers[a-1]...)
		}
	}
	for more := true; more; {
		more = false
		for g := range places {
			if x := &places[g]; !x.ended && !x.lives &&
				!slices.ContainsFunc(x.by, func(by int) bool { return !places[by].lives }) {
				x.lives, more = true, true
			}
		}
	}
	for g := range places {
		if !places[g].ended && !places[g].lives {
			return true
		}
	}
	return false
}

// holds adds the locks that a goroutine holds, of those that are released by who holds them.
func (r *runner) holds(g int, x *place, writer []int, readers [][]int) {
	if x.ended {
		return
	}
	held := map[access]int{}
	for i := r.first[g]; i <= x.operation; i++ {
		if i < x.operation || x.come {
			held[r.takes[i]]++
		}
		if i < x.operation {
			held[r.gives[i]]--
		}
	}
	for a, n := range held {
		switch {
		case a == 0 || n <= 0:
		case a > 0:
			writer[a-1] = g
		default:
			readers[-a-1] = append(readers[-a-1], g)
		}
	}
}
