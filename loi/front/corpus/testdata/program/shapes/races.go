package shapes

func races() float64 {
	a, b := vec(10, 3), vec(10, 2)
	antidep1(a)
	m := rows(6, 2)
	antidep2(m)
	indirect(a, b, []int{0, 3, 3, 5, 0, 1, 5, 5, 9, 0})
	indirectshare(a, b, []int{4, 3, 2, 1, 0, 9, 8, 7, 6, 5})
	n := lastprivate(10) + minusminus(vec(10, 3)) + plusplus(b, a) + orderedmissing(10)
	x := outputdep(b)
	privatemissing(a)
	x += sumsquares(m)
	truedepfirst(m)
	c := vec(20, 4)
	truedeplinear(c)
	truedepsecond(m)
	singleelement(a)
	doall1(b)
	x += pireduction(10)
	threadprivate(10)
	matrixvector(m, c, b)
	return total(a) + total(b) + total(c) + totals(m) + float64(n+sum0) + x
}

func antidep1(a []float64) {
	// want: doall; copy a
	// DRB001 antidep1: race yes
	for i := 0; i < len(a)-1; i++ {
		a[i] = a[i+1] + 1
	}
}

func antidep2(a [][]float64) {
	// want: doall; copy a
	// DRB003 antidep2: race yes
	for i := 0; i < len(a)-1; i++ {
		// want: doall
		// DRB053 inneronly1: race no
		for j := 0; j < len(a); j++ {
			a[i][j] = a[i][j] + a[i+1][j]
		}
	}
}

func indirect(a, b []float64, at []int) {
	// want: reduction; reduction a +
	// DRB005 indirectaccess1: race yes
	for i := range at {
		a[at[i]] += b[i]
	}
}

func indirectshare(a, b []float64, at []int) {
	// want: doall
	// DRB052 indirectaccesssharebase: race no
	for i := range at {
		a[at[i]] += b[i]
	}
}

func lastprivate(n int) int {
	x := 0
	// want: doall; last value x
	// DRB009 lastprivatemissing: race yes
	for i := 0; i < n; i++ {
		x = i
	}
	return x
}

func minusminus(a []float64) int {
	n := len(a)
	// want: reduction; reduction n +
	// DRB011 minusminus: race yes
	for i := len(a) - 1; i > -1; i-- {
		if a[i] <= 3 {
			n--
		}
	}
	return n
}

func outputdep(a []float64) float64 {
	x := 10.0
	// want: ordered 1
	// DRB016 outputdep: race yes
	for i := range a {
		a[i] = x
		x = float64(i)
	}
	return x
}

func plusplus(out, in []float64) int {
	n := 0
	// want: doall; induction n
	// DRB018 plusplus: race yes
	for i := range in {
		out[n] = in[i]
		n++
	}
	return n
}

func privatemissing(a []float64) {
	var t float64
	// want: doall; private t
	// DRB020 privatemissing: race yes
	for i := range a {
		t = a[i] + float64(i)
		a[i] = t
	}
}

func sumsquares(u [][]float64) float64 {
	var t, sum float64
	// want: reduction; private t; reduction sum +
	// DRB021 reductionmissing: race yes
	for i := range u {
		// want: reduction; private t; reduction sum +
		// by hand, the inner loop of DRB021
		for j := range u[i] {
			t = u[i][j]
			sum += t * t
		}
	}
	return sum
}

func truedepfirst(b [][]float64) {
	// want: ordered 1
	// DRB031 truedepfirstdimension: race yes
	for i := 1; i < len(b); i++ {
		// want: doall
		// DRB054 inneronly2: race no
		for j := 1; j < len(b); j++ {
			b[i][j] = b[i-1][j-1]
		}
	}
}

func truedeplinear(a []float64) {
	// want: ordered 1
	// DRB033 truedeplinear: race yes
	for i := 0; i < len(a)/2; i++ {
		a[2*i+1] = a[i] + 1
	}
}

func truedepsecond(b [][]float64) {
	// want: doall
	// DRB063 outeronly1: race no
	for i := range b {
		// want: ordered 1
		// DRB037 truedepseconddimension: race yes
		for j := 1; j < len(b); j++ {
			b[i][j] = b[i][j-1]
		}
	}
}

func singleelement(a []float64) {
	// want: ordered 1
	// DRB039 truedepsingleelement: race yes
	for i := 0; i < len(a); i++ {
		a[i] = a[i] + a[0]
	}
}

func doall1(a []float64) {
	// want: doall
	// DRB045 doall1: race no
	for i := range a {
		a[i] = a[i] + 1
	}
}

func pireduction(n int) float64 {
	var x, pi float64
	h := 1 / float64(n)
	// want: reduction; private x; reduction pi +
	// DRB065 pireduction: race no
	for i := 0; i < n; i++ {
		x = (float64(i) + 0.5) * h
		pi += 4 / (1 + x*x)
	}
	return pi * h
}

var sum0 int

func add0(i int) { sum0 = sum0 + i }

func threadprivate(n int) {
	// want: reduction; reduction sum0 +
	// DRB084 threadprivatemissing: race yes
	for i := 1; i <= n; i++ {
		add0(i)
	}
}

func orderedmissing(n int) int {
	x := 0
	// want: doall; induction x
	// DRB109 orderedmissing: race yes
	for i := 0; i < n; i++ {
		x++
	}
	return x
}

func matrixvector(a [][]float64, v, out []float64) {
	// want: doall
	// DRB061 matrixvector1: race no
	for i := range a {
		s := 0.0
		// want: reduction; reduction s +
		// DRB062 matrixvector2: race no
		for j := range a[i] {
			s += a[i][j] * v[j]
		}
		out[i] = s
	}
}
