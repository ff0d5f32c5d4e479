package laplace

import (
	"math"
	"unsafe"
)

// A Centre is where a cell's expansions are taken about, and the unit of length of their
// coefficients.
//
// Positions are float64 so that the difference of two near centres far from the origin keeps its
// digits; it is rounded to float32 after the subtraction. Scale is a power of two as [ScaleOf]
// returns it; with it the stored M_k/Scale^|k| and L_n Scale^|n| stay near the size of the charge
// and of the potential, whatever the order and however small the cell: unscaled, the derivative of
// order 11 of 1/r overflows float32 at r = 1/10000.
type Centre struct{ X, Y, Z, Scale float64 }

// Layout of Centre in the assembly, which is given the address of X and reads four numbers.
var (
	_ [0]byte  = [unsafe.Offsetof(Centre{}.X)]byte{}
	_ [8]byte  = [unsafe.Offsetof(Centre{}.Y)]byte{}
	_ [16]byte = [unsafe.Offsetof(Centre{}.Z)]byte{}
	_ [24]byte = [unsafe.Offsetof(Centre{}.Scale)]byte{}
	_ [32]byte = [unsafe.Sizeof(Centre{})]byte{}
)

// ScaleOf returns the scale of a cell whose farthest body is radius away from its centre: the least
// power of two that is not smaller, but at least 2^-30 of the root's radius, so that a cell of one
// body has one. Both are lengths, not negative. Where the root has no extent either it is 1.
func ScaleOf(radius, root float64) float64 {
	r := max(radius, root*0x1p-30)
	if !(r > 0) || math.IsInf(r, 0) {
		return 1
	}
	f, e := math.Frexp(r)
	if f == 0.5 {
		e--
	}
	return math.Ldexp(1, e)
}

// Cells are the expansions of a tree, as arrays by cell or packed. M holds the reduced multipoles,
// scaled by Scale^-|k|, in the units of charge; L the reduced locals, scaled by Scale^|n|, in those
// of the potential. their places are in [Terms]; packed, M and L are the same memory from different
// places.
type Cells struct {
	M, L    []float32
	terms   Terms
	n       int
	centres []float64
	stride  int // of the centres
}

// NewCells returns n cells with expansions of zero and Scale 1. They are aligned to cache lines,
// packed only the first.
func (t Terms) NewCells(n int) *Cells {
	c := &Cells{terms: t, n: n}
	if t.Packed {
		c.stride = t.MultipoleStride / 2
		c.centres = aligned[float64](n * c.stride)
		if n > 0 {
			all := unsafe.Slice((*float32)(unsafe.Pointer(&c.centres[0])), n*t.MultipoleStride)
			c.M = all[HeaderBytes/4:]
			c.L = c.M[t.Multipoles:]
		}
	} else {
		c.stride = int(unsafe.Sizeof(Centre{}) / unsafe.Sizeof(c.centres[0]))
		c.centres = aligned[float64](n * c.stride)
		c.M, c.L = aligned[float32](n*t.MultipoleStride), aligned[float32](n*t.LocalStride)
	}
	for i := range n {
		c.Centre(i).Scale = 1
	}
	return c
}

// Centre returns the centre of cell i.
func (c *Cells) Centre(i int) *Centre { return (*Centre)(unsafe.Pointer(&c.centres[i*c.stride])) }

// About returns cell i, as the only one, about another centre: its expansions are the same memory.
func (c *Cells) About(i int, centre *Centre) *Cells {
	t := &c.terms
	return &Cells{M: c.M[i*t.MultipoleStride:][:t.Multipoles], L: c.L[i*t.LocalStride:][:t.Locals],
		terms: c.terms, n: 1,
		centres: unsafe.Slice(&centre.X, unsafe.Sizeof(*centre)/unsafe.Sizeof(centre.X))}
}

// ClearLocals sets all locals to zero.
func (c *Cells) ClearLocals() {
	for i := range c.n {
		clear(c.L[i*c.terms.LocalStride:][:c.terms.Locals])
	}
}

// aligned returns n zeros that begin at a multiple of 64 bytes. T has no pointers and a size that
// divides 64.
func aligned[T float64 | float32](n int) []T {
	var z T
	per := 64 / int(unsafe.Sizeof(z))
	s := make([]T, n+per-1)
	off := 0
	if r := uintptr(unsafe.Pointer(unsafe.SliceData(s))) % 64; r != 0 {
		off = int((64 - r) / unsafe.Sizeof(z))
	}
	return s[off : off+n : off+n]
}
