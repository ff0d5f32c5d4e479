package gotrace

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestValueMarks counts by hand what is left of loops without what is marked: limits that are loaded,
// and the least or greatest that an if keeps.
func TestValueMarks(t *testing.T) {
	d := dependencesOfText(t, `package main

import "os"

var limit = 4

func csr(row []int, x []float64) (s float64) {
	for r := 0; r < len(row)-1; r++ {
		for i := row[r]; i < row[r+1]; i++ {
			s += x[i]
		}
	}
	return s
}

func global(x []float64) {
	for i := 0; i < limit; i++ {
		x[i] = 2
	}
}

func stored(n []int) {
	for i := 0; i < n[0]; i++ {
		n[1] = i
	}
}

func called(n []int) {
	for i := 0; i < n[0]; i++ {
		id(i)
	}
}

func moved(n []int) (s int) {
	for i := 0; n[i] < 4; i++ {
		s += n[i]
	}
	return s
}

func id(n int) int { return n }

func greatest(x []float64) float64 {
	m := x[0]
	for i := 1; i < len(x); i++ {
		if x[i] > m {
			m = x[i]
		}
	}
	return m
}

func least(x [][]float64) float64 {
	m := x[0][0]
	for i := range x {
		for j := range x[i] {
			if m > x[i][j] {
				m = x[i][j]
			}
		}
	}
	return m
}

func used(x []float64) (m float64) {
	for i := 1; i < len(x); i++ {
		if x[i] > m {
			m = x[i]
		}
		x[i] = m
	}
	return m
}

func another(x []float64) (m float64) {
	for i := 1; i < len(x); i++ {
		if x[i] > m {
			m = x[i-1]
		}
	}
	return m
}

func main() {
	x := []float64{0, 1, 2, 3, 4}
	csr([]int{0, 2, 3, 5}, x)
	n := []int{4, 0, 5}
	stored(n)
	called(n)
	moved([]int{1, 2, 3, 4})
	if greatest(x)+least([][]float64{{3, 2}, {1, 0}})+another(x) == 0 {
		os.Exit(1)
	}
	used(x)
	global(x)
}
`, []string{"induction", "reduction"})
	want := map[string][]string{
		"csr/1": nil, "csr/2": nil, "global/1": nil, "greatest/1": nil, "least/1": nil, "least/2": nil,
		// n[0] may be n[1], or what is called may change it
		"stored/1": {"3 for for control none (1)"},
		"called/1": {"3 for for control none (1)"},
		// what is loaded is another each time: the iterations are as many as the data say
		"moved/1": {"2 for for control none (1)"},
		// x is 0 1 2 3 4: m is written in each iteration
		"used/1":    {"3 m if data none (1)"},
		"another/1": {"3 m if data none (1)"},
	}
	seen := map[string]int{}
	for _, l := range d.Loops {
		function, _, _ := strings.Cut(strings.TrimPrefix(l.Name, "main."), ":")
		seen[function]++
		name := fmt.Sprintf("%s/%d", function, seen[function])
		list, ok := want[name]
		if got := lines(&l); !ok || !slices.Equal(got, list) {
			t.Errorf("%s carries\n%s\nexpected\n%s", name, strings.Join(got, "\n"),
				strings.Join(list, "\n"))
		}
	}
	if len(d.Loops) != len(want) {
		t.Errorf("%d loops, expected %d", len(d.Loops), len(want))
	}
}

// TestDeferringReturns counts by hand what goes through returns of functions that defer.
func TestDeferringReturns(t *testing.T) {
	d := dependencesOfText(t, `package main

func nothing() {}

func half(a []float64, i int) float64 {
	defer nothing()
	return a[i] / 2
}

func named(a []float64, i int) (x float64, ok bool) {
	defer func() { ok = recover() == nil }()
	return a[i] + half(a, i), true
}

func chain(a []float64) {
	for i := 0; i < 4; i++ {
		a[i+1] = half(a, i)
	}
}

func pair(a []float64) (n int) {
	for i := 0; i < 9; i++ { // of 5
		if _, ok := named(a, i); ok {
			n++
		}
	}
	return n
}

func main() {
	a := []float64{1, 2, 3, 4, 5}
	chain(a)
	if pair(a) != 5 {
		panic("pair")
	}
}
`, []string{"induction", "reduction"})
	want := map[string][]string{"chain": {"3 a[i + 1] return data none (1)"}, "pair": nil}
	for _, l := range d.Loops {
		function, _, _ := strings.Cut(strings.TrimPrefix(l.Name, "main."), ":")
		if got := lines(&l); !slices.Equal(got, want[function]) {
			t.Errorf("%s carries\n%s\nexpected\n%s", l.Name, strings.Join(got, "\n"),
				strings.Join(want[function], "\n"))
		}
	}
	if len(d.Loops) != len(want) {
		t.Errorf("%d loops, expected %d", len(d.Loops), len(want))
	}
}
