package estimate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// drawn are schedulers of n repetitions each, the others slower than the first by a part.
func drawn(r *rand.Rand, schedulers, n int, by, spread float64) (row []Sample) {
	for i := range schedulers {
		s, median := Sample{Values: make([]float64, n)}, 1.0
		if i > 0 {
			median += by
		}
		for j := range s.Values {
			s.Values[j] = median * math.Exp(spread*r.NormFloat64())
		}
		row = append(row, s)
	}
	return row
}

// Of schedulers that are alike none is named in 95 of 100 draws; one that is faster is named in 95, by
// twice the difference that the ties among equal ones give.
func TestPlantedRanks(t *testing.T) {
	const draws, n, spread = 400, 10, 0.05
	r := rand.New(rand.NewPCG(3, 4))
	wrong, ties, seen := 0, 0, 0.0
	for range draws {
		switch x := Rank([][]Sample{drawn(r, 4, n, 0, spread)})[0]; {
		case x.Told:
			wrong++
		case len(x.Tied) > 0 && x.Few == nil:
			ties++
			seen += x.Seen
		}
	}
	if seen /= float64(ties); wrong > draws/20 || wrong+ties != draws || !(seen > 0.02 && seen < 0.1) {
		t.Errorf("%d false winners and %d ties of %d, seen %.3f", wrong, ties, draws, seen)
	}
	named := 0
	for range draws {
		if x := Rank([][]Sample{drawn(r, 4, n, 2*seen, spread)})[0]; x.Told && x.Order[0] == 0 {
			named++
		}
	}
	if named < draws*95/100 {
		t.Errorf("one faster by %.3f is named in %d of %d", 2*seen, named, draws)
	}
	// a family of rows: none of them
	rows := 0
	for range draws / 4 {
		var list [][]Sample
		for range 5 {
			list = append(list, drawn(r, 3, n, 0, spread))
		}
		for _, x := range Rank(list) {
			if x.Told {
				rows++
				break
			}
		}
	}
	if rows > draws/4/10 { // 5 expected at most
		t.Errorf("false winners in %d of %d families", rows, draws/4)
	}
}

func TestRank(t *testing.T) {
	of := func(v ...float64) Sample { return Sample{Values: v} }
	exact := func(v float64) Sample { return Sample{[]float64{v}, true} }
	low, mid, high := of(1, 2, 3, 4, 5, 6), of(2.5, 3.5, 4.5, 5.5, 6.5, 7.5), of(11, 12, 13, 14, 15, 16)
	for _, c := range []struct {
		name   string
		row    []Sample
		want   string // order, told, tied, few, seen
		needed int
	}{
		{"none", []Sample{{}}, "[] false [] [] NaN", 0},
		{"one", []Sample{low}, "[0] false [] [] NaN", 0},
		{"the least", []Sample{high, {}, low}, "[2 0] true [] [] NaN", 0},
		{"the lowest, and one like it", []Sample{high, low, mid}, "[1 2 0] false [2] [] 0.90", 0},
		{"exact ones", []Sample{exact(4), exact(3), exact(3)}, "[1 2 0] false [2] [] 0.00", 0},
		{"exact ones apart", []Sample{exact(2), exact(3)}, "[0 1] true [] [] NaN", 0},
		{"exact beside six", []Sample{exact(0.5), low}, "[0 1] true [] [] NaN", 0},
		{"exact beside five", []Sample{exact(0.5), of(1, 2, 3, 4, 5)}, "[0 1] false [] [1] NaN", 6},
		{"three", []Sample{of(1, 2, 3), of(4, 5, 6)}, "[0 1] false [] [1] NaN", 6},
		{"parts of 0", []Sample{of(0, 0, 0, 0, 0, 1), of(0, 0, 0, 0, 1, 1)}, "[0 1] false [1] [] NaN", 0},
	} {
		r := Rank([][]Sample{c.row})[0]
		got := fmt.Sprintf("%v %v %v %v %.2f", r.Order, r.Told, r.Tied, r.Few, r.Seen)
		if got != c.want || r.Needed != c.needed {
			t.Errorf("%s: %s, %d needed, expected %s, %d", c.name, got, r.Needed, c.want, c.needed)
		}
	}
	// four can be told from four, and not as one row of two
	four := []Sample{of(1, 2, 3, 4), of(5, 6, 7, 8)}
	if r := Rank([][]Sample{four, four})[0]; r.Told || len(r.Few) != 1 || r.Needed != 6 ||
		!Rank([][]Sample{four})[0].Told {
		t.Errorf("four in one row of two: %+v", r)
	}
}

// A difference that would have been seen is seen where it is there, and one that is smaller is not; of
// samples that are too small none would be.
func TestSeen(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	times := func(v []float64, by float64) Sample {
		s := Sample{Values: make([]float64, len(v))}
		for i := range v {
			s.Values[i] = v[i] * by
		}
		return s
	}
	known := 0
	for _, n := range []int{3, 4, 5, 6, 7, 8} {
		for _, limit := range []float64{0.05, 0.01, 0.001} {
			a, b := make([]float64, n), make([]float64, n)
			for i := range n {
				a[i], b[i] = math.Exp(0.1*r.NormFloat64()), 2*math.Exp(0.2*r.NormFloat64())
			}
			seen, needed := Seen(times(a, 1), times(b, 1), limit), Needed(limit, false)
			if math.IsNaN(seen) == (n >= needed) {
				t.Errorf("%d repetitions, limit %g: %v, and %d are needed", n, limit, seen, needed)
			}
			if !(seen > 0) {
				continue
			}
			known++
			for by, want := range map[float64]bool{1 - 1e-3: false, 1 + 1e-3: true} {
				p := P(times(a, 1), times(b, Median(a)/Median(b)*(1+by*seen)))
				if got := p < limit; got != want {
					t.Errorf("%d repetitions, limit %g: %.4f of the difference %v that would be seen: p %v", n, limit,
						by, seen, p)
				}
			}
		}
	}
	if known < 8 {
		t.Errorf("%d differences", known)
	}
}
