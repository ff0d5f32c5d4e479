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
		if b.cells[i].kept > 0 {
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

// nearest returns the phase with far accesses that is nearest to a cell, -1: there is none.
func (b *Bursts) nearest(cell int) int {
	best, least := -1, 0
	for i := range b.phases {
		p := &b.phases[i]
		if away := max(p.first-cell, cell-p.last, 0); p.count > 0 && (best < 0 || away < least) {
			best, least = i, away
		}
	}
	return best
}

// A rest is how the accesses of a burst that are no nearer than SmallBytes are shared out: near ones
// by group and bin, and far ones.
type rest struct {
	near     map[groupBinOf]float64
	far, all float64
}

// rests returns that of each burst: its own, or, if it is small or has none, that of the nearest one.
func (b *Bursts) rests() []*rest {
	list := make([]*rest, len(b.cells))
	last := -1
	for i := range b.cells {
		c := &b.cells[i]
		if c.small || c.kept == 0 {
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
	rests := b.rests()
	for i, w := range weights {
		c := &b.cells[i]
		if c.kept == 0 {
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
		if p := b.nearest(i); p < 0 {
			unknown += w * share
		} else {
			far[p] += w * share
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
	total.settle(e.group)
	if unknown > 0 {
		e.group(0)[coldBin] += unknown
	}
	for _, g := range e.Groups {
		for bin, n := range g {
			e.Bins[bin] += n
		}
	}
	b.errors(e, weights, far, rests, &sets)
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
		s.settle(func(uint32) *[coldBin + 1]float64 { return &one[r] })
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
	for _, n := range far {
		all += n
	}
	last = -1
	for i, n := range far {
		if n == 0 {
			continue
		}
		now := b.phases[i].shares()
		if last >= 0 {
			for bin := range v {
				d := now[bin] - before[bin]
				v[bin] += (n*n + far[last]*far[last]) / 4 * d * d
			}
		}
		before, last = now, i
	}
	for bin := range v {
		if all > 0 && bin >= nearBins-1 {
			share := e.Bins[bin] / all
			v[bin] += share * share * ofFar
		}
		e.Errors[bin] = math.Sqrt(v[bin])
	}
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
// the others that are as far or farther, by Kaplan and Meier's estimate.
func (f farSums) settle(bins func(group uint32) *[coldBin + 1]float64) {
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
				here = left * min(1, seen/atRisk)
			}
			to[fine>>fineBits] += here * all
			left -= here
			atRisk -= seen + gone
		}
		to[coldBin] += max(0, left) * all
	}
}
