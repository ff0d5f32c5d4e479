package krd

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"krdlab/loi"
)

// matmulFile writes the trace of the serial 4096 x 4096 multiplication, 2^20 records of 32 bytes.
func matmulFile(tb testing.TB, nodes, workers int) string {
	const blocksA, blocksB = 8192, 8192
	h := loi.Header{Substrate: loi.Native, Nodes: nodes, L2Bytes: 256 << 10, LLCBytes: 18 << 20}
	for w := range workers {
		h.Workers = append(h.Workers, loi.Worker{Node: w % nodes})
	}
	h.Registry.Objects = []loi.Object{
		{Name: "A", Blocks: []loi.SizeRun{{Count: blocksA, Bytes: 8 << 10}}},
		{Name: "B", Blocks: []loi.SizeRun{{Count: blocksB, Bytes: 8 << 10}}},
		{Name: "C", Blocks: []loi.SizeRun{{Count: 16384, Bytes: 4 << 10}}},
	}
	h.Registry.Kernels = []loi.Kernel{{Name: "leaf", Params: []loi.Param{
		{Object: 0, Mode: loi.In}, {Object: 1, Mode: loi.In}, {Object: 2, Mode: loi.InOut}}}}
	path := filepath.Join(tb.TempDir(), "matmul.loi")
	w, err := loi.Create(path, h, loi.Options{NoBackground: true})
	if err != nil {
		tb.Fatal(err)
	}
	m := matmulTrace{n: 4096, leafM: 32, leafN: 32, leafK: 64}
	var at uint64
	m.emit = func(a, b, c uint32) {
		at += 700
		// Runs of 64 kernels on each worker in turn.
		w.Recorder(int(at/700/64)%workers).Kernel3(0, at, at+600, a, b-blocksA, c-blocksA-blocksB)
	}
	m.run()
	if _, err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return path
}

// BenchmarkAnalyze reads and analyses the trace file of the 4096 x 4096 multiplication (in the page
// cache).
func BenchmarkAnalyze(b *testing.B) {
	for _, c := range []struct{ nodes, workers int }{{1, 1}, {1, 6}, {4, 24}} {
		b.Run(fmt.Sprintf("trace=matmul4096/nodes=%d/workers=%d", c.nodes, c.workers),
			func(b *testing.B) {
				path := matmulFile(b, c.nodes, c.workers)
				best := math.Inf(1)
				for b.Loop() {
					begin := b.Elapsed()
					t, err := loi.Open(path)
					if err != nil {
						b.Fatal(err)
					}
					r, err := Analyze(t, Options{})
					if err != nil || r.AccessCount != 3145728 {
						b.Fatal(r, err)
					}
					best = min(best, (b.Elapsed() - begin).Seconds())
				}
				b.ReportMetric(3145728*float64(b.N)/b.Elapsed().Seconds()/1e6, "Maccesses/s")
				b.ReportMetric(best*1e3, "best-ms")
			})
	}
}
