package atoms

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
)

// workloads are shapes of one object as traces have them.
var workloads = []struct {
	name   string
	shapes func(n int) []Shape
}{
	{"disjoint", func(n int) (list []Shape) { // fields of 4 to 32 bytes
		var at uint64
		for i := range n {
			b := uint64(4 << (mixed(i) % 4))
			list = append(list, Shape{Offset: at, Bytes: b})
			at += b
		}
		return list
	}},
	{"nested", func(n int) (list []Shape) { // ranges halved again and again, down to 64 bytes
		for level := uint64(64); len(list) < n; level *= 2 {
			for at := uint64(0); at < uint64(n)*32 && len(list) < n; at += level {
				list = append(list, Shape{Offset: at, Bytes: level})
			}
		}
		return list
	}},
	// words, vectors and lines at any offset, each place covered by about 8
	{"overlapping", func(n int) (list []Shape) {
		for i := range n {
			b := uint64(8 << (mixed(i) % 4))
			list = append(list, Shape{Offset: mixed(i+n) % (uint64(n) * 4), Bytes: b})
		}
		return list
	}},
	{"sliding", func(n int) (list []Shape) { // windows of 4096 bytes, 64 bytes apart
		for i := range n {
			list = append(list, Shape{Offset: uint64(i) * 64, Bytes: 4096})
		}
		return list
	}},
	// of a matrix of doubles 8192 wide: 32x32, 64x64 and so on
	{"tiles", func(n int) (list []Shape) {
		for size := uint64(32); size <= 8192 && len(list) < n; size *= 2 {
			across := 8192 / size
			for i := uint64(0); i < 3*uint64(n)/4*1024/size/size && len(list) < n; i++ {
				list = append(list, Shape{Offset: (i/across*size*8192 + i%across*size) * 8,
					Bytes: size * 8, Rows: uint32(size), Stride: 8192 * 8})
			}
		}
		return list
	}},
}

// mixed is a random number drawn by i: the finisher of splitmix64.
func mixed(i int) uint64 {
	z := (uint64(i) + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// shuffled returns a list in any order, the same each time.
func shuffled(list []Shape) []Shape {
	list = slices.Clone(list)
	for i := len(list) - 1; i > 0; i-- {
		j := mixed(i) % uint64(i+1)
		list[i], list[j] = list[j], list[i]
	}
	return list
}

func addAll(b *testing.B, list []Shape) *Cutter {
	c := new(Cutter)
	for _, s := range list {
		if err := c.Add(0, s); err != nil {
			b.Fatal(err)
		}
	}
	return c
}

func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// BenchmarkCut adds shapes in any order and cuts them; ns and bytes are by distinct shape, bytes
// those of the map that is left.
func BenchmarkCut(b *testing.B) {
	for _, w := range workloads {
		for _, n := range []int{1 << 17, 1 << 20, 1 << 22} {
			if w.name == "tiles" {
				n /= 8
			}
			b.Run(fmt.Sprintf("%s/shapes=%d", w.name, n), func(b *testing.B) {
				list := shuffled(w.shapes(n))
				var m *Map
				var used float64
				for b.Loop() {
					m = nil
					b.StopTimer()
					before := heap()
					b.StartTimer()
					c := addAll(b, list)
					var err error
					if m, err = c.Atoms(); err != nil {
						b.Fatal(err)
					}
					b.StopTimer()
					used = heap() - before
					b.StartTimer()
				}
				shapes := float64(m.Shapes())
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/shapes, "ns/shape")
				b.ReportMetric(used/shapes, "B/shape")
				b.ReportMetric(float64(m.Len())/shapes, "atoms/shape")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// BenchmarkAccess adds shapes that are known (first pass), and takes the distances of accesses in
// any order (second pass).
func BenchmarkAccess(b *testing.B) {
	const n = 1 << 20
	for _, w := range workloads {
		shapes := n
		if w.name == "tiles" {
			shapes /= 8
		}
		list := shuffled(w.shapes(shapes))
		b.Run(w.name+"/pass=first", func(b *testing.B) {
			c := addAll(b, list)
			i := 0
			for b.Loop() {
				if err := c.Add(0, list[i]); err != nil {
					b.Fatal(err)
				}
				if i++; i == len(list) {
					i = 0
				}
			}
		})
		b.Run(w.name+"/pass=second", func(b *testing.B) {
			m, err := addAll(b, list).Atoms()
			if err != nil {
				b.Fatal(err)
			}
			d := NewDistances(m)
			i, atoms := 0, 0
			for b.Loop() {
				d.Access(0, list[i])
				units, _, _ := d.Atoms()
				atoms += len(units)
				if i++; i == len(list) {
					i = 0
				}
			}
			b.ReportMetric(float64(atoms)/float64(b.N), "atoms/op")
		})
	}
}
