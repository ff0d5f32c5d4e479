package main

import (
	"math"
	"slices"
	"testing"

	"krdlab/examples/planned"
	"krdlab/hw/hwtest/long"
)

// plannedLoop is a benchmark with the loop that krdlab regions plans first executed by loop. run is
// a copy of the serial program, and returns what it computed.
type plannedLoop struct {
	benchmark
	line string // function and line of the loop
	run  func(loop planned.Loop, class, steps int) []float64
}

// of returns the benchmark of a name.
func of(name string) benchmark {
	return benchmarks[slices.IndexFunc(benchmarks, func(b benchmark) bool { return b.name == name })]
}

var plannedLoops = []plannedLoop{
	{of("cg"), "multiply:80", runCGBy},
	{of("mg"), "residual:82", runMGBy},
}

// Each computes with the planned loop in parallel what it computes serially, bit by bit.
func TestPlanned(t *testing.T) {
	for _, p := range plannedLoops {
		for class := range long.Or(1, 2) {
			steps := p.steps[class]
			_, want, _ := p.benchmark.run(class, steps)
			if got := p.run(planned.Split, class, steps); len(got) == 0 || !slices.Equal(got, want) {
				t.Errorf("%s, class %c: %v, expected %v", p.name, classes[class], got, want)
			}
		}
	}
}

// BenchmarkPlanned is class A.
func BenchmarkPlanned(b *testing.B) {
	for _, p := range plannedLoops {
		b.Run(p.name+"/loop="+p.line, func(b *testing.B) {
			planned.Compare(b, func() { p.benchmark.run(2, p.steps[2]) },
				func(loop planned.Loop) { p.run(loop, 2, p.steps[2]) })
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
	loop(0, len(y), func(from, to int) {
		multiply(y[from:to], matrix{a.row[from : to+1], a.sparse}, x)
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
	smooth(u[0], r[0])
	for l := 1; l < top; l++ {
		clear(u[l].v)
		interpolate(u[l], u[l-1])
		residualBy(loop, r[l], r[l], u[l])
		smooth(u[l], r[l])
	}
	interpolate(u[top], u[top-1])
	residualBy(loop, r[top], v, u[top])
	smooth(u[top], r[top])
}

// residualBy is residual, whose loop over planes is planned: each goroutine has rows near and far
// of its own.
func residualBy(loop planned.Loop, r, v, u grid) {
	loop(1, u.n-1, func(from, to int) {
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
