package result

import (
	"cmp"
	"slices"
)

// A Ranking is the order of some quantities, and whether the first can be told from the others.
type Ranking struct {
	Order []int // the indices of those with a median, the best first
	// Tied are the indices of the others whose interval overlaps with that of the first. A
	// deterministic value is an interval of no width.
	Tied []int
	Sure bool // all have intervals; if not, nothing is tied and nothing told apart
}

// RankByTime is the rule by which a scheduler is called the fastest: the least median time, where
// its interval is clear of all others. Speed-ups have the same order, but wider
// intervals, in which the serial runs vary that all of them share. A nil result is left out.
func RankByTime(results []*Result) Ranking {
	times := make([]Quantity, len(results))
	for i, r := range results {
		if r != nil {
			times[i] = r.Summary.TimeNS
		}
	}
	return Rank(times, true)
}

// Rank returns the ranking of list, the highest first, or the lowest.
func Rank(list []Quantity, lowest bool) Ranking {
	sign := -1.0
	if lowest {
		sign = 1
	}
	r := Ranking{Sure: true}
	for i, q := range list {
		if q.Median.Known() {
			r.Order = append(r.Order, i)
		}
	}
	slices.SortStableFunc(r.Order, func(a, b int) int {
		return cmp.Compare(sign*list[a].Median.Float(), sign*list[b].Median.Float())
	})
	for k, i := range r.Order {
		low, high, ok := list[i].Bounds()
		r.Sure = r.Sure && ok
		if first, last, ok := list[r.Order[0]].Bounds(); ok && k > 0 && low <= last &&
			first <= high {
			r.Tied = append(r.Tied, i)
		}
	}
	if !r.Sure {
		r.Tied = nil
	}
	return r
}
