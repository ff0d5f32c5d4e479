package loi

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const textFixture = `loi-text 4
substrate simulated
synthetic
clock virtual 1.86e+09 invariant
nodes 2
l2 262144
llc 18874368
grain task
meta "a key" ""
worker 0 cpu 3 node 1 offset 0
worker 1 cpu -1 node 0 offset -42
object A 64x8192 1x100
object "B \"tiles\"" 4x64
object none
kernel gemm A:in "B \"tiles\"":in A:inout
kernel task
discarded 1 12 14
lost 1 4096
0 100 150 gemm(64,3,2)
0 150 5000000000 gemm(0,0,0) preempted moved
0 5000000000 event steal(1,0,2)
0 5000000001 event 77()
0 5000000010 5000000020 task gemm(1,2,3) task()
0 5000000010 5000000020 task
0 5000000020 5000000021 task() moved
1 7 9 gemm{A[64]:out,"B \"tiles\""[3]:inout}
1 9 9 gemm{}
end 9
`

func TestTextFixture(t *testing.T) {
	tr, err := ParseText(strings.NewReader(textFixture))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteText(&b, tr); err != nil {
		t.Fatal(err)
	}
	if b.String() != textFixture {
		t.Errorf("written\n%s\nexpected\n%s", b.String(), textFixture)
	}
	if tr.Discarded()[1] != 12 || tr.DiscardedKernels()[1] != 14 || tr.LostBytes()[1] != 4096 ||
		tr.Header.Workers[1].TSCOffset != -42 {
		t.Errorf("%v %v %v %+v", tr.Discarded(), tr.DiscardedKernels(), tr.LostBytes(),
			tr.Header.Workers)
	}
	path := filepath.Join(t.TempDir(), "x.loi")
	if err := tr.Save(path); err != nil {
		t.Fatal(err)
	}
	if err := tr.Save(path); !errors.Is(err, os.ErrExist) {
		t.Errorf("a second Save: %v, expected that the file exists", err)
	}
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		want, _ := readAll(tr, i)
		got, err := readAll(again, i)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("worker %d after Save: %v, expected %v: %v", i, got, want, err)
		}
	}
	want := Activity{Kernels: 5, Accesses: 9, Events: 2, Tasks: 2, Flagged: 2, FirstTick: 100,
		LastTick:    5000000021,
		KernelTicks: 50 + 5000000000 - 150 + 10 + 10 + 1, Overlapping: 1, records: 7}
	if a, err := tr.tally(); err != nil || a[0] != want {
		t.Errorf("%+v, expected %+v: %v", a[0], want, err)
	}
}

// TestTextErrors changes one line of the fixture.
func TestTextErrors(t *testing.T) {
	for _, c := range []struct {
		old, new string
		line     int
		what     string
	}{
		{"loi-text 4\n", "", 1, "loi-text"},
		{"loi-text 4", "loi-text 5", 1, "version 5"},
		{"substrate simulated", "substrate emulated", 19, "substrate"},
		{"l2 262144", "l2 256K", 6, `"256K"`},
		{"worker 1 cpu -1", "worker 2 cpu -1", 11, "expected 1"},
		{"nodes 2", "nodes 1", 19, "node 1 of 1"},
		{"64x8192", "64*8192", 12, "'*'"},
		{"64x8192", "64y8192", 12, "count x bytes"},
		{"64x8192", "0x8192", 19, "0 blocks"},
		{"kernel gemm A:in", "kernel gemm D:in", 15, `object "D"`},
		{"kernel gemm A:in", "kernel gemm A:read", 15, `"read"`},
		{"kernel task", "kernel gemm", 19, "used before"},
		{"discarded 1", "discarded 2", 19, "worker 2 of 2"},
		{"gemm(64,3,2)", "gemm(65,3,2)", 19, "block 65"},
		{"gemm(64,3,2)", "gemm(64,3)", 19, "2 arguments, expected 3"},
		{"gemm(64,3,2)", "gemm(64,3,2", 19, `","`},
		{"gemm(64,3,2)", "trmm(64,3,2)", 19, `"trmm"`},
		{"gemm(64,3,2)", "gemm(64,3,2) late", 19, `"late"`},
		{"gemm(64,3,2)", `"gemm(64,3,2)`, 19, "quote"},
		{"event 77", "event rob", 22, `"rob"`},
		{"A[64]:out", "A[65]:out", 26, "block 65"},
		{"1 9 9 gemm", "2 9 9 gemm", 27, "worker 2 of 2"},
		{"end 9\n", "nodes 2\n", 28, "after the first record"},
		{"end 9\n", "end 8\n", 28, "there were 9"},
		{"end 9\n", "end 9\n0 1 2 task()\n", 29, "after the end"},
	} {
		text := strings.Replace(textFixture, c.old, c.new, 1)
		if text == textFixture {
			t.Fatalf("%q is not in the fixture", c.old)
		}
		_, err := ParseText(strings.NewReader(text))
		var te *TextError
		if !errors.As(err, &te) || !strings.Contains(te.What, c.what) {
			t.Errorf("%q for %q: %v, expected an error with %q", c.new, c.old, err, c.what)
			continue
		}
		if te.Line != c.line { // 19, the first record, where the header must be complete
			t.Errorf("%q for %q: line %d, expected %d: %v", c.new, c.old, te.Line, c.line, err)
		}
	}
}

func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := testHeader(rapid.IntRange(1, 3).Draw(rt, "workers"))
		tr := memoryTrace(rt, h)
		want := make([][]Record, len(h.Workers))
		for i := range want {
			var err error
			if want[i], err = readAll(tr, i); err != nil {
				rt.Fatal(err)
			}
		}
		var b bytes.Buffer
		if err := WriteText(&b, tr); err != nil {
			rt.Fatal(err)
		}
		got, err := ParseText(&b)
		if err != nil {
			rt.Fatal(err)
		}
		if !reflect.DeepEqual(got.Header, h) {
			rt.Fatalf("header\n%+v, expected\n%+v", got.Header, h)
		}
		compare(rt, got, want)
	})
}

// memoryTrace draws a trace and makes it without a file.
func memoryTrace(rt *rapid.T, h Header) *Trace {
	p := textParser{records: make([][]byte, len(h.Workers)), counts: make([]uint64, len(h.Workers)),
		t: &Trace{Header: h}}
	n := len(h.Workers)
	p.t.discarded, p.t.dropped, p.t.lost = make([]uint64, n), make([]uint64, n), make([]uint64, n)
	for i := range n {
		after := uint64(0)
		for range rapid.IntRange(0, 10).Draw(rt, "records") {
			r := genRecord(rt, &h, after)
			after = r.End
			p.records[i] = appendRecord(p.records[i], h.Registry.kinds(), &r)
			p.counts[i]++
		}
	}
	tr, err := p.image()
	if err != nil {
		rt.Fatal(err)
	}
	return tr
}
