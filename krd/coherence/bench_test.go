package coherence

import (
	"fmt"
	"math"
	"testing"
)

// matmul4096 emits the leaves of C += A B by halving the largest dimension, 4096 x 4096 in leaves
// of 32 x 32 x 64: the numbers of the blocks of A (8 KiB), B (8 KiB) and C (4 KiB), 2^20 times.
func matmul4096(leaf func(a, b, c uint32)) {
	const rows, cols, inner = 128, 128, 64 // in leaves
	var split func(i, ni, j, nj, k, nk int)
	split = func(i, ni, j, nj, k, nk int) {
		switch {
		case ni == 1 && nj == 1 && nk == 1:
			leaf(uint32(i*inner+k), uint32(rows*inner+k*cols+j),
				uint32(rows*inner+inner*cols+i*cols+j))
		case ni > 1 && ni*32 >= nj*32 && ni*32 >= nk*64:
			split(i, ni/2, j, nj, k, nk)
			split(i+ni/2, ni/2, j, nj, k, nk)
		case nj > 1 && nj*32 >= nk*64:
			split(i, ni, j, nj/2, k, nk)
			split(i, ni, j+nj/2, nj/2, k, nk)
		default:
			split(i, ni, j, nj, k, nk/2)
			split(i, ni, j, nj, k+nk/2, nk/2)
		}
	}
	split(0, rows, 0, cols, 0, inner)
}

type entry struct {
	unit  uint32
	node  uint16
	write bool
	bytes uint64
}

// matmulNodes has the 3 Mi accesses of matmul 4096, C written, runs of so many kernels on a node at
// random.
func matmulNodes(nodes, run int) (trace []entry) {
	matmul4096(func(x, y, z uint32) {
		n := uint16(splitMix(uint64(len(trace)/3/run))() % uint64(nodes))
		trace = append(trace, entry{x, n, false, 8192}, entry{y, n, false, 8192},
			entry{z, n, true, 4096})
	})
	return trace
}

// uniformNodes has 8 Mi accesses by nodes at random to 1 Mi units of 64 to 4096 bytes at random,
// one in writes of them a write.
func uniformNodes(nodes, writes int) []entry {
	next := splitMix(3)
	trace := make([]entry, 8<<20)
	for i := range trace {
		r := next()
		unit := uint32(r >> 44)
		trace[i] = entry{unit, uint16(r % uint64(nodes)), r>>20%uint64(writes) == 0,
			64 << (unit * 0x9e3779b1 >> 29 % 7)}
	}
	return trace
}

func BenchmarkStacks(b *testing.B) {
	type source struct {
		name  string
		nodes int
		trace func() []entry
	}
	var sources []source
	for _, c := range []struct{ nodes, run int }{{1, 1}, {4, 1}, {4, 64}, {4, 16384}, {64, 64},
		{128, 64}} {
		sources = append(sources, source{fmt.Sprintf("trace=matmul4096/nodes=%d/run=%d", c.nodes,
			c.run), c.nodes,
			func() []entry { return matmulNodes(c.nodes, c.run) }})
	}
	for _, writes := range []int{4, 100} {
		sources = append(sources, source{fmt.Sprintf("trace=uniform1M/nodes=4/writes=1in%d",
			writes), 4,
			func() []entry { return uniformNodes(4, writes) }})
	}
	for _, c := range sources {
		b.Run(c.name, func(b *testing.B) {
			trace := c.trace()
			best := math.Inf(1)
			for b.Loop() {
				begin := b.Elapsed()
				s := New(c.nodes)
				for i := range trace {
					e := &trace[i]
					s.Access(int(e.node), e.unit, e.bytes, e.write)
				}
				best = min(best, (b.Elapsed() - begin).Seconds())
			}
			b.ReportMetric(float64(len(trace))/best/1e6, "best-Maccess/s")
		})
	}
}
