// Package shapes has loops with the answer above each: what they must be called, and the source of
// it. Answers were written before any loop was run (shapes_test.go of the dependences reads them).
package shapes

// Main prints sums of what the loops compute. It reads nothing that is private to a loop.
func Main() {
	println(int(races() + vectors() + polyhedra() + products() + others() + float64(unseen()+corners())))
}

func vec(n, step int) []float64 {
	a := make([]float64, n)
	// want: doall
	// by hand, filling
	for i := range a {
		a[i] = float64(i*step%7 + 1)
	}
	return a
}

func rows(n, step int) [][]float64 {
	a := make([][]float64, n)
	// want: doall
	// by hand, rows made by a call
	for i := range a {
		a[i] = vec(n, step+i)
	}
	return a
}

func total(a []float64) float64 {
	s := 0.0
	// want: reduction; reduction s +
	// by hand, sum
	for _, x := range a {
		s += x
	}
	return s
}

func totals(a [][]float64) float64 {
	s := 0.0
	// want: reduction; reduction s +
	// by hand, sum of what a call returns
	for i := range a {
		s += total(a[i])
	}
	return s
}
