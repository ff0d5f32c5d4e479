package main

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// runSparse multiplies a matrix of n x n with nz/n elements a row, rows compressed, by a vector.
func runSparse(s size) (string, time.Duration, error) {
	each := s.nz / s.n
	if each < 1 || each > s.n {
		return "", 0, errors.New("expected from n to n*n elements")
	}
	x, y := make([]float64, s.n), make([]float64, s.n)
	val, col := make([]float64, each*s.n), make([]int32, each*s.n)
	row := make([]int32, s.n+1)
	fill(val, fill(x, seed))
	spread(row, col, each)
	began := time.Now()
	for range s.iterations {
		multiply(y, val, row, col, x)
	}
	took := time.Since(began)
	want, got := dot(y, y), transposed(y, val, row, col, x)
	if !(math.Abs(want-got) <= 1e-12*want) {
		return "", 0, fmt.Errorf("y y is %g, A' y x is %g", want, got)
	}
	return fmt.Sprintf("n %d, %d elements, %d iterations: sum %.15g", s.n, len(val), s.iterations,
		sum(y)), took, nil
}

// spread gives each row as many elements, evenly apart: far from each other in the last rows, side
// by side in the first.
func spread(row, col []int32, each int) {
	for r := 0; r < len(row)-1; r++ {
		row[r+1] = row[r] + int32(each)
		step := max(1, r/each)
		for i := 0; i < each; i++ {
			col[r*each+i] = int32(i * step)
		}
	}
}

// multiply computes y = A x. Row r of A has the elements val[row[r]:row[r+1]], in the columns col.
func multiply(y, val []float64, row, col []int32, x []float64) {
	for r := 0; r < len(row)-1; r++ {
		t := 0.0
		from, to := row[r], row[r+1]
		for i := from; i < to; i++ {
			t += x[col[i]] * val[i]
		}
		y[r] = t
	}
}

// transposed returns (A' u) x, which is u (A x).
func transposed(u, val []float64, row, col []int32, x []float64) float64 {
	au := make([]float64, len(x))
	for r := 0; r < len(row)-1; r++ {
		for i := row[r]; i < row[r+1]; i++ {
			au[col[i]] += val[i] * u[r]
		}
	}
	return dot(au, x)
}

// dot returns the product of two vectors.
func dot(a, b []float64) float64 {
	t := 0.0
	for i := range a {
		t += a[i] * b[i]
	}
	return t
}
