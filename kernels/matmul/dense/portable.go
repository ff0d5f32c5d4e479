package dense

// leafPortable computes C += sign A B on one block: rows x cols of C, inner the length of the
// products; strides in floats. Four steps of the inner dimension are added to C at a time, which
// saves most of the traffic to C.
func leafPortable(sign float32, rows, cols, inner int, a []float32, aStride int, b []float32,
	bStride int, c []float32, cStride int) {
	for i := range rows {
		ci := c[i*cStride:][:cols]
		ai := a[i*aStride:][:inner]
		p := 0
		for ; p+4 <= inner; p += 4 {
			a0, a1, a2, a3 := sign*ai[p], sign*ai[p+1], sign*ai[p+2], sign*ai[p+3]
			b0, b1 := b[p*bStride:][:len(ci)], b[(p+1)*bStride:][:len(ci)]
			b2, b3 := b[(p+2)*bStride:][:len(ci)], b[(p+3)*bStride:][:len(ci)]
			for j := range ci {
				ci[j] += (a0*b0[j] + a1*b1[j]) + (a2*b2[j] + a3*b3[j])
			}
		}
		for ; p < inner; p++ {
			ap, bp := sign*ai[p], b[p*bStride:][:len(ci)]
			for j := range ci {
				ci[j] += ap * bp[j]
			}
		}
	}
}
