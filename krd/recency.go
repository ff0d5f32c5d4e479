package krd

import "math/bits"

// A recency is the distances of the accesses to lines since it was reset: how many other lines were
// accessed since the last access to the same, and when that was. The last lines stand in front; the others have a time
// each, and a Fenwick tree counts the times that are later than one. An access takes O(1) in front
// and O(log n) otherwise, n the lines since the reset; memory 32 bytes for each line of the most.
type recency struct {
	front  [frontLines]recent
	fronts int
	table  []recencyEntry // open addressing, a power of two
	round  uint32         // entries of others are empty
	known  int            // lines since the reset
	tree   []uint32       // of times, from 1
	by     []uint64       // the line of a time
	now    int
	live   int // times that stand for a line
}

type recencyEntry struct {
	line  uint64
	when  uint64 // of the last access, once it is not in front
	round uint32
	at    uint32 // 0: in front
}

// A recent is a line in front, and when it was accessed last.
type recent struct{ line, when uint64 }

const frontLines = 8

// reset forgets all lines. It takes time in proportion to those since the last reset.
func (r *recency) reset() {
	clear(r.tree[:min(len(r.tree), r.now+1)])
	for i := max(r.now, 1); i < len(r.tree); i += i & -i { // sums of ranges that end later
		r.tree[i] = 0
	}
	r.round++
	if r.round == 0 {
		clear(r.table)
		r.round = 1
	}
	r.fronts, r.known, r.now, r.live = 0, 0, 0, 0
}

// access takes an access to a line at a time, which ascends. It returns how many other lines were
// accessed since the last one, or, of a first one, since the reset; and when the last one was.
func (r *recency) access(line, now uint64) (between int, when uint64, first bool) {
	for i := range r.fronts {
		if r.front[i].line == line {
			when = r.front[i].when
			copy(r.front[1:i+1], r.front[:i])
			r.front[0] = recent{line, now}
			return i, when, false
		}
	}
	if 2*(r.known+1) > len(r.table) {
		r.grow()
	}
	e := r.find(line)
	if first = e.round != r.round; first {
		between = r.known
		*e = recencyEntry{line: line, round: r.round}
		r.known++
	} else {
		between, when = r.fronts+r.live-r.until(int(e.at)), e.when
		r.add(int(e.at), ^uint32(0))
		r.live--
		e.at = 0
	}
	if r.fronts == frontLines {
		r.push(r.front[frontLines-1])
		r.fronts--
	}
	copy(r.front[1:r.fronts+1], r.front[:r.fronts])
	r.front[0] = recent{line, now}
	r.fronts++
	return between, when, first
}

// push gives a line that was in front the next time.
func (r *recency) push(last recent) {
	if r.now+1 >= len(r.tree) {
		r.compact()
	}
	r.now++
	r.add(r.now, 1)
	r.live++
	r.by[r.now] = last.line
	e := r.find(last.line)
	e.at, e.when = uint32(r.now), last.when
}

// compact numbers the times that stand for a line anew, and makes room for as many.
func (r *recency) compact() {
	size := max(1<<10, 1<<bits.Len(uint(4*r.live)))
	by := make([]uint64, size)
	n := 0
	for t := 1; t <= r.now; t++ {
		if e := r.find(r.by[t]); e.round == r.round && e.at == uint32(t) {
			n++
			by[n] = r.by[t]
			e.at = uint32(n)
		}
	}
	r.by, r.now = by, n
	r.tree = make([]uint32, size)
	for t := 1; t <= n; t++ {
		r.tree[t]++
		if up := t + t&-t; up < size {
			r.tree[up] += r.tree[t]
		}
	}
	for t := n + 1; t < size; t++ { // sums of ranges that end beyond n
		if up := t + t&-t; up < size {
			r.tree[up] += r.tree[t]
		}
	}
}

func (r *recency) add(t int, n uint32) {
	for ; t < len(r.tree); t += t & -t {
		r.tree[t] += n
	}
}

// until returns how many times up to t stand for a line.
func (r *recency) until(t int) (n int) {
	for ; t > 0; t &= t - 1 {
		n += int(r.tree[t])
	}
	return n
}

func (r *recency) find(line uint64) *recencyEntry {
	mask := uint64(len(r.table) - 1)
	for i := line * 0x9e3779b97f4a7c15 >> 20; ; i++ {
		e := &r.table[i&mask]
		if e.round != r.round || e.line == line {
			return e
		}
	}
}

func (r *recency) grow() {
	old := r.table
	r.table = make([]recencyEntry, max(1<<12, 2*len(old)))
	if r.round == 0 {
		r.round = 1
	}
	for _, e := range old {
		if e.round == r.round {
			*r.find(e.line) = e
		}
	}
}
