package components

import (
	"cmp"
	"math"
	"slices"
	"strconv"
)

// Shifts are how many bins a component may move when the size of the input doubles: those of
// distances that stay, or grow as its square root, as itself, as its square (virda, 4.3; Ding and
// Zhong, PLDI 2003).
var Shifts = [...]float64{0, 0.5, 1, 2}

// A move is how many bins the first and the last bin of a part move when the size doubles. Where
// they differ, the part gets wider: its distances grow by several laws, with no valley between. Where
// from and to are not 0, the bins from..to get more: those below them move as the first does, those
// above as the last. This is the shape of programs that divide their input: each doubling adds a level.
// Otherwise all bins get wider, by the place of each.
type move struct {
	first, last float64
	from, to    int
}

// shift returns how many bins bin k moves; false: it moves by its place in the bin, or is one of those
// that get more.
func (v *move) shift(k int) (float64, bool) {
	switch {
	case !v.cut():
		return v.first, v.first == v.last
	case k > v.to:
		return v.last, true
	}
	return v.first, k < v.from
}

// cut tells whether the bins from..to get more.
func (v *move) cut() bool { return v.from > 0 }

// moves are those of [Shifts], and then the widening ones.
var moves = func() (list []move) {
	for _, s := range Shifts {
		list = append(list, move{first: s, last: s})
	}
	for i, s := range Shifts {
		for _, t := range Shifts[i+1:] {
			list = append(list, move{first: s, last: t})
		}
	}
	return list
}()

// growsAs returns the law of a shift.
func growsAs(shift float64) string {
	switch shift {
	case 0:
		return "fixed"
	case 0.5:
		return "n^(1/2)"
	case 1:
		return "n"
	}
	return "n^" + strconv.FormatFloat(shift, 'f', -1, 64)
}

const (
	// stay is the share of accesses that it must explain to move a component by a bin rather than
	// leave it where it is, and widen that to widen it.
	stay  = 0.0005
	widen = 0.1
	// and that to have it get more bins, in a range whose highest bin is at most level times its lowest
	lengthen = 0.005
	level    = 1.5
	// a part of fewer bins moves as a whole
	leastWide = 3
)

// A shape is the signature of the largest input in parts, and how each moves.
type shape struct {
	p       *[Bins]float64
	parts   []part
	valleys []valley
	moves   []move // of each part
}

func newShape(p *[Bins]float64) *shape {
	s := &shape{p: p}
	s.parts, s.valleys = split(p)
	s.moves = make([]move, len(s.parts))
	return s
}

// spread adds a share to m that is spread evenly over the bins from a to b, k-1/2 to k+1/2 being
// those of bin k. Shares below the first bin count in it, and so with the last.
func spread(m *[Bins]float64, a, b, share float64) {
	const last = Bins - 1
	a, b = min(a, b), max(a, b)
	if r := math.Round(a); math.Abs(a-r) < 1e-9 && b-a < 1e-9 { // a point between two bins
		a, b = r, r
	}
	low, high := math.Floor(a+0.5+1e-9), math.Floor(b+0.5-1e-9)
	if high <= low {
		m[int(min(last, max(0, low)))] += share
		return
	}
	for k := low; k <= high; k++ {
		part := min(b, k+0.5) - max(a, k-0.5)
		m[int(min(last, max(0, k)))] += share * part / (b - a)
	}
}

// to returns the ends of bin k of part i for an input that is 2^r times as large.
func (s *shape) to(i, k int, r float64) (a, b float64) {
	x, v := &s.parts[i], &s.moves[i]
	shift, whole := v.shift(k)
	at := func(u float64) float64 {
		d := shift
		if !whole {
			t := (u - float64(x.low) + 0.5) / float64(x.high-x.low+1)
			d += (v.last - v.first) * min(1, max(0, t))
		}
		return u + d*r
	}
	return at(float64(k) - 0.5), at(float64(k) + 0.5)
}

// part adds part i of p to m, for an input that is 2^r times as large.
func (s *shape) part(m *[Bins]float64, p *[Bins]float64, i int, r float64) {
	v := &s.moves[i]
	for k := s.parts[i].from; k <= s.parts[i].to; k++ {
		if p[k] > 0 && !v.between(k) {
			a, b := s.to(i, k, r)
			spread(m, a, b, p[k])
		}
	}
	if !v.cut() {
		return
	}
	// as many bins as there is room for, between levels that are those of the bins there now
	from, room := float64(v.from)-0.5+v.first*r, float64(v.to-v.from+1)+(v.last-v.first)*r
	n := math.Ceil(room - 1e-9)
	for j := range int(max(0, n)) {
		at := float64(v.from-1) + (float64(j)+1)/(n+1)*float64(v.to-v.from+2)
		k := int(at)
		share := (1-(at-float64(k)))*p[k] + (at-float64(k))*p[k+1]
		spread(m, from+float64(j)*room/n, from+float64(j+1)*room/n, share*room/n)
	}
}

// between tells whether bin k is one of those that get more.
func (v *move) between(k int) bool { return v.cut() && k >= v.from && k <= v.to }

// cuts returns the moves by which part i gets more bins. In the smallest input, most doublings smaller,
// all of them are still there, or just gone.
func (s *shape) cuts(i int, most float64) (list []move) {
	x := &s.parts[i]
	for _, v := range moves[len(Shifts):] {
		n := int(math.Ceil((v.last-v.first)*most - 1e-9))
		for from := max(1, x.low+1); from+n <= x.high; from++ {
			low, high := s.p[from-1], s.p[from-1]
			for k := from; k <= from+n; k++ {
				low, high = min(low, s.p[k]), max(high, s.p[k])
			}
			if low >= LeastShare && high <= level*low {
				list = append(list, move{v.first, v.last, from, from + n - 1})
			}
		}
	}
	return list
}

// valley adds valley i likewise, its shares times so much. One between parts that move alike moves
// with them; another gets wider or narrower at its lowest bin, and its sides stay with the parts.
func (s *shape) valley(m *[Bins]float64, p *[Bins]float64, i int, r, times float64) {
	v, a, b := s.valleys[i], s.moves[i].last*r, s.moves[i+1].first*r
	if a == b {
		for k := v.from; k <= v.to; k++ {
			if p[k] > 0 {
				spread(m, float64(k)-0.5+a, float64(k)+0.5+a, p[k])
			}
		}
		return
	}
	from, to := math.Ceil(float64(v.from)+a-1e-9), math.Floor(float64(v.to)+b+1e-9)
	low := float64(v.lowest)
	side := func(at, from, to float64) float64 { // of p, +Inf outside
		if at < from || at > to {
			return math.Inf(1)
		}
		k := int(at)
		rest := at - float64(k)
		return (1-rest)*p[k] + rest*p[min(k+1, int(to))]
	}
	for x := max(0, from); x <= min(Bins-1, to); x++ {
		share := min(side(x-a, float64(v.from), low), side(x-b, low, float64(v.to)))
		if math.IsInf(share, 1) {
			share = p[v.lowest]
		}
		m[int(x)] += times * share
	}
}

// moved returns the signature with shares p for an input that is 2^r times as large, the shares of
// each valley times so much; nil: as they are.
func (s *shape) moved(p *[Bins]float64, times []float64, r float64) (m [Bins]float64) {
	for i := range s.parts {
		s.part(&m, p, i, r)
	}
	for i := range s.valleys {
		if times == nil {
			s.valley(&m, p, i, r, 1)
		} else {
			s.valley(&m, p, i, r, times[i])
		}
	}
	return m
}

// apart returns half the sum of differences of two signatures: of the same sum, the share of accesses
// that are elsewhere.
func apart(a, b *[Bins]float64) float64 { return (excess(a, b) + excess(b, a)) / 2 }

// excess returns the share of m where q has less.
func excess(m, q *[Bins]float64) (sum float64) {
	for k := range m {
		if d := m[k] - q[k]; d > 0 {
			sum += d
		}
	}
	return sum
}

func sum(a *[Bins]float64) (all float64) {
	for _, v := range a {
		all += v
	}
	return all
}

// scaled returns m with another sum, if it has any.
func scaled(m *[Bins]float64, to float64) *[Bins]float64 {
	x, all := *m, sum(m)
	for k := range x {
		x[k] *= to / max(all, math.SmallestNonzeroFloat64)
	}
	return &x
}

// budget is how many moves of parts are tried before the best that was found has to do.
const budget = 1 << 12

// A chosen is a move of a part and what the whole costs with it at least.
type chosen struct {
	cost float64
	move
}

// classify chooses the moves with which the parts of the largest input, moved back, are nearest to
// the signatures of the smaller ones, each 2^rs times as small, in accesses by the power of the
// size that all grow as: least is the sum of how far they are [apart], and of [stay], [widen] and
// [lengthen]. It is a search by branch and bound over the parts, the last first: a part that is added
// makes the [excess] no less, and so the bound below. Cost: some dozens of steps of [Bins] where
// components are apart, at most [budget].
func (s *shape) classify(smaller [][Bins]float64, rs []float64) {
	n := len(s.parts)
	best, least, left := make([]move, n), math.Inf(1), budget
	type state struct {
		m     [][Bins]float64 // moved back so far, for each smaller input
		moved float64         // what moves cost
	}
	states := make([]state, n+1) // behind so many parts
	for i := range states {
		states[i].m = make([][Bins]float64, len(smaller))
	}
	all := sum(s.p)
	add := func(i int, v move) (cost float64) {
		from, to := &states[i+1], &states[i]
		copy(to.m, from.m)
		s.moves[i] = v
		to.moved = from.moved + stay*v.first
		if v.cut() {
			to.moved += lengthen
		} else if v.last != v.first {
			to.moved += widen
		}
		cost = to.moved
		for j := range smaller {
			s.part(&to.m[j], s.p, i, -rs[j])
			if i+1 < n {
				s.valley(&to.m[j], s.p, i, -rs[j], 1)
			}
			if i == 0 { // all is there
				cost += apart(&to.m[j], &smaller[j])
			} else { // apart is excess less half of what m has more
				cost += excess(&to.m[j], &smaller[j]) - max(0, all-sum(&smaller[j]))/2
			}
		}
		return cost
	}
	var visit func(i int)
	visit = func(i int) {
		if i < 0 {
			return
		}
		list := moves
		if s.parts[i].high-s.parts[i].low+1 < leastWide {
			list = moves[:len(Shifts)]
		} else if more := s.cuts(i, rs[0]); len(more) > 0 {
			list = slices.Concat(moves, more)
		}
		order := make([]chosen, 0, len(list))
		for _, v := range list {
			order = append(order, chosen{add(i, v), v})
		}
		slices.SortStableFunc(order, func(a, b chosen) int { return cmp.Compare(a.cost, b.cost) })
		for _, o := range order {
			if left--; o.cost >= least-1e-12 || left < 0 && !math.IsInf(least, 1) {
				return
			}
			add(i, o.move)
			if i == 0 {
				least = o.cost
				copy(best, s.moves)
				return
			}
			visit(i - 1)
		}
	}
	visit(n - 1)
	copy(s.moves, best)
}
