package krd

import (
	"math"
	"math/bits"
)

// A BurstPart is groups that are a row of a table.
type BurstPart struct {
	Groups []uint32
	Sizes  []uint64 // accesses of each, as counted; nil: they are estimated too
}

// A BurstRow is the estimate of a part.
type BurstRow struct {
	Accesses, Error float64 // and the standard error: 0 if they are counted
	Cold            PartShare
	Beyond          []PartShare // cold, or from each of RowLimits on
	// Short names what was too little where a share is not known: see the constants. Of those draws
	// Seen saw the part, and Needed are needed.
	Short        string
	Seen, Needed int
}

// A PartShare is a share of the accesses of a part, and its standard error; NaN: not known.
type PartShare struct{ Share, Error float64 }

// Known reports that there is a share.
func (p PartShare) Known() bool { return !math.IsNaN(p.Share) }

// The lacks of a row. ShortOfAgreement: there are draws, but they differ by so much that two
// standard errors are more than mostUnsure.
const (
	ShortOfBursts      = "burst"
	ShortOfLargeBursts = "large burst"
	ShortOfPhases      = "phase"
	ShortOfAgreement   = "agreement"
)

// RowLimits are from where on accesses are beyond.
var RowLimits = []uint64{32 << 10, 1 << 20, PaperBytes}

// The columns of a row that are computed; one for each limit follows.
const (
	columnAll = iota
	columnCold
	columnLimits
)

const (
	// mostUnsure is the width, on one side, from which an interval of a share is worthless.
	mostUnsure = 0.5
	// littleShare is the share of a part's accesses in a scale up to which nothing needs to be seen of
	// them: they are an uncertainty.
	littleShare = 0.01
)

// stage returns the mean square of the share of a part that is a stage of its own which none of m
// draws has seen: if any share is as likely before, that is the integral of x^2 (1-x)^m.
func stage(m int) float64 {
	n := float64(m)
	return 2 / ((n + 1) * (n + 2) * (n + 3)) * fewer(n-1)
}

// needed returns how many draws of a scale must have seen a part, and their name. By stage alone,
// two standard errors are 0.57 with three bursts, which is more than mostUnsure, and 0.32 with
// four. Longer scales are a share of a row, and so is their error: two draws are enough to show how
// far they differ.
func needed(scale int) (int, string) {
	return [...]int{4, 2, 2}[scale], [...]string{ShortOfBursts, ShortOfLargeBursts, ShortOfPhases}[scale]
}

// burstRows makes the rows of an estimate, as its errors are made.
type burstRows struct {
	parts   []BurstPart
	of      [][]int     // parts of a group
	strata  [][]uint32  // groups of each
	values  [][]float64 // columns of groups
	sums    [][]float64 // and of parts
	v       [][]float64 // sums of squares; columnAll: of accesses, others: of shares
	changes [][]float64 // of parts, in a replicate
	lost    []float64   // accesses of counted parts in strata that no draw has seen
	scales  [scales]rowScale
}

// A rowScale is how much of each part a scale has, and how many draws of it have seen the part: so
// many, and as of equal weight (Kish, Survey Sampling, 1965).
type rowScale struct {
	draws            int
	reaching, beyond []float64 // accesses that are of that scale, or longer; that are longer
	seen             []int
	equal            []float64
}

func newRowScale(draws, n int) rowScale {
	return rowScale{draws, make([]float64, n), make([]float64, n), make([]int, n), make([]float64, n)}
}

func table(rows, columns int) [][]float64 {
	all, t := make([]float64, rows*columns), make([][]float64, rows)
	for i := range t {
		t[i] = all[i*columns : (i+1)*columns]
	}
	return t
}

func newRows(list []*scaleEstimate, sums []*scaleSum, factors [][scales]float64,
	parts []BurstPart) *burstRows {
	groups := 0
	for _, p := range parts {
		for _, g := range p.Groups {
			groups = max(groups, int(g)+1)
		}
	}
	k := columnLimits + len(RowLimits)
	r := &burstRows{parts: parts, of: make([][]int, groups), strata: make([][]uint32, len(factors)),
		values: table(groups, k), sums: table(len(parts), k), v: table(len(parts), k),
		changes: table(len(parts), k), lost: make([]float64, len(parts))}
	for i, p := range parts {
		for j, g := range p.Groups {
			r.of[g] = append(r.of[g], i)
			if p.Sizes != nil && factors[list[0].of(g)][0] == 0 {
				r.lost[i] += float64(p.Sizes[j])
			}
		}
	}
	for g := range r.of {
		if len(r.of[g]) == 0 {
			continue
		}
		h := list[0].of(uint32(g))
		r.strata[h] = append(r.strata[h], uint32(g))
		r.columns(sums, &factors[h], g, r.values[g])
		for _, i := range r.of[g] {
			for c, n := range r.values[g] {
				r.sums[i][c] += n
			}
		}
	}
	for at := range r.scales {
		if r.scales[at] = newRowScale(0, len(parts)); at < len(list) {
			r.scales[at] = r.scale(at, list[at], sums[at], factors)
		}
	}
	return r
}

// columns sets the columns of a group.
func (r *burstRows) columns(sums []*scaleSum, factor *[scales]float64, g int, to []float64) {
	clear(to)
	add := func(bin int, n float64) {
		to[columnAll] += n
		if bin >= coldBin {
			to[columnCold] += n
		}
		for i, l := range RowLimits {
			if bin >= bits.Len64(l) {
				to[columnLimits+i] += n
			}
		}
	}
	for i, s := range sums {
		if factor[i] == 0 || g >= len(s.groups) {
			continue
		}
		for bin, n := range s.groups[g][:beyond] {
			if n != 0 {
				add(bin, n*factor[i])
			}
		}
		if i+1 == len(sums) || factor[i+1] == 0 {
			add(coldBin, s.groups[g][beyond]*factor[i])
		}
	}
}

// scale returns what a scale has of the parts.
func (r *burstRows) scale(at int, s *scaleEstimate, sum *scaleSum, factors [][scales]float64) rowScale {
	n := len(r.parts)
	x := newRowScale(len(s.draws), n)
	for g, parts := range r.of[:min(len(r.of), len(sum.groups))] {
		if len(parts) == 0 {
			continue // it may be of no stratum: nothing was counted of it
		}
		f := factors[s.of(uint32(g))][at]
		for _, i := range parts {
			for _, n := range sum.groups[g] {
				x.reaching[i] += n * f
			}
			x.beyond[i] += sum.groups[g][beyond] * f
		}
	}
	square := make([]float64, n)
	for d := range s.draws {
		saw := map[int]float64{}
		see := func(group uint32, share float64) {
			if int(group) < len(r.of) {
				for _, i := range r.of[group] {
					saw[i] += share * s.weights[d]
				}
			}
		}
		if s.scale == longTime {
			for k, n := range s.b.phases[s.numbers[d]].far {
				see(k.group, float64(n)/float64(s.draws[d].kept))
			}
		} else {
			for _, c := range s.shares[d] {
				see(c.group, c.share)
			}
		}
		for i, n := range saw {
			x.seen[i]++
			x.equal[i] += n
			square[i] += n * n
		}
	}
	for i := range square {
		if square[i] > 0 {
			x.equal[i] *= x.equal[i] / square[i]
		}
	}
	return x
}

// replicate takes the sums without a draw of a scale, which changes some strata; nil: all.
func (r *burstRows) replicate(at int, sums []*scaleSum, factors [][scales]float64, strata map[int]bool) {
	touched := map[int]bool{}
	to := make([]float64, columnLimits+len(RowLimits))
	stratum := func(h int) {
		for _, g := range r.strata[h] {
			r.columns(sums, &factors[h], int(g), to)
			for _, i := range r.of[g] {
				touched[i] = true
				for c := range to {
					r.changes[i][c] += to[c] - r.values[g][c]
				}
			}
		}
	}
	for h := range r.strata {
		if strata == nil || strata[h] {
			stratum(h)
		}
	}
	for i := range touched {
		x, was := r.changes[i], r.sums[i]
		factor := leftOut(r.scales[at].draws) * fewer(r.scales[at].equal[i]-1)
		r.v[i][columnAll] += factor * x[columnAll] * x[columnAll]
		for c := columnCold; c < len(x); c++ {
			if all := was[columnAll] + x[columnAll]; all > 0 && was[columnAll] > 0 {
				d := (was[c]+x[c])/all - was[c]/was[columnAll]
				r.v[i][c] += factor * d * d
			}
		}
		clear(x)
	}
}

// end returns the rows. deep is the last bin that a phase has seen, lost are the accesses of strata
// that no draw has seen.
func (r *burstRows) end(deep int, lost float64) []BurstRow {
	rows := make([]BurstRow, len(r.parts))
	for i := range rows {
		rows[i] = r.row(i, deep, lost)
	}
	return rows
}

func (r *burstRows) row(i, deep int, lost float64) BurstRow {
	got, v := r.sums[i][columnAll], r.v[i]
	counted := r.parts[i].Sizes != nil
	var row BurstRow
	unseen := 0.0 // the share that is in no draw's stratum
	if counted {
		for _, n := range r.parts[i].Sizes {
			row.Accesses += float64(n)
		}
		unseen = r.lost[i] / max(1, row.Accesses)
	} else {
		row.Accesses, row.Error = got, math.Sqrt(v[columnAll]+lost*lost/4)
	}
	for scale := range r.scales {
		x, share := &r.scales[scale], 1.0
		if scale > 0 && row.Short == "" {
			share = max(x.reaching[i], r.scales[scale-1].beyond[i]) / got
		}
		n, what := needed(scale)
		few := share > 0 && x.seen[i] < n
		switch {
		case row.Short != "" || share == 0:
			continue
		case few && share > littleShare:
			row.Short, row.Seen, row.Needed = what, x.seen[i], n
			continue
		}
		hidden := share * share * stage(x.seen[i])
		if few {
			hidden = share * share / 4
		}
		for c := columnCold; c < len(v); c++ {
			v[c] += hidden
		}
	}
	if row.Short == ShortOfBursts && !counted {
		row.Error = math.NaN()
	}
	for c := columnCold; c < len(v); c++ {
		share, cold := r.sums[i][c]/got, r.sums[i][columnCold]/got
		variance := v[c] + unseen*unseen/4
		if c == columnCold || bits.Len64(RowLimits[c-columnLimits]) > deep {
			variance += cold * cold / 4
		}
		p := PartShare{share*(1-unseen) + unseen/2, math.Sqrt(variance)}
		if row.Short == "" && 2*p.Error > mostUnsure && c >= columnLimits {
			row.Short, row.Seen = ShortOfAgreement, r.scales[shortTime].seen[i]
		}
		if row.Short != "" && row.Short != ShortOfAgreement || 2*p.Error > mostUnsure {
			p = PartShare{math.NaN(), math.NaN()}
		}
		if c == columnCold {
			row.Cold = p
		} else {
			row.Beyond = append(row.Beyond, p)
		}
	}
	return row
}
