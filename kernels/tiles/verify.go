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

// vectors is how many vectors a check multiplies with. A wrong element of L is multiplied with one
// of U x, which one vector of signs may make small, and four seldom.
const vectors = 4

// Vectors are vectors side by side, and for each row the square of the magnitude that its rounding
// errors are in proportion to.
type Vectors struct {
	V      [][vectors]float64
	Square []float64
}

// NewVectors returns vectors of n zeros.
func NewVectors(n int) Vectors { return Vectors{make([][vectors]float64, n), make([]float64, n)} }

// Signs returns vectors of 1 and -1, drawn from the seed.
func Signs(n int, seed uint64) Vectors {
	x, r := NewVectors(n), rand.New(rand.NewPCG(seed, 'x'))
	for i := range x.V {
		for v := range x.V[i] {
			x.V[i][v] = float64(int(r.Uint64()&2) - 1)
		}
		x.Square[i] = 1
	}
	return x
}

// Apply adds to y, from element i on, the products of a part of t with x, from element j on, in
// double precision.
func (t Tile) Apply(p Part, y Vectors, i int, x Vectors, j int) {
	for r := range t.Rows {
		lo, hi := 0, t.Cols
		var sum [vectors]float64
		square := 0.0
		switch p {
		case Upper:
			lo = r
		case Lower:
			hi = r + 1
		case UnitLower:
			hi = r
			sum, square = x.V[j+r], x.Square[j+r]
		}
		xv, xs := x.V[j+lo:j+hi], x.Square[j+lo:j+hi]
		for c, e := range t.Row(r)[lo:hi] {
			f := float64(e)
			for v := range sum {
				sum[v] += f * xv[c][v]
			}
			square += f * f * xs[c]
		}
		for v := range sum {
			y.V[i+r][v] += sum[v]
		}
		y.Square[i+r] += square
	}
}

// slack is how many expected rounding errors a row may be off.
const slack = 5

// Compare returns the verdict on the products got of factors with vectors of signs; want are the
// products of the matrix with the same vectors. The error is that of the worst row i, in units of u
// sqrt(n) r: u = 2^-24 and n the order of the matrix, r^2 the sum over k and j of l_ik^2 u_kj^2.
// Rounding errors that go either way add up to that: element i, j of L U is a sum of up to n terms,
// whose partial sums are each rounded, and signs add the errors of a row like a random walk. (The
// bound for errors that all go one way has n |L| |U| |x|: Higham, "Accuracy and stability of
// numerical algorithms", 2002, theorem 9.3. At n = 2048 it accepts wrong elements.)
//
// The tolerance is 5: relative to r, 1.4e-5 at n = 2048. A root, a reciprocal and a product make 4
// units of a diagonal element alone; the largest seen is 2.9 at n = 1, below 1.7 from n = 32 on. A
// single element of a factor that is wrong is seen if the error, times the root of the sum of the
// squares of the row (or column) that it is multiplied with, is some 5 u sqrt(n) r: where elements
// are of about one size, 5 u n of that, 6e-4 at n = 2048.
func Compare(got, want Vectors, what string) kernel.Check {
	c := kernel.Check{Tolerance: slack, Method: what + " times vectors of signs, worst row, in " +
		"units of the expected rounding error"}
	unit, row := math.Sqrt(float64(len(got.V)))/(1<<24), 0
	for i := range got.V {
		scale := unit * max(math.Sqrt(got.Square[i]), 1e-300)
		for v := range got.V[i] {
			e := math.Abs(got.V[i][v]-want.V[i][v]) / scale
			if !(e <= c.Error) && !math.IsNaN(c.Error) {
				c.Error, row = e, i
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
