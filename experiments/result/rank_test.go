package result

import (
	"slices"
	"testing"
)

func TestRank(t *testing.T) {
	between := func(low, median, high float64) Quantity {
		return Quantity{Median: Some(median), Low: Some(low), High: Some(high), N: 6}
	}
	for _, test := range []struct {
		name   string
		list   []Quantity
		lowest bool
		want   Ranking
	}{
		{"none", []Quantity{{}}, false, Ranking{Sure: true}},
		{"apart", []Quantity{between(1, 2, 3), {}, between(4, 5, 6)}, false,
			Ranking{Order: []int{2, 0}, Sure: true}},
		{"the lowest, which overlaps with one", []Quantity{between(4, 5, 6), between(1, 2, 3),
			between(2.5, 3, 3.5)}, true, Ranking{Order: []int{1, 2, 0}, Tied: []int{2}, Sure: true}},
		{"touching", []Quantity{between(1, 2, 3), between(3, 4, 5)}, false,
			Ranking{Order: []int{1, 0}, Tied: []int{0}, Sure: true}},
		{"deterministic ones", []Quantity{exactly(2, 1), exactly(3, 1), exactly(3, 1)}, false,
			Ranking{Order: []int{1, 2, 0}, Tied: []int{2}, Sure: true}},
		{"one without interval", []Quantity{between(1, 2, 3), QuantityOf([]float64{2})}, true,
			Ranking{Order: []int{0, 1}}},
	} {
		r := Rank(test.list, test.lowest)
		if !slices.Equal(r.Order, test.want.Order) || !slices.Equal(r.Tied, test.want.Tied) ||
			r.Sure != test.want.Sure {
			t.Errorf("%s: %+v, want %+v", test.name, r, test.want)
		}
	}
}
