package shapes

func vectors() float64 {
	a, b, c, d := vec(10, 3), vec(10, 2), vec(10, 4), vec(10, 5)
	long := vec(31, 2)
	s111(a, b)
	s112(a, b)
	s1113(a, b)
	m, w := rows(8, 3), vec(8, 1)
	s115(w, m)
	s116(long)
	s122(a, b, 1, 2)
	s123(long, b, vec(10, 3))
	s124(a, vec(10, 3), c)
	s127(long, b, c)
	packed := vec(36, 2)
	s141(packed, m)
	s161(a, vec(10, 3), c, d)
	s173(a, b, 5)
	s211(a, b, c, d)
	s241(a, b, c, d)
	s252(a, b, c)
	s253(vec(10, 3), b)
	s256(vec(8, 3), m, rows(8, 1))
	s257(w, m, rows(8, 2))
	s258(vec(10, 3), b, c, d)
	s281(vec(9, 2), vec(9, 3))
	s291(a, b)
	s244(a, b, c, d) // s3112 reads a
	s3112(a, b)
	x := s315(vec(10, 3)) + s331(vec(10, 3)) + s332(vec(10, 1), 6)
	s341(a, vec(10, 3))
	s421(long, b)
	s453(a, b)
	return total(a) + total(b) + total(c) + total(w) + total(long) + total(packed) + totals(m) +
		float64(x)
}

func s111(a, b []float64) {
	// want: doall
	// TSVC s111, stride 2: no dependence, vectorizable
	for i := 1; i < len(a); i += 2 {
		a[i] = a[i-1] + b[i]
	}
}

func s112(a, b []float64) {
	// want: doall; copy a
	// TSVC s112, loop reversal
	for i := len(a) - 2; i >= 0; i-- {
		a[i+1] = a[i] + b[i]
	}
}

func s1113(a, b []float64) {
	// want: ordered 1
	// TSVC s1113, one iteration dependency: vectorizable
	for i := range a {
		a[i] = a[len(a)/2] + b[i]
	}
}

func s115(a []float64, m [][]float64) {
	// want: ordered 1
	// TSVC s115, triangular saxpy, outer loop
	for j := range a {
		// want: doall
		// TSVC s115, triangular saxpy, inner loop
		for i := j + 1; i < len(a); i++ {
			a[i] -= m[j][i] * a[j]
		}
	}
}

func s116(a []float64) {
	// want: doall; copy a
	// TSVC s116, unrolled: linear dependence testing
	for i := 0; i < len(a)-5; i += 5 {
		a[i] = a[i+1] * a[i] / 8
		a[i+1] = a[i+2] * a[i+1] / 8
		a[i+2] = a[i+3] * a[i+2] / 8
		a[i+3] = a[i+4] * a[i+3] / 8
		a[i+4] = a[i+5] * a[i+4] / 8
	}
}

func s122(a, b []float64, first, step int) {
	j, k := 1, 0
	// want: doall; induction k
	// TSVC s122, variable lower and upper bound, and stride
	for i := first - 1; i < len(a); i += step {
		k += j
		a[i] += b[len(b)-k]
	}
}

func s123(a, b, c []float64) {
	j := -1
	// want: ordered 1
	// TSVC s123, induction under an if: not vectorizable
	for i := range b {
		j++
		a[j] = b[i]
		if c[i] > 3 {
			j++
			a[j] = c[i]
		}
	}
}

func s124(a, b, c []float64) {
	j := -1
	// want: doall; induction j
	// TSVC s124, induction under both sides of an if
	for i := range b {
		if b[i] > 3 {
			j++
			a[j] = b[i] + c[i]
		} else {
			j++
			a[j] = c[i]
		}
	}
}

func s127(a, b, c []float64) {
	j := -1
	// want: ordered 1
	// TSVC s127, induction with multiple increments
	for i := range b {
		j++
		a[j] = b[i] + c[i]
		j++
		a[j] = b[i]
	}
}

func s141(flat []float64, m [][]float64) {
	var k int
	// want: doall; private k
	// TSVC s141, symmetric packed array, outer loop
	for i := range m {
		k = i*(i+1)/2 + i
		// want: ordered 1
		// TSVC s141, symmetric packed array, inner loop
		for j := i; j < len(m); j++ {
			flat[k] += m[j][i]
			k += j + 1
		}
	}
}

func s161(a, b, c, d []float64) {
	// want: ordered 1
	// TSVC s161, mutually exclusive regions
	for i := 0; i < len(a)-1; i++ {
		if b[i] < 4 {
			c[i+1] = a[i] + d[i]*d[i]
		} else {
			a[i] = c[i] + d[i]
		}
	}
}

func s173(a, b []float64, k int) {
	// want: doall
	// TSVC s173, expression in bounds and indices
	for i := 0; i < len(a)/2; i++ {
		a[i+k] = a[i] + b[i]
	}
}

func s211(a, b, c, d []float64) {
	// want: ordered 1
	// TSVC s211, reordering allows vectorization
	for i := 1; i < len(a)-1; i++ {
		a[i] = b[i-1] + c[i]
		b[i] = b[i+1] - d[i]
	}
}

func s241(a, b, c, d []float64) {
	// want: doall; copy a
	// TSVC s241, preloading allows vectorization
	for i := 0; i < len(a)-1; i++ {
		a[i] = b[i] - c[i]
		b[i] = a[i] - a[i+1]*d[i]
	}
}

func s244(a, b, c, d []float64) {
	// want: doall; last value a; copy a
	// TSVC s244, false dependence cycle breaking
	for i := 0; i < len(a)-1; i++ {
		a[i] = b[i] - c[i]
		b[i] = c[i] + b[i]
		a[i+1] = b[i] - a[i+1]*d[i]
	}
}

func s252(a, b, c []float64) {
	var s float64
	t := 0.0
	// want: ordered 1; private s
	// TSVC s252, ambiguous scalar temporary
	for i := range a {
		s = b[i] - c[i]
		a[i] = s + t
		t = s
	}
}

func s253(a, b []float64) {
	var s float64
	// want: doall; private s
	// TSVC s253, scalar expansion under an if
	for i := range a {
		if a[i] > 3 {
			s = a[i] - b[i]
			b[i] += s
		}
	}
}

func s256(a []float64, m, n [][]float64) {
	// want: doall; private a
	// TSVC s256, array expansion, outer loop
	for i := range m {
		// want: ordered 1
		// TSVC s256, array expansion, inner loop
		for j := 1; j < len(a); j++ {
			a[j] = 1 - a[j-1]
			m[j][i] = a[j] + n[j][i]
		}
	}
}

func s257(a []float64, m, n [][]float64) {
	// want: ordered 1
	// TSVC s257, array expansion, outer loop
	for i := 1; i < len(a); i++ {
		// want: doall; last value a
		// TSVC s257, array expansion, inner loop
		for j := range m {
			a[i] = m[j][i] - a[i-1]
			m[j][i] = a[i] + n[j][i]
		}
	}
}

func s258(a, b, c, d []float64) {
	s := 0.0
	// want: ordered 1
	// TSVC s258, wrap-around scalar under an if
	for i := range a {
		if a[i] > 3 {
			s = d[i] * d[i]
		}
		b[i] = s + c[i]
	}
}

func s281(a, b []float64) {
	var x float64
	// want: ordered 2; private x
	// TSVC s281, crossing thresholds: index set splitting
	for i := range a {
		x = a[len(a)-1-i] + b[i]
		a[i] = x - 1
		b[i] = x
	}
}

func s291(a, b []float64) {
	before := len(b) - 1
	// want: ordered 1
	// TSVC s291, wrap-around variable: loop peeling
	for i := range a {
		a[i] = (b[i] + b[before]) / 2
		before = i
	}
}

func s315(a []float64) int {
	x, at := a[0], 0
	// want: reduction; reduction x max; reduction at max
	// TSVC s315, if to max with index
	for i := range a {
		if a[i] > x {
			x = a[i]
			at = i
		}
	}
	return at + int(x)
}

func s3112(a, b []float64) {
	s := 0.0
	// want: ordered 1
	// TSVC s3112, sum reduction saving running sums
	for i := range a {
		s += a[i]
		b[i] = s
	}
}

func s331(a []float64) int {
	j := -1
	// want: doall; last value j
	// TSVC s331, if to last
	for i := range a {
		if a[i] < 3 {
			j = i
		}
	}
	return j
}

func s332(a []float64, t float64) int {
	at := -2
	// want: ordered 1
	// TSVC s332, first value greater than threshold
	for i := range a {
		if a[i] > t {
			at = i
			break
		}
	}
	return at
}

func s341(a, b []float64) {
	j := -1
	// want: ordered 1
	// TSVC s341, packing: not vectorizable
	for i := range b {
		if b[i] > 3 {
			j++
			a[j] = b[i]
		}
	}
}

func s421(x, a []float64) {
	y := x
	// want: doall; copy x
	// TSVC s421, storage classes, another name
	for i := range a {
		x[i] = y[i+1] + a[i]
	}
}

func s453(a, b []float64) {
	s := 0.0
	// want: doall; induction s
	// TSVC s453, induction variable recognition
	for i := range a {
		s += 2
		a[i] = s * b[i]
	}
}
