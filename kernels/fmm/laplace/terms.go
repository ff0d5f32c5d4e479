package laplace

import (
	"fmt"
	"unsafe"

	"krdlab/hw/failure"
)

// The orders that expansions may have.
const (
	MinOrder = 2
	MaxOrder = 10
)

// Sizes of the largest order, for arrays on the stack.
const (
	maxFull   = (MaxOrder + 1) * (MaxOrder + 2) * (MaxOrder + 3) / 6 // all multi-indices
	maxTerms  = (MaxOrder + 1) * (MaxOrder + 1)                      // those with z <= 1
	maxDerivs = 3*MaxOrder*(MaxOrder+1)/2 + 1                        // those with z <= 2
)

// An OrderError reports an order without expansions.
type OrderError struct{ Order int }

func (e *OrderError) Error() string {
	return fmt.Sprintf("order %d: expected %d to %d", e.Order, MinOrder, MaxOrder)
}

// Class implements [failure.Classed].
func (*OrderError) Class() failure.Class { return failure.Request }

// Terms are the numbers of coefficients of an expansion of some order, and where those of a cell
// lie: cell i has M[i*MultipoleStride:][:Multipoles] and L[i*LocalStride:][:Locals]. By arrays the
// rest is padding that is zero and stays so. Packed, a cell is a stretch of CellBytes bytes, not a
// multiple of cache lines: a header of HeaderBytes that begins with the centre, the multipoles, the
// locals, and padding behind those, since assembly adds zeros up to the next multiple of 16.
//
// Coefficients stand by degree; within a degree by y, and for each y z = 0 before z = 1, so that
// (a, b, c) is number (a+b+c)^2 + 2b + c. For each multipole k the derivatives D_{n+k} of all n of
// one degree are then a contiguous run.
type Terms struct {
	Order           int
	Multipoles      int // Order^2: degrees 0 to Order-1, dipoles included
	Locals          int // (Order+1)^2: degrees 0 to Order
	MultipoleStride int // in floats; by arrays a multiple of 16: cells begin on a cache line
	LocalStride     int // likewise
	Packed          bool
}

// HeaderBytes is the beginning of a packed cell: as many bytes as exaFMM's cell had in 2013 beside
// its expansions (indices, numbers of children and bodies, centre, radii).
const HeaderBytes = 64

// Pack returns the terms of packed cells.
func (t Terms) Pack() Terms {
	even := func(n int) int { return (n + 1) &^ 1 } // centres are float64
	n := even(HeaderBytes/4 + t.Multipoles + (t.Locals+15)&^15)
	t.MultipoleStride, t.LocalStride, t.Packed = n, n, true
	return t
}

// CellBytes returns the bytes of a cell with its centre.
func (t Terms) CellBytes() int {
	if t.Packed {
		return 4 * t.MultipoleStride
	}
	return 4*(t.MultipoleStride+t.LocalStride) + int(unsafe.Sizeof(Centre{}))
}

// TermsOf returns the sizes of an order, or an [*OrderError].
func TermsOf(order int) (Terms, error) {
	if order < MinOrder || order > MaxOrder {
		return Terms{}, &OrderError{order}
	}
	up := func(n int) int { return (n + 15) &^ 15 }
	m, l := order*order, (order+1)*(order+1)
	return Terms{order, m, l, up(m), up(l), false}, nil
}

// index is a multi-index: how often to differentiate by (or multiply with) x, y and z.
type index struct{ x, y, z int }

func (n index) degree() int { return n.x + n.y + n.z }

// deriv returns the number of n among those with z <= 2.
func (n index) deriv() int {
	d := n.degree()
	if d == 0 {
		return 0
	}
	number := 1 + 3*d*(d-1)/2 + 3*n.y + n.z
	if n.y == d { // (1, d-1, 2) is not there
		number--
	}
	return number
}

// full returns the number of n among all.
func (n index) full() int {
	d := n.degree()
	return d*(d+1)*(d+2)/6 + n.y*(d+1) - n.y*(n.y-1)/2 + n.z
}

// indices returns all multi-indices of degree at most d with z <= zmax, in the order of term, deriv
// and full.
func indices(d, zmax int) []index {
	var s []index
	for m := range d + 1 {
		for y := range m + 1 {
			for z := range min(m-y, zmax) + 1 {
				s = append(s, index{m - y - z, y, z})
			}
		}
	}
	return s
}
