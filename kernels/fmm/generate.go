package fmm

import (
	"fmt"
	"math"
	"slices"
)

// body is one line of the input: position, and charge or mass.
type body struct{ x, y, z, q float64 }

// Distributions of [generate].
const (
	plummer = "plummer"
	sphere  = "sphere"
	cube    = "cube"
)

var distributions = []string{plummer, sphere, cube}

// generate returns n bodies of charge 1/n, the same for a seed on every computer: random integers,
// additions, multiplications, divisions and square roots that are rounded one by one (explicit
// conversions keep compilers from fusing them).
//
// plummer has the density of Plummer's sphere with the scale radius a, cut off at the radius cut: a
// fraction r^3/(r^2+a^2)^(3/2) of its mass lies within r (Aarseth, Henon and Wielen, "A comparison
// of numerical methods for the study of star cluster dynamics", Astron. Astrophys. 37, 1974). The
// cube root of that fraction is s = r/sqrt(r^2+a^2), and the cube root of a uniform random number
// is distributed as the largest of three: r = a s/sqrt(1-s^2) with such an s, without a power. The
// direction is Marsaglia's (Ann. Math. Stat. 43, 1972). sphere is uniform in the ball of radius 1,
// cube in [-1, 1)^3.
func generate(dist string, n int, scale, cut float64, seed uint64) []body {
	if !slices.Contains(distributions, dist) {
		panic(fmt.Sprintf("fmm: distribution %q", dist)) // parameters have been checked
	}
	g := splitmix{seed}
	for _, c := range dist { // another distribution, other bodies
		g.state = g.next() ^ uint64(c)
	}
	bodies := make([]body, n)
	for i := range bodies {
		b := &bodies[i]
		b.q = 1 / float64(n)
		switch dist {
		case cube:
			b.x, b.y, b.z = g.signed(), g.signed(), g.signed()
		case sphere:
			for {
				b.x, b.y, b.z = g.signed(), g.signed(), g.signed()
				if dot(b.x, b.y, b.z) <= 1 {
					break
				}
			}
		case plummer:
			r := g.plummerRadius(scale, cut)
			b.x, b.y, b.z = g.direction()
			b.x, b.y, b.z = b.x*r, b.y*r, b.z*r
		}
	}
	return bodies
}

// dot returns the square of a length, rounded as written.
func dot(x, y, z float64) float64 { return float64(float64(x*x)+float64(y*y)) + float64(z*z) }

// splitmix is the generator SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014).
type splitmix struct{ state uint64 }

func (g *splitmix) next() uint64 {
	g.state += 0x9e3779b97f4a7c15
	return mix(g.state)
}

// mix returns SplitMix64's scrambling of 64 bits, one to one.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// unit returns a number in [0, 1), a multiple of 2^-53.
func (g *splitmix) unit() float64 { return float64(g.next()>>11) * 0x1p-53 }

// signed returns a number in [-1, 1), a multiple of 2^-52.
func (g *splitmix) signed() float64 { return float64(int64(g.next())>>11) * 0x1p-52 }

// below returns an integer in [0, n).
func (g *splitmix) below(n int) int {
	limit := math.MaxUint64 - math.MaxUint64%uint64(n)
	for {
		if v := g.next(); v < limit {
			return int(v % uint64(n))
		}
	}
}

func (g *splitmix) plummerRadius(scale, cut float64) float64 {
	for {
		s := max(g.unit(), g.unit(), g.unit())
		if r := scale * s / math.Sqrt(1-float64(s*s)); r <= cut {
			return r
		}
	}
}

func (g *splitmix) direction() (x, y, z float64) {
	for {
		u, v := g.signed(), g.signed()
		s := float64(u*u) + float64(v*v)
		if s >= 1 {
			continue
		}
		f := 2 * math.Sqrt(1-s)
		return u * f, v * f, 1 - float64(2*s)
	}
}
