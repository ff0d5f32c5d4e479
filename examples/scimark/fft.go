package main

import (
	"fmt"
	"math"
	"math/bits"
	"time"
)

// runFFT transforms n complex numbers and back again.
func runFFT(s size) (string, time.Duration, error) { return thereAndBack(s, transform) }

// runInterchanged does so with the loops interchanged.
func runInterchanged(s size) (string, time.Duration, error) { return thereAndBack(s, interchanged) }

func thereAndBack(s size, transform func([]float64, float64)) (string, time.Duration, error) {
	if bits.OnesCount(uint(s.n)) != 1 {
		return "", 0, fmt.Errorf("%d is no power of two", s.n)
	}
	data := make([]float64, 2*s.n)
	fill(data, seed)
	began := time.Now()
	for range s.iterations {
		transform(data, -1)
		transform(data, 1)
		normalise(data)
	}
	took := time.Since(began)
	e := fftError(data)
	if !(e < 1e-12*float64(s.iterations)) {
		return "", 0, fmt.Errorf("the inverse of the transform is %g off", e)
	}
	return fmt.Sprintf("n %d, %d iterations: sum %.15g", s.n, s.iterations, sum(data)), took, nil
}

// fftError returns the root of the mean square of the differences of data from fill's.
func fftError(data []float64) float64 {
	was := make([]float64, len(data))
	fill(was, seed)
	total := 0.0
	for i := range data {
		d := data[i] - was[i]
		total += d * d
	}
	return math.Sqrt(total / float64(len(data)))
}

// normalise ends the inverse of a transform.
func normalise(data []float64) {
	norm := 1 / float64(len(data)/2)
	for i := range data {
		data[i] *= norm
	}
}

// transform replaces data, n complex numbers whose real and imaginary parts take turns, by their
// Fourier transform: radix 2, decimation in time. The twiddle factor of a butterfly comes from the
// one before it.
func transform(data []float64, direction float64) {
	n := len(data) / 2
	bitReverse(data)
	for dual := 1; dual < n; dual *= 2 {
		wReal, wImag := 1.0, 0.0
		theta := direction * math.Pi / float64(dual)
		s, t := math.Sin(theta), math.Sin(theta/2)
		s2 := 2 * t * t
		for b := 0; b < n; b += 2 * dual { // the first factor is 1
			i, j := 2*b, 2*(b+dual)
			zReal, zImag := data[j], data[j+1]
			data[j] = data[i] - zReal
			data[j+1] = data[i+1] - zImag
			data[i] += zReal
			data[i+1] += zImag
		}
		for a := 1; a < dual; a++ {
			wReal, wImag = wReal-s*wImag-s2*wReal, wImag+s*wReal-s2*wImag
			for b := 0; b < n; b += 2 * dual {
				i, j := 2*(b+a), 2*(b+a+dual)
				zReal, zImag := data[j], data[j+1]
				dReal, dImag := wReal*zReal-wImag*zImag, wReal*zImag+wImag*zReal
				data[j] = data[i] - dReal
				data[j+1] = data[i+1] - dImag
				data[i] += dReal
				data[i+1] += dImag
			}
		}
	}
}

// interchanged works like transform, with the loops over the butterflies of a pass in the other
// order, so that each pass goes through data from end to end (figure 7 of "Virtual reuse distance
// analysis of SPECjvm2008 data locality"). Each block makes the factors of the pass anew, so that
// the accesses are the same in another order; so is the result, bit by bit.
//
// Rejected: the factors in a slice. Figure 7 keeps its sums in one, because the loop that goes
// outside carries them; factors are carried by the one that goes inside. The slice is a third
// stream of lines beside the two of data: at 2^15 numbers, 17 % of the accesses are in bin 8
// because of it, and in bin 7 without.
func interchanged(data []float64, direction float64) {
	n := len(data) / 2
	bitReverse(data)
	for dual := 1; dual < n; dual *= 2 {
		theta := direction * math.Pi / float64(dual)
		s, t := math.Sin(theta), math.Sin(theta/2)
		s2 := 2 * t * t
		for b := 0; b < n; b += 2 * dual {
			wReal, wImag := 1.0, 0.0
			i, j := 2*b, 2*(b+dual)
			zReal, zImag := data[j], data[j+1]
			data[j] = data[i] - zReal
			data[j+1] = data[i+1] - zImag
			data[i] += zReal
			data[i+1] += zImag
			for a := 1; a < dual; a++ {
				i, j := 2*(b+a), 2*(b+a+dual)
				wReal, wImag = wReal-s*wImag-s2*wReal, wImag+s*wReal-s2*wImag
				zReal, zImag := data[j], data[j+1]
				dReal, dImag := wReal*zReal-wImag*zImag, wReal*zImag+wImag*zReal
				data[j] = data[i] - dReal
				data[j+1] = data[i+1] - dImag
				data[i] += dReal
				data[i+1] += dImag
			}
		}
	}
}

// bitReverse exchanges each number with the one whose index has the bits in the opposite order
// (Gold and Rader, 1969).
func bitReverse(data []float64) {
	n := len(data) / 2
	for i, j := 0, 0; i < n-1; i++ {
		ii, jj, k := 2*i, 2*j, n/2
		if i < j {
			tReal, tImag := data[ii], data[ii+1]
			data[ii] = data[jj]
			data[ii+1] = data[jj+1]
			data[jj] = tReal
			data[jj+1] = tImag
		}
		for k <= j {
			j -= k
			k /= 2
		}
		j += k
	}
}
