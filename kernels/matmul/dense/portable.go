package dense

// leafPortable is C += A B on one block: rows x cols of C, inner the length of the products; strides in floats.
func leafPortable(rows, cols, inner int, a []float32, aStride int, b []float32, bStride int, c []float32, cStride int) {
	for i := range rows {
		ci := c[i*cStride : i*cStride+cols]
		for p := range inner {
			ap := a[i*aStride+p]
			bp := b[p*bStride:][:len(ci)]
			for j := range ci {
				ci[j] += ap * bp[j]
			}
		}
	}
}
