package causes

import (
	"fmt"
	"testing"
)

// mixed is a random number drawn by i: the finisher of splitmix64.
func mixed(i int) uint64 {
	z := (uint64(i) + 1) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// BenchmarkAccess counts accesses to 48 Ki units of 4 KiB, half of them to the last 64 that another
// sequence walks through. The others go anywhere, and about half of those are in the range.
func BenchmarkAccess(b *testing.B) {
	const units, size = 48 << 10, 4 << 10
	for _, objects := range []int{3, 100} {
		for _, opt := range []Options{{}, {Sources: true}, {Pairs: true}} {
			b.Run(fmt.Sprintf("objects=%d/pairs=%v/sources=%v", objects, opt.Pairs, opt.Sources),
				func(b *testing.B) {
					c, err := New(4, objects, 1<<20, Unbounded, opt)
					if err != nil {
						b.Fatal(err)
					}
					i := 0
					step := func() {
						r := mixed(i)
						u := r % units
						if r>>32&1 == 0 {
							u = (uint64(i)>>6 + r&63) % units
						}
						c.Access(int(r>>40&3), int(u)%objects, uint32(u), size)
						i++
					}
					for range 4 * units {
						step()
					}
					before := c.all
					for b.Loop() {
						step()
					}
					b.ReportMetric(100*float64(c.all.within-before.within)/float64(
						c.all.all-before.all), "%-in-range")
				})
		}
	}
}
