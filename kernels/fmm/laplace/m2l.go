package laplace

import "math"

// M2L adds to the locals of cell i what the multipoles of cell j make there: equation (4). The
// centres must differ.
func (k *Kernel) M2L(c *Cells, i, j int) {
	if k.one != nil {
		mj, li := c.M[j*k.MultipoleStride:][:k.Multipoles], c.L[i*k.LocalStride:][:k.Locals]
		k.one(&c.Centre(i).X, &c.Centre(j).X, &mj[0], &li[0])
		return
	}
	k.m2lPortable(c, i, j)
}

// M2LMutual works like M2L(i, j) and M2L(j, i): one tensor of derivatives serves both, T_n(-u) =
// (-1)^|n| T_n(u). It writes the locals of both cells. i and j must differ, and so must their
// centres.
func (k *Kernel) M2LMutual(c *Cells, i, j int) {
	if k.mutual != nil {
		mi, mj := c.M[i*k.MultipoleStride:][:k.Multipoles],
			c.M[j*k.MultipoleStride:][:k.Multipoles]
		li, lj := c.L[i*k.LocalStride:][:k.Locals], c.L[j*k.LocalStride:][:k.Locals]
		k.mutual(&c.Centre(i).X, &c.Centre(j).X, &mi[0], &mj[0], &li[0], &lj[0])
		return
	}
	k.mutualPortable(c, i, j)
}

// pair is the geometry of an M2L: the unit vector from centre j to centre i, the inverse distance,
// and the powers of the scales of i and j over the distance, those of i with the sign of the
// reversed direction.
type pair struct {
	u    [4]float32 // the last is 1: recurrences without a factor
	inv  float32
	i, j [MaxOrder + 1]float32
}

func (k *Kernel) pair(c *Cells, i, j int) (p pair) {
	a, b := c.Centre(i), c.Centre(j)
	x, y, z := float32(a.X-b.X), float32(a.Y-b.Y), float32(a.Z-b.Z)
	p.inv = 1 / float32(math.Sqrt(float64(x*x+y*y+z*z)))
	p.u = [4]float32{x * p.inv, y * p.inv, z * p.inv, 1}
	ti, tj := float32(a.Scale)*p.inv, float32(b.Scale)*p.inv
	p.i[0], p.j[0] = 1, 1
	for n := range k.Order {
		p.i[n+1], p.j[n+1] = p.i[n]*ti, p.j[n]*tj
	}
	return p
}

// derivs are derivatives by number. There is room for any number that a byte can be, so that the
// compiler leaves out its checks.
type derivs [256]float32

var _ [len(derivs{}) - maxDerivs]byte

// derivatives writes T_n(u), z <= 2, to d: equation (7).
func (t *tables) derivatives(u *[4]float32, d *derivs) {
	d[0] = 1
	for _, r := range t.derivs {
		var s float32
		for _, e := range r.terms {
			s += e.c * u[e.axis&3] * d[e.from]
		}
		d[r.n] = s
	}
}

func (k *Kernel) m2lPortable(c *Cells, i, j int) {
	var d derivs
	p := k.pair(c, i, j)
	k.t.derivatives(&p.u, &d)
	var mj [maxTerms]float32
	for n, v := range c.M[j*k.MultipoleStride:][:k.Multipoles] {
		mj[n] = v * p.j[k.t.degree[k.t.fullOf[n]]]
	}
	li := c.L[i*k.LocalStride:][:k.Locals]
	for n, row := range k.t.pairs {
		var s float32
		m := mj[:len(row)]
		for q, e := range row {
			s += m[q] * d[e]
		}
		li[n] += s * p.i[k.t.degree[k.t.fullOf[n]]] * p.inv
	}
}

func (k *Kernel) mutualPortable(c *Cells, i, j int) {
	var d derivs
	p := k.pair(c, i, j)
	k.t.derivatives(&p.u, &d)
	var m [maxTerms]struct{ i, j float32 }
	ci, cj := c.M[i*k.MultipoleStride:][:k.Multipoles], c.M[j*k.MultipoleStride:][:k.Multipoles]
	for n := range ci {
		g := k.t.degree[k.t.fullOf[n]]
		m[n].i, m[n].j = ci[n]*p.i[g]*sign(g), cj[n]*p.j[g]
	}
	li, lj := c.L[i*k.LocalStride:][:k.Locals], c.L[j*k.LocalStride:][:k.Locals]
	for n, row := range k.t.pairs {
		var si, sj float32
		m := m[:len(row)]
		for q, e := range row {
			v, x := d[e], &m[q]
			si += x.j * v
			sj += x.i * v
		}
		g := k.t.degree[k.t.fullOf[n]]
		li[n] += si * p.i[g] * p.inv
		lj[n] += sj * p.j[g] * sign(g) * p.inv
	}
}

// sign returns (-1)^degree.
func sign(degree uint8) float32 { return 1 - 2*float32(degree&1) }
