package cachemodel

import (
	"fmt"
	"testing"

	"krdlab/hw/machine"
)

// A product is the product of n x n matrices by divide and conquer with leaves of 32 x 32 x 64, as
// in package matmul, whose leaves are shared out among cores: each has tiles of C that follow each
// other in the recursion. It is a stream like a work-first run with few steals.
type product struct {
	layout  *Layout
	kernels [][]Access // by core, in order
}

func newProduct(n uint64, cores int, tiled bool) *product {
	p := &product{layout: &Layout{}, kernels: make([][]Access, cores)}
	add := func(rows, cols uint64) uint32 {
		return p.layout.AddMatrix(Matrix{Rows: n, Cols: n, ElementBytes: 4, TileRows: rows,
			TileCols: cols, Tiled: tiled}, 4096)
	}
	a, b, c := add(32, 64), add(64, 32), add(32, 32)
	// of a tile of C in the recursion: the bits of i and j by turns
	rank := func(i, j uint32) (r uint64) {
		for bit := uint32(n / 2); bit >= 32; bit /= 2 {
			r = r<<2 | uint64(i/bit&1<<1|j/bit&1)
		}
		return r
	}
	var divide func(i, j, k, rows, cols, inner uint32)
	divide = func(i, j, k, rows, cols, inner uint32) {
		switch {
		case rows == 32 && cols == 32 && inner == 64:
			core := int(rank(i, j) * uint64(cores) / (n / 32 * (n / 32)))
			p.kernels[core] = append(p.kernels[core],
				Access{Block: a + i/32*uint32(n/64) + k/64},
				Access{Block: b + k/64*uint32(n/32) + j/32},
				Access{Block: c + i/32*uint32(n/32) + j/32, Write: true})
		case rows > 32 && rows >= cols && rows >= inner:
			divide(i, j, k, rows/2, cols, inner)
			divide(i+rows/2, j, k, rows/2, cols, inner)
		case cols > 32 && cols >= inner:
			divide(i, j, k, rows, cols/2, inner)
			divide(i, j+cols/2, k, rows, cols/2, inner)
		default:
			divide(i, j, k, rows, cols, inner/2)
			divide(i, j, k+inner/2, rows, cols, inner/2)
		}
	}
	divide(0, 0, 0, uint32(n), uint32(n), uint32(n))
	return p
}

// run makes all cores take one kernel each in turn, and returns the number of kernels.
func (p *product) run(m *Model, most int) (kernels int) {
	const workPS = 17_000_000
	for i, now := 0, uint64(0); kernels < most; i, now = i+3, now+workPS {
		before := kernels
		for core, list := range p.kernels {
			if i < len(list) {
				m.Kernel(core, 0, now, workPS, list[i:i+3])
				kernels++
			}
		}
		if kernels == before {
			break
		}
	}
	return kernels
}

func paperMachine(tb testing.TB) *machine.Machine {
	m, err := machine.ByName("westmere-ex-4s")
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// BenchmarkBlocks is the product of 4096 x 4096 matrices on the paper's machine in block mode: ns
// for an access of one block. 23 to 45 on a shared Zen 5.
func BenchmarkBlocks(b *testing.B) {
	benchmarkProduct(b, newProduct(4096, 24, true), Options{})
}

// BenchmarkLines is the same in line mode, ns for a line, and the same without groups of lines: the
// program has one line more, which is alone.
func BenchmarkLines(b *testing.B) {
	for _, layout := range []string{"tiled", "row"} {
		for _, groups := range []bool{true, false} {
			b.Run(fmt.Sprintf("layout=%s/groups=%v", layout, groups), func(b *testing.B) {
				p := newProduct(4096, 24, layout == "tiled")
				if !groups {
					p.layout.Add(64, 64)
				}
				benchmarkProduct(b, p, Options{Granularity: Lines})
			})
		}
	}
}

func benchmarkProduct(b *testing.B, p *product, opt Options) {
	m, err := New(paperMachine(b), p.layout, opt)
	if err != nil {
		b.Fatal(err)
	}
	kernels := 0
	for b.Loop() {
		b.StopTimer()
		m.Reset()
		b.StartTimer()
		kernels += p.run(m, 1<<18)
	}
	c := m.Total()
	ns := float64(b.Elapsed().Nanoseconds()) / float64(kernels)
	b.ReportMetric(ns/3, "ns/access")
	b.ReportMetric(1e3/ns, "Mkernels/s")
	if opt.Granularity == Lines {
		b.ReportMetric(ns/(float64(c.Lines)/float64(c.Accesses)*3), "ns/line")
	}
	b.ReportMetric(float64(c.Lines-c.L2Hits)/float64(c.Lines)*100, "%L2miss")
	b.ReportMetric(float64(c.LLCMisses)/float64(c.Lines)*100, "%LLCmiss")
}

// BenchmarkHits is line mode with everything in the L2: 128 consecutive lines at a time, each for
// itself. 3 to 4 ns for a line on a shared Zen 5.
func BenchmarkHits(b *testing.B) {
	l := &Layout{}
	l.Add(64, 64)
	for range 16 {
		l.Add(8192, 4096)
	}
	m, err := New(paperMachine(b), l, Options{Granularity: Lines, Pages: PagesIdentity})
	if err != nil {
		b.Fatal(err)
	}
	i := uint32(0)
	for b.Loop() {
		m.Kernel(0, 0, 0, 0, []Access{{Block: 1 + i&15}})
		i++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/128, "ns/line")
}
