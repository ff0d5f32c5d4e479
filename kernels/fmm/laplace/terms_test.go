package laplace

import (
	"errors"
	"testing"
)

// TestNumbers: the three numberings count what indices lists, and the sizes are those of TermsOf.
func TestNumbers(t *testing.T) {
	for order := MinOrder; order <= MaxOrder; order++ {
		for _, c := range []struct {
			zmax   int
			number func(index) int
			want   int
		}{
			{1, index.term, (order + 1) * (order + 1)},
			{2, index.deriv, 1 + 3*order*(order+1)/2},
			{order, index.full, (order + 1) * (order + 2) * (order + 3) / 6},
		} {
			all := indices(order, c.zmax)
			if len(all) != c.want {
				t.Errorf("order %d, z <= %d: %d indices, want %d", order, c.zmax, len(all), c.want)
			}
			for i, n := range all {
				if c.number(n) != i {
					t.Errorf("order %d, z <= %d: %v has number %d, want %d", order, c.zmax, n,
						c.number(n), i)
				}
			}
		}
		terms, err := TermsOf(order)
		if err != nil || terms.Locals != len(indices(order, 1)) ||
			terms.Multipoles != len(indices(order-1, 1)) {
			t.Errorf("order %d: %+v, %v", order, terms, err)
		}
	}
	terms, _ := TermsOf(5)
	if want := (Terms{5, 25, 36, 32, 48, false}); terms != want {
		t.Errorf("order 5: %+v, want %+v", terms, want)
	}
	for _, order := range []int{-1, 1, 11} {
		var bad *OrderError
		if _, err := New(Options{Order: order}); !errors.As(err, &bad) || bad.Order != order {
			t.Errorf("order %d: %v", order, err)
		}
	}
}

// term is the number of n among those with z <= 1.
func (n index) term() int { d := n.degree(); return d*d + 2*n.y + n.z }
