// Slow is a program with two faults that `krdlab go ./examples/slow` finds: it adds up a matrix of
// rows by columns, and its goroutines count in one cache line.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

const n, workers = 1500, 2

// A matrix has a slice for each row.
type matrix [][]float64

func newMatrix() matrix {
	m := make(matrix, n)
	for i := range m {
		m[i] = make([]float64, n)
		for j := range m[i] {
			m[i][j] = float64(i ^ j)
		}
	}
	return m
}

// sum adds up column by column: each access is to another row, and another cache line.
func (m matrix) sum() (s float64) {
	for j := range n {
		for i := range m {
			s += m[i][j]
		}
	}
	return s
}

// counters are of a goroutine each, side by side.
type counters [workers]atomic.Int64

// positive counts the elements above 0, with a counter for each goroutine.
func (m matrix) positive() (all int64) {
	var c counters
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				for j := range m[i] {
					if m[i][j] > 0 {
						c[w].Add(1)
					}
				}
			}
		})
	}
	wg.Wait()
	for w := range c {
		all += c[w].Load()
	}
	return all
}

func main() {
	m := newMatrix()
	fmt.Println("sum", m.sum(), "positive", m.positive())
}
