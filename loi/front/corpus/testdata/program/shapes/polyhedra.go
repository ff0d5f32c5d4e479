package shapes

func polyhedra() float64 {
	a, y, x := vec(10, 3), vec(6, 2), vec(6, 3)
	jacobi1d(a, vec(10, 2))
	m := rows(6, 2)
	seidel2d(m)
	d := [][]float64{{0, 9, 1, 9, 9}, {9, 0, 9, 1, 9}, {9, 1, 0, 9, 9}, {9, 9, 9, 0, 1},
		{1, 9, 9, 9, 0}}
	floydWarshall(d)
	f := rows(6, 3)
	lu(f)
	atax(m, x, y, vec(6, 1))
	trisolv(m, x, y)
	doitgen(m, rows(6, 4), vec(6, 1))
	cov := rows(6, 5)
	covariance(m, cov)
	return total(a) + total(x) + total(y) + totals(m) + totals(d) + totals(f) + totals(cov)
}

func jacobi1d(a, b []float64) {
	// want: ordered 1; private b
	// Polybench jacobi-1d, time
	for t := 0; t < 4; t++ {
		// want: doall
		// Polybench jacobi-1d, space
		for i := 1; i < len(a)-1; i++ {
			b[i] = (a[i-1] + a[i] + a[i+1]) / 3
		}
		// want: doall
		// Polybench jacobi-1d, space
		for i := 1; i < len(a)-1; i++ {
			a[i] = (b[i-1] + b[i] + b[i+1]) / 3
		}
	}
}

func seidel2d(a [][]float64) {
	// want: ordered 1
	// Polybench seidel-2d, rows
	for i := 1; i < len(a)-1; i++ {
		// want: ordered 1
		// Polybench seidel-2d, columns
		for j := 1; j < len(a)-1; j++ {
			a[i][j] = (a[i-1][j] + a[i][j-1] + a[i][j] + a[i][j+1] + a[i+1][j]) / 5
		}
	}
}

func floydWarshall(d [][]float64) {
	// want: ordered 1
	// Polybench floyd-warshall, between
	for k := range d {
		// want: doall
		// Polybench floyd-warshall, from
		for i := range d {
			// want: doall
			// Polybench floyd-warshall, to
			for j := range d {
				if t := d[i][k] + d[k][j]; t < d[i][j] {
					d[i][j] = t
				}
			}
		}
	}
}

func lu(a [][]float64) {
	// want: ordered 1
	// Polybench lu, steps
	for k := range a {
		// want: doall
		// Polybench lu, rows
		for i := k + 1; i < len(a); i++ {
			a[i][k] /= a[k][k] + 50
			// want: doall
			// Polybench lu, columns
			for j := k + 1; j < len(a); j++ {
				a[i][j] -= a[i][k] * a[k][j]
			}
		}
	}
}

func atax(a [][]float64, x, y, t []float64) {
	// want: reduction; reduction y +
	// Polybench atax, rows
	for i := range a {
		t[i] = 0
		// want: reduction; reduction t +
		// Polybench atax, dot product
		for j := range x {
			t[i] += a[i][j] * x[j]
		}
		// want: doall
		// Polybench atax, columns
		for j := range y {
			y[j] += a[i][j] * t[i]
		}
	}
}

func trisolv(l [][]float64, x, b []float64) {
	// want: ordered 1
	// Polybench trisolv, rows
	for i := range x {
		x[i] = b[i]
		// want: reduction; reduction x +
		// Polybench trisolv, columns
		for j := 0; j < i; j++ {
			x[i] -= l[i][j] * x[j] / 99
		}
		x[i] /= l[i][i] + 1
	}
}

func doitgen(a, c [][]float64, sum []float64) {
	// want: doall; private sum
	// Polybench doitgen, planes
	for q := range a {
		// want: doall
		// Polybench doitgen, row
		for p := range sum {
			sum[p] = 0
			// want: reduction; reduction sum +
			// Polybench doitgen, dot product
			for s := range sum {
				sum[p] += a[q][s] * c[s][p]
			}
		}
		// want: doall
		// Polybench doitgen, copy back
		for p := range sum {
			a[q][p] = sum[p]
		}
	}
}

func covariance(a, cov [][]float64) {
	// want: doall
	// Polybench covariance, rows of a symmetric matrix
	for i := range cov {
		// want: doall
		// Polybench covariance, columns
		for j := i; j < len(cov); j++ {
			cov[i][j] = 0
			// want: reduction; reduction cov +
			// Polybench covariance, dot product
			for k := range a {
				cov[i][j] += a[k][i] * a[k][j]
			}
			cov[j][i] = cov[i][j]
		}
	}
}
