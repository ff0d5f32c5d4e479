package dense

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"krdlab/hw/hwtest/long"
	"krdlab/kernels/isa"
)

// problem is a product with its three matrices.
type problem struct{ a, b, c *Matrix }

func newProblem(t testing.TB, m, n, k int, leaf Shape, layout Layout, d Dist) problem {
	t.Helper()
	make := func(rows, cols, tr, tc int) *Matrix {
		x, err := New(rows, cols, tr, tc, layout)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := x.Free(); err != nil {
				t.Error(err)
			}
		})
		return x
	}
	p := problem{make(m, k, leaf.M, leaf.K), make(k, n, leaf.K, leaf.N), make(m, n, leaf.M, leaf.N)}
	p.a.Fill(1, d)
	p.b.Fill(2, d)
	return p
}

func (p problem) multiplier(t testing.TB, set isa.Set) *Multiplier {
	t.Helper()
	x, err := NewMultiplier(p.a, p.b, p.c, set)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// run does every leaf once.
func run(x *Multiplier) {
	for bi := range x.c.Down() {
		for bj := range x.c.Across() {
			for bk := range x.a.Across() {
				x.Leaf(bi, bj, bk)
			}
		}
	}
}

// naive is A B at (i, j) in integers.
func (p problem) naive(i, j int) int {
	sum := 0
	for t := range p.a.Cols {
		sum += int(p.a.At(i, t)) * int(p.b.At(t, j))
	}
	return sum
}

const canary = 12345

// spoilPadding writes the canary to every float of m that is not an element and returns a function
// that counts those that have changed.
func spoilPadding(m *Matrix) (changed func() int) {
	element := make([]bool, len(m.Data))
	for i := range m.Rows {
		for j := range m.Cols {
			element[m.index(i, j)] = true
		}
	}
	for at, is := range element {
		if !is {
			m.Data[at] = canary
		}
	}
	return func() (n int) {
		for at, is := range element {
			if !is && m.Data[at] != canary {
				n++
			}
		}
		return n
	}
}

// verify runs one product on integers from C = 7 and compares it exactly; padding of all three
// matrices holds canaries, which must neither change nor enter the result.
func verify(t *testing.T, m, n, k int, leaf Shape, layout Layout, set isa.Set) {
	t.Helper()
	p := newProblem(t, m, n, k, leaf, layout, Integers)
	for i := range m {
		for j := range n {
			p.c.Set(i, j, 7)
		}
	}
	var changed []func() int
	for _, x := range []*Matrix{p.a, p.b, p.c} {
		changed = append(changed, spoilPadding(x))
	}
	run(p.multiplier(t, set))
	for i := range m {
		for j := range n {
			if got, want := p.c.At(i, j), float32(7+p.naive(i, j)); got != want {
				t.Fatalf("%dx%dx%d leaf %v %v %v: C(%d, %d) = %v, want %v", m, n, k, leaf, layout,
					set, i, j, got, want)
			}
		}
	}
	for i, f := range changed {
		if n := f(); n != 0 {
			t.Fatalf("%dx%dx%d leaf %v %v %v: %d floats written outside the elements of %c", m, n,
				k, leaf, layout, set, n, "ABC"[i])
		}
	}
}

func TestLeafEqualsNaive(t *testing.T) {
	for _, set := range isa.Supported() {
		t.Run("isa="+set.String(), func(t *testing.T) {
			ks := long.Or([]int{1, 5, 17}, []int{1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33})
			for m := 1; m <= 26; m++ {
				for n := 1; n <= 70; n++ {
					verify(t, m, n, ks[(m+n)%len(ks)], Shape{m, n, 64}, Row, set)
				}
			}
		})
	}
}

func TestProductEqualsNaive(t *testing.T) {
	for _, set := range isa.Supported() {
		for _, layout := range []Layout{Tiled, Row} {
			t.Run(fmt.Sprintf("isa=%v/layout=%v", set, layout), func(t *testing.T) {
				for _, n := range []int{1, 2, 15, 16, 17, 31, 33, 65, 100} {
					for _, leaf := range []Shape{{32, 32, 64}, {64, 64, 64}, {1, 1, 1}, {7, 5, 3},
						{48, 20, 10}, {6, 48, 33}, {128, 128, 128}} {
						if leaf.M < 4 && n > 33 {
							continue
						}
						verify(t, n, n, n, leaf, layout, set)
					}
				}
				verify(t, 40, 70, 10, Shape{16, 32, 8}, layout, set)
				verify(t, 9, 130, 77, Shape{16, 32, 8}, layout, set)
			})
		}
	}
}

// TestLeavesOfDifferentBlocksRunTogether runs all blocks of C at once, in blocks whose edges share
// cache lines (row layout, odd sizes): a lane written beyond a block would undo what another
// goroutine added.
func TestLeavesOfDifferentBlocksRunTogether(t *testing.T) {
	const n = 61
	for _, set := range isa.Supported() {
		for _, leaf := range []Shape{{17, 19, 3}, {1, 1, 4}, {5, 7, 61}} {
			p := newProblem(t, n, n, n, leaf, Row, Integers)
			x := p.multiplier(t, set)
			var wg sync.WaitGroup
			for bi := range p.c.Down() {
				for w := range 4 {
					wg.Go(func() {
						for bj := w; bj < p.c.Across(); bj += 4 {
							for bk := range p.a.Across() {
								x.Leaf(bi, bj, bk)
							}
						}
					})
				}
			}
			wg.Wait()
			for i := range n {
				for j := range n {
					if got, want := p.c.At(i, j), float32(p.naive(i, j)); got != want {
						t.Fatalf("%v leaf %v: C(%d, %d) = %v, want %v", set, leaf, i, j, got, want)
					}
				}
			}
		}
	}
}

func TestLeafDoesNotAllocate(t *testing.T) {
	for _, set := range isa.Supported() {
		x := newProblem(t, 33, 33, 33, Shape{32, 32, 32}, Tiled, Integers).multiplier(t, set)
		if n := testing.AllocsPerRun(10, func() { x.Leaf(1, 1, 1); x.Leaf(0, 0, 0) }); n != 0 {
			t.Errorf("%v: %v allocations per leaf", set, n)
		}
	}
}

func TestMultiplierRefuses(t *testing.T) {
	p := newProblem(t, 8, 9, 10, Shape{4, 4, 4}, Tiled, Integers)
	if _, err := NewMultiplier(p.a, p.c, p.b, isa.Auto); err == nil {
		t.Error("sizes that do not match were accepted")
	}
	q := newProblem(t, 8, 9, 10, Shape{4, 5, 4}, Tiled, Integers)
	if _, err := NewMultiplier(p.a, q.b, p.c, isa.Auto); err == nil {
		t.Error("blocks that do not match were accepted")
	}
	for _, s := range []isa.Set{isa.AVX512, isa.AVX2} {
		_, err := NewMultiplier(p.a, p.b, p.c, s)
		var u *isa.UnsupportedError
		if (err != nil) == s.Has() || (err != nil && (!errors.As(err, &u) || u.Set != s)) {
			t.Errorf("%v: error %v, the CPU has it: %v", s, err, s.Has())
		}
	}
}
