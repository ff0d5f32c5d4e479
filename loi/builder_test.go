package loi

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"krdlab/hw/hwtest"
	"krdlab/hw/hwtest/long"
)

// buildHeader is the header of a trace that was built, for some workers.
func buildHeader(workers int) Header {
	h := Header{Substrate: Native, Clock: Clock{Source: "trace"}, Grain: "kernel"}
	for i := range workers {
		h.Workers = append(h.Workers, Worker{CPU: -1, Node: i % 2})
	}
	return h
}

// genNamed draws an access to object 0, which is keyed, or 1, a span.
func genNamed(t *rapid.T) Access {
	a := Access{Object: ObjectID(rapid.Uint16Range(0, 1).Draw(t, "object")),
		Mode: Mode(rapid.Uint8Range(1, 3).Draw(t, "mode"))}
	a.Bytes = rapid.OneOf(rapid.Uint64Range(1, 100),
		rapid.SampledFrom([]uint64{runBytesMax, runBytesMax + 1, 1<<32 - 1, 1 << 32,
			1 << 40})).Draw(t, "bytes")
	if a.Object == 0 {
		a.Block = rapid.Uint64().Draw(t, "key")
		return a
	}
	a.Block = rapid.OneOf(rapid.Uint64Range(0, 1<<20),
		rapid.SampledFrom([]uint64{1 << 40, maxExtent - 1<<50})).Draw(t, "offset")
	if rapid.IntRange(0, 3).Draw(t, "rows or one") == 0 {
		a.Rows = rapid.OneOf(rapid.Uint32Range(2, 9), rapid.Just(uint32(1)<<20)).Draw(t, "rows")
		a.Stride = a.Bytes + rapid.Uint64Range(0, 1<<12).Draw(t, "gap")
		a.Bytes = min(a.Bytes, 1<<20)
		a.Stride = min(a.Stride, 1<<21)
	}
	return a
}

// execution draws an execution as a reader gives it.
func genBuilt(t *rapid.T, after uint64) Record {
	r := Record{Type: AccessesRecord, Kernel: KernelID(rapid.Uint16Range(0, 1).Draw(t, "kernel")),
		Args: []uint32{}, Explicit: []Access{}, Calls: []Call{}}
	r.Start = after + rapid.OneOf(rapid.Uint64Range(0, 9),
		rapid.SampledFrom([]uint64{runDeltaMax, runDeltaMax + 1, 1 << 33})).Draw(t, "gap")
	r.End = r.Start
	n := 1
	if rapid.IntRange(0, 4).Draw(t, "one access or not") == 0 {
		n = rapid.IntRange(0, 5).Draw(t, "accesses")
		r.End += rapid.OneOf(rapid.Uint64Range(0, 9),
			rapid.SampledFrom([]uint64{1 << 32, 1<<32 - 1})).Draw(t, "ticks")
		r.Flags = rapid.SampledFrom([]Flags{0, 0, Preempted, Moved}).Draw(t, "flags")
	}
	for range n {
		r.Explicit = append(r.Explicit, genNamed(t))
	}
	return r
}

// build gives r to b, single accesses as such.
func build(b *Builder, worker int, r *Record) error {
	if len(r.Explicit) == 1 && r.Start == r.End && r.Flags == 0 {
		return b.Access(worker, r.Kernel, r.Start, r.Explicit[0])
	}
	return b.Execution(worker, r.Kernel, r.Flags, r.Start, r.End, r.Explicit)
}

// newTestBuilder begins a trace with a keyed object, a span and two kernels.
func newTestBuilder(t fataler, path string) *Builder {
	t.Helper()
	b, err := NewBuilder(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"key space", "bytes"} {
		if o, err := b.Object(name, Keyed+ObjectKind(i)); err != nil || int(o) != i {
			t.Fatal(o, err)
		}
	}
	for i, name := range []string{"get", "set"} {
		if k, err := b.Kernel(name); err != nil || int(k) != i {
			t.Fatal(k, err)
		}
	}
	return b
}

// same fails unless t has just these executions, by worker, and counts them.
func same(t fataler, tr *Trace, want [][]Record) {
	t.Helper()
	acts, err := tr.tally()
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		got, err := readAll(tr, i)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want[i]) || acts[i].Kernels != uint64(len(got)) ||
			acts[i].records != tr.Records()[i] {
			t.Fatalf("worker %d: %d executions, %+v, %d records, expected %d executions", i,
				len(got), acts[i], tr.Records()[i], len(want[i]))
		}
		for j := range got {
			if !reflect.DeepEqual(got[j], want[i][j]) {
				t.Fatalf("worker %d, execution %d:\n%+v, expected\n%+v", i, j, got[j], want[i][j])
			}
		}
	}
}

func TestBuilderRoundTrip(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		path := filepath.Join(dir, u(uint32(n))+rapid.SampledFrom([]string{".loi",
			".loi.zst"}).Draw(rt, "suffix"))
		b := newTestBuilder(rt, path)
		workers := rapid.IntRange(1, 3).Draw(rt, "workers")
		want := make([][]Record, workers)
		for range rapid.IntRange(0, 200).Draw(rt, "executions") {
			i := rapid.IntRange(0, workers-1).Draw(rt, "worker")
			after := uint64(0)
			if k := len(want[i]); k > 0 {
				after = want[i][k-1].Start
			}
			r := genBuilt(rt, after)
			if err := build(b, i, &r); err != nil {
				rt.Fatal(err)
			}
			want[i] = append(want[i], r)
		}
		if err := b.Close(buildHeader(workers)); err != nil {
			rt.Fatal(err)
		}
		tr, err := Open(path)
		if err != nil {
			rt.Fatal(err)
		}
		defer tr.Close()
		same(rt, tr, want)
		var text bytes.Buffer
		if err := WriteText(&text, tr); err != nil {
			rt.Fatal(err)
		}
		again, err := ParseText(&text)
		if err != nil {
			rt.Fatal(err)
		}
		same(rt, again, want)
		if !reflect.DeepEqual(again.Header, tr.Header) {
			rt.Fatalf("%+v, expected %+v", again.Header, tr.Header)
		}
		if _, err := Verify(path); err != nil {
			rt.Fatal(err)
		}
		if names, err := filepath.Glob(filepath.Join(dir, "*.partial")); err != nil ||
			len(names) > 0 {
			rt.Fatal("left behind: ", names, err)
		}
	})
}

// TestBuilderErrors checks the error of each thing that cannot be recorded; none gets into the
// trace.
func TestBuilderErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.loi")
	b := newTestBuilder(t, path)
	defer b.Abort()
	good := Access{Mode: In, Block: 7, Bytes: 64}
	if err := b.Access(1, 0, 100, good); err != nil {
		t.Fatal(err)
	}
	with := func(f func(*Access)) Access { a := good; f(&a); return a }
	for _, c := range []struct {
		what   string
		worker int
		kernel KernelID
		at     uint64
		a      Access
	}{
		{"starts at 99 after one that starts at 100", 1, 0, 99, good},
		{"worker -1", -1, 0, 100, good},
		{"worker 65536, expected 0 to 65535", 65536, 0, 100, good},
		{"kernel 2 of 2", 1, 2, 100, good},
		{"object 2 of 2", 1, 0, 100, with(func(a *Access) { a.Object = 2 })},
		{"mode(0)", 1, 0, 100, with(func(a *Access) { a.Mode = 0 })},
		{"mode(4)", 1, 0, 100, with(func(a *Access) { a.Mode = 4 })},
		{`"key space" has 0 bytes`, 1, 0, 100, with(func(a *Access) { a.Bytes = 0 })},
		{"has 3 rows", 1, 0, 100, with(func(a *Access) { a.Rows = 3 })},
		{"end past 2^62", 1, 0, 100, with(func(a *Access) { a.Object, a.Block = 1, 1<<62 })},
		{"rows of 64 bytes that are 63 bytes apart", 1, 0, 100,
			with(func(a *Access) { a.Object, a.Rows, a.Stride = 1, 2, 63 })},
		{"end past 2^62", 1, 0, 100, with(func(a *Access) {
			a.Object, a.Rows, a.Stride = 1, 1<<31,
				1<<40
		})},
	} {
		if err := b.Access(c.worker, c.kernel, c.at, c.a); err == nil ||
			!strings.Contains(err.Error(), c.what) {
			t.Errorf("%v, expected %q", err, c.what)
		}
		if err := b.Execution(c.worker, c.kernel, 0, c.at, c.at+1,
			[]Access{good, c.a}); err == nil || !strings.Contains(err.Error(), c.what) {
			t.Errorf("%v, expected %q", err, c.what)
		}
	}
	var back *BackwardError
	if err := b.Access(1, 0, 99, good); !errors.As(err, &back) ||
		*back != (BackwardError{Worker: 1, Start: 99, Previous: 100}) {
		t.Errorf("%v", err)
	}
	if err := b.Execution(1, 0, 0, 101, 100, nil); err == nil {
		t.Error("an execution that ends before it starts")
	}
	for _, c := range []struct {
		name string
		kind ObjectKind
		what string
	}{{"bytes", Keyed, "was span before"}, {"", Span, "without a name"},
		{"blocks", Partition, "partition, expected keyed or span"}, {"x", 3, "kind(3)"}} {
		if _, err := b.Object(c.name, c.kind); err == nil || !strings.Contains(err.Error(),
			c.what) {
			t.Errorf("%v, expected %q", err, c.what)
		}
	}
	if _, err := NewBuilder(path); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second builder: %v", err)
	}
	if err := b.Close(buildHeader(1)); err == nil || !strings.Contains(err.Error(),
		"1 workers, expected at least 2") {
		t.Errorf("%v", err)
	}
	if err := b.Close(buildHeader(3)); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(buildHeader(3)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("%v", err)
	}
	if err := b.Access(1, 0, 100, good); !errors.Is(err, os.ErrClosed) {
		t.Errorf("%v", err)
	}
	if _, err := NewBuilder(path); !errors.Is(err, os.ErrExist) {
		t.Errorf("a builder for a trace that exists: %v", err)
	}
	tr, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	same(t, tr, [][]Record{{}, {{Type: AccessesRecord, Start: 100, End: 100, Args: []uint32{},
		Explicit: []Access{good}, Calls: []Call{}}}, {}})
}

// builtTrace returns a file of two workers with all that version 2 has, several chunks of each
// among them, and its records.
func builtTrace(t testing.TB) ([]byte, [][]Record) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "built.loi")
	b := newTestBuilder(t, path)
	for i := range uint64(260) {
		a := Access{Object: ObjectID(i / 100 % 2), Mode: Mode(1 + i%3), Block: i * 0x1000001,
			Bytes: 1 + i%64}
		worker, list := int(i%2), []Access{a}
		switch i % 40 {
		case 10:
			list = []Access{a, {Object: 1, Mode: In, Rows: 7, Block: 1 << 40, Bytes: 100,
				Stride: 4096}, {Object: 1, Mode: Out, Block: 3, Bytes: 1 << 33}}
		case 21:
			list[0].Bytes = runBytesMax + 1
		case 30:
			list = nil
		}
		if err := b.Execution(worker, KernelID(i/50%2), 0, i*10, i*10+uint64(len(list)/2),
			list); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(buildHeader(2)); err != nil {
		t.Fatal(err)
	}
	tr, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	want := make([][]Record, 2)
	for i := range want {
		if want[i], err = readAll(tr, i); err != nil {
			t.Fatal(err)
		}
	}
	if len(tr.chunks[0]) < 2 || len(want[0]) != 130 || tr.Records()[0] >= 65 {
		t.Fatalf("%d chunks, %d executions in %d records", len(tr.chunks[0]), len(want[0]),
			tr.Records()[0])
	}
	var compact bytes.Buffer // without the gap that the builder leaves for its header
	if err := tr.write(&compact); err != nil {
		t.Fatal(err)
	}
	return compact.Bytes(), want
}

// TestBuiltDamage changes each bit of a built trace, cuts it off after each byte, and spoils each
// word of its records with checksums made good.
func TestBuiltDamage(t *testing.T) {
	t.Parallel()
	data, want := builtTrace(t)
	step := long.Or(13, 1)
	flipBits(t, data, want, step)
	for n := range len(data) {
		_, err := parse(data[:n])
		if isFormat(t, err, "cut off", ErrCorrupt, ErrNotTrace); n%7 == 0 {
			checkSalvage(t, data[:n:n], want, n)
		}
	}
	tr, err := parse(data)
	if err != nil {
		t.Fatal(err)
	}
	var records []byte
	for _, e := range tr.chunks[0] {
		records = append(records, data[e.offset+chunkHeaderBytes:][:e.used]...)
	}
	bad := 0
	for i := 0; i < 8*len(records); i += step {
		records[i/8] ^= 1 << (i % 8)
		spoilt := &Trace{Header: tr.Header, chunks: [][]section{
			{{entry{used: uint64(len(records))}, records}}, nil}}
		spoilt.index()
		list, err := readAll(spoilt, 0)
		if err != nil {
			isFormat(t, err, "a changed bit", ErrCorrupt)
			bad++
		}
		for _, r := range list {
			for _, a := range r.Explicit {
				if what := checkNamed(spoilt.objects[a.Object].kind, &a); what != "" {
					t.Fatalf("bit %d: an access with %s was read: %+v", i, what, a)
				}
			}
		}
		records[i/8] ^= 1 << (i % 8)
	}
	if bad == 0 {
		t.Error("no bad record was noticed")
	}
}

// TestBuilderMemory adds as many workers as there can be, in turn and each with more than its first
// chunk holds.
func TestBuilderMemory(t *testing.T) {
	hwtest.SkipRace(t)
	b := newTestBuilder(t, filepath.Join(t.TempDir(), "x.loi"))
	for i := range uint64(80) {
		for w := range MaxWorkers {
			if err := b.Access(w, 0, i, Access{Object: 0, Mode: In, Block: i,
				Bytes: 64}); err != nil {
				t.Fatal(err)
			}
		}
		if i == 40 { // one of them alone
			for j := range uint64(100000) {
				if err := b.Access(5, 0, 40, Access{Object: 0, Mode: In, Block: j,
					Bytes: 64}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if b.memory > buildMemory+2*MaxWorkers*buildFirstBytes {
		t.Errorf("%d bytes in memory", b.memory)
	}
	// The room for the header and the count page was guessed from the workers that were known.
	if err := b.Close(buildHeader(MaxWorkers)); err != nil {
		t.Fatal(err)
	}
	in, err := Verify(b.path)
	if err != nil {
		t.Fatal(err)
	}
	for w, a := range in.Workers {
		if want := uint64(80); a.Kernels != want && (w != 5 || a.Kernels != want+100000) {
			t.Fatalf("worker %d has %d executions", w, a.Kernels)
		}
	}
}

// TestBuilderMoves writes a header that turns out much larger than the room left for it, so that
// the chunks that are on the disk have to move; and workers in the header that recorded nothing.
func TestBuilderMoves(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.loi")
	b := newTestBuilder(t, path)
	want := make([][]Record, 2000)
	add := func(i uint64, o ObjectID) {
		a := Access{Object: o, Mode: In, Block: i, Bytes: 64}
		if err := b.Access(int(i%2), 0, i, a); err != nil {
			t.Fatal(err)
		}
		want[i%2] = append(want[i%2], Record{Type: AccessesRecord, Start: i, End: i,
			Args: []uint32{}, Explicit: []Access{a}, Calls: []Call{}})
	}
	for i := range uint64(5000) {
		add(i, 0)
	}
	for i := range uint64(20000) {
		o, err := b.Object("object with a long name, number "+u(i), Keyed)
		if err != nil {
			t.Fatal(err)
		}
		add(5000+i, o)
	}
	gap := b.gap
	if err := b.Close(buildHeader(len(want))); err != nil {
		t.Fatal(err)
	}
	tr, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if gap == 0 || tr.pre.dataOffset < 4*uint64(gap) {
		t.Fatalf("chunks at %d, which were at %d", tr.pre.dataOffset, gap)
	}
	same(t, tr, want)
	if _, err := Verify(path); err != nil {
		t.Fatal(err)
	}
	// Without its footer, it is whole by what the count page and the headers of the chunks say.
	footer := le.Uint64(tr.data[len(tr.data)-trailerBytes:])
	again, rep, err := salvage(tr.data[:footer], nil)
	if err != nil || rep.Damaged() {
		t.Fatalf("%d bad chunks, %d bytes skipped: %v", rep.BadChunks, rep.SkippedBytes, err)
	}
	same(t, again, want)
}

// TestBuilderNeverOverwrites makes a file that appears under the name of the trace before Close,
// and an execution that is larger than a chunk.
func TestBuilderNeverOverwrites(t *testing.T) {
	for _, suffix := range []string{".loi", ".loi.zst"} {
		path := filepath.Join(t.TempDir(), "x"+suffix)
		b := newTestBuilder(t, path)
		list := make([]Access, 50000)
		for i := range list {
			list[i] = Access{Object: 1, Mode: In, Block: uint64(i) << 33, Bytes: 1 << 32}
		}
		if err := b.Execution(0, 0, 0, 1, 2, list); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("precious"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := b.Close(buildHeader(1)); !errors.Is(err, os.ErrExist) {
			t.Errorf("%v", err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != "precious" {
			t.Errorf("%q: %v", got, err)
		}
		if _, err := os.Stat(path + ".partial"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("left behind: %v", err)
		}
		if err := b.Abort(); err != nil {
			t.Errorf("after Close: %v", err)
		}
	}
}

// A trace that may not grow keeps the first records of each worker, counts the others, and takes no
// more than the limit.
func TestBuilderLimit(t *testing.T) {
	const n = 20_000
	for limit, discarded := range map[uint64]bool{1 << 10: true, 20 << 10: true, 200 << 10: true,
		2 << 20: false, 0: false} {
		path := filepath.Join(t.TempDir(), "x.loi")
		b := newTestBuilder(t, path)
		b.Limit(limit)
		for i := range uint64(n) {
			w := int(i % 3)
			err := b.Access(w, KernelID(i/600%2), i, Access{Object: 0, Mode: In, Block: i, Bytes: 8})
			if i%1000 == 0 {
				err = errors.Join(err, b.Event(w, EventSteal, i, 0, 0, 0),
					b.Execution(w, 0, 0, i, i+5, []Access{{Object: 0, Mode: In, Block: 1, Bytes: 8}}))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Close(buildHeader(3)); err != nil {
			t.Fatal(err)
		}
		in, err := Verify(path)
		if err != nil {
			t.Fatal(err)
		}
		s, all, kept := b.Stats(), uint64(0), make([]uint64, 3)
		tr, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for w := range 3 {
			kept[w] = in.Workers[w].Kernels + in.Workers[w].Events
			all += in.Workers[w].Kernels + tr.DiscardedKernels()[w]
			next := uint64(w)
			for c := tr.All(w); c.Next(); { // without a gap
				if r := c.Record(); r.Type == AccessesRecord && r.Start == r.End {
					if r.Start != next {
						t.Fatalf("limit %d: worker %d has %d, expected %d", limit, w, r.Start, next)
					}
					next += 3
				}
			}
		}
		if full := s.Full != nil; all != n+20 || full != discarded || slices.Max(s.Discarded) > 0 != full ||
			!reflect.DeepEqual(s.Discarded, tr.Discarded()) || !reflect.DeepEqual(s.Records, kept) {
			t.Errorf("limit %d: %d executions, %+v\nread %v, %v", limit, all, s, kept, tr.Discarded())
		}
		if discarded && limit > 4<<10 && (in.Bytes > limit || in.Bytes < limit*3/4) {
			t.Errorf("limit %d: the file has %d bytes", limit, in.Bytes)
		}
	}
}
