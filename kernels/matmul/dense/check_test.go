package dense

import (
	"fmt"
	"math"
	"testing"

	"krdlab/kernels/isa"
)

// TestCheckSees spoils a product in the ways in which schedulers do; every one must be seen, with
// the full comparison (n = 64) and with random vectors (n = 200), for exact and for real inputs.
func TestCheckSees(t *testing.T) {
	leaf := Shape{16, 16, 32}
	spoil := map[string]func(x *Multiplier){
		"drop one leaf":      func(x *Multiplier) { scaled(x, 1, 2, 1, -1) },
		"add one leaf twice": func(x *Multiplier) { x.Leaf(2, 1, 0) },
		"swap two leaves": func(x *Multiplier) {
			scaled(x, 0, 1, 0, -1)
			addTo(x, 0, 2,
				0, 0, 1)
		},
		"wrong block of C": func(x *Multiplier) {
			scaled(x, 1, 1, 1, -1)
			addTo(x, 1, 1,
				1, 1, 2)
		},
		"one element off by 1":  func(x *Multiplier) { x.c.Set(63, 5, x.c.At(63, 5)+1) },
		"one element off by -1": func(x *Multiplier) { x.c.Set(0, 0, x.c.At(0, 0)-1) },
		"two elements swapped": func(x *Multiplier) {
			u, v := x.c.At(3, 3),
				x.c.At(9, 4)
			x.c.Set(3, 3, v)
			x.c.Set(9, 4, u)
		},
		"not a number": func(x *Multiplier) { x.c.Set(7, 7, float32(math.NaN())) },
		"infinite":     func(x *Multiplier) { x.c.Set(7, 7, float32(math.Inf(1))) },
		"not reset":    run,
		"one row off, sum unchanged": func(x *Multiplier) {
			x.c.Set(9, 1, x.c.At(9, 1)+
				1)
			x.c.Set(9, 2, x.c.At(9, 2)-1)
		},
	}
	for _, layout := range []Layout{Tiled, Row} {
		for _, dist := range []Dist{Integers, Uniform} {
			for n, method := range map[int]string{64: "full", 200: "freivalds"} {
				p := newProblem(t, n, n, n, leaf, layout, dist)
				p.c.Fill(3, dist) // C need not start from 0
				name := fmt.Sprintf("%v/%v/n=%d", layout, dist, n)
				k, err := NewChecker(p.a, p.b, p.c, uint64(n))
				if err != nil {
					t.Fatal(err)
				}
				x := p.multiplier(t, isa.Auto)
				run(x)
				r := k.Check()
				if !r.Passed || r.Method != method || r.Exact != (dist == Integers) ||
					r.Exact != (r.Tolerance == 0) || (r.Exact && r.Error != 0) {
					t.Errorf("%s: right product: %+v", name, r)
				}
				if !r.Exact && !(r.Error > 0.001) {
					t.Errorf("%s: rounding errors of real inputs are %v standard deviations: the "+
						"scale is wrong", name, r.Error)
				}
				for what, f := range spoil {
					saved := append([]float32(nil), p.c.Data...)
					f(x)
					if r := k.Check(); r.Passed {
						t.Errorf("%s: not seen: %s: %+v", name, what, r)
					}
					copy(p.c.Data, saved)
				}
				if r := k.Check(); !r.Passed {
					t.Errorf("%s: restored product: %+v", name, r)
				}
			}
		}
	}
}

// scaled adds f times a leaf.
func scaled(x *Multiplier, bi, bj, bk int, f float32) {
	rows, cols := x.c.BlockSize(bi, bj)
	_, inner := x.a.BlockSize(bi, bk)
	for i := bi * x.c.TileRows; i < bi*x.c.TileRows+rows; i++ {
		for j := bj * x.c.TileCols; j < bj*x.c.TileCols+cols; j++ {
			s := float32(0)
			for t := bk * x.a.TileCols; t < bk*x.a.TileCols+inner; t++ {
				s += x.a.At(i, t) * x.b.At(t, j)
			}
			x.c.Set(i, j, x.c.At(i, j)+f*s)
		}
	}
}

// addTo adds the leaf (bi, bj, bk) to block (ci, cj) of C; both must be full.
func addTo(x *Multiplier, bi, bj, bk, ci, cj int) {
	for i := range x.c.TileRows {
		for j := range x.c.TileCols {
			s := float32(0)
			for t := range x.a.TileCols {
				s += x.a.At(bi*x.c.TileRows+i, bk*x.a.TileCols+t) * x.b.At(bk*x.a.TileCols+t,
					bj*x.c.TileCols+j)
			}
			ri, rj := ci*x.c.TileRows+i, cj*x.c.TileCols+j
			x.c.Set(ri, rj, x.c.At(ri, rj)+s)
		}
	}
}

// TestCheckSeesLostLeaf drops one leaf of the KRD paper's size from a larger product: with real
// inputs the worst-case bound of the rounding error would let it pass.
func TestCheckSeesLostLeaf(t *testing.T) {
	const n = 1024
	for _, dist := range []Dist{Integers, Uniform} {
		p := newProblem(t, n, n, n, Shape{32, 32, 64}, Tiled, dist)
		k, err := NewChecker(p.a, p.b, p.c, 3)
		if err != nil {
			t.Fatal(err)
		}
		x := p.multiplier(t, isa.Auto)
		run(x)
		if r := k.Check(); !r.Passed {
			t.Fatalf("%v: right product: %+v", dist, r)
		}
		scaled(x, 7, 31, 5, -1)
		if r := k.Check(); r.Passed || r.Row/32 != 7 {
			t.Errorf("%v: lost leaf (7, 31, 5): %+v", dist, r)
		}
	}
}

// TestVectors checks what the doc comment of Checker promises of x: odd integers, small enough for
// exactness and not all alike, or magnitudes from 1 to 2; both signs.
func TestVectors(t *testing.T) {
	const n = 300
	for _, dist := range []Dist{Integers, Uniform} {
		p := newProblem(t, 10, n, 1000, Shape{32, 32, 64}, Tiled, dist)
		k, err := NewChecker(p.a, p.b, p.c, 9)
		if err != nil {
			t.Fatal(err)
		}
		negative, different := 0, map[float64]bool{}
		for _, x := range k.x {
			for _, e := range x {
				if e < 0 {
					negative++
				}
				different[e] = true
				e = math.Abs(e)
				if dist == Integers && (math.Mod(e, 2) != 1 || e*n*(1<<24) > 1<<53) {
					t.Errorf("integers: x holds %v", e)
				}
				if dist == Uniform && !(e >= 1 && e < 2) {
					t.Errorf("uniform: x holds %v", e)
				}
			}
		}
		if len(k.x) != n || negative < n/2 || negative > 3*n/2 || len(different) < 2*n-10 {
			t.Errorf("%v: %d elements, %d of %d negative, %d different", dist, len(k.x), negative,
				2*n, len(different))
		}
	}
}

// TestUniformError measures the scale of the statistical tolerance: over many rows the largest
// error of right products must lie well within the tolerance and not be vanishingly small.
func TestUniformError(t *testing.T) {
	for _, n := range []int{130, 256, 400} {
		p := newProblem(t, n, n, n, Shape{32, 32, 64}, Tiled, Uniform)
		k, err := NewChecker(p.a, p.b, p.c, 5)
		if err != nil {
			t.Fatal(err)
		}
		run(p.multiplier(t, isa.Auto))
		if r := k.Check(); r.Exact || !r.Passed || r.Error > sigmas/2 || r.Error < 0.1 {
			t.Errorf("n = %d: %+v", n, r)
		}
	}
}

func TestExactLimit(t *testing.T) {
	// 64 k + 8 > 2^24 from k = 2^18 on when C starts from 8.
	for _, c := range []struct {
		inner int
		start float32
		exact bool
	}{{ExactInner, 0, true}, {ExactInner, 1, false}, {ExactInner + 1, 0, false}} {
		p := newProblem(t, 1, 1, c.inner, Shape{1, 1, c.inner}, Row, Integers)
		for i := range c.inner {
			p.a.Set(0, i, 8)
			p.b.Set(i, 0, 8)
		}
		p.c.Set(0, 0, c.start)
		k, err := NewChecker(p.a, p.b, p.c, 1)
		if err != nil {
			t.Fatal(err)
		}
		run(p.multiplier(t, isa.Portable))
		if r := k.Check(); r.Exact != c.exact || !r.Passed {
			t.Errorf("inner %d from %v: %+v, want exact %v", c.inner, c.start, r, c.exact)
		}
	}
}
