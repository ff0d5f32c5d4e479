package agent_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"

	"krdlab/loi"
	"krdlab/loi/agent"
)

// begin begins a trace; the function that is returned ends it and reads it.
func begin(t *testing.T) (path string, end func() *loi.Trace) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "a.loi")
	if err := agent.Start(path); err != nil {
		t.Fatal(err)
	}
	return path, func() *loi.Trace {
		t.Helper()
		if err := agent.Close(); err != nil {
			t.Fatal(err)
		}
		tr, err := loi.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tr.Close() })
		return tr
	}
}

// object returns the number of an object in a trace.
func object(t *testing.T, tr *loi.Trace, name string) loi.ObjectID {
	t.Helper()
	for i, o := range tr.Header.Registry.Objects {
		if o.Name == name {
			return loi.ObjectID(i)
		}
	}
	t.Fatalf("no object %q", name)
	return 0
}

// records returns the executions of a trace, by worker.
func records(t *testing.T, tr *loi.Trace) (all [][]loi.Record) {
	t.Helper()
	for w := range tr.Header.Workers {
		var list []loi.Record
		c := tr.Cursor(w)
		for c.Next() {
			r := *c.Record()
			r.Explicit = append([]loi.Access(nil), r.Explicit...)
			list = append(list, r)
		}
		if err := c.Err(); err != nil {
			t.Fatal(err)
		}
		all = append(all, list)
	}
	return all
}

// onHeap keeps what must not be on the stack, which moves.
var onHeap []any

func TestEveryField(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	a, n := make([]float64, 100), new(int32)
	onHeap = append(onHeap, a, n)
	m := agent.Object("matrix")
	all := agent.Kernel("all", agent.In, agent.Out, agent.InOut, agent.In, agent.In, agent.Out)
	none := agent.Kernel("none")
	path, end := begin(t)
	began := time.Now()
	e := all.Begin(agent.Slice(a[:10]), agent.Value(n), agent.Tile(a, 3, 4, 20),
		m.Block(1<<60, 4096), agent.Slice(a[:0]), m.Block(7, 5<<32))
	none.Begin().End()
	e.End()
	passed := time.Since(began)
	none.Begin().End()
	tr := end()

	h := tr.Header
	if h.Substrate != loi.Native || h.Grain != "kernel" || h.Nodes != 1 || len(h.Workers) != 1 ||
		h.Workers[0] != (loi.Worker{CPU: -1}) || h.Kernel != filepath.Base(os.Args[0]) ||
		h.Cores != 1 || !h.Unordered || h.Clock.Hz < 1e6 || !reflect.DeepEqual(h.Meta,
		[]loi.KV{{Key: "go version", Value: runtime.Version()}}) {
		t.Errorf("header %+v", h)
	}
	memory, matrix := object(t, tr, "memory"), object(t, tr, "matrix")
	if o := h.Registry.Objects; o[memory].Kind != loi.Span || o[matrix].Kind != loi.Keyed {
		t.Errorf("objects %+v", o)
	}
	list := records(t, tr)[0]
	if len(list) != 3 {
		t.Fatalf("%d records, expected 3", len(list))
	}
	name := func(i int) string { return h.Registry.Kernels[list[i].Kernel].Name }
	if name(0) != "none" || name(1) != "all" || name(2) != "none" {
		t.Errorf("kernels %s, %s, %s", name(0), name(1), name(2))
	}
	at := func(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }
	want := []loi.Access{
		{Object: memory, Mode: loi.In, Block: at(unsafe.Pointer(&a[0])), Bytes: 80},
		{Object: memory, Mode: loi.Out, Block: at(unsafe.Pointer(n)), Bytes: 4},
		{Object: memory, Mode: loi.InOut, Block: at(unsafe.Pointer(&a[0])), Bytes: 32, Rows: 3,
			Stride: 160},
		{Object: matrix, Mode: loi.In, Block: 1 << 60, Bytes: 4096},
		{Object: matrix, Mode: loi.Out, Block: 7, Bytes: 5 << 32}, // of no elements: none
	}
	if !reflect.DeepEqual(list[1].Explicit, want) {
		t.Errorf("accesses %+v\nexpected %+v", list[1].Explicit, want)
	}
	if o, i := list[1], list[0]; o.Start > i.Start || i.Start > i.End || i.End > o.End ||
		o.End > list[2].Start || list[2].Flags != 0 {
		t.Errorf("stamps %+v", list)
	}
	if d := float64(list[1].End-list[1].Start) / h.Clock.Hz; d > passed.Seconds()*1.1 {
		t.Errorf("%v s, the time around it was %v", d, passed)
	}
	// Package loi writes the same file, byte for byte.
	copied := filepath.Join(t.TempDir(), "b.loi")
	if err := tr.Save(copied); err != nil {
		t.Fatal(err)
	}
	x, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.ReadFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(x, y) {
		t.Errorf("%d bytes, and not those %d that package loi writes", len(x), len(y))
	}
}

// Several goroutines fill several chunks each; the file of a process that is killed has them.
func TestChunks(t *testing.T) {
	const goroutines, each = 4, 6000
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(goroutines))
	o := agent.Object("blocks")
	k := agent.Kernel("chunked", agent.In, agent.Out)
	path, end := begin(t)
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range each {
				k.Begin(o.Block(uint64(g), 64), o.Block(uint64(g*each+i), 128)).End()
			}
		})
	}
	wg.Wait()
	u, report, err := loi.OpenUnclean(path) // as it would be after a kill
	if err != nil {
		t.Fatal(err)
	}
	kept := uint64(0)
	for _, n := range report.Records {
		kept += n
	}
	if u.Close(); kept < goroutines*each/2 || kept > goroutines*each || !report.Damaged() {
		t.Errorf("%d records of %d could be recovered before the end", kept, goroutines*each)
	}
	seen := map[uint64]int{}
	for _, list := range records(t, end()) {
		for _, r := range list {
			if len(r.Explicit) != 2 || r.Explicit[1].Block/each != r.Explicit[0].Block {
				t.Fatalf("%+v", r)
			}
			seen[r.Explicit[1].Block]++
		}
	}
	if len(seen) != goroutines*each {
		t.Errorf("%d executions, expected %d", len(seen), goroutines*each)
	}
}

func TestNotTraced(t *testing.T) {
	o, k := agent.Object("o"), agent.Kernel("not traced", agent.In)
	if err := agent.Start(""); err != nil {
		t.Fatal(err)
	}
	k.Begin(o.Block(1, 1)).End()
	if err := agent.Close(); err != nil {
		t.Error(err)
	}
	path, end := begin(t)
	if agent.Start(path+"2") == nil {
		t.Error("two traces at once")
	}
	late := k.Begin(o.Block(2, 1))
	tr := end()
	late.End()
	if n := len(records(t, tr)[0]); n != 0 {
		t.Errorf("%d records of an execution that had not ended", n)
	}
	if agent.Start(path) == nil {
		t.Error("a trace was overwritten")
	}
}

func TestMistakesOfThePanickingKind(t *testing.T) {
	k := agent.Kernel("one", agent.In)
	for name, f := range map[string]func(){
		"arguments": func() { k.Begin() },
		"mode":      func() { agent.Kernel("m", 4) },
		"no name":   func() { agent.Kernel("") },
		"memory":    func() { agent.Object("memory") },
		"tile":      func() { agent.Tile(make([]int, 10), 3, 3, 4) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

var copied = agent.Kernel("copy", agent.In, agent.Out)

func work(x, y []float64) {
	defer copied.Begin(agent.Slice(x), agent.Slice(y)).End()
}

// BenchmarkBeginEnd is the cost of an execution, off and on.
func BenchmarkBeginEnd(b *testing.B) {
	x, y := make([]float64, 64), make([]float64, 64)
	b.Run("off", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			work(x, y)
		}
	})
	b.Run("on", func(b *testing.B) {
		b.ReportAllocs()
		if err := agent.Start(filepath.Join(b.TempDir(), "a.loi")); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			work(x, y)
		}
		if err := agent.Close(); err != nil {
			b.Fatal(err)
		}
	})
}
