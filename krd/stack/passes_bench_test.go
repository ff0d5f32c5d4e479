package stack

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// BenchmarkPasses is a pass over a bucket of distinct keys in random order, best of many runs, in
// ns an item.
func BenchmarkPasses(b *testing.B) {
	shuffled := func(n int) []item {
		next := splitMix(5)
		items := make([]item, n)
		for i := range items {
			items[i] = item{key: uint32(i), at: uint32(i), w: uint32(next() % 1000)}
		}
		for i := range items {
			j := int(next() % uint64(n))
			items[i].key, items[j].key = items[j].key, items[i].key
		}
		return items
	}
	run := func(b *testing.B, n int, f func()) {
		best := math.Inf(1)
		for b.Loop() {
			begin := time.Now()
			f()
			best = min(best, float64(time.Since(begin)))
		}
		b.ReportMetric(best/float64(n), "best-ns/item")
	}
	for _, digits := range []int{64, 128, 256, 512, 1024} {
		b.Run(fmt.Sprintf("pass=deal/digits=%d", digits), func(b *testing.B) {
			items := shuffled(digits << 12)
			to := new(array[item]).resize(&arena{}, len(items))
			ends, t := make([]uint32, digits), newTally()
			run(b, len(items), func() {
				for d := range ends {
					ends[d] = uint32(d << 12)
				}
				for i := 0; i < len(items); i += 1 << 10 {
					deal(items[i:i+1<<10], 12, 1<<12-1, to, ends, t)
				}
			})
		})
	}
	b.Run("pass=finish", func(b *testing.B) {
		items := shuffled(1 << 12)
		cum, dist, t := make([]uint64, 1<<12), make([]uint64, 1<<12), newTally()
		run(b, len(items), func() {
			t.reset(1 << 12)
			finish(items, cum, dist, 6, t)
		})
	})
	b.Run("pass=finish/of=2M", func(b *testing.B) {
		items := shuffled(1 << 21)
		to := new(array[item]).resize(&arena{}, len(items))
		ends, t := make([]uint32, 512), newTally()
		for d := range ends {
			ends[d] = uint32(d << 12)
		}
		deal(items, 12, 1<<12-1, to, ends, t)
		cum := new(array[uint64]).resize(&arena{}, len(items))
		dist := new(array[uint64]).resize(&arena{}, len(items))
		run(b, len(items), func() {
			for d := range ends {
				t.reset(1 << 12)
				finish(to[d<<12:(d+1)<<12], cum[d<<12:], dist, 6, t)
			}
		})
	})
}
