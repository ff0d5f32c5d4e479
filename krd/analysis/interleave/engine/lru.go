package engine

// An lru finds the distances of one interleaving: in a tree of sums by time, the last access to each
// object is 1 (Fenwick, "A new data structure for cumulative frequency tables", 1994).
type lru struct {
	last []int32 // time of the last access to each object, from 1; 0: none
	sums []int32
	now  int32
	seen int32 // objects
}

func newLRU(objects, steps int) *lru {
	return &lru{last: make([]int32, objects), sums: make([]int32, steps+1)}
}

func (l *lru) reset() {
	clear(l.last)
	clear(l.sums)
	l.now, l.seen = 0, 0
}

// access returns the distance of an access to o: how many objects were accessed since the last one.
// Cost: O(log n) for n steps.
func (l *lru) access(o int32) (distance int32) {
	l.now++
	distance = first
	if at := l.last[o]; at == 0 {
		l.seen++
	} else {
		distance = l.seen
		for i := at; i > 0; i &= i - 1 {
			distance -= l.sums[i]
		}
		l.add(at, -1)
	}
	l.last[o] = l.now
	l.add(l.now, 1)
	return distance
}

func (l *lru) add(at, n int32) {
	for ; int(at) < len(l.sums); at += at & -at {
		l.sums[at] += n
	}
}
