package main

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"krdlab/examples/planned"
	"krdlab/hw/hwtest/long"
)

// plannedProgram is a benchmark with the first three loops of its plan, or all: run is a copy of the
// serial program that executes them by loop, and returns what it computed.
type plannedProgram struct {
	name  string
	run   func(loop planned.Loop, class, steps int) []float64
	loops []string // function and line
}

var plannedPrograms = []plannedProgram{
	{"cg", runCGBy, []string{"multiply:80"}},
	{"is", runISBy, []string{"countKeys:63", "disorder:96"}},
	{"mg", runMGBy, []string{"residual:82", "smooth:99", "interpolate:147"}},
}

// serially returns the benchmark that is planned.
func (p plannedProgram) serially() benchmark {
	return benchmarks[slices.IndexFunc(benchmarks, func(b benchmark) bool { return b.name == p.name })]
}

// Each computes with loops in parallel what it computes serially, bit by bit.
func TestPlanned(t *testing.T) {
	for _, p := range plannedPrograms {
		serial := p.serially()
		for class := range long.Or(1, 2) {
			_, want, _ := serial.run(class, serial.steps[class])
			for n := range len(p.loops) + 1 {
				got := p.run(planned.First(n), class, serial.steps[class])
				if len(got) == 0 || !slices.Equal(got, want) {
					t.Errorf("%s, class %c, first %d loops: %v, expected %v", p.name,
						classes[class], n, got, want)
				}
			}
		}
	}
}

// BenchmarkPlanned is class A.
func BenchmarkPlanned(b *testing.B) {
	for _, p := range plannedPrograms {
		b.Run(p.name, func(b *testing.B) {
			serial := p.serially()
			planned.Compare(b, func() { serial.run(2, serial.steps[2]) },
				func(loop planned.Loop) { p.run(loop, 2, serial.steps[2]) }, p.loops...)
		})
	}
}

// runCGBy is runCG.
func runCGBy(loop planned.Loop, class, steps int) []float64 {
	c := cgClasses[class]
	a := makeMatrix(c)
	x, z := make([]float64, c.n), make([]float64, c.n)
	for i := range x {
		x[i] = 1
	}
	var zeta float64
	for range steps {
		conjugateGradientsBy(loop, a, x, z)
		zeta = c.shift + 1/dot(x, z)
		scale(x, 1/math.Sqrt(dot(z, z)), z)
	}
	return []float64{zeta}
}

// conjugateGradientsBy is conjugateGradients.
func conjugateGradientsBy(loop planned.Loop, a matrix, x, z []float64) float64 {
	r, p, q := slices.Clone(x), slices.Clone(x), make([]float64, len(x))
	clear(z)
	rho := dot(r, r)
	for range cgInner {
		multiplyBy(loop, q, a, p)
		alpha := rho / dot(p, q)
		addScaled(z, alpha, p)
		addScaled(r, -alpha, q)
		before := rho
		rho = dot(r, r)
		extend(p, r, rho/before)
	}
	multiplyBy(loop, q, a, z)
	addScaled(q, -1, x)
	return math.Sqrt(dot(q, q))
}

// multiplyBy is multiply, whose loop over rows is planned: each row has a sum of its own.
func multiplyBy(loop planned.Loop, y []float64, a matrix, x []float64) {
	loop(0, 0, len(y), func(from, to int) {
		multiply(y[from:to], matrix{a.row[from : to+1], a.sparse}, x)
	})
}

// runISBy is runIS.
func runISBy(loop planned.Loop, class, steps int) []float64 {
	c := isClasses[class]
	keys, ranks := makeKeys(c.keys, c.values), make([]int32, c.values)
	var got []float64
	for step := 1; step <= steps; step++ {
		keys[step], keys[step+isSteps] = int32(step), int32(c.values-step)
		countKeysBy(loop, ranks, keys)
		accumulate(ranks)
		for _, t := range c.tests {
			got = append(got, float64(below(ranks, keys[t.index])))
		}
	}
	sorted := sortKeys(keys, ranks)
	var less atomic.Int64
	loop(1, 1, len(sorted), func(from, to int) { less.Add(int64(disorder(sorted[from-1 : to]))) })
	return append(got, float64(less.Load()))
}

// countKeysBy is countKeys, whose loop over keys is a reduction: each goroutine counts by itself.
func countKeysBy(loop planned.Loop, count, keys []int32) {
	clear(count)
	var adding sync.Mutex
	loop(0, 0, len(keys), func(from, to int) {
		own := make([]int32, len(count))
		countKeys(own, keys[from:to])
		adding.Lock()
		defer adding.Unlock()
		for v, n := range own {
			count[v] += n
		}
	})
}

// runMGBy is runMG.
func runMGBy(loop planned.Loop, class, steps int) []float64 {
	c := mgClasses[class]
	u, r := make([]grid, c.levels), make([]grid, c.levels)
	for l := range u {
		n := 2<<l + 2
		u[l], r[l] = newGrid(n), newGrid(n)
	}
	top := c.levels - 1
	v := charges(u[top].n)
	residualBy(loop, r[top], v, u[top])
	for range steps {
		cycleBy(loop, u, v, r)
		residualBy(loop, r[top], v, u[top])
	}
	return []float64{norm(r[top])}
}

// cycleBy is cycle.
func cycleBy(loop planned.Loop, u []grid, v grid, r []grid) {
	top := len(u) - 1
	for l := top; l > 0; l-- {
		project(r[l-1], r[l])
	}
	clear(u[0].v)
	smoothBy(loop, u[0], r[0])
	for l := 1; l < top; l++ {
		clear(u[l].v)
		interpolateBy(loop, u[l], u[l-1])
		residualBy(loop, r[l], r[l], u[l])
		smoothBy(loop, u[l], r[l])
	}
	interpolateBy(loop, u[top], u[top-1])
	residualBy(loop, r[top], v, u[top])
	smoothBy(loop, u[top], r[top])
}

// residualBy is residual, whose loop over planes is planned: each goroutine has rows near and far
// of its own.
func residualBy(loop planned.Loop, r, v, u grid) {
	loop(0, 1, u.n-1, func(from, to int) {
		near, far := make([]float64, u.n), make([]float64, u.n)
		for z := from; z < to; z++ {
			for y := 1; y < u.n-1; y++ {
				around(near, far, u, z, y)
				r, v, u := r.row(z, y), v.row(z, y), u.row(z, y)
				for x := 1; x < len(u)-1; x++ {
					r[x] = v[x] + 8.0/3*u[x] - 1.0/6*(far[x]+near[x-1]+near[x+1]) -
						1.0/12*(far[x-1]+far[x+1])
				}
			}
		}
	})
	wrap(r)
}

// smoothBy is smooth, likewise.
func smoothBy(loop planned.Loop, u, r grid) {
	loop(1, 1, u.n-1, func(from, to int) {
		near, far := make([]float64, u.n), make([]float64, u.n)
		for z := from; z < to; z++ {
			for y := 1; y < u.n-1; y++ {
				around(near, far, r, z, y)
				u, r := u.row(z, y), r.row(z, y)
				for x := 1; x < len(u)-1; x++ {
					u[x] += -3.0/8*r[x] + (r[x-1]+r[x+1]+near[x])/32 -
						(far[x]+near[x-1]+near[x+1])/64
				}
			}
		}
	})
	wrap(u)
}

// interpolateBy is interpolate, whose loop over planes is planned: each goroutine has rows two and
// four of its own.
func interpolateBy(loop planned.Loop, fine, coarse grid) {
	loop(2, 0, coarse.n-1, func(from, to int) {
		two, four := make([]float64, coarse.n), make([]float64, coarse.n)
		for z := from; z < to; z++ {
			for y := range coarse.n - 1 {
				here, behind := coarse.row(z, y), coarse.row(z, y+1)
				addRow(fine.row(2*z, 2*y), here, 1)
				sumRows(two, here, behind)
				addRow(fine.row(2*z, 2*y+1), two, 1.0/2)
				sumRows(four, coarse.row(z+1, y), coarse.row(z+1, y+1))
				sumRows(four, four, two)
				addRow(fine.row(2*z+1, 2*y+1), four, 1.0/4)
				sumRows(two, here, coarse.row(z+1, y))
				addRow(fine.row(2*z+1, 2*y), two, 1.0/2)
			}
		}
	})
}
