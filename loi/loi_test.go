package loi

import (
	"path/filepath"
	"reflect"
	"testing"
)

// testHeader has three objects, one of them with blocks of several sizes, and kernels of 0 to 5 parameters.
func testHeader(workers int) Header {
	h := Header{
		Registry: Registry{
			Objects: []Object{
				{Name: "A", Blocks: []SizeRun{{Count: 64, Bytes: 8192}}},
				{Name: "B tiles", Blocks: []SizeRun{{Count: 10, Bytes: 4096}, {Count: 1, Bytes: 100}, {Count: 5, Bytes: 64}}},
				{Name: "C", Blocks: []SizeRun{{Count: 1 << 30, Bytes: 1}}},
			},
			Kernels: []Kernel{
				{Name: "timed"},
				{Name: "one", Params: []Param{{Object: 0, Mode: In}}},
				{Name: "two", Params: []Param{{Object: 0, Mode: In}, {Object: 2, Mode: InOut}}},
				{Name: "gemm", Params: []Param{{Object: 0, Mode: In}, {Object: 1, Mode: In}, {Object: 2, Mode: InOut}}},
				{Name: "five", Params: []Param{{Object: 0, Mode: In}, {Object: 1, Mode: In}, {Object: 1, Mode: Out}, {Object: 0, Mode: In}, {Object: 2, Mode: InOut}}},
			},
		},
		Clock: Clock{Source: "tsc", Hz: 1.86e9, Invariant: true}, Nodes: 2, L2Bytes: 256 << 10, LLCBytes: 18 << 20,
		Substrate: Native, Synthetic: true, Grain: "kernel", Meta: []KV{{"seed", "1"}, {"quoted \"key\"", "line\nbreak"}},
	}
	for i := range workers {
		h.Workers = append(h.Workers, Worker{CPU: i - 1, Node: i % 2, TSCOffset: int64(i) * -7})
	}
	return h
}

func TestRoundTrip(t *testing.T) {
	for _, opt := range []Options{{}, {Unmapped: true}, {NoBackground: true, ChunkBytes: 4096}} {
		path := filepath.Join(t.TempDir(), "x.loi")
		h := testHeader(3)
		w, err := Create(path, h, opt)
		if err != nil {
			t.Fatal(err)
		}
		const n = 5000
		for i := range 3 {
			r := w.Recorder(i)
			for j := range n {
				s := uint64(j * 100)
				r.Kernel3(3, s, s+50, uint32(j%64), uint32(j%16), uint32(j))
			}
		}
		s, err := w.Close()
		if err != nil || s.Full != nil {
			t.Fatal(err, s.Full)
		}
		tr, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(tr.Header, h) {
			t.Errorf("header\n%+v, expected\n%+v", tr.Header, h)
		}
		for i := range 3 {
			c := tr.Cursor(i)
			j := 0
			for ; c.Next(); j++ {
				r := c.Record()
				if r.Start != uint64(j*100) || r.End != r.Start+50 || r.Kernel != 3 || !reflect.DeepEqual(r.Args, []uint32{uint32(j % 64), uint32(j % 16), uint32(j)}) {
					t.Fatalf("record %d of worker %d: %+v", j, i, r)
				}
			}
			if c.Err() != nil || j != n || tr.Records()[i] != n || s.Records[i] != n {
				t.Errorf("worker %d: %d records, %d by the table, %d by Close, expected %d: %v", i, j, tr.Records()[i], s.Records[i], n, c.Err())
			}
		}
	}
}
