package laplace

import "unsafe"

// Bodies are N bodies as arrays, those of a leaf side by side. X, Y, Z are positions relative to an
// origin of the caller's choice, best the middle of all bodies and in units in which the whole is
// of size 1: single precision resolves 2^-24 of the distance from the origin. P is the potential,
// sum of q/r over the other bodies, and AX, AY, AZ its gradient, which attracts masses. Operators
// add to those four.
type Bodies struct {
	X, Y, Z, Q    []float32
	P, AX, AY, AZ []float32
}

// NewBodies returns n bodies, all zero.
func NewBodies(n int) *Bodies {
	f := func() []float32 { return aligned[float32](n) }
	return &Bodies{f(), f(), f(), f(), f(), f(), f(), f()}
}

// Bodies is eight slices in the order of its fields, for arrays.
var (
	_ [0 * sliceBytes]byte = [unsafe.Offsetof(Bodies{}.X)]byte{}
	_ [1 * sliceBytes]byte = [unsafe.Offsetof(Bodies{}.Y)]byte{}
	_ [2 * sliceBytes]byte = [unsafe.Offsetof(Bodies{}.Z)]byte{}
	_ [3 * sliceBytes]byte = [unsafe.Offsetof(Bodies{}.Q)]byte{}
	_ [4 * sliceBytes]byte = [unsafe.Offsetof(Bodies{}.P)]byte{}
	_ [5 * sliceBytes]byte = [unsafe.Offsetof(Bodies{}.AX)]byte{}
	_ [6 * sliceBytes]byte = [unsafe.Offsetof(Bodies{}.AY)]byte{}
	_ [7 * sliceBytes]byte = [unsafe.Offsetof(Bodies{}.AZ)]byte{}
	_ [8 * sliceBytes]byte = [unsafe.Sizeof(Bodies{})]byte{}
)

const sliceBytes = unsafe.Sizeof([]float32{})

// arrays returns b as the assembly takes it: the fields in their order.
func (b *Bodies) arrays() *[8][]float32 { return (*[8][]float32)(unsafe.Pointer(b)) }
