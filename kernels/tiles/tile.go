// Package tiles implements what the kernels that factor matrices share: operations on tiles of a
// [dense.Matrix] in single precision, the steps of a right-looking factorisation as tasks, and the
// check of a factorisation with vectors.
//
// The operations do nearly all their work in the leaf of matmul. Triangular systems are solved in
// groups of at most 32 rows or columns: the triangle on the diagonal is inverted, in Go, and the
// rest are products. (A triangle of 32 is well enough conditioned where the factorisation is: N.
// Higham, "The accuracy of solutions to triangular systems", SIAM J. Numer. Anal. 26, 1989.)
// Without pivoting it need not be: groups are of 8 then, and solved by substitution.
package tiles

import (
	"math"

	"krdlab/kernels/isa"
	"krdlab/kernels/matmul/dense"
)

// group is the order of the largest triangles on the diagonal that are treated element by element.
const group = 32

// A Tile is Rows x Cols elements whose rows are Stride floats apart. [dense.SlackFloats] floats
// that can be read follow the last one.
type Tile struct {
	Data               []float32
	Stride, Rows, Cols int
}

// At returns the tile in row i and column j of tiles of m.
func At(m *dense.Matrix, i, j int) Tile {
	at, stride := m.Tile(i, j)
	rows, cols := m.BlockSize(i, j)
	return Tile{m.Data[at:], stride, rows, cols}
}

// Row returns row r.
func (t Tile) Row(r int) []float32 { return t.Data[r*t.Stride:][:t.Cols:t.Cols] }

// Part returns rows r0 <= r < r1 and columns c0 <= c < c1.
func (t Tile) Part(r0, r1, c0, c1 int) Tile {
	if r0 == r1 || c0 == c1 {
		return Tile{Stride: t.Stride, Rows: r1 - r0, Cols: c1 - c0}
	}
	return Tile{t.Data[r0*t.Stride+c0:], t.Stride, r1 - r0, c1 - c0}
}

// Ops are the operations, by an instruction set, which is not Auto. They allocate nothing and may
// be called at once for different tiles.
type Ops struct {
	Set isa.Set
	// Unpivoted: the factorisation does not pivot, and a triangle may be badly conditioned. Its
	// inverse would have errors beyond those of elimination, so that groups are smaller, and
	// treated by substitution.
	Unpivoted bool
}

// group returns the order of the triangles on the diagonal that are not left to products.
func (o Ops) group() int {
	if o.Unpivoted {
		return 8
	}
	return group
}

// Plus computes c += a b, Minus c -= a b.
func (o Ops) Plus(c, a, b Tile)  { o.update(false, c, a, b) }
func (o Ops) Minus(c, a, b Tile) { o.update(true, c, a, b) }

func (o Ops) update(minus bool, c, a, b Tile) {
	dense.Update(o.Set, minus, c.Rows, c.Cols, a.Cols, a.Data, a.Stride, b.Data, b.Stride, c.Data,
		c.Stride)
}

// square is a group's scratch.
type square [group*group + dense.SlackFloats]float32

func (s *square) tile(rows, cols int) Tile { return Tile{s[:], group, rows, cols} }

// move moves t to s and clears t.
func (s *square) move(t Tile) Tile {
	to := s.tile(t.Rows, t.Cols)
	for r := range t.Rows {
		row := t.Row(r)
		copy(to.Row(r), row)
		clear(row)
	}
	return to
}

// SolveLower computes b = l^-1 b, where l is lower triangular with ones on the diagonal: elements
// on and above it are not read.
func (o Ops) SolveLower(l, b Tile) {
	n := l.Rows
	var inverse, copied square
	for r := 0; r < n; r += o.group() {
		end := min(r+o.group(), n)
		mine := b.Part(r, end, 0, b.Cols)
		o.Minus(mine, l.Part(r, end, 0, r), b.Part(0, r, 0, b.Cols))
		if o.Unpivoted {
			for i := range mine.Rows {
				for k, f := range l.Row(r + i)[r:][:i] {
					axpy(mine.Row(i), -f, mine.Row(k))
				}
			}
			continue
		}
		inv := inverse.tile(end-r, end-r)
		invertLower(l.Part(r, end, r, end), inv)
		for c := 0; c < b.Cols; c += group {
			to := mine.Part(0, end-r, c, min(c+group, b.Cols))
			o.Plus(to, inv, copied.move(to))
		}
	}
}

// SolveUpper computes b = b u^-1, where u is upper triangular: elements below the diagonal are not
// read.
func (o Ops) SolveUpper(u, b Tile) {
	n := u.Cols
	var inverse, copied square
	for c := 0; c < n; c += o.group() {
		end := min(c+o.group(), n)
		mine := b.Part(0, b.Rows, c, end)
		o.Minus(mine, b.Part(0, b.Rows, 0, c), u.Part(0, c, c, end))
		if o.Unpivoted {
			for r := range mine.Rows {
				x := mine.Row(r)
				for k := range x {
					from := u.Row(c + k)[c+k : end]
					x[k] /= from[0]
					axpy(x[k+1:], -x[k], from[1:])
				}
			}
			continue
		}
		inv := inverse.tile(end-c, end-c)
		invertUpper(u.Part(c, end, c, end), inv)
		for r := 0; r < b.Rows; r += group {
			to := mine.Part(r, min(r+group, b.Rows), 0, end-c)
			o.Plus(to, copied.move(to), inv)
		}
	}
}

// invertLower sets inv, which is 0 or an earlier inverse of the kind, to the inverse of l, whose
// diagonal counts as ones.
func invertLower(l, inv Tile) {
	for i := range l.Rows {
		li, to := l.Row(i), inv.Row(i)
		clear(to)
		to[i] = 1
		for k := range i {
			axpy(to[:k+1], -li[k], inv.Row(k))
		}
	}
}

// invertUpper works like invertLower, for an upper triangle with a diagonal of its own.
func invertUpper(u, inv Tile) {
	for i := u.Rows - 1; i >= 0; i-- {
		ui, to := u.Row(i), inv.Row(i)
		clear(to)
		for k := i + 1; k < u.Cols; k++ {
			axpy(to[k:], -ui[k], inv.Row(k)[k:])
		}
		d := 1 / ui[i]
		to[i] = d
		for j := i + 1; j < len(to); j++ {
			to[j] *= d
		}
	}
}

// axpy computes y += f x; x is at least as long as y.
func axpy(y []float32, f float32, x []float32) {
	x = x[:len(y)]
	for len(y) >= 4 && len(x) >= 4 {
		y[0] += f * x[0]
		y[1] += f * x[1]
		y[2] += f * x[2]
		y[3] += f * x[3]
		y, x = y[4:], x[4:]
	}
	for j := range y {
		y[j] += f * x[j]
	}
}

// LU factors a into l, below the diagonal with ones on it, and u without pivoting.
func (o Ops) LU(a Tile) {
	n := a.Rows
	for d := 0; d < n; d += o.group() {
		end := min(d+o.group(), n)
		t := a.Part(d, end, d, end)
		for k := range t.Rows {
			pivot := t.Row(k)
			for i := k + 1; i < t.Rows; i++ {
				row := t.Row(i)
				row[k] /= pivot[k]
				axpy(row[k+1:], -row[k], pivot[k+1:])
			}
		}
		if end == n {
			return
		}
		right, below := a.Part(d, end, end, n), a.Part(end, n, d, end)
		o.SolveLower(t, right)
		o.SolveUpper(t, below)
		o.Minus(a.Part(end, n, end, n), below, right)
	}
}

// Cholesky factors a, which is symmetric and positive definite and holds its elements in both
// triangles, into l, on and below the diagonal, and its transpose on and above it. NaN: it is not
// definite.
func (o Ops) Cholesky(a Tile) {
	n := a.Rows
	for d := 0; d < n; d += o.group() {
		end := min(d+o.group(), n)
		t := a.Part(d, end, d, end)
		for k := range t.Rows {
			u := t.Row(k)
			f := float32(1 / math.Sqrt(float64(u[k])))
			for j := k; j < len(u); j++ {
				u[j] *= f
			}
			for i := k + 1; i < t.Rows; i++ {
				axpy(t.Row(i)[i:], -u[i], u[i:])
			}
		}
		Transpose(t, t)
		right, below := a.Part(d, end, end, n), a.Part(end, n, d, end)
		o.SolveUpper(t, below)
		Transpose(below, right)
		o.Minus(a.Part(end, n, end, n), below, right)
	}
}

// Transpose sets b to the transpose of a; where both are the same, it sets the elements below the
// diagonal to those above it.
func Transpose(a, b Tile) {
	same := a.Rows > 0 && a.Cols > 0 && &a.Data[0] == &b.Data[0]
	const side = 16 // so many rows of b at once stay in the first-level cache
	for c0 := 0; c0 < a.Cols; c0 += side {
		c1 := min(c0+side, a.Cols)
		for r := range a.Rows {
			from := c0
			if same {
				from = max(c0, r+1)
			}
			row := a.Row(r)
			for c := from; c < c1; c++ {
				b.Data[c*b.Stride+r] = row[c]
			}
		}
	}
}
