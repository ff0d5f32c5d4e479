package main

// index is a multi-index, as in package laplace.
type index struct{ x, y, z int }

func (n index) degree() int        { return n.x + n.y + n.z }
func (n index) plus(k index) index { return index{n.x + k.x, n.y + k.y, n.z + k.z} }

// terms lists the indices of the degrees lo to hi with z <= 1 in the order of the coefficients.
func terms(lo, hi int) (s []index) {
	for d := lo; d <= hi; d++ {
		for y := range d + 1 {
			for z := range min(d-y, 1) + 1 {
				s = append(s, index{d - y - z, y, z})
			}
		}
	}
	return s
}

// polynomial is T_n(-v) by equation (8), n.z <= 2, as the factor v_x^odd.x v_y^odd.y v_z^odd.z and
// the coefficients of powers of v_x^2 and v_y^2.
type polynomial struct {
	odd   index
	coeff map[[2]int]float64
}

func polynomialOf(n index) polynomial {
	if n.z == 2 { // Laplace's equation
		p, q := polynomialOf(index{n.x + 2, n.y, 0}), polynomialOf(index{n.x, n.y + 2, 0})
		for k, v := range q.coeff {
			p.coeff[k] += v
		}
		for k := range p.coeff {
			p.coeff[k] *= -1
		}
		return p
	}
	p := polynomial{index{n.x % 2, n.y % 2, n.z}, map[[2]int]float64{}}
	for i := 0; 2*i <= n.x; i++ {
		for j := 0; 2*j <= n.y; j++ {
			h := n.degree() - i - j
			c := hermite(n.x, i) * hermite(n.y, j)
			for k := 1; k <= h; k++ {
				c *= -float64(2*k - 1)
			}
			if n.degree()%2 == 1 {
				c = -c
			}
			p.coeff[[2]int{n.x/2 - i, n.y/2 - j}] = c
		}
	}
	return p
}

// hermite returns m!/(2^i i! (m-2i)!).
func hermite(m, i int) float64 {
	c := 1.0
	for k := m - 2*i + 1; k <= m; k++ {
		c *= float64(k)
	}
	for k := 1; k <= i; k++ {
		c /= float64(2 * k)
	}
	return c
}
