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

// Predict returns the signature of an input of size at from those of smaller ones, at least two of
// different sizes, in ascending order.
//
// The components of the largest are found (virda, 4.2), and each is given the one of [Shifts], or
// two for its ends, that explains the smaller inputs best. Then each moves on. Shares do not stay
// as they are, since work once a row or at edges becomes less, and levels become more: see [growth]. A
// bin in which components overlap in the smaller inputs, or that moves by a part of a bin, follows its
// component. In the room between components that part the level is that of their valley. Departure
// from the paper, which predicts by hand and keeps the shares.
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
	g := newGrowth(inputs, at)
	relative := make([][Bins]float64, last)
	for j, q := range smaller {
		by := g.all[j]
		for k, v := range q.Share {
			relative[j][k] = by * v
		}
	}
	s.classify(relative, rs)
	out := &Forecast{}
	for j, q := range smaller {
		m := s.moved(s.p, nil, -rs[j])
		out.Unexplained = max(out.Unexplained, apart(scaled(&m, sum(&q.Share)), &q.Share))
	}
	next, appears := s.grown(smaller, rs, g)
	out.Share = s.moved(&next, s.futureValleys(smaller, rs, g), math.Log2(at/largest.Size))
	var cold []float64
	for _, q := range smaller {
		cold = append(cold, q.Cold)
	}
	out.Cold = min(1, g.next(cold, largest.Cold))
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
	out.Accesses = uint64(min(math.Round(g.total), 1<<63))
	out.Components = s.components(&largest, appears)
	return out
}

// grown returns the shares of the largest input's bins at the size asked for, each still in its bin, and
// which parts appear.
func (s *shape) grown(smaller []*Signature, rs []float64, g *growth) (next [Bins]float64, appears []bool) {
	own := s.attribute(smaller, rs)
	last := len(smaller)
	next, appears = *s.p, make([]bool, len(s.parts))
	for i, x := range s.parts {
		before, now := make([]float64, last), 0.0
		v := &s.moves[i]
		for k := x.from; k <= x.to; k++ {
			if v.between(k) {
				continue
			}
			now += s.p[k]
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
			shift, alone := v.shift(k)
			for j := range smaller {
				before[j] = own[j].share[k]
				alone = alone && !own[j].shared[k] && whole(shift*rs[j])
			}
			if share := s.p[k]; alone && share >= stay {
				next[k] = g.next(before, share)
			} else {
				next[k] = share * follow
			}
		}
		if v.cut() { // as the bins beside do
			a, b := v.from-1, v.to+1
			by := (next[a]/s.p[a] + next[b]/s.p[b]) / 2
			for k := v.from; k <= v.to; k++ {
				next[k] = s.p[k] * by
			}
		}
	}
	return next, appears
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
				if s.p[k] == 0 || s.moves[i].between(k) {
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

// A growth continues shares, by the counts that they are of: those divided by a power of the size, which
// is that of all accesses, are densities, 1 at the largest input for all accesses.
type growth struct {
	sizes []float64 // of the inputs, in ascending order, the largest 1
	at    float64   // the size asked for, in the same unit
	all   []float64 // the density of all accesses, of the inputs
	log   bool      // it grows as a logarithm, by the two largest
	then  float64   // the density of all accesses at the size asked for
	total float64   // and how many
}

// A law continues densities d0 and d1 of sizes n0 and n1 to size n.
type law func(n0, n1, d0, d1, n float64) float64

// laws are those of densities: a power of the size, a + b/n, a + b log n.
var laws = [...]law{
	func(n0, n1, d0, d1, n float64) float64 { return d1 * math.Pow(d1/d0, math.Log(n/n1)/math.Log(n1/n0)) },
	func(n0, n1, d0, d1, n float64) float64 { return d1 + (d1-d0)/(n1/n0-1)*(1-n1/n) },
	func(n0, n1, d0, d1, n float64) float64 { return d1 + (d1-d0)*math.Log(n/n1)/math.Log(n1/n0) },
}

const (
	byPower = iota
	bySettling
	byLog
)

const (
	// steepest is the highest power of the size that all accesses are taken to grow as.
	steepest = 4
	// logarithm is how much more than a multiple of 1/2 the exponent of all accesses is where they are
	// taken to have a logarithm.
	logarithm = 0.05
	// decline is the ratio of two densities, of the larger input to the smaller, below which a density is
	// taken to go on falling as a power of the size.
	decline = 0.75
	// clearly is how much smaller the error of another law must be, in predicting the largest input from
	// the two below it, than that of the law that two sizes suggest.
	clearly = 0.5
	// furthest is how many times the density of all accesses may become at most.
	furthest = 1e6
)

// newGrowth finds how all accesses grow.
func newGrowth(inputs []Input, at float64) *growth {
	last := len(inputs) - 1
	largest := inputs[last]
	g := &growth{at: at / largest.Size}
	before := inputs[last-1]
	exponent := math.Log(float64(largest.Accesses)/float64(before.Accesses)) / math.Log(largest.Size/before.Size)
	power := min(steepest, max(0, math.Round(2*exponent)/2))
	g.log = exponent-power > logarithm && power < steepest
	for _, x := range inputs {
		n := x.Size / largest.Size
		g.sizes = append(g.sizes, n)
		g.all = append(g.all, float64(x.Accesses)/float64(largest.Accesses)/math.Pow(n, power))
	}
	g.then = min(furthest, max(1/furthest, g.density(g.all[:last], 1)))
	g.total = float64(largest.Accesses) * g.then * math.Pow(g.at, power)
	return g
}

// density returns the density at the size asked for, not below 0, before being those of the smaller inputs.
func (g *growth) density(before []float64, now float64) float64 {
	j := len(before) - 1
	n0, n1, d0 := g.sizes[j], g.sizes[j+1], before[j]
	if d0 <= 0 || now <= 0 || d0 == now {
		return now
	}
	by := bySettling
	switch {
	case now < decline*d0:
		by = byPower
	case g.log:
		by = byLog
	}
	if j > 0 && before[j-1] > 0 {
		off := func(l int) float64 { return math.Abs(laws[l](g.sizes[j-1], n0, before[j-1], d0, n1) - now) }
		for i := range laws {
			if (i != byPower || now < d0) && off(i) < clearly*off(by) {
				by = i
			}
		}
	}
	return min(furthest, max(0, laws[by](n0, n1, d0, now, g.at)))
}

// next returns the share after now, at most 1, before being those of the smaller inputs.
func (g *growth) next(before []float64, now float64) float64 {
	var densities []float64
	for j, v := range before {
		densities = append(densities, v*g.all[j])
	}
	return min(1, g.density(densities, now)/g.then)
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
