package main

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// runLU factors a matrix of n x n and solves a system with it.
func runLU(s size) (string, time.Duration, error) {
	a, pivot := newMatrix(s.n), make([]int32, s.n)
	began := time.Now()
	for range s.iterations {
		fillMatrix(a)
		if !factor(a, pivot) {
			return "", 0, errors.New("the matrix is singular")
		}
	}
	took := time.Since(began)
	b := make([]float64, s.n)
	fill(b, seed)
	solve(a, pivot, b)
	// as the Linpack benchmarks ask: in units of rounding, about 1
	r := luResidual(b)
	if !(r < 16) {
		return "", 0, fmt.Errorf("the residual is %g, in units of rounding", r)
	}
	return fmt.Sprintf("n %d, %d iterations: %d rows exchanged, sum %.15g", s.n, s.iterations,
		exchanges(pivot), sum(b)), took, nil
}

// exchanges counts the columns whose pivot was in another row.
func exchanges(pivot []int32) int {
	n := 0
	for i := range pivot {
		if pivot[i] != int32(i) {
			n++
		}
	}
	return n
}

// factor replaces a by its factors L and U, with partial pivoting: right-looking, row by row. Row j
// was exchanged with row pivot[j]. It is false if a is singular.
func factor(a [][]float64, pivot []int32) bool {
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
		for ii := j + 1; ii < n; ii++ {
			ai, aj := a[ii], a[j]
			aij := ai[j]
			for jj := j + 1; jj < n; jj++ {
				ai[jj] -= aij * aj[jj]
			}
		}
	}
	return true
}

// solve replaces b by the solution of the system that factor has factored.
func solve(lu [][]float64, pivot []int32, b []float64) {
	n := len(lu)
	for i := 0; i < n; i++ {
		ip := pivot[i]
		t := b[ip]
		b[ip] = b[i]
		for j := 0; j < i; j++ {
			t -= lu[i][j] * b[j]
		}
		b[i] = t
	}
	for i := n - 1; i >= 0; i-- {
		t := b[i]
		for j := i + 1; j < n; j++ {
			t -= lu[i][j] * b[j]
		}
		b[i] = t / lu[i][i]
	}
}

// luResidual returns how far A x is from b, the largest of the rows, over the unit of rounding, n,
// and the norms of A and x. It makes A and b again, A row by row.
func luResidual(x []float64) float64 {
	n := len(x)
	b, row := make([]float64, n), make([]float64, n)
	fill(b, seed)
	var worst, normA, normX float64
	state := uint64(seed)
	for i := range b {
		state = fill(row, state)
		t, norm := 0.0, 0.0
		for j := range row {
			t += row[j] * x[j]
			norm += math.Abs(row[j])
		}
		worst = max(worst, math.Abs(t-b[i]))
		normA, normX = max(normA, norm), max(normX, math.Abs(x[i]))
	}
	return worst / (0x1p-52 * float64(n) * normA * normX)
}
