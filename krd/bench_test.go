package krd

import (
	"math"
	"slices"
	"testing"
)

func zipfTrace(n, objects int) (blocks []uint32, sizes []uint64) {
	cdf := make([]float64, objects)
	sum := 0.0
	for i := range cdf {
		sum += 1 / float64(i+1)
		cdf[i] = sum
	}
	next := splitMix(7)
	blocks = make([]uint32, n)
	for i := range blocks {
		u := float64(next()>>11) / (1 << 53) * sum
		b, _ := slices.BinarySearch(cdf, u)
		blocks[i] = uint32(uint64(b) * 0x9e3779b1 % uint64(objects)) // scatter the popular ones
	}
	return blocks, randomSizes(objects)
}

func uniformTrace(n, objects int) (blocks []uint32, sizes []uint64) {
	next := splitMix(8)
	blocks = make([]uint32, n)
	for i := range blocks {
		blocks[i] = uint32(next() % uint64(objects))
	}
	return blocks, randomSizes(objects)
}

func randomSizes(objects int) []uint64 {
	next := splitMix(9)
	sizes := make([]uint64, objects)
	for b := range sizes {
		sizes[b] = 64 << (next() % 7)
	}
	return sizes
}

func BenchmarkEngine(b *testing.B) {
	for _, c := range []struct {
		name  string
		trace func() ([]uint32, []uint64)
	}{
		{"matmul4096", func() ([]uint32, []uint64) { return matmul4096(false) }},
		{"zipf1M", func() ([]uint32, []uint64) { return zipfTrace(10e6, 1e6) }},
		{"uniform1M", func() ([]uint32, []uint64) { return uniformTrace(10e6, 1e6) }},
	} {
		b.Run("trace="+c.name, func(b *testing.B) {
			blocks, sizes := c.trace()
			dist := make([]uint64, maxChunk)
			best := math.Inf(1)
			for b.Loop() {
				begin := b.Elapsed()
				e := newChunked(sizes)
				for i := 0; i < len(blocks); {
					end := min(i+e.batchLen(), len(blocks))
					e.distances(blocks[i:end], dist)
					i = end
				}
				best = min(best, (b.Elapsed() - begin).Seconds())
			}
			b.ReportMetric(float64(len(blocks))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Maccesses/s")
			b.ReportMetric(float64(len(blocks))/best/1e6, "best-Maccesses/s")
		})
	}
}
