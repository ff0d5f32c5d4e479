package laplace

import (
	"fmt"
	"math"
	"testing"

	"krdlab/kernels/isa"
)

// farError is the relative errors of the potential and of the acceleration of 20 bodies in a ball
// of radius 0.3 from 20 in another at distance r, by expansions, against direct sums of the same
// single-precision positions.
func farError(k *Kernel, offset vec, r float64) (phi, acc float64) {
	b, c, rng := NewBodies(40), k.NewCells(2), newRand(uint64(k.Order))
	b.ball(rng, 0, 20, offset, 0.3, false)
	b.ball(rng, 20, 40, vec{offset[0] + r*0.6, offset[1] - r*0.64, offset[2] + r*0.48}, 0.3, false)
	for i := range 2 {
		c.centre(i, b, 20*i, 20*i+20)
		k.P2M(c, i, b, 20*i, 20*i+20)
	}
	k.M2LMutual(c, 0, 1)
	var got, want [][4]float64
	for i := range 40 {
		if i%20 == 0 {
			k.L2P(c, i/20, b, i, i+20)
		}
		got, want = append(got, b.field(i)), append(want, refDirect(b, i, 20-i/20*20, 40-i/20*20))
	}
	return l2(got, want)
}

// TestSlopes: errors fall with the power of the distance that the first terms left out have, |k| =
// P of the potential and |n|+|k| = P+1 of the acceleration: (a/r)^P in relation to q/r and q/r^2;
// down to single precision.
func TestSlopes(t *testing.T) {
	eachKernel(t, func(t *testing.T, k *Kernel) {
		near := 1.2
		phi, acc := farError(k, vec{}, near)
		for r := 2 * near; r < 5; r *= 2 {
			phi2, acc2 := farError(k, vec{}, r)
			for _, e := range []struct {
				what       string
				near, far  float64
				floor, low float64
			}{{"potential", phi, phi2, 3e-7, 0.7}, {"acceleration", acc, acc2, 1e-6, 0.7}} {
				if e.far < e.floor {
					continue
				}
				if slope := math.Log2(e.near / e.far); slope < float64(k.Order)-e.low ||
					slope > float64(k.Order)+2 {
					t.Errorf("%s: error %.2g at %.2g and %.2g at %.2g, slope %.2f, want about %d",
						e.what, e.near, r/2, e.far, r, slope, k.Order)
				}
			}
			phi, acc = phi2, acc2
		}
		if !(phi < 1e-3) || !(acc < 1e-2) {
			t.Errorf("errors %.2g and %.2g", phi, acc)
		}
	})
}

// TestRounding: with the order high and the distance large nothing is left but rounding, which is
// well below the errors that order 5 makes.
func TestRounding(t *testing.T) {
	for _, set := range isa.Supported() {
		k, err := New(Options{Order: 10, ISA: set})
		if err != nil {
			t.Fatal(err)
		}
		phi, acc := farError(k, vec{}, 6)
		if !(phi < 2.5e-7) || !(acc < 2.5e-7) {
			t.Errorf("%v: relative errors %.2g and %.2g", set, phi, acc)
		}
	}
}

// TestFarFromTheOrigin: the same cells thousands of their sizes away from the origin.
func TestFarFromTheOrigin(t *testing.T) {
	eachKernel(t, func(t *testing.T, k *Kernel) {
		phi, acc := farError(k, vec{}, 2)
		phi2, acc2 := farError(k, vec{3000, -5000, 1000}, 2)
		if !(phi2 < 1.5*phi+3e-7) || !(acc2 < 1.5*acc+1e-6) {
			t.Errorf("errors %.2g and %.2g, at the origin %.2g and %.2g", phi2, acc2, phi, acc)
		}
	})
}

// TestUp: multipoles of a parent are the same from its bodies and from its children, and the charge
// is conserved.
func TestUp(t *testing.T) {
	eachKernel(t, func(t *testing.T, k *Kernel) {
		b, c, rng := NewBodies(60), k.NewCells(4), newRand(3)
		b.ball(rng, 0, 10, vec{-0.5, 0, 0.2}, 0.4, k.Dipoles())
		b.ball(rng, 10, 30, vec{0.5, 0.3, 0.1}, 0.2, k.Dipoles())
		b.ball(rng, 30, 60, vec{0.1, -0.7, 0}, 0.3, k.Dipoles())
		c.centre(3, b, 0, 60)
		for i, r := range [][2]int{{0, 10}, {10, 30}, {30, 60}} {
			c.centre(i, b, r[0], r[1])
			k.P2M(c, i, b, r[0], r[1])
			k.M2M(c, i, 3)
		}
		direct := k.NewCells(4)
		*direct.Centre(3) = *c.Centre(3)
		k.P2M(direct, 3, b, 0, 60)
		charge := 0.0
		for _, q := range b.Q {
			charge += float64(q)
		}
		m, want := c.M[3*k.MultipoleStride:], direct.M[3*k.MultipoleStride:]
		near(t, "charge", float64(m[0]), charge, 1e-5)
		for n, e := range indices(k.Order-1, 1) {
			near(t, fmt.Sprintf("M%v", e), float64(m[n]), float64(want[n]), 60*2e-7)
		}
		if !k.Dipoles() && (m[1] != 0 || m[2] != 0 || m[3] != 0) {
			t.Errorf("dipoles %v", m[1:4])
		}
	})
}

// TestDown: locals are polynomials, so that a child's say exactly what its parent's do, and twice
// handed down as well.
func TestDown(t *testing.T) {
	eachKernel(t, func(t *testing.T, k *Kernel) {
		b, c := pairOf(k, 4, vec{}, vec{1.2, -1.3, 0.7})
		k.M2L(c, 0, 1)
		tree := k.NewCells(3)
		copy(tree.L[:k.Locals], c.L)
		x := *c.Centre(0)
		*tree.Centre(0) = x
		*tree.Centre(1) = Centre{x.X + 0.1, x.Y - 0.05, x.Z + 0.2, 0.25}
		*tree.Centre(2) = Centre{x.X + 0.12, x.Y + 0.1, x.Z + 0.1, 0.125}
		k.L2L(tree, 0, 1)
		k.L2L(tree, 1, 2)
		var fields [3][][4]float64
		for i := range fields {
			b.clearResults()
			k.L2P(tree, i, b, 0, 20)
			k.L2P(tree, i, b, 20, 20)
			guarded(t, b, 0, 20)
			for j := range 20 {
				fields[i] = append(fields[i], b.field(j))
			}
		}
		for i := 1; i < 3; i++ {
			if phi, acc := l2(fields[i], fields[0]); !(phi < 1e-6) || !(acc < 1e-5) {
				t.Errorf("handed down %d times: the potential differs by %.2g, the acceleration "+
					"by %.2g", i, phi, acc)
			}
		}
	})
}

// TestScales: cells so small or large that unscaled coefficients would not be floats give the same
// field in their own units.
func TestScales(t *testing.T) {
	eachKernel(t, func(t *testing.T, k *Kernel) {
		field := func(unit float64) (f [][4]float64) {
			b, c := pairOf(k, 5, vec{}, vec{1.2, -1.3, 0.7})
			for i := range b.X {
				b.X[i], b.Y[i], b.Z[i] = b.X[i]*float32(unit), b.Y[i]*float32(unit),
					b.Z[i]*float32(unit)
			}
			c.ClearLocals()
			for i := range 2 {
				clear(c.M[i*k.MultipoleStride:][:k.Multipoles])
				x := c.Centre(i)
				*x = Centre{x.X * unit, x.Y * unit, x.Z * unit, ScaleOf(0.5*unit, unit)}
				k.P2M(c, i, b, 20*i, 20*i+20)
			}
			k.M2LMutual(c, 0, 1)
			k.L2P(c, 0, b, 0, 20)
			k.L2P(c, 1, b, 20, 40)
			for i := range 40 {
				v := b.field(i)
				f = append(f, [4]float64{v[0] * unit, v[1] * unit * unit, v[2] * unit * unit,
					v[3] * unit * unit})
			}
			return f
		}
		want := field(1)
		for _, unit := range []float64{0x1p-40, 0x1p40} {
			if phi, acc := l2(field(unit), want); !(phi < 1e-6) || !(acc < 1e-6) {
				t.Errorf("unit %g: the potential differs by %g, the acceleration by %g", unit, phi,
					acc)
			}
		}
	})
}

// TestOneBody: cells of one body, and of several in one point, have no extent.
func TestOneBody(t *testing.T) {
	eachKernel(t, func(t *testing.T, k *Kernel) {
		b, c := NewBodies(5), k.NewCells(2)
		for i := range b.X {
			b.X[i], b.Y[i], b.Z[i], b.Q[i] = 0.1, 0.2, 0.3, 1
		}
		b.X[0], b.Y[0], b.Q[0] = 1.1, -0.7, 2
		c.centre(0, b, 0, 1)
		c.centre(1, b, 1, 5)
		k.P2M(c, 0, b, 0, 1)
		k.P2M(c, 1, b, 1, 5)
		k.M2LMutual(c, 0, 1)
		k.L2P(c, 0, b, 0, 1)
		k.L2P(c, 1, b, 1, 5)
		compare(t, "one", b, 0, 1, 1, 5)
		compare(t, "four in a point", b, 1, 5, 0, 1)
	})
}

// TestNoCharge: charges that add up to nothing have a centre, and a dipole that acts.
func TestNoCharge(t *testing.T) {
	k, err := New(Options{Order: 8, Dipoles: true})
	if err != nil {
		t.Fatal(err)
	}
	b, c := NewBodies(3), k.NewCells(2)
	copy(b.X, []float32{-0.1, 0.1, 2})
	copy(b.Q, []float32{1, -1, 0})
	c.centre(0, b, 0, 2)
	c.centre(1, b, 2, 3) // no charge at all
	if x := *c.Centre(1); x.X != 2 || x.Y != 0 {
		t.Fatalf("centre %+v of a body without charge", x)
	}
	k.P2M(c, 0, b, 0, 2)
	k.M2L(c, 1, 0)
	k.L2P(c, 1, b, 2, 3)
	want := refDirect(b, 2, 0, 2)
	for e, w := range want {
		near(t, fmt.Sprintf("field %d of a dipole", e), b.field(2)[e], w, 1e-6*math.Abs(want[0])+
			1e-8)
	}
}

// TestScaleOf: powers of two that are not smaller.
func TestScaleOf(t *testing.T) {
	for _, c := range []struct{ radius, root, want float64 }{
		{1, 4, 1}, {1.01, 4, 2}, {0.3, 4, 0.5}, {0.25, 1, 0.25}, {0, 1, 0x1p-30}, {0, 3, 0x1p-28},
		{0, 0, 1},
		{math.Inf(1), 1, 1}, {math.NaN(), 1, 1},
	} {
		if got := ScaleOf(c.radius, c.root); got != c.want {
			t.Errorf("ScaleOf(%g, %g) = %g, want %g", c.radius, c.root, got, c.want)
		}
	}
}
