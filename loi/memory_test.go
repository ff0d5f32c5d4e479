package loi

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// recordSome makes each recorder record all sorts of records, n each, the same for the same seed.
func recordSome(w *Writer, workers, n int) {
	rng := rand.New(rand.NewPCG(1, 2))
	for at := range uint64(n) {
		for i := range workers {
			r, start := w.Recorder(i), at*100
			switch rng.IntN(5) {
			case 0:
				r.Kernel3(3, start, start+9, uint32(rng.IntN(64)), uint32(rng.IntN(16)), 7)
			case 1:
				r.Kernel1(1, start, start+1<<33, uint32(rng.IntN(64)))
			case 2:
				r.Event(EventSteal, start, 1, 0, uint32(at))
			case 3:
				r.Accesses(0, Moved, start, start+3, []Access{{Object: 0, Mode: In, Block: 5}})
			case 4:
				var t TaskList
				r.Place(&t)
				for range rng.IntN(50) {
					t.Add(2, 1, 2)
				}
				r.Task(start, start+50, &t)
			}
		}
	}
}

// TestMemory compares a trace in memory, and one that outgrew it, with that of a file: the trace
// before its writer is closed, that read again, and that saved from memory.
func TestMemory(t *testing.T) {
	const workers, n = 3, 5000
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	h := testHeader(workers)
	text := func(tr *Trace, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := WriteText(&b, tr); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	path := filepath.Join(dir, "file.loi")
	file, err := Create(path, h, Options{})
	if err != nil {
		t.Fatal(err)
	}
	recordSome(file, workers, n)
	before := text(file.Trace())
	stats, err := file.Close()
	if err != nil {
		t.Fatal(err)
	}
	want := text(Open(path))
	if before != want || len(want) < 100000 {
		t.Error("the trace of a file's writer is not that of the file")
	}
	for _, opt := range []Options{{}, {MemoryBytes: 1}, {MemoryBytes: 600 << 10},
		{ChunkBytes: 8192, FirstChunkBytes: 4096}} {
		w, err := NewMemory(h, opt)
		if err != nil {
			t.Fatal(err)
		}
		recordSome(w, workers, n)
		if opt.MemoryBytes > 0 != (w.f != nil) {
			t.Errorf("%+v: temporary file %v", opt, w.f)
		}
		tr, err := w.Trace()
		if got := text(tr, err); got != want {
			t.Errorf("%+v: in memory the trace is another one", opt)
		}
		if in := tr.Info(); in.Used == 0 || in.Records[0] != n {
			t.Errorf("%+v: %+v", opt, in)
		}
		out := filepath.Join(t.TempDir(), "saved.loi")
		if err := tr.Save(out); err != nil {
			t.Fatal(err)
		}
		got, err := w.Close()
		if err != nil || !reflect.DeepEqual(got.Records, stats.Records) ||
			!reflect.DeepEqual(got.Discarded, stats.Discarded) {
			t.Errorf("%+v: %+v, %v; want %+v", opt, got, err, stats)
		}
		if got := text(Open(out)); got != want {
			t.Errorf("%+v: saved from memory the trace is another one", opt)
		}
		if _, err := Verify(out); err != nil {
			t.Error(err)
		}
		if _, err := w.Trace(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 1 {
		t.Errorf("left behind: %v, %v", list, err)
	}
}

// Records that find no room are discarded, and counted as in a file.
func TestMemoryLimit(t *testing.T) {
	h := testHeader(2)
	w, err := NewMemory(h, Options{MaxBytes: 300 << 10})
	if err != nil {
		t.Fatal(err)
	}
	for range 20000 {
		w.Recorder(1).Kernel1(1, 1, 2, 3)
	}
	tr, err := w.Trace()
	if err != nil {
		t.Fatal(err)
	}
	n, lost := tr.Records()[1], tr.Discarded()[1]
	if n == 0 || lost == 0 || n+lost != 20000 || tr.DiscardedKernels()[1] != lost {
		t.Errorf("%d records, %d lost", n, lost)
	}
	if s, err := w.Close(); err != nil || s.Full == nil || s.Discarded[1] != lost {
		t.Errorf("%+v: %v", s, err)
	}
	// A disk without room is a limit, too.
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	if w, err = NewMemory(h, Options{MemoryBytes: 200 << 10}); err != nil {
		t.Fatal(err)
	}
	for range 20000 {
		w.Recorder(1).Kernel1(1, 1, 2, 3)
	}
	if s, err := w.Close(); err != nil || !errors.Is(s.Full, os.ErrNotExist) ||
		s.Discarded[1] == 0 || s.Records[1]+s.Discarded[1] != 20000 {
		t.Errorf("%+v: %v", s, err)
	}
}
