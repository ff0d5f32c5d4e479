package dense

import (
	"math"
	"math/bits"
)

// prepareVectors draws x and computes y = C x + A (B x), and for inexact inputs the expected sum of
// squares of each row.
func (k *Checker) prepareVectors(a, b *Matrix, seed uint64) {
	c := k.c
	// |(C + A B) x| <= cols * 2^24 * 2^width is to be below 2^53.
	width := max(1, 28-bits.Len(uint(c.Cols-1)))
	k.x = make([]vec, c.Cols)
	state := mix(seed + golden)
	for j := range k.x {
		for v := range k.x[j] {
			state += golden
			h := mix(state)
			x := float64(h>>1&(1<<width-1) | 1)
			if !k.exact {
				x = 1 + float64(h>>33)/(1<<31)
			}
			if h&1 != 0 {
				x = -x
			}
			k.x[j][v] = x
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

// meanSquare is that of an element of x for inputs that are not exact, uniform in [1, 2).
const meanSquare = 7.0 / 3

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
				e = k.scale(e, meanSquare*max(power[i], k.power[i]))
			}
			most, row = worst(most, row, e, i)
		}
	}
	return most, row
}

// times adds m x to y, for two vectors at once.
func (m *Matrix) times(x, y []vec) {
	parallel(m.blockRows, func(lo, hi int) {
		m.eachSegment(lo*m.blockCols, hi*m.blockCols, func(i, j int, s []float32) {
			var s0, s1, t0, t1 float64
			xs := x[j:][:len(s)]
			for len(s) >= 2 && len(xs) >= 2 {
				f, g := float64(s[0]), float64(s[1])
				s0 += f * xs[0][0]
				s1 += f * xs[0][1]
				t0 += g * xs[1][0]
				t1 += g * xs[1][1]
				s, xs = s[2:], xs[2:]
			}
			if len(s) == 1 {
				s0 += float64(s[0]) * xs[0][0]
				s1 += float64(s[0]) * xs[0][1]
			}
			y[i][0] += s0 + t0
			y[i][1] += s1 + t1
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
