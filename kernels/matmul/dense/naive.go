package dense

import "math"

// prepareFull computes C + A B in float64 by the definition.
func (k *Checker) prepareFull(a, b *Matrix) {
	c := k.c
	k.want = make([]float64, c.Rows*c.Cols)
	if !k.exact {
		k.power = make([]float64, c.Rows*c.Cols)
	}
	for i := range c.Rows {
		for j := range c.Cols {
			sum := float64(c.At(i, j))
			squares := sum * sum
			for t := range a.Cols {
				p := float64(a.At(i, t)) * float64(b.At(t, j))
				sum += p
				squares += p * p
			}
			k.want[i*c.Cols+j] = sum
			if !k.exact {
				k.power[i*c.Cols+j] = squares
			}
		}
	}
}

// compareFull returns the largest difference, scaled, and its row.
func (k *Checker) compareFull() (most float64, row int) {
	c := k.c
	for i := range c.Rows {
		for j := range c.Cols {
			at := i*c.Cols + j
			e := float64(c.At(i, j)) - k.want[at]
			if k.exact {
				e = math.Abs(e)
			} else {
				e = k.scale(e, max(k.power[at], k.want[at]*k.want[at]))
			}
			most, row = worst(most, row, e, i)
		}
	}
	return most, row
}
