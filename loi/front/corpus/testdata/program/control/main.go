package control

import (
	"fmt"
	"io"
	"math"
	"os"
)

type acc struct{ by float64 }

func (a acc) next(x float64, n int) (float64, int) {
	if n > 1000 {
		return 0, 0
	}
	return x * a.by, n + 1
}

func skip(b []float64) float64 {
	last := 1.0
	for i := 0; i < len(b); i++ {
		if last > 100 {
			continue
		}
		last = b[i] - last*2
	}
	return last
}

func find(a [][]float64) int {
	for i := 0; i < len(a); i++ {
		for j := 0; j < len(a[i]); j++ {
			if a[i][j] > 100 {
				return i
			}
		}
	}
	return -1
}

func stop(b []float64) int {
	n := 0
	for {
		n++
		if b[n] > 2 {
			break
		}
	}
	return n
}

func states(b []float64) int {
	state := 0
	for _, x := range b {
		switch {
		case x > 3:
			state = 1
		case state == 1:
			state = 2
		}
	}
	return state
}

func method(a acc, k int) float64 {
	x, n := 1.0, 0
	for n < k {
		x, n = a.next(x, n)
	}
	return x
}

type named struct{ v float64 }

func (n *named) set() { n.v++ }

// foreign passes what the method would take for its receiver, were that the next call.
func foreign(n *named, b []float64) {
	x := 1.0
	for _, y := range b {
		x = math.Sqrt(x + y)
		fmt.Fprint(io.Discard, x)
		n.set()
	}
}

func both(n int) int {
	x, y := 1, 2
	for i := 0; i < n; i++ {
		x, y = y, x+1
	}
	return x + y
}

func Main() {
	b := make([]float64, 5)
	for i := range b {
		b[i] = float64(i)
	}
	skip(b)
	rows := [][]float64{make([]float64, 3), make([]float64, 3), make([]float64, 3)}
	find(rows)
	stop(b)
	states(b)
	method(acc{2}, 4)
	foreign(new(named), b)
	if both(4) == 0 {
		os.Exit(1)
	}
}
