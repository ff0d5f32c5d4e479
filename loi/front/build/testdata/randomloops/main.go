// Command randomloops calls functions of loops that a test makes, and prints what they change. Their
// data lie in arrays, so that places do not depend on what the runtime allocates.
package main

import (
	"fmt"
	"math"
)

const length = 40 // of the slices

var data [400]float64
var ints [80]int
var small [80]int32
var text = "the quick brown fox jumps over the lazy dog"

type pair struct {
	x, y float64
	in   [4]float64
}

var pairs [60]pair

type grid struct {
	rows [][]float64
	row  *pair
	n    int
	sum  float64
}

var g = grid{rows: [][]float64{data[0:40], data[40:80], data[80:120], data[120:160]},
	row: &pairs[9]}

var pf = &data[17]

func reset() {
	for i := range data {
		data[i] = float64(i%17) - 8
	}
	for i := range ints {
		ints[i], small[i] = (i*37+5)%40, int32(i*53%40)
	}
	ints[31], small[33] = 45, -1 // beyond
	for i := range pairs {
		pairs[i] = pair{float64(i), 1, [4]float64{1, 2, 3, float64(i)}}
	}
	g.n, g.sum = 12, 0
}

func main() {
	for i, f := range functions {
		reset()
		t, ended := call(f)
		sum := uint64(0)
		add := func(x float64) { sum = sum*31 + math.Float64bits(x) }
		for _, x := range data {
			add(x)
		}
		for i, x := range ints {
			add(float64(x) + float64(small[i]))
		}
		for _, p := range pairs {
			add(p.x + p.y)
			for _, x := range p.in {
				add(x)
			}
		}
		add(g.sum)
		add(float64(g.n))
		fmt.Printf("%d: %v %x %s\n", i, t, sum, ended)
	}
}

func call(f func(*float64)) (t float64, ended string) {
	defer func() {
		if r := recover(); r != nil {
			ended = fmt.Sprint("panic: ", r)
		}
	}()
	f(&t)
	return t, ""
}
