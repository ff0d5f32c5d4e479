package fmm

import (
	"math"
	"sync/atomic"
)

// acceptance has the parameters of the acceptance criterion, |R| > reach_i + reach_j with reach =
// radius/theta of the cell. The radius is the distance from the centre to the
// farthest body; that is never more than to the farthest corner of a box around the bodies. Theta
// of a cell solves
//
//	theta^(P+2) / (1-theta)^2 = theta_0^(P+2) / (1-theta_0)^2  f^(-1/3),    f = min(1, 8 w/W)
//
// (Dehnen 2002, eq. 13, with theta_min = theta_0 and f for his mass), so that cells contribute
// equal errors: the heavier, the smaller theta, down to theta_0 for an eighth of the whole, an
// octant of the root. w/W is the cell's share of all |q|, or of the number of bodies where that is
// larger: light bodies feel their neighbours as much as heavy ones do.
type acceptance struct {
	order int
	theta float64
}

// minReach keeps cells that nearly touch from meeting at distances whose squares single precision
// does not hold: pairs at that distance are summed directly. It is in units of the frame.
const minReach = 0x1p-60

// heaviest is the share of the whole from which theta is theta_0.
const heaviest = 1.0 / 8

// opening returns 1/theta of a cell with the given share of the whole.
func (a acceptance) opening(share float64) float64 {
	// With x = 1/theta: (x-1)^2 x^P = (x0-1)^2 x0^P f^(1/3). The left side is convex and grows from
	// x = 1; Newton's method from the right falls to the solution.
	x := 1 / a.theta
	if share >= heaviest {
		return x
	}
	f := share / heaviest
	want := float64((x-1)*(x-1)) * power(x, a.order) * cubeRoot(f)
	for range 60 {
		p := power(x, a.order-1)
		have := float64(float64((x-1)*(x-1))*p) * x
		slope := float64((x-1)*p) * (float64(2*x) + float64(float64(a.order)*(x-1)))
		next := x - float64((have-want)/slope)
		if !(next < x) {
			break
		}
		x = next
	}
	return x
}

// power returns x^n, rounded after each multiplication.
func power(x float64, n int) float64 {
	p := 1.0
	for range n {
		p = float64(p * x)
	}
	return p
}

// cubeRoot returns the cube root of v in (0, 1], the same on every computer.
func cubeRoot(v float64) float64 {
	y := 1.0
	for range 200 {
		next := (float64(2*y) + float64(v/float64(y*y))) / 3
		if !(next < y) {
			break
		}
		y = next
	}
	return y
}

// measure sets centres, radii and reaches of all cells, and marks leaves that need double
// precision. It uses so many goroutines.
//
// A centre is the mean position weighted by |q|: about it dipoles vanish where charges have one
// sign. Where all are zero it is the mean position.
func (t *tree) measure(a acceptance, workers int) {
	weights := make([]float64, len(t.cells))
	for i := len(t.cells) - 1; i >= 0; i-- {
		t.centre(i, weights)
	}
	fine := make([]bool, len(t.cells))
	var any atomic.Bool
	total, n := weights[0], float64(len(t.bodies))
	share(len(t.cells), 1024, workers, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			c := &t.cells[i]
			var far float64
			for j := c.lo; j < c.hi; j++ {
				b := &t.bodies[j]
				far = max(far, dot(b.x-c.x, b.y-c.y, b.z-c.z))
			}
			c.radius = math.Sqrt(far)
			f := float64(c.bodies()) / n
			if total > 0 {
				f = max(f, weights[i]/total)
			}
			c.reach = max(c.radius*a.opening(f), minReach)
		}
	})
	share(len(t.cells), 1024, workers, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			c := &t.cells[i]
			for k := c.child; k < c.child+c.children; k++ {
				if t.cells[k].leaf >= 0 && t.isFine(&t.cells[k], c.radius) {
					fine[k] = true
					any.Store(true)
				}
			}
		}
	})
	if any.Load() {
		t.fine = fine
	}
}

// centre sets the centre of cell i from its bodies or children.
func (t *tree) centre(i int, weights []float64) {
	c := &t.cells[i]
	var x, y, z, w, mx, my, mz float64
	if c.leaf >= 0 {
		for j := c.lo; j < c.hi; j++ {
			b := &t.bodies[j]
			q := math.Abs(b.q)
			x, y, z, w = x+float64(q*b.x), y+float64(q*b.y), z+float64(q*b.z), w+q
			mx, my, mz = mx+b.x, my+b.y, mz+b.z
		}
	}
	for k := c.child; k < c.child+c.children; k++ {
		b, q := &t.cells[k], weights[k]
		n := float64(b.bodies())
		x, y, z, w = x+float64(q*b.x), y+float64(q*b.y), z+float64(q*b.z), w+q
		mx, my, mz = mx+float64(n*b.x), my+float64(n*b.y), mz+float64(n*b.z)
	}
	weights[i] = w
	if n := float64(c.bodies()); w > 0 {
		c.x, c.y, c.z = x/w, y/w, z/w
	} else if n > 0 {
		c.x, c.y, c.z = mx/n, my/n, mz/n
	}
}

// Single precision rounds a coordinate v by up to 2^-24 v. Bodies of a leaf that are nearer than
// this times their distance from the middle feel each other with a relative error of up to about
// 2^-11.
const resolution = 0x1p-12

// isFine reports whether some bodies of the leaf c, whose parent has the given radius, are too near
// to each other for single precision. Only pairs within a leaf are looked at, and of leaves of more
// than 64 bodies the radius alone.
func (t *tree) isFine(c *cell, parent float64) bool {
	least := parent
	if c.radius > 0 {
		least = min(least, c.radius)
	}
	least *= least
	var coordinate float64
	for i := c.lo; i < c.hi; i++ {
		a := &t.bodies[i]
		coordinate = max(coordinate, math.Abs(a.x), math.Abs(a.y), math.Abs(a.z))
		if c.bodies() > 64 {
			continue
		}
		for j := c.lo; j < i; j++ {
			b := &t.bodies[j]
			if d := dot(a.x-b.x, a.y-b.y, a.z-b.z); d > 0 && d < least {
				least = d
			}
		}
	}
	limit := resolution * coordinate
	return least < float64(limit*limit)
}
