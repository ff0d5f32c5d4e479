package laplace

import (
	"fmt"
	"math"
	"testing"
)

// pairOf returns two well separated cells of 20 bodies each, with multipoles, the second's bodies
// about offset + at.
func pairOf(k *Kernel, seed uint64, offset, at vec) (*Bodies, *Cells) {
	b, c, rng := NewBodies(40), k.NewCells(2), newRand(seed)
	b.ball(rng, 0, 20, offset, 0.45, k.Dipoles())
	b.ball(rng, 20, 40, vec{offset[0] + at[0], offset[1] + at[1], offset[2] + at[2]}, 0.2,
		k.Dipoles())
	for i := range 2 {
		c.centre(i, b, 20*i, 20*i+20)
		k.P2M(c, i, b, 20*i, 20*i+20)
	}
	return b, c
}

// directions are axes, planes and others: where derivatives vanish and where they do not.
var directions = []vec{{2, 0, 0}, {0, -2, 0}, {0, 0, 2}, {1.5, 1.5, 0}, {0, 1.5, -1.5},
	{-1.5, 0, 1.5}, {1.2, -1.3, 0.7}, {-0.4, 1.7, -1.1}}

// TestM2L: both forms against the reference, coefficient by coefficient, relative to the size of a
// coefficient of that degree, for all directions; added to the present values; padding untouched.
func TestM2L(t *testing.T) {
	eachKernel(t, func(t *testing.T, k *Kernel) {
		for d, at := range directions {
			b, c := pairOf(k, uint64(d), vec{}, at)
			one := k.NewCells(2)
			for i := range 2 {
				*one.Centre(i) = *c.Centre(i)
				copy(one.M[i*k.MultipoleStride:][:k.Multipoles], c.M[i*k.MultipoleStride:])
				for n := range k.Locals {
					one.L[i*k.LocalStride+n], c.L[i*k.LocalStride+n] = 1, 1
				}
			}
			k.M2LMutual(c, 0, 1)
			k.M2L(one, 0, 1)
			k.M2L(one, 1, 0)
			for i := range 2 {
				j := 1 - i
				x, s := c.Centre(i).vec(), c.Centre(i).Scale
				r := x.sub(c.Centre(j).vec())
				m := refP2M(b, 20*j, 20*j+20, c.Centre(j).vec(), k.Order)
				if !k.Dipoles() {
					for n := range m {
						if n.degree() == 1 {
							delete(m, n)
						}
					}
				}
				ref := refM2L(m, r, k.Order)
				for q, n := range indices(k.Order, 1) {
					want := ref[n]*math.Pow(s, float64(n.degree())) + 1
					// The largest T_n of a degree is its factorial.
					size := 20 / r.norm() * math.Pow(s/r.norm(), float64(n.degree())) * math.Gamma(
						float64(n.degree()+1))
					// Float32 keeps 1 + x to 2^-24; rounding in T_n grows with its degree.
					tol := 1.2e-7*math.Abs(want) + size*2e-7*math.Pow(1.7, float64(k.Order))
					near(t, fmt.Sprintf("direction %d, cell %d, L%v, mutual", d, i, n),
						float64(c.L[i*k.LocalStride+q]), want, tol)
					near(t, fmt.Sprintf("direction %d, cell %d, L%v, one way", d, i, n),
						float64(one.L[i*k.LocalStride+q]), want, tol)
				}
				end := (i + 1) * k.LocalStride
				if k.Packed { // behind the padding there is the next cell
					end -= HeaderBytes/4 + k.Multipoles
				}
				for q, v := range c.L[i*k.LocalStride+k.Locals : end] {
					if v != 0 || one.L[i*k.LocalStride+k.Locals+q] != 0 {
						t.Fatalf("cell %d: padding %d is written", i, q)
					}
				}
			}
			if t.Failed() {
				return
			}
		}
	})
}
