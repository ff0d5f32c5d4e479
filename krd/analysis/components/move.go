package components

import "math"

// Shifts are how many bins a component may move when the size of the input doubles: those of
// distances that stay, or grow as its square root, as itself, as its square (virda, 4.3; Ding and
// Zhong, PLDI 2003).
var Shifts = [...]float64{0, 0.5, 1, 2}

// laws are the names of Shifts.
var laws = map[float64]string{0: "fixed", 0.5: "n^(1/2)", 1: "n", 2: "n^2"}

// stay is the share of accesses that it must explain to move a component by a bin rather than leave
// it where it is.
const stay = 0.0005

// A shape is the signature of the largest input in parts, and how each moves.
type shape struct {
	p       *[Bins]float64
	parts   []part
	valleys []valley
	shifts  []int // of each part: which of Shifts
}

func newShape(p *[Bins]float64) *shape {
	s := &shape{p: p}
	s.parts, s.valleys = split(p)
	s.shifts = make([]int, len(s.parts))
	return s
}

// put adds a share of bin k, moved by d bins, to m: what moves by a part of a bin is divided between
// two.
func put(m *[Bins]float64, k int, d, share float64) {
	at := float64(k) + d
	low := math.Floor(at)
	rest := at - low
	if rest < 1e-9 {
		rest = 0
	} else if rest > 1-1e-9 {
		low, rest = low+1, 0
	}
	in := func(x float64) int { return int(min(Bins-1, max(0, x))) }
	m[in(low)] += share * (1 - rest)
	if rest > 0 {
		m[in(low+1)] += share * rest
	}
}

// part adds part i of p to m, for an input that is 2^r times as large.
func (s *shape) part(m *[Bins]float64, p *[Bins]float64, i int, r float64) {
	for k := s.parts[i].from; k <= s.parts[i].to; k++ {
		if p[k] > 0 {
			put(m, k, Shifts[s.shifts[i]]*r, p[k])
		}
	}
}

// valley adds valley i likewise, its shares times so much. One between parts that move alike moves with
// them; another gets wider or narrower at its lowest bin, and its sides stay with the parts.
func (s *shape) valley(m *[Bins]float64, p *[Bins]float64, i int, r, times float64) {
	v, a, b := s.valleys[i], Shifts[s.shifts[i]]*r, Shifts[s.shifts[i+1]]*r
	if s.shifts[i] == s.shifts[i+1] {
		for k := v.from; k <= v.to; k++ {
			if p[k] > 0 {
				put(m, k, a, p[k])
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

// moved is the signature with shares p for an input that is 2^r times as large, the shares of each
// valley times so much; nil: as they are.
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

// apart is half the sum of differences of two signatures: the share of accesses that are elsewhere.
func apart(a, b *[Bins]float64) (sum float64) {
	for k := range a {
		sum += math.Abs(a[k] - b[k])
	}
	return sum / 2
}

// miss is how badly the parts, moved back, give the signatures of smaller inputs, each 2^rs times as
// small.
func (s *shape) miss(smaller []*Signature, rs []float64) (sum float64) {
	for j, q := range smaller {
		m := s.moved(s.p, nil, -rs[j])
		sum += apart(&m, &q.Share)
	}
	for _, x := range s.shifts {
		sum += stay / 2 * Shifts[x]
	}
	return sum
}

// exhaustive is the most parts of which all combinations of shifts are tried.
const exhaustive = 3

// classify chooses the shifts with which the parts of the largest input, moved back, are nearest to
// the signatures of the smaller ones. Up to three parts all combinations are tried; from there on one
// part after the other, from the last, is given its best shift until none changes, begun with all in
// step. Cost: some dozens to a hundred times [shape.moved].
func (s *shape) classify(smaller []*Signature, rs []float64) {
	n := len(s.parts)
	best, least := make([]int, n), math.Inf(1)
	try := func() bool {
		miss := s.miss(smaller, rs)
		if miss < least-1e-12 {
			least = miss
			copy(best, s.shifts)
			return true
		}
		return false
	}
	if n <= exhaustive {
		var all func(i int)
		all = func(i int) {
			if i == n {
				try()
				return
			}
			for x := range Shifts {
				s.shifts[i] = x
				all(i + 1)
			}
		}
		all(0)
		copy(s.shifts, best)
		return
	}
	for x := range Shifts {
		for i := range s.shifts {
			s.shifts[i] = x
		}
		try()
	}
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			copy(s.shifts, best)
			for x := range Shifts {
				s.shifts[i] = x
				changed = try() || changed
			}
		}
	}
	copy(s.shifts, best)
}
