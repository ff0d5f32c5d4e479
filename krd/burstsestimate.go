package krd

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// A BurstEstimate is what Bursts has estimated.
type BurstEstimate struct {
	Accesses uint64 // exactly
	Phases   int    // in which enough was seen
	Bursts   int    // likewise
	// Groups are the estimated counts by group and bin, the last of Bins cold or beyond.
	Groups map[uint32]*[coldBin + 1]float64
	// Bins are those of all groups, and Errors their standard errors.
	Bins, Errors [coldBin + 1]float64
}

// all returns all accesses of the program.
func (b *Bursts) all() uint64 {
	n := b.before
	for i := range b.cells {
		n += b.cells[i].all
	}
	return n
}

// weights returns how many accesses each burst stands for; those that saw too little, for none.
func (b *Bursts) weights() []float64 {
	w := make([]float64, len(b.cells))
	last := -1
	held := float64(b.before)
	for i := range b.cells {
		if b.cells[i].counts() {
			if last < 0 {
				w[i] += held
			} else {
				w[last] += held / 2
				w[i] += held / 2
			}
			last, held = i, 0
			w[i] += float64(b.cells[i].own)
			held -= float64(b.cells[i].own)
		}
		held += float64(b.cells[i].all)
	}
	if last >= 0 {
		w[last] += held
	}
	return w
}

// counts reports that a burst has seen enough. One that was cut short may not stand for as much as
// others.
func (c *burstCell) counts() bool { return c.kept >= fewKept }

// A farPart is the phase that far accesses have the distances of, and how many.
type farPart struct {
	phase int
	share float64
}

// A farSplit shares out the far accesses of cells, which are asked for in their order.
type farSplit struct {
	b      *Bursts
	phases []int     // those with far accesses
	middle []float64 // of each: accesses of the program
	next   int       // of phases: the first that is not over before the cell
	at     float64   // accesses up to the cell
}

func (b *Bursts) farSplit() *farSplit {
	f := &farSplit{b: b, at: float64(b.before)}
	upTo := make([]float64, len(b.cells)+1)
	upTo[0] = f.at
	for i := range b.cells {
		upTo[i+1] = upTo[i] + float64(b.cells[i].all)
	}
	for i := range b.phases {
		if p := &b.phases[i]; p.count > 0 {
			f.phases = append(f.phases, i)
			f.middle = append(f.middle, (upTo[p.first]+upTo[p.last+1])/2)
		}
	}
	return f
}

// of returns the parts of the next cell: that of its own phase or, between two, of both in
// proportion to how near their middles are. There is none if no phase has far accesses.
func (f *farSplit) of(cell int) (parts [2]farPart) {
	c := &f.b.cells[cell]
	at := f.at + float64(c.all)/2
	f.at += float64(c.all)
	for f.next < len(f.phases) && f.b.phases[f.phases[f.next]].last < cell {
		f.next++
	}
	switch n := len(f.phases); {
	case n == 0:
	case f.next == n:
		parts[0] = farPart{f.phases[n-1], 1}
	case f.next == 0 || f.b.phases[f.phases[f.next]].first <= cell:
		parts[0] = farPart{f.phases[f.next], 1}
	default:
		from, to := f.middle[f.next-1], f.middle[f.next]
		share := min(1, max(0, (at-from)/max(1, to-from)))
		parts = [2]farPart{{f.phases[f.next-1], 1 - share}, {f.phases[f.next], share}}
	}
	return parts
}

// A rest is how the accesses of a burst that are no nearer than SmallBytes are shared out: near
// ones by group and bin, and far ones.
type rest struct {
	near     map[groupBinOf]float64
	far, all float64
}

// rests returns that of each burst: its own, or, if it is small or has none, that of the nearest
// one.
func (b *Bursts) rests() []*rest {
	list := make([]*rest, len(b.cells))
	last := -1
	for i := range b.cells {
		c := &b.cells[i]
		if c.small || !c.counts() {
			continue
		}
		r := &rest{near: map[groupBinOf]float64{}, far: float64(c.far)}
		r.all = r.far
		for k, n := range c.near {
			if k.bin >= smallBins {
				r.near[k] += float64(n)
				r.all += float64(n)
			}
		}
		if r.all == 0 {
			continue
		}
		list[i] = r
		for j := last + 1; j < i; j++ {
			if last < 0 || i-j <= j-last {
				list[j] = r
			} else {
				list[j] = list[last]
			}
		}
		last = i
	}
	for j := last + 1; last >= 0 && j < len(list); j++ {
		list[j] = list[last]
	}
	return list
}

// beyondSmall is the share of the accesses of a burst that are no nearer than SmallBytes.
func (c *burstCell) beyondSmall() float64 {
	n := float64(c.far)
	for k, count := range c.near {
		if k.bin >= smallBins {
			n += float64(count)
		}
	}
	return n / float64(c.kept)
}

// farShare is the share of far accesses around a burst, of which beyond are no nearer than
// SmallBytes; r is how these are shared out, nil: that is not known.
func (b *Bursts) farShare(cell int, beyond float64, r *rest) float64 {
	c := &b.cells[cell]
	switch {
	case c.phase >= 0 && b.phases[c.phase].settled > 0:
		return min(beyond, b.phases[c.phase].farShare())
	case r == nil:
		return beyond
	}
	return beyond * r.far / r.all
}

// Estimate returns what is known so far; nil if nothing was sampled from which anything follows.
// Its cost is in proportion to the groups, bins and bursts.
func (b *Bursts) Estimate() *BurstEstimate {
	b.endBurst()
	e := &BurstEstimate{Accesses: b.all(), Groups: map[uint32]*[coldBin + 1]float64{}}
	weights := b.weights()
	far := make([]float64, len(b.phases)) // accesses that have the distances of each phase
	unknown := 0.0
	tail := 0.0 // of far, after the last phase
	rests, split := b.rests(), b.farSplit()
	for i, w := range weights {
		c, parts := &b.cells[i], split.of(i)
		if !c.counts() {
			continue
		}
		e.Bursts++
		for k, n := range c.near {
			if k.bin < smallBins {
				e.group(k.group)[k.bin] += w * float64(n) / float64(c.kept)
			}
		}
		beyond, r := c.beyondSmall(), rests[i]
		share := b.farShare(i, beyond, r)
		if r == nil || r.all == r.far {
			share = beyond
		} else {
			for k, n := range r.near {
				e.group(k.group)[k.bin] += w * (beyond - share) * n / (r.all - r.far)
			}
		}
		if parts[0].share == 0 && parts[1].share == 0 {
			unknown += w * share
		}
		for _, p := range parts {
			if p.share > 0 {
				far[p.phase] += w * share * p.share
			}
		}
		if split.next == len(split.phases) {
			tail += w * share
		}
	}
	if e.Bursts == 0 {
		return nil
	}
	var sets [Replicates]farSums
	total := farSums{}
	for r := range sets {
		sets[r] = farSums{}
	}
	for i, n := range far {
		if n == 0 {
			continue
		}
		e.Phases++
		p := &b.phases[i]
		scale := n / float64(p.count)
		for k, counts := range p.far {
			for r, c := range counts {
				total.add(k, float64(c)*scale)
				sets[r].add(k, float64(c)*scale*Replicates)
			}
		}
	}
	var open [coldBin + 1]float64
	total.settle(e.group, &open)
	if unknown > 0 {
		e.group(0)[coldBin] += unknown
	}
	for _, g := range e.Groups {
		for bin, n := range g {
			e.Bins[bin] += n
		}
	}
	b.errors(e, weights, far, rests, &sets)
	b.farErrors(e, far, tail, unknown, &open)
	return e
}

func (e *BurstEstimate) group(group uint32) *[coldBin + 1]float64 {
	g := e.Groups[group]
	if g == nil {
		g = new([coldBin + 1]float64)
		e.Groups[group] = g
	}
	return g
}

// errors sets the standard errors of bins: what differs between the replicates, and, as of a
// systematic sample, from a burst to the next and from a phase to the next (half of the squared
// difference; Wolter, Introduction to Variance Estimation, 2007, 8.2).
func (b *Bursts) errors(e *BurstEstimate, weights, far []float64, rests []*rest,
	sets *[Replicates]farSums) {
	var v [coldBin + 1]float64 // variances
	var one [Replicates][coldBin + 1]float64
	for r, s := range sets {
		s.settle(func(uint32) *[coldBin + 1]float64 { return &one[r] }, new([coldBin + 1]float64))
	}
	for bin := range v {
		mean := 0.0
		for r := range one {
			mean += one[r][bin] / Replicates
		}
		for r := range one {
			d := one[r][bin] - mean
			v[bin] += d * d / (Replicates * (Replicates - 1))
		}
	}
	var before, restBefore [coldBin + 1]float64
	last, lastRest, all, ofFar, ofBeyond, beyond := -1, -1, 0.0, 0.0, 0.0, 0.0
	var restWeight, lastWeight float64 // of accesses no nearer than SmallBytes
	for i, w := range weights {
		if w == 0 {
			continue
		}
		now := b.nearShares(i, rests[i])
		if last >= 0 {
			u := (w*w + weights[last]*weights[last]) / 4
			for bin := range smallBins {
				d := now[bin] - before[bin]
				v[bin] += u * d * d
			}
			d := now[coldBin] - before[coldBin]
			ofFar += u * d * d
			d = now[smallBins] - before[smallBins]
			ofBeyond += u * d * d
		}
		beyond += w * now[smallBins]
		restWeight += w * now[smallBins]
		before, last = now, i
		if r := rests[i]; r != nil && (i+1 == len(rests) || rests[i+1] != r) {
			shares := r.shares()
			if lastRest >= 0 {
				for bin := smallBins; bin < nearBins; bin++ {
					d := shares[bin] - restBefore[bin]
					v[bin] += (restWeight*restWeight + lastWeight*lastWeight) / 4 * d * d
				}
			}
			restBefore, lastRest, lastWeight, restWeight = shares, i, restWeight, 0
		}
	}
	for bin := smallBins; bin < nearBins && beyond > 0; bin++ {
		share := e.Bins[bin] / beyond
		v[bin] += share * share * ofBeyond
	}
	full := 0 // bursts that are not small
	for i := range rests {
		if rests[i] != nil && (i == 0 || rests[i] != rests[i-1]) {
			full++
		}
	}
	for bin := range v {
		switch {
		case bin < smallBins:
			v[bin] += missed(float64(e.Accesses), e.Bursts)
		case bin < nearBins:
			v[bin] += missed(beyond, full)
		}
	}
	for _, n := range far {
		all += n
	}
	for bin := range v {
		if all > 0 && bin >= nearBins-1 {
			share := e.Bins[bin] / all
			v[bin] += share * share * ofFar
		}
		e.Errors[bin] = math.Sqrt(v[bin] * fewer(e.Bursts-1))
	}
}

// missed is the variance of what n bursts or phases have not seen of some accesses: as much as half
// of what one of them stands for may be of another kind, for instance of a short stage of the
// program.
func missed(of float64, n int) float64 {
	d := of / float64(2*max(1, n))
	return d * d
}

// farErrors adds to the errors of far bins what differs from a phase to the next, as in errors.
// What crosses a bin between two phases may have been in it; after the last phase, where tail of
// the far accesses are, as much may move to the bins beside as has moved before. open is, by bin,
// what may belong there or farther; unknown are far accesses without any phase. The error of a bin
// that no phase could see is NaN, and so is that of all far bins if there are less than two phases.
func (b *Bursts) farErrors(e *BurstEstimate, far []float64, tail, unknown float64,
	open *[coldBin + 1]float64) {
	var v [coldBin + 1]float64
	var before [coldBin + 1]float64
	last, end, deepest, all := -1, -1, uint64(0), 0.0
	for i, n := range far {
		all += n
		if n > 0 {
			end = i
		}
	}
	for i, n := range far {
		if n == 0 {
			continue
		}
		now := b.phases[i].shares()
		deepest = max(deepest, b.phases[i].deepest)
		if last >= 0 {
			u := (n*n + far[last]*far[last]) / 4
			moved := moves(&before, &now, 0)
			for bin, d := range moved {
				v[bin] += u * d * d
			}
			if i == end {
				for bin, d := range moves(&before, &now, 1) {
					v[bin] += tail * tail * d * d
				}
			}
		}
		before, last = now, i
	}
	for bin := nearBins - 1; bin <= coldBin; bin++ {
		n := e.Errors[bin]
		may := (open[bin] + unknown) / 2
		v[bin] += missed(all, e.Phases)
		e.Errors[bin] = math.Sqrt(n*n + v[bin]*fewer(e.Phases-1) + may*may)
		if e.Phases < 2 && (bin < coldBin || unknown > 0) || bin < coldBin && deepest>>(bin-1) == 0 {
			e.Errors[bin] = math.NaN()
		}
	}
}

// moves returns by how much bins differ, or, if more, what crosses each; beside is how much of what
// has moved may move on to bins beside.
func moves(from, to *[coldBin + 1]float64, beside float64) (d [coldBin + 1]float64) {
	crossed, all := 0.0, 0.0 // the sum of from less that of to; what has moved
	for bin := range d {
		step := from[bin] - to[bin]
		d[bin] = max(math.Abs(step), min(math.Abs(crossed), math.Abs(crossed+step)))
		crossed += step
		all += math.Abs(step) / 2
	}
	for bin := range d {
		next := to[max(bin-1, 0)]
		if bin < coldBin-1 {
			next = max(next, to[bin+1])
		}
		d[bin] = max(d[bin], beside*all*next)
	}
	return d
}

// fewer returns by what a variance of so many degrees of freedom is larger than it seems, so that
// twice its root holds the truth in 95 of 100 cases: the square of Student's quantile beside the
// normal one, by the first terms of its expansion (Abramowitz and Stegun, 26.7.5), and as it is for
// one and two.
func fewer(n int) float64 {
	const z = 1.96
	t := 12.71
	switch f := float64(n); {
	case n == 2:
		t = 4.30
	case n > 2:
		t = z + (z*z*z+z)/(4*f) + (5*math.Pow(z, 5)+16*z*z*z+3*z)/(96*f*f)
	}
	return t * t / (z * z)
}

// nearShares are those of the bins below SmallBytes at a burst, in smallBins of what is no nearer,
// and in coldBin of far accesses.
func (b *Bursts) nearShares(cell int, r *rest) (s [coldBin + 1]float64) {
	c := &b.cells[cell]
	for k, n := range c.near {
		if k.bin < smallBins {
			s[k.bin] += float64(n) / float64(c.kept)
		}
	}
	s[smallBins] = c.beyondSmall()
	s[coldBin] = b.farShare(cell, s[smallBins], r)
	return s
}

// shares are those of the near bins.
func (r *rest) shares() (s [coldBin + 1]float64) {
	for k, n := range r.near {
		s[k.bin] += n / r.all
	}
	return s
}

// shares are those of the bins of far accesses of p alone; of censored distances that of their
// bound.
func (p *burstPhase) shares() (s [coldBin + 1]float64) {
	for k, n := range p.far {
		for _, c := range n {
			s[k.fine>>fineBits] += float64(c) / float64(p.count)
		}
	}
	return s
}

// farSums are weighed far accesses by group.
type farSums map[uint32]map[farKey]float64

func (f farSums) add(k farKey, n float64) {
	g := f[k.group]
	if g == nil {
		g = map[farKey]float64{}
		f[k.group] = g
	}
	g[k] += n
}

// settle adds the far accesses of each group to its bins: those that are censored in proportion to
// the others that are as far or farther, by Kaplan and Meier's estimate. It adds to open, by bin,
// what remains and may be there or farther.
func (f farSums) settle(bins func(group uint32) *[coldBin + 1]float64, open *[coldBin + 1]float64) {
	for group, sums := range f {
		to := bins(group)
		keys := slices.SortedFunc(maps.Keys(sums), func(a, b farKey) int {
			return cmp.Compare(a.fine, b.fine)
		})
		atRisk := 0.0
		for _, n := range sums {
			atRisk += n
		}
		all, left := atRisk, 1.0 // left: the share that is farther
		farthest := keys[len(keys)-1].fine >> fineBits
		for i := 0; i < len(keys); {
			fine, seen, gone := keys[i].fine, 0.0, 0.0
			for ; i < len(keys) && keys[i].fine == fine; i++ {
				if n := sums[keys[i]]; keys[i].censored {
					gone += n
				} else {
					seen += n
				}
			}
			here := 0.0
			if seen > 0 {
				farthest = fine >> fineBits
				here = left * min(1, seen/atRisk)
			}
			to[fine>>fineBits] += here * all
			left -= here
			atRisk -= seen + gone
		}
		to[coldBin] += max(0, left) * all
		for bin := int(farthest); bin <= coldBin; bin++ {
			open[bin] += max(0, left) * all
		}
	}
}
