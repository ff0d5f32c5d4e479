// Package values has loops whose dependences are counted by hand (values_test.go).
package values

import "os"

const n = 10

var sink float64

func Main() {
	a, b := make([]float64, n), make([]float64, n)
	for i := range b {
		b[i] = float64(i % 3)
	}
	chain(a)
	doall(a, b)
	sink += sum(b)
	doacross(a)
	grid := make([][]float64, 10)
	for i := range grid {
		grid[i] = make([]float64, 10)
	}
	wavefront(grid)
	sink += called(b) + conditional(b)
	least(b)
	search(b)
	list(6)
	cell(a, b)
	nested(grid)
	if sink < 0 {
		os.Exit(1)
	}
}

func chain(a []float64) {
	for i := 1; i < len(a); i++ {
		a[i] = a[i-1] + 1
	}
}

func doall(a, b []float64) {
	for i := 0; i < len(a); i++ {
		t := b[i] * 2
		a[i] = t + 1
	}
}

func sum(a []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i]
	}
	return s
}

func doacross(a []float64) {
	for i := 2; i < len(a); i++ {
		a[i] = a[i-2] * 2
	}
}

func wavefront(a [][]float64) {
	for i := 1; i < 10; i++ {
		for j := 1; j < 10; j++ {
			a[i][j] = a[i-1][j] + a[i][j-1]
		}
	}
}

// step is a chain through its parameter and its result.
func step(x, y float64) float64 {
	z := x * 2
	return z + y
}

func called(b []float64) float64 {
	x := 1.0
	for i := 0; i < len(b); i++ {
		x = step(x, b[i])
	}
	return x
}

func conditional(b []float64) float64 {
	last := 0.0
	for _, v := range b {
		if v > last {
			last = v - last
		}
	}
	return last
}

func least(b []float64) float64 {
	m := b[0]
	for i := 1; i < len(b); i++ {
		m = min(m, b[i])
	}
	return m
}

// search stops at a value: each iteration depends on what the one before decided.
func search(b []float64) int {
	for i := 0; i < len(b); i++ {
		if b[i] > 7 {
			return i
		}
	}
	return -1
}

type node struct {
	next  *node
	value int
}

func list(n int) int {
	var head *node
	for i := 0; i < n; i++ {
		head = &node{head, i}
	}
	s := 0
	for p := head; p != nil; p = p.next {
		s += p.value
	}
	return s
}

func cell(a, b []float64) {
	for k := 0; k < 3; k++ {
		for i := 0; i < len(b); i++ {
			a[k] += b[i]
		}
	}
}

func nested(a [][]float64) float64 {
	s := 0.0
	for i := range a {
		for j := range a[i] {
			s = s + a[i][j]
		}
	}
	return s
}
