package loi

import (
	"os"
	"path/filepath"
	"testing"

	"krdlab/hw"
)

// benchDirs are where BenchmarkRecord puts its files: the temporary folder, and memory where there
// is some.
func benchDirs(b *testing.B) map[string]string {
	dirs := map[string]string{"disk": b.TempDir()}
	if shm, err := os.MkdirTemp("/dev/shm", "loi"); err == nil {
		b.Cleanup(func() { os.RemoveAll(shm) })
		dirs["tmpfs"] = shm
	}
	return dirs
}

// BenchmarkRecord is the cost of a record of a kernel with 3 accesses into a fresh file, with and
// without its two stamps. Chunks: "default" writes faster than any kernel does, and so waits for
// the chunks; "presized" has all its pages beforehand. Every 2 M records (64 MB) a new file begins,
// outside the clock.
func BenchmarkRecord(b *testing.B) {
	const limit = 2 << 20
	dirs := benchDirs(b)
	for _, c := range []struct {
		dir, chunks string
		opt         Options
		stamps      bool
	}{
		{"disk", "default", Options{}, false},
		{"disk", "presized", Options{FirstChunkBytes: 32*limit + 4096, NoBackground: true}, false},
		{"disk", "presized", Options{FirstChunkBytes: 32*limit + 4096, NoBackground: true}, true},
		{"disk", "default", Options{}, true},
		{"tmpfs", "default", Options{}, false},
		{"tmpfs", "default", Options{}, true},
		{"tmpfs", "presized", Options{FirstChunkBytes: 32*limit + 4096, NoBackground: true}, true},
	} {
		if dirs[c.dir] == "" {
			continue
		}
		stamps := map[bool]string{true: "two", false: "none"}[c.stamps]
		b.Run("dir="+c.dir+"/chunks="+c.chunks+"/stamps="+stamps, func(b *testing.B) {
			file := filepath.Join(dirs[c.dir], "b.loi")
			stalls := 0
			b.StopTimer()
			for done := 0; done < b.N; {
				w, err := Create(file, testHeader(1), c.opt)
				if err != nil {
					b.Fatal(err)
				}
				r := w.Recorder(0)
				n := min(limit, b.N-done)
				b.StartTimer()
				if c.stamps {
					for i := range n {
						start := hw.TSC()
						r.Kernel3(3, start, hw.TSC(), uint32(i)&63, uint32(i)&15, uint32(i))
					}
				} else {
					for i := range n {
						r.Kernel3(3, uint64(i)*100, uint64(i)*100+80, uint32(i)&63, uint32(i)&15,
							uint32(i))
					}
				}
				b.StopTimer()
				done += n
				s, err := w.Close()
				if err != nil || s.Discarded[0] != 0 || s.Records[0] != uint64(n) {
					b.Fatal(err, s)
				}
				stalls += s.Stalls
				os.Remove(file)
			}
			b.ReportMetric(float64(stalls)/float64(b.N)*1e6, "stalls/Mrec")
		})
	}
}

// BenchmarkProfile is the cost of counting a kernel, without its stamps.
func BenchmarkProfile(b *testing.B) {
	p := NewProfile(4)
	for i := 0; b.Loop(); i++ {
		p.Add(KernelID(i&3), uint64(i), uint64(i+i&63))
	}
}

// benchFile makes a file of 2^20 records of 32 bytes on each of the workers' share.
func benchFile(b *testing.B, workers int) string {
	path := filepath.Join(b.TempDir(), "b.loi")
	w, err := Create(path, testHeader(workers), Options{})
	if err != nil {
		b.Fatal(err)
	}
	for i := range uint32(1 << 20) {
		w.Recorder(int(i)%workers).Kernel3(3, uint64(i)*100, uint64(i)*100+80, i&63, i&15, i)
	}
	if _, err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkOpen reads and checks a file of 2^20 records, 32 MB.
func BenchmarkOpen(b *testing.B) {
	path := benchFile(b, 1)
	b.SetBytes(32 << 20)
	for b.Loop() {
		if _, err := Open(path); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCursor goes through 2^20 records; an operation is a record.
func BenchmarkCursor(b *testing.B) {
	t, err := Open(benchFile(b, 1))
	if err != nil {
		b.Fatal(err)
	}
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
		sum += c.Record().Start
	}
	if b.N > 1 && sum == 0 {
		b.Fatal("no record")
	}
}

// BenchmarkRecover makes the most of a file of 2^20 records that was not closed.
func BenchmarkRecover(b *testing.B) {
	data, err := os.ReadFile(benchFile(b, 1))
	if err != nil {
		b.Fatal(err)
	}
	pre, err := decodePrefix(data, uint64(len(data)))
	if err != nil {
		b.Fatal(err)
	}
	le.PutUint64(data[pre.controlOffset:], stateOpen)
	data = data[:len(data)-trailerBytes]
	b.SetBytes(32 << 20)
	for b.Loop() {
		if _, rep, err := salvage(data, nil); err != nil || rep.Records[0] != 1<<20 {
			b.Fatal(rep, err)
		}
	}
}
