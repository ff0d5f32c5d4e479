package tiles

import "krdlab/hw/ops"

// Sum adds counts.
func Sum(counts ...ops.Count) (sum ops.Count) {
	for _, n := range counts {
		for k, v := range n {
			sum[k] += v
		}
	}
	return sum
}

// ProductOps returns the operations of Plus and Minus, of m x n elements and sums of k products.
// Rows are computed by vectors of up to 16 elements; the last is computed whole.
func ProductOps(m, n, k uint64) ops.Count {
	return ops.Count{ops.Fused: 2 * m * ((n + 15) &^ 15) * k}
}

// TransposeOps returns the operations of Transpose: a load, a store a row apart, and their
// addresses.
func TransposeOps(rows, cols uint64) ops.Count { return ops.Count{ops.Integer: 6 * rows * cols} }

// axpyOps returns the operations of so many calls of axpy on so many elements together. The end of
// a call, which differs from call to call, is not predicted.
func axpyOps(calls, elements uint64) ops.Count {
	return ops.Count{ops.Scalar: 2 * elements, ops.Integer: 10 * calls, ops.Branch: calls}
}

// triangleOps returns the operations of a call for each element of a triangle of order n, but its
// diagonal, on the rest of its row: n (n-1) / 2 calls, and n (n^2-1) / 6 elements.
func triangleOps(n uint64) ops.Count { return axpyOps(n*(n-1)/2, n*(n*n-1)/6) }

// moveOps returns the operations of square.move.
func moveOps(rows, cols uint64) ops.Count { return ops.Count{ops.Integer: 2 * rows * cols} }

// groups calls f with the begin and the length of each group of n.
func (o Ops) groups(n uint64, f func(from, length uint64)) {
	g := uint64(o.group())
	for from := uint64(0); from < n; from += g {
		f(from, min(g, n-from))
	}
}

// SolveLowerOps returns the operations of SolveLower, of n rows and some columns.
func (o Ops) SolveLowerOps(n, cols uint64) (sum ops.Count) {
	o.groups(n, func(from, g uint64) {
		sum = Sum(sum, ProductOps(g, cols, from))
		if o.Unpivoted {
			sum = Sum(sum, axpyOps(g*(g-1)/2, g*(g-1)/2*cols))
			return
		}
		sum = Sum(sum, triangleOps(g), moveOps(g, cols), ProductOps(g, cols, g))
	})
	return sum
}

// SolveUpperOps returns the operations of SolveUpper, of some rows and n columns.
func (o Ops) SolveUpperOps(rows, n uint64) (sum ops.Count) {
	o.groups(n, func(from, g uint64) {
		sum = Sum(sum, ProductOps(rows, g, from))
		if o.Unpivoted {
			sum = Sum(sum, ops.Count{ops.Divide: rows * g}, axpyOps(rows*g, rows*(g*(g-1)/2)))
			return
		}
		sum = Sum(sum, ops.Count{ops.Divide: g, ops.Scalar: g * (g - 1) / 2}, triangleOps(g),
			moveOps(rows, g), ProductOps(rows, g, g))
	})
	return sum
}

// LUOps returns the operations of LU of order n.
func (o Ops) LUOps(n uint64) (sum ops.Count) {
	o.groups(n, func(from, g uint64) {
		rest := n - from - g
		sum = Sum(sum, ops.Count{ops.Divide: g * (g - 1) / 2}, triangleOps(g),
			o.SolveLowerOps(g, rest), o.SolveUpperOps(rest, g), ProductOps(rest, rest, g))
	})
	return sum
}

// CholeskyOps returns the operations of Cholesky of order n.
func (o Ops) CholeskyOps(n uint64) (sum ops.Count) {
	o.groups(n, func(from, g uint64) {
		rest := n - from - g
		sum = Sum(sum, ops.Count{ops.Divide: 2 * g, ops.Scalar: g * (g + 1) / 2}, triangleOps(g),
			TransposeOps(g, g), o.SolveUpperOps(rest, g), TransposeOps(rest, g),
			ProductOps(rest, rest, g))
	})
	return sum
}
