package main

import (
	"fmt"
	"math"
)

// mgClass is a size of MG: the logarithm of the points along an edge, and the norm of the residual
// after all steps.
type mgClass struct {
	levels int
	norm   float64
}

var mgClasses = [...]mgClass{
	{5, 0.5307707005734e-04}, {7, 0.6467329375339e-05}, {8, 0.2433365309069e-05},
}

const (
	mgSteps   = 4
	mgCharges = 10 // of each sign
)

// grid is a cube of n x n x n points; the outermost are copies of those at the other end.
type grid struct {
	n int
	v []float64
}

func newGrid(n int) grid { return grid{n, make([]float64, n*n*n)} }

// row returns the points of a row along x.
func (g grid) row(z, y int) []float64 {
	at := (z*g.n + y) * g.n
	return g.v[at : at+g.n]
}

// runMG solves a Poisson equation with periodic boundaries by multigrid: each step is a V-cycle.
func runMG(class, steps int) (string, []float64, []float64) {
	c := mgClasses[class]
	u, r := make([]grid, c.levels), make([]grid, c.levels)
	for l := range u {
		n := 2<<l + 2
		u[l], r[l] = newGrid(n), newGrid(n)
	}
	top := c.levels - 1
	v := charges(u[top].n)
	residual(r[top], v, u[top])
	for range steps {
		cycle(u, v, r)
		residual(r[top], v, u[top])
	}
	norm := norm(r[top])
	return fmt.Sprintf("%d points along an edge, residual %.13g", u[top].n-2, norm),
		[]float64{norm}, []float64{c.norm}
}

// cycle goes from the finest level down to the coarsest and up again: it improves u, where r is the
// residual v - A u of the finest level.
func cycle(u []grid, v grid, r []grid) {
	top := len(u) - 1
	for l := top; l > 0; l-- {
		project(r[l-1], r[l])
	}
	clear(u[0].v)
	smooth(u[0], r[0])
	for l := 1; l < top; l++ {
		clear(u[l].v)
		interpolate(u[l], u[l-1])
		residual(r[l], r[l], u[l])
		smooth(u[l], r[l])
	}
	interpolate(u[top], u[top-1])
	residual(r[top], v, u[top])
	smooth(u[top], r[top])
}

// residual computes r = v - A u, where A weighs a point with -8/3, those that share an edge with
// 1/6, and the corners with 1/12. v may be r.
func residual(r, v, u grid) {
	near, far := make([]float64, u.n), make([]float64, u.n)
	for z := 1; z < u.n-1; z++ {
		for y := 1; y < u.n-1; y++ {
			around(near, far, u, z, y)
			r, v, u := r.row(z, y), v.row(z, y), u.row(z, y)
			for x := 1; x < len(u)-1; x++ {
				r[x] = v[x] + 8.0/3*u[x] - 1.0/6*(far[x]+near[x-1]+near[x+1]) -
					1.0/12*(far[x-1]+far[x+1])
			}
		}
	}
	wrap(r)
}

// smooth computes u += S r, where S weighs a point with -3/8, those that share a face with 1/32,
// and those that share an edge with -1/64.
func smooth(u, r grid) {
	near, far := make([]float64, u.n), make([]float64, u.n)
	for z := 1; z < u.n-1; z++ {
		for y := 1; y < u.n-1; y++ {
			around(near, far, r, z, y)
			u, r := u.row(z, y), r.row(z, y)
			for x := 1; x < len(u)-1; x++ {
				u[x] += -3.0/8*r[x] + (r[x-1]+r[x+1]+near[x])/32 - (far[x]+near[x-1]+near[x+1])/64
			}
		}
	}
	wrap(u)
}

// project sets each point of the coarse grid to 1/2 of that in its place in the fine one, plus 1/4
// of those that share a face with it, 1/8 of those that share an edge, and 1/16 of the corners.
func project(coarse, fine grid) {
	near, far := make([]float64, fine.n), make([]float64, fine.n)
	for z := 1; z < coarse.n-1; z++ {
		for y := 1; y < coarse.n-1; y++ {
			around(near, far, fine, 2*z, 2*y)
			c, f := coarse.row(z, y), fine.row(2*z, 2*y)
			for i := 1; i < len(c)-1; i++ {
				x := 2 * i
				c[i] = f[x]/2 + (f[x-1]+f[x+1]+near[x])/4 + (far[x]+near[x-1]+near[x+1])/8 +
					(far[x-1]+far[x+1])/16
			}
		}
	}
	wrap(coarse)
}

// around sets near to the sums of the four points above, below, before and behind those of a row,
// and far to those of the four diagonally so.
func around(near, far []float64, g grid, z, y int) {
	above, below := g.row(z-1, y), g.row(z+1, y)
	before, behind := g.row(z, y-1), g.row(z, y+1)
	for x := range near {
		near[x] = before[x] + behind[x] + above[x] + below[x]
	}
	a, b, c, d := g.row(z-1, y-1), g.row(z-1, y+1), g.row(z+1, y-1), g.row(z+1, y+1)
	for x := range far {
		far[x] = a[x] + b[x] + c[x] + d[x]
	}
}

// interpolate adds to the fine grid the points of the coarse one, and between two, four or eight of
// them their mean.
func interpolate(fine, coarse grid) {
	two, four := make([]float64, coarse.n), make([]float64, coarse.n)
	for z := range coarse.n - 1 {
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
}

// sumRows computes sum = a + b.
func sumRows(sum, a, b []float64) {
	for x := range sum {
		sum[x] = a[x] + b[x]
	}
}

// addRow adds to a row of the fine grid one of the coarse grid times weight, and means between.
func addRow(fine, coarse []float64, weight float64) {
	for x := 0; x < len(coarse)-1; x++ {
		fine[2*x] += weight * coarse[x]
		fine[2*x+1] += weight / 2 * (coarse[x] + coarse[x+1])
	}
}

// wrap copies the points at each end to the outermost ones of the other.
func wrap(g grid) {
	last, plane := g.n-1, g.n*g.n
	for z := 1; z < last; z++ {
		for y := 1; y < last; y++ {
			row := g.row(z, y)
			row[0], row[last] = row[last-1], row[1]
		}
		rows := g.v[z*plane : (z+1)*plane]
		copy(rows[:g.n], rows[(last-1)*g.n:last*g.n])
		copy(rows[last*g.n:], rows[g.n:2*g.n])
	}
	copy(g.v[:plane], g.v[(last-1)*plane:last*plane])
	copy(g.v[last*plane:], g.v[plane:2*plane])
}

// norm returns the root of the mean square of the points.
func norm(g grid) float64 {
	sum := 0.0
	for z := 1; z < g.n-1; z++ {
		for y := 1; y < g.n-1; y++ {
			row := g.row(z, y)
			for x := 1; x < len(row)-1; x++ {
				sum += row[x] * row[x]
			}
		}
	}
	inner := float64(g.n - 2)
	return math.Sqrt(sum / (inner * inner * inner))
}

// charge is a point and its random number.
type charge struct {
	number float64
	at     int
}

// charges returns a grid of 0 but for 1 where the largest of random numbers are, one for each
// point, and -1 where the smallest are.
func charges(n int) grid {
	var largest, smallest [mgCharges]charge // the latter of negative numbers
	for i := range smallest {
		smallest[i].number = -1
	}
	r := newRandom()
	for z := 1; z < n-1; z++ {
		for y := 1; y < n-1; y++ {
			for x := 1; x < n-1; x++ {
				number, at := r.next(), (z*n+y)*n+x
				keep(largest[:], charge{number, at})
				keep(smallest[:], charge{-number, at})
			}
		}
	}
	g := newGrid(n)
	for i := range mgCharges {
		g.v[largest[i].at], g.v[smallest[i].at] = 1, -1
	}
	wrap(g)
	return g
}

// keep inserts c into those with the largest numbers, in ascending order, and drops the first.
func keep(most []charge, c charge) {
	if c.number <= most[0].number {
		return
	}
	i := 0
	for ; i+1 < len(most) && most[i+1].number < c.number; i++ {
		most[i] = most[i+1]
	}
	most[i] = c
}
