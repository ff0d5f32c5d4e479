package tasks

import (
	"fmt"
	"testing"
)

// quad is a divide and conquer multiplication of n^3 leaves, as matmul has: four products at a
// time, twice.
func quad(n int) *DAG {
	d := &DAG{Objects: []string{"A", "B", "C"}, LLCBytes: 1 << 20, from: []int{0}}
	for o := range 3 {
		for range n * n {
			d.sizes = append(d.sizes, 8192)
			d.objectOf = append(d.objectOf, uint16(o))
		}
	}
	var product func(i, j, k, n0 int) int32
	product = func(i, j, k, size int) int32 {
		if size == 1 {
			d.units = append(d.units, uint32(i*n+k), uint32(n*n+k*n+j), uint32(2*n*n+i*n+j))
			return d.addLeaf(3)
		}
		h := size / 2
		var phases []int32
		for kk := range 2 {
			var four []int32
			for ij := range 4 {
				four = append(four, product(i+ij/2*h, j+ij%2*h, k+kk*h, h))
			}
			phases = append(phases, d.join(parallel, four))
		}
		return d.join(series, phases)
	}
	d.root = product(0, 0, 0, n)
	return d
}

// addLeaf adds a vertex with the last n accesses.
func (d *DAG) addLeaf(n int) int32 {
	d.from = append(d.from, len(d.units))
	d.ticks = append(d.ticks, 1)
	d.Kernels++
	d.accesses += n
	d.nodes = append(d.nodes, node{kind: leaf, at: int32(len(d.ticks) - 1), size: 1})
	return int32(len(d.nodes) - 1)
}

// flat is n kernels side by side with two accesses each.
func flat(n int) *DAG {
	d := &DAG{Objects: []string{"x"}, LLCBytes: 1 << 20, from: []int{0}}
	var list []int32
	for i := range n {
		d.sizes = append(d.sizes, 4096)
		d.objectOf = append(d.objectOf, 0)
		d.units = append(d.units, uint32(i), uint32((i+1)%n))
		list = append(list, d.addLeaf(2))
	}
	d.root = d.join(parallel, list)
	return d
}

// One schedule of a DAG with 10^5 kernels, drawn uniformly, with its distances.
func BenchmarkUniform(b *testing.B) {
	for name, d := range map[string]*DAG{"matmul": quad(64), "flat": flat(100000)} {
		for _, nodes := range []int{1, 4} {
			b.Run(fmt.Sprintf("%s/nodes=%d", name, nodes), func(b *testing.B) {
				var of []int
				for n := range nodes {
					of = append(of, n)
				}
				m, r, s := newMeter(d, of), newRiffler(d, newRandom(1, 1)), newSchedule(d.Vertices())
				far := uint64(0)
				for b.Loop() {
					r.draw(s)
					for v := range s.Worker {
						s.Worker[v] = uint16(r.below(uint64(nodes)))
					}
					o := m.measure(s)
					far = o.FarOf(-1)
				}
				b.ReportMetric(float64(d.Vertices())*float64(b.N)/b.Elapsed().Seconds()/1e5,
					"1e5-kernels/s")
				b.ReportMetric(100*float64(far)/float64(d.Accesses()), "%far")
			})
		}
	}
}
