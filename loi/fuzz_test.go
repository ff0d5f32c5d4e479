package loi

import (
	"bytes"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// readers goes through t in every way that there is; errors are fine, panics are not.
func readers(t *Trace) {
	for i := range t.Header.Workers {
		readAll(t, i)
		c := t.Cursor(i)
		var list []Access
		for c.Next() {
			list = c.AppendAccesses(list[:0])
		}
		for _, a := range list {
			o := &t.Header.Registry.Objects[a.Object]
			if o.Kind == Partition && a.Block >= uint64(o.Len()) || a.Bytes == 0 ||
				o.Kind != Partition && checkNamed(o.Kind, &a) != "" {
				panic("an access to what is not registered")
			}
		}
	}
	t.tally()
	t.Info()
	WriteText(new(bytes.Buffer), t)
}

// tinyTrace returns a clean file with a few records of all types; small seeds keep the fuzzer
// quick.
func tinyTrace(f *testing.F) *Trace {
	text := strings.Replace(textFixture, "meta", "# meta", 1)
	tr, err := ParseText(strings.NewReader(text))
	if err != nil {
		f.Fatal(err)
	}
	return tr
}

// tinyBuilt returns a clean file with runs and all shapes of accesses.
func tinyBuilt(f *testing.F) *Trace {
	path := filepath.Join(f.TempDir(), "x.loi")
	b := newTestBuilder(f, path)
	err := b.Access(0, 0, 1, Access{Object: 0, Mode: In, Block: 7, Bytes: 64})
	for i := range uint64(3) {
		err = errors.Join(err, b.Access(0, 0, 1+i, Access{Object: 1, Mode: Out, Block: 7 * i,
			Bytes: 64}))
	}
	err = errors.Join(err, b.Access(0, 1, 5, Access{Object: 1, Mode: InOut, Rows: 3, Block: 1 << 33,
		Bytes: 64, Stride: 100}),
		b.Access(1, 1, 5, Access{Object: 0, Mode: InOut, Block: 7, Bytes: 1 << 32}),
		b.Close(buildHeader(2)))
	if err != nil {
		f.Fatal(err)
	}
	tr, err := Open(path)
	if err != nil {
		f.Fatal(err)
	}
	return tr
}

// FuzzOpen reads bytes as a file. The checksums keep most changes from getting far: see FuzzRecords
// and FuzzRecover.
func FuzzOpen(f *testing.F) {
	f.Add(tinyTrace(f).data)
	f.Add(tinyBuilt(f).data)
	f.Fuzz(func(t *testing.T, data []byte) {
		tr, err := parse(data)
		var fe *FormatError
		if err != nil && !errors.As(err, &fe) {
			t.Fatalf("%v is not a FormatError", err)
		}
		if err == nil {
			readers(tr)
		}
	})
}

// FuzzHeader reads bytes as the header of a file.
func FuzzHeader(f *testing.F) {
	h := testHeader(3)
	f.Add(encodeHeader(&h))
	h.Registry.Objects = append(h.Registry.Objects, Object{Name: "keyed", Kind: Keyed},
		Object{Name: "span", Kind: Span})
	f.Add(encodeHeader(&h))
	h.Meta = []KV{{"other", "note"}}
	h.Kernel, h.Params, h.Unordered = "k", []KV{{"n", "1"}}, true
	h.Registry.Regions = []Region{{"f", Function, NoRegion}, {"for", Loop, 0}}
	f.Add(encodeHeader(&h))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := decodeHeader(b, 0)
		var fe *FormatError
		if err != nil && !errors.As(err, &fe) {
			t.Fatalf("%v is not a FormatError", err)
		}
		if err != nil {
			return
		}
		again, err := decodeHeader(encodeHeader(&h), 0)
		if err != nil || !reflect.DeepEqual(again, h) {
			t.Fatalf("%+v became %+v: %v", h, again, err)
		}
	})
}

// withRecords returns a trace in memory whose only worker has these bytes as its records.
func withRecords(t testing.TB, b []byte, n uint64) *Trace {
	h := testHeader(1)
	h.Registry.Objects = append(h.Registry.Objects, Object{Name: "keyed", Kind: Keyed},
		Object{Name: "span", Kind: Span})
	tr := &Trace{Header: h, chunks: [][]section{{{entry{used: uint64(len(b)), records: n}, b}}},
		discarded: []uint64{0}, dropped: []uint64{0}, lost: []uint64{0}}
	var out bytes.Buffer
	if err := tr.write(&out); err != nil {
		t.Fatal(err)
	}
	tr, err := parse(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// FuzzRecords reads bytes as records. A recovery keeps just those that come before the first bad
// one.
func FuzzRecords(f *testing.F) {
	tr := tinyTrace(f)
	for _, list := range tr.chunks {
		f.Add(tr.data[list[0].offset+chunkHeaderBytes:][:list[0].used])
	}
	kinds := []ObjectKind{Partition, Partition, Partition, Keyed, Span}
	named := appendRecord(nil, kinds, &Record{Type: AccessesRecord, Kernel: 1, Start: 5, End: 9,
		Explicit: []Access{
			{Object: 3, Mode: In, Block: 1 << 40, Bytes: 64}, {Object: 4, Mode: InOut, Block: 9,
				Bytes: 1 << 40}, {Object: 0, Mode: Out, Block: 1},
			{Object: 4, Mode: Out, Rows: 2, Block: 9, Bytes: 8, Stride: 8},
		}})
	for _, w := range []uint64{10, commitWord(runRecord, 0, 2, 0, 2), 77,
		64 | 1<<runModeShift | 3<<runObjectShift, 78,
		8 | 9<<runDeltaShift | 2<<runModeShift | 4<<runObjectShift} {
		named = le.AppendUint64(named, w)
	}
	if _, n, ok := withRecords(f, named, 2).valid(0, named); n != 2 || !ok {
		f.Fatal("the seed is not good")
	}
	f.Add(named)
	data, _ := smallTrace(f) // its objects come first in the header of withRecords
	tr, err := parse(data)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data[tr.chunks[0][0].offset+chunkHeaderBytes:][:200])
	f.Fuzz(func(t *testing.T, b []byte) {
		b = b[:len(b)/8*8]
		tr := withRecords(t, b, 0)
		readers(tr)
		acts, _ := tr.tally()
		if used, n, _ := tr.valid(0, b); n != acts[0].records || used > uint64(len(b)) {
			t.Fatalf("%d records are good, the cursor finds %d", n, acts[0].records)
		}
		if n, used := countRecords(b); n < acts[0].records || used > uint64(len(b)) {
			t.Fatalf("%d records counted, the cursor finds %d", n, acts[0].records)
		}
	})
}

// FuzzRecover recovers a trace from bytes: the result can be saved and is a good trace with the
// same records.
func FuzzRecover(f *testing.F) {
	var opens [2][]byte
	for i, tr := range []*Trace{tinyTrace(f), tinyBuilt(f)} {
		f.Add(tr.data, i == 1)
		opens[i] = append([]byte(nil), tr.data...)
		le.PutUint64(opens[i][tr.pre.controlOffset:], stateOpen)
		f.Add(opens[i][:len(opens[i])-1], i == 1)
	}
	f.Fuzz(func(t *testing.T, data []byte, built bool) {
		open := opens[0]
		if built {
			open = opens[1]
		}
		pre, err := decodePrefix(open, uint64(len(open)))
		if err != nil {
			t.Fatal(err)
		}
		// The header is given, that changes get past its checksums.
		if len(data) > int(pre.controlOffset) {
			data = append(append([]byte(nil), open[:pre.controlOffset]...),
				data[pre.controlOffset:]...)
		}
		tr, rep, err := salvage(data, nil)
		var fe *FormatError
		if err != nil && !errors.As(err, &fe) {
			t.Fatalf("%v is not a FormatError", err)
		}
		if err != nil {
			return
		}
		readers(tr)
		var out bytes.Buffer
		if err := tr.write(&out); err != nil {
			t.Fatal(err)
		}
		saved, err := parse(out.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if saved.Recovered == rep.Clean && !tr.Recovered {
			t.Fatal("the recovered trace does not say so")
		}
		acts, err := tr.tally()
		if err != nil {
			t.Fatal(err)
		}
		for i := range tr.Header.Workers {
			a, err := readAll(tr, i)
			if err != nil {
				t.Fatal(err)
			}
			b, err := readAll(saved, i)
			if err != nil || !reflect.DeepEqual(a, b) || acts[i].records != rep.Records[i] ||
				saved.Records()[i] != rep.Records[i] {
				t.Fatalf("worker %d: %d records recovered, %d saved, %d reported: %v", i, len(a),
					len(b), rep.Records[i], err)
			}
			if saved.Discarded()[i] != tr.Discarded()[i] ||
				saved.LostBytes()[i] != tr.LostBytes()[i] {
				t.Fatal("the losses were not saved")
			}
		}
	})
}

// FuzzText reads bytes as the text form; a good trace is written and read again without a change.
func FuzzText(f *testing.F) {
	f.Add(textFixture)
	f.Add(namedFixture)
	f.Add("loi-text 4\nsubstrate native\nnodes 1\nworker 0 cpu 0 node 0 offset 0\n0 1 event 9()")
	f.Fuzz(func(t *testing.T, s string) {
		tr, err := ParseText(strings.NewReader(s))
		var te *TextError
		if err != nil && !errors.As(err, &te) {
			t.Fatalf("%v is not a TextError", err)
		}
		if err != nil {
			return
		}
		readers(tr)
		var a, b bytes.Buffer
		if err := WriteText(&a, tr); err != nil {
			t.Fatal(err)
		}
		again, err := ParseText(bytes.NewReader(a.Bytes()))
		if err != nil {
			t.Fatalf("%v in\n%s", err, a.String())
		}
		if err := WriteText(&b, again); err != nil || a.String() != b.String() {
			t.Fatalf("%v: written\n%s\nthen\n%s", err, a.String(), b.String())
		}
	})
}
