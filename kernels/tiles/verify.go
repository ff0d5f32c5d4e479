package tiles

import (
	"fmt"
	"math"
	"math/rand/v2"

	"krdlab/kernels/kernel"
)

// Part is a part of a tile.
type Part int

// The parts: all of it; on and above the diagonal; on and below it, the diagonal as it is or ones.
const (
	All Part = iota
	Upper
	Lower
	UnitLower
)

// A Vector is a vector with the magnitudes that its rounding errors are in proportion to.
type Vector struct{ V, Size []float64 }

// NewVector returns a vector of zeros.
func NewVector(n int) Vector { return Vector{make([]float64, n), make([]float64, n)} }

// Signs returns a vector of 1 and -1, drawn from the seed.
func Signs(n int, seed uint64) Vector {
	x, r := NewVector(n), rand.New(rand.NewPCG(seed, 'x'))
	for i := range x.V {
		x.V[i], x.Size[i] = float64(int(r.Uint64()&2)-1), 1
	}
	return x
}

// Apply adds to y, from element i on, the product of a part of t with x, from element j on, in
// double precision.
func (t Tile) Apply(p Part, y Vector, i int, x Vector, j int) {
	xv, xs := x.V[j:], x.Size[j:]
	for r := range t.Rows {
		row := t.Row(r)
		lo, hi := 0, t.Cols
		sum, size := 0.0, 0.0
		switch p {
		case Upper:
			lo = r
		case Lower:
			hi = r + 1
		case UnitLower:
			hi = r
			sum, size = xv[r], xs[r]
		}
		for c := lo; c < hi; c++ {
			f := float64(row[c])
			sum += f * xv[c]
			size += math.Abs(f) * xs[c]
		}
		y.V[i+r] += sum
		y.Size[i+r] += size
	}
}

// slack is how many times the expected rounding error of a row may be off.
const slack = 8

// Compare is the verdict on the product got of factors with a vector, of which want is the same
// product with the matrix. The error is that of the worst row, in units of u sqrt(n) |L| |U| |x|: u
// = 2^-24, n the order of the matrix, and the magnitudes those of that row of the factors. (Higham,
// "Accuracy and stability of numerical algorithms", 2002, theorem 9.3, has n in place of sqrt(n),
// for errors that all go one way.) Its tolerance is 8.
func Compare(got, want Vector, what string) kernel.Check {
	c := kernel.Check{Tolerance: slack, Method: what + " times a vector of signs, worst row, in " +
		"units of the expected rounding error"}
	unit, row := math.Sqrt(float64(len(got.V)))/(1<<24), 0
	for i := range got.V {
		if e := math.Abs(got.V[i]-want.V[i]) / (unit * max(got.Size[i], 1e-300)); !(e <= c.Error) {
			c.Error, row = e, i
			if math.IsNaN(e) {
				break
			}
		}
	}
	if c.Passed = c.Error <= c.Tolerance; !c.Passed {
		c.Detail = fmt.Sprintf("worst in row %d", row)
	}
	if math.IsNaN(c.Error) { // documents have no such number
		c.Error, c.Detail = math.MaxFloat64, c.Detail+", which is not a number"
	}
	return c
}
