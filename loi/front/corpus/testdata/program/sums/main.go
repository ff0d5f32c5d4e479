package sums

import (
	"flag"
	"strconv"
)

func columns(a [][]float64) (s float64) {
	for j := range a[0] {
		for i := range a {
			s += a[i][j]
		}
	}
	return s
}

func rows(a [][]float64) (s float64) {
	for i := range a {
		for j := range a[i] {
			s += a[i][j]
		}
	}
	return s
}

func Main() {
	times, _ := strconv.Atoi(flag.Arg(1))
	n, err := strconv.Atoi(flag.Arg(2))
	if err != nil {
		n = 512
	}
	a := make([][]float64, n)
	for i := range a {
		a[i] = make([]float64, len(a))
	}
	s := 0.0
	for range times {
		s += columns(a) + rows(a)
	}
	println(s)
}
