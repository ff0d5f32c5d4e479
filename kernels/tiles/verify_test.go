package tiles

import (
	"math"
	"math/rand/v2"
	"testing"

	"krdlab/kernels/isa"
)

// L U of parts, with vectors, is the product by plain loops; each row's square too.
func TestApply(t *testing.T) {
	const n = 19
	r := rand.New(rand.NewPCG(1, 2))
	a := made(n, n, func(int, int) float32 { return r.Float32() - 0.5 })
	for part, in := range map[Part]func(i, j int) float64{
		All:   func(i, j int) float64 { return float64(a.Row(i)[j]) },
		Upper: func(i, j int) float64 { return float64(a.Row(i)[j]) * b2f(j >= i) },
		Lower: func(i, j int) float64 { return float64(a.Row(i)[j]) * b2f(j <= i) },
		UnitLower: func(i, j int) float64 {
			return float64(a.Row(i)[j])*b2f(j < i) + b2f(i == j)
		},
	} {
		x, y := Signs(n+3, 7), NewVectors(n+2)
		for i := range x.Square {
			x.Square[i] = float64(i + 1)
		}
		a.Apply(part, y, 2, x, 3)
		for i := range n + 2 {
			var want [vectors]float64
			square := 0.0
			for j := range n {
				if i < 2 {
					break
				}
				f := in(i-2, j)
				square += f * f * x.Square[j+3]
				for v := range want {
					want[v] += f * x.V[j+3][v]
				}
			}
			for v := range want {
				if math.Abs(y.V[i][v]-want[v]) > 1e-12 || math.Abs(y.Square[i]-square) > 1e-12 {
					t.Fatalf("part %d, row %d: %v and %g, want %v and %g", part, i, y.V[i],
						y.Square[i], want, square)
				}
			}
		}
	}
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Factors pass as they are computed, and with each single element of them that is wrong by a
// hundredth of what elements beside the diagonal are, or is no number, they do not.
func TestCompareSeesOneElement(t *testing.T) {
	const n = 64
	for _, set := range isa.Supported() {
		r := rand.New(rand.NewPCG(3, 4))
		a := made(n, n, func(i, j int) float32 { return r.Float32() - 0.5 + 8*float32(b2f(i == j)) })
		x, want := Signs(n, 5), NewVectors(n)
		a.Apply(All, want, 0, x, 0)
		Ops{Set: set}.LU(a)
		check := func() (float64, bool) {
			up, got := NewVectors(n), NewVectors(n)
			a.Apply(Upper, up, 0, x, 0)
			a.Apply(UnitLower, got, 0, up, 0)
			c := Compare(got, want, "L U")
			if c.Passed != (c.Detail == "") || math.IsNaN(c.Error) || c.Tolerance != slack {
				t.Fatalf("%+v", c)
			}
			return c.Error, c.Passed
		}
		if e, ok := check(); !ok {
			t.Fatalf("%v: right factors have an error of %g", set, e)
		}
		for i := range n {
			for j := range n {
				element := &a.Row(i)[j]
				right, wrong := *element, float32(0.003) // elements of U are 0.3 in the mean
				if j < i {
					wrong /= 8 // of L: they are divided by a diagonal element
				}
				for _, v := range []float32{right + wrong, right - wrong, nan} {
					*element = v
					if e, ok := check(); ok {
						t.Fatalf("%v: %g for %g at %d, %d passes: %g", set, v, right, i, j, e)
					}
				}
				*element = right
			}
		}
	}
}
