package estimate

import (
	"cmp"
	"math"
	"slices"
)

// A Ranking is the order of some samples, and what the first is told from.
type Ranking struct {
	Order []int // the indices of those with values, the least median first
	// Told reports that the first is told from all others; P is the largest p of their tests, HolmP after
	// the correction over all rows; NaN: not all could be tested.
	Told     bool
	P, HolmP float64
	// Tied are those, in order, that the first is not told from, though a difference of the part Seen
	// of it would have been. Few are those that no difference would tell it from.
	Tied, Few []int
	Seen      float64 // of Tied the largest; NaN: there is none, or it is of 0
	N         int     // values of the smallest sample; an exact one is large enough
	Needed    int     // values of each that can be told apart; of Few the most
	Rows      int     // of all rankings that Holm's correction is over
}

// Rank returns the ranking of the samples of each row, the least median first. The first is
// told from the others where p, the largest of its tests against each, is below [Alpha] after Holm's
// correction over the rows. That the data choose the first asks for no correction where it is told
// from the second two-sided (Hung and Fithian, Rank verification for exponential families, Annals of
// Statistics 47, 2019).
func Rank(rows [][]Sample) []Ranking {
	list, each := make([]Ranking, len(rows)), make([][]float64, len(rows))
	var tested []*Ranking
	var ps []float64
	for i, row := range rows {
		r := &list[i]
		*r = Ranking{P: math.NaN(), HolmP: math.NaN(), Seen: math.NaN(), N: math.MaxInt}
		for j, s := range row {
			if n := len(s.Values); n > 0 {
				r.Order = append(r.Order, j)
				if s.Exact() {
					n = max(n, MinSample)
				}
				r.N = min(r.N, n)
			}
		}
		slices.SortStableFunc(r.Order, func(a, b int) int {
			return cmp.Compare(Median(row[a].Values), Median(row[b].Values))
		})
		if len(r.Order) < 2 {
			continue
		}
		r.P = 0
		for _, j := range r.Order[1:] {
			p := P(row[r.Order[0]], row[j])
			each[i], r.P = append(each[i], p), max(r.P, p) // NaN is the largest
		}
		if !math.IsNaN(r.P) {
			tested, ps = append(tested, r), append(ps, r.P)
		}
	}
	told := 0
	for i, adjusted := range Holm(ps) {
		tested[i].HolmP = adjusted
		if tested[i].Told = adjusted < Alpha; tested[i].Told {
			told++
		}
	}
	// the limit of the first row, in Holm's order, that is not told
	limit := Alpha / float64(max(1, len(tested)-told))
	for i := range list {
		list[i].Rows = len(rows)
		list[i].untold(rows[i], each[i], limit)
	}
	return list
}

// untold fills in what the first of a row, with p against each other, is not told from.
func (r *Ranking) untold(row []Sample, p []float64, limit float64) {
	for i := range p {
		j := r.Order[1+i]
		if r.Told || p[i] < limit {
			continue
		}
		a, b := row[r.Order[0]], row[j]
		seen := Seen(a, b, limit)
		nothing := Median(a.Values) == 0 || Median(b.Values) == 0 // a change relative to 0 is undefined
		if math.IsNaN(p[i]) || math.IsNaN(seen) && !nothing {
			needed := Needed(Alpha/float64(r.Rows), a.Exact() != b.Exact())
			r.Few, r.Needed = append(r.Few, j), max(r.Needed, needed, MinSample)
			continue
		}
		r.Tied = append(r.Tied, j)
		if !(r.Seen > seen) {
			r.Seen = seen
		}
	}
}
