// Package paths has loops whose self-parallelism is known (valuepaths_test.go): 50 iterations, a
// wavefront of 9 x 9.
package paths

import "os"

type node struct {
	next  *node
	value int
}

type total struct {
	sum   float64
	count int
	least float64
}

func Main() {
	a, b, n := make([]float64, 50), make([]float64, 50), make([]int, 50)
	for i := range a {
		a[i] = float64(i)
		n[i] = i % 7
	}
	chain(a, 2, 3)
	second(a)
	triangle(b, a)
	sums(b, a)
	var head *node
	for i := range n {
		head = &node{head, i}
	}
	t := &total{}
	field(t, a)
	both(t, a)
	mean(t, a)
	first(b, a)
	grid := make([][]float64, 10)
	for i := range grid {
		grid[i] = make([]float64, 10)
	}
	wavefront(grid)
	x := search(n, 60) + walked(head) + walk(head) + count(head) + hash(n) + largest(n)
	y := horner(a, 2) + alternate(a) + called(a) + sum(a) + t.sum + value(a) + plain(1)
	z := alternateInts(n) + find(n, 49) + tries(n)
	late(a)
	if x+z == 7 || y == 7 {
		os.Exit(1)
	}
}

// triangle has iterations of unlike length, from 1 to 50.
func triangle(b, a []float64) {
	for i := range b {
		s := 0.0
		for j := 0; j <= i; j++ {
			s = s*0.5 + a[j]
		}
		b[i] = s
	}
}

// sums has rows of unlike length, each of which is summed up.
func sums(b, a []float64) {
	for i := range b {
		s := 0.0
		for j := 0; j <= i; j++ {
			s += a[j]
		}
		b[i] = s
	}
}

func chain(a []float64, x, c float64) {
	for i := 1; i < len(a); i++ {
		a[i] = a[i-1]*x + c
	}
}

func second(a []float64) {
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

func search(a []int, key int) int {
	i := 0
	for i < len(a) && a[i] != key {
		i++
	}
	return i
}

func find(a []int, key int) int {
	for i, v := range a {
		if v == key {
			return i
		}
	}
	return -1
}

// tries has a head that is made of constants.
func tries(a []int) int {
	for range 50 {
		if a[0] > 99 {
			return 1
		}
	}
	return 0
}

func walk(p *node) int {
	for p != nil {
		p = p.next
	}
	return 0
}

// walked overlaps with what it adds up: of 10 cycles, the next iteration waits for 5.
func walked(p *node) int {
	s := 0
	for ; p != nil; p = p.next {
		s += p.value
	}
	return s
}

func count(p *node) int {
	n := 0
	for ; p != nil; p = p.next {
		n++
	}
	return n
}

func hash(n []int) int {
	h := 7
	for _, v := range n {
		h = h*31 + v
	}
	return h
}

func horner(a []float64, x float64) float64 {
	s := 0.0
	for i := 0; i < len(a); i++ {
		s = s*x + a[i]
	}
	return s
}

func alternate(a []float64) float64 {
	s := 0.0
	for i := 0; i < len(a); i++ {
		s = a[i] - s
	}
	return s
}

func alternateInts(a []int) int {
	s := 0
	for _, v := range a {
		s = v - s
	}
	return s
}

func f(s float64) float64 { return s*0.5 + 1 }

func plain(s float64) float64 {
	for i := 0; i < 50; i++ {
		s = f(s)
	}
	return s
}

func g(s, x float64) float64 { return s*0.5 + x }

func called(a []float64) float64 {
	s := 0.0
	for i := 0; i < len(a); i++ {
		s = g(s, a[i])
	}
	return s
}

func later(s, x int) int {
	if x > s {
		return x
	}
	return s
}

func largest(n []int) int {
	s := 0
	for _, v := range n {
		s = later(s, v)
	}
	return s
}

func sum(a []float64) float64 {
	s := 0.0
	for _, v := range a {
		s += v
	}
	return s
}

func value(a []float64) float64 {
	var t total
	for _, v := range a {
		t.sum += v
	}
	return t.sum
}

func field(t *total, a []float64) {
	for _, v := range a {
		t.sum += v
	}
}

// both sums into two fields.
func both(t *total, a []float64) {
	for _, v := range a {
		t.sum += v
		t.count++
	}
}

// mean reads one of the fields that it sums into.
func mean(t *total, a []float64) {
	for _, v := range a {
		t.sum += v
		t.least = v - t.sum
	}
}

func first(b, a []float64) {
	for i := range a {
		b[0] += a[i]
	}
}

var seed, out = 2.0, 0.0

// late calls what depends on nothing but on whether it is called.
func late(a []float64) {
	for i := range a {
		if 1/a[i] > -1 {
			mark(i)
		}
	}
}

func mark(int) { out = seed * 3 }
