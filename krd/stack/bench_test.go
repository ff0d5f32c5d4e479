package stack

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// benchAccesses is the length of the benchmarks' traces: 10 M, or KRDLAB_ACCESSES (100e6 for the
// published figures).
func benchAccesses(tb testing.TB, name string, def int) int {
	text := os.Getenv(name)
	if text == "" {
		return def
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n < 1 {
		tb.Fatalf("%s=%s: want a number of accesses", name, text)
	}
	return int(n)
}

// A generator makes an endless trace, block by block. Blocks are numbered; the keys and sizes are
// made of the numbers.
type generator struct {
	name   string
	blocks int
	size   func(block uint64) uint64
	start  func() func() uint64
}

// sizeOf is one of seven sizes, 64 to 4096 bytes.
func sizeOf(block uint64) uint64 { return 64 << (scramble(block^0xabcdef) % 7) }

func scramble(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func uniform(name string, blocks uint64) generator {
	return generator{name, int(blocks), sizeOf, func() func() uint64 {
		next := splitMix(8)
		return func() uint64 { return next() % blocks }
	}}
}

// zipf draws block i with a probability in proportion to 1/(i+1), by Walker's alias method (1974).
func zipf(name string, blocks int) generator {
	return generator{name, blocks, sizeOf, func() func() uint64 {
		share := make([]float64, blocks)
		sum := 0.0
		for i := range share {
			share[i] = 1 / float64(i+1)
			sum += share[i]
		}
		alias := make([]uint32, blocks)
		var low, high []uint32
		for i := range share {
			share[i] *= float64(blocks) / sum
			if share[i] < 1 {
				low = append(low, uint32(i))
			} else {
				high = append(high, uint32(i))
			}
		}
		for len(low) > 0 && len(high) > 0 {
			l, h := low[len(low)-1], high[len(high)-1]
			low = low[:len(low)-1]
			alias[l] = h
			if share[h] -= 1 - share[l]; share[h] < 1 {
				high = high[:len(high)-1]
				low = append(low, h)
			}
		}
		for _, i := range append(low, high...) {
			share[i] = 1
		}
		next := splitMix(7)
		return func() uint64 {
			r := next()
			i := (r >> 32) * uint64(blocks) >> 32
			if float64(r&(1<<32-1))/(1<<32) < share[i] {
				return i
			}
			return uint64(alias[i])
		}
	}}
}

// matmul is C += A B, 4096 x 4096 in tiles of 32 x 32, by divide and conquer: the leaves in Morton
// order, each accessing its tiles of A, B and C; over and over.
func matmul(name string) generator {
	return generator{name, 3 << 14, func(uint64) uint64 { return 4096 }, func() func() uint64 {
		var leaf uint64
		role := 0
		var tiles [3]uint64
		return func() uint64 {
			if role == 0 {
				var i, j, k uint64
				for b := range 7 {
					i |= leaf >> (3*b + 2) & 1 << b
					j |= leaf >> (3*b + 1) & 1 << b
					k |= leaf >> (3 * b) & 1 << b
				}
				leaf = (leaf + 1) & (1<<21 - 1)
				tiles = [3]uint64{i<<7 | k, 1<<14 | k<<7 | j, 2<<14 | i<<7 | j}
			}
			t := tiles[role]
			role = (role + 1) % 3
			return t
		}
	}}
}

var generators = []generator{matmul("matmul4096"), zipf("zipf1M", 1e6), uniform("uniform1M", 1e6),
	uniform("uniform16M", 16e6)}

// BenchmarkKeyed is the engine with keys that are not dense, sizes in bytes; the generation of the
// trace is not timed.
func BenchmarkKeyed(b *testing.B) {
	for _, g := range generators {
		for _, cores := range []int{1, 2} {
			b.Run(fmt.Sprintf("trace=%s/cores=%d", g.name, cores), func(b *testing.B) {
				n := benchAccesses(b, "KRDLAB_ACCESSES", 10e6)
				best, bestCPU := math.Inf(1), math.Inf(1)
				for b.Loop() {
					t, cpu, _ := runKeyed(b, g, n, cores)
					best, bestCPU = min(best, t.Seconds()), min(bestCPU, cpu.Seconds())
				}
				b.ReportMetric(float64(n)/best/1e6, "best-Maccess/s")
				b.ReportMetric(float64(n)/bestCPU/1e6, "best-Maccess/cpu-s")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// cpuTime returns the CPU time of the process, which other processes disturb less than they do the
// time of day.
func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// runKeyed returns the time spent in Distances, by the clock and of processors, and the number of
// cold accesses.
func runKeyed(tb testing.TB, g generator, n, cores int) (spent, cpu time.Duration, cold int) {
	next := g.start()
	k := NewKeyed(KeyedOptions{Cores: cores})
	var mem arena // so that what the growing buffers leave behind is not counted as memory in use
	defer mem.close()
	var keyArray, sizeArray, distArray array[uint64]
	for n > 0 {
		batch := min(n, k.BatchLen())
		n -= batch
		keys, sizes, dist := keyArray.resize(&mem, batch), sizeArray.resize(&mem, batch),
			distArray.resize(&mem, batch)
		for i := range batch {
			block := next()
			keys[i], sizes[i] = scramble(block), g.size(block)
		}
		begin, beginCPU := time.Now(), cpuTime()
		err := k.Distances(keys[:batch], sizes[:batch], dist)
		spent += time.Since(begin)
		cpu += cpuTime() - beginCPU
		if err != nil {
			tb.Fatal(err)
		}
		for _, d := range dist[:batch] {
			if d == Cold {
				cold++
			}
		}
	}
	return spent, cpu, cold
}

// BenchmarkStream analyses a long trace that is generated batch by batch, and reports the time of
// everything, the time in the engine, and the peak of the process's memory (on Linux).
// KRDLAB_STREAM is its length (1e9 for the published figure).
func BenchmarkStream(b *testing.B) {
	n := benchAccesses(b, "KRDLAB_STREAM", 0)
	if n == 0 {
		b.Skip("KRDLAB_STREAM is not set")
	}
	for _, g := range generators {
		for _, cores := range []int{1, 2} {
			b.Run(fmt.Sprintf("trace=%s/cores=%d", g.name, cores), func(b *testing.B) {
				for b.Loop() {
					begin := time.Now()
					spent, cpu, cold := runKeyed(b, g, n, cores)
					b.ReportMetric(time.Since(begin).Seconds(), "s")
					b.ReportMetric(spent.Seconds(), "engine-s")
					b.ReportMetric(cpu.Seconds(), "engine-cpu-s")
					b.ReportMetric(float64(cold), "cold")
				}
				var u syscall.Rusage
				_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
				b.ReportMetric(float64(u.Maxrss)/1024, "peak-MiB")
			})
		}
	}
}

// BenchmarkDense and BenchmarkOnline are the engines for numbered blocks; the generation of the
// trace is not timed.
func BenchmarkDense(b *testing.B) {
	benchNumbered(b, func(sizes []uint64) engine { return NewDense(sizes) })
}

func BenchmarkOnline(b *testing.B) {
	benchNumbered(b, func(sizes []uint64) engine { return newOnlineEngine(sizes) })
}

func benchNumbered(b *testing.B, start func(sizes []uint64) engine) {
	for _, g := range generators {
		b.Run("trace="+g.name, func(b *testing.B) {
			n := benchAccesses(b, "KRDLAB_ACCESSES", 10e6)
			next := g.start()
			blocks, dist := make([]uint32, n), make([]uint64, n)
			for i := range blocks {
				blocks[i] = uint32(next())
			}
			sizes := make([]uint64, g.blocks)
			for i := range sizes {
				sizes[i] = g.size(uint64(i))
			}
			best, bestCPU := math.Inf(1), math.Inf(1)
			for b.Loop() {
				begin, beginCPU := time.Now(), cpuTime()
				e := start(sizes)
				for i := 0; i < n; {
					end := min(i+e.BatchLen(), n)
					e.Distances(blocks[i:end], dist)
					i = end
				}
				best, bestCPU = min(best, time.Since(begin).Seconds()),
					min(bestCPU, (cpuTime()-beginCPU).Seconds())
			}
			b.ReportMetric(float64(n)/best/1e6, "best-Maccess/s")
			b.ReportMetric(float64(n)/bestCPU/1e6, "best-Maccess/cpu-s")
			b.ReportMetric(0, "ns/op")
		})
	}
}
