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

// Centroid returns the centre of the bodies lo to hi-1, each weighted by |q|, and the sum of the
// weights. Where charges have one sign that is the centre of mass, about which dipoles vanish;
// where they have not it lies among the bodies all the same, which the centre of charge need not.
// Without any charge it is the mean position, and the weight 0. An empty range gives zeros. Cost:
// about 2 ns a body.
func (b *Bodies) Centroid(lo, hi int) (x, y, z, weight float64) {
	var mx, my, mz float64
	for i := lo; i < hi; i++ {
		w := float64(b.Q[i])
		if w < 0 {
			w = -w
		}
		bx, by, bz := float64(b.X[i]), float64(b.Y[i]), float64(b.Z[i])
		x, y, z, weight = x+w*bx, y+w*by, z+w*bz, weight+w
		mx, my, mz = mx+bx, my+by, mz+bz
	}
	switch {
	case weight > 0:
		return x / weight, y / weight, z / weight, weight
	case hi > lo:
		n := float64(hi - lo)
		return mx / n, my / n, mz / n, 0
	}
	return 0, 0, 0, 0
}
