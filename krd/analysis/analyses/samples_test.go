package analyses

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"krdlab/krd"
	"krdlab/krd/doc"
	"krdlab/loi"
)

// A sample is a trace that every analysis is run on.
type sample struct {
	name       string
	trace      *loi.Trace
	time       doc.Number // of the run in ns, where the caller gives it
	tasks      bool       // it has task events
	regions    bool
	disordered bool // the kernels of a worker are not in the order of their starts
}

// lossy reports whether records are missing.
func (s *sample) lossy() bool { return s.trace.Loss().Total() > 0 }

// doubtful reports whether documents have warnings about the trace.
func (s *sample) doubtful() bool { return len(krd.Doubts(s.trace)) > 0 }

// header is one of workers that are spread evenly over nodes.
func header(workers, nodes int) loi.Header {
	h := loi.Header{Substrate: loi.Native, Clock: loi.Clock{Source: "tsc", Hz: 1e9}, Nodes: nodes,
		L2Bytes: 1 << 10, LLCBytes: 1 << 12, Registry: loi.Registry{
			Objects: []loi.Object{{Name: "blocks", Blocks: []loi.SizeRun{{Count: 64, Bytes: 64}}},
				{Name: "space", Kind: loi.Span}, {Name: "keys", Kind: loi.Keyed}},
			Kernels: []loi.Kernel{{Name: "declared", Params: []loi.Param{{Object: 0, Mode: loi.In},
				{Object: 0, Mode: loi.InOut}}}, {Name: "listed"}},
			Regions: []loi.Region{{Name: "main", Kind: loi.Function, Parent: loi.NoRegion}},
			Operations: []loi.Operation{{Name: "x", Kind: loi.Compute, Line: 1, Values: []loi.Value{{
				Operands: []loi.Operand{{Cost: 1}, {From: loi.Place{Kind: loi.Memory}}}}}}}}}
	for i := range workers {
		h.Workers = append(h.Workers, loi.Worker{CPU: i, Node: i * nodes / workers})
	}
	return h
}

// A kernel records one execution.
type kernel func(r *loi.Recorder, start, end uint64)

func declared(r *loi.Recorder, start, end uint64) {
	r.Kernel(0, start, end, uint32(start%64), uint32(end%64))
}

func listed(r *loi.Recorder, start, end uint64) {
	r.Accesses(1, 0, start, end, []loi.Access{
		{Object: 1, Mode: loi.InOut, Block: 32 * start, Bytes: 16, Rows: 4, Stride: 128},
		{Object: 1, Mode: loi.In, Block: 32*start + 8, Bytes: 64},
		{Object: 2, Mode: loi.Out, Block: start % 3, Bytes: 100}})
}

func task(r *loi.Recorder, start, end uint64) {
	var list loi.TaskList
	for i := range uint32(3) {
		list.Add(0, i, uint32(start%64))
	}
	r.Task(start, end, &list)
}

// program records two tasks, run by two recorders; the second steals a child.
func program(a, b *loi.Recorder, k kernel) {
	k(a, 10, 13)
	root := a.BeginTask(14, 0, 0, 0, 2)
	k(a, 15, 20)
	child := a.BeginTask(21, root, 0, 0, 1)
	k(a, 22, 29)
	a.EndChild(30, child, 0, 0)
	a.EndPhase(31, child, 0, 0)
	b.Event(loi.EventIdle, 32)
	b.Event(loi.EventSteal, 34, 0, 1, 1)
	b.Event(loi.EventBusy, 34)
	k(b, 35, 55)
	b.EndChild(56, root, 0, 1)
	k(b, 57, 59)
	b.EndPhase(60, root, 0, 1)
	k(b, 61, 65)
	b.EndChild(66, root, 1, 0)
	b.EndPhase(67, root, 1, 0)
}

// unordered records the same program as Go's scheduler does: the piece of each kernel follows it.
func unordered(w *loi.Writer) {
	r := w.Recorder(0)
	for i, of := range [][3]uint32{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 0, 1}, {1, 0, 1},
		{1, 0, loi.AfterPhase}, {1, 1, 0}} {
		start := uint64(100 - 10*i)
		declared(r, start, start+5)
		r.Of(start+5, of[0], of[1], of[2])
	}
	r = w.Recorder(1)
	declared(r, 50, 59)
	r.Of(60, 2, 0, 0)
	for i, e := range []struct {
		kind loi.EventKind
		args []uint32
	}{{loi.EventTask, []uint32{1, 0, 0, 0, 2}}, {loi.EventTask, []uint32{2, 1, 0, 0, 1}},
		{loi.EventChild, []uint32{2, 0, 0}}, {loi.EventPhase, []uint32{2, 0, 0}},
		{loi.EventChild, []uint32{1, 0, 1}}, {loi.EventPhase, []uint32{1, 0, 1}},
		{loi.EventChild, []uint32{1, 1, 0}}, {loi.EventPhase, []uint32{1, 1, 0}}} {
		r.Event(e.kind, uint64(200+i), e.args...)
	}
}

// inMemory returns a trace that is no file.
func inMemory(t *testing.T, h loi.Header, opt loi.Options, record func(*loi.Writer)) *loi.Trace {
	t.Helper()
	opt.FirstChunkBytes = 1 << 12
	w, err := loi.NewMemory(h, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	record(w)
	trace, err := w.Trace()
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// mark is the start of a kernel that is found in a file by its bytes.
const mark = 0x0102030405060708

// recovered returns a trace of three workers whose file was spoilt. The third has one kernel, which
// begins at byte at of the file.
func recovered(t *testing.T, h loi.Header, spoil func(file []byte, at int) []byte) *loi.Trace {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.loi")
	w, err := loi.Create(path, h, loi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	program(w.Recorder(0), w.Recorder(1), declared)
	declared(w.Recorder(2), mark, mark+1)
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(file, binary.LittleEndian.AppendUint64(nil, mark))
	if at < 0 {
		t.Fatal("the third worker has no kernel")
	}
	if err := os.WriteFile(path, spoil(file, at), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := loi.Open(path); err == nil {
		t.Fatal("the spoilt file is clean")
	}
	out := filepath.Join(t.TempDir(), "recovered.loi")
	if _, err := loi.Recover(path, out); err != nil {
		t.Fatal(err)
	}
	trace, err := loi.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trace.Close() })
	return trace
}

// samples are traces of every kind.
func samples(t *testing.T) []sample {
	runs := func(k kernel) func(*loi.Writer) {
		return func(w *loi.Writer) { program(w.Recorder(0), w.Recorder(1), k) }
	}
	bare := header(2, 2)
	bare.L2Bytes, bare.LLCBytes, bare.Clock.Hz = 0, 0, 0
	loose, imposed, damaged := header(2, 1), header(2, 2), header(3, 3)
	loose.Unordered, imposed.Synthetic, damaged.Synthetic = true, true, true
	var none loi.Options
	list := []sample{
		{name: "empty", trace: inMemory(t, bare, none, func(*loi.Writer) {})},
		{name: "of kernels alone", trace: inMemory(t, bare, none, func(w *loi.Writer) {
			declared(w.Recorder(1), 10, 20)
		})},
		{name: "of one worker", tasks: true, trace: inMemory(t, header(1, 1), none,
			func(w *loi.Writer) { program(w.Recorder(0), w.Recorder(0), declared) })},
		{name: "of 1024 workers", time: doc.Some(1200), tasks: true, trace: inMemory(t,
			header(1024, 8), none, func(w *loi.Writer) {
				program(w.Recorder(0), w.Recorder(1023), declared)
				for i := range 1024 {
					declared(w.Recorder(i), uint64(100+i%7), uint64(110+i))
				}
			})},
		{name: "unordered", tasks: true, trace: inMemory(t, loose, none, unordered)},
		{name: "of spans and keys", tasks: true, trace: inMemory(t, header(2, 2), none, runs(listed))},
		{name: "of regions", time: doc.Some(90), tasks: true, regions: true, trace: inMemory(t,
			header(2, 2), none, func(w *loi.Writer) {
				a, b := w.Recorder(0), w.Recorder(1)
				outer, other := a.BeginRegion(5, 0, 0), b.BeginRegion(6, 0, 0)
				program(a, b, declared)
				a.Event(loi.EventOperation, 69, 0, 1, 0)
				a.EndRegion(70, outer)
				b.EndRegion(71, other)
				b.Event(loi.EventIdle, 72)
			})},
		{name: "of task records", tasks: true, trace: inMemory(t, header(2, 2), none, runs(task))},
		{name: "lossy", tasks: true, trace: inMemory(t, header(3, 3),
			loi.Options{MaxBytes: 1 << 16}, func(w *loi.Writer) {
				program(w.Recorder(0), w.Recorder(1), declared)
				for i := range uint64(10000) {
					declared(w.Recorder(2), 10*i, 10*i+5)
				}
			})},
		{name: "without a footer", tasks: true, trace: recovered(t, header(3, 3),
			func(file []byte, _ int) []byte { return file[:len(file)-1] })},
		{name: "cut short", tasks: true, trace: recovered(t, header(3, 3),
			func(file []byte, at int) []byte { return file[:at+12] })},
		{name: "damaged", tasks: true, trace: recovered(t, damaged,
			func(file []byte, at int) []byte {
				file[at]++
				return file
			})},
		{name: "of imposed nodes", tasks: true, trace: inMemory(t, imposed, none, runs(declared))},
		{name: "out of order", tasks: true, regions: true, disordered: true, trace: inMemory(t,
			header(2, 2), none, func(w *loi.Writer) {
				w.Recorder(0).EndRegion(6, w.Recorder(0).BeginRegion(5, 0, 0))
				program(w.Recorder(0), w.Recorder(1), declared)
				declared(w.Recorder(1), 40, 41)
			})},
	}
	for _, s := range list {
		switch s.name {
		case "lossy", "cut short", "damaged":
			if !s.lossy() {
				t.Errorf("the trace %q has no loss", s.name)
			}
		case "without a footer", "of imposed nodes":
			if s.lossy() || !s.doubtful() {
				t.Errorf("the trace %q: %v, doubts %v", s.name, s.trace.Loss(), krd.Doubts(s.trace))
			}
		default:
			if s.doubtful() {
				t.Errorf("the trace %q: doubts %v", s.name, krd.Doubts(s.trace))
			}
		}
		if s.tasks != s.trace.Tells(loi.EventTask, loi.EventChild) ||
			s.regions != s.trace.Tells(loi.EventRegion) {
			t.Errorf("the trace %q has other events than it should", s.name)
		}
	}
	return list
}
