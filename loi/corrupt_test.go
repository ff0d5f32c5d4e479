package loi

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"krdlab/hw/hwtest/long"
)

// smallTrace returns a clean file of two workers that the writer made, unused spare chunks among
// them, and its records.
func smallTrace(t testing.TB) ([]byte, [][]Record) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "small.loi")
	h := testHeader(2)
	w, err := Create(path, h, Options{FirstChunkBytes: 4096, ChunkBytes: 4096, NoBackground: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		r := w.Recorder(i)
		for j := range uint32(130 - 20*i) {
			at := uint64(j) * 10
			switch j % 5 {
			case 0, 1, 2:
				r.Kernel3(3, at, at+5, j%64, j%16, j)
			case 3:
				r.Accesses(0, Moved, at, at+1<<33,
					[]Access{{Object: 0, Block: uint64(j % 64), Mode: In}, {Object: 1, Block: 10,
						Mode: Out, Bytes: 100}})
			case 4:
				var l TaskList
				l.Add(2, j%64, 1<<24)
				l.Add(0)
				r.Task(at, at+5, &l)
				r.Event(EventSteal, at+6, 1, 0, 3)
			}
		}
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := parse(data)
	if err != nil {
		t.Fatal(err)
	}
	want := make([][]Record, 2)
	for i := range want {
		if want[i], err = readAll(tr, i); err != nil {
			t.Fatal(err)
		}
	}
	if len(tr.chunks[0]) < 2 {
		t.Fatalf("worker 0 has %d chunks, expected several", len(tr.chunks[0]))
	}
	return data, want
}

// isFormat fails unless err is a FormatError of one of the kinds.
func isFormat(t *testing.T, err error, what string, kinds ...error) {
	t.Helper()
	var f *FormatError
	if !errors.As(err, &f) {
		t.Fatalf("%s: %v, expected a FormatError", what, err)
	}
	for _, k := range kinds {
		if errors.Is(err, k) {
			return
		}
	}
	t.Fatalf("%s: %v, expected one of %v", what, err, kinds)
}

// TestBitFlips changes each bit of a small clean file: no change goes unnoticed, and a recovery
// invents nothing and reports missing records.
func TestBitFlips(t *testing.T) {
	t.Parallel()
	data, want := smallTrace(t)
	tr, err := parse(data)
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer // without the padding
	if err := tr.write(&compact); err != nil {
		t.Fatal(err)
	}
	step := long.Or(13, 1)
	flipBits(t, compact.Bytes(), want, step)
	flipBits(t, data, want, 61*step)
}

func flipBits(t *testing.T, data []byte, want [][]Record, step int) {
	for i := 0; i < 8*len(data); i += step {
		data[i/8] ^= 1 << (i % 8)
		_, err := parse(data)
		if err == nil {
			t.Fatalf("bit %d of byte %d changed, and nobody noticed", i%8, i/8)
		}
		isFormat(t, err, "a changed bit", ErrCorrupt, ErrNotTrace)
		if i/step%5 == 0 {
			checkSalvage(t, data, want, i/8)
		}
		data[i/8] ^= 1 << (i % 8)
	}
	if _, err := parse(data); err != nil {
		t.Fatal(err)
	}
}

// checkSalvage recovers data, a damaged copy of a file with the records want: all records kept were
// there, in order, and missing ones are reported.
func checkSalvage(t *testing.T, data []byte, want [][]Record, at int) {
	t.Helper()
	tr, rep, err := salvage(data, nil)
	if err != nil {
		isFormat(t, err, "salvage", ErrCorrupt, ErrNotTrace)
		return
	}
	for w := range want {
		got, err := readAll(tr, w)
		if err != nil {
			t.Fatal(err)
		}
		j := 0
		for i := range got {
			for j < len(want[w]) && !reflect.DeepEqual(got[i], want[w][j]) {
				j++
			}
			if j++; j > len(want[w]) {
				t.Fatalf("damage at byte %d: recovered record %d of worker %d was never there: %+v",
					at, i, w, got[i])
			}
		}
		if len(got) != len(want[w]) && rep.LostBytes[w] == 0 {
			t.Fatalf("damage at byte %d: %d of %d records of worker %d recovered, and no loss "+
				"reported: %+v", at, len(got), len(want[w]), w, rep)
		}
		n, d := uint64(len(want[w])-len(got)), tr.Discarded()[w] // a run is one record of many
		if !rep.LossUnknown[w] && (d > n || (d == 0) != (n == 0)) {
			t.Fatalf("damage at byte %d: worker %d lacks %d records, and %d are said to be "+
				"missing", at, w, n, d)
		}
		if rep.LostBytes[w] > 0 && tr.Discarded()[w] == 0 {
			t.Fatalf("damage at byte %d: worker %d lost bytes and no record", at, w)
		}
	}
}

func TestTruncation(t *testing.T) {
	data, want := smallTrace(t)
	for n := range len(data) {
		_, err := parse(data[:n])
		kinds := []error{ErrCorrupt}
		if n < 8 {
			kinds = []error{ErrNotTrace}
		}
		isFormat(t, err, "cut after "+u(uint32(n)), kinds...)
		if n%31 == 0 {
			checkSalvage(t, data[:n:n], want, n)
		}
	}
	for _, more := range []string{"\x00", "12345678", strings.Repeat("\x00", 4096)} {
		_, err := parse(append(data[:len(data):len(data)], more...))
		isFormat(t, err, "more bytes", ErrCorrupt)
	}
}

func TestForeignFiles(t *testing.T) {
	data, _ := smallTrace(t)
	dir := t.TempDir()
	newer := append([]byte(nil), data...)
	le.PutUint32(newer[8:], Version+1)
	le.PutUint32(newer[60:], checksum(newer[:60]))
	open := append([]byte(nil), data...)
	pre, err := decodePrefix(open, uint64(len(open)))
	if err != nil {
		t.Fatal(err)
	}
	le.PutUint64(open[pre.controlOffset:], stateOpen)
	for _, c := range []struct {
		name, content string
		kind          error
	}{
		{"empty", "", ErrNotTrace},
		{"short", "\x89LOI", ErrNotTrace},
		{"text", textFixture, ErrNotTrace},
		{"elf", "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 9000), ErrNotTrace},
		{"ascii transfer", strings.Replace(string(data), "\r\n", "\n", 1), ErrNotTrace},
		{"newer", string(newer), ErrVersion},
		{"open", string(open), ErrUnclean},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte(c.content), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Open(path)
		isFormat(t, err, c.name, c.kind)
		if s := err.Error(); !strings.HasPrefix(s, path+": ") || strings.Contains(s, "\n") {
			t.Errorf("%s: %q, expected one line that begins with the name of the file", c.name, s)
		}
		out := filepath.Join(dir, "out")
		rep, err := Recover(path, out)
		if c.kind == ErrUnclean {
			if err != nil || rep.Damaged() {
				t.Errorf("%s: %+v, %v", c.name, rep, err)
			}
			continue
		}
		isFormat(t, err, c.name, c.kind)
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: Recover failed and left a file", c.name)
		}
	}
	for _, path := range []string{filepath.Join(dir, "missing"), dir} {
		var f *FormatError
		if _, err := Open(path); err == nil || errors.As(err, &f) {
			t.Errorf("%s: %v, expected an error that is not about the content", path, err)
		}
	}
}

// TestBadContent reads records of a faulty kernel: the file is whole, and the cursor returns the
// error.
func TestBadContent(t *testing.T) {
	for _, c := range []struct {
		what string
		make func(*Recorder)
	}{
		{"kernel 9 of 5", func(r *Recorder) { r.Kernel3(9, 1, 2, 0, 0, 0) }},
		{`kernel "gemm" has block 64 as argument 0`, func(r *Recorder) {
			r.Kernel3(3, 1, 2, 64, 0,
				0)
		}},
		{`kernel "gemm" has 2 arguments, expected 3`,
			func(r *Recorder) { r.Kernel(3, 1, 2, 0, 0) }},
		{"object 5", func(r *Recorder) { r.Accesses(0, 0, 1, 2, []Access{{Object: 5, Mode: In}}) }},
		{"mode(0)", func(r *Recorder) { r.Accesses(0, 0, 1, 2, []Access{{Object: 0}}) }},
		{"99 bytes, but it has 8192",
			func(r *Recorder) {
				r.Accesses(0, 0, 1, 2,
					[]Access{{Object: 0, Mode: In, Bytes: 99}})
			}},
		{`shape 2 to object "A", which is partition`,
			func(r *Recorder) {
				r.Accesses(0, 0, 1, 2,
					[]Access{{Object: 0, Mode: In, Block: 1 << 32}})
			}},
		{`shape 4 to object "A"`,
			func(r *Recorder) { r.Accesses(0, 0, 1, 2, []Access{{Object: 0, Mode: In, Rows: 2}}) }},
		{`object "keyed" has 0 bytes`,
			func(r *Recorder) {
				r.Accesses(0, 0, 1, 2,
					[]Access{{Object: 3, Mode: In, Block: 1}})
			}},
		{`object "keyed" has 2 rows`, func(r *Recorder) {
			r.Accesses(0, 0, 1, 2, []Access{{Object: 3, Mode: In, Block: 1, Bytes: 1, Rows: 2,
				Stride: 1}})
		}},
		{`object "span" has rows of 9 bytes that are 8 bytes apart`, func(r *Recorder) {
			r.Accesses(0, 0, 1, 2, []Access{{Object: 4, Mode: In, Block: 1, Bytes: 9, Rows: 2,
				Stride: 8}})
		}},
		{"block 16", func(r *Recorder) {
			var l TaskList
			l.Add(0)
			l.Add(4, 0, 0, 16, 0, 0)
			r.Task(1, 2, &l)
		}},
	} {
		path := filepath.Join(t.TempDir(), "x.loi")
		h := testHeader(1)
		h.Registry.Objects = append(h.Registry.Objects, Object{Name: "keyed", Kind: Keyed},
			Object{Name: "span", Kind: Span})
		w, err := Create(path, h, Options{})
		if err != nil {
			t.Fatal(err)
		}
		w.Recorder(0).Kernel3(3, 0, 1, 0, 0, 0)
		c.make(w.Recorder(0))
		w.Recorder(0).Kernel3(3, 3, 4, 0, 0, 0)
		if _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		tr, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = readAll(tr, 0)
		isFormat(t, err, c.what, ErrCorrupt)
		if !strings.Contains(err.Error(), c.what) || !strings.Contains(err.Error(), path) {
			t.Errorf("%v, expected %q", err, c.what)
		}
		k := tr.Cursor(0)
		for k.Next() {
		}
		isFormat(t, k.Err(), c.what, ErrCorrupt)
		_, err = Verify(path)
		isFormat(t, err, c.what, ErrCorrupt)
	}
}

// TestUncleanDamage recovers files that were not closed and lack what a crash of the machine may
// have kept from the disk.
func TestUncleanDamage(t *testing.T) {
	data, want := smallTrace(t)
	tr, err := parse(data)
	if err != nil {
		t.Fatal(err)
	}
	first, last := tr.chunks[0][0], tr.chunks[0][len(tr.chunks[0])-1]
	footer := int(le.Uint64(data[len(data)-trailerBytes:]))
	for _, c := range []struct {
		what    string
		change  func(b []byte)
		worker  int // that is hit, or -1
		skipped bool
	}{
		{"nothing", func([]byte) {}, -1, false},
		{"a hole in a full chunk",
			func(b []byte) { clear(b[first.offset+512 : first.offset+1024]) }, 0, false},
		{"the end of a full chunk",
			func(b []byte) { clear(b[first.offset+2048 : first.offset+first.bytes]) }, 0, false},
		{"a bad record in a full chunk",
			func(b []byte) { le.PutUint64(b[first.offset+chunkHeaderBytes+8:], 0x55<<typeShift) },
			0, false},
		{"a bad record in the last chunk",
			func(b []byte) { le.PutUint64(b[last.offset+chunkHeaderBytes+8:], 0x55<<typeShift) }, 0,
			false},
		{"the header of a chunk",
			func(b []byte) { clear(b[last.offset : last.offset+chunkHeaderBytes]) }, 0, true},
		{"the header of a chunk, in part", func(b []byte) { b[last.offset+9]++ }, 0, true},
		{"the last chunk", func(b []byte) { clear(b[last.offset : last.offset+last.bytes]) }, 0,
			false},
	} {
		b := append([]byte(nil), data[:footer]...)
		le.PutUint64(b[tr.pre.controlOffset:], stateOpen)
		c.change(b)
		got, rep, err := salvage(b, nil)
		if err != nil {
			t.Fatal(err)
		}
		if rep.Damaged() != (c.worker >= 0) || rep.Clean || !got.Recovered ||
			(rep.SkippedBytes > 0) != c.skipped {
			t.Errorf("%s: %+v", c.what, rep)
		}
		for w := range want {
			list, err := readAll(got, w)
			if err != nil {
				t.Fatal(err)
			}
			hit := w == c.worker
			if (len(list) < len(want[w])) != hit || (rep.LostBytes[w] > 0) != hit ||
				(got.Discarded()[w] > 0) != hit {
				t.Errorf("%s: worker %d: %d of %d records: %+v", c.what, w, len(list), len(want[w]),
					rep)
			}
		}
	}
	// Cut off in the middle of a chunk.
	b := append([]byte(nil), data[:last.offset+100]...)
	le.PutUint64(b[tr.pre.controlOffset:], stateOpen)
	if _, rep, err := salvage(b, nil); err != nil || !rep.Damaged() || rep.LostBytes[0] == 0 {
		t.Errorf("cut off: %+v: %v", rep, err)
	}
}

// TestMapped maps files that would otherwise be read.
func TestMapped(t *testing.T) {
	defer func(n int64) { mapFrom = n }(mapFrom)
	mapFrom = 1
	data, want := smallTrace(t)
	path := filepath.Join(t.TempDir(), "x.loi")
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	tr, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" && !tr.mapped {
		t.Error("the file was read")
	}
	compare(t, tr, want)
	if err := tr.Close(); err != nil {
		t.Error(err)
	}
	data[len(data)-1]++
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Open(path)
	isFormat(t, err, "a changed byte", ErrCorrupt)
	rep, err := Recover(path, path+".out")
	if err != nil || rep.Clean {
		t.Errorf("%+v: %v", rep, err)
	}
	if tr, err = Open(path + ".out"); err != nil {
		t.Fatal(err)
	}
	compare(t, tr, want)
}

// TestUncleanBuffered recovers a file whose records were in memory when its writer was killed: all
// workers are reported to lack some.
func TestUncleanBuffered(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.loi")
	w, err := Create(path, testHeader(2), Options{Unmapped: true})
	if err != nil {
		t.Fatal(err)
	}
	w.Recorder(0).Kernel1(1, 1, 2, 3)
	tr, rep, err := OpenUnclean(path)
	if err != nil || !rep.Damaged() || !tr.Buffered || tr.Discarded()[0] == 0 ||
		tr.Discarded()[1] == 0 || rep.LostBytes[1] == 0 {
		t.Errorf("%+v, discarded %v: %v", rep, tr.Discarded(), err)
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if tr, err = Open(path); err != nil || tr.Records()[0] != 1 || tr.Discarded()[0] != 0 {
		t.Errorf("after Close: %v", err)
	}
}
