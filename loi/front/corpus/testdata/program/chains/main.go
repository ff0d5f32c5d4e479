package chains

import "os"

func Main() {
	a, n := make([]float64, 20), make([]int, 20)
	for i := range a {
		a[i] = float64(i)
		n[i] = i % 4
	}
	if continued(a)+recursive(n, 3)+float64(scaled(n)) < 0 || passed(a) < 0 {
		os.Exit(1)
	}
	once(a)
	each(a)
}

// continued sums by a function that is not associative.
func continued(a []float64) float64 {
	s := 0.0
	for i := range a {
		s = a[i] + 1/(s+1)
	}
	return s
}

func divide(s, x float64) float64 { return x + 1/(s+1) }

func passed(a []float64) float64 {
	s := 0.0
	for i := range a {
		s = divide(s, a[i])
	}
	return s
}

// scaled is a product, which is a reduction.
func scaled(a []int) int {
	s := 1
	for i := range a {
		s *= a[i]
	}
	return s
}

func once(a []float64) {
	for i := 0; i < 1; i++ {
		a[i] = 1 / a[i+1]
	}
}

// each has iterations that depend on nothing but on what is done before the loop.
func each(a []float64) {
	x := 1 / a[3]
	for i := range a {
		if x > a[0] {
			a[i] = (a[i] + x) / 3
		}
	}
}

// recursive is one instance of all its loops.
func recursive(n []int, depth int) float64 {
	s := 1.0
	for i := 0; i < 2; i++ {
		if depth > 0 {
			s = recursive(n, depth-1) / (s + 1)
		}
	}
	return s
}
