package dense

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"krdlab/kernels/isa"
)

// serialDC is divide and conquer over block ranges: among the dimensions of more than one leaf it
// halves the largest, at a multiple of the leaf (ties: rows of C, columns of C, inner).
func serialDC(x *Multiplier, leaf Shape, i0, i1, j0, j1, k0, k1 int) {
	m, n, k := i1-i0, j1-j0, k1-k0
	if m == 1 && n == 1 && k == 1 {
		x.Leaf(i0, j0, k0)
		return
	}
	fm, fn, fk := m*leaf.M, n*leaf.N, k*leaf.K
	if m == 1 {
		fm = 0
	}
	if n == 1 {
		fn = 0
	}
	if k == 1 {
		fk = 0
	}
	switch {
	case fm >= fn && fm >= fk:
		serialDC(x, leaf, i0, i0+m/2, j0, j1, k0, k1)
		serialDC(x, leaf, i0+m/2, i1, j0, j1, k0, k1)
	case fn >= fk:
		serialDC(x, leaf, i0, i1, j0, j0+n/2, k0, k1)
		serialDC(x, leaf, i0, i1, j0+n/2, j1, k0, k1)
	default:
		serialDC(x, leaf, i0, i1, j0, j1, k0, k0+k/2)
		serialDC(x, leaf, i0, i1, j0, j1, k0+k/2, k1)
	}
}

// benchLeaves is the presets and, with LEAVES set, those named there.
func benchLeaves(b *testing.B) []Shape {
	var out []Shape
	for _, p := range Presets() {
		out = append(out, p.Leaf)
	}
	if s := os.Getenv("LEAVES"); s != "" {
		out = nil
		for _, f := range strings.Fields(s) {
			l, err := ParseShape(f)
			if err != nil {
				b.Fatal(err)
			}
			out = append(out, l)
		}
	}
	return out
}

func BenchmarkLeaf(b *testing.B) {
	for _, set := range isa.Supported() {
		for _, leaf := range benchLeaves(b) {
			b.Run(fmt.Sprintf("isa=%v/leaf=%v", set, leaf), func(b *testing.B) {
				x := newProblem(b, leaf.M, leaf.N, leaf.K, leaf, Tiled, Integers).multiplier(b, set)
				x.Leaf(0, 0, 0)
				for b.Loop() {
					x.Leaf(0, 0, 0)
				}
				reportFlops(b, leaf.M, leaf.N, leaf.K)
			})
		}
	}
}

func BenchmarkSerialDC(b *testing.B) {
	const n = 4096
	for _, set := range isa.Supported() {
		if set == isa.Portable {
			continue
		}
		for _, layout := range []Layout{Tiled, Row} {
			for _, leaf := range benchLeaves(b) {
				b.Run(fmt.Sprintf("isa=%v/layout=%v/leaf=%v/n=%d", set, layout, leaf, n),
					func(b *testing.B) {
						p := newProblem(b, n, n, n, leaf, layout, Integers)
						p.c.Zero()
						x := p.multiplier(b, set)
						for b.Loop() {
							serialDC(x, leaf, 0, p.c.Down(), 0, p.c.Across(), 0,
								p.a.Across())
						}
						reportFlops(b, n, n, n)
					})
			}
		}
	}
}

// BenchmarkProduct is the whole product, again and again with the same matrices, for square, odd,
// tall, wide, flat and thin ones. .ci/peers.go sets it beside a library's.
func BenchmarkProduct(b *testing.B) {
	leaf, err := ParseShape("fast")
	if err != nil {
		b.Fatal(err)
	}
	set := isa.Supported()[0]
	for _, size := range []Shape{{64, 64, 64}, {100, 100, 100}, {256, 256, 256}, {1000, 1000, 1000},
		{1023, 1023, 1023}, {2048, 2048, 2048}, {4096, 4096, 4096}, {8192, 8192, 8192},
		{8192, 64, 256}, {64, 8192, 256}, {2048, 2048, 32}, {96, 96, 16384}} {
		for _, layout := range []Layout{Tiled, Row} {
			b.Run(fmt.Sprintf("size=%v/layout=%v", size, layout), func(b *testing.B) {
				p := newProblem(b, size.M, size.N, size.K, leaf, layout, Integers)
				p.c.Zero()
				x := p.multiplier(b, set)
				for b.Loop() {
					serialDC(x, leaf, 0, p.c.Down(), 0, p.c.Across(), 0, p.a.Across())
				}
				reportFlops(b, size.M, size.N, size.K)
			})
		}
	}
}

func reportFlops(b *testing.B, m, n, k int) {
	b.ReportMetric(2*float64(m)*float64(n)*float64(k)*float64(b.N)/b.Elapsed().Seconds()/1e9,
		"GFLOP/s")
}

// BenchmarkCheck is the whole check of one product, which must be cheap beside the product itself.
func BenchmarkCheck(b *testing.B) {
	for _, layout := range []Layout{Tiled, Row} {
		for _, dist := range []Dist{Integers, Uniform} {
			const n = 4096
			b.Run(fmt.Sprintf("layout=%v/inputs=%v/n=%d", layout, dist, n), func(b *testing.B) {
				p := newProblem(b, n, n, n, Shape{64, 64, 64}, layout, dist)
				p.c.Zero()
				for b.Loop() {
					k, err := NewChecker(p.a, p.b, p.c, 1)
					if err != nil {
						b.Fatal(err)
					}
					k.Check()
				}
			})
		}
	}
}

func BenchmarkFill(b *testing.B) {
	const n = 4096
	p := newProblem(b, n, n, n, Shape{64, 64, 64}, Tiled, Integers)
	for b.Loop() {
		p.a.Fill(1, Integers)
	}
}
