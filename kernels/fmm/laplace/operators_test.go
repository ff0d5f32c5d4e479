package laplace

import (
	"fmt"
	"math"
	"testing"

	"krdlab/kernels/isa"
)

// eachKernel calls f for every order, instruction set and treatment of dipoles.
func eachKernel(t *testing.T, f func(t *testing.T, k *Kernel)) {
	for order := MinOrder; order <= MaxOrder; order++ {
		for _, set := range isa.Supported() {
			for n := range 4 {
				dipoles, packed := n&1 > 0, n&2 > 0
				k, err := New(Options{order, set, dipoles, packed})
				if err != nil {
					t.Fatal(err)
				}
				if k.Order != order || k.ISA() != set || k.Dipoles() != dipoles ||
					k.Packed != packed {
					t.Fatalf("order %d, %v, dipoles %v, packed %v; want %d, %v, %v, %v", k.Order,
						k.ISA(), k.Dipoles(), k.Packed, order, set, dipoles, packed)
				}
				t.Run(fmt.Sprintf("order=%d/isa=%v/dipoles=%v/packed=%v", order, set, dipoles,
					packed), func(t *testing.T) { f(t, k) })
			}
		}
	}
}

// near fails where got is further than tol from want.
func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol) {
		t.Errorf("%s: %g, want %g within %g", what, got, want, tol)
	}
}

// fullMultipoles undoes scale and reduction: what the reduced multipoles make with any derivatives.
func effect(k *Kernel, c *Cells, cell int, r vec) (phi float64) {
	for n, e := range indices(k.Order-1, 1) {
		phi += float64(c.M[cell*k.MultipoleStride+n]) * math.Pow(c.Centre(cell).Scale,
			float64(e.degree())) * refDeriv(e, r)
	}
	return phi
}

// TestP2M: the reduced multipoles make the same potential as the full ones, to rounding.
func TestP2M(t *testing.T) {
	eachKernel(t, func(t *testing.T, k *Kernel) {
		b := NewBodies(40)
		b.ball(newRand(1), 0, 40, vec{3, -2, 1}, 0.7, k.Dipoles())
		c := k.NewCells(1)
		c.centre(0, b, 0, 40)
		k.P2M(c, 0, b, 0, 13)
		k.P2M(c, 0, b, 13, 13)
		k.P2M(c, 0, b, 13, 40)
		ref := refP2M(b, 0, 40, c.Centre(0).vec(), k.Order)
		for _, r := range []vec{{1, 0.5, -0.25}, {0, 0, 2}, {-0.3, 1, 0.7}} {
			want := 0.0
			for n, v := range ref {
				want += v * refDeriv(n, r)
			}
			near(t, "potential of the multipoles", effect(k, c, 0, r), want, 1e-6*math.Abs(want)+
				1e-5)
		}
		for n, v := range c.M[k.Multipoles:] { // packed, the locals too
			if v != 0 {
				t.Errorf("padding %d is %g", n, v)
			}
		}
	})
}

// TestChain: P2M, M2M, M2L, L2L and L2P in turn against the reference's, which differs by rounding
// alone.
func TestChain(t *testing.T) {
	eachKernel(t, func(t *testing.T, k *Kernel) {
		b := NewBodies(40)
		rng := newRand(2)
		b.ball(rng, 0, 20, vec{0, 0, 0}, 0.3, k.Dipoles())
		b.ball(rng, 20, 40, vec{1.1, -1, 0.9}, 0.3, k.Dipoles())
		c := k.NewCells(4) // 0 target leaf, 1 its parent, 2 source leaf, 3 its parent
		c.centre(0, b, 0, 20)
		c.centre(2, b, 20, 40)
		*c.Centre(1) = Centre{c.Centre(0).X + 0.1, c.Centre(0).Y - 0.07, c.Centre(0).Z + 0.05, 1}
		*c.Centre(3) = Centre{c.Centre(2).X - 0.06, c.Centre(2).Y + 0.03, c.Centre(2).Z - 0.09,
			0.5}
		k.P2M(c, 2, b, 20, 40)
		// the parent of one child is not about the centre of mass: a second child at the same place
		// would do
		if !k.Dipoles() {
			*c.Centre(3) = *c.Centre(2)
			c.Centre(3).Scale = 0.5
		}
		k.M2M(c, 2, 3)
		k.M2L(c, 1, 3)
		k.L2L(c, 1, 0)
		k.L2P(c, 0, b, 0, 20)

		x := func(i int) vec { return c.Centre(i).vec() }
		m := refM2M(refP2M(b, 20, 40, x(2), k.Order), x(2), x(3))
		l := refL2L(refM2L(m, x(1).sub(x(3)), k.Order), x(1), x(0))
		var got, want [][4]float64
		for i := range 20 {
			got, want = append(got, b.field(i)), append(want, refL2P(l, x(0), b.at(i)))
		}
		phi, acc := l2(got, want)
		if !(phi < 5e-7) || !(acc < 2e-6) {
			t.Errorf("relative errors %.2g of the potential, %.2g of the acceleration", phi, acc)
		}
	})
}
