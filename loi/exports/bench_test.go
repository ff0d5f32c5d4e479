package exports

import (
	"io"
	"path/filepath"
	"testing"

	"krdlab/loi"
)

// matmulTrace has the accesses of a blocked matrix multiply, n x n x n blocks of 8 KiB, three for
// each execution, on two workers.
func matmulTrace(b *testing.B, n uint32) *loi.Trace {
	blocks := []loi.SizeRun{{Count: n * n, Bytes: 8192}}
	h := loi.Header{
		Registry: loi.Registry{
			Objects: []loi.Object{{Name: "A", Blocks: blocks}, {Name: "B", Blocks: blocks},
				{Name: "C", Blocks: blocks}},
			Kernels: []loi.Kernel{{Name: "gemm", Params: []loi.Param{{Object: 0, Mode: loi.In},
				{Object: 1, Mode: loi.In}, {Object: 2, Mode: loi.InOut}}}},
		},
		Workers: []loi.Worker{{CPU: 0}, {CPU: 1}}, Nodes: 1, Substrate: loi.Native,
		Clock: loi.Clock{Source: "tsc", Hz: 2.4e9}, Grain: "kernel",
	}
	path := filepath.Join(b.TempDir(), "x.loi")
	w, err := loi.Create(path, h, loi.Options{})
	if err != nil {
		b.Fatal(err)
	}
	at := [2]uint64{1 << 50, 1 << 50}
	for i := range n {
		for j := range n {
			for k := range n {
				worker := i % 2
				end := at[worker] + 40_000 + uint64(i*7+j*13+k*29)%1000
				w.Recorder(int(worker)).Kernel3(0, at[worker], end, i*n+k, k*n+j, i*n+j)
				at[worker] = end + 100
			}
		}
	}
	if _, err := w.Close(); err != nil {
		b.Fatal(err)
	}
	t, err := loi.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	return t
}

// spanTrace has a million ranges of a span in run records, as an importer makes them.
func spanTrace(b *testing.B) *loi.Trace {
	path := filepath.Join(b.TempDir(), "x.loi")
	w, err := loi.NewBuilder(path)
	if err != nil {
		b.Fatal(err)
	}
	o, err := w.Object("memory", loi.Span)
	if err != nil {
		b.Fatal(err)
	}
	k, err := w.Kernel("access")
	if err != nil {
		b.Fatal(err)
	}
	for i := range uint64(1 << 20) {
		if err := w.Access(0, k, i, loi.Access{Object: o, Block: i * 0x9e3779b97f4a7c15 >> 30,
			Bytes: 64, Mode: loi.In}); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(loi.Header{Workers: []loi.Worker{{CPU: -1}}, Nodes: 1,
		Substrate: loi.Native}); err != nil {
		b.Fatal(err)
	}
	t, err := loi.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	return t
}

type counted struct {
	io.Writer
	n int64
}

func (c *counted) Write(b []byte) (int, error) { c.n += int64(len(b)); return len(b), nil }

// BenchmarkWrite reports accesses a second and bytes for each, without a disk.
func BenchmarkWrite(b *testing.B) {
	for _, c := range []struct {
		name     string
		t        *loi.Trace
		accesses int
	}{{"matmul", matmulTrace(b, 88), 3 * 88 * 88 * 88}, {"span", spanTrace(b), 1 << 20}} {
		for _, format := range Formats() {
			b.Run("trace="+c.name+"/format="+format, func(b *testing.B) {
				b.ReportAllocs()
				out := &counted{}
				for b.Loop() {
					out.n = 0
					if err := Write(out, c.t, format, Options{}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(c.accesses)*float64(b.N)/b.Elapsed().Seconds()/1e6,
					"Maccesses/s")
				b.ReportMetric(float64(out.n)/float64(c.accesses), "B/access")
			})
		}
	}
}
