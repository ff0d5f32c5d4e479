package tiles

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"krdlab/kernels/isa"
	"krdlab/kernels/matmul/dense"
)

var nan = float32(math.NaN())

// made returns a tile that stands in a larger array, elements by a function, and NaN around it.
func made(rows, cols int, f func(i, j int) float32) Tile {
	stride := cols + 5
	t := Tile{make([]float32, rows*stride+dense.SlackFloats), stride, rows, cols}
	for i := range t.Data {
		t.Data[i] = nan
	}
	for i := range rows {
		for j := range cols {
			t.Data[i*stride+j] = f(i, j)
		}
	}
	return t
}

// plain is a tile in double precision.
func plain(t Tile) [][]float64 {
	m := make([][]float64, t.Rows)
	for i := range m {
		for _, v := range t.Row(i) {
			m[i] = append(m[i], float64(v))
		}
	}
	return m
}

// same fails where got is not want within 2e-6 of 1, or something around it was written.
func same(t *testing.T, what string, got Tile, want [][]float64) {
	t.Helper()
	for i := range want {
		for j, w := range want[i] {
			if g := float64(got.Row(i)[j]); !(math.Abs(g-w) <= 2e-6*max(1, math.Abs(w))) {
				t.Fatalf("%s: element %d, %d is %g, want %g", what, i, j, g, w)
			}
		}
	}
	for at, v := range got.Data {
		if i, j := at/got.Stride, at%got.Stride; (i >= got.Rows || j >= got.Cols) && v == v {
			t.Fatalf("%s: %g was written at %d, %d, beside %d x %d", what, v, i, j, got.Rows,
				got.Cols)
		}
	}
}

var orders = []int{1, 2, 7, 8, 9, 16, 31, 32, 33, 48, 64, 65, 100}

// each calls f for the instruction sets, with and without pivoting, orders of the triangle and
// lengths of the other side.
func each(t *testing.T, f func(t *testing.T, o Ops, n, other int, r func() float32)) {
	for _, set := range isa.Supported() {
		for _, unpivoted := range []bool{false, true} {
			for _, n := range orders {
				for _, other := range []int{1, 6, 17, 32, 37, 70} {
					t.Run(fmt.Sprintf("%v/unpivoted=%v/%dx%d", set, unpivoted, n, other),
						func(t *testing.T) {
							r := rand.New(rand.NewPCG(uint64(n), uint64(other)))
							f(t, Ops{set, unpivoted}, n, other,
								func() float32 { return 2*r.Float32() - 1 })
						})
				}
			}
		}
	}
}

func TestProducts(t *testing.T) {
	each(t, func(t *testing.T, o Ops, n, other int, r func() float32) {
		any := func(int, int) float32 { return r() / float32(math.Sqrt(float64(n))) }
		a, b := made(other, n, any), made(n, 13, any)
		for _, sign := range []float64{1, -1} {
			c := made(other, 13, any)
			want, x, y := plain(c), plain(a), plain(b)
			for i := range want {
				for j := range want[i] {
					for k := range y {
						want[i][j] += sign * x[i][k] * y[k][j]
					}
				}
			}
			if sign > 0 {
				o.Plus(c, a, b)
			} else {
				o.Minus(c, a, b)
			}
			same(t, fmt.Sprint(sign), c, want)
		}
	})
}

// The elements that the operations do not read are NaN.
func TestSolve(t *testing.T) {
	each(t, func(t *testing.T, o Ops, n, other int, r func() float32) {
		any := func(int, int) float32 { return r() }
		beside := func() float32 { return r() / float32(n) }
		l := made(n, n, func(i, j int) float32 {
			if j >= i {
				return nan
			}
			return beside()
		})
		b := made(n, other, any)
		want, f := plain(b), plain(l)
		for i := range want {
			for k := range i {
				for j := range want[i] {
					want[i][j] -= f[i][k] * want[k][j]
				}
			}
		}
		o.SolveLower(l, b)
		same(t, "SolveLower", b, want)

		u := made(n, n, func(i, j int) float32 {
			switch {
			case j < i:
				return nan
			case i == j:
				return 1.5 + r()/2
			}
			return beside()
		})
		b = made(other, n, any)
		want, f = plain(b), plain(u)
		for i := range want {
			for j := range n {
				for k := range j {
					want[i][j] -= want[i][k] * f[k][j]
				}
				want[i][j] /= f[j][j]
			}
		}
		o.SolveUpper(u, b)
		same(t, "SolveUpper", b, want)
	})
}

func TestFactorsOfATile(t *testing.T) {
	each(t, func(t *testing.T, o Ops, n, other int, r func() float32) {
		if other > 1 {
			return
		}
		dominant := func(i, j int) float32 {
			if i == j {
				return 2 + r()
			}
			return r() / float32(n)
		}
		a := made(n, n, dominant)
		want := plain(a)
		for k := range n {
			for i := k + 1; i < n; i++ {
				want[i][k] /= want[k][k]
				for j := k + 1; j < n; j++ {
					want[i][j] -= want[i][k] * want[k][j]
				}
			}
		}
		o.LU(a)
		same(t, "LU", a, want)

		a = made(n, n, dominant)
		for i := range n {
			for j := range i {
				a.Row(i)[j] = a.Row(j)[i]
			}
		}
		want = plain(a)
		for j := range n { // by columns, of L
			for i := j; i < n; i++ {
				for k := range j {
					want[i][j] -= want[i][k] * want[j][k]
				}
				if i > j {
					want[i][j] /= want[j][j]
				} else {
					want[j][j] = math.Sqrt(want[j][j])
				}
				want[j][i] = want[i][j]
			}
		}
		if !o.Unpivoted {
			o.Cholesky(a)
			same(t, "Cholesky", a, want)
		}
	})
}

func TestTranspose(t *testing.T) {
	for _, n := range orders {
		for _, m := range orders {
			a := made(n, m, func(i, j int) float32 { return float32(i*m + j) })
			b := made(m, n, func(int, int) float32 { return 0 })
			want := plain(b)
			for i := range want {
				for j := range want[i] {
					want[i][j] = float64(j*m + i)
				}
			}
			Transpose(a, b)
			same(t, fmt.Sprint(n, "x", m), b, want)
		}
		a := made(n, n, func(i, j int) float32 { return float32(i*n + j) })
		want := plain(a)
		for i := range want {
			for j := range i {
				want[i][j] = want[j][i]
			}
		}
		Transpose(a, a)
		same(t, fmt.Sprint(n, " in place"), a, want)
	}
}
