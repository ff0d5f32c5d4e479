package loi

import (
	"path/filepath"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// testHeader has three objects, one of them with blocks of several sizes, and kernels of 0 to 5
// parameters.
func testHeader(workers int) Header {
	h := Header{
		Registry: Registry{
			Objects: []Object{
				{Name: "A", Blocks: []SizeRun{{Count: 64, Bytes: 8192}}},
				{Name: "B tiles", Blocks: []SizeRun{{Count: 10, Bytes: 4096},
					{Count: 1, Bytes: 100}, {Count: 5, Bytes: 64}}},
				{Name: "C", Blocks: []SizeRun{{Count: 1 << 30, Bytes: 1}}},
			},
			Kernels: []Kernel{
				{Name: "timed"},
				{Name: "one", Params: []Param{{Object: 0, Mode: In}}},
				{Name: "two", Params: []Param{{Object: 0, Mode: In}, {Object: 2, Mode: InOut}}},
				{Name: "gemm", Params: []Param{{Object: 0, Mode: In}, {Object: 1, Mode: In},
					{Object: 2, Mode: InOut}}},
				{Name: "task", Params: []Param{{Object: 0, Mode: In}, {Object: 1, Mode: In},
					{Object: 1, Mode: Out}, {Object: 0, Mode: In}, {Object: 2, Mode: InOut}}},
			},
		},
		Clock: Clock{Source: "tsc", Hz: 1.86e9, Invariant: true}, Nodes: 2, L2Bytes: 256 << 10,
		LLCBytes:  18 << 20,
		Substrate: Native, Synthetic: true, Grain: "kernel", Meta: []KV{{"seed", "1"},
			{"quoted \"key\"", "line\nbreak"}},
	}
	for i := range workers {
		h.Workers = append(h.Workers, Worker{CPU: i - 1, Node: i % 2, TSCOffset: int64(i) * -7})
	}
	return h
}

// sizeOf is the size of a block of testHeader, written out.
func sizeOf(o ObjectID, block uint32) uint64 {
	switch {
	case o == 0:
		return 8192
	case o == 2:
		return 1
	case block < 10:
		return 4096
	case block == 10:
		return 100
	}
	return 64
}

// genBlock draws a block of an object of testHeader.
func genBlock(o ObjectID) *rapid.Generator[uint32] {
	if o == 2 {
		return rapid.OneOf(rapid.SampledFrom([]uint32{0, callArgMax, callArgMax + 1, 1<<30 - 1}),
			rapid.Uint32Range(0, 1<<30-1))
	}
	return rapid.Uint32Range(0, []uint32{63, 15}[o])
}

func genArgs(t *rapid.T, h *Header, k KernelID) []uint32 {
	args := []uint32{}
	for _, p := range h.Registry.Kernels[k].Params {
		args = append(args, genBlock(p.Object).Draw(t, "block"))
	}
	return args
}

// genRecord draws a record that starts at or after the given time.
func genRecord(t *rapid.T, h *Header, after uint64) Record {
	r := Record{Args: []uint32{}, Explicit: []Access{}, Calls: []Call{}}
	r.Type = rapid.SampledFrom([]RecordType{KernelRecord, KernelRecord, AccessesRecord, EventRecord,
		TaskRecord}).Draw(t, "type")
	r.Start = after + rapid.Uint64Range(0, 1000).Draw(t, "gap")
	r.End = r.Start + rapid.OneOf(rapid.Uint64Range(0, 1000), rapid.Uint64Range(1<<32-2,
		1<<32+2)).Draw(t, "ticks")
	kernel := rapid.Uint16Range(0, uint16(len(h.Registry.Kernels)-1))
	switch r.Type {
	case KernelRecord:
		r.Kernel = KernelID(kernel.Draw(t, "kernel"))
		r.Args = genArgs(t, h, r.Kernel)
	case AccessesRecord:
		r.Kernel = KernelID(kernel.Draw(t, "kernel"))
		for range rapid.IntRange(0, 5).Draw(t, "accesses") {
			a := Access{Object: ObjectID(rapid.Uint16Range(0, 2).Draw(t, "object")),
				Mode: Mode(rapid.Uint8Range(1, 3).Draw(t, "mode"))}
			a.Block = uint64(genBlock(a.Object).Draw(t, "block"))
			a.Bytes = sizeOf(a.Object, uint32(a.Block))
			r.Explicit = append(r.Explicit, a)
		}
	case EventRecord:
		r.End = r.Start
		r.Event = EventKind(rapid.Uint16Range(0, 5).Draw(t, "event"))
		r.Args = append(r.Args, rapid.SliceOfN(rapid.Uint32(), 0, 4).Draw(t, "args")...)
	case TaskRecord:
		for range rapid.IntRange(0, 4).Draw(t, "calls") {
			k := KernelID(kernel.Draw(t, "kernel"))
			r.Calls = append(r.Calls, Call{Kernel: k, Args: genArgs(t, h, k)})
		}
	}
	if r.Type == KernelRecord || r.Type == AccessesRecord {
		r.Flags = rapid.SampledFrom([]Flags{0, 0, Preempted, Moved, Preempted | Moved}).Draw(t,
			"flags")
	}
	return r
}

// record makes w record r, by the method that fits.
func record(w *Recorder, r *Record, bytes bool) {
	switch r.Type {
	case KernelRecord:
		switch {
		case r.Flags != 0:
			w.KernelFlags(r.Kernel, r.Flags, r.Start, r.End, r.Args...)
		case len(r.Args) == 1:
			w.Kernel1(r.Kernel, r.Start, r.End, r.Args[0])
		case len(r.Args) == 2:
			w.Kernel(r.Kernel, r.Start, r.End, r.Args[0], r.Args[1])
		case len(r.Args) == 3:
			w.Kernel3(r.Kernel, r.Start, r.End, r.Args[0], r.Args[1], r.Args[2])
		default:
			w.Kernel(r.Kernel, r.Start, r.End, r.Args...)
		}
	case AccessesRecord:
		list := append([]Access(nil), r.Explicit...)
		for i := range list {
			if !bytes {
				list[i].Bytes = 0
			}
		}
		w.Accesses(r.Kernel, r.Flags, r.Start, r.End, list)
	case EventRecord:
		w.Event(r.Event, r.Start, r.Args...)
	case TaskRecord:
		var t TaskList
		for _, c := range r.Calls {
			t.Add(c.Kernel, c.Args...)
		}
		w.Task(r.Start, r.End, &t)
		if t.Len() != 0 {
			panic("Task left its list as it was")
		}
	}
}

// clone copies a record out of a cursor.
func clone(r *Record) Record {
	c := *r
	c.Args = append([]uint32{}, r.Args...)
	c.Explicit = append([]Access{}, r.Explicit...)
	c.Calls = []Call{}
	for _, x := range r.Calls {
		c.Calls = append(c.Calls, Call{Kernel: x.Kernel, Args: append([]uint32{}, x.Args...)})
	}
	return c
}

// readAll returns all records of a worker.
func readAll(t *Trace, worker int) ([]Record, error) {
	var list []Record
	c := t.All(worker)
	for c.Next() {
		list = append(list, clone(c.Record()))
	}
	return list, c.Err()
}

type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// compare fails unless the trace has just these records, by worker.
func compare(t fataler, tr *Trace, want [][]Record) {
	t.Helper()
	for i := range want {
		got, err := readAll(tr, i)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want[i]) || int(tr.Records()[i]) != len(got) {
			t.Fatalf("worker %d: %d records, %d by the table, expected %d", i, len(got),
				tr.Records()[i], len(want[i]))
		}
		for j := range got {
			if !reflect.DeepEqual(got[j], want[i][j]) {
				t.Fatalf("worker %d, record %d:\n%+v, expected\n%+v", i, j, got[j], want[i][j])
			}
		}
	}
}

func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		h := testHeader(rapid.IntRange(1, 3).Draw(rt, "workers"))
		opt := rapid.SampledFrom([]Options{
			{}, {ChunkBytes: 4096}, {ChunkBytes: 4096, NoBackground: true},
			{Unmapped: true, ChunkBytes: 4096}, {FirstChunkBytes: 1 << 20},
		}).Draw(rt, "options")
		n++
		path := filepath.Join(dir, u(uint32(n)))
		w, err := Create(path, h, opt)
		if err != nil {
			rt.Fatal(err)
		}
		want := make([][]Record, len(h.Workers))
		for i := range want {
			after, repeat := uint64(1), rapid.SampledFrom([]int{1, 1, 100}).Draw(rt, "repeat")
			for range rapid.IntRange(0, 20).Draw(rt, "records") {
				r := genRecord(rt, &h, after)
				after = r.End
				for range repeat {
					record(w.Recorder(i), &r, rapid.Bool().Draw(rt, "bytes"))
					want[i] = append(want[i], r)
				}
			}
		}
		s, err := w.Close()
		if err != nil || s.Full != nil {
			rt.Fatal(err, s.Full)
		}
		tr, err := Open(path)
		if err != nil {
			rt.Fatal(err)
		}
		if !reflect.DeepEqual(tr.Header, h) {
			rt.Fatalf("header\n%+v, expected\n%+v", tr.Header, h)
		}
		if tr.Buffered != opt.Unmapped || tr.Recovered || uint64(len(tr.data)) != s.Bytes {
			rt.Fatalf("buffered %v, recovered %v, %d bytes of %d", tr.Buffered, tr.Recovered,
				len(tr.data), s.Bytes)
		}
		compare(rt, tr, want)
		in, err := Verify(path)
		if err != nil || !in.Clean || !reflect.DeepEqual(in.Records, s.Records) ||
			in.Chunks > s.Chunks {
			rt.Fatalf("%+v: %v", in, err)
		}
		// The encoder of the text form makes the words that the recorder wrote.
		for i := range want {
			var a, b []byte
			for _, e := range tr.chunks[i] {
				a = append(a, tr.data[e.offset+chunkHeaderBytes:][:e.used]...)
			}
			listed := false // the recorder may have been given sizes
			for j := range want[i] {
				b = appendRecord(b, h.Registry.kinds(), &want[i][j])
				listed = listed || want[i][j].Type == AccessesRecord
			}
			if !listed && !reflect.DeepEqual(a, b) && len(a)+len(b) > 0 {
				rt.Fatalf("worker %d: the recorder wrote\n% x\nthe encoder\n% x", i, a, b)
			}
		}
	})
}

func TestKernelCursor(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		h := testHeader(1)
		n++
		path := filepath.Join(dir, u(uint32(n)))
		w, err := Create(path, h, Options{NoBackground: true})
		if err != nil {
			rt.Fatal(err)
		}
		type execution struct {
			k          KernelID
			start, end uint64
			flags      Flags
			accesses   []Access
		}
		var want []execution
		bySignature := func(k KernelID, args []uint32) []Access {
			list := []Access{}
			for i, p := range h.Registry.Kernels[k].Params {
				list = append(list, Access{Object: p.Object, Block: uint64(args[i]),
					Bytes: sizeOf(p.Object, args[i]), Mode: p.Mode})
			}
			return list
		}
		after := uint64(0)
		for range rapid.IntRange(0, 30).Draw(rt, "records") {
			r := genRecord(rt, &h, after)
			after = r.End
			record(w.Recorder(0), &r, true)
			switch r.Type {
			case KernelRecord:
				want = append(want, execution{r.Kernel, r.Start, r.End, r.Flags,
					bySignature(r.Kernel, r.Args)})
			case AccessesRecord:
				want = append(want, execution{r.Kernel, r.Start, r.End, r.Flags, r.Explicit})
			case TaskRecord:
				for _, c := range r.Calls {
					want = append(want, execution{c.Kernel, r.Start, r.End, Unstamped,
						bySignature(c.Kernel, c.Args)})
				}
			}
		}
		if _, err := w.Close(); err != nil {
			rt.Fatal(err)
		}
		tr, err := Open(path)
		if err != nil {
			rt.Fatal(err)
		}
		c := tr.Cursor(0)
		i := 0
		for ; c.Next(); i++ {
			r := c.Record()
			got := execution{r.Kernel, r.Start, r.End, r.Flags, c.AppendAccesses([]Access{})}
			if i >= len(want) || !reflect.DeepEqual(got, want[i]) {
				rt.Fatalf("execution %d: %+v of %+v", i, got, want)
			}
		}
		if c.Err() != nil || i != len(want) {
			rt.Fatalf("%d executions, expected %d: %v", i, len(want), c.Err())
		}
	})
}

func TestBlocks(t *testing.T) {
	tr := &Trace{Header: testHeader(1)}
	tr.index()
	if a, b, c, n := tr.BlockBase(0), tr.BlockBase(1), tr.BlockBase(2), tr.Blocks(); a != 0 ||
		b != 64 || c != 80 || n != 80+1<<30 {
		t.Errorf("bases %d %d %d of %d, expected 0 64 80 of %d", a, b, c, n, 80+1<<30)
	}
	for b := range uint32(16) {
		if got := tr.BlockBytes(1, b); got != sizeOf(1, b) {
			t.Errorf("block %d has %d bytes, expected %d", b, got, sizeOf(1, b))
		}
	}
}

// TestRecorderNamed records accesses to all kinds of objects in one record.
func TestRecorderNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.loi")
	h := testHeader(1)
	h.Registry.Objects = append(h.Registry.Objects, Object{Name: "keyed", Kind: Keyed},
		Object{Name: "span", Kind: Span})
	w, err := Create(path, h, Options{FirstChunkBytes: 4096, ChunkBytes: 4096})
	if err != nil {
		t.Fatal(err)
	}
	list := []Access{
		{Object: 3, Mode: In, Block: 1 << 63, Bytes: 64}, {Object: 3, Mode: In, Block: 5,
			Bytes: 1 << 32}, {Object: 0, Mode: Out, Block: 63},
		{Object: 4, Mode: InOut, Block: 1 << 40, Bytes: 8}, {Object: 1, Mode: In, Block: 10,
			Bytes: 100},
		{Object: 4, Mode: InOut, Rows: 32, Block: 1 << 40, Bytes: 128, Stride: 16384},
		{Object: 4, Mode: In, Rows: 1, Block: 3, Bytes: 9, Stride: 77},
	}
	for i := range uint64(300) {
		w.Recorder(0).Accesses(0, 0, i, i+1, list)
	}
	if s, err := w.Close(); err != nil || s.Records[0] != 300 {
		t.Fatal(s, err)
	}
	tr, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	list[2].Bytes = 8192
	list[6].Rows, list[6].Stride = 0, 0
	got, err := readAll(tr, 0)
	if err != nil || len(got) != 300 {
		t.Fatal(len(got), err)
	}
	for _, r := range got {
		if !reflect.DeepEqual(r.Explicit, list) {
			t.Fatalf("%+v, expected %+v", r.Explicit, list)
		}
	}
	if in, err := Verify(path); err != nil || in.Version != Version || in.Workers[0].Accesses != 2100 {
		t.Errorf("%+v: %v", in, err)
	}
}
