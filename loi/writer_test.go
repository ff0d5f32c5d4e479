package loi

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func TestCreateExisting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.loi")
	if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(path, testHeader(1), Options{}); !errors.Is(err, os.ErrExist) {
		t.Errorf("Create: %v, expected that the file exists", err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "mine" {
		t.Errorf("the file is now %q: %v", b, err)
	}
}

func TestHeaderErrors(t *testing.T) {
	for what, change := range map[string]func(*Header){
		"0 workers":           func(h *Header) { h.Workers = nil },
		"node 2 of 2":         func(h *Header) { h.Workers[0].Node = 2 },
		"node -1":             func(h *Header) { h.Workers[0].Node = -1 },
		"cpu -2":              func(h *Header) { h.Workers[0].CPU = -2 },
		`substrate ""`:        func(h *Header) { h.Substrate = "" },
		"used before":         func(h *Header) { h.Registry.Objects[1].Name = "A" },
		`kernel 1`:            func(h *Header) { h.Registry.Kernels[1].Name = "" },
		"blocks of 0 bytes":   func(h *Header) { h.Registry.Objects[0].Blocks[0].Bytes = 0 },
		"0 blocks":            func(h *Header) { h.Registry.Objects[0].Blocks[0].Count = 0 },
		"blocks in all":       func(h *Header) { h.Registry.Objects[0].Blocks[0].Count = 1<<32 - 1 },
		"larger than":         func(h *Header) { h.Registry.Objects[0].Blocks[0].Bytes = 1 << 62 },
		"names object 3 of 3": func(h *Header) { h.Registry.Kernels[1].Params[0].Object = 3 },
		"mode(0)":             func(h *Header) { h.Registry.Kernels[1].Params[0].Mode = 0 },
		"256 parameters": func(h *Header) {
			h.Registry.Kernels[1].Params = make([]Param,
				256)
		},
		"-1 Hz": func(h *Header) { h.Clock.Hz = -1 },
	} {
		h := testHeader(2)
		change(&h)
		path := filepath.Join(t.TempDir(), "x.loi")
		if _, err := Create(path, h, Options{}); err == nil || !strings.Contains(err.Error(),
			what) {
			t.Errorf("%v, expected %q", err, what)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("Create failed and left a file: %v", err)
		}
	}
}

// TestConcurrent makes many workers use up chunks while the background makes new ones; it is for
// the race detector.
func TestConcurrent(t *testing.T) {
	for range 3 {
		path := filepath.Join(t.TempDir(), "x.loi")
		const workers, n = 8, 4000
		w, err := Create(path, testHeader(workers), Options{FirstChunkBytes: 4096,
			ChunkBytes: 8192})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for i := range workers {
			wg.Go(func() {
				r := w.Recorder(i)
				for j := range uint32(n) {
					r.Kernel3(3, uint64(j), uint64(j), j%64, j%16, j)
				}
			})
		}
		wg.Wait()
		s, err := w.Close()
		if err != nil || s.Full != nil {
			t.Fatal(err, s.Full)
		}
		if _, err := w.Close(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("a second Close: %v", err)
		}
		w.Recorder(0).Kernel3(3, 1, 2, 0, 0, 0) // goes nowhere
		tr, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range workers {
			c := tr.Cursor(i)
			var j uint32
			for ; c.Next(); j++ {
				if c.Record().Args[2] != j {
					t.Fatalf("worker %d: record %d where %d was expected", i, c.Record().Args[2], j)
				}
			}
			if c.Err() != nil || j != n {
				t.Errorf("worker %d: %d records, expected %d: %v", i, j, n, c.Err())
			}
		}
	}
}

// TestMaxBytes writes more than is allowed: the file keeps the limit at all times, and what it
// lacks is counted.
func TestMaxBytes(t *testing.T) {
	dir := t.TempDir()
	for _, limit := range []uint64{32 << 10, 100_000, 1 << 20} {
		path := filepath.Join(dir, u(limit))
		w, err := Create(path, testHeader(1), Options{MaxBytes: limit})
		if err != nil {
			t.Fatal(err)
		}
		r := w.Recorder(0)
		const n = 50_000
		for j := range uint32(n) {
			r.Kernel3(3, uint64(j), uint64(j), j%64, j%16, j)
		}
		if st, err := os.Stat(path); err != nil || uint64(st.Size()) > limit {
			t.Errorf("%d bytes before Close, expected at most %d: %v", st.Size(), limit, err)
		}
		s, err := w.Close()
		if err != nil || !errors.Is(s.Full, errLimit) || s.Bytes > limit || s.Records[0]+
			s.Discarded[0] != n || s.Records[0]*32 < limit/2-16384 {
			t.Errorf("limit %d: %+v: %v", limit, s, err)
		}
		tr, err := Open(path)
		if err != nil || tr.Discarded()[0] != s.Discarded[0] || tr.Records()[0] != s.Records[0] {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

// A limit that has no room for a chunk, or for the head of the file, discards and counts all.
func TestMaxBytesOfNothing(t *testing.T) {
	for _, limit := range []uint64{1, 1 << 10, 10 << 10} {
		path := filepath.Join(t.TempDir(), "x")
		w, err := Create(path, testHeader(1), Options{MaxBytes: limit})
		if err != nil {
			t.Fatal(err)
		}
		const n = 100
		for j := range uint32(n) {
			w.Recorder(0).Kernel3(3, uint64(j), uint64(j), 0, 0, 0)
		}
		if s, err := w.Close(); err != nil || !errors.Is(s.Full, errLimit) || s.Discarded[0] != n {
			t.Errorf("limit %d: %+v: %v", limit, s, err)
		}
		if tr, err := Open(path); err != nil || tr.Discarded()[0] != n {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

// TestLargeRecord writes a record that is larger than a chunk.
func TestLargeRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.loi")
	w, err := Create(path, testHeader(1), Options{FirstChunkBytes: 4096, ChunkBytes: 8192})
	if err != nil {
		t.Fatal(err)
	}
	list := make([]Access, 100_000)
	for i := range list {
		list[i] = Access{Object: 2, Block: uint64(i), Mode: In}
	}
	r := w.Recorder(0)
	r.Kernel1(1, 1, 2, 3)
	r.Accesses(0, 0, 3, 4, list)
	r.Kernel1(1, 5, 6, 7)
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tr, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := readAll(tr, 0)
	if err != nil || len(got) != 3 || len(got[1].Explicit) != len(list) || got[2].Args[0] != 7 {
		t.Fatalf("%d records: %v", len(got), err)
	}
	for i, a := range got[1].Explicit {
		if a.Block != uint64(i) || a.Bytes != 1 {
			t.Fatalf("access %d is %+v", i, a)
		}
	}
}

// TestSize compares the announced size with that of the file before it is closed.
func TestSize(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		workers := rapid.IntRange(1, 4).Draw(rt, "workers")
		opt := Options{
			FirstChunkBytes: rapid.SampledFrom([]int{0, 4096, 10000, 1 << 18}).Draw(rt, "first"),
			ChunkBytes:      rapid.SampledFrom([]int{0, 4096, 70000}).Draw(rt, "chunk"),
		}
		n++
		path := filepath.Join(dir, u(uint32(n)))
		w, err := Create(path, testHeader(workers), opt)
		if err != nil {
			rt.Fatal(err)
		}
		var total uint64
		for i := range workers {
			k := rapid.SampledFrom([]uint32{0, 10, 1000, 20000}).Draw(rt, "records")
			for j := range k {
				w.Recorder(i).Kernel3(3, uint64(j), uint64(j), 0, 0, j)
			}
			total += uint64(k)
		}
		close(w.wake) // let the background finish what it was told
		<-w.done
		w.wake, w.done = make(chan struct{}), make(chan struct{})
		close(w.done)
		st, err := os.Stat(path)
		if err != nil {
			rt.Fatal(err)
		}
		size := Size(total, 3, workers, opt)
		if uint64(st.Size()) > size {
			rt.Fatalf("%d records take %d bytes, announced were %d", total, st.Size(), size)
		}
		if slack := uint64(workers+1) * uint64(3*max(opt.withDefaults().ChunkBytes,
			opt.withDefaults().FirstChunkBytes)); size > total*40+slack+1<<17 {
			rt.Fatalf("%d records of 32 bytes: announced were %d", total, size)
		}
		if _, err := w.Close(); err != nil {
			rt.Fatal(err)
		}
		os.Remove(path)
	})
}

func TestProfile(t *testing.T) {
	p := NewProfile(2)
	p.Add(1, 100, 150)
	p.Add(1, 200, 210)
	if got := p.Kernel(1); got != (KernelProfile{Count: 2, Ticks: 60, Min: 10, Max: 50}) {
		t.Errorf("%+v", got)
	}
	p.Reset()
	if got := p.Kernel(1); got.Count != 0 || got.Ticks != 0 || got.Max != 0 {
		t.Errorf("after Reset: %+v", got)
	}
}

func TestNoAllocations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.loi")
	w, err := Create(path, testHeader(1), Options{FirstChunkBytes: 1 << 20, NoBackground: true})
	if err != nil {
		t.Fatal(err)
	}
	r, p := w.Recorder(0), NewProfile(5)
	list := []Access{{Object: 0, Block: 1, Mode: In}}
	var task TaskList
	n := testing.AllocsPerRun(1000, func() {
		r.Kernel3(3, 1, 2, 3, 4, 5)
		r.Kernel(4, 1, 2, 3, 4, 5, 6, 7)
		r.KernelFlags(1, Moved, 1, 1<<40, 3)
		r.Accesses(0, 0, 1, 2, list)
		r.Event(EventSteal, 1, 2, 3)
		task.Add(2, 1, 2)
		r.Task(1, 2, &task)
		p.Add(1, 2, 3)
	})
	if n != 0 {
		t.Errorf("%v allocations, expected none", n)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestChunkEnd comes to the end of a chunk with each possible rest, by each of the methods.
func TestChunkEnd(t *testing.T) {
	record := []func(r *Recorder, j uint32){
		func(r *Recorder, j uint32) { r.Kernel1(1, uint64(j), uint64(j), j%64) },
		func(r *Recorder, j uint32) { r.Kernel(2, uint64(j), uint64(j), j%64, j) },
		func(r *Recorder, j uint32) { r.Kernel3(3, uint64(j), uint64(j), j%64, j%16, j) },
		func(r *Recorder, j uint32) { r.Kernel(0, uint64(j), uint64(j)) },
		func(r *Recorder, j uint32) { r.Kernel(0, uint64(j), uint64(j)+1<<32) },
	}
	for method, f := range record {
		for before := range 4 {
			for longer := range 2 {
				path := filepath.Join(t.TempDir(), "x.loi")
				w, err := Create(path, testHeader(1), Options{FirstChunkBytes: 4096,
					ChunkBytes: 4096, NoBackground: true})
				if err != nil {
					t.Fatal(err)
				}
				r := w.Recorder(0)
				for range before {
					r.Event(EventIdle, 0) // 16 bytes
				}
				for range longer {
					r.Event(EventIdle, 0, 1) // 24 bytes
				}
				const n = 700
				for j := range uint32(n) {
					f(r, j)
				}
				if _, err := w.Close(); err != nil {
					t.Fatal(err)
				}
				tr, err := Open(path)
				if err != nil {
					t.Fatal(err)
				}
				c := tr.Cursor(0)
				j := 0
				for ; c.Next(); j++ {
					if r := c.Record(); r.Start != uint64(j) || len(r.Args) > 0 &&
						r.Args[0] != uint32(j)%64 {
						t.Fatalf("method %d: record %d is %+v", method, j, r)
					}
				}
				if c.Err() != nil || j != n || tr.chunks[0][0].used > 4096-chunkHeaderBytes {
					t.Errorf("method %d after %d and %d events: %d records: %v", method, before,
						longer, j, c.Err())
				}
			}
		}
	}
}
