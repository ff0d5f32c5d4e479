package sor

// row returns columns c0-1 to c1 of a row.
func (in *instance) row(r, c0, c1 int) []float64 {
	at := r * in.grid.Stride()
	return in.x.Data[at+c0-1 : at+c1+1]
}

// colour relaxes the elements of a tile whose row and column add to an even number (k = 0, red) or
// an odd one (k = 1).
func (in *instance) colour(k, r0, r1, c0, c1 int) {
	for r := r0; r < r1; r++ {
		skip := (r + c0 + k) % 2
		stride2(in.row(r-1, c0+skip, c1), in.row(r, c0+skip, c1), in.row(r+1, c0+skip, c1))
	}
}

// stride2 relaxes elements 1, 3, ... of a row, but not the last.
func stride2(up, mid, down []float64) {
	for len(mid) >= 3 && len(up) >= 3 && len(down) >= 3 {
		mid[1] = relaxed(up[1], down[1], mid[0], mid[2], mid[1])
		up, mid, down = up[2:], mid[2:], down[2:]
	}
}

// rows relaxes a tile row by row; four rows at a time, each an element behind the one above, so that
// the processor has four elements at once that do not wait for each other.
func (in *instance) rows(r0, r1, c0, c1 int) {
	r := r0
	for ; r+4 <= r1 && c1-c0 >= 4; r += 4 {
		four(in.row(r-1, c0, c1), in.row(r, c0, c1), in.row(r+1, c0, c1), in.row(r+2, c0, c1),
			in.row(r+3, c0, c1), in.row(r+4, c0, c1))
	}
	for ; r < r1; r++ {
		forward(in.row(r-1, c0, c1), in.row(r, c0, c1), in.row(r+1, c0, c1))
	}
}

// four works like forward, for rows a, b, c and d, of at least six elements, between up and down.
func four(up, a, b, c, d, down []float64) {
	n := len(a)
	forward(up[:5], a[:5], b[:5])
	forward(a[:4], b[:4], c[:4])
	forward(b[:3], c[:3], d[:3])
	atA, atB, atC, atD := a[3], b[2], c[1], d[0] // what was relaxed last in each row
	up, b, c, d, down = up[:n], b[:n], c[:n], d[:n], down[:n]
	for j := 4; j < n-1; j++ {
		nextA := relaxed(up[j], b[j], atA, a[j+1], a[j])
		nextB := relaxed(atA, c[j-1], atB, b[j], b[j-1])
		nextC := relaxed(atB, d[j-2], atC, c[j-1], c[j-2])
		nextD := relaxed(atC, down[j-3], atD, d[j-2], d[j-3])
		a[j], b[j-1], c[j-2], d[j-3] = nextA, nextB, nextC, nextD
		atA, atB, atC, atD = nextA, nextB, nextC, nextD
	}
	forward(a[n-3:], b[n-3:], c[n-3:])
	forward(b[n-4:], c[n-4:], d[n-4:])
	forward(c[n-5:], d[n-5:], down[n-5:])
}

// relaxed returns the new value of an element. No product is fused with a sum.
func relaxed(up, down, left, right, itself float64) float64 {
	return float64(omega/4*(up+down+left+right)) + float64((1-omega)*itself)
}

// forward relaxes a row from left to right, but neither its first nor its last element.
func forward(up, mid, down []float64) {
	left := mid[0]
	for len(mid) >= 3 && len(up) >= 2 && len(down) >= 2 {
		left = relaxed(up[1], down[1], left, mid[2], mid[1])
		mid[1] = left
		up, mid, down = up[1:], mid[1:], down[1:]
	}
}
