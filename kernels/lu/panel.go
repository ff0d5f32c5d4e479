package lu

import (
	"krdlab/hw/ops"
	"krdlab/kernels/tiles"
)

// narrow is how many columns of a panel are factored one by one.
const narrow = 8

// panel factors columns c0 <= c < c1 of panel k, from row c0 of its first tile on. It writes the
// pivots of those rows, and swaps rows within those columns only.
func (in *instance) panel(k, c0, c1 int) {
	if c1-c0 <= narrow {
		in.columns(k, c0, c1)
		return
	}
	mid := (c0 + c1) / 2
	if c1-c0 > 2*narrow {
		mid = (mid + narrow - 1) / narrow * narrow
	}
	in.panel(k, c0, mid)
	pivots := in.step(k)
	in.swap(k, pivots[c0:mid], c0, k, mid, c1)
	top := in.At(k, k)
	right := top.Part(c0, mid, mid, c1)
	in.SolveLower(top.Part(c0, mid, c0, mid), right)
	for i := k; i < in.T; i++ {
		t, from := in.At(i, k), 0
		if i == k {
			from = mid
		}
		in.Minus(t.Part(from, t.Rows, mid, c1), t.Part(from, t.Rows, c0, mid), right)
	}
	in.panel(k, mid, c1)
	in.swap(k, pivots[mid:c1], mid, k, c0, mid)
}

// columns factors columns c0 <= c < c1 of panel k one after the other.
func (in *instance) columns(k, c0, c1 int) {
	side, pivots := in.A.TileRows, in.step(k)
	top := in.At(k, k)
	for c := c0; c < c1; c++ {
		best, size := k*side+c, float32(-1)
		for i := k; i < in.T; i++ {
			t, from := in.At(i, k), 0
			if i == k {
				from = c
			}
			for r := from; r < t.Rows; r++ {
				v := t.Data[r*t.Stride+c]
				if v < 0 {
					v = -v
				}
				if v > size {
					best, size = i*side+r, v
				}
			}
		}
		pivots[c] = best
		in.swap(k, pivots[c:c+1], c, k, c0, c1)
		p := top.Row(c)[c:c1]
		if p[0] == 0 {
			continue // the column is 0 from here on
		}
		f := 1 / p[0]
		for i := k; i < in.T; i++ {
			t, from := in.At(i, k), 0
			if i == k {
				from = c + 1
			}
			eliminate(t.Part(from, t.Rows, c, c1), f, p)
		}
	}
}

// eliminate subtracts from each row of t the multiple of p that makes its first element 0, and puts
// the factor there. f is 1 / p[0].
func eliminate(t tiles.Tile, f float32, p []float32) {
	for r := range t.Rows {
		row := t.Data[r*t.Stride:][:len(p)]
		l := row[0] * f
		row[0] = l
		for j := 1; j < len(row); j++ {
			row[j] -= l * p[j]
		}
	}
}

// swap swaps row first of tile k, j and the rows after it with pivots, one after the other, in
// columns c0 <= c < c1 of column j of tiles.
func (in *instance) swap(k int, pivots []int, first, j, c0, c1 int) {
	side, top := in.A.TileRows, in.At(k, j)
	for r, p := range pivots {
		r += first
		if p == k*side+r {
			continue
		}
		a, b := top.Row(r)[c0:c1], in.At(p/side, j).Row(p % side)[c0:c1]
		for c, v := range a {
			a[c], b[c] = b[c], v
		}
	}
}

// swapOps returns the operations of swap for so many rows.
func swapOps(rows, cols uint64) ops.Count { return ops.Count{ops.Integer: 6 * rows * cols} }

// panelOps returns the operations of panel. Each element of a column is looked at for the pivot,
// and its sign is not predictable; then comes its row of a few elements in eliminate.
func panelOps(rows, cols uint64) ops.Count {
	elements := cols * (rows - min(rows-1, cols/2))
	return ops.Count{ops.Fused: elements * cols, ops.Scalar: elements * narrow,
		ops.Integer: elements * (12 + 4*narrow), ops.Branch: elements / 2}
}
