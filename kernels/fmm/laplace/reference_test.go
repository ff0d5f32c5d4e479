package laplace

import (
	"math"
	"math/rand/v2"
	"unsafe"
)

// The reference is float64, unreduced and unscaled: maps from multi-indices, sums as the equations
// have them.

type vec [3]float64

func (a vec) sub(b vec) vec { return vec{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

func (a vec) norm() float64 { return math.Sqrt(a[0]*a[0] + a[1]*a[1] + a[2]*a[2]) }

// power is v^n/n!.
func (a vec) power(n index) float64 {
	f := 1.0
	for axis, m := range [3]int{n.x, n.y, n.z} {
		for i := 1; i <= m; i++ {
			f *= a[axis] / float64(i)
		}
	}
	return f
}

type coefficients map[index]float64

// refDeriv is D_n(r): equation (8) with all its sums, times r^-(|n|+1).
func refDeriv(n index, r vec) float64 {
	d := r.norm()
	c := func(m, i int) float64 {
		f := 1.0
		for k := m - 2*i + 1; k <= m; k++ {
			f *= float64(k)
		}
		for k := 1; k <= i; k++ {
			f /= 2 * float64(k)
		}
		return f
	}
	s := 0.0
	for i := 0; 2*i <= n.x; i++ {
		for j := 0; 2*j <= n.y; j++ {
			for l := 0; 2*l <= n.z; l++ {
				h := n.degree() - i - j - l
				g := 1.0
				for k := 1; k <= h; k++ {
					g *= -float64(2*k - 1)
				}
				s += g * c(n.x, i) * c(n.y, j) * c(n.z, l) * math.Pow(r[0]/d,
					float64(n.x-2*i)) * math.Pow(r[1]/d, float64(n.y-2*j)) * math.Pow(r[2]/d,
					float64(n.z-2*l))
			}
		}
	}
	return s / math.Pow(d, float64(n.degree()+1))
}

func refP2M(b *Bodies, lo, hi int, x vec, order int) coefficients {
	m := coefficients{}
	for i := lo; i < hi; i++ {
		d := x.sub(b.at(i))
		for _, k := range indices(order-1, order-1) {
			m[k] += float64(b.Q[i]) * d.power(k)
		}
	}
	return m
}

func refM2M(m coefficients, from, to vec) coefficients {
	out := coefficients{}
	s := to.sub(from)
	for k := range m {
		for j, v := range m {
			if d := (index{k.x - j.x, k.y - j.y, k.z - j.z}); d.x >= 0 && d.y >= 0 && d.z >= 0 {
				out[k] += v * s.power(d)
			}
		}
	}
	return out
}

func refM2L(m coefficients, r vec, order int) coefficients {
	l := coefficients{}
	for _, n := range indices(order, order) {
		for k, v := range m {
			if n.degree()+k.degree() <= order {
				l[n] += v * refDeriv(n.plus(k), r)
			}
		}
	}
	return l
}

func refL2L(l coefficients, from, to vec) coefficients {
	out := coefficients{}
	d := to.sub(from)
	for n := range l {
		for m, v := range l {
			if e := (index{m.x - n.x, m.y - n.y, m.z - n.z}); e.x >= 0 && e.y >= 0 && e.z >= 0 {
				out[n] += v * d.power(e)
			}
		}
	}
	return out
}

// refL2P returns phi and its gradient at x.
func refL2P(l coefficients, centre, x vec) (f [4]float64) {
	y := x.sub(centre)
	for n, v := range l {
		f[0] += v * y.power(n)
		for a, down := range [3]index{{n.x - 1, n.y, n.z}, {n.x, n.y - 1, n.z},
			{n.x, n.y, n.z - 1}} {
			if down.x >= 0 && down.y >= 0 && down.z >= 0 {
				f[1+a] += v * y.power(down)
			}
		}
	}
	return f
}

// refDirect is equation (1) at body i from the bodies lo to hi-1.
func refDirect(b *Bodies, i, lo, hi int) (f [4]float64) {
	for j := lo; j < hi; j++ {
		d := b.at(j).sub(b.at(i))
		r := d.norm()
		if r == 0 {
			continue
		}
		f[0] += float64(b.Q[j]) / r
		for a := range d {
			f[1+a] += float64(b.Q[j]) * d[a] / (r * r * r)
		}
	}
	return f
}

func (b *Bodies) at(i int) vec { return vec{float64(b.X[i]), float64(b.Y[i]), float64(b.Z[i])} }

func (b *Bodies) field(i int) [4]float64 {
	return [4]float64{float64(b.P[i]), float64(b.AX[i]), float64(b.AY[i]), float64(b.AZ[i])}
}

func (b *Bodies) clearResults() {
	for _, s := range [][]float32{b.P, b.AX, b.AY, b.AZ} {
		clear(s)
	}
}

// l2 compares fields: the relative L2 errors of the potential and of its gradient.
func l2(got, want [][4]float64) (phi, acc float64) {
	var dp, p, da, a float64
	for i := range got {
		dp += (got[i][0] - want[i][0]) * (got[i][0] - want[i][0])
		p += want[i][0] * want[i][0]
		for e := 1; e < 4; e++ {
			da += (got[i][e] - want[i][e]) * (got[i][e] - want[i][e])
			a += want[i][e] * want[i][e]
		}
	}
	return math.Sqrt(dp / p), math.Sqrt(da / a)
}

// ball fills bodies lo to hi-1 uniformly within radius of centre, charges in (1/2, 1), of either
// sign if mixed.
func (b *Bodies) ball(rng *rand.Rand, lo, hi int, centre vec, radius float64, mixed bool) {
	for i := lo; i < hi; {
		v := vec{2*rng.Float64() - 1, 2*rng.Float64() - 1, 2*rng.Float64() - 1}
		if v.norm() > 1 {
			continue
		}
		b.X[i], b.Y[i], b.Z[i] = float32(centre[0]+radius*v[0]), float32(centre[1]+radius*v[1]),
			float32(centre[2]+radius*v[2])
		b.Q[i] = float32(0.5 + rng.Float64()/2)
		if mixed && rng.IntN(2) == 0 {
			b.Q[i] = -b.Q[i]
		}
		i++
	}
}

// centre puts a cell about the bodies lo to hi-1: at their mean, weighted by |q| where there is any.
func (c *Cells) centre(cell int, b *Bodies, lo, hi int) {
	var at, mean vec
	weight, r := 0.0, 0.0
	for i := lo; i < hi; i++ {
		w := math.Abs(float64(b.Q[i]))
		weight += w
		for e, x := range b.at(i) {
			at[e], mean[e] = at[e]+w*x, mean[e]+x
		}
	}
	if weight == 0 {
		at, weight = mean, float64(hi-lo)
	}
	for e := range at {
		at[e] /= weight
	}
	for i := lo; i < hi; i++ {
		r = max(r, b.at(i).sub(at).norm())
	}
	*c.Centre(cell) = Centre{at[0], at[1], at[2], ScaleOf(r, 1)}
}

func (c Centre) vec() vec { return vec{c.X, c.Y, c.Z} }

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 4)) }

func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }
