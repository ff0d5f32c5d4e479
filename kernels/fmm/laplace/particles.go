package laplace

// P2M adds the multipoles of the bodies lo to hi-1 about the centre of cell i: equation (2). The
// cell's other bodies, if any, may come in further calls. Cost: about 3 multiplications a
// coefficient and body; the assembly (orders 3 to 6) takes about 6 ns a body of a leaf of 12 at
// order 5.
func (k *Kernel) P2M(c *Cells, i int, b *Bodies, lo, hi int) {
	b.check(lo, hi)
	if lo >= hi {
		return
	}
	ctr := c.Centre(i)
	if k.passes.p2m != nil {
		m := c.M[i*k.MultipoleStride:][:k.Multipoles]
		for ; lo < hi; lo += 16 * maxRun {
			k.passes.p2m(&ctr.X, &m[0], b.arrays(), lo, min(hi, lo+16*maxRun))
		}
		if !k.dipoles {
			m[1], m[2], m[3] = 0, 0, 0
		}
		return
	}
	t := k.t
	var sum, mono [maxFull]float64
	inv := 1 / ctr.Scale
	for j := lo; j < hi; j++ {
		d := [3]float64{(ctr.X - float64(b.X[j])) * inv, (ctr.Y - float64(b.Y[j])) * inv,
			(ctr.Z - float64(b.Z[j])) * inv}
		mono[0] = float64(b.Q[j])
		sum[0] += mono[0]
		for n, m := range t.monomials[1:t.fullM] {
			v := mono[m.from] * d[m.axis] * m.inv
			mono[n+1] = v
			sum[n+1] += v
		}
	}
	k.addMultipoles(c, i, sum[:t.fullM])
}

// addMultipoles reduces full (destroying it) and adds it to the multipoles of cell i.
func (k *Kernel) addMultipoles(c *Cells, i int, full []float64) {
	for _, f := range k.t.folds {
		if int(f.n) < len(full) {
			full[f.x] -= full[f.n]
			full[f.y] -= full[f.n]
		}
	}
	if !k.dipoles {
		full[1], full[2], full[3] = 0, 0, 0
	}
	m := c.M[i*k.MultipoleStride:][:k.Multipoles]
	for n := range m {
		m[n] += float32(full[k.t.fullOf[n]])
	}
}

// L2P adds the potential and its gradient at the bodies lo to hi-1, from the locals of cell i:
// equation (5). Cost: about 6 multiplications a coefficient and body; the assembly takes about 4 ns
// where P2M takes 6.
func (k *Kernel) L2P(c *Cells, i int, b *Bodies, lo, hi int) {
	b.check(lo, hi)
	if lo >= hi {
		return
	}
	ctr := c.Centre(i)
	if k.passes.l2p != nil {
		l := c.L[i*k.LocalStride:][:k.Locals]
		k.passes.l2p(&ctr.X, &l[0], b.arrays(), lo, hi)
		return
	}
	t := k.t
	var local, mono [maxFull]float64
	k.expandLocals(c, i, &local)
	inv := 1 / ctr.Scale
	inner := len(t.raise[0])
	rx, ry, rz := t.raise[0], t.raise[1][:inner], t.raise[2][:inner]
	for j := lo; j < hi; j++ {
		d := [3]float64{(float64(b.X[j]) - ctr.X) * inv, (float64(b.Y[j]) - ctr.Y) * inv,
			(float64(b.Z[j]) - ctr.Z) * inv}
		mono[0] = 1
		p := local[0]
		for n, m := range t.monomials[1:t.fullL] {
			v := mono[m.from] * d[m.axis] * m.inv
			mono[n+1] = v
			p += local[n+1] * v
		}
		var ax, ay, az float64
		for n, x := range rx {
			v := mono[n]
			ax += local[x] * v
			ay += local[ry[n]] * v
			az += local[rz[n]] * v
		}
		b.P[j] += float32(p)
		b.AX[j] += float32(ax * inv)
		b.AY[j] += float32(ay * inv)
		b.AZ[j] += float32(az * inv)
	}
}

// expandLocals writes the locals of cell i with all z, by Laplace's equation.
func (k *Kernel) expandLocals(c *Cells, i int, full *[maxFull]float64) {
	l := c.L[i*k.LocalStride:][:k.Locals]
	for n, v := range l {
		full[k.t.fullOf[n]] = float64(v)
	}
	for j := len(k.t.folds) - 1; j >= 0; j-- {
		f := k.t.folds[j]
		full[f.n] = -full[f.x] - full[f.y]
	}
}
