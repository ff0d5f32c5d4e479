package main

import (
	"fmt"
	"time"
)

// runSOR relaxes a grid of n x n.
func runSOR(s size) (string, time.Duration, error) {
	g := newMatrix(s.n)
	fillMatrix(g)
	before := energy(g)
	began := time.Now()
	relax(g, 1.25, s.iterations)
	took := time.Since(began)
	// each step of a factor between 0 and 2 lowers it
	after := energy(g)
	if s.n > 2 && !(after < before) {
		return "", 0, fmt.Errorf("the energy is %g and was %g", after, before)
	}
	return fmt.Sprintf("n %d, %d iterations: energy %.15g", s.n, s.iterations, after), took, nil
}

// relax makes Jacobi successive over-relaxation, as SciMark calls it: in place, so Gauss-Seidel's
// order. The border stays.
func relax(g [][]float64, omega float64, iterations int) {
	n := len(g)
	quarter, rest := omega/4, 1-omega
	for range iterations {
		for i := 1; i < n-1; i++ {
			gi, gim1, gip1 := g[i], g[i-1], g[i+1]
			for j := 1; j < n-1; j++ {
				gi[j] = quarter*(gim1[j]+gip1[j]+gi[j-1]+gi[j+1]) + rest*gi[j]
			}
		}
	}
}

// energy returns the sum of the squares of the differences of neighbours, Dirichlet's: relaxation
// makes it small.
func energy(g [][]float64) float64 {
	total := 0.0
	for i := 1; i < len(g); i++ {
		above, row := g[i-1], g[i]
		for j := 1; j < len(row); j++ {
			down, right := row[j]-above[j], row[j]-row[j-1]
			total += down*down + right*right
		}
	}
	return total
}
