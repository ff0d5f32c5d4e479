package laplace

import (
	"testing"

	"krdlab/kernels/isa"
)

// The operations of order 2, counted by hand.
func TestFlops(t *testing.T) {
	of := func(order int, dipoles, mutual bool) uint64 {
		k, err := New(Options{Order: order, ISA: isa.Portable, Dipoles: dipoles})
		if err != nil {
			t.Fatal(err)
		}
		return k.Flops(mutual)
	}
	// Derivatives: three of degree 1 with a term each; xx, yy with two terms, xy, xz, yz with two
	// (both raised), zz with two without u.
	const derivs = 3*3 + 2*(3+2) + 3*(3+3) + (2 + 2)
	// Products: 1 and the three dipoles in degrees 0 and 1 (4 locals), 1 alone in degree 2 (5
	// locals).
	for _, test := range []struct {
		dipoles, mutual bool
		want            uint64
	}{
		{true, false, derivs + 2*(4*4+5) + 4 + 3*9},
		{true, true, derivs + 2*(2*(4*4+5)+4+3*9)},
		{false, false, derivs + 2*(4+5) + 1 + 3*9},
	} {
		if got := of(2, test.dipoles, test.mutual); got != test.want {
			t.Errorf("order 2, dipoles %v, mutual %v: %d, want %d", test.dipoles, test.mutual, got,
				test.want)
		}
	}
	// 215 products at order 5 (the package's comment), of 22 multipoles and 36 locals.
	if one, both := of(5, false, false), of(5, false, true); both-one != 2*215+22+3*36 {
		t.Errorf("order 5: %d and %d, differ by %d", one, both, both-one)
	}
}
