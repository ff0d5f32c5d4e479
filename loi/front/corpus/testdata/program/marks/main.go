package marks

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

func Main() {
	x := []float64{0, 1, 2, 3, 4}
	csr([]int{0, 2, 3, 5}, x)
	n := []int{4, 0, 5}
	stored(n)
	called(n)
	moved([]int{1, 2, 3, 4})
	if greatest(x)+least([][]float64{[]float64{3, 2}, []float64{1, 0}})+another(x) == 0 {
		os.Exit(1)
	}
	used(x)
	global(x)
}
