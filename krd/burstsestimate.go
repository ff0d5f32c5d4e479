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
	for i := range b.phases {
		n += b.phases[i].on + b.phases[i].off
	}
	return n
}

// weights returns how many accesses each phase stands for.
func (b *Bursts) weights() []float64 {
	w := make([]float64, len(b.phases))
	for i := range b.phases {
		p := &b.phases[i]
		w[i] += float64(p.on)
		if i == 0 {
			w[0] += float64(b.before)
		}
		if i == len(w)-1 {
			w[i] += float64(p.off)
			continue
		}
		w[i] += float64(p.off) / 2
		w[i+1] += float64(p.off) / 2
	}
	return w
}

// nearest returns, for each phase, the nearest that has what is asked for; nil if none has.
func (b *Bursts) nearest(has func(*burstPhase) bool) []int {
	at := make([]int, len(b.phases))
	last := -1
	for i := range at {
		if has(&b.phases[i]) {
			last = i
		}
		at[i] = last
	}
	if last < 0 {
		return nil
	}
	next := -1
	for i := len(at) - 1; i >= 0; i-- {
		if has(&b.phases[i]) {
			next = i
		}
		if at[i] < 0 || next >= 0 && next-i < i-at[i] {
			at[i] = next
		}
	}
	return at
}

// nearSum is how many accesses bursts of p have counted.
func (p *burstPhase) nearSum() (n float64) {
	for _, c := range p.near {
		n += float64(c)
	}
	return n
}

// Estimate returns what is known so far; nil if nothing was sampled from which anything follows.
// Its cost is in proportion to the groups, bins and phases.
func (b *Bursts) Estimate() *BurstEstimate {
	windows := b.nearest(func(p *burstPhase) bool { return p.settled > 0 })
	bursts := b.nearest(func(p *burstPhase) bool { return len(p.near) > 0 })
	if bursts == nil {
		return nil
	}
	e := &BurstEstimate{Accesses: b.all(), Groups: map[uint32]*[coldBin + 1]float64{}}
	weights := b.weights()
	far, near := make([]float64, len(weights)), make([]float64, len(weights))
	for i, w := range weights {
		share := 0.0
		if windows != nil {
			far[windows[i]] += w
			share = b.phases[windows[i]].farShare()
		}
		near[bursts[i]] += w * (1 - share)
	}
	var sets [Replicates]*farSums
	total := newFarSums()
	for r := range sets {
		sets[r] = newFarSums()
	}
	for i := range b.phases {
		p := &b.phases[i]
		if far[i] > 0 {
			e.Phases++
			scale := far[i] * ChosenOf / float64(p.settled)
			if all := p.farShare(); all == 1 {
				scale = far[i] / p.farCount() // more than there were accesses: chance
			}
			for k, n := range p.far {
				for r, c := range n {
					total.add(k, float64(c)*scale)
					sets[r].add(k, float64(c)*scale*Replicates)
				}
			}
		}
		if near[i] > 0 {
			e.Bursts += len(p.bursts)
			scale := near[i] / p.nearSum()
			for k, c := range p.near {
				e.group(k.group)[k.bin] += float64(c) * scale
			}
		}
	}
	total.settle(e.group)
	for _, g := range e.Groups {
		for bin, n := range g {
			e.Bins[bin] += n
		}
	}
	e.Errors = b.errors(weights, near, &sets)
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

// farCount is how many far accesses to chosen lines p has.
func (p *burstPhase) farCount() (n float64) {
	for _, k := range p.far {
		for _, c := range k {
			n += float64(c)
		}
	}
	return n
}

// farShare is the share of far accesses of p.
func (p *burstPhase) farShare() float64 {
	return min(1, p.farCount()*ChosenOf/float64(p.settled))
}

// errors returns the standard errors of bins: what differs between the replicates, between the
// bursts of a phase, and from a phase to the next, of which it is not known where between the two.
func (b *Bursts) errors(weights, near []float64, sets *[Replicates]*farSums) (
	errs [coldBin + 1]float64) {
	var one [Replicates][coldBin + 1]float64
	for r, s := range sets {
		s.settle(func(uint32) *[coldBin + 1]float64 { return &one[r] })
	}
	for bin := range errs {
		mean, sum := 0.0, 0.0
		for r := range one {
			mean += one[r][bin] / Replicates
		}
		for r := range one {
			sum += (one[r][bin] - mean) * (one[r][bin] - mean)
		}
		errs[bin] += sum / (Replicates * (Replicates - 1))
	}
	for i := range b.phases {
		if near[i] == 0 {
			continue
		}
		for bin, v := range b.phases[i].betweenBursts() {
			errs[bin] += v * near[i] * near[i]
		}
	}
	last := -1
	for i := range b.phases {
		p := &b.phases[i]
		if p.settled == 0 || len(p.near) == 0 {
			continue
		}
		if last >= 0 {
			before, now := b.phases[last].shares(), p.shares()
			gap := 0.0
			for j := last; j < i; j++ {
				gap += float64(b.phases[j].off)
			}
			for bin := range errs {
				d := gap * (now[bin] - before[bin])
				errs[bin] += d * d / 12
			}
		}
		last = i
	}
	for bin := range errs {
		errs[bin] = math.Sqrt(errs[bin])
	}
	return errs
}

// betweenBursts is the variance of the mean of the shares of near bins, of the bursts of p.
func (p *burstPhase) betweenBursts() (v nearShares) {
	var all []nearShares
	for i := range p.bursts {
		n := 0.0
		for _, c := range p.bursts[i] {
			n += float64(c)
		}
		var s nearShares
		for bin, c := range p.bursts[i] {
			s[bin] = float64(c) / n
		}
		if n > 0 {
			all = append(all, s)
		}
	}
	if n := float64(len(all)); n > 1 {
		for bin := range v {
			mean := 0.0
			for _, s := range all {
				mean += s[bin] / n
			}
			for _, s := range all {
				v[bin] += (s[bin] - mean) * (s[bin] - mean) / (n * (n - 1))
			}
		}
	}
	return v
}

type nearShares [nearBins]float64

// shares are those of the bins of p alone; of censored distances that of their bound.
func (p *burstPhase) shares() (s [coldBin + 1]float64) {
	far := p.farShare()
	if all := p.farCount(); all > 0 {
		for k, n := range p.far {
			for _, c := range n {
				s[k.fine>>fineBits] += far * float64(c) / all
			}
		}
	}
	near := p.nearSum()
	for k, c := range p.near {
		s[k.bin] += (1 - far) * float64(c) / near
	}
	return s
}

// farSums are weighed far accesses by group.
type farSums map[uint32]map[farKey]float64

func newFarSums() *farSums { return &farSums{} }

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
