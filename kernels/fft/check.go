package fft

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"

	"krdlab/kernels/kernel"
)

// fill draws whole numbers from -8 to 8 as real and imaginary parts.
func (in *instance) fill() {
	r := rand.New(rand.NewPCG(in.Env.Seed, 3))
	for i := range in.in.Data {
		in.in.Data[i] = complex(float64(r.IntN(17)-8), float64(r.IntN(17)-8))
	}
}

// tolerance is of errors in multiples of the root of the mean square, which random rounding errors
// of all stages and of the check's own sums stay below.
const tolerance = 1e-12

// Check computes three inputs from all outputs by the inverse transform's sum, and two outputs from
// all inputs. An output that is wrong, or in the wrong place, is off by about as much as it is large,
// and each sum by some 1/sqrt(n) of that or more, far above the tolerance.
func (in *instance) Check() kernel.Check {
	c := kernel.Check{Method: "three inputs and two outputs by direct sums, in multiples of the " +
		"root mean square", Tolerance: tolerance}
	n := len(in.in.Data)
	r := rand.New(rand.NewPCG(in.Env.Seed, 4))
	roots := newRoots(in.sizes)
	energy := 0.0
	for _, z := range in.in.Data {
		energy += real(z)*real(z) + imag(z)*imag(z)
	}
	rms := math.Sqrt(energy / float64(n))
	compare := func(what string, i int, got, want complex128, scale float64) {
		if e := cmplx.Abs(got-want) / scale; e > c.Error || math.IsNaN(e) {
			c.Error = e
			c.Detail = fmt.Sprintf("%s %d is %g, want %g", what, i, got, want)
		}
	}
	for range 3 {
		i := r.IntN(n)
		sum := direct(in.out.Data, i, func(k int) complex128 { return cmplx.Conj(roots.at(k)) })
		compare("by the outputs, input", i, sum/complex(float64(n), 0), in.in.Data[i], rms)
	}
	for range 2 {
		i := r.IntN(n)
		compare("output", i, in.out.Data[i], direct(in.in.Data, i, roots.at), rms*math.Sqrt(float64(n)))
	}
	if c.Passed = c.Error <= tolerance; c.Passed {
		c.Detail = ""
	}
	return c
}

// direct returns the sum of x[j] root(i j).
func direct(x []complex128, i int, root func(int) complex128) (sum complex128) {
	for j, z := range x {
		sum += z * root(i*j&(len(x)-1))
	}
	return sum
}
