package loi

import (
	"os"
	"path/filepath"
	"testing"
)

// benchDirs are where BenchmarkRecord puts its files: the temporary folder, and memory where there is some.
func benchDirs(b *testing.B) map[string]string {
	dirs := map[string]string{"disk": b.TempDir()}
	if shm, err := os.MkdirTemp("/dev/shm", "loi"); err == nil {
		b.Cleanup(func() { os.RemoveAll(shm) })
		dirs["tmpfs"] = shm
	}
	return dirs
}

// BenchmarkRecord is the cost of a record of a kernel with 3 accesses into a fresh file, without its stamps. The file starts
// again every 64 MB, outside the clock.
func BenchmarkRecord(b *testing.B) {
	const limit = 2 << 20
	for _, dir := range []string{"disk", "tmpfs"} {
		path, ok := benchDirs(b)[dir]
		if !ok {
			continue
		}
		for name, opt := range map[string]Options{"default": {}, "presized": {FirstChunkBytes: 32*limit + 4096, NoBackground: true}} {
			b.Run("dir="+dir+"/chunks="+name, func(b *testing.B) {
				file := filepath.Join(path, "b.loi")
				stalls := 0
				for done := 0; done < b.N; {
					b.StopTimer()
					w, err := Create(file, testHeader(1), opt)
					if err != nil {
						b.Fatal(err)
					}
					r := w.Recorder(0)
					n := min(limit, b.N-done)
					b.StartTimer()
					for i := range n {
						r.Kernel3(3, uint64(i)*100, uint64(i)*100+80, uint32(i)&63, uint32(i)&15, uint32(i))
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
}
