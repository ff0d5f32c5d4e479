package main

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"krdlab/examples/planned"
)

// factor computes with the loop over rows, which krdlab regions plans first, in parallel what it
// computes serially, bit by bit.
func TestPlanned(t *testing.T) {
	for _, n := range []int{1, 2, 3, 64, 101} {
		a, b := newMatrix(n), newMatrix(n)
		fillMatrix(a)
		fillMatrix(b)
		p, q := make([]int32, n), make([]int32, n)
		if !factor(a, p) || !factorBy(planned.First(1), b, q) || !slices.Equal(p, q) ||
			!slices.EqualFunc(a, b, slices.Equal[[]float64]) {
			t.Errorf("n %d: other factors", n)
		}
	}
}

// BenchmarkPlanned is lu of class large, and of twice as many rows.
func BenchmarkPlanned(b *testing.B) {
	large := kernels[slices.IndexFunc(kernels, func(k kernel) bool { return k.name == "lu" })].large
	for _, n := range []int{large.n, 2 * large.n} {
		s := size{n: n, iterations: large.iterations}
		b.Run(fmt.Sprintf("lu/n=%d", n), func(b *testing.B) {
			planned.Compare(b, func() {
				if _, _, err := runLU(s); err != nil {
					b.Error(err)
				}
			}, func(loop planned.Loop) {
				if r := luBy(loop, s); !(r < 16) {
					b.Errorf("the residual is %g, in units of rounding", r)
				}
			}, "factor:69")
		})
	}
}

// luBy is runLU, and returns the residual.
func luBy(loop planned.Loop, s size) float64 {
	a, pivot := newMatrix(s.n), make([]int32, s.n)
	for range s.iterations {
		fillMatrix(a)
		factorBy(loop, a, pivot)
	}
	b := make([]float64, s.n)
	fill(b, seed)
	solve(a, pivot, b)
	return luResidual(b)
}

// factorBy is factor, whose loop over rows is planned.
func factorBy(loop planned.Loop, a [][]float64, pivot []int32) bool {
	n := len(a)
	for j := 0; j < n; j++ {
		jp, t := j, math.Abs(a[j][j])
		for i := j + 1; i < n; i++ {
			if ab := math.Abs(a[i][j]); ab > t {
				jp, t = i, ab
			}
		}
		pivot[j] = int32(jp)
		if a[jp][j] == 0 {
			return false
		}
		if jp != j {
			a[j], a[jp] = a[jp], a[j]
		}
		if j == n-1 {
			break
		}
		r := 1 / a[j][j]
		for k := j + 1; k < n; k++ {
			a[k][j] *= r
		}
		loop(0, j+1, n, func(from, to int) { eliminate(a, j, from, to) })
	}
	return true
}

// eliminate is the planned loop of factor, for some of its rows.
func eliminate(a [][]float64, j, from, to int) {
	n := len(a)
	for ii := from; ii < to; ii++ {
		ai, aj := a[ii], a[j]
		aij := ai[j]
		for jj := j + 1; jj < n; jj++ {
			ai[jj] -= aij * aj[jj]
		}
	}
}
