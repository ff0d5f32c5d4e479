//go:build linux || darwin

package loi

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"krdlab/hw/hwtest/long"
)

// builtAccess is access number j of a worker: as time goes on there are more objects and kernels.
func builtAccess(worker int, j uint64) (object, kernel string, a Access) {
	return "object " + u(j/300), "kernel " + u(j/500), Access{Mode: In, Block: j<<8 | uint64(worker),
		Bytes: 8 + j%5}
}

// buildAccess gives access number j of a worker to b.
func buildAccess(b *Builder, worker int, j uint64) error {
	object, kernel, a := builtAccess(worker, j)
	var k KernelID
	var err error
	if a.Object, err = b.Object(object, Keyed); err == nil {
		k, err = b.Kernel(kernel)
	}
	return errors.Join(err, b.Access(worker, k, j, a))
}

// builtWorkers is how many there are after j accesses.
func builtWorkers(j uint64) int { return min(1+int(j/1000), 20) }

// buildForever builds a trace as fast as it can.
func buildForever(dir string) error {
	b, err := NewBuilder(filepath.Join(dir, "x.loi"))
	if err != nil {
		return err
	}
	b.Expect(expectedHeader())
	for j := uint64(0); j < 5_000_000; j++ {
		for w := range builtWorkers(j) {
			if err := buildAccess(b, w, j-uint64(w)*1000); err != nil {
				return err
			}
		}
		if j == 2000 {
			os.WriteFile(filepath.Join(dir, "ready"), nil, 0o644)
		}
	}
	time.Sleep(time.Hour)
	return nil
}

func expectedHeader() Header {
	return Header{Substrate: Native, Grain: "kernel", Kernel: "expected",
		Clock: Clock{Source: "tsc", Hz: 1e9}}
}

// checkBuilt fails unless t holds the first accesses of each worker, in a file marked as recovered,
// which may lack some. It returns how many there are.
func checkBuilt(tb testing.TB, t *Trace) (n uint64) {
	tb.Helper()
	if !t.Recovered || !t.Buffered || t.Header.Kernel != "expected" {
		tb.Errorf("recovered %v, buffered %v, %+v", t.Recovered, t.Buffered, t.Header.Clock)
	}
	for i := range t.Header.Workers {
		list, err := readAll(t, i)
		if err != nil {
			tb.Fatal(err)
		}
		n += uint64(len(list))
		for j, r := range list {
			object, kernel, want := builtAccess(i, uint64(j))
			got := r.Explicit[0]
			if t.Header.Registry.Objects[got.Object].Name != object ||
				t.Header.Registry.Kernels[r.Kernel].Name != kernel || r.Start != uint64(j) ||
				got.Block != want.Block || got.Bytes != want.Bytes {
				tb.Fatalf("access %d of worker %d is %+v, expected %+v of %s in %s", j, i, r, want,
					object, kernel)
			}
		}
		if !t.LossUnknown()[i] {
			tb.Errorf("worker %d has lost nothing", i)
		}
	}
	return n
}

// TestKillBuilder kills a process that builds a trace: all chunks that it has written are
// recovered.
func TestKillBuilder(t *testing.T) {
	for range long.Or(3, 20) {
		dir := killed(t, killEnv, killBuildEnv)
		path, out := filepath.Join(dir, "x.loi.partial"), filepath.Join(dir, "out.loi")
		rep, err := Recover(path, out)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := Open(out)
		if err != nil {
			t.Fatal(err)
		}
		s, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		n := checkBuilt(t, tr)
		t.Logf("%d accesses by %d workers, %d objects, of %d bytes: %+v", n, len(rep.Records),
			len(tr.Header.Registry.Objects), s.Size(), rep)
		if int64(n) < (s.Size()-buildGap-buildChunkBytes)/24 || n < 1000 ||
			rep.Clean || rep.SkippedBytes > 0 {
			t.Errorf("%d accesses recovered of %d bytes: %+v", n, s.Size(), rep)
		}
		if err := tr.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBuilderCutOff cuts the file of a builder off after each byte: whole records are recovered.
func TestBuilderCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.loi")
	b, err := NewBuilder(path)
	if err != nil {
		t.Fatal(err)
	}
	b.Expect(expectedHeader())
	for j := range uint64(3000) {
		for w := range builtWorkers(j) {
			if err := buildAccess(b, w, j-uint64(w)*1000); err != nil {
				t.Fatal(err)
			}
		}
	}
	data, err := os.ReadFile(path + ".partial")
	if err != nil {
		t.Fatal(err)
	}
	names := bytes.Count(data, []byte("LNAM"))
	if len(b.entries) < 8 || names < 3 {
		t.Fatalf("%d chunks, %d of names", len(b.entries), names)
	}
	step := long.Or(29, 1)
	for n := 0; n <= len(data); n += step {
		if n > 4096 && n < int(b.gap)-100 {
			n = int(b.gap) - 100
		}
		tr, _, err := salvage(data[:n:n], nil)
		if n < int(b.gap) {
			isFormat(t, err, "cut off in the head", ErrCorrupt, ErrNotTrace)
			continue
		}
		if err != nil {
			t.Fatalf("cut off after %d bytes: %v", n, err)
		}
		var want uint64
		for _, e := range b.entries {
			if e.offset+e.bytes <= uint64(n) {
				want += e.records
			}
		}
		checkBuilt(t, tr)
		var got uint64
		for _, r := range tr.Records() {
			got += r
		}
		if got < want {
			t.Fatalf("cut off after %d bytes: %d records, expected %d", n, got, want)
		}
	}
	// It goes on, and is closed as if nothing were.
	h := expectedHeader()
	h.Workers = make([]Worker, builtWorkers(3000))
	if err := b.Close(h); err != nil {
		t.Fatal(err)
	}
	if _, err := Verify(path); err != nil {
		t.Error(err)
	}
}
