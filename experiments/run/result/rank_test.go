package result

import (
	"reflect"
	"slices"
	"testing"
)

func between(low, median, high float64) Quantity {
	return Quantity{Median: Some(median), Low: Some(low), High: Some(high), N: 6}
}

func TestRank(t *testing.T) {
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

// Schedulers are ranked by time, whose interval is narrower than that of a speed-up; what is left
// out has no place.
func TestRankByTime(t *testing.T) {
	of := func(time, speedup Quantity) *Result {
		return &Result{Summary: Summary{TimeNS: time, Speedup: speedup}}
	}
	got := RankByTime([]*Result{nil, of(between(5, 6, 7), between(1, 2, 5)),
		of(between(2, 3, 4), between(2, 4, 6))})
	if want := (Ranking{Order: []int{2, 1}, Sure: true}); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, expected %+v", got, want)
	}
}
