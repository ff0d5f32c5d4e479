package loi

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// benchBuilt makes a trace of n accesses to a keyed object, of w workers in turn, and returns its
// path.
func benchBuilt(b *testing.B, n, w int) string {
	path := filepath.Join(b.TempDir(), "b.loi")
	bd := newTestBuilder(b, path)
	key := uint64(1)
	for i := range n {
		key = key*6364136223846793005 + 1442695040888963407
		if err := bd.Access(i%w, 0, uint64(i), Access{Object: 0, Mode: In, Block: key >> 44,
			Bytes: 64}); err != nil {
			b.Fatal(err)
		}
	}
	if err := bd.Close(buildHeader(w)); err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkBuilderAccess measures the cost of one access with its share of writing; every 8 M
// accesses (128 MB) a new trace begins, outside the clock.
func BenchmarkBuilderAccess(b *testing.B) {
	for _, workers := range []int{1, 12} {
		for dir, path := range benchDirs(b) {
			b.Run("dir="+dir+"/workers="+u(uint32(workers)), func(b *testing.B) {
				const limit = 8 << 20
				b.StopTimer()
				for done := 0; done < b.N; {
					bd := newTestBuilder(b, filepath.Join(path, "b.loi"))
					n := min(limit, b.N-done)
					b.StartTimer()
					for i, worker := 0, 0; i < n; i++ {
						if err := bd.Access(worker, 0, uint64(i), Access{Object: 0, Mode: In,
							Block: uint64(i) * 64, Bytes: 64}); err != nil {
							b.Fatal(err)
						}
						if worker++; worker == workers {
							worker = 0
						}
					}
					b.StopTimer()
					done += n
					if err := bd.Abort(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkCursorRun goes through the executions of runs; an operation is one.
func BenchmarkCursorRun(b *testing.B) {
	t, err := Open(benchBuilt(b, 1<<22, 1))
	if err != nil {
		b.Fatal(err)
	}
	defer t.Close()
	c := t.Cursor(0)
	var sum uint64
	for b.Loop() {
		if !c.Next() {
			if c.Err() != nil {
				b.Fatal(c.Err())
			}
			c = t.Cursor(0)
			continue
		}
		sum += c.Record().Explicit[0].Block
	}
	if b.N > 1 && sum == 0 {
		b.Fatal("no access")
	}
}

// BenchmarkCompress compresses and reads a trace of 2^20 records of a kernel with 3 blocks, 32 MB.
func BenchmarkCompress(b *testing.B) {
	path := benchFile(b, 2)
	out := path + ".zst"
	b.SetBytes(32 << 20)
	var reading time.Duration
	n := 0
	for b.Loop() {
		os.Remove(out)
		if err := Compress(path, out); err != nil {
			b.Fatal(err)
		}
		from := time.Now()
		t, err := Open(out)
		if err != nil {
			b.Fatal(err)
		}
		t.Close()
		reading += time.Since(from)
		n++
	}
	plain, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	small, err := os.Stat(out)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(plain.Size())/float64(small.Size()), "ratio")
	b.ReportMetric(float64(reading.Milliseconds())/float64(n), "read-ms")
}
