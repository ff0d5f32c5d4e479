package approx

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"krdlab/krd/stack"
)

// benchLen is how long the streams of the benchmarks are: KRDLAB_BENCH_ACCESSES, or 10 M.
func benchLen(b *testing.B) int {
	text := os.Getenv("KRDLAB_BENCH_ACCESSES")
	if text == "" {
		return 10_000_000
	}
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 {
		b.Fatalf("KRDLAB_BENCH_ACCESSES is %q, expected a number of accesses", text)
	}
	return n
}

// sparse names key by a 64-bit word, so that nothing is dense.
func sparse(keys []uint64) []uint64 {
	out := make([]uint64, len(keys))
	for i, k := range keys {
		out[i] = k*0x9e3779b97f4a7c15 ^ 0x5bd1e995
	}
	return out
}

func BenchmarkShards(b *testing.B) {
	for _, s := range []struct {
		name string
		keys func(n int) []uint64
	}{
		{"zipf1M", func(n int) []uint64 { return zipf(n, 1<<20, 1) }},
		{"uniform1M", func(n int) []uint64 { return uniform(n, 1<<20, 1) }},
	} {
		keys := sparse(s.keys(benchLen(b)))
		for _, o := range []struct {
			name string
			opt  Options
		}{
			{"rate=0.01", Options{Rate: 0.01}},
			{"rate=0.001", Options{Rate: 0.001}},
			{"rate=0.1", Options{Rate: 0.1}},
			{"keys=8192", Options{MaxKeys: 8192}},
			{"keys=8192,rate=0.1", Options{MaxKeys: 8192, Rate: 0.1}},
		} {
			b.Run(fmt.Sprintf("trace=%s/%s", s.name, o.name), func(b *testing.B) {
				o.opt.Caches = []uint64{18 << 20}
				for b.Loop() {
					run(b, o.opt, keys, []uint64{4096})
				}
				b.ReportMetric(float64(len(keys))*float64(b.N)/b.Elapsed().Seconds()/1e6,
					"Maccess/s")
			})
		}
	}
}

func BenchmarkFilter(b *testing.B) {
	keys, at := sparse(uniform(1<<20, 1<<20, 1)), make([]uint32, batch)
	m := newMixer(1)
	for _, rate := range []float64{0.01, 0.5} {
		b.Run(fmt.Sprintf("rate=%v", rate), func(b *testing.B) {
			for b.Loop() {
				for i := 0; i < len(keys); i += batch {
					filter(keys[i:i+batch], m, uint64(rate*(1<<64)), at)
				}
			}
			b.ReportMetric(float64(len(keys))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Maccess/s")
		})
	}
}

// BenchmarkScaleTree is the tree beside the exact online engine on the same stream of dense units:
// what approximation saves.
func BenchmarkScaleTree(b *testing.B) {
	n := benchLen(b)
	for _, s := range []struct {
		name string
		keys []uint64
	}{{"zipf1M", zipf(n, 1<<20, 1)}, {"uniform1M", uniform(n, 1<<20, 1)}, {"matmul", matmul(128)}} {
		for _, e := range []struct {
			name string
			make func() interface{ Access(uint32, uint64) uint64 }
		}{
			{"exact-online", func() interface {
				Access(uint32,
					uint64) uint64
			} {
				return stack.NewOnline()
			}},
			{"a=0.999", func() interface{ Access(uint32, uint64) uint64 } {
				t,
					_ := NewScaleTree(0.999)
				return t
			}},
			{"a=0.99", func() interface{ Access(uint32, uint64) uint64 } {
				t,
					_ := NewScaleTree(0.99)
				return t
			}},
			{"a=0.9", func() interface{ Access(uint32, uint64) uint64 } {
				t,
					_ := NewScaleTree(0.9)
				return t
			}},
		} {
			b.Run(fmt.Sprintf("trace=%s/engine=%s", s.name, e.name), func(b *testing.B) {
				for b.Loop() {
					engine := e.make()
					for _, k := range s.keys {
						engine.Access(uint32(k), 4096)
					}
				}
				b.ReportMetric(float64(len(s.keys))*float64(b.N)/b.Elapsed().Seconds()/1e6,
					"Maccess/s")
			})
		}
		dense, dist := make([]uint32, len(s.keys)), make([]uint64, len(s.keys))
		sizes := make([]uint64, 1<<20)
		for i, k := range s.keys {
			dense[i] = uint32(k)
		}
		for i := range sizes {
			sizes[i] = 4096
		}
		b.Run(fmt.Sprintf("trace=%s/engine=exact-dense", s.name), func(b *testing.B) {
			for b.Loop() {
				e := stack.NewDense(sizes)
				for i := 0; i < len(dense); {
					n := min(e.BatchLen(), len(dense)-i)
					e.Distances(dense[i:i+n], dist[i:i+n])
					i += n
				}
			}
			b.ReportMetric(float64(len(s.keys))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Maccess/s")
		})
	}
}
