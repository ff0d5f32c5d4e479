package components

import "math"

// An Input is the signature of a run, and the size of its input.
type Input struct {
	Name string
	Size float64 // more than 0, in any unit: elements, rows, bytes
	*Signature
}

// A Moved is a component of the largest input, and how it moves.
type Moved struct {
	Component
	// Shift is how many bins it moves when the size doubles, one of [Shifts]; nil: it gets wider.
	Shift *float64 `json:"shift"`
	// so many its first bin moves, and its last
	FromShift float64 `json:"from_shift"`
	ToShift   float64 `json:"to_shift"`
	// Appears: the largest of the smaller inputs has hardly any of it.
	Appears bool `json:"appears"`
}

// A Forecast is the result of [Predict].
type Forecast struct {
	Signature           // of the size asked for
	Components  []Moved // of the largest input
	Unexplained float64 // share of the accesses of the smaller inputs that the moves leave elsewhere
}

// A component appears at the largest input if it has the share seen there at least, and the input
// before has less than hardly of that where the component would have come from.
const (
	seen   = 0.01
	hardly = 0.1
)

// decline is the ratio of two shares, of the larger input to the smaller, below which a share is
// taken to go on falling as a power of the size.
const decline = 0.75

// Predict returns the signature of an input of size at from those of smaller ones, at least two of
// different sizes, in ascending order.
//
// The components of the largest are found (virda, 4.2), and each is given the one of [Shifts], or
// two for its ends, that explains the smaller inputs best. Then each moves on. Shares do not stay
// as they are, since work once a row or at edges becomes less: a bin's share goes on as a + b/n,
// or, where it falls by more than a quarter, as a power of n; of three sizes or more the law is the
// one that predicts the largest from the two below it. A bin in which components overlap in the
// smaller inputs, or that moves by a part of a bin, follows its component. In the room between
// components that part the level is that of their valley. Departure from the paper, which predicts
// by hand and keeps the shares.
//
// Cost: 10 to 20 us for two inputs of a few components.
func Predict(inputs []Input, at float64) *Forecast {
	last := len(inputs) - 1
	largest := inputs[last]
	var smaller []*Signature
	var rs []float64 // by how many doublings each is smaller
	for _, x := range inputs[:last] {
		smaller = append(smaller, x.Signature)
		rs = append(rs, math.Log2(largest.Size/x.Size))
	}
	s := newShape(&largest.Share)
	s.classify(smaller, rs)
	g := growth{rs: rs, on: math.Log2(at / largest.Size)}
	out := &Forecast{}
	for j, q := range smaller {
		m := s.moved(s.p, nil, -rs[j])
		out.Unexplained = max(out.Unexplained, apart(&m, &q.Share))
	}
	own := s.attribute(smaller, rs)
	next := largest.Share
	appears := make([]bool, len(s.parts))
	for i, x := range s.parts {
		before, now := make([]float64, last), 0.0
		for k := x.from; k <= x.to; k++ {
			now += largest.Share[k]
			for j := range smaller {
				before[j] += own[j].share[k]
			}
		}
		appears[i] = now >= seen && before[last-1] < hardly*now
		follow := 1.0
		if now > 0 {
			follow = g.next(before, now) / now
		}
		for k := x.from; k <= x.to; k++ {
			alone := true
			for j := range smaller {
				before[j] = own[j].share[k]
				alone = alone && !own[j].shared[k] && whole(s.moves[i].first*rs[j])
			}
			if share := largest.Share[k]; alone && share >= stay && s.moves[i].first == s.moves[i].last {
				next[k] = g.next(before, share)
			} else {
				next[k] = share * follow
			}
		}
	}
	out.Share = s.moved(&next, s.futureValleys(smaller, rs, &g), g.on)
	var cold []float64
	for _, q := range smaller {
		cold = append(cold, q.Cold)
	}
	out.Cold = min(1, g.power(cold[last-1], largest.Cold))
	all := out.Cold
	for _, v := range out.Share {
		all += v
	}
	if all == 0 { // nothing but cold accesses, which become none
		out.Signature, all = *largest.Signature, 1
	}
	out.Cold /= all
	for k := range out.Share {
		out.Share[k] /= all
	}
	out.Accesses = uint64(min(math.Round(g.power(float64(smaller[last-1].Accesses),
		float64(largest.Accesses))), 1<<63))
	out.Components = s.components(&largest, appears)
	return out
}

func whole(v float64) bool { return math.Abs(v-math.Round(v)) < 1e-6 }

// An attribution assigns shares in the bins of a smaller input to the bins of the largest.
type attribution struct {
	share  [Bins]float64
	shared [Bins]bool // more than a fifth of where it was belongs to others
}

// attribute divides the bins of the smaller inputs among those of the largest that move back to
// them, by their shares there.
func (s *shape) attribute(smaller []*Signature, rs []float64) []attribution {
	list := make([]attribution, len(smaller))
	for j, q := range smaller {
		all := s.moved(s.p, nil, -rs[j])
		for i, x := range s.parts {
			var mine [Bins]float64
			s.part(&mine, s.p, i, -rs[j])
			for k := x.from; k <= x.to; k++ {
				if s.p[k] == 0 {
					continue
				}
				var to [Bins]float64
				a, b := s.to(i, k, -rs[j])
				spread(&to, a, b, s.p[k])
				for c := range to {
					if to[c] == 0 {
						continue
					}
					list[j].share[k] += q.Share[c] * to[c] / all[c]
					list[j].shared[k] = list[j].shared[k] || mine[c] < 0.8*all[c]
				}
			}
		}
	}
	return list
}

// futureValleys returns the factor by which the shares of each valley grow: the lowest bin between
// two peaks goes on as other shares do, but hardly upwards.
func (s *shape) futureValleys(smaller []*Signature, rs []float64, g *growth) []float64 {
	times := make([]float64, len(s.valleys))
	for i, v := range s.valleys {
		times[i] = 1
		now := s.p[v.lowest]
		if now == 0 || s.moves[i].last == s.moves[i+1].first {
			continue
		}
		var before []float64
		for j, q := range smaller {
			back := func(i int) int {
				a, b := s.to(i, s.parts[i].peak, -rs[j])
				return int(math.Round((a + b) / 2))
			}
			low := now
			for k, first := max(0, back(i)+1), true; k < back(i+1); k++ {
				if first || q.Share[k] < low {
					low, first = q.Share[k], false
				}
			}
			before = append(before, low)
		}
		times[i] = min(g.next(before, now)/now, 1.2)
	}
	return times
}

func (s *shape) components(largest *Input, appears []bool) (list []Moved) {
	for _, c := range largest.list(s.parts, s.valleys) {
		m := Moved{Component: c}
		for i, x := range s.parts {
			if !c.Plateau && c.FromBin >= x.from && c.ToBin <= x.to {
				m.FromShift, m.ToShift, m.Appears = s.moves[i].first, s.moves[i].last, appears[i]
			} else if c.Plateau && c.FromBin > x.to && c.ToBin < s.parts[i+1].from {
				m.FromShift, m.ToShift = s.moves[i].last, s.moves[i+1].first
			}
		}
		if m.FromShift == m.ToShift {
			shift := m.FromShift
			m.Shift = &shift
		}
		list = append(list, m)
	}
	return list
}

// A growth continues shares.
type growth struct {
	rs []float64 // of the smaller inputs: doublings from each to the largest
	on float64   // and from the largest to the one asked for
}

// power goes on as a power of n from a to b to what follows.
func (g *growth) power(a, b float64) float64 {
	if a <= 0 || b <= 0 {
		return b
	}
	return b * math.Pow(b/a, g.on/g.rs[len(g.rs)-1])
}

// next returns the share after now, at most 1, before being those of the smaller inputs.
func (g *growth) next(before []float64, now float64) float64 {
	j := len(before) - 1
	a, r := before[j], g.rs[j]
	if a <= 0 || now <= 0 || a == now {
		return now
	}
	falls := now < decline*a
	if j > 0 && before[j-1] > 0 {
		// which law predicts the largest from the two below it
		q := growth{rs: []float64{g.rs[j-1] - r}, on: r}
		falls = now < a && math.Abs(q.power(before[j-1], a)-now) <
			math.Abs(q.settle(before[j-1], a)-now)
	}
	if falls {
		return min(1, g.power(a, now))
	}
	return min(1, g.settle(a, now))
}

// settle goes on as a + b/n from a to b, not below 0.
func (g *growth) settle(a, b float64) float64 {
	return max(0, b+(b-a)/(math.Exp2(g.rs[len(g.rs)-1])-1)*(1-math.Exp2(-g.on)))
}

// FirstBin is the first bin of [Errors]: that of distances from 1 KiB on (virda, 4.3.1).
const FirstBin = 11

// Errors returns the paper's error of a prediction (virda, 4.3.1), 0 to about 1: over the bins from
// [FirstBin] on, the sum of differences divided by twice the smaller of the two sums. The paper
// does not say whether its last bin, INF, is among them: finite is without, all with it. NaN: there
// is nothing in these bins.
func Errors(predicted, actual *Signature) (finite, all float64) {
	var apart, p, a float64
	for k := FirstBin; k < Bins; k++ {
		apart += math.Abs(predicted.Share[k] - actual.Share[k])
		p, a = p+predicted.Share[k], a+actual.Share[k]
	}
	quotient := func(x, p, a float64) float64 {
		if min(p, a) == 0 {
			return math.NaN()
		}
		return x / (2 * min(p, a))
	}
	return quotient(apart, p, a), quotient(apart+math.Abs(predicted.Cold-actual.Cold),
		p+predicted.Cold, a+actual.Cold)
}
