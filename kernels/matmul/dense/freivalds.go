package dense

import (
	"math"
	"math/bits"
)

// prepareVectors draws x and computes y = C x + A (B x), and for inexact inputs the expected sum of squares of each row.
func (k *Checker) prepareVectors(a, b *Matrix, seed uint64) {
	c := k.c
	width := 1
	if k.exact {
		// |(C + A B) x| <= cols * 2^24 * 2^width, to be below 2^53.
		width = max(1, 28-bits.Len(uint(c.Cols-1)))
	}
	k.x = make([]vec, c.Cols)
	state := mix(seed + golden)
	for j := range k.x {
		for v := range k.x[j] {
			state += golden
			h := mix(state)
			odd := float64(h>>1&(1<<width-1) | 1) // of exactly 1 bit: always 1
			if h&1 != 0 {
				odd = -odd
			}
			k.x[j][v] = odd
		}
	}
	bx := make([]vec, b.Rows)
	b.times(k.x, bx)
	k.y = make([]vec, c.Rows)
	a.times(bx, k.y)
	c.times(k.x, k.y)
	if k.exact {
		return
	}
	// E sum_j (AB)_ij^2 = sum_t a_it^2 sum_j b_tj^2 for independent elements of mean 0.
	k.power = make([]float64, c.Rows)
	norms := make([]float64, b.Rows)
	b.timesSquares(nil, norms)
	a.timesSquares(norms, k.power)
	c.timesSquares(nil, k.power)
}

// compareVectors returns the largest element of |C x - y|, scaled, and its row.
func (k *Checker) compareVectors() (most float64, row int) {
	c := k.c
	got := make([]vec, c.Rows)
	c.times(k.x, got)
	var power []float64
	if !k.exact {
		power = make([]float64, c.Rows)
		c.timesSquares(nil, power)
	}
	for i := range got {
		for v := range got[i] {
			e := got[i][v] - k.y[i][v]
			if k.exact {
				e = math.Abs(e)
			} else {
				e = k.scale(e, max(power[i], k.power[i]))
			}
			most, row = worst(most, row, e, i)
		}
	}
	return most, row
}

// times adds m x to y, for four vectors at once.
func (m *Matrix) times(x, y []vec) {
	parallel(m.blockRows, func(lo, hi int) {
		m.eachSegment(lo*m.blockCols, hi*m.blockCols, func(i, j int, s []float32) {
			var s0, s1, s2, s3 float64
			xs := x[j:][:len(s)]
			for c, v := range s {
				f, xv := float64(v), &xs[c]
				s0 += f * xv[0]
				s1 += f * xv[1]
				s2 += f * xv[2]
				s3 += f * xv[3]
			}
			yi := &y[i]
			yi[0] += s0
			yi[1] += s1
			yi[2] += s2
			yi[3] += s3
		})
	})
}

// timesSquares adds to y the product of the squares of m with x, or with ones if x is nil.
func (m *Matrix) timesSquares(x, y []float64) {
	parallel(m.blockRows, func(lo, hi int) {
		m.eachSegment(lo*m.blockCols, hi*m.blockCols, func(i, j int, s []float32) {
			sum := 0.0
			for c, v := range s {
				f := float64(v)
				if x == nil {
					sum += f * f
				} else {
					sum += f * f * x[j+c]
				}
			}
			y[i] += sum
		})
	})
}
