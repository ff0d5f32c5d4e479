package shapes

func products() float64 {
	a, b, c := rows(6, 2), rows(6, 3), rows(6, 4)
	ijk(a, b, c)
	ikj(a, b, c)
	jik(a, b, c)
	jki(a, b, c)
	kij(a, b, c)
	kji(a, b, c)
	return totals(c)
}

func ijk(a, b, c [][]float64) {
	// want: doall
	// by hand, matrix product i-j-k, loop i
	for i := range c {
		// want: doall
		// by hand, matrix product i-j-k, loop j
		for j := range c {
			// want: reduction; reduction c +
			// by hand, matrix product i-j-k, loop k
			for k := range c {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
}

func ikj(a, b, c [][]float64) {
	// want: doall
	// by hand, matrix product i-k-j, loop i
	for i := range c {
		// want: reduction; reduction c +
		// by hand, matrix product i-k-j, loop k
		for k := range c {
			// want: doall
			// by hand, matrix product i-k-j, loop j
			for j := range c {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
}

func jik(a, b, c [][]float64) {
	// want: doall
	// by hand, matrix product j-i-k, loop j
	for j := range c {
		// want: doall
		// by hand, matrix product j-i-k, loop i
		for i := range c {
			// want: reduction; reduction c +
			// by hand, matrix product j-i-k, loop k
			for k := range c {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
}

func jki(a, b, c [][]float64) {
	// want: doall
	// by hand, matrix product j-k-i, loop j
	for j := range c {
		// want: reduction; reduction c +
		// by hand, matrix product j-k-i, loop k
		for k := range c {
			// want: doall
			// by hand, matrix product j-k-i, loop i
			for i := range c {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
}

func kij(a, b, c [][]float64) {
	// want: reduction; reduction c +
	// by hand, matrix product k-i-j, loop k
	for k := range c {
		// want: doall
		// by hand, matrix product k-i-j, loop i
		for i := range c {
			// want: doall
			// by hand, matrix product k-i-j, loop j
			for j := range c {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
}

func kji(a, b, c [][]float64) {
	// want: reduction; reduction c +
	// by hand, matrix product k-j-i, loop k
	for k := range c {
		// want: doall
		// by hand, matrix product k-j-i, loop j
		for j := range c {
			// want: doall
			// by hand, matrix product k-j-i, loop i
			for i := range c {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
}
