package krd

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// A BurstEstimate is the result of Bursts.
type BurstEstimate struct {
	Accesses uint64 // exactly
	Phases   int    // in which enough was seen
	Bursts   int    // likewise
	// Groups are the estimated counts by group and bin, the last of Bins cold or beyond.
	Groups map[uint32]*[coldBin + 1]float64
	// Bins are those of all groups, and Errors their standard errors; NaN: not known.
	Bins, Errors [coldBin + 1]float64
	// Unseen are the accesses of each stratum that no draw has seen any of; they are in no group
	// but by Cold, and in Bins as cold.
	Unseen []float64
	Rows   []BurstRow // of the parts

	of func(group uint32) int // which stratum a group is of
}

// Cold gives a group n accesses more that are cold or beyond.
func (e *BurstEstimate) Cold(group uint32, n float64) {
	if e.Groups[group] == nil {
		e.Groups[group] = new([coldBin + 1]float64)
	}
	e.Groups[group][coldBin] += n
}

// cells are accesses by bin; the last are farther in time than a scale.
type cells [coldBin + 2]float64

const beyond = coldBin + 1

// A scaleSum is the sum of the draws of a scale, in accesses of the program.
type scaleSum struct {
	groups []cells
	of     func(group uint32) int
	strata []cells
	all    float64 // but for those beyond
	open   float64 // of the cold bin: cold, or beyond what any draw saw
	deep   int     // the last bin that has some
}

func (s *scaleSum) add(group uint32, bin int, n float64) {
	if n == 0 {
		return
	}
	for int(group) >= len(s.groups) {
		s.groups = append(s.groups, cells{})
	}
	s.groups[group][bin] += n
	s.strata[s.of(group)][bin] += n
	switch {
	case bin < coldBin:
		s.all += n
		s.deep = max(s.deep, bin)
	case bin == coldBin:
		s.all += n
		s.open += n
	}
}

// weights returns how many of some accesses each draw stands for: up to the middle between it and
// the draws beside it. but is one that stands for none; -1: there is no such.
func weights(draws []draw, all uint64, but int) []float64 {
	w := make([]float64, len(draws))
	last, from := -1, 0.0
	for i := range draws {
		if i == but {
			continue
		}
		if last >= 0 {
			to := (float64(draws[last].end) + float64(draws[i].begin)) / 2
			w[last], from = to-from, to
		}
		last = i
	}
	if last >= 0 {
		w[last] = float64(all) - from
	}
	return w
}

// draws returns the draws that a scale is estimated from, and their numbers.
func (b *Bursts) draws(scale int) (list []draw, numbers []int) {
	if scale == longTime {
		for i, p := range b.phases {
			d := p.draw
			if n := d.end - d.begin; n >= FarTime+fewKept {
				d.kept = n - FarTime
				list, numbers = append(list, d), append(numbers, i)
			}
		}
		return list, numbers
	}
	for i, x := range b.bursts {
		if x.kept >= fewKept && (scale == shortTime || !x.small) {
			x.end = x.begin
			list, numbers = append(list, x.draw), append(numbers, i)
		}
	}
	return list, numbers
}

// A scaleEstimate makes the sum of a scale, without one of its draws.
type scaleEstimate struct {
	b       *Bursts
	scale   int
	draws   []draw
	numbers []int
	weights []float64
	shares  [][]cellShare // of bursts
	sizes   []uint64      // of strata
	of      func(group uint32) int
}

// A cellShare is the part of a draw in a bin of a group.
type cellShare struct {
	group uint32
	bin   int
	share float64
}

func (s *scaleEstimate) empty() *scaleSum {
	return &scaleSum{of: s.of, strata: make([]cells, len(s.sizes))}
}

func (b *Bursts) scaleEstimate(scale int, sizes []uint64, of func(uint32) int) *scaleEstimate {
	s := &scaleEstimate{b: b, scale: scale, sizes: sizes, of: of}
	s.draws, s.numbers = b.draws(scale)
	return s
}

// whole returns the sum of all draws.
func (s *scaleEstimate) whole() *scaleSum {
	s.weights = weights(s.draws, s.b.all, -1)
	if s.scale == longTime {
		return s.phases(s.weights)
	}
	sum := s.empty()
	s.shares = make([][]cellShare, len(s.draws))
	for i, n := range s.numbers {
		for _, c := range s.b.bursts[n].seen {
			group, scale, bin := c.key>>(binBits+2), int(c.key>>binBits&3), int(c.key&(1<<binBits-1))
			switch {
			case scale > s.scale:
				bin = beyond
			case scale < s.scale:
				continue
			}
			share := float64(c.n) / float64(s.draws[i].kept)
			s.shares[i] = append(s.shares[i], cellShare{group, bin, share})
			sum.add(group, bin, s.weights[i]*share)
		}
	}
	return sum
}

// phases returns the sum of phases that stand for so many accesses each.
func (s *scaleEstimate) phases(weights []float64) *scaleSum {
	sum := s.empty()
	far := map[farKey]float64{}
	for i, n := range s.numbers {
		for k, count := range s.b.phases[n].far {
			far[k] += float64(count) * ChosenOf * weights[i] / float64(s.draws[i].kept)
		}
	}
	settle(far, sum.add)
	return sum
}

// without returns the sum of all draws but one: whole itself, if they are bursts, until restore is
// called. It changes the groups of some strata; nil: of all.
func (s *scaleEstimate) without(but int, whole *scaleSum) (sum *scaleSum, strata map[int]bool,
	restore func()) {
	if s.scale == longTime {
		return s.phases(weights(s.draws, s.b.all, but)), nil, func() {}
	}
	strata = map[int]bool{}
	was := map[*cells]cells{}
	change := func(i int, by float64) {
		for _, c := range s.shares[i] {
			h := s.of(c.group)
			strata[h] = true
			for _, x := range []*cells{&whole.groups[c.group], &whole.strata[h]} {
				if _, ok := was[x]; !ok {
					was[x] = *x
				}
				if x[c.bin] += by * c.share; x[c.bin] < rounding*was[x][c.bin] {
					x[c.bin] = 0
				}
			}
		}
	}
	w := s.weights[but]
	switch from, to := but-1, but+1; {
	case from < 0:
		change(to, w)
	case to == len(s.draws):
		change(from, w)
	default:
		d := s.draws
		up := (float64(d[from].end)+float64(d[to].begin))/2 -
			(float64(d[from].end)+float64(d[but].begin))/2
		change(from, up)
		change(to, w-up)
	}
	change(but, -w)
	return whole, strata, func() {
		for x, c := range was {
			*x = c
		}
	}
}

// rounding bounds the rest of a sum from which all is subtracted.
const rounding = 1e-12

// settle adds weighed accesses of long times to bins: those that are censored in proportion to the
// others of their group whose time is as long or longer, by Kaplan and Meier's estimate. The rest
// is in the cold bin.
func settle(far map[farKey]float64, add func(group uint32, bin int, n float64)) {
	keys := slices.SortedFunc(maps.Keys(far), func(a, b farKey) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.time, b.time),
			cmp.Compare(a.bin, b.bin))
	})
	for len(keys) > 0 {
		group, end, all := keys[0].group, 0, 0.0
		for ; end < len(keys) && keys[end].group == group; end++ {
			all += far[keys[end]]
		}
		atRisk, left := all, 1.0 // left: the share whose time is longer
		for i := 0; i < end; {
			from, seen, gone := i, 0.0, 0.0
			for ; i < end && keys[i].time == keys[from].time; i++ {
				if n := far[keys[i]]; keys[i].bin == censored {
					gone += n
				} else {
					seen += n
				}
			}
			if seen > 0 {
				here := left * min(1, seen/atRisk)
				for _, k := range keys[from:i] {
					if k.bin != censored {
						add(group, int(k.bin), here*all*far[k]/seen)
					}
				}
				left -= here
			}
			atRisk -= seen + gone
		}
		add(group, coldBin, max(0, left)*all)
		keys = keys[end:]
	}
}

// Estimate returns the estimate so far; nil if nothing was sampled from which anything follows. The
// accesses of each stratum are known, as is which of them a group is of; parts are of what the rows
// are. Of those a part has short times, as of the accesses of the stratum in all bursts; of the
// others a part has mid ones, as of those that are not short in bursts that are not small; and the
// rest is as in phases.
//
// The errors are those of a jackknife: the estimate is made anew without each draw in turn, for which
// those beside it stand then. Their variance is 3/2 times that of a draw's own share, since two
// neighbours take its place (Wolter, Introduction to Variance Estimation, 2007, 8.2); few draws have
// Student's factor. Its cost is in proportion to the draws times the bins, and for phases times all
// that they saw.
func (b *Bursts) Estimate(sizes []uint64, of func(group uint32) int, parts ...BurstPart) *BurstEstimate {
	b.endBurst()
	clear(b.counts)
	var list []*scaleEstimate
	for scale := range scales {
		if s := b.scaleEstimate(scale, sizes, of); len(s.draws) > 0 {
			list = append(list, s)
		} else {
			break
		}
	}
	if len(list) == 0 {
		return nil
	}
	e := &BurstEstimate{Accesses: b.all, Groups: map[uint32]*[coldBin + 1]float64{},
		Bursts: len(list[0].draws), of: of}
	if len(list) == scales {
		e.Phases = len(list[longTime].draws)
	}
	sums := make([]*scaleSum, len(list))
	for i, s := range list {
		sums[i] = s.whole()
	}
	factors := joined(sums, sizes, &e.Bins)
	e.Unseen = make([]float64, len(sizes))
	for i, f := range factors {
		if f[0] == 0 {
			e.Unseen[i] = float64(sizes[i])
		}
	}
	for i, s := range sums {
		for at := range s.groups {
			g, bins := uint32(at), &s.groups[at]
			if *bins == (cells{}) {
				continue
			}
			if e.Groups[g] == nil {
				e.Groups[g] = new([coldBin + 1]float64)
			}
			factor := factors[of(g)]
			for bin, n := range bins[:beyond] {
				e.Groups[g][bin] += n * factor[i]
			}
			if i+1 == len(sums) || factor[i+1] == 0 {
				e.Groups[g][coldBin] += bins[beyond] * factor[i]
			}
		}
	}
	b.errors(e, list, sums, newRows(list, sums, factors, parts))
	return e
}

// joined sets the bins of sums so that they come to the accesses of each stratum, and returns by
// what each sum is multiplied there; 0: it has seen nothing, and the rest counts as cold.
func joined(sums []*scaleSum, sizes []uint64, bins *[coldBin + 1]float64) (factors [][scales]float64) {
	*bins = [coldBin + 1]float64{}
	factors = make([][scales]float64, len(sizes))
	for h := range sizes {
		left := float64(sizes[h])
		for i, s := range sums {
			got := 0.0
			for _, n := range s.strata[h] {
				got += n
			}
			if got <= 0 {
				break
			}
			factor := left / got
			for bin, n := range s.strata[h][:beyond] {
				bins[bin] += n * factor
			}
			left = s.strata[h][beyond] * factor
			factors[h][i] = factor
		}
		bins[coldBin] += left
	}
	return factors
}

// errors sets the standard errors of bins, and the rows.
func (b *Bursts) errors(e *BurstEstimate, list []*scaleEstimate, sums []*scaleSum, rows *burstRows) {
	var v [coldBin + 1]float64
	for at, s := range list {
		m := len(s.draws)
		whole, factor := sums[at], leftOut(m)*fewer(float64(m-1))
		for i := range s.draws {
			if m < 2 {
				break
			}
			var bins [coldBin + 1]float64
			sum, strata, restore := s.without(i, whole)
			sums[at] = sum
			factors := joined(sums, s.sizes, &bins)
			for bin := range v {
				d := bins[bin] - e.Bins[bin]
				v[bin] += factor * d * d
			}
			rows.replicate(at, sums, factors, strata)
			restore()
		}
		sums[at] = whole
		// a short stage that no draw has seen: half of what one stands for
		unseen := whole.all / float64(2*m)
		for bin := firstBin(s.scale); bin <= coldBin; bin++ {
			v[bin] += unseen * unseen * fewer(float64(m-1))
		}
	}
	lost := 0.0 // of strata that no draw has seen
	for _, n := range e.Unseen {
		lost += n
	}
	deepest := uint64(0)
	for i := range b.phases {
		deepest = max(deepest, b.phases[i].deepest)
	}
	far := sums[len(sums)-1]
	e.Rows = rows.end(far.deep, lost)
	for bin := range v {
		v[bin] += lost * lost / 4
		if bin >= far.deep {
			v[bin] += far.open * far.open / 4
		}
		e.Errors[bin] = math.Sqrt(v[bin])
		lacks := len(list) < scales || e.Phases < 2
		if lacks && bin >= firstBin(min(len(list), longTime)) || bin < coldBin && bin > 0 &&
			bin > far.deep && deepest>>(bin-1) == 0 {
			e.Errors[bin] = math.NaN()
		}
	}
}

// firstBin returns the first bin in which the reuses of a scale are expected: shorter scales have
// more of those before it.
func firstBin(scale int) int {
	return [...]int{shortTime: 0, midTime: 11, longTime: 16}[scale]
}

// leftOut returns the factor of the sum of the squares of a jackknife of m draws.
func leftOut(m int) float64 { return 2. / 3 * float64(m-1) / float64(m) }

// fewer returns by what a variance of so many degrees of freedom is larger than it seems, so that
// twice its root holds the truth in 95 of 100 cases: the square of Student's quantile beside the
// normal one, by the first terms of its expansion (Abramowitz and Stegun, 26.7.5), and as it is for
// one and two.
func fewer(f float64) float64 {
	const z = 1.96
	t := 12.71
	switch {
	case f >= 3:
		t = z + (z*z*z+z)/(4*f) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*f*f)
	case f >= 2:
		t = 4.30
	}
	return t * t / (z * z)
}
