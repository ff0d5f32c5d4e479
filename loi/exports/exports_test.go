package exports

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"krdlab/loi"
)

// mixedText has all that the text form of a trace of partitions can hold.
const mixedText = `loi-text 4
substrate simulated
clock virtual 2e+09 invariant
nodes 2
l2 262144
llc 0
grain kernel
meta "a key" "and, a \"value\""
worker 0 cpu 3 node 1 offset 0
worker 1 cpu -1 node 0 offset 0
object A 64x8192 1x100
object "B, \"tiles\"" 4x64
kernel gemm A:in "B, \"tiles\"":in A:inout
kernel "a, b" A:out
kernel idle
discarded 1 12 14
lost 1 4096
0 100 150 gemm(64,3,2)
0 160 event steal(1,1,2)
0 162 event 77(5)
0 170 190 gemm(0,0,0) preempted moved
0 200 260 task gemm(1,2,3) idle() "a, b"(4)
1 7 9 gemm{A[64]:out}
1 9 9 gemm{}
1 10 event idle()
1 50 event busy()
`

func parse(t testing.TB, text string) *loi.Trace {
	t.Helper()
	tr, err := loi.ParseText(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// record makes a trace of one worker of each offset, with one execution of kernel "k" for each list
// of accesses, at ticks 10, 20, ... of the worker's own clock.
func record(t testing.TB, reg loi.Registry, offsets []int64, lists ...[]loi.Access) *loi.Trace {
	t.Helper()
	reg.Kernels = []loi.Kernel{{Name: "k"}}
	h := loi.Header{Registry: reg, Nodes: 1, Substrate: loi.Simulated,
		Clock: loi.Clock{Source: "virtual"}, Grain: "kernel"}
	for _, off := range offsets {
		h.Workers = append(h.Workers, loi.Worker{CPU: -1, TSCOffset: off})
	}
	path := filepath.Join(t.TempDir(), "x.loi")
	w, err := loi.Create(path, h, loi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range offsets {
		for j, list := range lists {
			at := uint64(10 * (j + 1))
			w.Recorder(i).Accesses(0, 0, at, at+5, list)
		}
	}
	if _, err := w.Close(); err != nil {
		t.Fatal(err)
	}
	tr, err := loi.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

var (
	part = loi.Object{Name: "P", Blocks: []loi.SizeRun{{Count: 2, Bytes: 64}}}
	keys = loi.Object{Name: "K", Kind: loi.Keyed}
	span = loi.Object{Name: "S", Kind: loi.Span}
)

// allShapes has an access of each shape, with the largest key.
func allShapes(t testing.TB) *loi.Trace {
	return record(t, loi.Registry{Objects: []loi.Object{part, keys, span}}, []int64{0},
		[]loi.Access{
			{Object: 0, Block: 0, Bytes: 64, Mode: loi.In},
			{Object: 1, Block: 1<<64 - 1, Bytes: 1 << 40, Mode: loi.Out},
			{Object: 2, Block: 4096, Bytes: 100, Mode: loi.InOut},
			{Object: 2, Block: 0, Bytes: 256, Rows: 32, Stride: 16384, Mode: loi.In},
		},
		[]loi.Access{{Object: 1, Block: 0, Bytes: 1, Mode: loi.In}})
}

func spansOnly(t testing.TB) *loi.Trace {
	return record(t, loi.Registry{Objects: []loi.Object{span}}, []int64{0},
		[]loi.Access{{Object: 0, Block: 1 << 61, Bytes: 8, Mode: loi.In},
			{Object: 0, Block: 5, Bytes: 2, Rows: 3, Stride: 7, Mode: loi.Out}})
}

const (
	emptyClock = "loi-text 4\nsubstrate native\nclock tsc 0\nnodes 1\n"
	emptyText  = emptyClock + "worker 0 cpu -1 node 0 offset 0\n"
)

func write(t testing.TB, tr *loi.Trace, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, tr, format, Options{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func golden(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("written\n%s\nexpected\n%s", got, want)
	}
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	tr := parse(t, mixedText)
	if err := loi.WriteText(&b, tr); err != nil {
		t.Fatal(err)
	}
	golden(t, write(t, tr, "text"), b.String())
}

func TestUnknownFormat(t *testing.T) {
	err := Write(io.Discard, parse(t, emptyText), "xml", Options{})
	if !errors.Is(err, ErrFormat) ||
		err.Error() != `unknown format "xml", expected one of csv, parquet, perfetto, text` {
		t.Errorf("%v", err)
	}
}

// A name that is no UTF-8, which a trace may have, is changed by no format.
func TestNames(t *testing.T) {
	tr := record(t, loi.Registry{Objects: []loi.Object{{Name: "caf\xe9", Kind: loi.Span}}}, []int64{0}, nil)
	for _, format := range Formats() {
		var b bytes.Buffer
		err := Write(&b, tr, format, Options{})
		if raw := format == "csv" || format == "text"; raw != (err == nil) ||
			!raw && (!errors.Is(err, ErrName) || !strings.Contains(err.Error(), `"caf\xe9"`)) {
			t.Errorf("%s: %v\n%s", format, err, b.String())
		}
	}
}

// failAfter fails with errFull when more than n bytes are written.
type failAfter struct{ n int }

var errFull = errors.New("full")

func (f *failAfter) Write(b []byte) (int, error) {
	if f.n -= len(b); f.n < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestFailingWriter cuts each format off at the beginning and one byte before its end.
func TestFailingWriter(t *testing.T) {
	tr := parse(t, mixedText)
	for _, format := range Formats() {
		n := len(write(t, tr, format))
		for _, room := range []int{0, n - 1} {
			if err := Write(&failAfter{room}, tr, format, Options{}); !errors.Is(err, errFull) {
				t.Errorf("%s with room for %d bytes of %d: %v, expected %v", format, room, n, err,
					errFull)
			}
		}
		if err := Write(&failAfter{n}, tr, format, Options{}); err != nil {
			t.Errorf("%s with room for all: %v", format, err)
		}
	}
}

// TestProgress wants reports that never go back, stay within the total and end there.
func TestProgress(t *testing.T) {
	var text strings.Builder
	text.WriteString(emptyText + "object A 1x64\nkernel k A:in\n")
	for range 200_000 {
		text.WriteString("0 1 1 k(0)\n")
	}
	tr := parse(t, text.String())
	for _, format := range Formats() {
		var last uint64
		n := 0
		err := Write(io.Discard, tr, format, Options{Progress: func(done, total uint64) {
			if n++; done < last || done > total || total != 200_000*24 {
				t.Fatalf("%s: report of %d of %d after %d", format, done, total, last)
			}
			last = done
		}})
		if err != nil || last != 200_000*24 || n < 3 && format != "text" {
			t.Errorf("%s: %d reports up to %d: %v", format, n, last, err)
		}
	}
}

// TestClock sets worker 0 ahead by more than its stamps: all move, so that the earliest is 0.
func TestClock(t *testing.T) {
	reg := loi.Registry{Objects: []loi.Object{keys}}
	list := []loi.Access{{Object: 0, Block: 1, Bytes: 8, Mode: loi.In}}
	golden(t, write(t, record(t, reg, []int64{1000, -3, 0}, list), "csv"), `time,worker,object,block,bytes,mode,kernel,end
0,0,K,1,8,r,k,5
1003,1,K,1,8,r,k,1008
1000,2,K,1,8,r,k,1005
`)
	golden(t, write(t, record(t, reg, []int64{4, 0}, list), "csv"), `time,worker,object,block,bytes,mode,kernel,end
6,0,K,1,8,r,k,11
10,1,K,1,8,r,k,15
`)
	golden(t, write(t, record(t, reg, []int64{1000, 15, 0}, list), "csv"), `time,worker,object,block,bytes,mode,kernel,end
0,0,K,1,8,r,k,5
985,1,K,1,8,r,k,990
1000,2,K,1,8,r,k,1005
`)
	// The end before the start must not become negative.
	golden(t, write(t, parse(t, emptyClock+"worker 0 cpu -1 node 0 offset 3\nobject A "+
		"1x64\nkernel k A:in\n0 9 1 k(0)\n"), "csv"),
		"time,worker,object,block,bytes,mode,kernel,end\n8,0,A,0,64,r,k,0\n")
}

func TestRange(t *testing.T) {
	const head = "loi-text 4\nsubstrate native\nclock tsc 1e+06\nnodes 1\nobject A 1x64\nkernel " +
		"k A:in\n"
	zero, ahead := "worker 0 cpu -1 node 0 offset 0\n", "worker 0 cpu -1 node 0 offset 0\nworker "+
		"1 cpu -1 node 0 offset -10\n"
	for _, c := range []struct{ text, format, want string }{
		{zero + "0 1 9223372036854775808 k(0)\n", "parquet", "export as parquet: worker 0: stamp " +
			"9223372036854775808, expected at most 9223372036854775807"},
		{zero + "0 1 9223372036854775807 k(0)\n", "parquet", ""},
		{zero + "0 1 9223372036854776 k(0)\n", "perfetto", "export as perfetto: worker 0: tick " +
			"9223372036854776 at 1e+06 Hz, expected at most 2^63-1 ns"},
		{zero + "0 1 9223372036854775 k(0)\n", "perfetto", ""},
		{ahead + "1 1 18446744073709551606 k(0)\n", "csv", "export as csv: worker 1: stamp " +
			"18446744073709551606 less its worker's offset -10 needs more than 64 bits"},
		{ahead + "1 1 18446744073709551605 k(0)\n", "csv", ""},
	} {
		err := Write(io.Discard, parse(t, head+c.text), c.format, Options{})
		var r *RangeError
		if got := ""; err != nil {
			if got = err.Error(); got != c.want || !errors.As(err, &r) {
				t.Errorf("%s %q: %v, expected %q", c.format, c.text, err, c.want)
			}
		} else if c.want != "" {
			t.Errorf("%s %q: no error, expected %q", c.format, c.text, c.want)
		}
	}
}
