package imports

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

// matmulRows calls row for the accesses of a blocked matrix product, 3 for each kernel, until there
// are n: 64 x 64 blocks of 8 KiB in each of 3 objects, 6 workers, stamps of a clock of 2 GHz.
func matmulRows(n int, row func(time uint64, worker int, object string, block uint64,
	mode string)) {
	const side = 64
	now := uint64(1 << 40)
	for i := 0; i < n; i += 3 {
		w := i / 3
		r, c, k := w/side%side, w/side/side%side, w%side
		now += 5000 + uint64(w*7919%1000)
		row(now, w%6, "A", uint64(r*side+k), "r")
		row(now, w%6, "B", uint64(k*side+c), "r")
		row(now, w%6, "C", uint64(r*side+c), "rw")
	}
}

func matmulCSV(n int) []byte {
	b := []byte(header)
	matmulRows(n, func(time uint64, worker int, object string, block uint64, mode string) {
		b = fmt.Appendf(b, "%d,%d,%s,%d,8192,%s\n", time, worker, object, block, mode)
	})
	return b
}

func matmulParquet(tb testing.TB, n int) []byte {
	rows := make([]exported, 0, n)
	matmulRows(n, func(time uint64, worker int, object string, block uint64, mode string) {
		rows = append(rows, exported{int64(time), int32(worker), object, 8192, mode, "leaf",
			int64(time + 4000), block})
	})
	return parquetBytes(tb, rows, parquet.MaxRowsPerRowGroup(1<<20),
		parquet.Compression(&parquet.Zstd))
}

// exported holds the text that package exports writes of blocks.
type exported struct {
	Time   int64  `parquet:"time,delta"`
	Worker int32  `parquet:"worker"`
	Object string `parquet:"object,dict"`
	Bytes  int64  `parquet:"bytes"`
	Mode   string `parquet:"mode,dict"`
	Kernel string `parquet:"kernel,dict"`
	End    int64  `parquet:"end,delta"`
	Block  uint64 `parquet:"block"`
}

// lackeyLines are accesses of 1 to 16 bytes in 16 MiB, with a fetch of an instruction before every
// second one.
func lackeyLines(n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var b []byte
	for i := range n / 3 {
		b = fmt.Appendf(b, "I  %08x,%d\n", 0x401000+i*5%40000, 1+i%7)
		for range 2 {
			b = fmt.Appendf(b, " %c %x,%d\n", "LLSM"[rng.IntN(4)], 0x1ffe000000+rng.Uint64N(1<<24),
				1<<rng.IntN(5))
		}
	}
	return b
}

// keySizes are keys by Zipf's law with an exponent of 1.1 over 1 M keys.
func keySizes(n int) []byte {
	zipf := rand.NewZipf(rand.New(rand.NewPCG(1, 2)), 1.1, 1, 1<<20)
	var b []byte
	for range n {
		key := zipf.Uint64() * 0x9e3779b97f4a7c15 >> 20
		b = fmt.Appendf(b, "%d,%d\n", key, 512+key%8*512)
	}
	return b
}

// BenchmarkImport reports lines or rows each second of elapsed time, and the time of all cores that
// one takes, which others at work on the machine change less: into nothing, which is parsing and
// checking, and into a trace file, synced to the disk.
func BenchmarkImport(b *testing.B) {
	const n = 3 << 20
	for _, format := range Formats() {
		b.Run("format="+format, func(b *testing.B) {
			var content []byte
			switch format {
			case "csv":
				content = matmulCSV(n)
			case "parquet":
				content = matmulParquet(b, n)
			case "lackey":
				content = lackeyLines(n)
			case "keysize":
				content = keySizes(n)
			}
			b.Run("sink=null", func(b *testing.B) {
				b.SetBytes(int64(len(content)))
				before := cpuTime(b)
				for range b.N {
					if _, err := importNull(b, content, format, Options{}); err != nil {
						b.Fatal(err)
					}
				}
				report(b, n, before)
			})
			b.Run("sink=file", func(b *testing.B) {
				b.SetBytes(int64(len(content)))
				before := cpuTime(b)
				dir := b.TempDir()
				for i := range b.N {
					src := Source{Path: "-", Stdin: bytes.NewReader(content)}
					if _, err := Import(context.Background(), src,
						filepath.Join(dir, fmt.Sprint(i, ".loi")),
						Options{Format: format}); err != nil {
						b.Fatal(err)
					}
				}
				report(b, n, before)
			})
		})
	}
}

func report(b *testing.B, lines int, before time.Duration) {
	total := float64(b.N) * float64(lines)
	b.ReportMetric(total/b.Elapsed().Seconds()/1e6, "Mlines/s")
	b.ReportMetric(float64(cpuTime(b)-before)/total, "cpu-ns/line")
}

// cpuTime returns the time that all threads of this process have been running.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
