package laplace

// M2M adds the multipoles of the child cell to the parent's: equation (3). The shift runs along x,
// y and z in turn, each a binomial sum over one exponent, so that it costs O(Order^4) and not
// O(Order^6); z comes last, before which there is none above 1.
func (k *Kernel) M2M(c *Cells, child, parent int) {
	t, from, to := k.t, c.Centre(child), c.Centre(parent)
	var m [maxFull]float64
	inv := 1 / to.Scale
	ratio := t.powers(from.Scale * inv)
	for n, v := range c.M[child*k.MultipoleStride:][:k.Multipoles] {
		f := t.fullOf[n]
		m[f] = float64(v) * ratio[t.degree[f]]
	}
	for a, d := range [3]float64{to.X - from.X, to.Y - from.Y, to.Z - from.Z} {
		w := t.taylor(d * inv)
		for s := len(t.shiftsM[a]) - 1; s >= 0; s-- {
			e := t.shiftsM[a][s]
			m[e.hi] += m[e.lo] * w[e.power]
		}
	}
	k.addMultipoles(c, parent, m[:t.fullM])
}

// L2L adds the locals of the parent cell to the child's: equation (5), about another point. Cost as
// M2M.
func (k *Kernel) L2L(c *Cells, parent, child int) {
	t, from, to := k.t, c.Centre(parent), c.Centre(child)
	var l [maxFull]float64
	k.expandLocals(c, parent, &l)
	inv := 1 / from.Scale
	d := [3]float64{to.X - from.X, to.Y - from.Y, to.Z - from.Z}
	for _, a := range [3]int{2, 0, 1} { // after z only those with z <= 1 matter
		w := t.taylor(d[a] * inv)
		for _, e := range t.shiftsL[a] {
			l[e.lo] += l[e.hi] * w[e.power]
		}
	}
	ratio := t.powers(to.Scale * inv)
	out := c.L[child*k.LocalStride:][:k.Locals]
	for n := range out {
		f := t.fullOf[n]
		out[n] += float32(l[f] * ratio[t.degree[f]])
	}
}

// series is one number a degree.
type series = [MaxOrder + 1]float64

// powers returns v^0 to v^order.
func (t *tables) powers(v float64) (p series) {
	p[0] = 1
	for i := range t.Order {
		p[i+1] = p[i] * v
	}
	return p
}

// taylor returns v^i/i!.
func (t *tables) taylor(v float64) (p series) {
	p[0] = 1
	for i := range t.Order {
		p[i+1] = p[i] * v * reciprocals[i+1]
	}
	return p
}

// reciprocals are 1/i: a chain of divisions took half the time of a shift.
var reciprocals = series{0, 1, 1. / 2, 1. / 3, 1. / 4, 1. / 5, 1. / 6, 1. / 7, 1. / 8, 1. / 9,
	1. / 10}
