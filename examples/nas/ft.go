package main

import (
	"fmt"
	"math"
	"math/cmplx"
)

// ftClass is a size of FT: the points in each direction, and the checksum after each step.
type ftClass struct {
	nx, ny, nz int
	checksums  []float64 // real and imaginary parts in turn
}

var ftClasses = [...]ftClass{
	{64, 64, 64, []float64{
		554.6087004964, 484.5363331978, 554.6385409189, 486.5304269511, 554.6148406171, 488.3910722336,
		554.5423607415, 490.1273169046, 554.4255039624, 491.7475857993, 554.2683411902, 493.2597244941}},
	{128, 128, 32, []float64{
		567.3612178944, 529.3246849175, 563.1436885271, 528.2149986629, 559.4024089970, 527.0996558037,
		556.0698047020, 526.0027904925, 553.0898991250, 524.9400845633, 550.4159734538, 523.9212247086}},
	{256, 256, 128, []float64{
		504.6735008193, 511.4047905510, 505.9412319734, 509.8809666433, 506.9376896287, 509.8144042213,
		507.7892868474, 510.1336130759, 508.5233095391, 510.4914655194, 509.1487099959, 510.7917842803}},
}

const (
	ftSteps     = 6
	ftDiffusion = 1e-6
)

// volume is points in space, or frequencies, x by x, then y by y.
type volume struct {
	nx, ny, nz int
	v          []complex128
}

// runFT solves the heat equation in frequencies: it transforms random numbers, and in each step
// has them decay and transforms them back. Each part of a checksum is compared by itself, which is
// stricter than NPB's comparison of complex numbers.
func runFT(class, steps int) (string, []float64, []float64) {
	c := ftClasses[class]
	n := c.nx * c.ny * c.nz
	u := volume{c.nx, c.ny, c.nz, make([]complex128, n)}
	w := volume{c.nx, c.ny, c.nz, make([]complex128, n)}
	fillRandom(u.v)
	decay := decays(u)
	transform(u, -1)
	var got []float64
	for range steps {
		evolve(u.v, decay)
		copy(w.v, u.v)
		transform(w, 1)
		sum := checksum(w)
		got = append(got, real(sum), imag(sum))
	}
	last := got[len(got)-2:]
	return fmt.Sprintf("%d x %d x %d points, checksum %.13g %.13g", c.nx, c.ny, c.nz, last[0],
		last[1]), got, c.checksums
}

// fillRandom sets v to random numbers, the real part first.
func fillRandom(v []complex128) {
	r := newRandom()
	for i := range v {
		re := r.next()
		v[i] = complex(re, r.next())
	}
}

// decays returns the factor of each frequency in a step.
func decays(u volume) []float64 {
	factors := make([]float64, 0, len(u.v))
	for z := range u.nz {
		for y := range u.ny {
			for x := range u.nx {
				square := frequency(x, u.nx) + frequency(y, u.ny) + frequency(z, u.nz)
				factors = append(factors, math.Exp(-4*math.Pi*math.Pi*ftDiffusion*square))
			}
		}
	}
	return factors
}

// frequency returns the square of the i-th of n frequencies; the upper half is negative.
func frequency(i, n int) float64 {
	if i >= n/2 {
		i -= n
	}
	return float64(i * i)
}

// evolve multiplies each frequency by its factor.
func evolve(v []complex128, factors []float64) {
	for i, f := range factors {
		v[i] *= complex(f, 0)
	}
}

// transform replaces u by its Fourier transform (sign -1), or by the inverse but for 1/n (sign 1).
func transform(u volume, sign float64) {
	transformX(u, newFFT(u.nx, sign))
	transformY(u, newFFT(u.ny, sign))
	transformZ(u, newFFT(u.nz, sign))
}

// transformX transforms all lines along x.
func transformX(u volume, f *fft) {
	for i := range u.nz * u.ny {
		line := u.v[i*u.nx : (i+1)*u.nx]
		copy(line, f.transform(line))
	}
}

// transformY transforms all lines along y.
func transformY(u volume, f *fft) {
	line := make([]complex128, u.ny)
	for z := range u.nz {
		for x := range u.nx {
			at := z*u.ny*u.nx + x
			gather(line, u.v[at:], u.nx)
			scatter(u.v[at:], f.transform(line), u.nx)
		}
	}
}

// transformZ transforms all lines along z.
func transformZ(u volume, f *fft) {
	line := make([]complex128, u.nz)
	plane := u.ny * u.nx
	for at := range plane {
		gather(line, u.v[at:], plane)
		scatter(u.v[at:], f.transform(line), plane)
	}
}

// gather sets line to every stride-th of v.
func gather(line, v []complex128, stride int) {
	for i := range line {
		line[i] = v[i*stride]
	}
}

// scatter sets every stride-th of v to those of line.
func scatter(v, line []complex128, stride int) {
	for i := range line {
		v[i*stride] = line[i]
	}
}

// fft transforms lines of a length, a power of two. roots are the first half of the roots of unity.
type fft struct{ roots, a, b []complex128 }

func newFFT(n int, sign float64) *fft {
	f := fft{make([]complex128, n/2), make([]complex128, n), make([]complex128, n)}
	for i := range f.roots {
		f.roots[i] = cmplx.Rect(1, sign*2*math.Pi*float64(i)/float64(n))
	}
	return &f
}

// transform returns the transform of a line, until the next call: by Stockham's algorithm, where
// each pass sorts as it halves the transforms that are left.
func (f *fft) transform(line []complex128) []complex128 {
	from, to := f.a, f.b
	copy(from, line)
	for stride := 1; stride < len(line); stride *= 2 {
		pass(to, from, f.roots, stride)
		from, to = to, from
	}
	return from
}

// pass makes the butterflies between the halves of stride transforms that are interleaved.
func pass(to, from, roots []complex128, stride int) {
	half := len(from) / 2
	for i := 0; i < half; i += stride {
		root := roots[i]
		for j := i; j < i+stride; j++ {
			a, b := from[j], from[j+half]
			to[i+j] = a + b
			to[i+j+stride] = (a - b) * root
		}
	}
}

// checksum returns the sum of 1024 points, over the number of all.
func checksum(u volume) complex128 {
	var sum complex128
	for i := 1; i <= 1024; i++ {
		x, y, z := i%u.nx, 3*i%u.ny, 5*i%u.nz
		sum += u.v[(z*u.ny+y)*u.nx+x]
	}
	return sum / complex(float64(len(u.v)), 0)
}
